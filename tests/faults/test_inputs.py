# SPDX-License-Identifier: Apache-2.0
"""Inputs that change while they are read, and FIFOs where files belong."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.commands import ENVIRONMENT, World, clean, contents
from tests.faults.program import Server

from tallystick import shares
from tallystick.errors import FileError
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file


def cut(path: Path) -> None:
    """Cut a file after a whole line, or a half of it."""
    data = path.read_bytes()
    os.truncate(path, data.rindex(b"\n", 0, len(data) // 2) + 1)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"4815162342999999,Zephyrinusaa,more\n")


def overwrite(path: Path) -> None:
    """Change a byte in place: the size stays."""
    with path.open("r+b") as file:
        file.seek(-2, os.SEEK_END)
        file.write(b"~")


def exchange(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


CHANGES = (cut, grow, overwrite, exchange)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_source_that_changes_makes_no_target(
    world: World, change: Callable[[Path], None], kind: str, threads: int
) -> None:
    case = world.cases[f"protect {kind}"]
    place = world.place(case, "place")
    source, target = place / f"people.{kind}", place / f"new.{kind}"
    changed = threading.Event()

    def progress(done: int, total: int) -> None:
        if not changed.is_set():
            changed.set()
            change(source)

    policy, ring = (
        Policy.load(place / "people.toml"),
        Keyring.open(place / "people.keys", world.root),
    )
    # Of a file that is cut, what is read may be damaged before it is known to have changed.
    message = "people" if change is cut else "changed while it was read"
    with pytest.raises(FileError, match=message):
        protect_file(source, target, policy, ring, RunOptions(progress=progress, threads=threads))
    assert changed.is_set()
    assert not target.exists()
    assert not list(place.glob(".*"))
    clean(place)


@pytest.mark.parametrize("change", CHANGES[:3])
def test_a_file_that_changes_is_not_dispersed(
    world: World, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = world.cases["share split, file"]
    place = world.place(case, "place")
    source = place / "big.bin"
    source.write_bytes(b"some lines\n" * 1_000_000)
    targets = [place / f"{number}.share" for number in range(3)]
    calls: list[int] = []

    def progress(done: int) -> None:
        if not calls:
            change(source)
        calls.append(done)

    with pytest.raises(FileError, match="changed while it was read"):
        shares.disperse(source, targets, threshold=2, progress=progress)
    assert set(contents(place)) == {"big.bin"}
    clean(place)


@pytest.mark.parametrize(
    "arguments",
    [
        "share combine FIFO --to new",
        "share verify FIFO",
        "share info FIFO",
        "keyring list FIFO",
        "keyring list people.keys --root file:FIFO",
        "keyring list people.keys --root shares:FIFO",
        "protect FIFO new.parquet --type parquet",
        "check people.csv --policy FIFO",
        "protect people.csv FIFO --overwrite",
        "protect people.csv new.csv --policy FIFO",
    ],
)
def test_a_pipe_that_nobody_writes_to_is_refused(
    server: Server, world: World, arguments: str
) -> None:
    case = world.cases["protect csv"]
    place = world.place(case, "place")
    os.mkfifo(place / "FIFO")
    before = contents(place)
    ended = server.run(
        place, arguments.split(), environment=ENVIRONMENT, kills=[(10, signal.SIGKILL)]
    )
    assert ended.code in (3, 4, 6, 7), ended.err
    assert contents(place) == before
    clean(place)
