# SPDX-License-Identifier: Apache-2.0
"""Who may do what, what roles see, and what the log says of reveals."""

from __future__ import annotations

import re

import pytest
from tests.postgres.server import Server

CARD = "4111 1111 1111 1111"
ACTS = (
    *("tally_protect", "tally_reveal"),
    *("tally_protect_unless_granted", "tally_reveal_if_granted"),
)
PROTECT = f"SELECT tally_protect('{CARD}', 'people.card')"


def token(server: Server) -> str:
    return server.run(PROTECT).value


@pytest.mark.parametrize(
    "query",
    [
        PROTECT,
        "SELECT tally_reveal('4111', 'people.card')",
        "SELECT tally_reveal(ARRAY['4111'], 'people.card')",
        "SELECT tally_reveal(4111, 'people.number')",
        "SELECT tally_reveal('{}'::jsonb, 'people')",
        "SELECT tally_reveal('4111', 'people.tweaked', '1')",
        "SELECT tally_reveal_if_granted('4111', 'people.card')",
        "SELECT tally_policy_set('x', '{}')",
        "SELECT tally_policy_drop('people')",
        "SELECT tally_key_pin('data:1')",
        "SELECT tally_key_fingerprint('data:1')",
        "SELECT tally_status()",
        "SELECT tally_policy_rules('{}')",
        "SELECT * FROM tally_policies",
        "SELECT * FROM tally_keys",
        "SELECT * FROM tally_rules",
        "SHOW tallystick.keyring",
        "SHOW tallystick.root_key",
        "SET tallystick.log_reveal = off",
        "SET tallystick.root_key = '/tmp/x'",
        "SET tallystick.anything = 'x'",
    ],
)
def test_nobody_may_without_a_grant(people: Server, query: str) -> None:
    said = people.fails(query, user="nobody")
    assert re.search("permission denied|must be|cannot be changed|invalid configuration", said), (
        said
    )


def test_every_function_is_closed_to_the_public(people: Server) -> None:
    """But those that take nothing but names and use the caller's rights."""
    open_to_all = people.run(
        """SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
           JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'tallystick'
           AND d.classid = 'pg_proc'::regclass
           AND has_function_privilege('nobody', p.oid, 'EXECUTE')
           ORDER BY 1"""
    ).rows
    assert open_to_all == [
        ["tally_check_columns"],
        ["tally_columns"],
        ["tally_create_view"],
        ["tally_exact"],
        ["tally_protect_table"],
        ["tally_replace_table"],
        ["tally_reveal_table"],
        ["tally_row_changed"],
    ]


def test_volatility_is_what_it_is(people: Server) -> None:
    rows = people.run(
        "SELECT DISTINCT proname, provolatile, proparallel FROM pg_proc"
        " WHERE proname ~ '^tally_(protect|reveal)(_|$)' AND prokind = 'f' ORDER BY 1"
    ).rows
    assert rows == [
        ["tally_protect", "i", "s"],
        ["tally_protect_unless_granted", "s", "s"],
        ["tally_reveal", "s", "s"],
        ["tally_reveal_if_granted", "s", "s"],
    ]


def test_a_role_sees_tokens_and_another_values(people: Server) -> None:
    people.run(
        "CREATE TABLE cards (id integer, card text)",
        f"INSERT INTO cards VALUES (1, tally_protect('{CARD}', 'people.card'))",
        "SELECT tally_create_view('cards', 'cards_seen', 'people')",
        "CREATE TABLE clear (id integer, card text)",
        f"INSERT INTO clear VALUES (1, '{CARD}')",
        "SELECT tally_create_view('clear', 'clear_seen', 'people', 'values')",
        "GRANT SELECT ON cards_seen, clear_seen TO clerk, analyst",
    )
    seen = token(people)
    for view in ("cards_seen", "clear_seen"):
        assert people.run(f"SELECT card FROM {view}", user="clerk").value == CARD
        assert people.run(f"SELECT card FROM {view}", user="analyst").value == seen
    assert "permission denied" in people.fails("SELECT * FROM clear", user="analyst")
    # A right that is taken away counts at once, in sessions that are open too.
    done = people.psql(
        "SET ROLE clerk; SELECT card FROM cards_seen",
        "RESET ROLE; REVOKE EXECUTE ON FUNCTION tally_reveal(text, text) FROM clerk",
        "SET ROLE clerk; SELECT card FROM cards_seen",
    )
    people.run("GRANT EXECUTE ON FUNCTION tally_reveal(text, text) TO clerk")
    assert [CARD] in done.rows and [seen] in done.rows


def test_values_of_a_rule_with_a_tweak_need_the_right_to_reveal_with_a_tweak(
    people: Server,
) -> None:
    people.run(
        "CREATE ROLE half LOGIN",
        "GRANT EXECUTE ON FUNCTION tally_reveal(text, text),"
        " tally_reveal_if_granted(text, text, text) TO half",
    )
    made = people.run("SELECT tally_protect('123456', 'people.tweaked', '1')").value
    query = f"SELECT tally_reveal_if_granted('{made}', 'people.tweaked', '1')"
    assert people.run(query, user="half").value == made
    people.run("GRANT EXECUTE ON FUNCTION tally_reveal(text, text, text) TO half")
    assert people.run(query, user="half").value == "123456"


def test_what_others_planted_does_not_run_with_the_owners_rights(people: Server) -> None:
    people.run(
        "CREATE ROLE planter LOGIN",
        "GRANT CREATE ON SCHEMA public TO planter",
        "CREATE TABLE planted (card text, other text)",
        "CREATE TABLE planted_parts (card text, other text) PARTITION BY LIST (other)",
        "CREATE TABLE planted_part PARTITION OF planted_parts DEFAULT",
    )
    people.run(
        "CREATE FUNCTION public.ran(text, name, text) RETURNS text LANGUAGE plpgsql"
        " AS 'BEGIN RAISE EXCEPTION ''ran as %'', current_user; END'",
        "CREATE AGGREGATE public.string_agg(name, text) (SFUNC = public.ran, STYPE = text)",
        *(
            statement
            for types in ("oid, regclass", "regclass, oid", "regclass, regclass")
            for left, right in [types.split(", ")]
            for statement in (
                f"CREATE FUNCTION public.ran({types}) RETURNS boolean LANGUAGE plpgsql"
                " AS 'BEGIN RAISE EXCEPTION ''ran as %'', current_user; END'",
                f"CREATE OPERATOR public.= (LEFTARG = {left}, RIGHTARG = {right},"
                " FUNCTION = public.ran)",
            )
        ),
        user="planter",
    )
    try:
        for user in ("planter", "postgres"):
            made = people.run("SELECT tally_check_columns('planted', 'people')", user=user)
            assert "columns of public.planted stay in clear: other" in made.errors
        people.run("CALL tally_protect_table('planted', 'people')")
        people.run("CALL tally_protect_table('planted_parts', 'people')")
    finally:
        people.run("DROP OWNED BY planter", "DROP TABLE planted, planted_parts")


def test_functions_of_our_names_for_other_types_are_not_called(people: Server) -> None:
    """Who may create in the extension's schema may overload its functions."""
    body = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''ran as %'', current_user; END'"
    kinds = ("varchar", "name", "real")
    planted = [
        ("tally_policy_unlisted(json, name)", "text"),
        ("tally_columns(regclass, text, varchar)", "text"),
        ("tally_exact(numeric, anyelement)", "numeric"),
        *((f"{name}({kind}, text)", kind) for name in ACTS for kind in kinds),
        *((f"{name}({kind}, varchar)", kind) for name in ACTS for kind in (*kinds, "text")),
    ]
    people.run(
        "CREATE ROLE overloader LOGIN",
        "GRANT CREATE ON SCHEMA public TO overloader",
        "CREATE DOMAIN money_of AS numeric(6, 2)",
        "CREATE TABLE overloaded (card varchar(40), email name, amount money_of, other text)",
        "INSERT INTO overloaded VALUES ('4111 1111 1111 1111', 'zoe.grant@example.org', 12.3, 'x')",
        "CREATE TABLE of_real (number real)",
    )
    people.run(
        *(f"CREATE FUNCTION public.{name} RETURNS {type} {body}" for name, type in planted),
        user="overloader",
    )
    try:
        people.run(
            "SELECT tally_create_view('overloaded', 'overloaded_values', 'people', 'values')",
            "CALL tally_protect_table('overloaded', 'people')",
            "SELECT tally_create_view('overloaded', 'overloaded_tokens', 'people')",
        )
        row = people.run("SELECT card, email, amount FROM overloaded_tokens").rows
        assert row == [[CARD, "zoe.grant@example.org", "12.30"]]
        said = people.fails("CALL tally_protect_table('of_real', 'people')")
        assert "column number of public.of_real has the type real" in said
    finally:
        people.run("DROP OWNED BY overloader", "DROP TABLE overloaded, of_real CASCADE")


def test_labels_choose_the_rule(people: Server) -> None:
    people.run(
        "CREATE TABLE labelled (id integer, number_of_card text)",
        f"INSERT INTO labelled VALUES (1, '{CARD}')",
        "SECURITY LABEL FOR tallystick ON COLUMN labelled.number_of_card IS 'people.card'",
        "SELECT tally_create_view('labelled', 'labelled_seen', stored => 'values')",
        "GRANT SELECT ON labelled_seen TO analyst",
    )
    assert people.run("SELECT number_of_card FROM labelled_seen", user="analyst").value == token(
        people
    )
    label = "SECURITY LABEL FOR tallystick ON {} IS '{}'"
    assert "only columns" in people.fails(label.format("TABLE labelled", "people.card"))
    assert "must name a rule" in people.fails(label.format("COLUMN labelled.id", "card"))
    people.run(label.format("COLUMN labelled.id", "people.none"))
    said = people.fails("SELECT tally_create_view('labelled', 'again')")
    assert "the label of column id of public.labelled names no rule" in said


def audit(server: Server, before: int) -> list[str]:
    """Return what the log says of reveals since then."""
    lines = server.log.read_text()[before:].splitlines()
    return [line.split("tallystick: ", 1)[1] for line in lines if "LOG:  tallystick: " in line]


def test_the_log_says_who_revealed_what_and_how_many(people: Server) -> None:
    seen = token(people)
    before = len(people.log.read_text())
    query = f"SELECT tally_reveal('{seen}'::text, 'people.card') FROM generate_series(1, 3)"
    people.run(query, user="clerk")
    who = 'user "clerk" (session user "clerk") in database "postgres"'
    assert audit(people, before) == [
        f'{who} begins to reveal "people.card"',
        f'{who} revealed 3 values of "people.card"',
    ]
    assert CARD not in people.log.read_text()[before:]
    before = len(people.log.read_text())
    people.run(
        f"SET ROLE clerk; SELECT tally_reveal(card, 'people.card') FROM (VALUES ('{seen}'),"
        f" ('{seen}'), (NULL)) AS cards (card)"
    )
    who = 'user "clerk" (session user "postgres") in database "postgres"'
    assert audit(people, before)[-1] == f'{who} revealed 2 values of "people.card"'
    before = len(people.log.read_text())
    people.run(f"SELECT tally_reveal(ARRAY['{seen}', NULL, '{seen}'], 'people.card')")
    assert audit(people, before)[-1].endswith('revealed 2 values of "people.card"')


def test_views_that_show_values_are_in_the_log(people: Server) -> None:
    people.run(
        "CREATE TABLE logged AS SELECT 1 AS id, '4111 1111 1111 1111' AS card",
        "SELECT tally_create_view('logged', 'logged_seen', 'people', 'values')",
        "GRANT SELECT ON logged_seen TO clerk, analyst",
    )
    before = len(people.log.read_text())
    people.run("SELECT card FROM logged_seen", user="analyst")
    assert audit(people, before) == []
    people.run("SELECT card FROM logged_seen", user="clerk")
    assert len(audit(people, before)) == 2


def test_a_reveal_that_fails_is_in_the_log(people: Server) -> None:
    before = len(people.log.read_text())
    people.fails(
        f"SELECT tally_reveal(card, 'people.card')"
        f" FROM (VALUES ('{token(people)}'), ('x')) AS cards (card)"
    )
    lines = audit(people, before)
    assert lines[-1].endswith('revealed 1 values of "people.card"')


def test_parallel_workers_write_their_own_lines(people: Server) -> None:
    people.run(
        "CREATE TABLE shown AS SELECT tally_protect(lpad(i::text, 9, '0'), 'people.note') AS note"
        " FROM generate_series(1, 20000) i",
        "ANALYZE shown",
        "GRANT SELECT ON shown TO clerk",
    )
    before = len(people.log.read_text())
    done = people.run(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;"
        "SET parallel_leader_participation = off",
        "SELECT count(tally_reveal(note, 'people.note')) FROM shown",
        user="clerk",
    )
    assert done.value == "20000"
    pattern = r'user "clerk" .* revealed (\d+) values of "people.note" in a parallel worker'
    counts = [match[1] for line in audit(people, before) if (match := re.fullmatch(pattern, line))]
    assert sum(map(int, counts)) == 20000


def test_the_setting_ends_the_lines(people: Server) -> None:
    before = len(people.log.read_text())
    people.run(
        "SET tallystick.log_reveal = off",
        f"SELECT tally_reveal('{token(people)}', 'people.card')",
    )
    assert audit(people, before) == []
