# SPDX-License-Identifier: Apache-2.0
"""How long the parts of the Python package take to load, each in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from .timing import Case, Group, Section, Unit, side_by_side

MODULES = (
    *("tallystick", "tallystick.fast", "tallystick.hazmat.shamir", "tallystick.shares"),
    *("tallystick.keyring", "tallystick.tokenizer", "tallystick.policy", "tallystick.protector"),
    *("tallystick.frames.pandas", "tallystick.frames.polars", "tallystick.sql.sqlite"),
    "tallystick.sql.duckdb",
)
COMMANDS = ((), ("share",), ("keyring",), ("protect",))
BESIDE = ("pyarrow", "pandas", "polars", "duckdb")


def startup(repetitions: int) -> Section:
    """Measure imports and help."""
    program = str(Path(sys.executable).parent / "tallystick")
    imports = [_case(f"import {name}", sys.executable, "-c", f"import {name}") for name in MODULES]
    nothing = _case("Python alone", sys.executable, "-c", "pass")
    beside = [_case(f"import {name}", sys.executable, "-c", f"import {name}") for name in BESIDE]
    helps = [_case(" ".join(("tallystick", *c, "--help")), program, *c, "--help") for c in COMMANDS]
    groups = {"command line": helps, "imports": [nothing, *imports], "of other packages": beside}
    return Section(
        "Start-up of Python, each in a fresh interpreter",
        tuple(
            Group(title, Unit.MILLISECONDS, side_by_side(cases, repetitions), ratios=False)
            for title, cases in groups.items()
        ),
        ("Wall-clock time from the start of a process to its end.",),
    )


def _case(label: str, *command: str) -> Case:
    # As where it is installed: compiled once, by the case's first run.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    run = partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True, env=environment)
    return Case(label, run, 1)
