# SPDX-License-Identifier: Apache-2.0
"""Key rings among several people, by the command line: splitting, opening, sharing again."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from keyring_support import listing, make_ring
from program import CONTROL_D, PROGRAM, json_of, on_terminal
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.keyring import Keyring, RootKey
from tallystick.shares import printed

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
"""
PEOPLE = "id,note\n1234567,a\n1234567,b\n7654321,c\n"
SPLIT = ["keyring", "split", "people.keys", "--threshold", "3", "--into", "shares",
         "--holder", "Ann", "--holder", "Bob", "--holder", "Cid", "--holder", "Dee",
         "--holder", "Eve"]  # fmt: skip
THREE = "shares:shares/share-1-Ann.txt,shares/share-3-Cid.txt,shares/share-5-Eve.txt"
ROOT = ["--root", "file:root.key"]

LINE = r"line \d+( of \d+)?: "

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "FORCE_COLOR", "TALLYSTICK_DEBUG", "TALLYSTICK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TALLYSTICK_POLICY", "people.toml")
    monkeypatch.setenv("TALLYSTICK_KEYRING", "people.keys")
    Path("people.toml").write_text(POLICY)
    Path("people.csv").write_text(PEOPLE)
    make_ring(Path("people.keys"), "people")
    return tmp_path


@pytest.fixture
def split(place: Path, capsys: Captured) -> Path:
    assert run([*SPLIT, *ROOT]) == 0
    capsys.readouterr()
    return place / "shares"


def groups(text: str) -> set[str]:
    """Return the groups of a printed share."""
    lines = (line for line in text.splitlines() if ": " in line and line[0] != "#")
    return {group for line in lines for group in line.split(": ")[1].split()}


@pytest.mark.parametrize("more", [[], ["--json"], ["--quiet"]])
def test_combining_shares_of_a_ring_warns_of_what_it_writes(
    split: Path, capsys: Captured, more: list[str]
) -> None:
    files = [str(split / f"share-{name}.txt") for name in ("1-Ann", "3-Cid", "5-Eve")]
    assert run(["share", "combine", *files, "--to", "root", *more]) == 0
    err = capsys.readouterr().err
    assert err.startswith(
        "warning: these are shares of a key ring's root key. It is written in plaintext"
    )
    assert len(Path("root").read_bytes()) == 32


def test_split_says_what_to_do(place: Path, capsys: Captured) -> None:
    assert run([*SPLIT, *ROOT]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for said in (
        "Any 3 of these 5 shares open people.keys with --root shares:FILE",
        "The root key from file:root.key no longer opens people.keys. Destroy it",
        "It still opens older copies of the key ring, such as backups",
        "Give each holder one",
    ):
        assert said in out
    names = {
        f"share-{n}-{name}.txt" for n, name in enumerate(["Ann", "Bob", "Cid", "Dee", "Eve"], 1)
    }
    assert listing(place / "shares") == names
    for name in names:
        assert name in out
        secret = groups((place / "shares" / name).read_text())
        assert len(secret) > 60
        assert not any(group in out for group in secret)


def test_split_shows_files_as_they_are_seen_from_here(
    place: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert run([*SPLIT, *ROOT]) == 0
    out = capsys.readouterr().out
    assert " shares/share-1-Ann.txt " in out
    assert str(place) not in out
    elsewhere = tmp_path_factory.mktemp("a")
    again = ["keyring", "reshare", *SPLIT[2:6], str(elsewhere / "s"), *SPLIT[7:]]
    assert run([*again, "--root", THREE]) == 0
    assert f" {elsewhere}/s/share-1-Ann.txt " in capsys.readouterr().out


def test_protect_and_reveal_with_shares(split: Path, capsys: Captured) -> None:
    assert run(["protect", "people.csv", "tokens.csv", "--root", THREE]) == 0
    assert run(["reveal", "tokens.csv", "back.csv", "--root", "shares:shares"]) == 0
    assert Path("back.csv").read_text() == PEOPLE != Path("tokens.csv").read_text()
    capsys.readouterr()
    shown = json_of(capsys, "preview", "people.csv", "--root", THREE)
    tokens = [line.split(",")[0] for line in Path("tokens.csv").read_text().splitlines()]
    assert shown["columns"]["id"]["after"] == tokens[1:]
    assert json_of(capsys, "keyring", "add", "people.keys", "b", "--root", THREE)["key"] == "b:1"
    listed = json_of(capsys, "keyring", "list", "--root", THREE)
    assert [key["name"] for key in listed["keys"]] == ["people", "b"]
    assert listed["sharing"]["threshold"] == 3
    assert listed["sharing"]["holders"] == ["Ann", "Bob", "Cid", "Dee", "Eve"]
    assert run(["keyring", "list", "--root", THREE]) == 0
    assert "opens with any 3 of the shares of set" in capsys.readouterr().out


def test_json(place: Path, capsys: Captured) -> None:
    assert json_of(capsys, "keyring", "list", *ROOT)["sharing"] is None
    before = json.loads(Path("people.keys").read_bytes())
    done = json_of(capsys, *SPLIT, *ROOT, "--qr")
    after = json.loads(Path("people.keys").read_bytes())
    assert done["keyring"] == "people.keys"
    assert done["id"] == after["ring"] == before["ring"]
    assert done["set"] == after["roots"][0]["set"]
    assert done["threshold"] == 3
    assert done["shares"][1] == {
        "index": 2,
        "holder": "Bob",
        "file": str(place / "shares" / "share-2-Bob.txt"),
        "qr": str(place / "shares" / "share-2-Bob.png"),
    }
    again = json_of(
        capsys, "keyring", "reshare", "--root", "shares:shares", "--threshold", "2",
        "--holder", "Ann", "--holder", "Fay",
    )  # fmt: skip
    assert again["set"] != done["set"]
    assert [share["qr"] for share in again["shares"]] == [None, None]
    assert (
        Path(again["shares"][0]["file"]).parent == place / f"people.keys.shares-{again['set'][:8]}"
    )


def test_reshare(split: Path, capsys: Captured) -> None:
    reshare = ["keyring", "reshare", "people.keys", "--threshold", "2", "--holder", "Ann",
               "--holder", "Fay", "--into", "new"]  # fmt: skip
    assert run([*reshare, "--root", THREE]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "no longer open people.keys. Destroy them." in out
    assert "They still open older copies of the key ring" in out
    assert run(["keyring", "list", "--root", THREE]) == ExitCode.KEYRING
    assert "0 good shares, and 2 are needed" in capsys.readouterr().err
    assert run(["keyring", "list", "--root", "shares:new"]) == 0


def test_each_command_takes_its_kind_of_ring(split: Path, capsys: Captured) -> None:
    ring = Path("people.keys").read_bytes()
    again = [*SPLIT[:6], "again", *SPLIT[7:]]
    assert run([*again, "--root", THREE]) == ExitCode.USAGE
    assert "is split already; use keyring reshare" in capsys.readouterr().err
    Keyring.create("b.keys", RootKey.parse("file:root.key"))
    assert run(["keyring", "reshare", "b.keys", *again[3:], *ROOT]) == ExitCode.USAGE
    assert "is not split yet; use keyring split" in capsys.readouterr().err
    assert run(["keyring", "list", *ROOT]) == ExitCode.KEYRING
    assert "comes from 3 of 5 shares, not from file:root.key" in capsys.readouterr().err
    assert run([*SPLIT[:4], "6", *SPLIT[5:], "--root", THREE]) == ExitCode.USAGE
    assert not Path("again").exists()
    assert Path("people.keys").read_bytes() == ring


def test_bad_shares_are_reported_also_with_json(split: Path, capsys: Captured) -> None:
    bob = split / "share-2-Bob.txt"
    bob.write_text(bob.read_text().replace("\n 7: ", "\n 8: "))
    for more in ([], ["--json"]):
        assert run(["keyring", "list", "--root", "shares:shares", *more]) == 0
        out, err = capsys.readouterr()
        assert err.startswith("warning: shares/share-2-Bob.txt: share 2 (Bob): line 8 is there")
        assert "line 7 is missing" in err
        assert err.count("\n") == 1
        assert "people" in out
    two = "shares:shares/share-1-Ann.txt,shares/share-2-Bob.txt"
    assert run(["keyring", "list", "--root", two, "--json"]) == ExitCode.KEYRING
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out)["error"] == "RootKeyError"
    assert "share 2 (Bob): line 8 is there twice; line 7 is missing" in json.loads(out)["message"]


# On a terminal.


def lines_of(path: Path) -> list[str]:
    return [line.split(": ")[1] for line in path.read_text().splitlines()[5:-1]]


def test_typed_shares(split: Path) -> None:
    ann, bob = (lines_of(split / f"share-{who}.txt") for who in ("1-Ann", "2-Bob"))
    code_of_dee = printed.compact((split / "share-4-Dee.txt").read_text())
    code, shown = on_terminal(
        ["keyring", "list", "--root", "shares"],
        [*ann, bob[0].lower(), "0" * 30, bob[1].replace(" ", ""), *bob[2:], *ann,
         code_of_dee],
        prompt=LINE,
    )  # fmt: skip
    assert code == 0, shown
    place = -1
    for said in ("3 more shares are needed", "line 1: ", "line 2 of 13: ", "share 1 (Ann) is good",
                 "2 more shares are needed", "line 2, group 1 has a typing error",
                 "share 2 (Bob) is good", "1 more share is needed",
                 "refused: share 1 (Ann) was given already", "1 more share is needed",
                 "share 4 (Dee) is good", "people:1"):  # fmt: skip
        found = shown.find(said, place + 1)
        assert found > place, f"{said!r} in its place"
        place = found
    # Each line is cleared when it has been typed: what is left on the screen has no share.
    assert ann[0] in shown
    assert not any(line in screen(shown) for line in [*ann, *bob])
    assert len(code_of_dee) > 4 * 80
    assert not any(code_of_dee[at : at + 10] in screen(shown) for at in range(len(code_of_dee) - 9))
    assert "share 4 (Dee) is good" in screen(shown)


def screen(shown: str) -> str:
    """Return what a terminal of 80 columns shows in the end."""
    rows = [""]
    for part in re.split("(\x1b\\[1A|\x1b\\[2K|\n)", shown.replace("\r", "")):
        match part:
            case "\x1b[1A":
                assert rows.pop() == "", "nothing is left below"
            case "\x1b[2K":
                rows[-1] = ""
            case "\n":
                rows.append("")
            case _:
                text = rows.pop() + part
                rows += [text[at : at + 80] for at in range(0, len(text), 80)] or [""]
    return "\n".join(rows)


def test_typed_bytes_that_are_no_text(tmp_path: Path) -> None:
    command = ["keyring", "new", str(tmp_path / "new.keys"), "--root", "prompt"]
    code, shown = on_terminal(command, ["secret \udcff"])
    assert code == ExitCode.USAGE, shown
    assert "what was typed is not valid text; set the terminal's locale to UTF-8" in shown
    assert "secret" not in shown


def test_control_d_ends_it(split: Path) -> None:
    ann = lines_of(split / "share-1-Ann.txt")
    code, shown = on_terminal(
        ["keyring", "list", "--root", "shares"], [*ann, ann[0], CONTROL_D, CONTROL_D], prompt=LINE
    )
    assert code == ExitCode.KEYRING
    assert "the lines of this share are dropped" in shown
    assert "1 good share (share 1 (Ann)), and 3 are needed: 2 more of share 2 (Bob)" in shown


def test_files_and_typed_shares(split: Path) -> None:
    root = "shares:shares/share-1-Ann.txt,shares/share-3-Cid.txt,-"
    code, shown = on_terminal(
        ["reveal", "people.csv", "back.csv", "--root", root],
        lines_of(split / "share-4-Dee.txt"),
        prompt=LINE,
    )
    assert code == 0, shown
    assert "1 more share is needed" in shown
    assert Path("back.csv").exists()


def test_what_is_typed_ahead_does_not_go_to_the_shell(split: Path) -> None:
    """The END of a pasted share, which nobody reads."""
    script = (
        "import select, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print('left', len(select.select([0], [], [], 0.2)[0]))"
    )
    pasted = "".join(
        (split / f"share-{who}.txt").read_text() for who in ("1-Ann", "2-Bob", "3-Cid")
    )
    arguments = ["-c", script, str(PROGRAM), "keyring", "list", "--root", "shares"]
    code, shown = on_terminal(arguments, [pasted], program=sys.executable)
    assert code == 0, shown
    assert "people:1" in shown
    assert "left 0" in shown
