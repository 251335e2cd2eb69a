# SPDX-License-Identifier: Apache-2.0
"""Plots for docs/reference/benchmarks.md: equal figures give SVG files of equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .kernels import COLUMN, LANES, LENGTH, ONE_WORD, WORDS, Kernels, Point
from .results import Results, figure, find
from .timing import Group

Axes = Any
"""matplotlib.axes.Axes; it is installed for the benchmarks alone, hence `import_module`."""

_LEGEND: dict[str, Any] = {"frameon": False, "ncols": 4}
_OURS, _OURS_TOO, _THEIRS = "#1b6ca8", "#8fc1e3", "#b0b0b0"


def draw(results: Results, folder: Path) -> None:
    """Write all plots into a folder."""
    import_module("matplotlib").use("svg")
    plot = import_module("matplotlib.pyplot")
    plot.rcParams.update(
        {
            "svg.hashsalt": "tallystick",  # else names of parts are random
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (
        ("lanes", _lanes(plot, results.kernels)),
        ("works", _works(plot, results.kernels)),
        ("peers", _peers(plot, results)),
        ("files", _files(plot, results)),
    ):
        drawn.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plot.close(drawn)


def _label(kind: tuple[str, int]) -> str:
    return f"{kind[1]}" if kind[0] == "fast" else f"{kind[1]}\n{kind[0]}"


def _lanes(plot: Any, kernels: Kernels) -> Any:  # noqa: ANN401
    """Words in lanes by radix and direction; a dash over each bar is its limit."""
    levels = [
        level
        for level in kernels.levels
        if any(point.level == level and point.work == LANES for point in kernels.points)
    ] or kernels.levels[:1]
    drawn, all_axes = plot.subplots(
        len(levels), 1, figsize=(8, 3.2 * len(levels)), squeeze=False, layout="constrained"
    )
    for axes, level in zip(all_axes[:, 0], levels, strict=True):
        for offset, decrypt, colour, label in (
            (-0.2, False, _OURS, "encrypt"),
            (0.2, True, _OURS_TOO, "decrypt"),
        ):
            points = [Point(level, *kind, LENGTH, LANES, decrypt) for kind in kernels.kinds]
            heights = [
                kernels.points[point].rate / 1e6 if point in kernels.points else 0
                for point in points
            ]
            axes.bar([x + offset for x in range(len(points))], heights, 0.38, color=colour,
                     label=label)  # fmt: skip
            marks = [
                (x + offset, height / close)
                for x, (point, height) in enumerate(zip(points, heights, strict=True))
                if (close := kernels.closeness(point))
            ]
            axes.scatter(*(zip(*marks, strict=True) if marks else ([], [])), marker="_", s=110,
                         color="black", label=None if decrypt else "limit")  # fmt: skip
        _finish(axes, kernels, f"{level}: million words/s in lanes, {LENGTH} symbols")
    drawn.legend(*axes.get_legend_handles_labels(), loc="outside lower right", **_LEGEND)
    return drawn


def _works(plot: Any, kernels: Kernels) -> Any:  # noqa: ANN401
    """From lanes to columns, at the best instruction set, beside words one by one."""
    drawn, axes = plot.subplots(figsize=(8, 3.6), layout="constrained")
    best = kernels.levels[0]
    for work, label, colour in (
        (LANES, "in lanes", "#0b3c5d"),
        (WORDS, "in memory", _OURS),
        (COLUMN, "a column of text", _OURS_TOO),
        (ONE_WORD, "one by one", _THEIRS),
    ):
        found = [
            kernels.one_word(kind, decrypt=False)
            if work == ONE_WORD
            else kernels.get(best, kind, work, decrypt=False)
            for kind in kernels.kinds
        ]
        axes.plot(
            [x for x, each in enumerate(found) if each],
            [each.rate / 1e6 for each in found if each],
            marker="o", color=colour, label=label,
        )  # fmt: skip
    axes.set_yscale("log")
    _finish(axes, kernels, f"{best}: million words/s, {LENGTH} symbols, encrypted")
    drawn.legend(loc="outside lower right", **_LEGEND)
    return drawn


def _finish(axes: Axes, kernels: Kernels, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xticks(range(len(kernels.kinds)), [_label(kind) for kind in kernels.kinds])
    axes.set_xlabel("radix")
    axes.grid(axis="y", color="#e0e0e0")


def _peers(plot: Any, results: Results) -> Any:  # noqa: ANN401
    """Values of 16 digits a second: ours and the peers', as a column and one at a time."""
    group = next(group for group in results.columns.groups if group.title == "16 digits")
    single = find(results.words_in_python, "value, 16 digits", "Tallystick")
    bars = [
        (("Tallystick, a column" if timing is group.timings[0] else timing.label), timing)
        for timing in group.timings
    ]
    if single:
        bars.insert(1, ("Tallystick, one value a call", single))
    drawn, axes = plot.subplots(figsize=(8, 0.42 * len(bars) + 1), layout="constrained")
    heights = [1 / timing.median for _, timing in bars]
    colours = [_OURS if name.startswith("Tallystick") else _THEIRS for name, _ in bars]
    drawn_bars = axes.barh([name for name, _ in bars], heights, color=colours)
    axes.bar_label(drawn_bars, [f" {figure(height)}" for height in heights], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("logarithmic scale")
    axes.set_xlim(min(heights) / 4, max(heights) * 8)
    axes.set_title("Values of 16 digits a second, one thread", loc="left", fontsize=10)
    return drawn


def _files(plot: Any, results: Results) -> Any:  # noqa: ANN401
    """Files protected, beside pyarrow's copy."""
    groups: Sequence[Group] = results.files.groups
    drawn, axes = plot.subplots(figsize=(8, 3.2), layout="constrained")
    for number, colour in enumerate((_THEIRS, _OURS)):
        heights = [1e-6 / group.timings[number].median for group in groups]
        bars = axes.bar(
            [x + 0.4 * number - 0.2 for x in range(len(groups))], heights, 0.38, color=colour,
            label=groups[0].timings[number].label,
        )  # fmt: skip
        axes.bar_label(bars, [f"{height:.0f}" for height in heights], fontsize=8)
    axes.set_xticks(range(len(groups)), [group.title.replace(", ", "\n") for group in groups])
    axes.set_title("MB/s of the source", loc="left", fontsize=10)
    drawn.legend(loc="outside lower right", **_LEGEND)
    return drawn
