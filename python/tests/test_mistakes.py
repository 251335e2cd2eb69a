# SPDX-License-Identifier: Apache-2.0
"""Usual mistakes at the command line: a message says what is wrong, where, and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tallystick.cli.main import run
from tallystick.mistaken import hint

POLICY = '[columns]\nid = { format = "digits", key = "data:1", namespace = "id" }\n'
KEYS = "-p people.toml -k people.keys -r file:root.key"


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("id,name\n1234567,Anne\n")
    (tmp_path / "people.toml").write_text(POLICY)
    (tmp_path / "upper.toml").write_text(POLICY.replace("id =", "ID ="))
    (tmp_path / "short.toml").write_text('[columns]\nid = "digits"\n')
    (tmp_path / "wide.csv").write_text("id,name\n1234567,Anne\n", encoding="utf-16")
    (tmp_path / "west.csv").write_bytes(b"id,na\xefve\n1234567,Anne\n")
    (tmp_path / "folder").mkdir()
    assert run(["keyring", "new", "people.keys", "--root", "file:root.key"]) == 0
    assert run(["keyring", "add", "people.keys", "data", "--root", "file:root.key"]) == 0
    capsys.readouterr()
    return tmp_path


MISTAKES = {
    # Files in the place of others
    f"protect people.toml new.csv {KEYS}": (6, "looks like a policy: a policy goes to --policy"),
    f"protect people.keys new.csv {KEYS}": (6, "like a key ring: a key ring goes to --keyring"),
    f"protect folder new.csv {KEYS}": (6, "it is a folder: give a file in it"),
    "check people.csv -p people.csv": (3, "it looks like a data file: data goes to SOURCE"),
    "check people.csv -p people.keys": (
        3,
        "it looks like a key ring: a key ring goes to --keyring",
    ),
    "check people.csv -p folder": (3, "it is a folder: give a file in it"),
    "keyring list people.toml -r file:root.key": (4, "not a key ring; it looks like a policy"),
    "keyring list people.csv -r file:root.key": (4, "not a key ring; it looks like a data file"),
    "keyring list folder -r file:root.key": (4, "it is a folder"),
    "keyring list people.keys -r file:people.keys": (4, "not a root key, which is 64 hexadecimal"),
    "keyring list people.keys -r file:people.csv": (4, "one newline; it looks like a data file"),
    "keyring list people.keys -r file:folder": (4, "it is a folder"),
    # Roots without their scheme
    "keyring list people.keys -r root.key": (2, "a file of that name, so write file: before it"),
    "keyring list people.keys -r folder": (2, "a file of that name, so write shares: before it"),
    # Arguments in another order
    f"protect new.csv people.csv {KEYS}": (6, "new.csv: No such file or directory"),
    "keyring add data people.keys -r file:root.key": (2, "is the first argument: people.keys data"),
    "keyring rotate data people.keys -r file:root.key": (
        2,
        "is the first argument: people.keys data",
    ),
    "keyring add people.keys data:2 -r file:root.key": (2, "the key's name without a version"),
    # Values of options
    f"protect people.csv new.csv {KEYS} --threads many": (2, "'-t': not a whole number;"),
    f"protect people.csv new.csv {KEYS} --type excel": (2, "'--type': 'excel' is not one of 'csv'"),
    # What the data is
    f"protect people.csv new.csv {KEYS} -p upper.toml": (6, "differs only in case or spaces"),
    f"protect wide.csv new.csv {KEYS}": (6, "the text is UTF-16; pass --encoding utf-16"),
    f"protect west.csv new.csv {KEYS}": (6, "pass its encoding with --encoding"),
    "check people.csv -p short.toml": (3, 'must be a table, such as { format = "digits", key ='),
}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_reported_with_how_to_mend_it(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in place.iterdir() if path.is_file()}
    code, reported = MISTAKES[command]
    assert run(command.split()) == code
    out, err = capsys.readouterr()
    assert reported in err
    assert err.count("\n") == 1
    assert out == ""
    assert "Anne" not in err
    assert {path: path.read_bytes() for path in place.iterdir() if path.is_file()} == before


def test_what_is_right_has_no_hint(place: Path) -> None:
    assert hint(place / "people.toml", "a policy") == ""
    assert hint(place / "people.keys", "a key ring") == ""
    assert hint(place / "people.csv", "a data file") == ""
    assert hint(place / "root.key", "a root key") == ""
    assert hint(place / "gone", "a policy") == ""
    assert hint("a\0b", "a policy") == ""
