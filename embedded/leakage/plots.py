# SPDX-License-Identifier: Apache-2.0
"""Plots for docs/explanation/leakage.md: equal figures give small images of equal bytes.

matplotlib and PIL are installed for measurements alone, hence `import_module`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from embedded.emulator import images
from embedded.emulator.costs import KEY
from embedded.emulator.leaks import Leak

from . import campaign
from .document import title
from .evidence import Attacks, Evidence, Test
from .ttest import THRESHOLD

_VALUES, _CHANGES, _OTHERS = "#1b6ca8", "#e08a1e", "#b0b0b0"
_BINS = 300
_SHOWN = (campaign.ENCRYPT, campaign.DECRYPT, campaign.EXPAND, campaign.ONCE, campaign.KEY_OF_ONCE)
_DPI = 100
_COLOURS = 32


def draw(evidence: Evidence, folder: Path) -> None:
    """Write all plots into a folder."""
    import_module("matplotlib").use("agg")
    plot = import_module("matplotlib.pyplot")
    plot.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 9})
    shown = [
        test for test in evidence.tests if test.variant == images.REGISTER and test.work in _SHOWN
    ] + evidence.controls
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (
        ("first-order", _tests(plot, shown, 1)),
        ("second-order", _tests(plot, shown, 2)),
        ("correlation", _attacks(plot, evidence.attacks)),
    ):
        buffer = BytesIO()
        drawn.savefig(buffer, dpi=_DPI)
        plot.close(drawn)
        image = import_module("PIL.Image").open(buffer).convert("RGB").quantize(_COLOURS)
        image.save(folder / f"{name}.png", optimize=True)


def _tests(plot: Any, tests: Sequence[Test], order: int) -> Any:  # noqa: ANN401
    """Draw |t| in the order of time: of each of many stretches, the largest."""
    drawn, all_axes = plot.subplots(
        len(tests), 1, figsize=(8, 1.35 * len(tests)), squeeze=False, layout="constrained"
    )
    for axes, test in zip(all_axes[:, 0], tests, strict=True):
        t = np.minimum(test.t(order), 1000.0)
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
        axes.axhline(THRESHOLD, color="black", lw=0.8, ls="--", label=f"{THRESHOLD}")
        axes.set_yscale("log")
        axes.set_ylim(1, 1000)
        axes.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
        axes.minorticks_off()
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.set_title(title(test), loc="left", fontsize=9)
    all_axes[0, 0].legend(frameon=False, ncols=3, loc="upper right", fontsize=8)
    all_axes[-1, 0].set_xlabel("time, from the beginning of the work to its end")
    drawn.supylabel(f"largest |t|, order {order}")
    return drawn


def _attacks(plot: Any, attacks: Sequence[Attacks]) -> Any:  # noqa: ANN401
    """Draw the correlation of each guess of the first byte; the key's has a colour."""
    drawn, all_axes = plot.subplots(
        len(attacks), 1, figsize=(8, 1.3 * len(attacks)), squeeze=False, layout="constrained"
    )
    for axes, condition in zip(all_axes[:, 0], attacks, strict=True):
        one = condition.attacks[0]
        colours = [_VALUES if k == KEY[one.byte] else _OTHERS for k in range(256)]
        axes.bar(np.arange(256), one.correlations, 1.0, color=colours)
        axes.set_title(f"{condition.title}, {one.traces:,} traces", loc="left", fontsize=9)
        axes.set_xlim(-1, 256)
        if axes is not all_axes[-1, 0]:
            axes.set_xticklabels([])
    all_axes[-1, 0].set_xlabel(f"guess of key byte 0 (blue: the key's, {KEY[0]})")
    drawn.supylabel("largest correlation")
    return drawn
