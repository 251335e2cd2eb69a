# SPDX-License-Identifier: Apache-2.0
"""What is invalid is refused, or treated as the policy says; messages and the log have no value."""

from __future__ import annotations

import re

import pytest
from tests.postgres.server import Server

WRONG = "4111 1111 1111 1112"  # its check digit is wrong


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (f"tally_protect('{WRONG}', 'people.card')", "its check digit is wrong"),
        (f"tally_reveal('{WRONG}', 'people.card')", "It can't be a token of this rule"),
        (f"tally_protect(ARRAY['{WRONG}'], 'people.card')", "its check digit is wrong"),
        (f"tally_protect('{WRONG}', 'people.none')", 'policy "people" has no such column'),
        (f"tally_protect('{WRONG}', 'people')", 'policy "people" has no such column'),
        (f"tally_protect('{WRONG}', 'none.card')", "no policy of that name"),
        (f"tally_protect('people.card', '{WRONG}')", "no policy of that name"),
        (f"tally_protect('{WRONG}', 'people.tweaked')", "the rule has a tweak"),
        (f"tally_protect('{WRONG}', 'people.card', '1')", "the rule has no tweak"),
        ("tally_protect('12345', 'people.tweaked', NULL)", "its tweak is null"),
        ("tally_protect('12345'::text, NULL, 'x')", "the second argument is NULL"),
        ("tally_protect(-41111, 'people.number')", "outside the format's range"),
        ("tally_protect(41111::smallint, 'people.number')", "out of range"),
        ("tally_protect(4111::smallint, 'people.number')", "type int16 can't hold"),
        ("tally_protect(4111, 'people.email')", "type int32"),
        ("tally_protect(41.119, 'people.amount')", "notation"),
        ("tally_protect('NaN'::numeric, 'people.amount')", "notation"),
        ("tally_protect(41111.0, 'people.amount')", "outside the format's range"),
        ("tally_protect('\"4111\"'::jsonb, 'people.contact.email')", "the document is no object"),
        ("tally_protect('{\"contact\": 4111}'::jsonb, 'people.contact.email')", "leads through"),
        ("tally_protect('{\"orders\": {}}'::jsonb, 'people.orders[].phone')", "the path has items"),
        ("tally_protect('{\"contact\": []}'::jsonb, 'people.contact.email')", "has a field where"),
        (
            "tally_protect('{\"contact\": {\"email\": true}}'::jsonb, 'people.contact.email')",
            "neither",
        ),
    ],
)
def test_an_error_says_what_and_never_the_value(people: Server, query: str, said: str) -> None:
    before = len(people.log.read_text())
    message = people.fails(f"SELECT {query}")
    first = message.split("\nLINE")[0]
    assert said in message
    assert WRONG not in first
    log = people.log.read_text()[before:]
    if "out of range" not in said:  # that one is PostgreSQL's own
        assert "ERROR" in log
        assert WRONG not in log
        assert "4111" not in re.sub(r"\[\d+\]", "", log), "but for a process's number"


def test_text_that_a_type_does_not_have_is_refused_without_it(people: Server) -> None:
    """jsonb would change the number 007, and PostgreSQL's errors show what is no address."""
    people.run(
        """SELECT tally_policy_set('dotted', '{"columns": {"a": {"format": {"type": "digits",
            "separators": "."}, "key": "data:1", "namespace": "a"}}}')"""
    )
    token = people.run("SELECT tally_protect('255.255.255.255', 'dotted.a')").value
    for query in (
        "tally_protect('255.255.255.255'::inet, 'dotted.a')",
        "tally_reveal('255.255.255.255'::inet, 'dotted.a')",
    ):
        said = people.fails(f"SELECT {query}")
        assert "makes text that the type" in said and token not in said
    document = "jsonb_build_object('orders', jsonb_build_array(jsonb_build_object('phone', {})))"
    rows = people.run(
        f"SELECT n, tally_protect({document.format('n::text')}, 'people.orders[].phone')"
        " #>> '{orders,0,phone}' FROM generate_series(1000, 1099) AS numbers (n)"
    ).rows
    zeros = [number for number, token in rows if token.startswith("0")]
    others = [number for number, token in rows if not token.startswith("0")]
    assert zeros and others
    for number in (zeros[0], others[0]):
        one = document.format(number)
        query = f"SELECT tally_reveal(tally_protect({one}, '{{0}}'), '{{0}}') = {one}".format(
            "people.orders[].phone"
        )
        if number in zeros:
            assert "which no number of a document has" in people.fails(query)
        else:
            assert people.run(query).value == "t"


def test_a_copy_that_fails_leaves_no_line_in_the_log(people: Server) -> None:
    people.run(
        "CREATE TABLE copied (card text,"
        " token text GENERATED ALWAYS AS (tally_protect(card, 'people.card')) STORED)"
    )
    before = len(people.log.read_text())
    done = people.psql(options=["-c", "\\copy copied (card) FROM STDIN"], stdin=f"{WRONG}\n\\.\n")
    assert "its check digit is wrong" in done.errors
    assert WRONG not in people.log.read_text()[before:]


def test_on_invalid(people: Server) -> None:
    query = "SELECT tally_protect('no e-mail', 'people.email'), tally_protect('abc', 'people.note')"
    assert people.run(query).rows == [["NULL", "abc"]]
    query = "SELECT tally_protect(ARRAY['no e-mail', 'a@b.example'], 'people.email')"
    assert people.run(query).value.startswith("{NULL,")


def test_null_stays(people: Server) -> None:
    for kind in ("text", "smallint", "integer", "bigint", "numeric", "date", "timestamp", "inet"):
        query = f"SELECT tally_protect(NULL::{kind}, 'people.card') IS NULL"
        assert people.run(query).value == "t"
    assert people.run("SELECT tally_protect(NULL::jsonb, 'people') IS NULL").value == "t"
    query = "SELECT tally_protect(NULL::text, 'people.tweaked', '1') IS NULL"
    assert people.run(query).value == "t"


def test_documents(people: Server) -> None:
    document = (
        '{"contact": {"email": "jane.doe@example.org", "x": [1, null]}, "y": true, "orders":'
        ' [{"phone": "12345"}, {}, {"phone": null}, {"phone": 67890}],'
        ' "attributes": {"a": "12345", "b": 6789}}'
    )
    people.run(
        "CREATE TABLE documents (name text, document jsonb)",
        f"INSERT INTO documents VALUES ('clear', '{document}')",
    )
    for path, inside in (
        ("contact.email", "#> '{contact,email}'"),
        ("orders[].phone", "#> '{orders,0,phone}'"),
        ("attributes{}", "#> '{attributes,a}'"),
    ):
        rule = f"people.{path}"
        text = people.run(
            f"SELECT document {inside} #>> '{{}}' FROM documents",
        ).value
        token = people.run(f"SELECT tally_protect('{text}', '{rule}')").value
        (row,) = people.run(
            f"""SELECT t {inside} #>> '{{}}', tally_reveal(t, '{rule}') = document
                FROM (SELECT document, tally_protect(document, '{rule}') AS t
                      FROM documents) AS protected"""
        ).rows
        assert row == [token, "t"]
    numbers = (
        "SELECT tally_protect(document, 'people.orders[].phone') #>> '{orders,3,phone}', "
        "tally_protect('67890', 'people.orders[].phone') FROM documents"
    )
    (row,) = people.run(numbers).rows
    assert row[0] == row[1].lstrip("0")


def test_a_policy_of_documents_protects_all_its_paths(people: Server) -> None:
    people.run(
        """SELECT tally_policy_set('contacts', '{"columns": {
            "email": {"format": "email", "key": "data:1", "namespace": "e-mail"},
            "phone": {"format": "digits", "key": "data:1", "namespace": "phone"}}}')"""
    )
    (row,) = people.run(
        """SELECT t ->> 'email' = tally_protect('jane.doe@example.org', 'contacts.email'),
                  t ->> 'phone' = tally_protect('12345', 'contacts.phone'),
                  tally_reveal(t, 'contacts') = d
           FROM (SELECT d, tally_protect(d, 'contacts') AS t FROM
                 (VALUES ('{"email": "jane.doe@example.org", "phone": "12345", "z": 1}'::jsonb))
                 AS documents (d)) AS protected"""
    ).rows
    assert row == ["t", "t", "t"]
