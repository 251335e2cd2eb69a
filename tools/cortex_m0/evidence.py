# SPDX-License-Identifier: Apache-2.0
"""All that docs/leakage.md states: what code costs, t-tests, and correlation attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import campaign, cpa, images
from .board import Board
from .campaign import Work
from .cpa import Attack
from .emulator import Cost
from .images import Variant
from .lanes import Leak
from .mailbox import Command
from .ttest import THRESHOLD, Points

NOISE = 8.0
"""The stated level, in bits: as much as a 32-bit register at random has, times 2.8."""
CHANCE = 6.8e-6
"""How often |t| of a point that does not leak is above 4.5."""
ATTACKED = (0, 5, 10, 15)
SOME_TRACES = (200, 1000)


@dataclass(frozen=True)
class Test:
    """Fixed-versus-random traces of one work."""

    title: str
    work: Work
    variant: Variant
    masks: bool
    points: Points

    def above(self, order: int, noise: float = 0.0) -> dict[Leak, int]:
        """Return how many points of each kind are above the threshold."""
        t = self.t(order, noise)
        return {
            leak: int((np.abs(t[self.points.leaks == leak]) > THRESHOLD).sum()) for leak in Leak
        }

    def t(self, order: int, noise: float = 0.0) -> np.ndarray:
        """Return t of each point."""
        chosen = self.points.first_order if order == 1 else self.points.second_order
        return chosen(noise)

    def functions(self, leaks: Sequence[Leak]) -> Counter[str]:
        """Return in which functions points of some kinds are above the threshold."""
        image = images.build(self.variant)
        at = np.isin(self.points.leaks, leaks) & (np.abs(self.t(1)) > THRESHOLD)
        addresses = Counter(self.points.addresses[at].tolist())
        found: Counter[str] = Counter()
        for address, count in addresses.items():
            found[image.place(address).partition("+")[0]] += count
        return found


@dataclass(frozen=True)
class Attacks:
    """Correlation attacks under one condition."""

    title: str
    attacks: list[Attack]


@dataclass(frozen=True)
class Evidence:
    """One run."""

    traces: int
    costs: dict[tuple[Variant, str], Cost]
    tests: list[Test]
    attacks: list[Attacks]


def costs(variants: Sequence[Variant]) -> dict[tuple[Variant, str], Cost]:
    """Return what a key and blocks take, by build and work; all as AES-128."""
    found = {}
    for variant in variants:
        board = Board(images.build(variant))
        found[variant, "key expansion"] = board.set_key(campaign.KEY, bytes(16))
        found[variant, "one block"] = board.crypt(bytes(16))[1]
        found[variant, "two blocks"] = board.crypt(bytes(32))[1]
        found[variant, "two blocks, decrypted"] = board.crypt(bytes(32), decrypt=True)[1]
        board.slice(bytes(32), bytes(32))
        found[variant, "a shared state"] = board.ask(Command.ENCRYPT_STATE)[0]
    return found


def gather(traces: int, say: Callable[[str], None]) -> Evidence:
    """Do everything, and say what is being done."""
    tests = []
    plan = [(f"{work.name}", work, images.SAFE, True) for work in campaign.WORKS]
    plan.append(("masks off", campaign.ENCRYPT, images.SAFE, False))
    plan.append(("gcc -O3 without barriers", campaign.ENCRYPT, images.UNSAFE, True))
    for title, work, variant, masks in plan:
        say(f"{traces} traces: {title}")
        points = campaign.fixed_versus_random(images.build(variant), work, traces, masks=masks)
        tests.append(Test(title, work, variant, masks, points))
    attacks = []
    everything = tuple(Leak)
    for title, masks, leaks, count in (
        *(("masks off, values", False, (Leak.RESULT,), n) for n in SOME_TRACES),
        ("masks off, values", False, (Leak.RESULT,), traces),
        ("masks on, values", True, (Leak.RESULT,), traces),
        ("masks on, values and changes", True, everything, min(traces, 4096)),
    ):
        say(f"{count} traces: correlation, {title}")
        image = images.build(images.SAFE)
        attacks.append(
            Attacks(
                title, cpa.attack(image, count, masks=masks, leaks=leaks, bytes_of_key=ATTACKED)
            )
        )
    return Evidence(traces, costs((images.SAFE, images.ZIG)), tests, attacks)
