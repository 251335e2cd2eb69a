# SPDX-License-Identifier: Apache-2.0
"""The evidence as tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from embedded.emulator import images
from embedded.emulator.lanes import Leak
from embedded.emulator.tables import table

from .evidence import CHANCE, NOISE, Attacks, Evidence, Test

CHANGES = tuple(leak for leak in Leak if leak is not Leak.RESULT)


def of_leakage(evidence: Evidence) -> str:
    """Return the tables of docs/explanation/leakage.md."""
    everything = [*evidence.tests, *evidence.controls]
    parts = [
        f"{2 * evidence.tests[0].points.traces:,} traces each, without noise, first order. "
        "*By chance*: the points above 4.5 to expect if none leaks. *Again*: points that are not "
        "public and are above 4.5 in a second run too.\n",
        table(
            (
                "",
                "points",
                "by chance",
                "above 4.5",
                "public",
                "again",
                "largest \\|t\\|, not public",
            ),
            [_first(test) for test in evidence.tests],
        ),
        "Public points, by function:\n",
        table(("", "points"), _functions(evidence.tests)),
        "Controls, which must leak:\n",
        table(
            ("", "points", "values", "largest \\|t\\|", "changes", "largest \\|t\\|"),
            [_control(test) for test in evidence.controls],
        ),
        "Changes of the controls, by place:\n",
        table(
            ("", *(leak.name.lower().replace("_", " ") for leak in CHANGES)),
            [
                (title(test), *(f"{test.count(test.above(), [leak]):,}" for leak in CHANGES))
                for test in evidence.controls
            ],
        ),
        f"Points above 4.5 with Gaussian noise of {NOISE:g} bits, and at second order:\n",
        table(
            ("", "first order, noise", "second order", "second order, noise"),
            [
                (title(test), *(f"{test.above(*how).sum():,}" for how in _HOW))
                for test in everything
                if test.variant not in (images.SAFE, images.ZIG)
            ],
        ),
        "Correlation attacks on bytes 0, 5, 10 and 15 of the key:\n",
        table(
            ("", "traces", "found", "key byte's correlation", "best other guess"),
            [_attack(attacks) for attacks in evidence.attacks],
        ),
    ]
    return "\n".join(parts)


_HOW = ((1, NOISE), (2, 0.0), (2, NOISE))


def title(test: Test) -> str:
    """Return the name of a test."""
    return f"{test.variant.title}: {test.work.name}{'' if test.masks else ', masks off'}"


def _first(test: Test) -> tuple[str, ...]:
    others = test.t()[~test.public]
    counts = (test.above(), test.public, test.confirmed())
    return (
        title(test),
        f"{len(others) + test.public.sum():,}",
        f"{len(others) * CHANCE:.1f}",
        *(f"{chosen.sum():,}" for chosen in counts),
        f"{others.max(initial=0):.1f}",
    )


def _control(test: Test) -> tuple[str, ...]:
    t = test.t()
    cells = [title(test), f"{len(t):,}"]
    for leaks in ((Leak.RESULT,), CHANGES):
        mine = np.isin(test.points.leaks, leaks)
        cells += [f"{test.count(test.above(), leaks):,}", f"{t[mine].max(initial=0):,.1f}"]
    return tuple(cells)


def _functions(tests: Iterable[Test]) -> list[tuple[str, str]]:
    return [
        (title(test), ", ".join(f"`{name}` {count:,}" for name, count in found.most_common()))
        for test in tests
        if (found := test.functions(test.public))
    ]


def _attack(attacks: Attacks) -> tuple[str, ...]:
    found = sum(one.found for one in attacks.attacks)
    keys = [one.of_key for one in attacks.attacks]
    others = [one.of_others for one in attacks.attacks]
    return (
        attacks.title,
        f"{attacks.attacks[0].traces:,}",
        f"{found} of {len(attacks.attacks)}",
        f"{min(keys):.3f} to {max(keys):.3f}",
        f"{min(others):.3f} to {max(others):.3f}",
    )
