# SPDX-License-Identifier: Apache-2.0
"""The evidence as tables of Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits, cortex_m0, search
from embedded.circuit.circuits import Circuit
from embedded.circuit.thumb import LeakError
from embedded.emulator import images
from embedded.emulator.leaks import CHIP, ELMO, ELMO_STAR, EVERY, OTHERS, REMOVED, Leak
from embedded.emulator.tables import table

from .evidence import CHANCE, NOISE, Attacks, Evidence, Test

CHANGES = tuple(leak for leak in sorted(REMOVED) if leak is not Leak.RESULT)
_MODELS = {"chip": CHIP, "ELMO": ELMO, "ELMO*": ELMO_STAR}
_KINDS = {
    "chip": CHIP,
    "and ELMO": CHIP | ELMO,
    "and ELMO*": REMOVED,
}
_SOUGHT = {
    "and crossed": REMOVED | {Leak.CROSSED},
    "and ghost": REMOVED | {Leak.GHOST},
    "and both": EVERY,
}
_ROUNDS = 8
"""Of the search for an order without these."""


def _name(leak: Leak) -> str:
    return leak.name.lower().replace("_", " ")


def _cycles() -> list[tuple[str, ...]]:
    """Return the cycles of the schedules that there are, and of such as are sought from them."""
    rows = []
    for name, sbox in cortex_m0.sboxes(circuits.read(generator.SBOX)).items():
        cells = [f"{cycles_of(name, sbox, kinds):,}" for kinds in _KINDS.values()]
        cells += [_cycles_sought(name, kinds) for kinds in _SOUGHT.values()]
        rows.append((f"`{name}`", *cells))
    return rows


def _cycles_sought(name: str, kinds: frozenset[Leak]) -> str:
    """Return the cycles of an S-box in an order that is sought, or that none is found."""
    try:
        return f"{search.without(name, kinds, _ROUNDS).cycles:,}"
    except LeakError:
        return f"not found in {search.MOST_ROUNDS * search.TRIES:,} tries"


def cycles_of(name: str, sbox: Circuit, kinds: frozenset[Leak]) -> int:
    """Return the cycles of an S-box that shows none of some kinds."""
    return cortex_m0.written(name, sbox, kinds)[0].cycles


def _by_model(test: Test) -> tuple[str, ...]:
    t = test.t()
    cells = []
    for kinds in _MODELS.values():
        chosen = np.isin(test.points.leaks, sorted(kinds)) & ~test.public
        cells.append(f"{chosen.sum():,}: {t[chosen].max(initial=0):.1f}")
    return title(test), *cells


def _other(test: Test) -> tuple[str, ...]:
    counts = [test.count(test.above(), [leak]) for leak in sorted(OTHERS)]
    points = (2 * test.points.traces, len(test.public), *counts, test.confirmed().sum())
    return title(test), *(f"{count:,}" for count in points)


def of_leakage(evidence: Evidence) -> str:
    """Return the tables of docs/explanation/leakage.md."""
    in_full = [test for test in evidence.tests if test.variant == images.REGISTER]
    parts = [
        "Without noise, first order. *By chance*: the points above 4.5 to expect if none leaks. "
        "*Again*: points that are not public and are above 4.5 in a second run too, with the same "
        "sign. *Leak*: those, and any that are above the corrected threshold in one run.\n",
        table(
            (
                "",
                "traces",
                "points",
                "by chance",
                "above 4.5",
                "public",
                "again",
                "largest \\|t\\|, not public",
                "corrected threshold",
                "leak",
            ),
            [_first(test) for test in evidence.tests],
        ),
        "Points that are not public and are above 4.5 in the first run alone, by word:\n",
        table(
            ("", "kinds", "in", "t, first run", "t, second run"),
            [row for test in evidence.tests for row in unconfirmed(test)],
        ),
        "Public points, by function:\n",
        table(("", "points"), _functions(evidence.tests)),
        "Controls, which must leak:\n",
        table(
            ("", "points", "values", "largest \\|t\\|", "changes", "largest \\|t\\|"),
            [_control(test) for test in evidence.controls],
        ),
        "Points of each model that are not public: how many, and their largest |t|:\n",
        table(("", *_MODELS), [_by_model(test) for test in evidence.tests]),
        "Changes of the controls, by kind:\n",
        table(
            ("", *(title(test) for test in evidence.controls)),
            [
                (
                    _name(leak),
                    *(f"{test.count(test.above(), [leak]):,}" for test in evidence.controls),
                )
                for leak in CHANGES
            ],
        ),
        "Kinds that the assembly shows: points above 4.5, in two runs where it says so:\n",
        table(
            ("", "traces", "points", *(_name(leak) for leak in sorted(OTHERS)), "again"),
            [_other(test) for test in evidence.others],
        ),
        "Cycles of the S-boxes, by the kinds that are removed; the last three in an order that "
        f"{_ROUNDS * search.TRIES:,} tries found, or more where these are too few:\n",
        table(("", *_KINDS, *_SOUGHT), _cycles()),
        f"Points above 4.5 with Gaussian noise of {NOISE:g} bits, and at second order:\n",
        table(
            ("", "first order, noise", "second order", "second order, noise"),
            [
                (title(test), *(f"{test.above(*how).sum():,}" for how in _HOW))
                for test in (*in_full, *evidence.controls)
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
        f"{2 * test.points.traces:,}",
        f"{len(others) + test.public.sum():,}",
        f"{len(others) * CHANCE:.1f}",
        *(f"{chosen.sum():,}" for chosen in counts),
        f"{others.max(initial=0):.2f}",
        f"{test.limit:.2f}",
        f"{test.leaking().sum():,}",
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
        (title(test), _counts(found)) for test in tests if (found := test.functions(test.public))
    ]


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"`{name}` {count:,}" for name, count in found.most_common())


def unconfirmed(test: Test) -> list[tuple[str, ...]]:
    """Return the points above the threshold that do not leak: a row for those of each word."""
    if test.again is None:
        return []
    one, two = test.points.first_order(), test.again.first_order()
    chosen = test.above() & ~test.public & ~test.leaking()
    rows = []
    for pair in sorted(set(zip(one[chosen].tolist(), two[chosen].tolist(), strict=True))):
        mine = chosen & (one == pair[0]) & (two == pair[1])
        kinds = Counter(_name(Leak(leak)) for leak in test.points.leaks[mine].tolist())
        places = (_counts(kinds).replace("`", ""), _counts(test.functions(mine)))
        rows.append((title(test), *places, *(f"{t:.2f}" for t in pair)))
    return rows


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
