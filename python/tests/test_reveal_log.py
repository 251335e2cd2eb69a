# SPDX-License-Identifier: Apache-2.0
"""The log of reveals: its chain, who writes it, and that nothing is revealed without it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import tallystick.sql.duckdb
import tallystick.sql.sqlite
from keyring_support import make_ring
from program import set_defaults
from tallystick import Protector, Reveal, RevealLog
from tallystick.cli.main import run
from tallystick.errors import FileError, ParameterError, TallyError
from tallystick.keyring import FileRoot, Keyring, storage
from tallystick.reveal_log import Head, verify

VECTOR = Path(__file__).parents[2] / "vectors" / "reveal_log.ndjson"
RING = "0" * 32


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log of four lines."""
    path = tmp_path / "r.log"
    for rows in range(4):
        RevealLog(path, "ann").append("reveal", ["id", "ü"], rows, RING, 3)
    return path


def test_a_log_that_go_made() -> None:
    assert verify(VECTOR) == Head(3, json.loads(VECTOR.read_text().splitlines()[-1])["hash"])


def test_lines(log: Path) -> None:
    assert log.stat().st_mode & 0o777 == 0o600
    found = entries(log)
    assert [line["line"] for line in found] == [1, 2, 3, 4]
    assert [line["rows"] for line in found] == [0, 1, 2, 3]
    assert {line["who"] for line in found} == {"ann"}
    assert found[0]["columns"] == ["id", "ü"]
    assert verify(log) == Head(4, str(found[-1]["hash"]))
    RevealLog(log).append("reveal", ["id"], None, RING, 3, source="a.csv")
    assert entries(log)[-1]["who"] == f"{os.environ.get('USER', 'root')} ({os.getuid()})"
    assert entries(log)[-1]["source"] == "a.csv"


def edit(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


BROKEN: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda x: [x[0], x[1].replace(b'"rows":1', b'"rows":9'), *x[2:]], "line 2: its hash is wrong"),
    (lambda x: [x[0].replace(b"ann", b"eve"), *x[1:]], "line 1: its hash is wrong"),
    (lambda x: [x[0], *x[2:]], "line 2: has the number 3: lines are missing"),
    (lambda x: x[1:], "line 1: has the number 2"),
    (lambda x: [*x[:2], x[1], *x[2:]], "line 3: has the number 2"),
    (lambda x: [x[1], x[0], *x[2:]], "line 1: has the number 2"),
    (lambda x: [*x[:3], x[3][:-1]], "line 4: is not complete"),
    (lambda x: [*x[:3], x[3][:40]], "line 4: is not complete"),
    (lambda x: [*x[:2], b"\n", *x[2:]], "line 3: is not a line of a log"),
    (lambda x: [*x, b"{}\n"], "line 5: is not a line of a log"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "says"), BROKEN, ids=lambda given: str(given)[:20])
def test_the_first_broken_line_is_named(
    log: Path, change: Callable[[list[bytes]], list[bytes]], says: str
) -> None:
    edit(log, change)
    with pytest.raises(FileError, match=re.escape(says)):
        verify(log)


def test_a_line_with_a_hash_of_its_own_breaks_the_next(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    RevealLog(other, "eve").append("reveal", ["id", "ü"], 0, RING, 3)
    edit(log, lambda lines: [other.read_bytes(), *lines[1:]])
    with pytest.raises(FileError, match="line 2: its hash is wrong"):
        verify(log)


def test_an_anchor_notices_that_the_end_was_cut(log: Path, tmp_path: Path) -> None:
    anchor = tmp_path / "r.anchor"
    whole = log.read_bytes()
    assert verify(log, anchor) == verify(log, anchor)
    assert anchor.stat().st_mode & 0o777 == 0o600
    edit(log, lambda lines: lines[:3])
    verify(log)  # without the anchor nobody notices
    with pytest.raises(FileError, match=r"line 4 is missing, which is in the anchor"):
        verify(log, anchor)
    for _ in range(3):
        RevealLog(log, "eve").append("reveal", ["id"], 7, RING, 3)
    with pytest.raises(FileError, match="line 4 differs from the anchor"):
        verify(log, anchor)
    log.write_bytes(whole)
    RevealLog(log).append("reveal", ["id"], 7, RING, 3)
    assert verify(log, anchor).lines == 5
    log.write_bytes(whole)
    with pytest.raises(FileError, match="line 5 is missing"):
        verify(log, anchor)
    log.write_bytes(b"")
    with pytest.raises(FileError, match="line 5 is missing"):
        verify(log, anchor)
    (link := tmp_path / "link").symlink_to(anchor)
    anchor.unlink()
    log.write_bytes(whole)
    verify(log, link)  # makes what the link leads to
    assert link.is_symlink()
    assert anchor.exists()
    anchor.write_text("{}")
    with pytest.raises(FileError, match="not the anchor of a log"):
        verify(log, anchor)


@pytest.mark.parametrize("there", [True, False])
def test_an_anchor_that_moves_meanwhile(
    log: Path, tmp_path: Path, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never moves backwards, and its line is looked for in the log."""
    anchor = tmp_path / "r.anchor"
    if there:
        verify(log, anchor)
        RevealLog(log).append("reveal", ["id"], 7, RING, 3)
    lines = len(entries(log))
    older = log.read_bytes()
    locked = storage.locked

    def meanwhile(path: Path) -> AbstractContextManager[int]:
        monkeypatch.setattr(storage, "locked", locked)
        RevealLog(log).append("reveal", ["id"], 8, RING, 3)
        assert verify(log, anchor).lines == lines + 1
        if put_back:
            log.write_bytes(older)
        return locked(path)

    put_back = False
    monkeypatch.setattr(storage, "locked", meanwhile)
    assert verify(log, anchor).lines == lines + 1
    assert f'"lines":{lines + 1},' in anchor.read_text()
    RevealLog(log).append("reveal", ["id"], 9, RING, 3)
    lines, older, put_back = lines + 2, log.read_bytes(), True
    monkeypatch.setattr(storage, "locked", meanwhile)
    with pytest.raises(FileError, match=f"line {lines + 1} is missing, which is in the anchor"):
        verify(log, anchor)
    assert f'"lines":{lines + 1},' in anchor.read_text()


def test_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "r.log"
    shared = RevealLog(path)

    def write(number: int) -> None:
        one = shared if number % 2 else RevealLog(path)
        one.append("reveal", ["id"], number, RING, 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(64)))
    assert verify(path).lines == 64
    assert sorted(int(str(line["rows"])) for line in entries(path)) == list(range(64))


def test_a_log_that_can_not_be_written(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, says: str) -> None:
        with pytest.raises(FileError, match=says):
            RevealLog(path).append("reveal", ["id"], 1, RING, 1)

    refused(tmp_path / "none" / "r.log", "No such file")
    refused(tmp_path, "Is a directory")
    (tmp_path / "link").symlink_to(log)
    refused(tmp_path / "link", "symbolic links")
    log.chmod(0o640)
    refused(log, "chmod 600")
    log.chmod(0o600)
    whole = log.read_bytes()
    real, short = os.write, [True]

    def write(handle: int, data: bytes) -> int:
        return real(handle, data[:10]) if short[0] else real(handle, data)

    monkeypatch.setattr(os, "write", write)
    refused(log, "No space left")
    assert log.read_bytes() == whole
    short[0] = False
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "broken disk")))
    refused(log, "broken disk")
    assert log.read_bytes() == whole
    monkeypatch.undo()
    log.write_bytes(whole[:-5])
    refused(log, "last line is not complete")
    with pytest.raises(FileError, match="at most 1048576 bytes"):
        RevealLog(tmp_path / "new.log").append("reveal", ["x" * (1 << 20)], 1, RING, 1)


# Who writes it


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_ring(Path("a.keys"), "people")
    Path("a.toml").write_text(
        '[columns]\nid = { format = "digits", key = "people:1", namespace = "id" }\n'
        'code = { format = "mask" }\n'
    )
    Path("a.csv").write_text("id,code\n12345678,1\n87654321,2\n,3\n")
    set_defaults(monkeypatch, "a.toml", "a.keys")
    assert run(["protect", "a.csv", "b.csv"]) == 0
    return tmp_path


@pytest.mark.usefixtures("place")
def test_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    log = Path("r.log")
    assert run(["reveal", "b.csv", "c.csv", "--reveal-log", "r.log"]) == 0
    monkeypatch.setenv("TALLYSTICK_REVEAL_LOG", "r.log")
    assert run(["preview", "b.csv", "--reveal"]) == 0
    assert run(["preview", "a.csv"]) == 0
    assert run(["reveal", "b.csv", "c.csv"]) == 6  # the target exists
    found = entries(log)
    assert [line["event"] for line in found] == ["begin", "end", "begin", "end", "begin", "failed"]
    ring = Keyring.open("a.keys", FileRoot("root.key"))
    assert {(line["ring"], line["revision"]) for line in found} == {(ring.id, 2)}
    assert {tuple(line["columns"]) for line in found} == {("id",)}  # type: ignore[arg-type]
    assert [line["rows"] for line in found] == [None, 3, None, 3, None, None]
    assert (found[1]["source"], found[1]["target"]) == ("b.csv", "c.csv")
    assert b"12345678" not in log.read_bytes()
    assert run(["reveals", "verify", "r.log", "--anchor", "r.anchor"]) == 0
    assert "6 lines, none is broken" in capsys.readouterr().out
    log.chmod(0o644)
    assert run(["reveal", "b.csv", "d.csv"]) == 6
    assert "nothing is revealed without it" in capsys.readouterr().err
    assert not Path("d.csv").exists()
    assert run(["preview", "b.csv", "--reveal"]) == 6
    out, _ = capsys.readouterr()
    assert "12345678" not in out
    edit(log, lambda lines: lines[:-1])
    assert run(["reveals", "verify", "r.log", "--anchor", "r.anchor"]) == 6


@pytest.mark.usefixtures("place")
def test_a_hook_of_a_service() -> None:
    heard: list[Reveal] = []
    ring = Keyring.open("a.keys", FileRoot("root.key"))
    with Protector.open(on_reveal=heard.append) as protector:
        column = pa.array(["12345678", None])
        tokens = protector.protect_column("id", column)
        table = pa.table({"id": tokens, "code": ["1", "2"]})
        inner = pa.table({"person": pa.StructArray.from_arrays([tokens], names=["id"])})
        assert not heard
        protector.reveal_column("id", tokens)
        protector.reveal(table)
        protector.tokenizer("id").reveal(tokens[0].as_py())
        protector.reveal_column("id", pa.chunked_array([tokens, tokens.slice(0, 1)]))
        assert [one.rows for one in heard] == [2, 2, 1, 2, 1]
        assert {one.columns for one in heard} == {("id",)}
        assert {(one.ring, one.revision) for one in heard} == {(ring.id, 2)}
    nested = Path("n.toml")
    nested.write_text(Path("a.toml").read_text().replace("\nid =", '\n"person.id" ='))
    heard.clear()
    with Protector.open(nested, missing="ignore", on_reveal=heard.append) as protector:
        protector.reveal(inner)
    assert [(one.columns, one.rows) for one in heard] == [(("person.id",), 2)]


@pytest.mark.usefixtures("place")
def test_queries_are_heard() -> None:
    """Those of a protector with a hook; and nothing is revealed if the hook fails."""
    heard: list[Reveal] = []

    def reveals(hook: Callable[[Reveal], None]) -> list[Callable[[], object]]:
        protector = Protector.open(on_reveal=hook)
        token = protector.tokenizer("id").protect("12345678")
        query = f"SELECT tally_reveal('id', '{token}')"
        lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
        tallystick.sql.sqlite.register(lite, protector, reveal=True)
        tallystick.sql.duckdb.register(duck, protector, reveal=True)
        rows = f"SELECT '{token}' AS id, '1' AS code"
        return [
            lambda: lite.execute(query).fetchall(),
            lambda: duck.sql(query).fetchall(),
            lambda: tallystick.sql.duckdb.reveal(duck, rows, protector).fetchall(),
        ]

    for act in reveals(heard.append):
        heard.clear()
        assert "12345678" in str(act())
        assert [(one.columns, one.rows) for one in heard] == [(("id",), 1)]
    for act in reveals(RevealLog("none/r.log")):
        with pytest.raises((sqlite3.OperationalError, duckdb.Error, FileError)):
            act()


@pytest.mark.usefixtures("place")
def test_what_is_refused_is_not_heard() -> None:
    """Without the right to reveal one of the columns; and of a format that is one-way."""
    Keyring.open("a.keys", FileRoot("root.key")).add("people")
    heard: list[Reveal] = []
    rule = '{{ format = "digits", key = "people:{}", namespace = "id" }}'
    lines = [f'"person.{name}" = {rule.format(at)}' for at, name in ((1, "id"), (2, "other"))]
    Path("n.toml").write_text("\n".join(["[columns]", *lines]))
    assert run(["keyring", "rights", "a.keys", "people:2", "--may", "protect"]) == 0
    column = pa.array(["12345678"])
    inner = pa.StructArray.from_arrays([column, column], names=["id", "other"])
    with Protector.open("n.toml", on_reveal=heard.append) as protector:
        acts: list[Callable[[], object]] = [
            lambda: protector.reveal(pa.table({"person": inner})),
            lambda: protector.reveal_column("person.other", column),
        ]
        for act in acts:
            with pytest.raises(TallyError, match="can only protect"):
                act()
    with Protector.open(on_reveal=heard.append) as protector:
        for value in (pa.array(["1"]), "1"):
            with pytest.raises(ParameterError, match="can't be revealed"):
                protector.tokenizer("code").reveal(value)
    assert not heard


@pytest.mark.usefixtures("place")
def test_a_hook_that_fails_lets_nothing_be_revealed() -> None:
    with Protector.open() as protector:
        tokens = protector.protect_column("id", pa.array(["12345678"]))
    with Protector.open(on_reveal=RevealLog("none/r.log")) as protector:
        acts: list[Callable[[], object]] = [
            lambda: protector.reveal_column("id", tokens),
            lambda: protector.reveal(pa.table({"id": tokens, "code": ["1"]})),
            lambda: protector.tokenizer("id").reveal("12345678"),
        ]
        for act in acts:
            with pytest.raises(FileError, match="nothing is revealed"):
                act()
    with Protector.open(on_reveal=RevealLog("r.log", "svc")) as protector:
        assert protector.reveal_column("id", tokens).to_pylist() == ["12345678"]
    assert (entries(Path("r.log"))[0]["who"], verify("r.log").lines) == ("svc", 1)
