# SPDX-License-Identifier: Apache-2.0
"""Standard output that nobody reads, or that has no room, of every command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.faults.commands import ENVIRONMENT, NAMES, World, clean, contents, judge
from tests.faults.conftest import ALL
from tests.faults.program import Server

PRINTING = (
    "keyring list people.keys",
    "preview people.csv",
    "preview tokens.csv --reveal",
    "check people.csv",
    "inspect people.csv",
    "formats",
    "share combine s1.share s2.share --to -",
    "share verify b1.share b2.share",
    "share info s1.share",
    "--help",
    "keyring --help",
    "--version",
)


def unread(folder: Path) -> Path:
    """Return the path of a pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    os.set_inheritable(writer, True)
    return Path(f"/proc/{os.getpid()}/fd/{writer}")


@pytest.mark.parametrize("as_json", ["", " --json"])
@pytest.mark.parametrize("arguments", PRINTING if ALL else PRINTING[::2])
def test_what_prints_only(server: Server, world: World, arguments: str, as_json: str) -> None:
    if as_json and (arguments.endswith("-") or "--" in arguments):
        as_json = ""
    before = contents(world.folder)
    words = (arguments + as_json).split()
    ended = server.run(world.folder, words, environment=ENVIRONMENT, stdout=unread(world.folder))
    assert (ended.code, ended.err) == (141, b"")
    ended = server.run(world.folder, words, environment=ENVIRONMENT, stdout=Path("/dev/full"))
    assert ended.code == 6, ended.err
    assert b"standard output: No space left on device" in ended.err
    assert contents(world.folder) == before


@pytest.mark.parametrize("name", NAMES if ALL else ["rotate csv", *NAMES[::4]])
def test_what_writes_files_has_written_them(server: Server, world: World, name: str) -> None:
    case = world.cases[name]
    place = world.place(case, "place")
    before = contents(place)
    words = [*case.arguments.split(), "--json"]
    ended = server.run(place, words, environment=ENVIRONMENT, stdout=unread(place))
    assert ended.code == 141, ended.err
    new = judge(case, place, before, 0, ended.err)
    assert new == len(case.targets)
    clean(place)
