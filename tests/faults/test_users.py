# SPDX-License-Identifier: Apache-2.0
"""An ordinary user without a permission: the run ends with its code, and changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.faults.commands import ENVIRONMENT, NAMES, Case, Contents, World, clean, contents, judge
from tests.faults.conftest import ALL
from tests.faults.program import Server

NOBODY = 65534
"""Whose id a run takes if ours is root's, whom no mode stops."""


def user() -> int:
    return 0 if os.geteuid() else NOBODY


def handed(world: World, name: str) -> tuple[Case, Path, Contents]:
    """Return a case, and a folder for it that belongs to who runs the commands, with its files."""
    case = world.cases[name]
    place = world.place(case, "place")
    if not os.geteuid():
        for path in (place, *place.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    return case, place, contents(place)


@pytest.mark.parametrize("name", NAMES if ALL else NAMES[::3])
def test_a_folder_that_can_not_be_written(server: Server, world: World, name: str) -> None:
    case, place, before = handed(world, name)
    place.chmod(0o555)
    ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT, user=user())
    assert ended.code == case.code, ended.err
    assert judge(case, place, before, ended.code, ended.err, codes=frozenset({case.code})) == 0
    clean(place)


@pytest.mark.parametrize("name", NAMES if ALL else NAMES[::3])
def test_a_folder_that_can_be_written(server: Server, world: World, name: str) -> None:
    """The control: the same user, with the permission."""
    case, place, before = handed(world, name)
    ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT, user=user())
    assert ended.code == 0, ended.err
    for path in place.rglob("*"):
        os.chown(path, os.geteuid(), os.getegid())  # of a root key that is another's none is taken
    judge(case, place, before, ended.code, ended.err)
    clean(place)


@pytest.mark.parametrize("name", ["protect csv", "share combine, file"])
def test_a_folder_that_can_not_be_listed_is_enough(server: Server, world: World, name: str) -> None:
    """A folder to drop files into: it can't be synced, and that is no failure."""
    case, place, before = handed(world, name)
    place.chmod(0o333)
    ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT, user=user())
    place.chmod(0o755)
    assert ended.code == 0, ended.err
    judge(case, place, before, ended.code, ended.err)
    clean(place)


CODES = {"people.toml": 3, "people.keys": 4, "root.key": 4, "people.csv": 6}


@pytest.mark.parametrize(("file", "code"), CODES.items())
def test_a_file_that_can_not_be_read(server: Server, world: World, file: str, code: int) -> None:
    case, place, before = handed(world, "protect csv")
    (place / file).chmod(0)
    ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT, user=user())
    assert ended.code == code
    assert b"Permission denied" in ended.err
    assert judge(case, place, before, ended.code, ended.err, codes=frozenset({code})) == 0
    clean(place)


@pytest.mark.parametrize(("name", "file"), [("secret", "s1.share"), ("file", "b3.share")])
def test_a_share_that_can_not_be_read(server: Server, world: World, name: str, file: str) -> None:
    case, place, before = handed(world, f"share combine, {name}")
    (place / file).chmod(0)
    ended = server.run(place, case.arguments.split(), user=user())
    assert ended.code == 6
    assert judge(case, place, before, ended.code, ended.err, codes=frozenset({6})) == 0
    clean(place)
