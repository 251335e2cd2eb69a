# SPDX-License-Identifier: Apache-2.0
"""Look for a cheaper S-box: `python -m embedded.circuit.search sub_bytes --minutes 10`.

It writes `sub_bytes.schedule` or `inverse_sub_bytes.schedule`. `python -m embedded.circuit` makes
assembly of them. A schedule that is there is where it begins, unless `--anew` is given.
"""

from __future__ import annotations

import argparse
import time

from embedded.emulator.leaks import REMOVED, Leak

from . import __main__ as generator
from . import circuits, cortex_m0, thumb_schedule
from .thumb import Code, Effect, LeakError, Make
from .thumb_sbox import Sbox
from .thumb_schedule import Schedule

ROUND = 1000
"""Tries between two reports."""
PRICE, TRIES, MOST_ROUNDS, HEAT = 10_000, 150, 80, 30.0


class Priced(Code):
    """Code in which an instruction may leak, for a price in cycles: a search moves it elsewhere."""

    def _separate(self, make: Make, operands: tuple[str, ...], spoilt: str | None) -> Effect:
        try:
            return super()._separate(make, operands, spoilt)
        except LeakError:
            self.cycles += PRICE
            return make(*operands)


def without(name: str, kinds: frozenset[Leak], rounds: int) -> Code:
    """Return an S-box that shows none of some kinds, in an order sought from the present one.

    The search has `rounds`. Where something still leaks, steps that lose cycles are allowed until
    nothing does, and as many rounds without them follow.

    Raises
    ------
    LeakError
        The search was too short.
    """
    circuit = cortex_m0.sboxes(circuits.read(generator.SBOX))[name]
    schedule = thumb_schedule.parse(cortex_m0.schedule_path(name).read_text())
    priced = cortex_m0.begun(circuit, kinds, Priced)
    cost, end = PRICE, rounds
    for seed in range(MOST_ROUNDS):
        leaks = seed >= end and cost >= PRICE
        schedule, cost = thumb_schedule.improved(schedule, priced, TRIES, seed, HEAT * leaks)
        if leaks and cost < PRICE:
            end = seed + 1 + rounds
        if seed + 1 >= end and cost < PRICE:
            break
    code, _ = thumb_schedule.written(schedule, cortex_m0.begun(circuit, kinds))
    code.finish()
    return code


def begin(name: str, seeds: int) -> Schedule:
    """Return the best schedule of some that are made anew."""
    circuit = cortex_m0.sboxes(circuits.read(generator.SBOX))[name]
    best: tuple[int, Schedule] | None = None
    for seed in range(seeds):
        try:
            sbox = Sbox(circuit, cortex_m0.STATE, seed, REMOVED, weight=0.5 * (seed % 5), noise=0.3)
            found = thumb_schedule.raised(thumb_schedule.abstract(sbox.code.operations))
            code, _ = thumb_schedule.written(found, cortex_m0.begun(circuit))
        except LeakError:
            continue
        print(f"{name}: seed {seed}, {sbox.code.cycles} and {code.cycles} cycles", flush=True)
        if best is None or code.cycles < best[0]:
            best = code.cycles, found
    if best is None:
        raise LeakError("no seed gives a schedule")
    return best[1]


def main() -> None:
    """Search, and write what is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["sub_bytes", "inverse_sub_bytes"])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=10, help="of new schedules")
    parser.add_argument("--heat", type=float, default=0.0, help="cycles that a step may lose")
    parser.add_argument("--anew", action="store_true")
    options = parser.parse_args()
    path = cortex_m0.schedule_path(options.name)
    if options.anew or not path.exists():
        schedule = begin(options.name, options.seeds)
    else:
        schedule = thumb_schedule.parse(path.read_text())
    begun = cortex_m0.begun(cortex_m0.sboxes(circuits.read(generator.SBOX))[options.name])
    best, end, seed = 1 << 30, time.monotonic() + 60 * options.minutes, 0
    while time.monotonic() < end:
        seed += 1
        schedule, cost = thumb_schedule.improved(schedule, begun, ROUND, seed, options.heat)
        print(f"{options.name}: {seed * ROUND} tries, {cost} cycles", flush=True)
        if cost < best:
            best = cost
            head = "# Found by `python -m embedded.circuit.search`: see thumb_schedule.py.\n"
            path.write_text(head + schedule.text())


if __name__ == "__main__":
    main()
