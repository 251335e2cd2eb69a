# SPDX-License-Identifier: Apache-2.0
"""Shares before and after as groups of two bars: where everything lies; the page's template draws.

What occurs in fewer than `ENOUGH_ROWS` rows is one group, the last, which is listed and not drawn.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallystick.report.values import ENOUGH_ROWS, LONGEST, Counts, ValueStatistics

MOST_GROUPS = 64
_MOST_LENGTHS = 40
OTHERS = "others"
_TOP, _BOTTOM, _LEFT, _RIGHT, _HEIGHT = 8, 36, 44, 6, 216
_LINE = 13.0
"""The least distance of labels: a line of their text, or a wide character."""


@dataclass(frozen=True, slots=True)
class Group:
    """Two bars with one label."""

    label: str  # a length, or a symbol
    before: float | None  # share of all, 0..1; None: in too few rows to be shown
    after: float | None  # likewise


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in the plot's units; `side` is "before" or "after"."""

    side: str
    label: str
    share: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot's parts, in units of its view box."""

    width: int  # of the view box
    height: int  # of the view box
    left: float  # where the axes begin
    right: float  # where the horizontal axis ends
    base: float  # where the horizontal axis lies
    bars: list[Bar]  # those that are not empty
    ticks: list[tuple[float, str]]  # the lines of the vertical axis
    labels: list[tuple[float, str]]  # those of the groups
    turned: bool  # whether labels are too long to lie beside each other


def lengths(before: ValueStatistics, after: ValueStatistics) -> list[Group]:
    """Return the groups of a plot of lengths, neighbours together if there are many."""
    sides = before.lengths, after.lengths
    used = np.flatnonzero((sides[0] >= ENOUGH_ROWS) | (sides[1] >= ENOUGH_ROWS))
    if len(used) == 0:
        return []
    first, last = int(used[0]), int(used[-1])
    step = -(-(last - first + 1) // _MOST_LENGTHS)
    starts = range(first, last + 1, step)
    counts = [
        np.array([side[at : min(at + step, last + 1)].sum() for at in starts]) for side in sides
    ]
    names = [_span(at, min(at + step, last + 1) - 1) for at in starts]
    return _groups(names, counts, counts, [int(side.sum()) for side in sides])


def symbols(before: ValueStatistics, after: ValueStatistics) -> list[Group]:
    """Return the groups of a plot of symbols, the most frequent ones in the order of Unicode."""
    size = max(len(before.symbols), len(after.symbols))
    counts, rows = (
        [np.pad(side, (0, size - len(side))) for side in pair]
        for pair in ((before.symbols, after.symbols), (before.rows, after.rows))
    )
    totals = [int(count.sum()) for count in counts]
    shares = np.maximum(
        *(count / max(1, total) for count, total in zip(counts, totals, strict=True))
    )
    used = np.flatnonzero((rows[0] >= ENOUGH_ROWS) | (rows[1] >= ENOUGH_ROWS))
    used = np.sort(used[np.argsort(-shares[used], kind="stable")[:MOST_GROUPS]])
    return _groups(
        [name_of(int(code)) for code in used],
        [count[used] for count in counts],
        [row[used] for row in rows],
        totals,
    )


def _groups(
    names: Sequence[str], counts: Sequence[Counts], rows: Sequence[Counts], totals: Sequence[int]
) -> list[Group]:
    """Put into shares what is in enough rows; the rest becomes the last group."""
    sides = []
    for count, row, total in zip(counts, rows, totals, strict=True):
        shown = row >= ENOUGH_ROWS
        rest = total - int(count[shown].sum())
        one = max(1, total)
        shares = [float(c) / one if s else None for c, s in zip(count, shown, strict=True)]
        sides.append([*shares, rest / one if rest else None])
    groups = [Group(*group) for group in zip([*names, OTHERS], *sides, strict=True)]
    others = groups[-1]
    return groups if others.before is not None or others.after is not None else groups[:-1]


def plot(groups: Sequence[Group], width: int, *, all_labels: bool = True) -> Plot:
    """Lay out a plot of groups in a view box of a width.

    If labels of several characters are too long to lie beside each other they are turned. If there
    is no room for labels the plot becomes wider, or with `all_labels` false some are left out.
    """
    count = max(1, len(groups))
    longest = max((_text_width(group.label) for group in groups), default=0.0)
    crowded = longest > (width - _LEFT - _RIGHT) / count
    turned = crowded and any(len(group.label) > 1 for group in groups)
    every = 1
    if crowded and all_labels:
        width = max(width, int(np.ceil(_LEFT + _RIGHT + count * _LINE)))
    elif crowded:
        every = int(np.ceil(_LINE * count / (width - _LEFT - _RIGHT)))
    right, base = width - _RIGHT, _HEIGHT - _BOTTOM
    highest = max((share for g in groups for share in (g.before, g.after) if share), default=1.0)
    step = _step(highest)
    top = step * int(np.ceil(highest / step - 1e-9))
    scale = (base - _TOP) / top
    slot = (right - _LEFT) / count
    bar = min(22.0, slot * 0.4)
    bars, labels = [], []
    for number, group in enumerate(groups):
        middle = _LEFT + slot * (number + 0.5)
        if number % every == 0:
            labels.append((round(middle, 2), group.label))
        for side, share, x in (
            ("before", group.before, middle - bar),
            ("after", group.after, middle),
        ):
            if share:
                height = max(0.6, share * scale)
                bars.append(
                    Bar(
                        side,
                        group.label,
                        share,
                        round(x, 2),
                        round(base - height, 2),
                        round(bar * 0.94, 2),
                        round(height, 2),
                    )
                )
    ticks = [
        (round(base - number * step * scale, 2), f"{number * step * 100:g} %")
        for number in range(round(top / step) + 1)
    ]
    return Plot(width, _HEIGHT + 22 * turned, _LEFT, right, base, bars, ticks, labels, turned)


def _text_width(label: str) -> float:
    """Estimate how wide a label is; characters of East Asia are as wide as they are high."""
    return sum(12.0 if unicodedata.east_asian_width(one) in "WF" else 7.5 for one in label)


def _step(highest: float) -> float:
    """Return a round distance of at most five lines."""
    for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        if highest / step <= 5:
            return step
    return 0.25


def _span(first: int, last: int) -> str:
    more = "+" if last == LONGEST else ""
    return f"{first}{more}" if first == last else f"{first}\N{EN DASH}{last}{more}"


def name_of(code: int) -> str:
    """Return what stands for a symbol: itself where it can be seen."""
    character = chr(code)
    if character == " ":
        return "\N{OPEN BOX}"
    if not character.isprintable():
        return f"U+{code:04X}"
    return ("\N{DOTTED CIRCLE}" if unicodedata.combining(character) else "") + character
