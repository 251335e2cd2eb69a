# SPDX-License-Identifier: Apache-2.0
"""DuckDB: functions and streamed queries, with the tokens of files."""

from __future__ import annotations

import datetime
import gc
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick.sql.duckdb
from frames_support import POLICY
from tallystick import ParameterError, Protector, TallyError, Tokenizer, formats
from tallystick.keyring import Keyring
from tallystick.policy import Policy

KEY = bytes(range(32))


@pytest.fixture
def connection(protector: Protector, plain: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        tallystick.sql.duckdb.register(connection, protector, reveal=True)
        connection.from_arrow(plain).create("people")
        yield connection


def result(connection: duckdb.DuckDBPyConnection, query: str) -> pa.Table:
    return connection.sql(query).to_arrow_table()


PROTECTED = """SELECT id, tally_protect('card', card) AS card,
    tally_protect('name', name, id::VARCHAR) AS name, tally_protect('born', born) AS born,
    tally_protect('points', points) AS points, note FROM people ORDER BY id"""


def test_tokens_are_those_of_files(
    connection: duckdb.DuckDBPyConnection, plain: pa.Table, tokens: pa.Table
) -> None:
    assert result(connection, PROTECTED).cast(tokens.schema).equals(tokens)
    connection.execute(f"CREATE TABLE safe AS {PROTECTED}")
    back = PROTECTED.replace("tally_protect", "tally_reveal").replace("people", "safe")
    assert result(connection, back).cast(plain.schema).equals(plain)


def test_a_query_over_a_parquet_file_that_joins_protected_columns(
    connection: duckdb.DuckDBPyConnection, tokens: pa.Table, plain: pa.Table, tmp_path: Path
) -> None:
    pq.write_table(tokens, tmp_path / "safe.parquet")
    cards = plain.column("card").slice(100, 50)
    connection.from_arrow(pa.table({"card": cards, "paid": range(50)})).create("payments")
    connection.read_parquet(str(tmp_path / "safe.parquet")).create_view("safe")
    joined = """SELECT tally_reveal('card', safe.card) AS card, paid FROM safe
        JOIN payments ON safe.card = tally_protect('card', payments.card) ORDER BY paid"""
    expected = [(card.as_py(), i) for i, card in enumerate(cards) if card.is_valid]
    assert connection.execute(joined).fetchall() == expected
    assert 40 < len(expected) < 51


def test_streamed_queries(
    connection: duckdb.DuckDBPyConnection, protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    query = "SELECT * FROM people ORDER BY id"
    made = tallystick.sql.duckdb.protect(connection, query, protector, rows=100)
    made.create("safe")
    assert result(connection, "FROM safe").cast(tokens.schema).equals(tokens)
    back = tallystick.sql.duckdb.reveal(connection, "FROM safe ORDER BY id", protector)
    assert back.to_arrow_table().cast(plain.schema).equals(plain)
    some = tallystick.sql.duckdb.protect(connection, query, protector)
    assert some.filter("id < 3").aggregate("count(*)").fetchall() == [(3,)]
    with pytest.raises(ParameterError, match="the data has no column 'card'"):
        tallystick.sql.duckdb.protect(connection, "SELECT id FROM people", protector)


def test_nulls_and_constants(connection: duckdb.DuckDBPyConnection, protector: Protector) -> None:
    row = connection.execute(
        "SELECT tally_protect('card', NULL), tally_protect('card', '4111111111111111'),"
        "tally_protect('points', 5), tally_protect('points', 5::BIGINT),"
        "tally_protect('points', '5'), tally_protect('born', DATE '2000-01-01')"
    ).fetchone()
    assert row is not None
    card = protector.protect_column("card", pa.array(["4111111111111111"]))[0].as_py()
    points = protector.protect_column("points", pa.array([5]))[0].as_py()
    assert row[:5] == (None, card, points, points, str(points))
    assert row[5].isoformat() != "2000-01-01"


def test_the_name_may_come_from_a_column(connection: duckdb.DuckDBPyConnection) -> None:
    query = """SELECT tally_protect(what, value) = value,
        tally_reveal(what, tally_protect(what, value)) = value
        FROM (VALUES ('card', '4111111111111111'), ('points', '77')) t(what, value)"""
    assert connection.execute(query).fetchall() == [(False, True)] * 2


def test_a_policy_that_gives_nulls(ring: Keyring) -> None:
    rules = (
        '[columns]\na = { format = "ssn", key = "people:1", namespace = "a", on_invalid = "null" }'
    )
    with Protector(Policy.parse(rules), ring) as p, duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, p, reveal=True)
        query = "SELECT tally_protect('a', v) FROM (VALUES ('078-05-1120'), ('none')) t(v)"
        first, second = connection.execute(query).fetchall()
    assert first != ("078-05-1120",) and first != (None,)
    assert second == (None,)


def test_revealing_must_be_asked_for(
    connection: duckdb.DuckDBPyConnection, protector: Protector, ring: Keyring
) -> None:
    query = "SELECT tally_reveal('card', tally_protect('card', '4111111111111111'))"
    assert connection.execute(query).fetchall() == [("4111111111111111",)]
    tallystick.sql.duckdb.register(connection, protector)
    with pytest.raises(duckdb.CatalogException, match="tally_reveal"):
        connection.execute(query)
    with Protector(protector.policy, ring, reveal=False) as only:
        with pytest.raises(TallyError, match=r"tally_reveal can't be registered.*only protect"):
            tallystick.sql.duckdb.register(connection, only, reveal=True)
        with pytest.raises(TallyError, match=r"the protector: it can only protect"):
            tallystick.sql.duckdb.reveal(connection, "SELECT 1", only)


def test_formats_under_one_key() -> None:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, key=KEY, namespace="number", reveal=True)
        row = connection.execute("SELECT tally_protect('digits', '5304218')").fetchone()
    assert row == (Tokenizer(formats.digits(), KEY, namespace="number").protect("5304218"),)
    with pytest.raises(ParameterError, match="pass either a protector"):
        tallystick.sql.duckdb.register(connection)
    with pytest.raises(ParameterError, match="pass either a protector"):
        tallystick.sql.duckdb.register(connection, key=KEY)


def test_timestamps_and_one_way_formats() -> None:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, key=KEY, namespace="seen", reveal=True)
        query = """SELECT tally_protect('timestamp', t) = t,
            tally_reveal('timestamp', tally_protect('timestamp', t)) = t
            FROM (SELECT TIMESTAMP '2001-02-03 04:05:06' AS t)"""
        assert connection.execute(query).fetchall() == [(False, True)]
        name = "SELECT {}('pseudonym', 'Anna')"
        assert connection.execute(name.format("tally_protect")).fetchall() != [("Anna",)]
        with pytest.raises(duckdb.InvalidInputException, match=r"tally_reveal\('pseud.*one-way"):
            connection.execute(name.format("tally_reveal")).fetchall()


def test_functions_outlive_a_protector_that_nothing_refers_to(ring: Keyring) -> None:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, Protector(Policy.parse(POLICY), ring))
        gc.collect()
        found = connection.execute("SELECT tally_protect('born', DATE '1999-01-02')").fetchall()
    with Protector(Policy.parse(POLICY), ring) as protector:
        born = protector.tokenizer("born")
        (token,) = born.protect(pa.array([datetime.date(1999, 1, 2)])).to_pylist()
    assert found == [(token,)]


def test_cursors_and_registering_again(
    connection: duckdb.DuckDBPyConnection, protector: Protector
) -> None:
    query = "SELECT tally_reveal('card', tally_protect('card', '4111111111111111'))"
    with connection.cursor() as cursor:
        tallystick.sql.duckdb.register(cursor, protector, reveal=True)
        assert cursor.execute(query).fetchone() == ("4111111111111111",)
    tallystick.sql.duckdb.register(connection, protector, reveal=True)
    assert connection.execute(query).fetchone() == ("4111111111111111",)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("tally_protect('card', '41-secret')", r"tally_protect\('card', ...\): invalid value"),
        (
            "tally_reveal('card', '41-secret')",
            r"tally_reveal\('card', .*can't be a token of this policy",
        ),
        ("tally_protect('41-secret', 'card')", "the first argument must be one of 'card', 'name'"),
        ("tally_protect('name', '41-secret')", "has the tweak 'id'; pass it as the third argum"),
        ("tally_protect('card', '41-secret', '1')", "column 'card' has no tweak"),
        ("tally_protect('card', 41)", "format 'card' can't be used for a column of type int32"),
        ("tally_protect('name', 'secret', NULL)", "its tweak is null"),
    ],
)
def test_errors_say_what_and_no_value(
    connection: duckdb.DuckDBPyConnection, expression: str, message: str
) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=message) as error:
        connection.execute(f"SELECT {expression}").fetchall()
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"])
def test_timestamps_of_every_unit_keep_it(kind: str) -> None:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, key=KEY, namespace="time", reveal=True)
        call = f"tally_protect('timestamp', '2026-05-04 03:02:01'::{kind})"
        made = connection.sql(f"SELECT {call}, tally_reveal('timestamp', {call})")
        assert [str(one) for one in made.types] == [kind, kind]
        assert str(made.fetchall()[0][1]) == "2026-05-04 03:02:01"


def test_what_is_finer_than_the_resolution_is_not_cut() -> None:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, key=KEY, namespace="time", reveal=True)
        with pytest.raises(duckdb.InvalidInputException, match="invalid value"):
            connection.execute(
                "SELECT tally_protect('timestamp', '2026-05-04 03:02:01.000000001'::TIMESTAMP_NS)"
            )
