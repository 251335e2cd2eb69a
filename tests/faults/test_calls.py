# SPDX-License-Identifier: Apache-2.0
"""Each call of the system that writes, removes or reads fails once, or from there on, or is last.

In a sample one call of each command is chosen for each way; with FAULTS=all it is every one.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Iterator

import pytest
from tests.faults.commands import ENVIRONMENT, NAMES, Case, World, clean, contents, judge
from tests.faults.conftest import ALL
from tests.faults.program import Calls, Ended, Fault, Kind, Server

KILLS = (Kind.KILL_BEFORE, Kind.KILL_AMID, Kind.KILL_AFTER)
READ_CODES = frozenset({3, 4, 6, 7})
"""How a run may end whose policy, key ring, source or shares can't be read."""


def test_all_commands_are_named(world: World) -> None:
    assert sorted(NAMES) == sorted(world.cases)


_COUNTS: dict[tuple[str, Calls], int] = {}


class Tries:
    """Runs of one command, each in a folder as it was."""

    def __init__(self, server: Server, world: World, name: str, chance: random.Random) -> None:
        self.server, self.case, self.world, self.chance = server, world.cases[name], world, chance

    def run(self, fault: Fault) -> tuple[Ended, int]:
        """Run it, judge what it left, and return how many targets are new."""
        place = self.world.place(self.case, "place")
        before = contents(place)
        ended = self.server.run(place, self.case.arguments.split(), fault, environment=ENVIRONMENT)
        killed = fault.kind in KILLS and ended.code == -9
        if ended.hit and not killed and fault.groups & Calls.READS:
            codes = READ_CODES
        else:
            codes = frozenset({self.case.code, *([-9] if killed else [])})
        new = judge(
            self.case,
            place,
            before,
            ended.code,
            ended.err,
            leftovers=killed or bool(fault.groups & Calls.UNLINKS),
            codes=codes,
        )
        clean(place)
        return ended, new

    def at(self, groups: Calls, kind: Kind, error: int = 0) -> Iterator[tuple[Ended, int, Case]]:
        """Run it with that at each call, or at some."""
        known = (self.case.arguments, groups)
        if known not in _COUNTS:
            _COUNTS[known] = self.run(Fault(groups=groups))[0].calls
        count = _COUNTS[known]
        assert count > 0
        calls = list(range(1, count + 1))
        if not ALL:
            calls = [self.chance.choice(calls)]
        for at in calls:
            yield *self.run(Fault(kind, groups, at, error)), self.case


@pytest.fixture
def tries(
    request: pytest.FixtureRequest, server: Server, world: World, chance: random.Random
) -> Tries:
    return Tries(server, world, request.param, chance)


every = pytest.mark.parametrize("tries", NAMES, indirect=True)


@every
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
def test_a_call_that_fails_once(tries: Tries, error: int) -> None:
    """A run may go on without what failed (a link, a directory's sync), or ends with its code."""
    for ended, _, _ in tries.at(Calls.WRITES | Calls.UNLINKS, Kind.FAIL, error):
        assert ended.hit


@every
def test_a_disk_that_is_full_from_there_on(tries: Tries) -> None:
    for ended, new, case in tries.at(Calls.WRITES, Kind.FAIL_ON, errno.ENOSPC):
        assert ended.hit
        assert ended.code == case.code or new == len(case.targets)


@every
def test_nothing_can_be_removed_either(tries: Tries) -> None:
    """A disk that has become read-only."""
    for ended, _, _ in tries.at(Calls.WRITES | Calls.UNLINKS, Kind.FAIL_ON, errno.EROFS):
        assert ended.hit


@every
@pytest.mark.parametrize("kind", KILLS)
def test_killed_at_a_call(tries: Tries, kind: Kind) -> None:
    for ended, _, _ in tries.at(Calls.WRITES | Calls.UNLINKS, kind):
        assert ended.code == -9


@every
def test_what_can_not_be_read(tries: Tries) -> None:
    for ended, _, _ in tries.at(Calls.READS, Kind.FAIL, errno.EIO):
        assert ended.hit


@every
def test_short_and_interrupted_calls_change_nothing(tries: Tries) -> None:
    ended, new = tries.run(Fault(Kind.SHORT, Calls.WRITES | Calls.READS))
    assert (ended.code, new) == (0, len(tries.case.targets))
