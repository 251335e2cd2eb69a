# SPDX-License-Identifier: Apache-2.0
"""The command line: each command, exit code and result, and what it never shows or leaves.

What needs a process, a terminal or a signal runs the installed program; all else calls `run`.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from files_support import save
from keyring_support import PHRASE, listing, make_ring
from program import NO_ROOM, PROGRAM, into_full_device, json_of, on_terminal
from tallystick import protection
from tallystick._core import ffi, lib
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.formats import PRESETS
from tallystick.keyring import Keyring, RootKey

ROOT = Path(__file__).resolve().parents[2]

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:1", namespace = "name", on_invalid = "keep" }
"""
PEOPLE = "id,name,note\n1234567,Anne,a\n12345,,b\n7654321,Jürgen,c\n1234567,L,d\n"
SMALL_FILES = {"people.csv", "people.toml", "people.keys", "root.key"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a policy, a key ring, its root key and a file."""
    directory = tmp_path_factory.mktemp("home")
    (directory / "people.toml").write_text(POLICY)
    (directory / "people.csv").write_text(PEOPLE)
    make_ring(directory / "people.keys", "people")
    return directory


SETTINGS = {
    "TALLYSTICK_POLICY": "people.toml",
    "TALLYSTICK_KEYRING": "people.keys",
    "TALLYSTICK_ROOT": "file:root.key",
}


@pytest.fixture
def place(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of that directory, with the environment set."""
    directory = tmp_path / "place"
    shutil.copytree(home, directory)
    monkeypatch.chdir(directory)
    for name in ("COLUMNS", "FORCE_COLOR", "TALLYSTICK_DEBUG", "TERMINAL_WIDTH"):
        monkeypatch.delenv(name, raising=False)
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    return directory


Captured = pytest.CaptureFixture[str]


def program(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program in a pipe, with more in its environment."""
    return subprocess.run(
        [PROGRAM, *arguments],
        env={**os.environ, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


# Commands.


LONG = "x" * 300  # more than a name may have, so that nothing of it can be looked at
TWO = ("--shares=2", "--threshold=2")
HOLDERS = ("--holder", "Ana", "--holder", "Bo")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("keyring", "new", "new.keys", "--root", f"file:{LONG}"), ExitCode.KEYRING),
        (("keyring", "new", LONG, "--root", "file:root.key"), ExitCode.KEYRING),
        (("keyring", "list", LONG), ExitCode.KEYRING),
        (
            ("keyring", "split", "people.keys", "--threshold=2", "--into", LONG, *HOLDERS),
            ExitCode.KEYRING,
        ),
        (("inspect", "people.csv", "--write-policy", LONG), ExitCode.OK),  # there is none to write
        (("inspect", f"{LONG}.csv"), ExitCode.FILE),
        (("check", f"{LONG}.csv"), ExitCode.FILE),
        (("check", "people.csv", "--policy", LONG), ExitCode.POLICY),
        (("protect", f"{LONG}.csv", "new.csv", "--report", "new.html"), ExitCode.FILE),
        (("protect", "people.csv", f"{LONG}.csv"), ExitCode.FILE),
        (("protect", "people.csv", "new.csv", "--report", LONG), ExitCode.FILE),
        (("share", "split", "people.csv", *TWO, "--into", LONG), ExitCode.FILE),
        (("share", "split", "people.csv", *TWO, "--name", LONG), ExitCode.FILE),
        (("share", "combine", LONG, "--to", "new"), ExitCode.FILE),
        (("share", "combine", "people.csv", "--to", LONG), ExitCode.FILE),
        (("share", "info", LONG), ExitCode.FILE),
    ],
)
def test_names_that_no_file_can_have(
    place: Path, capsys: Captured, arguments: tuple[str, ...], code: ExitCode
) -> None:
    before = listing(place)
    assert run([*arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert ("error" in json.loads(out)) is (code != ExitCode.OK)
    assert "unexpected" not in err
    assert listing(place) == before


def test_protect_and_reveal(place: Path, capsys: Captured) -> None:
    assert run(["protect", "people.csv", "tokens.csv"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert "warning: column 'name': 1 invalid value kept in clear" in err
    assert re.fullmatch(
        r"protect: 4 rows, 2 columns, \d+ bytes in [\d.]+ s: tokens\.csv", lines[-1]
    )
    assert run(["reveal", "tokens.csv", "back.csv"]) == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("reveal: 4 rows, 2 columns")
    assert (place / "back.csv").read_text() == PEOPLE
    assert "1234567" not in (place / "tokens.csv").read_text()
    assert stat.S_IMODE((place / "back.csv").stat().st_mode) == 0o600
    made = {"tokens.csv", "tokens.csv.tallystick.json", "back.csv"}
    assert listing(place) == SMALL_FILES | made


@pytest.mark.parametrize("command", ["protect", "reveal"])
def test_result_of_a_run(place: Path, capsys: Captured, command: str) -> None:
    result = json_of(capsys, command, "people.csv", "b.csv")
    assert "report" not in result
    files = (result["source"], result["target"])
    assert (result["command"], *files) == (command, "people.csv", "b.csv")
    assert result["rows"] == 4
    assert result["bytes_in"] == result["bytes_out"] == len(PEOPLE.encode())
    assert 0 < result["seconds"] < 60
    assert result["columns"] == {
        "id": {"rows": 4, "nulls": 0, "invalid": {}, "small_domain": 1},
        "name": {"rows": 4, "nulls": 1, "invalid": {"foreign": 1, "short": 1}, "small_domain": 1},
    }


def test_parquet(place: Path, capsys: Captured) -> None:
    table = pa.table({"id": ["1234567", None], "name": ["Anne", "Bob"], "x": [1, 2]})
    pq.write_table(table, place / "people.parquet")
    result = json_of(capsys, "protect", "people.parquet", "tokens.parquet")
    assert (result["rows"], result["columns"]["id"]["nulls"]) == (2, 1)
    json_of(capsys, "reveal", "tokens.parquet", "back.parquet")
    assert pq.read_table(place / "back.parquet").equals(table)
    assert not pq.read_table(place / "tokens.parquet").equals(table)


def test_the_kind_of_a_file_can_be_given(place: Path, capsys: Captured) -> None:
    (place / "people").write_text(PEOPLE)
    assert run(["protect", "people", "tokens"]) == ExitCode.FILE
    assert "the kind of file is unknown" in capsys.readouterr().err
    assert run(["protect", "people", "tokens", "--type", "csv", "--quiet"]) == 0
    assert run(["preview", "people", "--type", "csv"]) == 0


def test_overwrite(place: Path, capsys: Captured) -> None:
    assert run(["protect", "people.csv", "people.csv"]) == ExitCode.FILE
    assert "people.csv exists" in capsys.readouterr().err
    assert (place / "people.csv").read_text() == PEOPLE
    assert run(["protect", "people.csv", "people.csv", "--overwrite"]) == 0
    assert run(["reveal", "people.csv", "people.csv", "--overwrite"]) == 0
    assert (place / "people.csv").read_text() == PEOPLE


@pytest.mark.parametrize("threads", [["--threads", "1"], ["-t", "2"], ["--threads", "999"], []])
def test_threads(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, threads: list[str]
) -> None:
    given: list[int | None] = []
    protect = protection.protect_file

    def spy(*given_to: Any) -> Any:  # noqa: ANN401
        given.append(given_to[-1].threads)
        assert pa.cpu_count() <= (given[0] or pa.cpu_count()), "Arrow takes no more"
        return protect(*given_to)

    monkeypatch.setattr(protection, "protect_file", spy)
    before = pa.cpu_count()
    assert run(["protect", "people.csv", "tokens.csv", *threads]) == 0
    assert given == [int(threads[1]) if threads else None]
    assert pa.cpu_count() == before
    assert run(["reveal", "tokens.csv", "back.csv", *threads]) == 0
    assert (place / "back.csv").read_text() == PEOPLE


NEEDED = {
    "people.keys": "key ring",
    "root.key": "root key",
    "people.toml": "policy",
    "people.anchor": "anchor",
    "reveals.log": "reveal log",
    "x/share.txt": "share of the root key",
}


@pytest.mark.parametrize("command", ["protect", "reveal", "rotate", "--to", "--report"])
@pytest.mark.parametrize("target", NEEDED)
def test_no_file_that_the_run_needs_is_replaced(
    place: Path, capsys: Captured, command: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "x").mkdir()
    (place / "x" / "share.txt").write_text("a share")
    (place / "reveals.log").touch(0o600)
    (place / "link").symlink_to(target)
    monkeypatch.setenv("TALLYSTICK_REVEAL_LOG", "reveals.log")
    (place / "people.anchor").touch()
    monkeypatch.setenv("TALLYSTICK_ANCHOR", "people.anchor")
    if target == "x/share.txt":
        monkeypatch.setenv("TALLYSTICK_ROOT", "shares:x,-")
    before = (place / target).read_bytes()
    arguments = {
        "--to": ["reveal", f"y/{target}", "--to", str((place / target).parent)],
        "--report": ["reveal", "people.csv", "new.csv", "--report", "link"],
        "rotate": ["rotate", "people.csv", "link", "--key", "people:1=people:2"],
    }.get(command, [command, "people.csv", "link"])
    if command == "--to":
        (place / "y" / "x").mkdir(parents=True)
        (place / "y" / target).write_text(PEOPLE)
    assert run([*arguments, "--overwrite", "--type", "csv"]) == ExitCode.FILE
    err = capsys.readouterr().err
    assert f"would replace the {NEEDED[target]}; choose another name" in err
    assert (place / target).read_bytes() == before


@pytest.mark.parametrize("root", ["shares", "shares:", "file:", "shares:-"])
def test_a_root_without_a_path_needs_no_file(
    place: Path, capsys: Captured, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLYSTICK_ROOT", root)
    (place / "new.csv").touch()
    assert run(["protect", "people.csv", "new.csv", "--overwrite"]) != 0
    assert "would replace" not in capsys.readouterr().err


def test_quiet_leaves_warnings(place: Path, capsys: Captured) -> None:
    assert run(["protect", "people.csv", "tokens.csv", "-q"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert {line.partition(":")[0] for line in err.splitlines()} == {"warning"}


def test_small_domains_are_warned_of_when_protecting(place: Path, capsys: Captured) -> None:
    small = "warning: column 'id': 1 value of a small domain (fewer than 1,000,000 values); "
    assert run(["protect", "people.csv", "tokens.csv"]) == 0
    assert small in capsys.readouterr().err
    assert run(["reveal", "tokens.csv", "back.csv"]) == 0
    assert "domain" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["arrow", "arrows", "parquet"])
def test_metadata_in_clear_is_named(place: Path, capsys: Captured, kind: str) -> None:
    metadata = {"PARQUET:field_id": "1", "least": "1234567"}
    fields = [pa.field(name, pa.string(), metadata=metadata) for name in ("id", "name", "note")]
    of_pandas = '{"columns": [{"metadata": {"ordered": false}}], "attributes": {}}'
    schema = pa.schema(fields, {"pandas": of_pandas, "made by": "us"})
    table = pa.table({"id": ["1234567"], "name": ["Anne"], "note": ["a"]}, schema)
    save(table, place / f"some.{kind}")
    command = ["protect", f"some.{kind}", f"out.{kind}", "--overwrite"]
    assert run(command) == 0
    err = capsys.readouterr().err
    assert "metadata in clear: 'made by', 'id: least', 'name: least' (3 keys)\n" in err
    assert run([*command, "--quiet"]) == 0
    assert "metadata" not in capsys.readouterr().err
    assert run([*command, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["metadata"] == ["made by", "id: least", "name: least"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tokens_that_may_be_formulas_are_warned_of(
    place: Path, capsys: Captured, kind: str
) -> None:
    names = {"a": '"ascii"', "b": '{ type = "ascii", keep_first = 1 }', "c": '"digits"'}
    columns = "".join(
        f'{name} = {{ format = {form}, key = "people:1", namespace = "x" }}\n'
        for name, form in names.items()
    )
    (place / "some.toml").write_text(f'mixed_formats = ["x"]\n[columns]\n{columns}')
    (place / "some.csv").write_text("a,b,c\nabcd,abcd,1234\n")
    pq.write_table(pa.table({name: ["1234"] for name in names}), place / "some.parquet")
    assert run(["protect", f"some.{kind}", f"tokens.{kind}", "--policy", "some.toml"]) == 0
    err = capsys.readouterr().err
    warned = [line for line in err.splitlines() if "spreadsheets read as a formula" in line]
    assert [line.partition(":")[2].split(":")[0] for line in warned] == (
        [" column 'a'"] if kind == "csv" else []
    )


def test_values_that_became_null_are_warned_of(place: Path, capsys: Captured) -> None:
    (place / "people.toml").write_text(POLICY.replace("keep", "null"))
    assert run(["protect", "people.csv", "tokens.csv"]) == 0
    err = capsys.readouterr().err
    assert err.count("warning: column 'name': 1 invalid value replaced by null") == 2
    assert (place / "tokens.csv").read_text().count(",,") == 3


def test_preview(place: Path, capsys: Captured) -> None:
    result = json_of(capsys, "preview", "people.csv", "--rows", "3")
    assert set(result) == {"command", "source", "columns", "marker", "unlisted", "kept"}
    assert set(result["columns"]) == {"id", "name"}
    for column in result["columns"].values():
        assert set(column) == {"before", "after", "problems"}
        assert {len(rows) for rows in column.values()} == {3}
    assert result["columns"]["name"]["before"] == ["Anne", None, "Jürgen"]
    assert result["columns"]["name"]["after"][1:] == [None, "Jürgen"]
    assert result["columns"]["name"]["problems"][:2] == [None, None]
    assert "does not allow there" in result["columns"]["name"]["problems"][2]
    assert run(["preview", "people.csv", "-n", "3"]) == 0
    out, err = capsys.readouterr()
    assert err == "warning: not protected, in clear: 'note' (1 column)\n"
    for text in (*result["columns"]["id"]["after"], "Anne", "null", "invalid: "):
        assert text in out
    assert listing(place) == SMALL_FILES


def test_columns_that_pass_in_clear_are_reported(place: Path, capsys: Captured) -> None:
    result = json_of(capsys, "protect", "people.csv", "tokens.csv")
    assert (result["unlisted"], result["kept"]) == (["note"], [])
    for command in (["protect", "people.csv", "other.csv"], ["preview", "people.csv"]):
        assert run([*command, "--strict"]) == ExitCode.POLICY
        assert "and does not name 'note' (1 column)" in capsys.readouterr().err
    (place / "people.toml").write_text('unlisted = "error"\nkeep = ["note"]\n' + POLICY)
    assert run(["protect", "people.csv", "other.csv", "--strict"]) == 0
    assert "in clear, as the policy says: 'note' (1 column)" in capsys.readouterr().err
    assert run(["protect", "people.csv", "third.csv", "--quiet"]) == 0
    assert "in clear, as" not in capsys.readouterr().err


def test_markers_are_checked_unless_disabled(place: Path, capsys: Captured) -> None:
    assert run(["protect", "people.csv", "tokens.csv"]) == 0
    assert (
        "people.csv has no marker: it was not checked whether it is not protected"
        in capsys.readouterr().err
    )
    assert run(["protect", "tokens.csv", "twice.csv"]) == ExitCode.POLICY
    assert "marker says that column 'id' is protected already" in capsys.readouterr().err
    assert run(["protect", "tokens.csv", "twice.csv", "--ignore-marker", "--no-marker"]) == 0
    assert "tokens.csv has a marker, which was ignored" in capsys.readouterr().err
    assert not (place / "twice.csv.tallystick.json").exists()
    assert json_of(capsys, "reveal", "tokens.csv", "back.csv")["marker"] == "checked"
    assert json_of(capsys, "reveal", "twice.csv", "once.csv")["marker"] == "none"
    ignored = json_of(capsys, "preview", "tokens.csv", "--reveal", "--ignore-marker")
    assert ignored["marker"] == "ignored"


def test_preview_of_tokens(place: Path, capsys: Captured) -> None:
    there = json_of(capsys, "preview", "people.csv")["columns"]["id"]
    json_of(capsys, "protect", "people.csv", "tokens.csv")
    back = json_of(capsys, "preview", "tokens.csv", "--reveal")["columns"]["id"]
    assert (back["before"], back["after"]) == (there["after"], there["before"])


def test_preview_does_not_speak_to_the_terminal(place: Path, capsys: Captured) -> None:
    hostile = "\x1b[2J:smile:[red]x[/red]\x07\x9b31m"
    (place / "people.csv").write_text(f"id,name\n1234567,{hostile}\n")
    assert run(["preview", "people.csv"]) == 0
    out = capsys.readouterr().out
    assert "\\x1b[2J:smile:[red]x[/red]\\x07\\x9b31m" in out
    assert not set(out) & set(hostile) - set(map(chr, range(32, 127)))


def test_preview_shows_names_as_they_are(place: Path, capsys: Captured) -> None:
    (place / "[red]:smile:.csv").write_text(PEOPLE)
    assert run(["preview", "[red]:smile:.csv"]) == 0
    assert "[red]:smile:.csv" in capsys.readouterr().out


def test_preview_cuts_nothing_on_a_narrow_terminal(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    digits = "".join(str(n % 10) for n in range(90))
    (place / "people.csv").write_text(f"id,name\n{digits},\n")
    after = json_of(capsys, "preview", "people.csv")["columns"]["id"]["after"][0]
    assert run(["preview", "people.csv"]) == 0
    rows = [line.split("│")[3:5] for line in capsys.readouterr().out.splitlines() if "│" in line]
    whole = ["".join(cells).replace(" ", "") for cells in zip(*rows, strict=True)]
    assert whole[0].startswith(digits)
    assert whole[1].startswith(after)


def test_formats(place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name)
    rows = json_of(capsys, "formats")["formats"]
    assert [row["format"] for row in rows] == list(PRESETS)
    for row in rows:
        assert set(row) == {"format", "about", "value", "token"}
        assert row["about"].endswith(".")
        others = {"decimal", "integer", "ipcrypt", "ipv4", "ipv6"}
        others |= {"pseudonym", "bucket", "truncate"}
        if row["format"] not in others:
            assert len(row["token"]) == len(row["value"])
    assert run(["formats"]) == 0
    out = capsys.readouterr().out
    assert all(row["value"] in out and row["about"] in out for row in rows), "nothing is cut"
    again = json_of(capsys, "formats")["formats"]
    assert rows != again, "the key is not a fixed one"


def test_keyring(place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLYSTICK_ROOT", "file:new.key")
    monkeypatch.delenv("TALLYSTICK_KEYRING")
    fields = {"keyring": "new.keys", "root": "file:new.key", "root_made": True}
    made = {"command": "keyring new", **fields}
    assert json_of(capsys, "keyring", "new", "new.keys") == made
    for name in ("new.key", "new.keys"):
        assert stat.S_IMODE((place / name).stat().st_mode) == 0o600
    root = (place / "new.key").read_bytes()
    again = made | {"keyring": "other.keys", "root_made": False}
    assert json_of(capsys, "keyring", "new", "other.keys") == again
    assert (place / "new.key").read_bytes() == root
    for version in (1, 2):
        added = {"command": "keyring add", "keyring": "new.keys", "key": f"people:{version}"}
        assert json_of(capsys, "keyring", "add", "new.keys", "people") == added
    json_of(capsys, "keyring", "add", "new.keys", "cards", "--bits", "128")
    listed = json_of(capsys, "keyring", "list", "new.keys")
    assert listed["keyring"] == "new.keys"
    created = [key.pop("created") for key in listed["keys"]]
    assert all(datetime.fromisoformat(text).utcoffset() is not None for text in created)
    assert listed["keys"] == [
        {"name": "people", "version": 1, "bits": 256, "rights": "protect reveal"},
        {"name": "people", "version": 2, "bits": 256, "rights": "protect reveal"},
        {"name": "cards", "version": 1, "bits": 128, "rights": "protect reveal"},
    ]
    assert run(["keyring", "list", "new.keys"]) == 0
    out = capsys.readouterr().out
    assert all(text in out for text in ("people:1", "people:2", "cards:1", "128", *created))
    ring = Keyring.open(place / "new.keys", RootKey.parse("file:new.key"))
    assert len(ring.key("cards:1")) == 16


def test_keyring_in_words(place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLYSTICK_ROOT", "file:[red]new.key")
    monkeypatch.setenv("TALLYSTICK_KEYRING", f"{'long' * 40}.keys")
    assert run(["keyring", "new"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("made a root key: file:[red]new.key ")
    assert second == f"made a key ring: {'long' * 40}.keys"
    assert run(["keyring", "add", f"{'long' * 40}.keys", "people"]) == 0
    assert capsys.readouterr().out == "added key people:1: this is its name in policies\n"
    assert run(["keyring", "list"]) == 0


def test_a_ring_that_exists_gets_no_new_root_key(place: Path, capsys: Captured) -> None:
    before = (place / "people.keys").read_bytes()
    assert run(["keyring", "new", "people.keys", "--root", "file:other.key"]) == ExitCode.KEYRING
    assert "people.keys: exists already" in capsys.readouterr().err
    assert (place / "people.keys").read_bytes() == before
    assert listing(place) == SMALL_FILES


def test_the_core_has_the_version_of_the_package() -> None:
    assert ffi.string(lib.tally_version()).decode("ascii") == tallystick.__version__


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "tallystick", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"tallystick {tallystick.__version__}\n"


def test_version_and_help(place: Path, capsys: Captured) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"tallystick {tallystick.__version__}\n"
    for command in ([], ["keyring"], ["protect"], ["keyring", "add"]):
        assert run([*command, "--help"]) == 0
        out, err = capsys.readouterr()
        assert "Usage: tallystick " + " ".join(command) in out
        assert err == ""


# Settings.


def test_options_come_before_the_environment(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SETTINGS:
        monkeypatch.setenv(name, "file:nowhere")
    options = ["--policy", "people.toml", "--keyring", "people.keys", "--root", "file:root.key"]
    assert run(["protect", "people.csv", "a.csv", *options]) == 0
    short = ["-p", "people.toml", "-k", "people.keys", "-r", "file:root.key"]
    assert run(["protect", "people.csv", "b.csv", *short]) == 0
    assert (place / "a.csv").read_bytes() == (place / "b.csv").read_bytes()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_is_missing(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv(name)
    assert run(["protect", "people.csv", "a.csv"]) == ExitCode.USAGE
    option = name.removeprefix("TALLYSTICK_").lower()
    err = capsys.readouterr().err
    assert f"missing option '--{option}'" in err
    assert name in err
    assert err.count("\n") == 1


def test_a_root_key_in_the_environment(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = (place / "root.key").read_text()
    (place / "root.key").unlink()
    monkeypatch.setenv("TALLYSTICK_ROOT", "env:MY_ROOT")
    assert run(["preview", "people.csv"]) == ExitCode.KEYRING
    assert "environment variable MY_ROOT: not set" in capsys.readouterr().err
    monkeypatch.setenv("MY_ROOT", key)
    assert run(["preview", "people.csv"]) == 0


# Errors.


def write(name: str, content: str) -> Callable[[Path], object]:
    return lambda place: (place / name).write_text(content)


def without(name: str) -> Callable[[Path], object]:
    return lambda place: (place / name).unlink()


def nothing(place: Path) -> None:
    """Leave the place as it is."""


RUN = ["protect", "people.csv", "tokens.csv"]
ADD = ["keyring", "add", "people.keys"]
SECRET = "5ec12e7" * 9 + "0"  # as long as a root key
INVALID = write("people.csv", "id,name\n1234567,Anne\n1-secret,Bob\n")
NUMBERS = pa.table({"id": [1], "name": ["a"]})

USAGE = (ExitCode.USAGE, "UsageError")
PARAMETER = (ExitCode.USAGE, "ParameterError")
IN_POLICY = (ExitCode.POLICY, "PolicyError")
IN_RING = (ExitCode.KEYRING, "KeyringError")
IN_ROOT = (ExitCode.KEYRING, "RootKeyError")
IN_VALUE = (ExitCode.INVALID_VALUE, "InvalidValueError")
IN_FILE = (ExitCode.FILE, "FileError")
IN_SHARE = (ExitCode.SHARES, "ShareError")

ERRORS: dict[str, tuple[Callable[[Path], object], list[str], tuple[ExitCode, str], str]] = {
    "command": (nothing, ["protekt"], USAGE, "did you mean 'protect'"),
    "option": (nothing, ["formats", "--rows"], USAGE, "option"),
    "argument": (nothing, ["protect", "a.csv"], PARAMETER, "target"),
    "one too many": (nothing, [*RUN, "more"], PARAMETER, "--to folder"),
    "kind": (nothing, [*RUN, "--type", "xml"], USAGE, "'parquet'"),
    "threads": (nothing, [*RUN, "--threads", "0"], USAGE, "1"),
    "rows": (nothing, ["preview", "people.csv", "-n", "0"], USAGE, "1"),
    "bits": (nothing, [*ADD, "x", "--bits", "100"], PARAMETER, "128, 192, 256 bits, not 100"),
    "name of a key": (nothing, [*ADD, "No"], PARAMETER, "a-z"),
    "pasted key": (nothing, [*RUN, "--root", SECRET], PARAMETER, "never write the key itself"),
    "no policy": (without("people.toml"), RUN, IN_POLICY, "people.toml: can't be read"),
    "policy": (
        write("people.toml", POLICY.replace("digits", "digit")),
        RUN,
        IN_POLICY,
        "people.toml: columns.id.format: there is no format 'digit'; did you mean 'digits'?",
    ),
    "type of a column": (
        lambda place: pq.write_table(NUMBERS, place / "a.parquet"),
        ["protect", "a.parquet", "b.parquet"],
        IN_POLICY,
        "a.parquet: column 'id': ",
    ),
    "no ring": (without("people.keys"), RUN, IN_RING, "people.keys: no such key ring"),
    "ring": (write("people.keys", "{}"), RUN, IN_RING, "people.keys: "),
    "no root key": (without("root.key"), RUN, IN_ROOT, "root.key: no such root key file"),
    "open root key": (lambda place: (place / "root.key").chmod(0o644), RUN, IN_ROOT, "chmod 600"),
    "other root key": (write("root.key", SECRET), RUN, IN_ROOT, "does not belong to this key ring"),
    "no key": (
        write("people.toml", POLICY.replace("people:1", "people:2")),
        RUN,
        IN_RING,
        "no key people:2",
    ),
    "invalid": (INVALID, RUN, IN_VALUE, "people.csv: column 'id', row 2 (line 3): "),
    "invalid token": (
        INVALID,
        ["reveal", *RUN[1:]],
        IN_VALUE,
        "people.csv: column 'id', row 2 (line 3): ",
    ),
    "no source": (
        nothing,
        ["protect", "nowhere.csv", "b.csv"],
        IN_FILE,
        "nowhere.csv: No such file or directory",
    ),
    "no column": (
        write("people.csv", "number,name\nsecret,secret\n"),
        RUN,
        IN_FILE,
        "people.csv: no column 'id'",
    ),
    "no share": (nothing, ["share", "info", "people.csv"], IN_SHARE, "people.csv: "),
    "no directory": (
        nothing,
        ["protect", "people.csv", "nowhere/b.csv"],
        IN_FILE,
        "No such file or directory",
    ),
    "target exists": (write("tokens.csv", "precious"), RUN, IN_FILE, "tokens.csv exists"),
    "name that speaks": (
        nothing,
        ["protect", "\x1b[2J\nb\udcff.csv", "b.csv"],
        IN_FILE,
        "No such file",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_a_line_and_a_code(place: Path, capsys: Captured, name: str) -> None:
    prepare, arguments, (code, kind), said = ERRORS[name]
    prepare(place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}

    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.endswith("\n")
    assert err[:-1].isprintable(), "one line that does nothing to a terminal"
    assert said.lower() in err.lower()

    assert run([*arguments, "--json"]) == code
    out, err_json = capsys.readouterr()
    assert err_json == ""
    result = json.loads(out)
    assert set(result) == {"error", "message"}
    assert result["error"] == kind
    assert said.lower() in result["message"].lower()

    assert not any(secret in err + out for secret in (SECRET, "secret"))
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before, "nothing is left"


def test_all_codes_are_met() -> None:
    met = {code for _, _, (code, _), _ in ERRORS.values()}
    elsewhere = {ExitCode.OK, ExitCode.INTERNAL, ExitCode.STOPPED, ExitCode.OUTPUT_CLOSED}
    elsewhere |= {ExitCode.FOUND}  # test_cli_text.py
    assert met | elsewhere == set(ExitCode)


def broken(*_: object, **__: object) -> NoReturn:
    raise ZeroDivisionError("secret 1234567")


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protection, "protect_file", broken)


@pytest.mark.usefixtures("bug")
def test_a_bug_shows_no_values(place: Path, capsys: Captured) -> None:
    assert run(RUN) == ExitCode.INTERNAL
    out, err = capsys.readouterr()
    assert out == ""
    assert re.match(r"error: unexpected ZeroDivisionError in cli/\w+\.py line \d+: ", err)
    assert "TALLYSTICK_DEBUG" in err
    assert err.count("\n") == 1
    assert run([*RUN, "--json"]) == ExitCode.INTERNAL
    out, err_json = capsys.readouterr()
    assert json.loads(out)["error"] == "ZeroDivisionError"
    assert "secret" not in err + out + err_json


@pytest.mark.usefixtures("bug")
@pytest.mark.parametrize("value", ["1", "0"])
def test_a_traceback_is_shown_if_asked_for(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TALLYSTICK_DEBUG", value)
    assert run(RUN) == ExitCode.INTERNAL
    err = capsys.readouterr().err
    assert ("Traceback" in err) == ("secret" in err) == (value == "1")


def test_a_file_error_that_nobody_foresaw_names_the_file(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", "some/file")

    monkeypatch.setattr(protection, "protect_file", broken)
    reported = "some/file: Permission denied"
    assert run(RUN) == ExitCode.FILE
    assert capsys.readouterr() == ("", f"error: {reported}\n")
    assert run([*RUN, "--json"]) == ExitCode.FILE
    assert json.loads(capsys.readouterr().out) == {"error": "FileError", "message": reported}


def test_no_command_is_no_success(place: Path, capsys: Captured) -> None:
    for command in ([], ["keyring"]):
        assert run(command) == ExitCode.USAGE
        out, err = capsys.readouterr()
        assert "Usage: tallystick" in out + err
        assert "error:" not in err


# The installed program, in a pipe.


def test_the_program_in_a_pipe(place: Path) -> None:
    done = program("protect", "people.csv", "tokens.csv", COLUMNS="30", FORCE_COLOR="1")
    assert (done.returncode, done.stdout) == (0, "")
    heads = [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert heads[-1] == "protect"
    assert len(heads) == done.stderr.count("warning: ") + 2, "no progress, nothing wrapped"
    done = program("reveal", "tokens.csv", "back.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["command"] == "reveal"
    assert (place / "back.csv").read_text() == PEOPLE


def test_a_locale_that_is_not_utf8(place: Path) -> None:
    done = program("preview", "people.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stderr == "warning: not protected, in clear: 'note' (1 column)\n"
    assert "J\\xfcrgen" in done.stdout


def test_a_prompt_needs_a_terminal(place: Path) -> None:
    done = subprocess.run(
        [PROGRAM, "keyring", "new", "b.keys", "--root", "prompt"],
        input=f"{PHRASE}\n{PHRASE}\n",
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert done.returncode == ExitCode.KEYRING
    assert done.stderr.startswith("error: there is no terminal to ask")
    assert listing(place) == SMALL_FILES


@pytest.mark.parametrize("arguments", [["formats"], ["--help"], RUN])
def test_nobody_reads_the_output(place: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    protecting = arguments == RUN
    done = subprocess.run(
        [PROGRAM, *arguments, *(["--json"] if protecting else [])],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (ExitCode.OUTPUT_CLOSED, b"")
    assert (place / "tokens.csv").exists() == protecting


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_no_room_for_the_output(place: Path) -> None:
    assert into_full_device("formats") == NO_ROOM


# On a terminal.


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_progress_on_a_terminal(place: Path, quiet: list[str]) -> None:
    code, shown = on_terminal(["protect", "people.csv", "tokens.csv", *quiet])
    assert code == 0
    assert ("\x1b[" in shown) == ("100%" in shown) == (not quiet)
    if not quiet:
        assert shown.rindex("\x1b[?25h") > shown.index("\x1b[?25l"), "the cursor is back"
        assert re.search(r"protect: 4 rows, .*tokens\.csv\r\n$", shown)


def test_a_passphrase_is_asked_for_and_not_shown(place: Path) -> None:
    new = ["keyring", "new", "b.keys", "--root", "prompt"]
    code, shown = on_terminal(new, [PHRASE, PHRASE])
    assert code == 0
    assert "made a key ring: b.keys" in shown
    code, listed = on_terminal(["keyring", "list", "b.keys", "--root", "prompt"], ["wrong phrase"])
    assert code == ExitCode.KEYRING
    assert "error: " in listed
    assert not any(phrase in shown + listed for phrase in (PHRASE, "wrong phrase"))


# Signals.

_WITH_SIGNAL = (
    "import os, signal, sys; "
    "signal.signal(getattr(signal, sys.argv[1]), getattr(signal, sys.argv[2])); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


@contextmanager
def started(name: str, action: str, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Start the program with a signal's action, and end it whatever happens."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WITH_SIGNAL, name, action, PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_part(directory: Path, size: int = 0) -> None:
    """Wait until the program has made its file, and written so many bytes."""
    end = time.monotonic() + 30
    while not any(path.stat().st_size >= size for path in directory.glob(".*.part")):
        assert time.monotonic() < end
        time.sleep(0.002)


PIPE = ["protect", "pipe", "tokens.csv", "--type", "csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "command"), [("SIGINT", "protect"), ("SIGTERM", "reveal"), ("SIGHUP", "protect")]
)
def test_a_signal_in_mid_run_leaves_nothing(place: Path, name: str, command: str) -> None:
    os.mkfifo("pipe")
    arguments = [command, *PIPE[1:], "--json"]
    with started(name, "SIG_DFL", arguments) as process, (place / "pipe").open("w") as pipe:
        pipe.write(PEOPLE)
        pipe.flush()
        wait_for_part(place)
        number = signal.Signals[name]
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == ExitCode.STOPPED + number
    assert json.loads(out) == {"error": "Stopped", "message": f"stopped by {name}"}
    assert err == ""
    assert listing(place) == SMALL_FILES | {"pipe"}


def test_a_signal_while_parquet_is_written(place: Path) -> None:
    rows = 1_500_000
    table = pa.table({"id": pa.repeat("1234567", rows), "name": pa.repeat("Anne", rows)})
    pq.write_table(table, place / "people.parquet", row_group_size=200_000)
    with started("SIGINT", "SIG_DFL", ["protect", "people.parquet", "b.parquet"]) as process:
        wait_for_part(place, 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "error: stopped by SIGINT\n")
    assert listing(place) == SMALL_FILES | {"people.parquet"}


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_a_signal_while_csv_is_written(place: Path, threads: str) -> None:
    with (place / "many.csv").open("w") as many:
        many.write("id,name\n")
        for _ in range(100):
            many.write("1234567,Anne\n" * 40_000)
    arguments = ["protect", "many.csv", "b.csv", "--threads", threads]
    with started("SIGTERM", "SIG_DFL", arguments) as process:
        wait_for_part(place, 1 << 20)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (143, "", "error: stopped by SIGTERM\n")
    assert listing(place) == SMALL_FILES | {"many.csv"}


def test_a_signal_that_is_ignored_stays_so(place: Path) -> None:
    os.mkfifo("pipe")
    with started("SIGHUP", "SIG_IGN", PIPE) as process:
        with (place / "pipe").open("w") as pipe:
            wait_for_part(place)
            process.send_signal(signal.SIGHUP)
            pipe.write(PEOPLE)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert len((place / "tokens.csv").read_text()) == len(PEOPLE)


# Completion.


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(place: Path) -> None:
    script = """
    PATH="$1:$PATH"
    eval "$(tallystick --show-completion)"
    COMP_WORDS=(tallystick keyring l)
    COMP_CWORD=2
    _tallystick_completion tallystick
    echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", str(PROGRAM.parent)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("list\n", "")


# Secrets.


def test_no_command_shows_a_key(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = (place / "root.key").read_text().strip()
    monkeypatch.setenv("MY_ROOT", root)
    ring = Keyring.open(place / "people.keys", RootKey.parse("file:root.key"))
    wrapped = re.findall(r'"wrapped": "(.*)"', (place / "people.keys").read_text())
    secrets = (root, ring.key("people:1").hex(), *wrapped)
    assert len(secrets) == 3
    for source in ("file:root.key", "env:MY_ROOT", "env:NOWHERE", f"file:{root}", f"env:{root}"):
        for command in (
            RUN,
            ["reveal", *RUN[1:]],
            ["preview", "people.csv"],
            ["keyring", "list", "people.keys"],
            ["keyring", "add", "people.keys", "more"],
            ["keyring", "new", "people.keys"],
        ):
            for as_json in ([], ["--json"]):
                run([*command, *as_json, "--root", source])
                out, err = capsys.readouterr()
                assert out or err or command[0] in ("protect", "reveal")
                assert not any(secret in out + err for secret in secrets)
