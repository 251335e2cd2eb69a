# SPDX-License-Identifier: Apache-2.0
"""Tokens are those of the vectors, for every SQL type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import server as servers
from tests.postgres.conftest import served

from vectors import load

FILES = (
    *("formats_presets", "formats_numbers", "formats_grouped", "formats_one_way"),
    *("formats_plans", "formats_names", "tokens", "tokens_ciphers", "tokens_ranges"),
)
# SQL type of Arrow's type, and how the number of a vector becomes such a value and back.
TYPES = {
    "s": ("smallint", "{}::smallint", "{}"),
    "i": ("integer", "{}::integer", "{}"),
    "l": ("bigint", "{}::bigint", "{}"),
    "d:38,2": ("numeric", "{}::numeric * 0.01", "trunc({} * 100)"),
    "d:38,0": ("numeric", "{}::numeric", "{}"),
    "d:38,18": ("numeric", "{}::numeric * 1e-18", "trunc({} * 1e18)"),
    "tdD": ("date", "date '1970-01-01' + {}::integer", "{} - date '1970-01-01'"),
    "tsu:": (
        "timestamp",
        "timestamp '1970-01-01' + {}::bigint * interval '1 us'",
        "(extract(epoch from {}) * 1000000)::bigint",
    ),
    "tsu:Europe/Berlin": (
        "timestamptz",
        "timestamptz '1970-01-01Z' + {}::bigint * interval '1 us'",
        "(extract(epoch from {}) * 1000000)::bigint",
    ),
}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.fixture(scope="module")
def known(programs: Path) -> Iterator[tuple[servers.Server, dict[str, str]]]:
    """A server whose ring has the keys of all vectors, and the keys' names."""
    found = {case["key"] for name in FILES for case in load(name) if case.get("key")}
    names = {key: f"k{number}" for number, key in enumerate(sorted(found))}
    with served(programs, **{name: bytes.fromhex(key) for key, name in names.items()}) as made:
        yield made, names


def policy(case: dict[str, Any], names: dict[str, str]) -> str:
    """Return the policy with a column of the vectors' format, and one that has a tweak."""
    plain: dict[str, Any] = {"format": case["format"]}
    if case.get("keyed", True):
        plain |= {"key": f"{names[case['key']]}:1", "namespace": case["namespace"]}
        columns = {"c": plain, "t": plain | {"tweak": "w"}}
    else:
        columns = {"c": plain}
    if isinstance(case["format"], dict):
        form = dict(case["format"])
        for option in ("cipher", "tweak_hex"):
            if option in form:
                for column in columns.values():
                    column[option] = form[option]
                form.pop(option)
        for column in columns.values():
            column["format"] = form
    return json.dumps({"columns": columns}, ensure_ascii=False)


def cases(case: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return value, token and tweak of the values that SQL's text can hold."""
    found = []
    for value in case.get("values") or case.get("tokens") or ():
        text, tweak = value.get("value"), value.get("tweak", case.get("tweak"))
        if text is None or "\0" in text or "\0" in (tweak or ""):
            continue
        if "token" in value:
            found.append((text, value["token"], value.get("tweak")))
        if "tweaked" in value:
            found.append((text, value["tweaked"], tweak))
    return found


def set_policies(server: servers.Server, policies: dict[str, str]) -> None:
    """Set many policies at once."""
    lines = [
        f"SELECT tally_policy_set('{name}', {quoted(text)}, true);"
        for name, text in policies.items()
    ]
    done = server.psql(options=["-f", "-"], stdin="\n".join(lines))
    assert done.status == 0, done.errors


@pytest.mark.parametrize("name", FILES)
def test_text(known: tuple[servers.Server, dict[str, str]], name: str) -> None:
    server, names = known
    policies, rows, one_way = {}, [], set()
    for number, case in enumerate(load(name)):
        found = cases(case)
        if not found:
            continue
        policies[f"v{number}"] = policy(case, names)
        if case.get("one_way"):
            one_way.add(f"v{number}")
        for value, token, tweak in found:
            given = "NULL" if tweak is None else quoted(tweak)
            rows.append(f"('v{number}', {quoted(value)}, {quoted(token)}, {given})")
    assert len(rows) > 15
    set_policies(server, policies)
    ways = quoted("{" + ",".join(one_way) + "}")
    done = server.psql(
        options=["-f", "-"],
        stdin=f"""
        CREATE TEMPORARY TABLE cases (policy text, value text, token text, tweak text);
        INSERT INTO cases VALUES {", ".join(rows)};
        SELECT policy, value FROM cases WHERE token IS DISTINCT FROM
            CASE WHEN tweak IS NULL THEN tally_protect(value, policy || '.c')
                 ELSE tally_protect(value, policy || '.t', tweak) END;
        SELECT policy, value FROM cases WHERE policy <> ALL ({ways}::text[])
            AND value IS DISTINCT FROM
            CASE WHEN tweak IS NULL THEN tally_reveal(token, policy || '.c')
                 ELSE tally_reveal(token, policy || '.t', tweak) END;
        SELECT policy FROM (SELECT policy, array_agg(value) AS v, array_agg(token) AS t FROM cases
                            WHERE tweak IS NULL GROUP BY policy) AS arrays
            WHERE t IS DISTINCT FROM tally_protect(v, policy || '.c');
        """,
    )
    assert done.status == 0, done.errors
    assert done.rows == []


@pytest.mark.parametrize("arrow", TYPES)
def test_numbers_and_times(known: tuple[servers.Server, dict[str, str]], arrow: str) -> None:
    server, names = known
    sql, read, write = TYPES[arrow]
    policies, rows = {}, []
    for number, case in enumerate(load("formats_numbers")):
        for column in case.get("columns", ()):
            if column["type"] != arrow:
                continue
            policies[f"n{number}"] = policy(case, names)
            for value in column["values"]:
                rows.append(f"('n{number}.c', {value['value']}, {value['token']}, NULL)")
                if "tweaked" in value:
                    tweak = quoted(case["tweak"])
                    rows.append(f"('n{number}.t', {value['value']}, {value['tweaked']}, {tweak})")
    assert len(rows) > 10
    set_policies(server, policies)
    protect = ", ".join(rows)
    done = server.psql(
        options=["-f", "-"],
        stdin=f"""
        CREATE TEMPORARY TABLE cases (rule text, number numeric, token numeric, tweak text);
        INSERT INTO cases VALUES {protect};
        CREATE TEMPORARY TABLE typed AS
            SELECT rule, tweak, ({read.format("number")})::{sql} AS value,
                   ({read.format("token")})::{sql} AS token FROM cases;
        SELECT rule FROM typed WHERE token IS DISTINCT FROM
            CASE WHEN tweak IS NULL THEN tally_protect(value, rule)
                 ELSE tally_protect(value, rule, tweak) END;
        SELECT rule FROM typed WHERE value IS DISTINCT FROM
            CASE WHEN tweak IS NULL THEN tally_reveal(token, rule)
                 ELSE tally_reveal(token, rule, tweak) END;
        SELECT rule FROM cases WHERE token IS DISTINCT FROM
            ({write.format(f"(({read.format('token')})::{sql})")})::numeric;
        """,
    )
    assert done.status == 0, done.errors
    assert done.rows == []


@pytest.mark.parametrize(("sql", "name"), [("uuid", "uuid"), ("inet", "ipv4"), ("inet", "ipv6")])
def test_uuids_and_addresses(
    known: tuple[servers.Server, dict[str, str]], sql: str, name: str
) -> None:
    """They have one notation in SQL: the tokens are those of that text."""
    server, names = known
    checked = 0
    for file in ("formats_presets", "formats_numbers"):
        for case in load(file):
            form = case["format"]
            if (form if isinstance(form, str) else form["type"]) != name or "case" in form:
                continue
            pairs = [
                (value, token)
                for value, token, tweak in cases(case)
                if tweak is None and (sql != "uuid" or ("-" in value and value.count("-") == 4))
            ]
            if not pairs:
                continue
            set_policies(server, {"a": policy(case, names)})
            rows = ", ".join(f"({quoted(v)}::{sql}, {quoted(t)}::{sql})" for v, t in pairs)
            found = server.run(
                f"""SELECT v, t FROM (VALUES {rows}) AS pairs (v, t)
                    WHERE tally_protect(v, 'a.c') <> t OR tally_reveal(t, 'a.c') <> v"""
            )
            assert found.rows == []
            checked += len(pairs)
    assert checked > 5
