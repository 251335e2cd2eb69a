# SPDX-License-Identifier: Apache-2.0
"""All commands with keys, passphrases, shares and values that would be recognised.

What a run prints, the arguments and environment of its process, and all files that it leaves are
searched for them, raw and in the forms of `search.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.leaks.search import seen, text_traces, traces
from tests.leaks.watch import Watched, watched

from keyring_support import infos
from program import on_terminal
from tallystick._core import ffi
from tallystick.keyring import Keyring, RootKey
from tallystick.keyring.seal import Subkeys

PROGRAM = Path(sys.executable).with_name("tallystick")
ROOT = bytes.fromhex("f00dfacec0ffee00d15ea5ed0defacedbeefcafe5eed5afe0ddba11fa57ba5e5")
PHRASE = "marzipan trombone 58 kestrel"
SECRET = "sarsaparilla-0441-vault-code"  # noqa: S105
NUMBER, NAME, WRONG = "4815162342108", "Zephyrinusqv", "Quxotica#!7-invalid"
POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:1", namespace = "name" }
"""
TYPED = "share split --prompt --shares 2 --threshold 2 --name typed"
HOLDERS = "--holder Ann --holder Bob --threshold 2"
SETTINGS = {
    "TALLYSTICK_POLICY": "people.toml",
    "TALLYSTICK_KEYRING": "people.keys",
    "TALLYSTICK_ROOT": "file:root.key",
}

COMMANDS: dict[str, tuple[int, Collection[str]]] = {
    "--help": (0, ()),
    "keyring new people.keys": (0, ()),
    "keyring add people.keys people": (0, ()),
    "keyring rotate people.keys people": (0, ()),
    "keyring list people.keys": (0, ()),
    "keyring list people.keys --root env:MY_ROOT": (0, ()),
    f"keyring list people.keys --root file:{ROOT.hex()}": (2, ()),
    "keyring list people.keys --root env:MY_SECRET": (4, ()),
    "keyring new other.keys --root file:secret.txt": (4, ()),
    "inspect people.csv --write-policy draft.toml --json": (0, ()),
    "check people.csv --json": (0, ()),
    "check invalid.csv": (3, ()),
    "preview people.csv": (0, {"value"}),
    "protect people.csv tokens.csv --report run.html": (0, ()),
    "protect people.parquet tokens.parquet": (0, ()),
    "protect invalid.csv nothing.csv": (5, ()),
    "protect invalid.parquet nothing.parquet --json": (5, ()),
    "protect broken.parquet nothing.parquet": (6, ()),
    "protect cut.csv nothing.csv": (6, ()),
    "reveal tokens.csv back.csv --report back.html": (0, ()),
    "reveal tokens.parquet back.parquet --report backs.html": (0, ()),
    "reveal invalid.csv nothing.csv": (5, ()),
    "rotate tokens.csv new.csv --key people:1=people:2 --write-policy new.toml": (0, ()),
    "rotate tokens.csv newer.csv --key people:1=people:2 --report new.html": (0, ()),
    "rotate tokens.parquet new.parquet --key people:1=people:2 --report news.html": (0, ()),
    "reveal new.parquet newest.parquet --policy new.toml": (0, ()),
    "formats": (0, ()),
    f"keyring split people.keys {HOLDERS} --into held": (0, ()),
    "keyring list people.keys --root shares:held": (0, ()),
    f"keyring reshare people.keys --root shares:held {HOLDERS} --into held2 --json": (0, ()),
    "keyring list people.keys --root shares:held/share-1-Ann.txt,secret.txt": (4, ()),
    "keyring add people.keys more --root shares:held2": (0, ()),
    "share split secret.txt --shares 2 --threshold 2 --name made --label test": (0, ()),
    "share split - --shares 2 --threshold 2 --name piped": (0, ()),
    "share split secret.txt --shares 2 --threshold 2 --name coded --qr": (0, ()),
    "share verify made-1-of-2.txt made-2-of-2.txt": (0, ()),
    "share info made-1-of-2.txt": (0, ()),
    "share combine made-1-of-2.txt secret.txt people.csv --to nothing": (7, ()),
    "share combine made-1-of-2.txt made-2-of-2.txt --to -": (0, {"secret"}),
    "share combine made-1-of-2.txt made-2-of-2.txt --to secret.back": (0, ()),
    "share split people.csv --shares 2 --threshold 2 --name big --form binary": (0, ()),
    "share combine big-1-of-2.share big-2-of-2.share --to people.back": (0, ()),
}
"""The command lines in order, how each ends, and which secrets it is asked to print."""

_VALUES = (
    *("people.csv", "people.parquet", "back.csv", "back.parquet", "newest.parquet", "people.back"),
    *("invalid.csv", "invalid.parquet"),
)
_HELD = [f"{held}/share-{who}.txt" for held in ("held", "held2") for who in ("1-Ann", "2-Bob")]
_SPLIT = [f"{name}-{n}-of-2.txt" for name in ("made", "piped", "typed", "coded") for n in (1, 2)]
MAY_HAVE: dict[str, frozenset[str]] = {
    "root.key": frozenset({"root"}),
    **dict.fromkeys(("secret.txt", "secret.back"), frozenset({"secret"})),
    **dict.fromkeys((*_VALUES, "cut.csv", "broken.parquet"), frozenset({"value"})),
    **dict.fromkeys((*_HELD, *_SPLIT), frozenset({"share"})),
}
"""Which files may have which secrets: sources, what was revealed or recovered, and shares."""


class Traces:
    """The secrets by name, as far as they are known by now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.forms: dict[str, set[bytes]] = {
            "root": traces(ROOT),
            "phrase": text_traces(PHRASE),
            "secret": text_traces(SECRET),
            "value": text_traces(NUMBER) | text_traces(NAME) | text_traces(WRONG),
            "key": set(),
            "share": set(),
        }

    def learn(self) -> None:
        """Take in keys of the ring, and shares, as they are in the folder."""
        shares = [*self.folder.glob("*held*/*.txt"), *self.folder.glob("*-of-2.txt")]
        for path in shares:
            pairs = [line.strip().partition(":") for line in path.read_text().splitlines()]
            lines = [text.strip() for number, _, text in pairs if number.isdigit()]
            # The first line is what all shares of a set have, and the last one may be short.
            assert len(lines) > 3
            for line in lines[2:-1]:
                self.forms["share"] |= {line.encode(), line.replace(" ", "").encode()}
        ring = self.folder / "people.keys"
        root = RootKey.parse(f"file:{self.folder / 'root.key'}")
        if ring.exists() and not self.folder.joinpath("held").exists():
            opened = Keyring.open(ring, root)
            subkeys = Subkeys.derive(ROOT, opened.id)
            secrets = [ffi.buffer(key, 32)[:] for key in (subkeys.wrapping, subkeys.authentication)]
            secrets += [opened.key(info.id) for info in infos(opened)]
            for secret in secrets:
                self.forms["key"] |= traces(secret)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("leaks")
    for name in ("work", "tmp", "home"):
        (folder / name).mkdir()
    work = folder / "work"
    (work / "root.key").write_text(ROOT.hex() + "\n")
    (work / "root.key").chmod(0o600)
    (work / "people.toml").write_text(POLICY)
    (work / "secret.txt").write_text(SECRET)
    for name, last in (("people", NAME), ("invalid", WRONG)):
        numbers, names = [NUMBER] * 200, [*[NAME] * 199, last]
        rows = "".join(f"{n},{v}\n" for n, v in zip(numbers, names, strict=True))
        (work / f"{name}.csv").write_text("id,name\n" + rows)
        pq.write_table(
            pa.table({"id": numbers, "name": names}), work / f"{name}.parquet", compression="none"
        )
    (work / "cut.csv").write_text(f'id,name\n{NUMBER},"{NAME}\n')
    whole = (work / "people.parquet").read_bytes()
    (work / "broken.parquet").write_bytes(whole[:200] + bytes(50) + whole[250:])
    return folder


def environment(place: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        **SETTINGS,
    }


@pytest.fixture(scope="module")
def runs(place: Path) -> tuple[dict[str, Watched], Traces]:
    """Run all commands in their order."""
    work, done = place / "work", {}
    known = Traces(work)
    for command in COMMANDS:
        secret = {"MY_ROOT": ROOT.hex()} if "MY_ROOT" in command else {}
        secret |= {"MY_SECRET": SECRET} if "MY_SECRET" in command else {}
        done[command] = watched(
            [PROGRAM, *command.split()], work, environment(place) | secret, SECRET.encode()
        )
        if command.startswith("keyring") or "split" in command:
            known.learn()
    phrase = ["keyring", "new", "phrase.keys", "--root", "prompt"]
    before = Path.cwd()
    os.chdir(work)
    try:
        code, shown = on_terminal(phrase, [PHRASE, PHRASE])
        wrong_code, wrong = on_terminal(
            ["keyring", "list", "phrase.keys", "--root", "prompt"], [PHRASE + " no"]
        )
        secret_code, split = on_terminal(TYPED.split(), [SECRET, SECRET])
    finally:
        os.chdir(before)
    assert (code, wrong_code, secret_code) == (0, 4, 0), shown + wrong + split
    done["typed"] = Watched(out=(shown + wrong + split).encode())
    known.learn()
    assert all(known.forms.values())
    return done, known


Runs = tuple[dict[str, Watched], Traces]


def test_each_command_ends_as_it_should(runs: Runs) -> None:
    for command, (code, _) in COMMANDS.items():
        assert runs[0][command].code == code, (command, runs[0][command].err)


def test_nothing_that_is_printed_has_a_secret(runs: Runs) -> None:
    done, known = runs
    for command, run in done.items():
        asked = set(COMMANDS.get(command, (0, ()))[1])
        assert seen(known.forms, run.out) == asked, command
        assert seen(known.forms, run.err) == set(), command


def test_no_process_shows_a_secret(runs: Runs) -> None:
    done, known = runs
    looked_at = 0
    for command, run in done.items():
        own = command.encode()
        for arguments in run.arguments:
            # A key that somebody writes into a command line is there; the run refuses it.
            assert seen(known.forms, arguments.replace(own, b"")) <= seen(known.forms, own)
        for environ in run.environment:
            looked_at += 1
            allowed = (
                {"root"}
                if "MY_ROOT" in command
                else {"secret"}
                if "MY_SECRET" in command
                else set()
            )
            assert seen(known.forms, environ) <= allowed, command
        assert run.children == set(), command
    assert looked_at or os.geteuid(), "only root may look at all of them"


def test_no_file_has_a_secret_that_it_must_not(runs: Runs, place: Path) -> None:
    _, known = runs
    work = place / "work"
    for path in place.rglob("*"):
        if path.is_file():
            name = str(path.relative_to(work)) if path.is_relative_to(work) else str(path)
            assert seen(known.forms, path.read_bytes()) <= MAY_HAVE.get(name, frozenset()), name
    assert not list((place / "tmp").iterdir())
    assert not list((place / "home").iterdir())
    for name in (
        *("people.csv", "back.csv", "back.parquet", "newest.parquet", "people.back", "secret.back"),
        *("held/share-1-Ann.txt", "coded-1-of-2.txt"),
    ):
        assert seen(known.forms, (work / name).read_bytes()), "the search finds what is there"
    for name in (
        *("tokens.csv", "tokens.parquet", "new.csv", "newer.csv", "new.parquet", "people.keys"),
        *("run.html", "back.html", "backs.html", "new.html", "news.html", "coded-1-of-2.png"),
    ):
        assert (work / name).exists()


def test_a_traceback_has_no_key(runs: Runs, place: Path) -> None:
    """An unforeseen error in the middle of a run, shown as TALLYSTICK_DEBUG=1 shows it."""
    broken = (
        "import sys; from tallystick import protection; from tallystick.cli import main\n"
        "def fail(source, target, rules, ring, options):\n"
        "    key = ring.key('people:1'); root = open('root.key').read()\n"
        "    raise ZeroDivisionError\n"
        "protection.protect_file = fail\n"
        "sys.argv[1:] = 'protect people.csv nothing.csv --keyring old.keys'.split()\n"
        "main()\n"
    )
    work = place / "work"
    old = Keyring.create(work / "old.keys", RootKey.parse(f"file:{work / 'root.key'}"))
    old.add("people")
    known = runs[1].forms | {"old": traces(old.key("people:1"))}
    run = watched(
        [sys.executable, "-c", broken], work, environment(place) | {"TALLYSTICK_DEBUG": "1"}
    )
    assert run.code == 1
    assert b"Traceback" in run.err
    assert b"ZeroDivisionError" in run.err
    assert seen(known, run.out + run.err) == set()


LEAKS = {
    "arguments": "import sys, time; time.sleep(0.5)",
    "output": "print('key', {root!r})",
    "error": "import base64, sys; sys.exit(base64.b64encode(b'=' + {root!r}).decode())",
    "file": "import os; open(os.environ['TMPDIR'] + '/x', 'w').write(str(list({root!r})))",
    "child": "import subprocess, sys; subprocess.run(['sleep', '0.5'])",
}


@pytest.mark.parametrize("where", LEAKS)
def test_a_leak_that_is_planted_is_found(tmp_path: Path, where: str) -> None:
    """The control: a program that leaks the root key in one place or another."""
    more = [ROOT.hex()] if where == "arguments" else []
    code = LEAKS[where].format(root=ROOT)
    given = {**os.environ, "TMPDIR": str(tmp_path), "NOTHING": ""}
    run = watched([sys.executable, "-c", code, *more], tmp_path, given)
    needles = {"root": traces(ROOT)}
    program = code.encode()
    found = {
        "arguments": any(seen(needles, each.replace(program, b"")) for each in run.arguments),
        "output": bool(seen(needles, run.out)),
        "error": bool(seen(needles, run.err)),
        "file": any(seen(needles, path.read_bytes()) for path in tmp_path.iterdir()),
        "child": bool(run.children),
    }
    assert found == {name: name == where for name in LEAKS}
