# SPDX-License-Identifier: Apache-2.0
"""The compilers of the tests of the C library, and how they are called."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.parts import CLANG, GCC

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
INCLUDE = CORE / "include"
C = (GCC, CLANG)
CXX = {GCC: "g++", CLANG: CLANG.replace("clang", "clang++")}
"""The C++ compiler beside each C compiler."""

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


def call(*command: str | Path, **environment: str) -> str:
    """Run a command and return its output; an error with all that it printed if it fails."""
    words = [str(word) for word in command]
    environment = {**os.environ, **environment}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def exported(library: Path) -> list[str]:
    """Return the names that a shared library exports."""
    lines = call("nm", "--dynamic", "--defined-only", library).splitlines()
    return sorted(line.split()[-1] for line in lines)
