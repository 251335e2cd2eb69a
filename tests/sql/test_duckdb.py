# SPDX-License-Identifier: Apache-2.0
"""The extension of DuckDB, loaded by its Python package."""

from __future__ import annotations

import itertools
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.sql.places import BUILT, ROOT, VECTORS, Place, limited, quoted, wrong_places

from tallystick.keyring.names import Rights

EXTENSION = BUILT / "duckdb" / "tallystick.duckdb_extension"


def load(extension: Path = EXTENSION) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension}'")
    return connection


def opened(place: Place, right: str = ", reveal := true") -> duckdb.DuckDBPyConnection:
    connection = load()
    found = connection.execute(f"CALL tally_open({place.arguments}{right})").fetchall()
    assert found == [(len(place.protector.rules),)]
    return connection


@pytest.fixture
def connection(place: Place) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(place) as connection:
        yield connection


def fails(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(query).fetchall()
    return str(caught.value)


def test_functions_are_at_their_places(tmp_path: Path) -> None:
    source, made = Path(__file__).with_name("duckdb_places.c"), tmp_path / "places.so"
    folder = ROOT / "integrations" / "duckdb"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", f"-I{folder}", source, "-o", made, "-ldl"], check=True
    )
    extension = tmp_path / "duckdb_places.duckdb_extension"
    subprocess.run(
        [sys.executable, folder / "footer.py", made, extension, "0", os.uname().machine],
        check=True,
    )
    load(extension).close()


def test_it_is_not_signed() -> None:
    with duckdb.connect() as connection:
        assert "unsigned" in fails(connection, f"LOAD '{EXTENSION}'") or "signature" in fails(
            connection, f"LOAD '{EXTENSION}'"
        )


def test_the_vectors(place: Place, connection: duckdb.DuckDBPyConnection) -> None:
    rows = [
        (f"v{number}", pair["value"], pair["token"])
        for number, vector in enumerate(VECTORS)
        for pair in vector["tokens"]
        if "tweak" not in pair
    ]
    assert len(rows) > 60
    connection.execute("CREATE TABLE t (name VARCHAR, value VARCHAR, token VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    wrong = "SELECT * FROM t WHERE tally_protect(name, value) IS DISTINCT FROM token"
    assert connection.execute(wrong).fetchall() == []
    one_way = [name for name, rule in place.protector.rules.items() if rule.form.one_way]
    wrong = (
        "SELECT * FROM (FROM t WHERE NOT list_contains(?, name)) "
        "WHERE tally_reveal(name, token) IS DISTINCT FROM value"
    )
    assert connection.execute(wrong, [one_way]).fetchall() == []


COLUMNS = {
    "number": "printf('%016d', (hash(i) % 10000000000000000)::BIGINT)",
    "email": "'a' || i || '@example.org'",
    "card": "CASE i % 2 WHEN 0 THEN '4111111111111111' ELSE '5555-5555-5555-4444' END",
    "kept": "CASE i % 3 WHEN 0 THEN 'é' || repeat('x', i % 40) ELSE (100000 + i)::VARCHAR END",
    "nulled": "CASE i % 5 WHEN 0 THEN 'é' ELSE repeat('7', 3 + i % 60) END",
    "hidden": "repeat('s', i % 30)",
    "points": "(hash(i) % 1000000000)::BIGINT",
    "points ": "(i * 7)::INTEGER",
    "points  ": "(i * 7)::UBIGINT",
    "born": "DATE '1990-01-01' + (i % 9000)::INTEGER",
    "seen": "TIMESTAMP '2000-01-02 03:04:05' + INTERVAL (i) SECOND",
    "seen ": "(TIMESTAMP '2000-01-02 03:04:05' + INTERVAL (i) SECOND)::TIMESTAMP_S",
    "seen  ": "(TIMESTAMP '2000-01-02 03:04:05' + INTERVAL (i) SECOND)::TIMESTAMP_MS",
    "seen   ": "(TIMESTAMP '2000-01-02 03:04:05' + INTERVAL (i) SECOND)::TIMESTAMP_NS",
    "price": "printf('%d.%02d', i, i % 100)",
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", [1, 5000])
def test_columns_are_those_of_python(
    place: Place, connection: duckdb.DuckDBPyConnection, column: str, rows: int
) -> None:
    """With nulls, over several chunks, from a selection, and back again."""
    connection.execute(
        "CREATE TABLE t AS SELECT i, "
        f"CASE WHEN i % 7 = 6 THEN NULL ELSE {COLUMNS[column]} END AS v FROM range({rows}) AS r(i)"
    )
    name = column.rstrip()
    tokenizer = place.protector.tokenizer(name)
    query = f"SELECT v, tally_protect('{name}', v) AS token FROM t WHERE i % 11 != 3 ORDER BY i"
    made = connection.sql(query).to_arrow_table().combine_chunks()
    values, tokens = (made.column(index).combine_chunks() for index in (0, 1))
    assert tokens.to_pylist() == tokenizer.protect(values).to_pylist()
    assert tokens.type == values.type
    assert made.num_rows > rows * 0.9 - 1
    if name == "hidden":
        return
    connection.execute(f"CREATE TABLE s AS {query}")
    back = connection.sql(f"SELECT tally_reveal('{name}', token) AS v FROM s").to_arrow_table()
    wanted = tokenizer.reveal(tokens).to_pylist()
    assert back.column(0).to_pylist() == wanted
    if name != "nulled":
        assert wanted == values.to_pylist()


def test_tweaks_and_names_of_each_row(place: Place, connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "CREATE TABLE t AS SELECT i, "
        "CASE WHEN i % 5 = 4 THEN NULL ELSE repeat('Name', 1 + i % 9) END AS v, "
        "(i % 50)::VARCHAR AS id FROM range(5000) AS r(i)"
    )
    made = connection.sql(
        "SELECT v, id, tally_protect('name', v, id) AS token FROM t ORDER BY i"
    ).to_arrow_table()
    values, tweaks, tokens = (column.combine_chunks() for column in made.columns)
    wanted = place.protector.tokenizer("name").protect(values, tweaks)
    assert tokens.to_pylist() == wanted.to_pylist()
    assert "tweak is null" in fails(connection, "SELECT tally_protect('name', 'Zoe', NULL)")
    kept = "SELECT tally_protect('kept_tweaked', '1234567', NULL::VARCHAR)"
    assert connection.execute(kept).fetchall() == [("1234567",)]
    # A name of more bytes than a pointer's place has, and another one, in turn.
    connection.execute(
        "CREATE TABLE n AS SELECT CASE WHEN i % 3 = 0 THEN 'number' ELSE 'a b.c' END AS name, "
        "(100000 + i)::VARCHAR AS v FROM range(5000) AS r(i)"
    )
    rows = connection.execute("SELECT name, v, tally_protect(name, v) FROM n").fetchall()
    for name in ("number", "a b.c"):
        given = [row[1] for row in rows if row[0] == name]
        wanted = place.protector.tokenizer(name).protect(pa.array(given)).to_pylist()
        assert [row[2] for row in rows if row[0] == name] == wanted


def test_single_values(place: Place, connection: duckdb.DuckDBPyConnection) -> None:
    def one(expression: str) -> Any:  # noqa: ANN401
        (row,) = connection.execute(f"SELECT {expression}").fetchall()
        return row[0]

    born = place.protector.tokenizer("born").protect(date(2000, 1, 2))
    assert one("tally_protect('born', DATE '2000-01-02')") == born
    assert isinstance(one("tally_protect('seen', TIMESTAMP '2000-01-02 03:04:05')"), datetime)
    assert one(
        "tally_reveal('seen', tally_protect('seen', TIMESTAMPTZ '2000-01-02 03:04:05+00'))"
        " = TIMESTAMPTZ '2000-01-02 03:04:05+00'"
    )
    for null in ("NULL", "NULL::VARCHAR", "NULL::INTEGER"):
        assert one(f"tally_protect('card', {null}) IS NULL")
    assert one("tally_protect('price', 12.5::DECIMAL(8, 2)::VARCHAR)::DECIMAL(8, 2)") != 12.5
    long = "7" * 90
    assert one(f"tally_protect('number', '{long}')") == place.protector.tokenizer("number").protect(
        long
    )
    assert one("tally_protect('hidden', '')") == place.protector.tokenizer("hidden").protect("")


SECRET = "4111 1111 1111 111x"  # noqa: S105


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (f"tally_protect('card', {quoted(SECRET)})", "tally_protect('card', ...): invalid value: "),
        (f"tally_reveal('card', {quoted(SECRET)})", "it can't be a token of this policy"),
        (f"tally_protect({quoted(SECRET)}, 'card')", "the first must be one of 'card', 'number'"),
        ("tally_protect(NULL, 'card')", "the first must be one of"),
        (f"tally_protect('card', {quoted(SECRET)}, '1')", "the column has no tweak"),
        (f"tally_protect('name', {quoted(SECRET)})", "the third argument must be the tweak, 'id'"),
        ("tally_protect('email', 41111111)", "can't be used for a column of type int"),
        ("tally_protect('points', 4111111111)", "invalid value"),
        ("tally_protect('born', DATE 'infinity')", "invalid value"),
        ("tally_reveal('pseudonym', '4111111')", "can't be revealed"),
        ("tally_protect('number', repeat('4', 2000000))", "tally_protect('number', ...): "),
    ],
)
def test_errors_say_why_and_never_the_value(
    connection: duckdb.DuckDBPyConnection, expression: str, message: str
) -> None:
    said = fails(connection, f"SELECT {expression}")
    assert message in said
    assert "4111" not in said
    assert connection.execute("SELECT tally_protect('points', 1)").fetchall()


def test_an_invalid_value_in_the_middle_of_a_table(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE t AS SELECT i::VARCHAR || '000' AS v FROM range(100000) r(i)")
    connection.execute("UPDATE t SET v = '4111x' WHERE v = '77777000'")
    said = fails(connection, "CREATE TABLE s AS SELECT tally_protect('number', v) FROM t")
    assert "invalid value" in said
    assert "4111" not in said
    assert "does not exist" in fails(connection, "FROM s")


@pytest.mark.parametrize("function", ["tally_protect", "tally_reveal"])
def test_text_that_is_not_utf8(connection: duckdb.DuckDBPyConnection, function: str) -> None:
    """DuckDB takes it from Arrow without a check."""
    good, bad = b"abcdefghijkl@example.org", b"abcdefghijkl@example\xc3.org"
    for rows in ([good, bad, good], [bad], [good] * 3000 + [bad]):
        ends = [0, *itertools.accumulate(map(len, rows))]
        buffers = [pa.py_buffer(struct.pack(f"={len(ends)}i", *ends)), pa.py_buffer(b"".join(rows))]
        connection.register("t", pa.table({"v": pa.StringArray.from_buffers(len(rows), *buffers)}))
        assert "a value is not UTF-8" in fails(connection, f"SELECT {function}('email', v) FROM t")
    assert connection.execute("SELECT tally_protect('email', 'abc@exämple.org')").fetchall()


def test_a_text_of_more_than_a_gigabyte(connection: duckdb.DuckDBPyConnection) -> None:
    said = fails(connection, "SELECT length(tally_protect('number', repeat('4', 1073741825)))")
    assert "a value or tweak has more than 1 GiB" in said
    assert connection.execute("SELECT tally_protect('points', 1)").fetchall()


def test_nothing_is_revealed_without_the_right(place: Place) -> None:
    reveal = "SELECT tally_reveal('card', '4111111111111111')"
    for right in ("", ", reveal := false", ", reveal := NULL"):
        with opened(place, right) as connection:
            assert "opened to protect alone" in fails(connection, reveal)
            again = fails(connection, f"CALL tally_open({place.arguments}, reveal := true)")
            assert "has a policy open already" in again
            assert "opened to protect alone" in fails(connection.cursor(), reveal)
    with load() as connection:
        for call in (reveal, "SELECT tally_protect('card', '1')", "FROM tally_policy()"):
            assert "tally_open(POLICY, RING, ROOT) first" in fails(connection, call)


def test_rights_of_a_key(place: Place, tmp_path: Path) -> None:
    token = place.protector.tokenizer("number").protect("12345")
    calls = {
        "protect": "tally_protect('number', '12345')",
        "reveal": f"tally_reveal('number', '{token}')",
    }
    results = {"protect": token, "reveal": "12345"}
    rights: tuple[Rights, Rights] = ("protect", "reveal")
    for allowed, refused in (rights, rights[::-1]):
        with load() as connection:
            arguments = limited(place, tmp_path, allowed)
            connection.execute(f"CALL tally_open({arguments}, reveal := true)")
            got = connection.execute(f"SELECT {calls[allowed]}").fetchall()
            assert got == [(results[allowed],)]
            said = fails(connection, f"SELECT {calls[refused]}")
            assert f"tally_{refused}('number', ...): the key may only {allowed}" in said
            assert results[refused] not in said


def test_what_is_open_belongs_to_one_database(place: Place) -> None:
    with opened(place) as first, load() as second:
        assert first.cursor().execute("SELECT tally_protect('card', NULL)").fetchall()
        assert "first" in fails(second, "SELECT tally_protect('card', NULL)")


def test_plans_open_nothing(place: Place) -> None:
    with load() as connection:
        connection.execute(f"EXPLAIN CALL tally_open({place.arguments})")
        connection.execute(f"PREPARE o AS FROM tally_open({place.arguments})")
        assert "first" in fails(connection, "FROM tally_policy()")
        connection.execute("EXECUTE o")
        assert connection.execute("FROM tally_policy()").fetchall()


def test_the_table_of_the_policy(place: Place, connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.sql("FROM tally_policy()").to_arrow_table().to_pylist()
    assert [row["name"] for row in rows] == list(place.protector.rules)
    assert rows[8] == {
        "name": "name",
        "format": "letters",
        "cipher": "fast",
        "key": "k:1",
        "namespace": "name",
        "tweak": "id",
        "on_invalid": "error",
        "one_way": False,
    }
    assert next(row for row in rows if row["name"] == "hidden")["key"] is None


def test_what_can_not_be_opened(place: Place, tmp_path: Path) -> None:
    key = Path(place.root.removeprefix("file:")).read_text().strip()
    with load() as connection:
        for wrong, (policy, ring, root, message) in wrong_places(place, tmp_path).items():
            arguments = ", ".join(map(quoted, (policy, ring, root)))
            said = fails(connection, f"CALL tally_open({arguments})")
            assert "tally_open: " in said, wrong
            assert message in said, wrong
            assert key not in said, wrong
        assert "must be text" in fails(connection, "CALL tally_open('a', 'b', NULL)")
        connection.execute(f"CALL tally_open({place.arguments})")


def test_threads_and_dictionaries(
    place: Place, connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Of Parquet, whose columns are dictionaries in DuckDB, read by four threads."""
    file = tmp_path / "t.parquet"
    connection.execute(
        "COPY (SELECT i, printf('%016d', (i % 1000) * 7919) AS v FROM range(500000) AS r(i)) "
        f"TO '{file}' (ROW_GROUP_SIZE 20000)"
    )
    connection.execute("SET threads = 4")
    made = connection.execute(
        f"SELECT DISTINCT v, tally_protect('number', v) FROM '{file}' ORDER BY v"
    ).fetchall()
    values = pa.array([row[0] for row in made])
    assert len(made) == 1000
    wanted = place.protector.tokenizer("number").protect(values).to_pylist()
    assert [row[1] for row in made] == wanted
    back = f"FROM '{file}' WHERE tally_reveal('number', tally_protect('number', v)) != v"
    assert connection.execute(back).fetchall() == []


def test_an_invalid_entry_of_a_dictionary_that_no_row_has(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """DuckDB calls some functions for each entry of a dictionary, and not for each row."""
    rows = (
        "SELECT i, CASE WHEN i % 101 = 100 THEN '4111x' ELSE printf('%016d', i % 101) END AS v "
        "FROM range(20000) AS r(i)"
    )
    connection.execute(f"COPY ({rows}) TO '{tmp_path / 't.parquet'}'")
    connection.execute(f"ATTACH '{tmp_path / 't.duckdb'}' AS file")
    connection.execute(f"CREATE TABLE file.t AS {rows}")
    connection.execute("CHECKPOINT file")
    call = "tally_protect('number', v)"
    for source in (f"'{tmp_path / 't.parquet'}'", "file.t"):
        for query in (
            f"SELECT count(DISTINCT {call}) FROM {source} WHERE i % 101 <> 100",
            f"SELECT count(DISTINCT {call}) FROM {source} WHERE v <> '4111x'",
            f"SELECT count(DISTINCT CASE WHEN v <> '4111x' THEN {call} END) FROM {source}",
        ):
            assert connection.execute(query).fetchall() == [(100,)], query


def test_an_interrupt_in_mid_query(connection: duckdb.DuckDBPyConnection) -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        connection.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    query = "SELECT count(tally_protect('points', i % 1000000)) FROM range(1000000000000) r(i)"
    with pytest.raises(duckdb.InterruptException):
        connection.execute(query).fetchall()
    thread.join()
    assert connection.execute("SELECT tally_protect('points', 1)").fetchall()


NO_MEMORY = """
import sys, duckdb
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
try:
    connection.execute(f"LOAD '{sys.argv[1]}'")
    connection.execute(f"CALL tally_open({sys.argv[2]}, reveal := true)")
    query = "SELECT tally_reveal('card', tally_protect('card', '4111111111111111'))"
    print(connection.execute(query).fetchall())
except duckdb.Error as error:
    print("error:", error)
"""


def test_no_memory(place: Place, no_memory: Path, tmp_path: Path) -> None:
    """Allocations of the extension fail one by one: the query fails, and the process lives."""
    log, at, failed = tmp_path / "failed", 1, 0
    while True:
        log.unlink(missing_ok=True)
        environment = os.environ | {
            "LD_PRELOAD": str(no_memory),
            "FAIL_OBJECT": "tallystick.duckdb_extension",
            "FAIL_AT": str(at),
            "FAIL_LOG": str(log),
        }
        done = subprocess.run(
            [sys.executable, "-c", NO_MEMORY, str(EXTENSION), place.arguments],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        if not log.exists():
            break
        if done.stdout != "[('4111111111111111',)]\n":  # a cache that was not made is no error
            assert "memory" in done.stdout, (at, done)
            failed += 1
        at += 1 if at < 8 else 1 + at // 3
    assert done.stdout == "[('4111111111111111',)]\n"
    assert failed > 8
