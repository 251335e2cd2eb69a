# SPDX-License-Identifier: Apache-2.0
"""Policies of a database: set in a transaction, checked by the core, dumped and restored."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.postgres import server as servers
from tests.postgres.conftest import KEY, PEOPLE, give_keys, settings
from tests.postgres.server import Server
from tests.postgres.test_tables import until_running

from tallystick import Tokenizer, formats

CARD = "4111 1111 1111 1111"
TOKEN = Tokenizer(formats.card(keep_last=4), KEY, namespace="card").protect(CARD)


def column(**options: object) -> str:
    import json

    given = {"format": "digits", "key": "data:1", "namespace": "n", **options}
    return json.dumps({"columns": {"c": given}})


def test_a_token_is_that_of_python(people: Server) -> None:
    assert people.run(f"SELECT tally_protect('{CARD}', 'people.card')").value == TOKEN


def test_rules_are_listed(people: Server) -> None:
    rows = people.run("SELECT rule, format, key, tweak, on_invalid FROM tally_rules").rows
    assert ["people.card", "card", "data:1", "NULL", "error"] in rows
    assert ["people.tweaked", "digits", "data:1", "id", "error"] in rows
    assert len(rows) >= 9


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("{}", "columns: is missing; it must be a table"),
        (column(format="nonsense"), "columns.c.format"),
        (column(key="data"), "columns.c.key"),
        (column(key="data:2"), "no key data:2"),
        (column(key="other:1"), "no key other:1"),
    ],
)
def test_a_bad_policy_is_refused(people: Server, policy: str, said: str) -> None:
    assert said in people.fails(f"SELECT tally_policy_set('bad', '{policy}')")
    assert people.run("SELECT count(*) FROM tally_policies WHERE name = 'bad'").value == "0"


def test_writing_the_table_is_checked_too(people: Server) -> None:
    assert "is missing" in people.fails("INSERT INTO tally_policies VALUES ('bad', '{}')")


def test_a_name_is_checked(people: Server) -> None:
    assert "the name of a policy" in people.fails(f"SELECT tally_policy_set('a.b', '{column()}')")


def test_a_change_is_part_of_its_transaction(people: Server) -> None:
    done = people.psql(
        options=["-f", "-"],
        stdin=f"""
        SELECT tally_policy_set('moving', '{column()}');
        SELECT tally_protect('12345', 'moving.c') AS first \\gset
        BEGIN;
        SELECT tally_policy_set('moving', '{column(namespace="other")}', true);
        SELECT tally_protect('12345', 'moving.c') <> :'first';
        SAVEPOINT before;
        SELECT tally_policy_set('moving', '{column(namespace="third")}', true);
        ROLLBACK TO before;
        SELECT tally_protect('12345', 'moving.c') <> :'first';
        ROLLBACK;
        SELECT tally_protect('12345', 'moving.c') = :'first';
        SELECT tally_policy_drop('moving');
        """,
    )
    assert [row for row in done.rows if row != [""]] == [["t"], ["t"], ["t"]], done.errors
    assert "no policy of that name" in people.fails("SELECT tally_protect('12345', 'moving.c')")


@pytest.mark.parametrize(
    ("begun", "query"),
    [
        ("SET plan_cache_mode = auto", "SELECT tally_protect('12345', 'seen.c')"),
        (
            "SET plan_cache_mode = force_generic_plan;"
            " PREPARE planned AS SELECT tally_protect('12345', 'seen.c')",
            "EXECUTE planned",
        ),
        (
            "CREATE FUNCTION pg_temp.planned() RETURNS text LANGUAGE plpgsql AS"
            " 'BEGIN RETURN tally_protect(''12345'', ''seen.c''); END'",
            "SELECT pg_temp.planned()",
        ),
    ],
    ids=["planned anew", "prepared", "PL/pgSQL"],
)
def test_another_session_sees_a_change(people: Server, begun: str, query: str) -> None:
    """Plans that it has cached have the token of a constant in them."""
    people.run(f"SELECT tally_policy_set('seen', '{column()}', true)")
    waiting = people.session(begun, query, "SELECT FROM pg_sleep(1)", query)
    until_running(people, "SELECT FROM pg_sleep%")
    people.run(f"SELECT tally_policy_set('seen', '{column(namespace='other')}', true)")
    out, errors = waiting.communicate(timeout=30)
    before, after = out.split()
    assert before != after, errors


def test_a_change_of_tokens_must_be_meant(people: Server) -> None:
    people.run(f"SELECT tally_policy_set('fixed', '{column()}')")
    for changed in (column(namespace="m"), column(format="hex"), column(tweak="t")):
        said = people.fails(f"SELECT tally_policy_set('fixed', '{changed}')")
        assert 'would change or be unreadable: "c"' in said
    people.run(f"SELECT tally_policy_set('fixed', '{column()}')")
    people.run(f"SELECT tally_policy_set('fixed', '{column(on_invalid='keep')}')")


def test_tokens_can_be_indexed(people: Server) -> None:
    people.run(
        "CREATE TABLE indexed AS SELECT lpad(i::text, 9, '0') AS c FROM generate_series(1, 3000) i",
        f"SELECT tally_policy_set('index', '{column()}')",
        "CREATE INDEX ON indexed (tally_protect(c, 'index.c'))",
        "ANALYZE indexed",
    )
    query = "FROM indexed WHERE tally_protect(c, 'index.c') = tally_protect('000000007', 'index.c')"
    assert people.run(f"SELECT c {query}").value == "000000007"
    assert "Index" in str(people.run(f"EXPLAIN SELECT c {query}").rows)
    said = people.fails("CREATE INDEX ON indexed (tally_reveal(c, 'index.c'))")
    assert "must be marked IMMUTABLE" in said


def test_tables_are_joined_on_tokens(people: Server) -> None:
    """Of two tables of tokens, and of values with tokens."""
    people.run(
        "CREATE TABLE buyers AS SELECT i AS id, tally_protect(lpad(i::text, 9, '0'), 'people.note')"
        " AS note FROM generate_series(1, 1000) i",
        "CREATE TABLE bought AS SELECT i % 100 + 1 AS id, lpad((i % 100 + 1)::text, 9, '0') AS note"
        " FROM generate_series(1, 500) i",
        "CREATE TABLE sent AS SELECT id, tally_protect(note, 'people.note') AS note FROM bought",
    )
    query = "SELECT count(*), count(DISTINCT b.id), bool_and(b.id = o.id) FROM buyers AS b JOIN"
    protected = "tally_protect(o.note, 'people.note')"
    for other in ("sent AS o USING (note)", f"bought AS o ON b.note = {protected}"):
        assert people.run(f"{query} {other}").rows == [["500", "100", "t"]]


def test_parallel_workers_protect_alike(people: Server) -> None:
    query = "SELECT md5(string_agg(t, ',' ORDER BY t)) FROM (SELECT tally_protect(c, 'wide.c') AS t"
    people.run(
        "CREATE TABLE wide AS SELECT lpad(i::text, 9, '0') AS c FROM generate_series(1, 20000) i",
        f"SELECT tally_policy_set('wide', '{column()}')",
        "ANALYZE wide",
    )
    forced = (
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2"
    )
    assert "Gather" in str(people.run(forced, f"EXPLAIN {query} FROM wide) AS w").rows)
    alone = people.run(f"{query} FROM wide) AS w").value
    assert people.run(forced, f"{query} FROM wide) AS w").value == alone


def test_a_dump_has_the_policies(people: Server, tmp_path: Path) -> None:
    people.run("CREATE TABLE dumped (card text)", f"INSERT INTO dumped VALUES ('{TOKEN}')")
    people.run(
        "CREATE INDEX ON dumped (tally_protect(tally_protect(card, 'people.card'), 'people.card'))"
    )
    people.run("SECURITY LABEL FOR tallystick ON COLUMN dumped.card IS 'people.card'")
    environment = people.environment("postgres", "postgres")
    dump = tmp_path / "dump.sql"
    subprocess.run([servers.config("bindir") / "pg_dump", "-f", dump], env=environment, check=True)
    assert KEY.hex() not in dump.read_text()
    people.run("CREATE DATABASE restored")
    done = people.psql(database="restored", options=["-f", str(dump)])
    assert done.status == 0, done.errors
    query = "SELECT tally_reveal(card, 'people.card') FROM dumped"
    assert people.run(query, database="restored").value == CARD
    label = "SELECT label FROM pg_seclabels WHERE provider = 'tallystick'"
    assert people.run(label, database="restored").value == "people.card"
    people.run("DROP DATABASE restored")


def test_another_key_of_the_same_name_is_refused(programs: Path) -> None:
    """So a restored dump never gives other tokens."""
    with servers.folder() as at:
        servers.keys(at, data=bytes(range(1, 33)))
        other = Server(at, programs, settings(at))
        give_keys(other)
        other.make()
        other.start()
        try:
            other.run(
                "CREATE EXTENSION tallystick",
                f"INSERT INTO tally_policies VALUES ('people', $${PEOPLE}$$)",
            )
            query = f"SELECT tally_protect('{CARD}', 'people.card')"
            assert "data:1 is not in the table tally_keys" in other.fails(query)
            other.run("INSERT INTO tally_keys VALUES ('data:1', decode(repeat('00', 32), 'hex'))")
            assert "has another key data:1" in other.fails(query)
            said = other.fails(f"SELECT tally_policy_set('people', $${PEOPLE}$$)")
            assert "has another key data:1" in said
            assert CARD not in other.log.read_text()
        finally:
            other.stop()
