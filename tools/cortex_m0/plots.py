# SPDX-License-Identifier: Apache-2.0
"""Plots for docs/leakage.md: SVG files that are the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .campaign import KEY
from .evidence import Attacks, Evidence, Test
from .lanes import Leak
from .ttest import THRESHOLD

Axes = Any
"""matplotlib.axes.Axes; it is installed for measurements alone, hence `import_module`."""

_VALUES, _CHANGES, _OTHERS = "#1b6ca8", "#e08a1e", "#b0b0b0"
_BINS = 200


def draw(evidence: Evidence, folder: Path) -> None:
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
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (
        ("first-order", _tests(plot, evidence.tests, 1)),
        ("second-order", _tests(plot, evidence.tests, 2)),
        ("correlation", _attacks(plot, evidence.attacks)),
    ):
        drawn.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plot.close(drawn)


def _tests(plot: Any, tests: Sequence[Test], order: int) -> Any:  # noqa: ANN401
    """Draw |t| in the order of time: of each of 200 stretches, the largest."""
    drawn, all_axes = plot.subplots(
        len(tests), 1, figsize=(8, 1.7 * len(tests)), squeeze=False, layout="constrained"
    )
    for axes, test in zip(all_axes[:, 0], tests, strict=True):
        t = np.minimum(np.abs(test.t(order)), 1000.0)
        values = test.points.leaks == Leak.RESULT
        for chosen, colour, label in (
            (~values, _CHANGES, "changes"),
            (values, _VALUES, "values"),
        ):
            places = np.arange(len(t)) * _BINS // len(t)
            largest = np.zeros(_BINS)
            np.maximum.at(largest, places[chosen], t[chosen])
            axes.plot(np.arange(_BINS) / _BINS, np.maximum(largest, 1), color=colour, lw=0.8,
                      label=label)  # fmt: skip
        axes.axhline(THRESHOLD, color="black", lw=0.6, ls="--")
        axes.set_yscale("log")
        axes.set_ylim(1, 1000)
        axes.set_xlim(0, 1)
        axes.set_title(test.title, loc="left", fontsize=9)
    all_axes[0, 0].legend(frameon=False, ncols=2, loc="upper right", fontsize=8)
    all_axes[-1, 0].set_xlabel("time")
    drawn.supylabel(f"largest |t|, order {order}")
    return drawn


def _attacks(plot: Any, attacks: Sequence[Attacks]) -> Any:  # noqa: ANN401
    """Draw the correlation of each guess of the first byte; the key's has a colour."""
    drawn, all_axes = plot.subplots(
        len(attacks), 1, figsize=(8, 1.5 * len(attacks)), squeeze=False, layout="constrained"
    )
    for axes, condition in zip(all_axes[:, 0], attacks, strict=True):
        one = condition.attacks[0]
        others = one.correlations.copy()
        others[KEY[one.byte]] = 0
        axes.fill_between(np.arange(len(others)), others, step="mid", color=_OTHERS, lw=0)
        axes.bar([KEY[one.byte]], [one.of_key], 1.0, color=_VALUES)
        axes.set_title(f"{condition.title}, {one.traces:,} traces", loc="left", fontsize=9)
        axes.set_xlim(-1, 256)
    all_axes[-1, 0].set_xlabel("guess of key byte 0")
    drawn.supylabel("largest correlation")
    return drawn
