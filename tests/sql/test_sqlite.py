# SPDX-License-Identifier: Apache-2.0
"""The extension of SQLite, loaded by the program sqlite3."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.sql.places import BUILT, VECTORS, Place, limited, quoted, wrong_places

from tallystick.keyring.names import Rights

EXTENSION = BUILT / "sqlite" / "tallystick"


def run(
    *statements: str, database: str = ":memory:", environment: dict[str, str] | None = None
) -> tuple[list[list[dict[str, Any]]], str]:
    """Run statements in a new connection; return rows by statement, and the error."""
    script = "\n".join([f".load {EXTENSION}", *(f"{statement};" for statement in statements)])
    done = subprocess.run(
        ["sqlite3", "-batch", "-bail", "-json", database],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | (environment or {}),
    )
    assert done.returncode in (0, 1), done
    decoder, rows, at = json.JSONDecoder(), [], 0
    while at < len(done.stdout.rstrip()):
        found, end = decoder.raw_decode(done.stdout, at)
        rows.append(found)
        at = end + 1
    return rows, done.stderr


def one(place: Place, expression: str, right: str = ", 'reveal'") -> object:
    rows, error = run(
        f"SELECT tally_open({place.arguments}{right}) AS n", f"SELECT {expression} AS x"
    )
    assert not error, error
    return rows[1][0]["x"]


def fails(place: Place, *statements: str, right: str = ", 'reveal'") -> str:
    _, error = run(f"SELECT tally_open({place.arguments}{right})", *statements)
    assert error
    return error


def test_the_vectors(place: Place) -> None:
    wanted, statements = [], [f"SELECT tally_open({place.arguments}, 'reveal') AS n"]
    for number, vector in enumerate(VECTORS):
        for pair in vector["tokens"]:
            if "\0" in pair["value"] or "tweak" in pair:
                continue
            value, token = quoted(pair["value"]), quoted(pair["token"])
            back = f"tally_reveal('v{number}', {token})"
            if place.protector.rules[f"v{number}"].form.one_way:
                back = "NULL"
            statements.append(f"SELECT tally_protect('v{number}', {value}) AS t, {back} AS v")
            wanted.append({"t": pair["token"], "v": None if back == "NULL" else pair["value"]})
    rows, error = run(*statements)
    assert not error, error
    assert rows[0] == [{"n": len(place.protector.rules)}]
    assert [row[0] for row in rows[1:]] == wanted
    assert len(wanted) > 60


def test_tokens_are_those_of_python(place: Place) -> None:
    values: list[tuple[str, str | int, Any]] = [
        ("card", "4111111111111111", None),
        ("email", "zoe.grant@example.com", None),
        ("born", "2000-02-29", None),
        ("points", 123456, None),
        ("points", "123456", None),
        ("name", "Zoe", 7),
        ("name", "Zoe", "7"),
        ("name", "Zoe", ""),
        ("a b.c", "12345", None),
        ("naïve", "abcde", None),
        ("nulled", "é", None),
        ("kept", "é", None),
        ("hidden", "secret", None),
        ("number", "7" * 90, None),
    ]
    for column, value, tweak in values:
        tokenizer = place.protector.tokenizer(column)
        literal = quoted(value) if isinstance(value, str) else str(value)
        arguments = f"{quoted(column)}, {literal}"
        if tweak is not None:
            arguments += f", {quoted(tweak) if isinstance(tweak, str) else tweak}"
        token = tokenizer.protect(value) if tweak is None else tokenizer.protect(value, str(tweak))
        assert one(place, f"tally_protect({arguments})") == token, column


def test_nulls(place: Place) -> None:
    assert one(place, "tally_protect('card', NULL) IS NULL AND tally_reveal('card', NULL) IS NULL")
    assert one(place, "tally_protect('name', NULL, NULL) IS NULL")
    assert one(place, "tally_protect('kept_tweaked', '1234567', NULL)") == "1234567"
    assert one(place, "tally_protect('kept', 'x y')") == "x y"
    assert "tweak is null" in fails(place, "SELECT tally_protect('name', 'Zoe', NULL)")


SECRET = "4111 1111 1111 111x"  # noqa: S105


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (f"tally_protect('card', {quoted(SECRET)})", "tally_protect('card', ...): invalid value: "),
        (f"tally_reveal('card', {quoted(SECRET)})", "it can't be a token of this policy"),
        (f"tally_protect({quoted(SECRET)}, 'card')", "the first must be one of 'card', 'number'"),
        ("tally_protect(NULL, 'card')", "the first must be one of"),
        ("tally_protect(7, 'card')", "the first must be one of"),
        (f"tally_protect('card', {quoted(SECRET)}, 1)", "the column has no tweak"),
        (f"tally_protect('name', {quoted(SECRET)})", "the third argument must be the tweak, 'id'"),
        ("tally_protect('name', 'Zoe', 1.5)", "tweaks must be TEXT, BLOB or INTEGER"),
        ("tally_protect('points', 41111.5)", "values must be TEXT or INTEGER"),
        ("tally_protect('card', x'41111111')", "values must be TEXT or INTEGER"),
        ("tally_protect('email', 41111111)", "tally_protect('email', ...): "),
        ("tally_protect('points', 4111111111)", "invalid value"),
        ("tally_reveal('pseudonym', '4111111')", "can't be revealed"),
        ("tally_protect('number', printf('%.*c', 2000000, '4'))", "has more than 1 MiB"),
    ],
)
def test_errors_say_why_and_never_the_value(place: Place, expression: str, message: str) -> None:
    said = fails(place, f"SELECT {expression}").lower()
    assert message.lower() in said
    # The program prints the statement's text below the error, so only the first line is ours.
    assert "4111" not in said.splitlines()[0]


def test_nothing_is_revealed_without_the_right(place: Place) -> None:
    error = fails(place, "SELECT tally_reveal('card', '4111111111111111')", right="")
    assert "opened to protect alone" in error
    # What a connection has opened it keeps: SQL can't take the right later.
    again = f"SELECT tally_open({place.arguments}, 'reveal')"
    assert "has a policy open already" in fails(place, again, right="")
    for call in ("tally_protect('card', '1')", "tally_reveal('card', '1')", "* FROM tally_policy"):
        assert "tally_open(POLICY, RING, ROOT) first" in run(f"SELECT {call}")[1]


def test_rights_of_a_key(place: Place, tmp_path: Path) -> None:
    token = place.protector.tokenizer("number").protect("12345")
    calls = {
        "protect": "tally_protect('number', '12345')",
        "reveal": f"tally_reveal('number', '{token}')",
    }
    results = {"protect": token, "reveal": "12345"}
    rights: tuple[Rights, Rights] = ("protect", "reveal")
    for allowed, refused in (rights, rights[::-1]):
        arguments = limited(place, tmp_path, allowed)
        start = f"SELECT tally_open({arguments}, 'reveal') AS n"
        rows, error = run(start, f"SELECT {calls[allowed]} AS x")
        assert (rows[1], error) == ([{"x": results[allowed]}], "")
        _, error = run(start, f"SELECT {calls[refused]} AS x")
        assert f"tally_{refused}('number', ...): the key may only {allowed}" in error
        assert not set(results.values()) & set(error.split("'"))


HOSTILE = {
    "view": "CREATE VIEW v AS SELECT {} AS x",
    "trigger": "CREATE TABLE v (x); CREATE TRIGGER t BEFORE INSERT ON v BEGIN SELECT {}; END",
    "index": "CREATE TABLE v (x); CREATE INDEX i ON v ({})",
    "partial index": "CREATE TABLE v (x); CREATE INDEX i ON v (x) WHERE {} = 'x'",
    "default": "CREATE TABLE v (x, y DEFAULT ({}))",
    "check": "CREATE TABLE v (x CHECK ({} IS NOT NULL))",
    "generated column": "CREATE TABLE v (x, y AS ({}))",
}
USE = {"view": "SELECT * FROM v"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_database_of_somebody_else_can_not_reveal(
    place: Place, tmp_path: Path, kind: str
) -> None:
    """It was made where functions of these names do no harm."""
    use = USE.get(kind, "INSERT INTO v (x) VALUES ('4111111111111111')")
    calls = {
        "reveal": "tally_reveal('card', '4111111111111111')",
        "open": f"tally_open({place.arguments}, 'reveal')",
        "protect": "tally_protect('card', '4111111111111111')",
    }
    for name, call in calls.items():
        database = tmp_path / name
        with closing(sqlite3.connect(database)) as connection:
            connection.create_function(f"tally_{name}", -1, lambda *_: "", deterministic=True)
            connection.executescript(HOSTILE[kind].format(call))
        opens = f"SELECT tally_open({place.arguments}, 'reveal') AS n"
        made, error = run(opens, use, "SELECT 1 AS done", database=str(database))
        if name == "protect":  # is allowed, unless the program does not trust schemas
            assert not error
            made, error = run(opens, "PRAGMA trusted_schema = OFF", use, database=str(database))
        assert "unsafe use of tally_" in error, (name, made)


def test_a_view_can_not_show_the_policy(place: Place) -> None:
    view = "CREATE VIEW v AS SELECT * FROM tally_policy"
    assert "unsafe use" in fails(place, view, "SELECT * FROM v")


def test_an_index_on_tokens(place: Place, tmp_path: Path) -> None:
    opens = f"SELECT tally_open({place.arguments}) AS n"
    made = (
        "CREATE TABLE t (card)",
        "CREATE INDEX by_token ON t (tally_protect('card', card))",
        "INSERT INTO t VALUES ('4111111111111111')",
    )
    rows, error = run(
        opens,
        *made,
        "SELECT count(*) AS n FROM t WHERE tally_protect('card', card) = "
        "tally_protect('card', '4111111111111111')",
    )
    assert not error
    assert rows[1] == [{"n": 1}]
    plan = "EXPLAIN QUERY PLAN SELECT * FROM t WHERE tally_protect('card', card) = '4'"
    database = str(tmp_path / "database")
    run(opens, *made, database=database)
    shown = subprocess.run(
        ["sqlite3", "-batch", database],
        input=f".load {EXTENSION}\n{opens};\n{plan};\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "by_token" in shown.stdout


def test_the_table_of_the_policy(place: Place) -> None:
    rows, error = run(f"SELECT tally_open({place.arguments}) AS n", "SELECT * FROM tally_policy")
    assert not error
    assert [row["name"] for row in rows[1]] == list(place.protector.rules)
    assert rows[1][8] == {
        "name": "name",
        "format": "letters",
        "cipher": "fast",
        "key": "k:1",
        "namespace": "name",
        "tweak": "id",
        "on_invalid": "error",
        "one_way": 0,
    }
    assert {row["name"]: row["one_way"] for row in rows[1]}["hidden"] == 1
    joined = "SELECT name FROM tally_policy JOIN (SELECT 'born' AS n) ON name = n"
    assert one(place, f"({joined})") == "born"


def test_what_can_not_be_opened(place: Place, tmp_path: Path) -> None:
    key = Path(place.root.removeprefix("file:")).read_text().strip()
    for wrong, (policy, ring, root, message) in wrong_places(place, tmp_path).items():
        arguments = ", ".join(map(quoted, (policy, ring, root)))
        _, error = run(f"SELECT tally_open({arguments})")
        said = error.splitlines()[0]
        assert "tally_open: " in said, wrong
        assert message in said, wrong
        assert key not in said, wrong


def test_wrong_arguments(place: Place) -> None:
    policy, ring = quoted(place.policy), quoted(place.ring)
    assert "must be TEXT" in run(f"SELECT tally_open({policy}, {ring}, NULL)")[1]
    assert "must be TEXT" in run(f"SELECT tally_open({policy}, {ring}, 1)")[1]
    nul = f"SELECT tally_open({policy} || char(0) || 'x', {ring}, {quoted(place.root)})"
    assert "must be TEXT" in run(nul)[1]
    assert "'reveal' or missing" in run(f"SELECT tally_open({place.arguments}, 'all')")[1]


def test_the_root_key_of_a_variable(place: Place) -> None:
    key = Path(place.root.removeprefix("file:")).read_text()
    paths = f"{quoted(place.policy)}, {quoted(place.ring)}, 'env:ROOT_KEY'"
    rows, error = run(
        f"SELECT tally_open({paths}) AS n",
        "SELECT tally_protect('number', '12345') AS x",
        environment={"ROOT_KEY": key},
    )
    assert not error
    assert rows[1] == [{"x": place.protector.tokenizer("number").protect("12345")}]


def test_rings_of_passphrases_and_shares(place: Place, tmp_path: Path) -> None:
    ring = json.loads(Path(place.ring).read_text())
    ring["roots"] = [{"kind": "scrypt", "salt": "00" * 16, "n": 1 << 17, "r": 8, "p": 1}]
    (tmp_path / "ring").write_text(json.dumps(ring, indent=2) + "\n")
    paths = map(quoted, (place.policy, str(tmp_path / "ring"), place.root))
    assert "comes from a passphrase" in run(f"SELECT tally_open({', '.join(paths)})")[1]


def test_an_interrupt_in_mid_query(place: Place) -> None:
    script = f""".load {EXTENSION}
SELECT tally_open({place.arguments});
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000)
SELECT count(tally_protect('points', i % 1000000)) FROM n;
"""
    with subprocess.Popen(
        ["sqlite3", "-batch", ":memory:"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        process.stdin.write(script)
        process.stdin.flush()
        assert process.stdout
        assert process.stdout.readline().strip() == str(len(place.protector.rules))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        assert "interrupted" in process.stderr.read()  # type: ignore[union-attr]
        assert process.wait(30) >= 0


def test_no_memory(place: Place, no_memory: Path, tmp_path: Path) -> None:
    """Each allocation of the extension fails once: the query fails, and the process lives."""
    statements = (
        f"SELECT tally_open({place.arguments}, 'reveal') AS n",
        "SELECT tally_reveal('card', tally_protect('card', '4111111111111111')) AS x",
    )
    log = tmp_path / "failed"
    at, step = 1, 1
    while True:
        log.unlink(missing_ok=True)
        environment = {
            "LD_PRELOAD": str(no_memory),
            "FAIL_OBJECT": "tallystick.so",
            "FAIL_AT": str(at),
            "FAIL_LOG": str(log),
        }
        rows, error = run(*statements, environment=environment)
        if not log.exists():
            break
        # A cache that was not made is no error.
        if error:
            assert "out of memory" in error or "error during initialization" in error, (at, error)
        else:
            assert rows[1] == [{"x": "4111111111111111"}], at
        if at >= 40:
            step = 1 + at // 8
        at += step
    assert at > 40
    assert not error
