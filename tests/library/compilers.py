# SPDX-License-Identifier: Apache-2.0
"""The compilers of the tests of the C library, and how they are called."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.run import CLANG, GCC

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
C = (GCC, CLANG)
CXX = {GCC: "g++", CLANG: CLANG.replace("clang", "clang++")}
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


def call(*command: str | Path, folder: Path | None = None) -> str:
    """Run a command and return its output; an error with all that it printed if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def through_cache(compiler: str) -> list[str]:
    """Return the command of a compiler whose results are kept, where ccache is there."""
    return ["ccache", compiler] if shutil.which("ccache") else [compiler]
