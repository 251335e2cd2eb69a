# SPDX-License-Identifier: Apache-2.0
"""SQLite: keys and values are in no file, view or plan; keys are in memory only while open."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.leaks.memory import memory
from tests.leaks.search import holding, seen, text_traces, traces
from tests.sql.places import BUILT

from tallystick.keyring import Keyring, RootKey

VALUE = "5304218897430021"
"""A value that the database reads from a file and writes as a token."""

SQLITE = """
.load {extension}
PRAGMA journal_mode = WAL;
SELECT tally_open('policy.toml', 'keys', 'file:root', 'reveal');
.import --csv --schema temp clear.csv clear
CREATE TABLE t AS SELECT tally_protect('n', n) AS n FROM temp.clear;
CREATE INDEX by_token ON t (n);
ANALYZE;
SELECT count(*) FROM t WHERE tally_reveal('n', n) = 'x';
EXPLAIN QUERY PLAN SELECT tally_reveal('n', n) FROM t;
SELECT * FROM tally_policy;
SELECT * FROM sqlite_schema;
.dump
.print open
"""


@dataclass
class Session:
    """A program that has a database open."""

    process: subprocess.Popen[str]
    said: str = ""

    def until(self, mark: str) -> None:
        """Read what it prints until a line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if line.strip() == mark:
                return
        raise AssertionError(self.said[-2000:])

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()


def start(command: Sequence[str | Path], at: Path) -> Session:
    return Session(
        subprocess.Popen(
            command,
            cwd=at,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    )


def names_in(pid: int, needles: dict[str, set[bytes]]) -> set[str]:
    """Return which secrets are in a process's memory."""
    return {name for mapping in memory(pid) for name in seen(needles, mapping.content)}


def test_secrets_are_nowhere_else(tmp_path: Path) -> None:
    secrets = {name: os.urandom(32) for name in ("used", "other")}
    ring = Keyring.create(tmp_path / "keys", RootKey.generate_file(tmp_path / "root"))
    for name, key in secrets.items():
        ring.add(name, key=key)
    secrets["root"] = bytes.fromhex((tmp_path / "root").read_text())
    (tmp_path / "policy.toml").write_text(
        '[columns]\nn = { format = "digits", key = "used:1", namespace = "n" }\n'
    )
    rows = "\n".join(f"{i * 7919:016d}" for i in range(5000))
    (tmp_path / "clear.csv").write_text(f"n\n{VALUE}\n{rows}\n")
    made = tmp_path / "made"
    made.mkdir()
    session = start(("sqlite3", "-batch", "made/small.db"), tmp_path)
    session.say(SQLITE.format(extension=BUILT / "sqlite" / "tallystick"))
    needles = {name: {secret} for name, secret in secrets.items()}
    needles["root in hex"] = {secrets["root"].hex().encode()}
    forms = {form for secret in secrets.values() for form in traces(secret)}
    try:
        session.until("open")
        assert names_in(session.process.pid, needles) <= {"used"}
        assert holding(forms | text_traces(VALUE), made) == []
        assert not [form for form in forms | {VALUE.encode()} if form in session.said.encode()]
        session.say(".open :memory:\n.print closed\n")
        session.until("closed")
        assert names_in(session.process.pid, needles) == set()
    finally:
        session.process.kill()
        session.process.communicate()
    assert holding(forms | text_traces(VALUE), made) == []
