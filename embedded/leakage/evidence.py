# SPDX-License-Identifier: Apache-2.0
"""All that docs/explanation/leakage.md states: t-tests, and correlation attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from embedded.emulator import images
from embedded.emulator.images import Variant
from embedded.emulator.leaks import CHIP, OTHERS, REMOVED, Leak
from numpy.typing import NDArray

from . import campaign, cpa
from .campaign import Work
from .cpa import Attack
from .public import are_public
from .ttest import THRESHOLD, Points, agree, corrected

NOISE = 8.0
"""The stated level, in bits: as much as a 32-bit register at random has, times 2.8."""
CHANCE = 6.8e-6
"""How often |t| of a point that does not leak is above 4.5."""
ATTACKED = (0, 5, 10, 15)
SOME_TRACES = (200, 1000)
CONTROL_TRACES = 4096
FEWER = 10
"""By how much fewer traces other builds than `WHOLE` have."""
WHOLE = (images.REGISTER, images.SAFE)
"""The builds of the assembly that have all traces: one for each way to take masks."""
EVERYTHING = tuple(Leak)
ATTACKED_KINDS = tuple(sorted(CHIP))


@dataclass(frozen=True)
class Test:
    """Fixed-versus-random traces of one work.

    Attributes
    ----------
    again
        A second run with other masks and inputs, if the masks are on and points that are not public
        were above the threshold.
    public
        Which points were above it and show nothing but plaintexts and ciphertexts.
    """

    work: Work
    variant: Variant
    masks: bool
    points: Points
    again: Points | None
    public: NDArray[np.bool_]

    def t(self, order: int = 1, noise: float = 0.0) -> NDArray[np.float64]:
        """Return |t| of each point."""
        chosen = self.points.first_order if order == 1 else self.points.second_order
        return np.abs(chosen(noise))

    def above(self, order: int = 1, noise: float = 0.0) -> NDArray[np.bool_]:
        """Return which points are above the threshold."""
        return self.t(order, noise) > THRESHOLD

    @property
    def limit(self) -> float:
        """The threshold for all points that are not public, corrected for their number."""
        return corrected(int((~self.public).sum()))

    def confirmed(self) -> NDArray[np.bool_]:
        """Return which points are above it in both runs with the same sign, and not public."""
        if self.again is None:
            return np.zeros_like(self.public)
        return agree(self.points.first_order(), self.again.first_order()) & ~self.public

    def leaking(self) -> NDArray[np.bool_]:
        """Return which points leak: those that are confirmed, or above `limit` in one run."""
        found = self.t() > self.limit
        if self.again is not None:
            found |= np.abs(self.again.first_order()) > self.limit
        return self.confirmed() | found & ~self.public

    def count(self, chosen: NDArray[np.bool_], leaks: Sequence[Leak] = EVERYTHING) -> int:
        """Return how many of the chosen points are of some kinds."""
        return int((chosen & np.isin(self.points.leaks, leaks)).sum())

    def functions(self, chosen: NDArray[np.bool_]) -> Counter[str]:
        """Return how many of the chosen points are in which functions."""
        image = images.build(self.variant)
        places = (image.place(at) for at in self.points.addresses[chosen].tolist())
        return Counter(place.partition("+")[0] for place in places)


@dataclass(frozen=True)
class Attacks:
    """Correlation attacks under one condition."""

    title: str
    attacks: list[Attack]


@dataclass(frozen=True)
class Evidence:
    """One run; of controls, masked AES as it is not to be."""

    traces: int
    tests: list[Test]
    controls: list[Test]
    attacks: list[Attacks]
    others: list[Test] = field(default_factory=list)
    """Of the kinds that the assembly shows."""


def test(
    variant: Variant,
    work: Work,
    traces: int,
    masks: bool = True,
    kinds: frozenset[Leak] = REMOVED,
) -> Test:
    """Take traces, and those that confirm them where it needs any."""
    image = images.build(variant)
    points = campaign.fixed_versus_random(image, work, traces, masks=masks, kinds=kinds)
    above = np.abs(points.first_order()) > THRESHOLD
    again, public = None, np.zeros_like(above)
    if masks and work.is_public:
        public = are_public(image, work, points, above, kinds=kinds)
    if masks and (above & ~public).any():
        again = campaign.fixed_versus_random(image, work, traces, seed=1, kinds=kinds)
    return Test(work, variant, masks, points, again, public)


def gather(traces: int, say: Callable[[str], None]) -> Evidence:
    """Run all tests, and report progress."""
    tests = []
    for variant in images.EVALUATED:
        for work in campaign.WORKS:
            count = traces if variant in WHOLE else max(traces // FEWER, 1000)
            say(f"{count:,} traces: {variant.title}, {work.name}")
            tests.append(test(variant, work, count))
    controls = []
    for variant, masks in (
        (images.REGISTER, False),
        (images.PORTABLE, True),
        (images.UNSAFE, True),
    ):
        count = max(traces // FEWER, 1000)
        say(f"{count:,} traces: control, {variant.title}, masks {'on' if masks else 'off'}")
        controls.append(test(variant, campaign.ENCRYPT, count, masks))
    others = []
    for work in campaign.SECRET:
        count = min(traces, CONTROL_TRACES)
        say(f"{count:,} traces: kinds that the assembly shows, {work.name}")
        others.append(test(images.REGISTER, work, count, kinds=OTHERS))
    attacks = []
    values = (Leak.RESULT,)
    for title, variant, masks, leaks, count in (
        *(("masks off, values", images.REGISTER, False, values, n) for n in SOME_TRACES),
        ("masks off, values and changes", images.REGISTER, False, ATTACKED_KINDS, traces),
        ("masks on, values and changes", images.REGISTER, True, ATTACKED_KINDS, traces),
        (
            "portable C, masks on, values and changes",
            *(images.PORTABLE, True, ATTACKED_KINDS, min(traces, CONTROL_TRACES)),
        ),
    ):
        say(f"{count:,} traces: correlation, {title}")
        found = cpa.attack(
            images.build(variant), count, masks=masks, leaks=leaks, bytes_of_key=ATTACKED
        )
        attacks.append(Attacks(title, found))
    return Evidence(traces, tests, controls, attacks, others)
