# SPDX-License-Identifier: Apache-2.0
"""The command line killed, or asked to end, at random moments: by the clock, and by lines.

With FAULTS=all each command is killed 25 times, and asked to end as often by either.
"""

from __future__ import annotations

import random
import signal

import pytest
from tests.faults.commands import (
    BESIDE,
    ENVIRONMENT,
    NAMES,
    ORIGINALS,
    World,
    clean,
    contents,
    judge,
)
from tests.faults.conftest import ALL
from tests.faults.program import Server

TIMES = 25 if ALL else 2
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FIRST_LINE, MOST_LINES = 40, 20_000
"""The first one is after the program has begun to handle signals."""


_SECONDS: dict[str, float] = {}


def usual_seconds(server: Server, world: World, name: str) -> float:
    """Return how long a command takes here and now."""
    if name not in _SECONDS:
        case = world.cases[name]
        place = world.place(case, "place")
        ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT)
        assert ended.code == 0, ended.err
        clean(place)
        _SECONDS[name] = ended.seconds
    return _SECONDS[name]


@pytest.mark.parametrize("name", NAMES)
def test_killed_at_random_moments(
    server: Server, world: World, chance: random.Random, name: str
) -> None:
    case, seconds = world.cases[name], usual_seconds(server, world, name)
    for _ in range(TIMES):
        place = world.place(case, "place")
        before = contents(place)
        ended = server.run(
            place,
            case.arguments.split(),
            environment=ENVIRONMENT,
            kills=[(chance.uniform(0, seconds), signal.SIGKILL)],
        )
        assert ended.code in (0, -signal.SIGKILL), ended.err
        judge(case, place, before, ended.code, ended.err, leftovers=ended.code != 0)
        clean(place)


@pytest.mark.parametrize("name", NAMES)
def test_asked_to_end_at_random_moments(
    server: Server, world: World, chance: random.Random, name: str
) -> None:
    """Once, or twice in a row, as by one who is impatient."""
    case, seconds = world.cases[name], usual_seconds(server, world, name)
    for _ in range(TIMES):
        place = world.place(case, "place")
        before = contents(place)
        number = chance.choice(ASKING)
        ask = [(chance.uniform(0, seconds), number)]
        again = [(chance.uniform(0, 0.01), chance.choice(ASKING))] * chance.randrange(2)
        ended = server.run(
            place, case.arguments.split(), environment=ENVIRONMENT, kills=[*ask, *again]
        )
        # Before the program has begun (in the fork) it is the system that ends it.
        expected = {0, *(128 + each for _, each in [*ask, *again])}
        expected |= {-each for _, each in [*ask, *again]} | {99}
        assert ended.code in expected, ended.err
        if ended.code == 99:  # a KeyboardInterrupt in the fork, before the program
            clean(place)
            continue
        judge(case, place, before, ended.code, ended.err)
        clean(place)


@pytest.mark.parametrize("name", NAMES)
def test_asked_to_end_at_a_line(
    server: Server, world: World, chance: random.Random, name: str
) -> None:
    """At any line of Python in the package: places that the clock would seldom hit."""
    case = world.cases[name]
    line = MOST_LINES
    stopped = 0
    for turn in range(TIMES):
        place = world.place(case, "place")
        before = contents(place)
        number = chance.choice(ASKING)
        ended = server.run(
            place,
            case.arguments.split(),
            environment=ENVIRONMENT,
            line=chance.randrange(FIRST_LINE, line),
            number=number,
            again=chance.choice((0, 1, 5, 30)),
        )
        assert ended.code in (0, 128 + number), ended.err
        judge(case, place, before, ended.code, ended.err)
        clean(place)
        stopped += ended.code != 0
        if ended.code == 0 and turn < TIMES - 1:
            line = max(50, line // 2)
    assert stopped or not ALL


def test_a_killed_reveal_leaves_what_the_search_finds(server: Server, world: World) -> None:
    """The documented exception, and the control: such a file is seen where it is."""
    case = world.cases["reveal csv"]
    seconds = usual_seconds(server, world, "reveal csv")
    for percent in range(1, 100):
        place = world.place(case, "place")
        before = contents(place)
        server.run(
            place,
            case.arguments.split(),
            environment=ENVIRONMENT,
            kills=[(seconds * percent / 100, signal.SIGKILL)],
        )
        left = set(contents(place)) - set(before) - set(case.targets)
        found = [n for n in left if any(o in (place / n).read_bytes() for o in ORIGINALS)]
        clean(place)
        if found:
            assert all(map(BESIDE.fullmatch, found))
            return
    raise AssertionError("no kill met a file that was being written")
