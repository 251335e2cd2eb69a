# SPDX-License-Identifier: Apache-2.0
"""The commands that make new versions of keys, and take files to them."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import listing, make_ring
from program import json_of, set_defaults
from tallystick import atomic
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.keyring import Keyring, RootKey

Captured = pytest.CaptureFixture[str]

POLICY = """\
# Of key = "people:1".
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "names:1", namespace = "name", on_invalid = "keep" }
"""
PEOPLE = "id,name,note\n1234567,Anne,a\n12345,,b\n7654321,Jürgen,c\n1234567,L,d\n"
FILES = {"people.csv", "people.toml", "people.keys", "root.key", "tokens.csv"}
FILES |= {"tokens.csv.tallystick.json"}
ROTATE = ["rotate", "tokens.csv", "new.csv"]
CHANGE = ["--key", "people:1=people:2"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a policy, a key ring of two versions, and files."""
    directory = tmp_path_factory.mktemp("home")
    (directory / "people.toml").write_text(POLICY)
    (directory / "people.csv").write_text(PEOPLE)
    ring = make_ring(directory / "people.keys")
    for name in ("people", "names"):
        ring.add(name)
        ring.rotate(name)
    return directory


@pytest.fixture
def place(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    """Work in a copy of that directory, with the environment set and the file protected."""
    directory = tmp_path / "place"
    shutil.copytree(home, directory)
    monkeypatch.chdir(directory)
    set_defaults(monkeypatch, "people.toml", "people.keys")
    assert run(["protect", "people.csv", "tokens.csv", "-q"]) == 0
    capsys.readouterr()
    return directory


# keyring rotate.


def test_a_new_version_of_a_key(place: Path, capsys: Captured) -> None:
    fields = {"keyring": "people.keys", "key": "people:3", "previous": "people:2", "bits": 256}
    made = {"command": "keyring rotate", **fields}
    assert json_of(capsys, "keyring", "rotate", "people.keys", "people") == made
    for more, key, bits in ((["--bits", "128"], 4, 128), ([], 5, 128), (["--bits", "192"], 6, 192)):
        made |= {"key": f"people:{key}", "previous": f"people:{key - 1}", "bits": bits}
        assert json_of(capsys, "keyring", "rotate", "people.keys", "people", *more) == made
    ring = Keyring.open(place / "people.keys", RootKey.parse("file:root.key"))
    assert [len(ring.key(f"people:{version}")) for version in range(1, 7)] == [
        32, 32, 32, 16, 16, 24,
    ]  # fmt: skip


@pytest.mark.parametrize(("key", "may"), [("people:1", "protect"), ("people:2", "reveal")])
def test_a_key_without_the_right(place: Path, capsys: Captured, key: str, may: str) -> None:
    assert run(["keyring", "rights", "people.keys", key, "--may", may]) == 0
    assert run([*ROTATE, *CHANGE]) == ExitCode.KEYRING
    assert f"key {key} may only {may} here; to " in capsys.readouterr().err
    assert not Path("new.csv").exists()


def test_a_new_version_in_words(place: Path, capsys: Captured) -> None:
    assert run(["keyring", "rotate", "people.keys", "people"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(
        "made key people:3, of 256 bits. No file uses it yet, and people:2 stays in the ring"
    )
    (command,) = (line.split() for line in out.splitlines() if line.startswith("  "))
    assert command[:4] == ["tallystick", "rotate", "SOURCE", "TARGET"]
    # What it says can be typed.
    run(["rotate", "tokens.csv", "new.csv", *CHANGE, "--write-policy", "two.toml"])
    names = {"SOURCE": "new.csv", "TARGET": "newer.csv", "NEW_POLICY": "three.toml"}
    typed = [names.get(word, word) for word in command[1:]]
    assert run([*typed, "--policy", "two.toml"]) == 0
    assert run(["reveal", "newer.csv", "back.csv", "--policy", "three.toml"]) == 0
    assert (place / "back.csv").read_text() == PEOPLE


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["peopel"], ExitCode.KEYRING, "no key is called 'peopel'; did you mean 'people'?"),
        (["other"], ExitCode.KEYRING, "no key is called 'other'; the first version"),
        (["People"], ExitCode.USAGE, "a-z"),
        (["people", "--bits", "100"], ExitCode.USAGE, "128, 192, 256 bits, not 100"),
        ([], ExitCode.USAGE, "'NAME'"),
    ],
)
def test_a_version_that_can_not_be(
    place: Path, capsys: Captured, arguments: list[str], code: int, said: str
) -> None:
    before = (place / "people.keys").read_bytes()
    assert said in json_of(capsys, "keyring", "rotate", "people.keys", *arguments, code=code)[
        "message"
    ]  # fmt: skip
    assert (place / "people.keys").read_bytes() == before


# rotate.


def test_a_file_and_its_policy(place: Path, capsys: Captured) -> None:
    assert run([*ROTATE, *CHANGE, "--write-policy", "new.toml"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "rotate: 4 rows, 1 column," in err.splitlines()[-1]
    assert "'name'" not in err, "its key stays"
    new = (place / "new.toml").read_text()
    assert new == POLICY.replace('digits", key = "people:1"', 'digits", key = "people:2"')
    assert listing(place) == FILES | {"new.csv", "new.csv.tallystick.json", "new.toml"}
    assert run(["protect", "people.csv", "direct.csv", "-p", "new.toml"]) == 0
    assert (place / "direct.csv").read_bytes() == (place / "new.csv").read_bytes()
    assert (place / "new.csv").read_bytes() != (place / "tokens.csv").read_bytes()
    assert run(["reveal", "new.csv", "back.csv", "-p", "new.toml"]) == 0
    assert (place / "back.csv").read_text() == PEOPLE


def test_the_policy_to_come_can_be_given(place: Path, capsys: Captured) -> None:
    (place / "to.toml").write_text(POLICY.replace(":1", ":2"))
    assert run([*ROTATE, "--to", "to.toml"]) == 0
    assert "column 'name': 1 invalid value kept" in capsys.readouterr().err
    assert run(["rotate", "tokens.csv", "b.csv", *CHANGE, "--key", "names:1=names:2"]) == 0
    assert (place / "b.csv").read_bytes() == (place / "new.csv").read_bytes()
    said = "only a policy that names names:2, people:2 reveals b.csv; --write-policy writes one"
    assert said in capsys.readouterr().err


def test_result_of_a_rotation(place: Path, capsys: Captured) -> None:
    keys = [*CHANGE, "--key", "names:1=people:1"]
    result = json_of(capsys, *ROTATE, *keys, "--write-policy", "new.toml")
    assert 0 < result.pop("seconds") < 60
    size = len(PEOPLE.encode())
    assert result == {
        "command": "rotate",
        "source": "tokens.csv",
        "target": "new.csv",
        "rows": 4,
        "bytes_in": size,
        "bytes_out": size,
        "columns": {
            "id": {"rows": 4, "nulls": 0, "invalid": {}, "small_domain": 1},
            "name": {
                "rows": 4,
                "nulls": 1,
                "invalid": {"foreign": 1, "short": 1},
                "small_domain": 1,
            },
        },
        "keys": {
            "id": {"old": "people:1", "new": "people:2"},
            "name": {"old": "names:1", "new": "people:1"},
        },
        "policies": ["new.toml"],
        "marker": "checked",
    }


def test_parquet_threads_and_quiet(place: Path, capsys: Captured) -> None:
    table = pa.table({"id": ["1234567", None], "name": ["Anne", "Bob"], "x": [1, 2]})
    pq.write_table(table, place / "people.parquet")
    assert run(["protect", "people.parquet", "a.parquet", "-q"]) == 0
    capsys.readouterr()
    assert run(["rotate", "a.parquet", "b.parquet", *CHANGE, "-q", "-t", "2"]) == 0
    shutil.copy(place / "a.parquet", place / "a")
    assert run(["rotate", "a", "b", *CHANGE, "-q", "--type", "parquet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (place / "b").read_bytes() == (place / "b.parquet").read_bytes()
    (place / "new.toml").write_text(
        POLICY.replace('digits", key = "people:1', 'digits", key = "people:2')
    )
    back = ["--key", "people:2=people:1", "-p", "new.toml", "--type", "parquet", "-q"]
    assert run(["rotate", "b", "b", *back]) == ExitCode.FILE
    assert run(["rotate", "b", "b", *back, "--overwrite"]) == 0
    assert (place / "b").read_bytes() == (place / "a").read_bytes()


@pytest.mark.parametrize("by", ["options", "environment"])
def test_policies_one_after_another(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    note = 'format = "hex", key = "names:1", namespace = "note", tweak = "id"'
    (place / "note.toml").write_text(f"columns.note = {{ {note} }}")
    (place / "people.csv").write_text("id,name,note\n1234567,Anne,abcd\n1234568,Bob,abcd\n")
    commands = [["-p", "people.toml"], ["-p", "note.toml"]]
    for number, command in enumerate(commands):
        source, target = ("people.csv", "a.csv", "b.csv")[number : number + 2]
        assert run(["protect", source, target, *command, "-q"]) == 0
    capsys.readouterr()
    if by == "options":
        layers = [*commands[0], *commands[1]]
    else:
        monkeypatch.setenv("TALLYSTICK_POLICY", os.pathsep.join(["people.toml", "note.toml"]))
        layers = []
    written = ["--write-policy", "1.toml", "--write-policy", "2.toml"]
    result = json_of(capsys, "rotate", "b.csv", "c.csv", *CHANGE, *layers, *written)
    assert list(result["columns"]) == ["id", "note"]
    assert list(result["keys"]) == ["id"]
    assert result["policies"] == ["1.toml", "2.toml"]
    assert (place / "2.toml").read_bytes() == (place / "note.toml").read_bytes()
    assert run(["reveal", "c.csv", "d.csv", "-p", "2.toml", "-q"]) == 0
    assert run(["reveal", "d.csv", "e.csv", "-p", "1.toml", "-q"]) == 0
    assert (place / "e.csv").read_bytes() == (place / "people.csv").read_bytes()


OTHER = POLICY.replace("names:1", "names:2")

ERRORS: dict[str, tuple[list[str], int, str]] = {
    "no key": ([], ExitCode.USAGE, "by --key OLD=NEW, or the new policy by --to POLICY"),
    "both": ([*CHANGE, "--to", "other.toml"], ExitCode.USAGE, "pass the new keys by --key"),
    "no mark": (["--key", "people:1"], ExitCode.USAGE, "such as people:1=people:2"),
    "no version": (["--key", "people:1=people"], ExitCode.USAGE, "name:version"),
    "itself": (["--key", "people:1=people:1"], ExitCode.USAGE, "is its own new key"),
    "twice": ([*CHANGE, "--key", "people:1=names:2"], ExitCode.USAGE, "an old key is given twice"),
    "both policies": (
        ["--to", "other.toml", "--write-policy", "x.toml"],
        ExitCode.USAGE,
        "--write-policy belongs to --key",
    ),
    "too many": (
        [*CHANGE, "--write-policy", "x.toml", "--write-policy", "y.toml"],
        ExitCode.USAGE,
        "pass --write-policy as often as --policy",
    ),
    "too few": (
        ["-p", "people.toml", "-p", "other.toml", "--to", "other.toml"],
        ExitCode.USAGE,
        "pass --to as often as --policy",
    ),
    "key of no column": (
        ["--key", "people:2=people:1"],
        ExitCode.POLICY,
        "people.toml: no column has key people:2; the keys are names:1, people:1. Pass the policy",
    ),
    "no version made": (
        ["--key", "people:1=people:3", "--write-policy", "x.toml"],
        ExitCode.KEYRING,
        "column 'id': its key in the policy, people:3",
    ),
    "same policy": (["--to", "people.toml"], ExitCode.POLICY, "nothing to rotate"),
    "other columns": (
        ["--to", "fewer.toml"],
        ExitCode.POLICY,
        "column 'name' is protected by people.toml, but not by fewer.toml",
    ),
    "policy is there": (
        [*CHANGE, "--write-policy", "other.toml"],
        ExitCode.FILE,
        "other.toml exists",
    ),
    "policy on the policy": (
        [*CHANGE, "--write-policy", "./people.toml", "--overwrite"],
        ExitCode.FILE,
        "the new policy would replace the policy; choose",
    ),
    "policy on the target": (
        [*CHANGE, "--write-policy", "new.csv", "--overwrite"],
        ExitCode.FILE,
        "the new policy would replace the target; choose",
    ),
    "policy on a marker": (
        [*CHANGE, "--write-policy", "new.csv.tallystick.json", "--overwrite"],
        ExitCode.FILE,
        "names that end in .tallystick.json are for markers",
    ),
    "policy nowhere": (
        [*CHANGE, "--write-policy", "no/x.toml"],
        ExitCode.FILE,
        "can't write to its folder",
    ),
    "invalid": (
        ["-p", "strict.toml", "--key", "names:1=names:2", "--write-policy", "x.toml"],
        ExitCode.INVALID_VALUE,
        "tokens.csv: column 'name', row 3 (line 4)",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(place: Path, capsys: Captured, name: str) -> None:
    (place / "other.toml").write_text(OTHER)
    (place / "fewer.toml").write_text(OTHER.partition("\nname")[0])
    (place / "strict.toml").write_text(POLICY.replace(', on_invalid = "keep"', ""))
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    arguments, code, said = ERRORS[name]
    message = json_of(capsys, *ROTATE, *arguments, code=code)["message"]
    assert said in message
    assert "Jürgen" not in message
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_a_policy_of_an_earlier_run_can_be_replaced(place: Path, capsys: Captured) -> None:
    (place / "new.toml").write_text("precious")
    assert run([*ROTATE, *CHANGE, "--write-policy", "new.toml", "--overwrite", "-q"]) == 0
    assert "people:2" in (place / "new.toml").read_text()


def test_a_policy_that_fails_after_the_file_is_reported(
    place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = atomic._rename

    def fail(beside: Path, path: Path, appeared: list[Path], *, overwrite: bool) -> None:
        if path.name == "new.toml":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rename(beside, path, appeared, overwrite=overwrite)

    monkeypatch.setattr(atomic, "_rename", fail)
    arguments = [*ROTATE, *CHANGE, "--write-policy", "new.toml", "-q"]
    assert run(arguments) == ExitCode.FILE
    assert capsys.readouterr().err.endswith(
        "new.toml: No space left on device; the file is rotated, only its new policy was "
        "not written\n"
    )
    assert listing(place) == FILES | {"new.csv", "new.csv.tallystick.json"}
