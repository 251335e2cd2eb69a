# SPDX-License-Identifier: Apache-2.0
"""The evidence as tables of Markdown, put between two lines of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from . import images
from .evidence import CHANCE, NOISE, Attacks, Evidence, Test
from .lanes import Leak

BEGIN, END = "<!-- figures: made by make leakage -->", "<!-- end of figures -->"
CHANGES = tuple(leak for leak in Leak if leak is not Leak.RESULT)
TITLES = {
    images.SAFE: "gcc -O2",
    images.ZIG: "clang -O2 (ziglang)",
    images.UNSAFE: "gcc -O3 without barriers",
}


def put(path: Path, text: str) -> None:
    """Put a text between the two lines of a document.

    Raises
    ------
    ValueError
        The document does not have both lines.
    """
    document = path.read_text()
    head, begin, rest = document.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path.name} has no place for figures: {BEGIN} ... {END}")
    new = path.with_name(path.name + ".new")
    new.write_text(f"{head}{BEGIN}\n{text}{END}{tail}")
    new.replace(path)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text, and the others figures."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def of_costs(evidence: Evidence) -> str:
    """Return the table of docs/masked-aes.md."""
    rows = [
        (
            f"{TITLES[variant]}: {work}",
            f"{cost.cycles:,}",
            f"{cost.stack:,}",
            f"{cost.code(images.build(variant)):,}",
            f"{cost.random_words:,}",
        )
        for (variant, work), cost in evidence.costs.items()
    ]
    return table(("AES-128", "cycles", "stack, bytes", "code, bytes", "random words"), rows)


def of_leakage(evidence: Evidence) -> str:
    """Return the tables of docs/leakage.md."""
    parts = [
        f"Points above |t| = 4.5 at {evidence.traces:,} traces, without noise. In brackets: how "
        "many are to be expected of as many points that do not leak.\n",
        table(
            ("", "points", "values", "largest \\|t\\|", "changes", "largest \\|t\\|"),
            [_first(test) for test in evidence.tests],
        ),
        "Changes by where they are:\n",
        table(
            ("", *(leak.name.lower().replace("_", " ") for leak in CHANGES)),
            [
                (test.title, *(f"{test.above(1)[leak]:,}" for leak in CHANGES))
                for test in evidence.tests
            ],
        ),
        f"All points, first order with Gaussian noise of {NOISE:g} bits, and second order:\n",
        table(
            ("", "first order, noise", "second order", "second order, noise"),
            [
                (test.title, *(f"{sum(test.above(*how).values()):,}" for how in _HOW))
                for test in evidence.tests
            ],
        ),
        "Functions in which values leak:\n",
        table(("", "points"), _functions(evidence.tests)),
        "Correlation attacks on bytes 0, 5, 10 and 15 of the key:\n",
        table(
            ("", "traces", "found", "key byte's correlation", "best other guess"),
            [_attack(attacks) for attacks in evidence.attacks],
        ),
    ]
    return "\n".join(parts)


_HOW = ((1, NOISE), (2, 0.0), (2, NOISE))


def _first(test: Test) -> tuple[str, ...]:
    above, t = test.above(1), abs(test.t(1))
    cells = [test.title, f"{len(t):,}"]
    for leaks in ((Leak.RESULT,), CHANGES):
        mine = np.isin(test.points.leaks, leaks)
        count = sum(above[leak] for leak in leaks)
        cells += [f"{count:,} ({mine.sum() * CHANCE:.1f})", f"{t[mine].max(initial=0):,.1f}"]
    return tuple(cells)


def _functions(tests: Iterable[Test]) -> list[tuple[str, str]]:
    return [
        (f"{test.title}: `{name}`", f"{count:,}")
        for test in tests
        if test.masks
        for name, count in test.functions((Leak.RESULT,)).most_common(6)
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
