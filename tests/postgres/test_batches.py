# SPDX-License-Identifier: Apache-2.0
"""Queries of many rows call the core for columns, and give what calls for each row give."""

from __future__ import annotations

import pytest
from tests.postgres.server import Server

POLICY = """{"columns": {
    "word": {"format": "digits", "key": "data:1", "namespace": "w"},
    "kept": {"format": "digits", "key": "data:1", "namespace": "w", "on_invalid": "keep"},
    "nulled": {"format": "digits", "key": "data:1", "namespace": "w", "on_invalid": "null"},
    "tweaked": {"format": "digits", "key": "data:1", "namespace": "t", "tweak": "id",
                "on_invalid": "null"},
    "small": {"format": {"type": "integer", "min": 0, "max": 9999}, "key": "data:1",
              "namespace": "s", "on_invalid": "keep"},
    "large": {"format": {"type": "integer", "min": 0, "max": 999999999999}, "key": "data:1",
              "namespace": "l"},
    "day": {"format": "date", "key": "data:1", "namespace": "d", "on_invalid": "keep"},
    "lost": {"format": "date", "key": "data:1", "namespace": "d", "on_invalid": "null"},
    "strict": {"format": "date", "key": "data:1", "namespace": "d"},
    "at": {"format": {"type": "timestamp", "resolution": "s"}, "key": "data:1",
           "namespace": "a"},
    "zoned": {"format": {"type": "timestamp", "resolution": "s"}, "key": "data:1",
              "namespace": "z"}
}}"""
NODE = "Custom Scan (Tallystick)"
COLUMNS = {
    "word": "tally_{0}(word, 'batch.word')",
    "kept": "tally_{0}(mixed, 'batch.kept')",
    "nulled": "tally_{0}(mixed, 'batch.nulled')",
    "tweaked": "tally_{0}(word, 'batch.tweaked', CASE WHEN id % 5 > 0 THEN id::text END)",
    "int2": "tally_{0}((id % 9999)::int2, 'batch.small')",
    "int4": "tally_{0}(id, 'batch.small')",
    "int8": "tally_{0}(id::bigint * 1000, 'batch.large')",
    "day": "tally_{0}(day, 'batch.day')",
    "lost": "tally_{0}(day, 'batch.lost')",
    "at": "tally_{0}(at, 'batch.at')",
    "zoned": "tally_{0}(at::timestamptz, 'batch.zoned')",
    "long": "tally_{0}(repeat(word, 1 + id % 40), 'batch.word')",
}


@pytest.fixture(scope="module")
def rows(people: Server) -> Server:
    """The server with a table of 20,000 rows, some of which are null or invalid."""
    people.run(
        f"SELECT tally_policy_set('batch', $${POLICY}$$)",
        """CREATE TABLE lots AS SELECT id, id % 3 AS part,
               CASE WHEN id % 7 > 0 THEN lpad(id::text, 9, '0') END AS word,
               CASE id % 11 WHEN 0 THEN '-' ELSE lpad(id::text, 9, '0') END AS mixed,
               CASE WHEN id % 13 = 0 THEN 'infinity' ELSE date '1970-01-01' + id % 20000 END AS day,
               timestamp '2001-02-03 04:05:06' + id * interval '1 minute' AS at
           FROM generate_series(1, 20000) AS series (id)""",
        "ANALYZE lots",
        "GRANT SELECT ON lots TO clerk, nobody",
    )
    return people


def plan(server: Server, query: str, *before: str) -> str:
    return str(server.run(*before, f"EXPLAIN (COSTS OFF) {query}").rows)


def same(server: Server, query: str, *, nodes: int = 1, before: tuple[str, ...] = ()) -> None:
    """Check a query beside one whose calls stand in a CASE, so that each row calls alone."""
    assert plan(server, query, *before).count(NODE) == nodes
    alone = query.replace("tally_protect(", "CASE WHEN id <> -1 THEN tally_protect(").replace(
        "'batch.word')", "'batch.word') END"
    )
    assert NODE not in plan(server, alone, *before)
    expected = server.run(*before, alone).rows
    assert server.run(*before, query).rows == expected
    assert expected


@pytest.mark.parametrize("what", COLUMNS)
def test_every_type_has_the_tokens_of_single_values(rows: Server, what: str) -> None:
    call = COLUMNS[what]
    protect = call.format("protect")
    query = f"SELECT id, {protect} AS token FROM lots"
    assert NODE in plan(rows, query)
    (row,) = rows.run(
        f"""SELECT count(*), count(*) FILTER (WHERE b.token IS DISTINCT FROM
                CASE WHEN id > 0 THEN {protect} END), count(DISTINCT b.token) > 1000
            FROM ({query} OFFSET 0) AS b JOIN lots USING (id)"""
    ).rows
    assert row == ["20000", "0", "t"]
    value = protect[len("tally_protect(") : protect.index(", 'batch")]
    back = call.format("reveal").replace(value, "token", 1)
    (row,) = rows.run(
        f"""WITH tokens AS MATERIALIZED (SELECT lots.*, {protect} AS token FROM lots),
                values AS MATERIALIZED (SELECT *, {back} AS value FROM tokens)
            SELECT count(*) FROM values
            WHERE value IS DISTINCT FROM {value} AND token IS NOT NULL"""
    ).rows
    assert row == ["0"]


def test_plans_of_all_kinds(rows: Server) -> None:
    call = "tally_protect(word, 'batch.word')"
    same(rows, f"SELECT part, {call} FROM lots ORDER BY id")
    same(
        rows, f"SELECT part, count({call}), min({call}), max(word) FROM lots GROUP BY part", nodes=1
    )
    same(rows, f"SELECT count(DISTINCT {call}), count(word) FROM lots")
    same(rows, f"SELECT string_agg({call}, '' ORDER BY id DESC) FROM lots")
    same(rows, f"SELECT {call} AS t, count(*) FROM lots GROUP BY 1 ORDER BY 1 LIMIT 50")
    same(
        rows,
        f"SELECT id, {call}, word FROM lots UNION ALL SELECT id, {call}, '' FROM lots",
        nodes=2,
    )
    same(rows, f"SELECT sum(length(t)) FROM (SELECT id, {call} AS t FROM lots OFFSET 3) AS few")
    lateral = f"(SELECT {call} AS t FROM lots WHERE id > a.n * 100 ORDER BY id LIMIT 30)"
    same(rows, f"SELECT a.n, b.t FROM generate_series(1, 3) a (n) CROSS JOIN LATERAL {lateral} b")
    same(rows, f"SELECT id, length({call}), {call}::varchar(5), upper({call})::name FROM lots")
    same(rows, f"SELECT (SELECT max(t) FROM (SELECT {call} AS t FROM lots OFFSET 0) AS x)")
    same(rows, f"SELECT {call}, rank() OVER (ORDER BY id) FROM lots", nodes=0)
    filtered = f"SELECT count({call}) FILTER (WHERE id < 9) FROM lots"
    assert NODE not in plan(rows, filtered)
    assert rows.run(filtered).value == "7"
    few = f"SELECT {call} FROM lots LIMIT 3"
    assert len(rows.run(few).rows) == 3
    assert NODE not in plan(rows, "SELECT tally_protect('12', 'batch.word') FROM lots")
    some = "SELECT coalesce(mixed, tally_protect(mixed, 'batch.word')) FROM lots"
    assert NODE not in plan(rows, some)
    assert len(rows.run(some).rows) == 20000


def test_a_merge_join_may_go_back(rows: Server) -> None:
    before = ("SET enable_hashjoin = off; SET enable_nestloop = off; SET enable_material = off",)
    rows.run("CREATE INDEX lots_part ON lots (part)", "ANALYZE lots")
    query = (
        "SELECT count(*), count(b.t) FROM (SELECT part FROM lots ORDER BY part LIMIT 100) AS a JOIN"
        " (SELECT part, tally_protect(word, 'batch.word') AS t FROM lots WHERE id <= 300"
        " ORDER BY part OFFSET 0) AS b USING (part)"
    )
    assert "Merge Join" in plan(rows, query, *before)
    assert rows.run(*before, query).rows[-1] == rows.run(query).rows[-1]


def test_parallel_workers(rows: Server) -> None:
    before = (
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2",
    )
    query = "SELECT count(tally_protect(word, 'batch.word')), count(*) FROM lots"
    shown = plan(rows, query, *before)
    assert "Gather" in shown and shown.index("Gather") < shown.index(NODE)
    assert rows.run(*before, query).rows[-1] == ["17143", "20000"]
    query = "SELECT id, tally_protect(word, 'batch.word') FROM lots"
    assert "Gather" in plan(rows, query, *before)
    tokens = sorted(rows.run(*before, query).rows)
    assert tokens == sorted(rows.run(query).rows)


def test_an_invalid_value_is_an_error_when_its_row_is_read(rows: Server) -> None:
    rows.run(
        "CREATE TABLE bad AS SELECT id, CASE id WHEN 5000 THEN 'x' ELSE lpad(id::text, 9, '0') END"
        " AS word, CASE id WHEN 30 THEN 'infinity' ELSE date '2000-01-01' END AS day"
        " FROM generate_series(1, 9000) AS series (id)",
        "ANALYZE bad",
    )
    query = "SELECT tally_protect(word, 'batch.word') FROM bad"
    assert NODE in plan(rows, query)
    assert len(rows.run(f"{query} LIMIT 4999").rows) == 4999
    said = rows.fails(f"{query} LIMIT 5000")
    assert "tally_protect(..., 'batch.word'): invalid value" in said
    assert len(rows.run(f"{query} WHERE id <> 5000").rows) == 8999
    assert "invalid value" in rows.fails(f"{query} WHERE id >= 5000")
    days = "SELECT tally_protect(day, 'batch.strict') FROM bad"
    assert len(rows.run(f"{days} LIMIT 29").rows) == 29
    assert "invalid value" in rows.fails(f"{days} LIMIT 30")
    both = "SELECT tally_protect(day, 'batch.strict'), tally_protect(word, 'batch.word') FROM bad"
    assert "'batch.strict'" in rows.fails(both)
    query = query.replace("'batch.word'", "'batch.{}'")
    assert "the rule has a tweak" in rows.fails(query.format("tweaked"))
    assert "has no such column" in rows.fails(query.format("none"))
    assert "can't be used for a column of type date32" in rows.fails(
        query.format("small").replace("(word", "(day")
    )


def test_rights_are_those_of_the_user(rows: Server) -> None:
    query = "SELECT tally_reveal(word, 'batch.word') FROM lots"
    assert NODE in plan(rows, query)
    assert "permission denied for function tally_reveal" in rows.psql(query, user="nobody").errors
    assert len(rows.run(query, user="clerk").rows) == 20000
    log = 'user "clerk" (session user "clerk") in database "postgres" revealed 17143 values'
    assert log in rows.log.read_text()


def test_cursors_and_prepared_queries(rows: Server) -> None:
    query = "SELECT tally_protect(word, 'batch.word') FROM lots ORDER BY id"
    first, second = (rows.run(f"{query} OFFSET {at} LIMIT 1").value for at in (0, 1))
    done = rows.run(
        f"BEGIN; DECLARE c SCROLL CURSOR FOR {query}; FETCH c; FETCH c; FETCH BACKWARD c; COMMIT"
    )
    assert done.rows == [[first], [second], [first]]
    said = rows.psql(
        f"BEGIN; DECLARE c NO SCROLL CURSOR FOR {query}; FETCH c; FETCH BACKWARD c; COMMIT"
    )
    assert said.status != 0
    done = rows.run(
        "SET plan_cache_mode = force_generic_plan",
        f"PREPARE p(int) AS SELECT count(t) FROM ({query} LIMIT $1) AS t (t)",
        *["EXECUTE p(70)"] * 3,
    )
    assert done.rows == [["60"]] * 3


def test_tables_that_queries_write(rows: Server) -> None:
    rows.run(
        "CREATE TABLE safe AS SELECT id, tally_protect(word, 'batch.word') AS word FROM lots",
        "INSERT INTO safe SELECT -id, tally_protect(word, 'batch.word') FROM lots",
    )
    (row,) = rows.run(
        "SELECT count(*), count(*) FILTER (WHERE tally_reveal(s.word, 'batch.word')"
        " IS DISTINCT FROM lots.word) FROM safe AS s JOIN lots ON lots.id = abs(s.id)"
    ).rows
    assert row == ["40000", "0"]
    copied = rows.run(
        "COPY (SELECT tally_protect(word, 'batch.word') FROM lots ORDER BY id) TO STDOUT"
    ).rows
    assert len(copied) == 20000
    stored = rows.run("SELECT word FROM safe WHERE id > 0 ORDER BY id").rows
    assert [row for row in copied if row != ["\\N"]] == [row for row in stored if row != ["NULL"]]


def test_values_of_many_bytes(rows: Server) -> None:
    rows.run(
        "CREATE TABLE big AS SELECT id, repeat('7', 200) || id AS word FROM"
        " generate_series(1, 9999) AS series (id)",
        "ANALYZE big",
    )
    query = "SELECT id, length(tally_protect(word, 'batch.word')), word FROM big"
    assert NODE in plan(rows, query)
    assert {row[1] for row in rows.run(query).rows} == {"201", "202", "203", "204"}
    (row,) = rows.run(
        "WITH safe AS MATERIALIZED (SELECT word, tally_protect(word, 'batch.word') AS t FROM big),"
        " back AS MATERIALIZED (SELECT word, tally_reveal(t, 'batch.word') AS value FROM safe)"
        " SELECT count(*) FROM back WHERE value <> word"
    ).rows
    assert row == ["0"]
