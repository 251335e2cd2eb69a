# SPDX-License-Identifier: Apache-2.0
"""The most resident memory that a program takes.

What the kernel tells of a process counts the process that started it as well: the largest size that
pytest had until then. So a small process starts the program, and asks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_START = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as report:
    report.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def measured(command: Sequence[str | Path], report: Path) -> list[str]:
    """Return a command that runs another, and writes its most memory, in KiB, to a file."""
    return [sys.executable, "-S", "-c", _START, str(report), *map(str, command)]


def peak(report: Path) -> int:
    """Return the most memory, in MiB, of a measured command that has ended."""
    return int(report.read_text()) >> 10
