# SPDX-License-Identifier: Apache-2.0
"""SQLite: single values, with the tokens of files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa
import pytest

import tallystick.sql.sqlite
from tallystick import ParameterError, Protector, TallyError, Tokenizer, formats
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.sql.names import named
from tallystick.sql.sqlite import _Function

KEY = bytes(range(32))


@pytest.fixture
def connection(protector: Protector) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        tallystick.sql.sqlite.register(connection, protector, reveal=True)
        yield connection


def test_tokens_are_those_of_files(
    connection: sqlite3.Connection, plain: pa.Table, tokens: pa.Table
) -> None:
    columns = ["id", "card", "name", "points"]
    connection.execute("CREATE TABLE people (id, card, name, points)")
    rows = [tuple(row[name] for name in columns) for row in plain.select(columns).to_pylist()]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    query = """SELECT id, tally_protect('card', card), tally_protect('name', name, id),
        tally_protect('points', points) FROM people ORDER BY id"""
    made = connection.execute(query).fetchall()
    wanted = [tuple(row[name] for name in columns) for row in tokens.select(columns).to_pylist()]
    assert made == wanted
    born = connection.execute("SELECT tally_protect('born', '2000-01-01')").fetchone()[0]
    back = connection.execute("SELECT tally_reveal('born', ?)", [born]).fetchone()
    assert born != back[0] == "2000-01-01"
    query = "SELECT tally_reveal('card', tally_protect('card', card)) FROM people ORDER BY id"
    assert [row[0] for row in connection.execute(query)] == plain.column("card").to_pylist()


def test_an_index_on_tokens(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE t (card)")
    connection.execute("CREATE INDEX by_token ON t (tally_protect('card', card))")
    plan = connection.execute(
        "EXPLAIN QUERY PLAN SELECT * FROM t WHERE tally_protect('card', card) = '4'"
    ).fetchall()
    assert "by_token" in str(plan)


@pytest.mark.parametrize("on_invalid", ["keep", "null"])
@pytest.mark.parametrize(
    ("form", "value"),
    [
        ('"digits"', "5304218"),
        ('{ type = "integer", min = 0, max = 9999 }', 5),
        ('{ type = "integer", min = 0, max = 18446744073709551615 }', 5),
    ],
)
def test_a_null_tweak_is_what_the_policy_says_of_invalid_values(
    ring: Keyring, form: str, value: str | int, on_invalid: str
) -> None:
    rule = f'format = {form}, key = "people:1", namespace = "d", tweak = "id"'
    rule += f', on_invalid = "{on_invalid}"'
    policy = Policy.parse(f"[columns]\nnumber = {{ {rule} }}\n")
    with Protector(policy, ring) as protector, closing(sqlite3.connect(":memory:")) as connection:
        tallystick.sql.sqlite.register(connection, protector, reveal=True)
        for function in ("tally_protect", "tally_reveal"):
            query = f"SELECT {function}('number', ?, NULL)"
            made = value if on_invalid == "keep" else None
            assert connection.execute(query, [value]).fetchone() == (made,)


def test_revealing_must_be_asked_for(
    connection: sqlite3.Connection, protector: Protector, ring: Keyring
) -> None:
    query = "SELECT tally_reveal('card', tally_protect('card', '4111111111111111'))"
    assert connection.execute(query).fetchone() == ("4111111111111111",)
    tallystick.sql.sqlite.register(connection, protector)
    with pytest.raises(sqlite3.OperationalError, match="raised exception"):
        connection.execute(query)
    with Protector(protector.policy, ring, reveal=False) as only:
        with pytest.raises(TallyError, match=r"tally_reveal can't be registered.*only protect"):
            tallystick.sql.sqlite.register(connection, only, reveal=True)
        tallystick.sql.sqlite.register(connection, only)
    with closing(sqlite3.connect(":memory:")) as another:
        tallystick.sql.sqlite.register(another, key=KEY, namespace="number")
        with pytest.raises(sqlite3.OperationalError, match="raised exception"):
            another.execute("SELECT tally_reveal('digits', '5304218')")


def test_formats_under_one_key(connection: sqlite3.Connection) -> None:
    tallystick.sql.sqlite.register(connection, key=KEY, namespace="number", reveal=True)
    token = connection.execute("SELECT tally_protect('digits', '5304218')").fetchone()[0]
    assert token == Tokenizer(formats.digits(), KEY, namespace="number").protect("5304218")
    assert "ipcrypt" not in named(None, KEY, "number", reveal=True)  # which needs a key of its own


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("card", "41-secret"), r"tally_protect\('card', ...\): invalid value"),
        (("41-secret", "card"), "the first argument must be one of 'card', 'name'"),
        (("name", "secret"), "third argument must be the tweak, 'id'"),
        (("name", "secret", None), "its tweak is null"),
        (("card", "41-secret", 1), "the column has no tweak"),
        (("card", "41-secret", None), "the column has no tweak"),
        (("card", b"41-secret"), "values must be TEXT or INTEGER"),
    ],
)
def test_errors_say_what_and_no_value(
    connection: sqlite3.Connection, protector: Protector, arguments: tuple[str, ...], message: str
) -> None:
    places = ", ".join("?" * len(arguments))
    with pytest.raises(sqlite3.OperationalError, match="user-defined function"):
        connection.execute(f"SELECT tally_protect({places})", arguments).fetchall()
    function = _Function(named(protector, None, None, reveal=True), decrypt=False)
    with pytest.raises(ValueError, match=message) as error:
        function(*arguments)
    assert "secret" not in str(error.value)
    assert isinstance(error.value, ParameterError) or "invalid value" in str(error.value)
