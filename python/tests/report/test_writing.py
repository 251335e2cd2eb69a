# SPDX-License-Identifier: Apache-2.0
"""When a report appears, where it may be, and who may read it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from full_disk import fail_after
from keyring_support import listing
from report_support import POLICY, Place
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.errors import FileError, InvalidValueError
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file

STRICT = """
[columns]
town = { format = "letters", key = "people:1", namespace = "town" }
"""


def protect(
    place: Place, target: Path, page: Path, rules: Policy | None = None, *, overwrite: bool = False
) -> None:
    options = RunOptions(report=page, overwrite=overwrite)
    protect_file(place.path("people.csv"), target, rules or place.policy, place.ring, options)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_its_owner_alone_reads_it(place: Place) -> None:
    assert stat.S_IMODE(place.path("run.html").stat().st_mode) == 0o600


def test_a_report_that_exists(place: Place, tmp_path: Path) -> None:
    page, target = tmp_path / "run.html", tmp_path / "tokens.csv"
    page.write_text("mine")
    with pytest.raises(FileError, match=r"run\.html exists"):
        protect(place, target, page)
    assert page.read_text() == "mine"
    assert listing(tmp_path) == {"run.html"}
    protect(place, target, page, overwrite=True)
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_run_that_fails_leaves_no_report(place: Place, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"column 'town', row 11"):
        protect(place, tmp_path / "tokens.csv", tmp_path / "run.html", Policy.parse(STRICT))
    assert listing(tmp_path) == set()


def test_a_folder_that_is_missing_is_reported_before_the_work(place: Place, tmp_path: Path) -> None:
    page = tmp_path / "none" / "run.html"
    with pytest.raises(FileError, match=r"run\.html: can't write to its folder") as error:
        protect(place, tmp_path / "t.csv", page)
    assert "complete" not in str(error.value)
    assert listing(tmp_path) == set()


def test_no_room_for_the_report_alone(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, target = tmp_path / "run.html", tmp_path / "t.csv"
    fail_after(3, monkeypatch)  # the target, its marker and their folder
    with pytest.raises(FileError, match=r"run\.html: No space left.*t\.csv is complete, and only"):
        protect(place, target, page)
    assert listing(tmp_path) == {"t.csv", "t.csv.tallystick.json"}
    assert target.read_bytes().startswith(b'"number"')


def test_an_error_of_the_target_is_not_said_to_be_the_reports(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_after(0, monkeypatch)
    with pytest.raises(FileError, match=r"t\.csv: No space left") as error:
        protect(place, tmp_path / "t.csv", tmp_path / "run.html")
    assert "run.html" not in str(error.value)
    assert listing(tmp_path) == set()


# The command line.

KEYS = ["--keyring", "a.keys", "--root", "file:root.key", "--policy", "a.toml"]


@pytest.fixture
def there(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("people.csv", "tokens.csv", "a.keys", "root.key"):
        (tmp_path / name).write_bytes(place.path(name).read_bytes())
    (tmp_path / "root.key").chmod(0o600)
    (tmp_path / "a.toml").write_text(POLICY)
    return tmp_path


def test_commands(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = ["--json", "--report", "x/../p.html"]
    (there / "x").mkdir()
    assert run(["protect", "people.csv", "new.csv", *KEYS, *two]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == "x/../p.html"
    assert run(["reveal", "new.csv", "back.csv", *KEYS, "--report", "r.html"]) == 0
    keys = [*KEYS, "--key", "people:1=people:2", "--write-policy", "c.toml", "--json"]
    capsys.readouterr()
    assert run(["rotate", "new.csv", "turned.csv", *keys, "--report", "t.html"]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == "t.html"
    assert {"p.html", "r.html", "t.html", "c.toml"} <= listing(there)


def test_without_a_report_the_result_has_none(
    there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["protect", "people.csv", "new.csv", *KEYS, "--json"]) == 0
    assert "report" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "other",
    [
        *("people.csv", "new.csv", "a.keys", "a.toml", "root.key", "./x/../a.keys"),
        *("people.csv.tallystick.json", "new.csv.tallystick.json"),
    ],
)
def test_not_over_another_file_of_the_run(
    there: Path, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (there / "x").mkdir()
    before = {path.name: path.read_bytes() for path in there.iterdir() if path.is_file()}
    command = ["protect", "people.csv", "new.csv", *KEYS, "--overwrite", "--report", other]
    assert run(command) == ExitCode.FILE
    message = "are for markers" if ".tallystick." in other else "the report would replace the "
    assert message in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in there.iterdir() if path.is_file()} == before
