# SPDX-License-Identifier: Apache-2.0
"""Many runs on one key ring at once, some of them killed, and a clock that is wrong."""

from __future__ import annotations

import json
import random
import re
import signal

import pytest
from tests.faults.commands import ENVIRONMENT, World, clean, contents
from tests.faults.conftest import ALL
from tests.faults.program import Fault, Server

from keyring_support import infos
from tallystick.keyring import Keyring

COPIES = 8
ROUNDS = 10 if ALL else 2
YEARS = 365 * 86_400


def test_no_version_is_lost_or_given_twice(server: Server, world: World) -> None:
    place = world.place(world.cases["keyring rotate"], "place")
    expected = dict(world.keys)
    for _ in range(ROUNDS):
        arguments = ["keyring", "rotate", "people.keys", "people", "--json"]
        ended = server.run(place, arguments, environment=ENVIRONMENT, copies=COPIES)
        assert ended.codes == [0] * COPIES, ended.err
        made = [json.loads(line)["key"] for line in ended.out.splitlines()]
        assert sorted(made) == sorted({f"people:{len(expected) + n}" for n in range(1, COPIES + 1)})
        ring = Keyring.open(place / "people.keys", world.root)
        found = {str(info.id): ring.key(info.id) for info in infos(ring)}
        assert found.keys() == expected.keys() | set(made)
        assert len(set(found.values())) == len(found), "each version is a key of its own"
        assert {name: found[name] for name in expected} == expected, "what was there is as it was"
        expected = found
    assert set(contents(place)) == {"people.keys", "root.key"}
    clean(place)


def test_half_of_them_killed(server: Server, world: World, chance: random.Random) -> None:
    """What a killed run leaves holds nobody up, and goes with the next change."""
    place = world.place(world.cases["keyring add"], "place")
    expected = dict(world.keys)
    for _ in range(ROUNDS):
        kills = [(chance.uniform(0, 0.2), signal.SIGKILL)]
        arguments = ["keyring", "add", "people.keys", "people"]
        ended = server.run(
            place,
            arguments,
            environment=ENVIRONMENT,
            copies=COPIES,
            kills=kills,
            killed=COPIES // 2,
        )
        assert set(ended.codes[: COPIES // 2]) <= {0, -9}
        assert ended.codes[COPIES // 2 :] == [0] * (COPIES // 2), ended.err
        ring = Keyring.open(place / "people.keys", world.root)
        found = {str(info.id): ring.key(info.id) for info in infos(ring)}
        said = re.findall(rb"added key (people:\d+)", ended.out)
        assert len(said) == len(set(said)) >= COPIES // 2
        assert {name.decode() for name in said} <= found.keys()
        assert {name: found[name] for name in expected} == expected
        assert found.keys() == {f"people:{n}" for n in range(1, len(found) + 1)}
        expected = found
    ended = server.run(place, ["keyring", "add", "people.keys", "last"], environment=ENVIRONMENT)
    assert ended.code == 0
    assert set(contents(place)) == {"people.keys", "root.key"}
    clean(place)


def test_new_rings_of_one_name(server: Server, world: World) -> None:
    """One run makes it, and the others are refused; so with its root key."""
    place = world.place(world.cases["keyring add"], "place")
    for number in range(ROUNDS):
        arguments = ["keyring", "new", f"{number}.keys", "--root", f"file:{number}.key"]
        ended = server.run(place, arguments, copies=COPIES)
        assert sorted(ended.codes) == [0, *[4] * (COPIES - 1)], ended.err
        listed = server.run(
            place, ["keyring", "list", f"{number}.keys", "--root", f"file:{number}.key"]
        )
        assert listed.code == 0, listed.err
    clean(place)


def test_one_target(server: Server, world: World) -> None:
    """Of runs that write one file one wins, and the others say that it exists."""
    case = world.cases["protect csv"]
    place = world.place(case, "place")
    ended = server.run(place, case.arguments.split(), environment=ENVIRONMENT, copies=COPIES)
    assert sorted(ended.codes) == [0, *[6] * (COPIES - 1)], ended.err
    after = contents(place)
    assert set(after) == {*case.files.split(), *case.targets}
    assert case.targets["new.csv"](after["new.csv"])
    clean(place)


@pytest.mark.parametrize("clock", [-10 * YEARS, -60 * YEARS, 200 * YEARS])
def test_a_clock_that_is_wrong(server: Server, world: World, clock: int) -> None:
    """Versions count on, the ring opens, and files are as ever, whatever the clock says."""
    place = world.place(world.cases["protect with a report"], "place")
    wrong = Fault(clock=clock)

    def run(arguments: str, fault: Fault = wrong) -> bytes:
        ended = server.run(place, arguments.split(), fault, environment=ENVIRONMENT)
        assert ended.code == 0, ended.err
        return ended.out

    run("keyring rotate people.keys people")
    run("keyring rotate people.keys people", Fault())
    run("keyring add people.keys people")
    listed = json.loads(run("keyring list people.keys --json"))["keys"]
    assert [key["version"] for key in listed] == [1, 2, 3, 4, 5]
    years = [int(key["created"][:4]) for key in listed]
    assert years[2] == years[4] != years[3] == years[0], "the clock was wrong"
    ring = Keyring.open(place / "people.keys", world.root)
    assert {name: ring.key(name) for name in world.keys} == world.keys
    run("protect people.csv new.csv --report new.html")
    assert (place / "new.csv").read_bytes() == (world.folder / "tokens.csv").read_bytes()
    run("keyring split people.keys --threshold 2 --holder Ann --holder Bob --into out")
    run("keyring list people.keys --root shares:out")
    run("share split people.toml --shares 3 --threshold 2 --name made --form text")
    run("share combine made-1-of-3.txt made-3-of-3.txt --to back")
    assert (place / "back").read_bytes() == (place / "people.toml").read_bytes()
    clean(place)
