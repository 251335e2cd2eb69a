# SPDX-License-Identifier: Apache-2.0
"""Whole tables: in batches, interrupted, and by COPY."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
from tests.postgres.server import Server


def filled(server: Server, name: str, rows: int, more: str = "") -> None:
    """Make a table of unprotected numbers."""
    server.run(
        f"CREATE TABLE {name} (id integer PRIMARY KEY, note text, email text {more})",
        f"INSERT INTO {name} (id, note, email) SELECT i, lpad(i::text, 9, '0'),"
        f" 'a' || i || '@example.org' FROM generate_series(1, {rows}) i",
    )


def left(server: Server, name: str) -> list[str]:
    """Return how many rows there are, and how many of them are not the row's token, just once."""
    (row,) = server.run(
        f"""SELECT count(*), count(*) FILTER (WHERE tally_reveal(note, 'people.note') <>
                lpad(id::text, 9, '0') OR tally_reveal(email, 'people.email') <>
                'a' || id || '@example.org') FROM {name}"""
    ).rows
    return row


def test_a_table_is_protected_in_batches(people: Server) -> None:
    filled(people, "whole", 3000)
    people.run("CALL tally_protect_table('whole', 'people', 3)")
    assert left(people, "whole") == ["3000", "0"]
    columns = (
        "SELECT count(*) FROM pg_attribute WHERE attrelid = 'whole'::regclass"
        " AND attname LIKE 'tally%'"
    )
    assert people.run(columns).value == "0"


def test_a_call_that_was_interrupted_is_finished_by_the_next(people: Server) -> None:
    filled(people, "broken", 3000)
    people.run(
        "UPDATE broken SET note = 'x' WHERE id = 2900",
        """SELECT tally_policy_set('strict', '{"keep": ["id"], "columns": {
            "note": {"format": "digits", "key": "data:1", "namespace": "note"},
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"}}}')""",
    )
    call = "CALL tally_protect_table('broken', 'strict', 3)"
    assert "invalid value" in people.fails(call)
    done = people.run("SELECT count(*) FROM broken WHERE tally_unprotected = '{}'").value
    assert 0 < int(done) < 3000
    other = "CALL tally_protect_table('broken', 'people', 3)"
    assert "Finish that call first" in people.fails(other)
    people.run(
        "UPDATE broken SET note = lpad(id::text, 9, '0') WHERE id = 2900",
        "INSERT INTO broken (id, note, email) VALUES (3001, '000003001', 'a3001@example.org')",
        call,
    )
    assert left(people, "broken") == ["3001", "0"]


def traces(server: Server, name: str) -> str:
    """Return how many columns and triggers of ours a table has."""
    return server.run(
        f"""SELECT count(*) FROM (
                SELECT attname FROM pg_attribute WHERE attrelid = '{name}'::regclass
                UNION ALL SELECT tgname FROM pg_trigger WHERE tgrelid = '{name}'::regclass
            ) AS names (name) WHERE name ~ '^(zz_)?tally_'"""
    ).value


def interrupted(server: Server, name: str, act: str, policy: str) -> str:
    """Call, and let it fail at row 3000, which is invalid, when row 1 is done; return the call."""
    call = f"CALL tally_{act}_table('{name}', '{policy}', 1)"
    kept = server.run(f"SELECT note FROM {name} WHERE id = 3000").value
    server.run(f"UPDATE {name} SET note = 'x' WHERE id = 3000")
    assert "invalid value" in server.fails(call)
    left = f"SELECT id, tally_un{act}ed FROM {name} WHERE id IN (1, 3000) ORDER BY id"
    assert server.run(left).rows == [["1", "{}"], ["3000", "NULL"]]
    server.run(f"UPDATE {name} SET note = '{kept}' WHERE id = 3000")
    return call


@pytest.fixture(scope="session")
def strict(people: Server) -> str:
    """The name of a policy that refuses notes that are not valid, and has a tweak."""
    people.run(
        """SELECT tally_policy_set('changing', '{"keep": ["id"], "columns": {
            "note": {"format": "digits", "key": "data:1", "namespace": "note"},
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"},
            "tweaked": {"format": "digits", "key": "data:1", "namespace": "t", "tweak": "id"}}}')"""
    )
    return "changing"


def test_rows_that_another_session_changes_meanwhile_are_protected(
    people: Server, strict: str
) -> None:
    filled(people, "changed", 3000)
    call = interrupted(people, "changed", "protect", strict)
    people.run(
        "UPDATE changed SET note = '999999999' WHERE id = 1",
        "UPDATE changed SET note = '888888888' WHERE id = 1",
        "UPDATE changed SET email = 'b2@example.org', note = note WHERE id = 2",
        "UPDATE changed SET note = '999999999', email = NULL WHERE id = 3000",
        "SET session_replication_role = replica;UPDATE changed SET note = '777777777' WHERE id = 3",
        "UPDATE changed SET id = 3004 WHERE id = 4",
        call,
    )
    rows = people.run(
        """SELECT id, tally_reveal(note, 'people.note'), tally_reveal(email, 'people.email'),
           note = tally_protect(tally_reveal(note, 'people.note'), 'people.note')
           FROM changed WHERE id < 4 OR id > 2999 ORDER BY id"""
    ).rows
    assert rows == [
        ["1", "888888888", "a1@example.org", "t"],
        ["2", "000000002", "b2@example.org", "t"],
        ["3", "777777777", "a3@example.org", "t"],
        ["3000", "999999999", "NULL", "t"],
        ["3004", "000000004", "a4@example.org", "t"],
    ]
    assert traces(people, "changed") == "0"


def test_rows_that_another_session_changes_meanwhile_are_revealed(
    people: Server, strict: str
) -> None:
    filled(people, "back", 3000, ", tweaked text DEFAULT '123456'")
    people.run(f"CALL tally_protect_table('back', '{strict}')")
    call = interrupted(people, "back", "reveal", strict)
    people.run(
        "UPDATE back SET note = tally_protect('999999999', 'people.note') WHERE id = 1",
        "UPDATE back SET id = 4001 WHERE id = 1",
        call,
    )
    rows = people.run("SELECT note, email, tweaked FROM back WHERE id IN (2, 4001) ORDER BY id")
    assert rows.rows == [
        ["000000002", "a2@example.org", "123456"],
        ["999999999", "a1@example.org", "123456"],
    ]
    assert traces(people, "back") == "0"


def test_a_tweak_of_a_token_cannot_change_meanwhile(people: Server, strict: str) -> None:
    filled(people, "retweaked", 3000, ", tweaked text DEFAULT '123456'")
    call = interrupted(people, "retweaked", "protect", strict)
    said = people.fails("UPDATE retweaked SET id = 4001 WHERE id = 1")
    assert (
        "the tweak of these columns of public.retweaked can't change, since they have tokens"
        ' already: "tweaked"' in said
    )
    people.run(
        "UPDATE retweaked SET id = 4001, tweaked = '654321' WHERE id = 1",
        "UPDATE retweaked SET id = 4000 WHERE id = 3000",
        call,
    )
    query = "SELECT tally_reveal(tweaked, 'people.tweaked', id::text) FROM retweaked WHERE id = "
    assert people.run(query + "4001").value == "654321"
    assert people.run(query + "4000").value == "123456"


def test_rows_of_other_sessions_are_visible_to_the_last_step(people: Server, strict: str) -> None:
    """Also if the session's transactions keep the snapshot that they begin with."""
    filled(people, "repeated", 3000)
    call = interrupted(people, "repeated", "protect", strict)
    locks = "SELECT 1 FROM pg_locks WHERE relation = 'repeated'::regclass AND"
    writer = people.session(
        f"""DO $$ BEGIN
            INSERT INTO repeated VALUES (3001, '000003001', 'a3001@example.org');
            FOR i IN 1..3000 LOOP
                EXIT WHEN EXISTS ({locks} NOT granted);
                PERFORM pg_sleep(0.02);
            END LOOP;
        END $$"""
    )
    end = time.monotonic() + 60
    while not people.run(f"{locks} mode = 'RowExclusiveLock'").rows:
        assert time.monotonic() < end
        time.sleep(0.02)
    people.run("SET default_transaction_isolation = 'repeatable read'", call)
    writer.communicate(timeout=60)
    assert writer.returncode == 0
    assert left(people, "repeated") == ["3001", "0"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_call_loses_nothing(people: Server, number: signal.Signals) -> None:
    name = f"killed_{number.name.lower()}"
    filled(people, name, 60000)
    waiting = people.session(f"CALL tally_protect_table('{name}', 'people', 1)")
    pid = until_running(people, "CALL tally_protect_table%")
    begun = f"SELECT count(*) > 0 FROM {name} WHERE tally_unprotected = '{{}}'"
    while people.psql(begun).rows != [["t"]]:
        time.sleep(0.01)
    before = len(people.log.read_text())
    os.kill(int(pid), number)
    waiting.communicate(timeout=60)
    assert waiting.returncode != 0
    if number == signal.SIGKILL:
        until_up(people, before)
    people.run(f"CALL tally_protect_table('{name}', 'people')")
    assert left(people, name) == ["60000", "0"]


def until_running(server: Server, query: str) -> str:
    """Wait until there is a query, and return its process."""
    end = time.monotonic() + 60
    while True:
        found = server.run(
            f"SELECT pid FROM pg_stat_activity WHERE query LIKE '{query}' AND state = 'active'"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).rows
        if found:
            return found[0][0]
        assert time.monotonic() < end
        time.sleep(0.02)


def until_up(server: Server, before: int) -> None:
    """Wait until the server has noticed a crash, of which its log has a line, and recovered."""
    end = time.monotonic() + 60
    while "all server processes terminated" not in server.log.read_text()[before:]:
        assert time.monotonic() < end
        time.sleep(0.02)
    while server.psql("SELECT 1").status != 0:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_columns_that_the_policy_does_not_name(people: Server) -> None:
    policy = """{"unlisted": "error", "keep": ["id"], "columns": {
        "note": {"format": "digits", "key": "data:1", "namespace": "note"}}}"""
    people.run(f"SELECT tally_policy_set('narrow', '{policy}')")
    filled(people, "unlisted", 3)
    said = people.fails("CALL tally_protect_table('unlisted', 'narrow')")
    assert "have no rule, and are not in keep of the policy: email" in said
    said = people.fails("CALL tally_protect_table('unlisted', NULL)")
    assert "no column of public.unlisted has a rule" in said
    people.run("CREATE TABLE warned (id integer, note text, other text)")
    assert (
        "stay in clear: other" in people.run("CALL tally_protect_table('warned', 'people')").errors
    )


def test_a_table_with_labels_needs_no_policy(people: Server) -> None:
    filled(people, "labels", 30)
    label = "SECURITY LABEL FOR tallystick ON COLUMN labels.{0} IS 'people.{0}'"
    people.run(label.format("note"), label.format("email"), "CALL tally_protect_table('labels')")
    assert left(people, "labels") == ["30", "0"]
    people.run("CALL tally_reveal_table('labels')")
    assert people.run("SELECT note, email FROM labels WHERE id = 7").rows == [
        ["000000007", "a7@example.org"]
    ]


def test_labels_leave_no_other_column_in_clear_unnoticed(people: Server) -> None:
    narrow = """{"unlisted": "error", "keep": ["id"], "columns": {
        "pan": {"format": "digits", "key": "data:1", "namespace": "pan"},
        "phone": {"format": "digits", "key": "data:1", "namespace": "phone"}}}"""
    people.run(
        f"SELECT tally_policy_set('judging', '{narrow}')",
        "CREATE TABLE judged (id integer, number text, phone text, other text)",
        "INSERT INTO judged VALUES (1, '123456', '654321', 'clear')",
        "SECURITY LABEL FOR tallystick ON COLUMN judged.number IS 'judging.pan'",
    )
    before = people.run("TABLE judged").rows
    makers = (
        "CALL tally_protect_table('judged', {})",
        "CALL tally_reveal_table('judged', {})",
        "SELECT tally_create_view('judged', 'judged_view', {}, 'values')",
    )
    for maker in (*makers, "SELECT tally_create_view('judged', 'judged_view', {})"):
        assert 'there is no policy "jugding"' in people.fails(maker.format("'jugding'"))
    for maker in makers:
        said = people.fails(maker.format("NULL"))
        assert "not in keep of the policy: other, phone\n" in said
    people.run("SECURITY LABEL FOR tallystick ON COLUMN judged.number IS 'people.note'")
    for maker in makers[:2]:
        said = people.run(maker.format("NULL")).errors
        assert "of public.judged stay in clear: other, phone\n" in said
    assert people.run("TABLE judged").rows == before
    people.run("SECURITY LABEL FOR tallystick ON COLUMN judged.phone IS 'judging.phone'")
    said = people.fails(makers[0].format("NULL"))
    assert "not in keep of the policy: other\n" in said


def test_a_type_that_rounds_tokens_is_refused(people: Server) -> None:
    people.run(
        "CREATE TABLE rounds AS SELECT 12.3::numeric(6, 1) AS amount FROM generate_series(1, 50)"
    )
    said = people.fails("CALL tally_protect_table('rounds', 'people')")
    assert "the column's type rounds tokens" in said
    people.run(
        "CREATE TABLE exact AS SELECT 12.30::numeric(6, 2) AS amount",
        "CALL tally_protect_table('exact', 'people')",
    )
    assert people.run("SELECT tally_reveal(amount, 'people.amount') FROM exact").value == "12.30"


def test_statistics_hold_no_values_afterwards(people: Server) -> None:
    people.run(
        "CREATE TABLE counted AS SELECT i AS id, '4111111111111111'::text AS card,"
        " lpad(i::text, 9, '0') AS note FROM generate_series(1, 100) i",
        "CREATE INDEX ON counted (right(card, 9))",
        "CREATE STATISTICS pairs (mcv) ON card, note FROM counted",
        "ANALYZE counted",
    )
    shown = (
        "SELECT s FROM (SELECT s::text FROM pg_stats AS s"
        " UNION ALL SELECT s::text FROM pg_stats_ext AS s) AS all_of_them (s)"
    )
    values = ("4111111111111111", "111111111", "000000042")
    before = str(people.run(shown).rows)
    assert all(value in before for value in values)
    people.run("CALL tally_protect_table('counted', 'people')")
    after = str(people.run(shown + " WHERE s LIKE '%counted%'").rows)
    assert "counted" in after and not [value for value in values if value in after]


def test_other_relations_are_refused(people: Server) -> None:
    people.run("CREATE VIEW of_notes AS SELECT 1 AS id, '123' AS note")
    assert "no ordinary table" in people.fails("CALL tally_protect_table('of_notes', 'people')")
    people.run(
        "CREATE TABLE by_note (id integer, note text) PARTITION BY LIST (note)",
        "CREATE TABLE by_note_1 PARTITION OF by_note DEFAULT",
    )
    moved = people.fails("CALL tally_protect_table('by_note', 'people')")
    assert "partitioned by these columns" in moved and "note" in moved
    part = people.fails("CALL tally_protect_table('by_note_1', 'people')")
    assert "no ordinary table" in part and "the partitioned table: by_note" in part


def test_a_partitioned_table(people: Server) -> None:
    people.run(
        "CREATE TABLE parts (id integer, note text, email text) PARTITION BY RANGE (id)",
        "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (1000)",
        "CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (1000) TO (3000)"
        " PARTITION BY HASH (id)",
        *(
            f"CREATE TABLE parts_2_{i} PARTITION OF parts_2"
            f" FOR VALUES WITH (MODULUS 2, REMAINDER {i})"
            for i in range(2)
        ),
        "CREATE TABLE parts_3 PARTITION OF parts DEFAULT",
        "INSERT INTO parts SELECT i, lpad(i::text, 9, '0'), 'a' || i || '@example.org'"
        " FROM generate_series(1, 4000) i",
        "UPDATE parts SET note = 'x' WHERE id = 3500",
        """SELECT tally_policy_set('parted', '{"keep": ["id"], "columns": {
            "note": {"format": "digits", "key": "data:1", "namespace": "note"},
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"}}}')""",
    )
    call = "CALL tally_protect_table('parts', 'parted', 3)"
    assert "invalid value" in people.fails(call)
    people.run("UPDATE parts SET note = lpad(id::text, 9, '0') WHERE id = 3500", call)
    assert left(people, "parts") == ["4000", "0"]
    for name in ("parts", "parts_1", "parts_2", "parts_2_0", "parts_3"):
        assert traces(people, name) == "0"
    assert "have tokens already" in people.fails(call)
    people.run("CALL tally_reveal_table('parts', 'parted', 3)")
    shown = "SELECT count(*) FROM parts WHERE note = lpad(id::text, 9, '0')"
    assert people.run(shown).value == "4000"
    people.run(call)
    assert left(people, "parts") == ["4000", "0"]


def test_deferred_checks_are_done_before_the_end(people: Server) -> None:
    people.run(
        "CREATE TABLE deferred (id integer, note text)",
        "INSERT INTO deferred SELECT i, lpad(i::text, 9, '0') FROM generate_series(1, 100) i",
        # A row that appears while the others are protected is left for the last transaction.
        "CREATE FUNCTION another() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN INSERT INTO deferred VALUES (101, '000000101'); RETURN NEW; END$$",
        "CREATE TRIGGER another BEFORE UPDATE ON deferred FOR EACH ROW WHEN (OLD.id = 1)"
        " EXECUTE FUNCTION another()",
        "CREATE FUNCTION checked() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER checked AFTER UPDATE ON deferred"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION checked()",
        "CALL tally_protect_table('deferred', 'people')",
    )
    reveal = "SELECT count(DISTINCT tally_reveal(note, 'people.note')) FROM deferred"
    assert people.run(reveal).value == "101"


def test_a_tweak_is_the_row_s_own(people: Server) -> None:
    people.run(
        "CREATE TABLE tweaks AS SELECT i AS id, '123456'::text AS tweaked"
        " FROM generate_series(1, 3) i",
        "CALL tally_protect_table('tweaks', 'people')",
    )
    assert people.run("SELECT count(DISTINCT tweaked) FROM tweaks").value == "3"
    query = "SELECT DISTINCT tally_reveal(tweaked, 'people.tweaked', id::text) FROM tweaks"
    assert people.run(query).value == "123456"


@pytest.mark.parametrize("label", ["people.note", "people.tweaked"])
def test_a_tweak_that_is_protected_is_refused(people: Server, label: str) -> None:
    name = f"tweaked_by_{label.split('.')[1]}"
    people.run(
        f"CREATE TABLE {name} AS SELECT '7'::text AS id, '123456'::text AS tweaked",
        f"SECURITY LABEL FOR tallystick ON COLUMN {name}.id IS '{label}'",
    )
    for call in (
        f"CALL tally_protect_table('{name}', 'people')",
        f"CALL tally_reveal_table('{name}', 'people')",
        f"SELECT tally_create_view('{name}', '{name}_values', 'people', 'values')",
        f"SELECT tally_create_view('{name}', '{name}_tokens', 'people')",
    ):
        said = people.fails(call)
        assert f"column id of public.{name} is protected too" in said
        assert "the tweak of rule people.tweaked" in said
    assert people.run(f"TABLE {name}").rows == [["7", "123456"]]


def test_a_tweak_that_another_policy_protects_is_refused(people: Server) -> None:
    other = '{"columns": {"id": {"format": "digits", "key": "data:1", "namespace": "id"}}}'
    people.run(
        f"SELECT tally_policy_set('identities', '{other}')",
        "CREATE TABLE crossed AS SELECT '123'::text AS id, '123456'::text AS remark",
        "SECURITY LABEL FOR tallystick ON COLUMN crossed.remark IS 'people.tweaked'",
    )
    said = people.fails("CALL tally_protect_table('crossed', 'identities')")
    assert "column id of public.crossed is protected too" in said


@pytest.mark.parametrize("column", ["absent", "ctid"])
def test_a_tweak_must_be_a_column_of_the_table(people: Server, column: str) -> None:
    policy = """{"columns": {"remark": {
        "format": "digits", "key": "data:1", "namespace": "r", "tweak": "%s"}}}"""
    people.run(
        f"SELECT tally_policy_set('tweak_{column}', '{policy % column}')",
        f"CREATE TABLE without_{column} AS SELECT '123456'::text AS remark",
    )
    said = people.fails(f"CALL tally_protect_table('without_{column}', 'tweak_{column}')")
    assert f"has no column {column}, the tweak of rule tweak_{column}.remark" in said


def test_copy_writes_tokens(people: Server) -> None:
    filled(people, "exported", 5)
    copied = people.run(
        "COPY (SELECT id, tally_protect(note, 'people.note') FROM exported) TO STDOUT"
    )
    tokens = people.run("SELECT id, tally_protect(note, 'people.note') FROM exported").rows
    assert [line[0].split("\t") for line in copied.rows] == tokens


def test_a_table_is_revealed_again(people: Server) -> None:
    """In batches too, by who may reveal; an interrupted call is finished by the next."""
    filled(people, "there", 3000)
    people.run(
        "ALTER TABLE there ADD COLUMN amount numeric(6, 2) DEFAULT 12.30",
        "CREATE TABLE before AS SELECT * FROM there",
        "CALL tally_protect_table('there', 'people', 3)",
        "UPDATE there SET email = 'x' WHERE id = 2900",
        """SELECT tally_policy_set('exactly', '{"keep": ["id"], "columns": {
            "note": {"format": "digits", "key": "data:1", "namespace": "note"},
            "amount": {"format": {"type": "decimal", "min": "-99.99", "max": "9999.99", "scale": 2},
                       "key": "data:1", "namespace": "amount"},
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"}}}')""",
    )
    call = "CALL tally_reveal_table('there', 'exactly', 3)"
    assert "invalid value" in people.fails(call)
    done = people.run("SELECT count(*) FROM there WHERE tally_unrevealed = '{}'").value
    assert 0 < int(done) < 3000
    other = "CALL tally_protect_table('there', 'exactly')"
    assert "of a call that was interrupted" in people.fails(other)
    people.run(
        "UPDATE there SET email = tally_protect('a2900@example.org', 'exactly.email')"
        " WHERE id = 2900",
        call,
    )
    differ = "SELECT count(*) FROM (TABLE there EXCEPT TABLE before) AS differ"
    assert people.run(differ).value == "0"
    people.run("ALTER TABLE there OWNER TO analyst")
    said = people.psql(call, user="analyst").errors
    assert "permission denied for function tally_reveal" in said


def test_a_table_is_not_protected_twice(people: Server) -> None:
    """Its record follows the column, and goes when the table is revealed."""
    filled(people, "twice", 30)
    call = "CALL tally_protect_table('twice', 'people')"
    refused = "these columns of twice have tokens already: "
    people.run(call)
    before = people.run("TABLE twice").rows
    assert refused + "note, email\n" in people.fails(call)
    people.run(
        "ALTER TABLE twice RENAME note TO remark",
        "SECURITY LABEL FOR tallystick ON COLUMN twice.remark IS 'people.note'",
    )
    assert refused + "remark, email\n" in people.fails(call)
    people.run(
        "SECURITY LABEL FOR tallystick ON COLUMN twice.remark IS NULL",
        "ALTER TABLE twice RENAME remark TO note",
        "INSERT INTO twice VALUES (31, tally_protect('000000031', 'people.note'),"
        " tally_protect('a31@example.org', 'people.email'))",
    )
    assert traces(people, "twice") == "0"
    assert people.run("TABLE twice").rows[:30] == before
    people.run("CALL tally_reveal_table('twice', 'people')", call)
    assert left(people, "twice") == ["31", "0"]
    people.run(
        "ALTER TABLE twice DROP COLUMN email, ADD COLUMN email text",
        """SELECT tally_policy_set('mails', '{"keep": ["id", "note"], "columns": {
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"}}}')""",
        "UPDATE twice SET email = 'a' || id || '@example.org'",
        "CALL tally_protect_table('twice', 'mails')",
    )
    assert left(people, "twice") == ["31", "0"]
    dumped = subprocess.run(
        ["pg_dump", "-t", "twice"],
        env=people.environment("postgres", "postgres"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    people.run("DROP TABLE twice")
    people.psql(stdin=dumped, options=["-f", "-"])
    call = call.replace("twice", "public.twice")
    said = people.fails(call)
    assert refused + "note, email\n" in said
    people.run(said.split("forget the tokens: ")[1].split(";")[0], call)


def test_a_table_of_a_one_way_format_is_not_revealed(people: Server) -> None:
    people.run(
        """SELECT tally_policy_set('lossy', '{"columns": {"note": {"format": "mask"}}}')""",
        "CREATE TABLE masked AS SELECT '123'::text AS note",
        "CALL tally_protect_table('masked', 'lossy')",
    )
    said = people.fails("CALL tally_reveal_table('masked', 'lossy')")
    assert "formats of these columns are one-way: note" in said
    assert people.run("SELECT count(*) FROM masked").value == "1"
    left = "SELECT count(*) FROM pg_attribute WHERE attname = 'tally_unrevealed'"
    assert people.run(left + " AND attrelid = 'masked'::regclass").value == "0"
