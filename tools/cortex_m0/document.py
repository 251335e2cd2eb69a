# SPDX-License-Identifier: Apache-2.0
"""The evidence as tables of Markdown, put between two lines of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from . import costs, images
from .evidence import CHANCE, NOISE, Attacks, Evidence, Test
from .images import Variant
from .lanes import Leak

BEGIN, END = "<!-- figures: made by {} -->", "<!-- end of figures -->"
CHANGES = tuple(leak for leak in Leak if leak is not Leak.RESULT)
COSTS_OF = (*images.ASSEMBLY, images.PORTABLE)


def put(path: Path, made_by: str, text: str) -> None:
    """Put a text between the two lines of a document.

    Raises
    ------
    ValueError
        The document does not have both lines.
    """
    document = path.read_text()
    before = BEGIN.format(made_by)
    head, begin, rest = document.partition(before)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path.name} has no place for figures: {before} ... {END}")
    new = path.with_name(path.name + ".new")
    new.write_text(f"{head}{begin}\n{text}{end}{tail}")
    new.replace(path)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text, and the others figures."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def of_costs(variants: Sequence[Variant] = COSTS_OF) -> str:
    """Return the tables of docs/reference/masked-aes.md."""
    titles = [variant.title for variant in variants]
    figures = {
        "cycles, AES-128": lambda cost: cost.cycles,
        "stack, bytes": lambda cost: cost.stack,
        "random words": lambda cost: cost.random_words,
    }
    parts = [
        table((name, *titles), costs.by_work(figure, variants)) for name, figure in figures.items()
    ]
    return "\n".join([*parts, table(costs.SIZES, costs.sizes(variants))])


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
    """Return what was tested."""
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
