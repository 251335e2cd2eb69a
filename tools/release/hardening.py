# SPDX-License-Identifier: Apache-2.0
"""What protects a compiled module against exploits, read from its ELF file by readelf."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CHECKS = {
    "stack protector": r"UND __stack_chk_fail\b",
    "immediate binding": r"\(FLAGS\).*\bBIND_NOW\b",
    "read-only relocations": r"^ *GNU_RELRO ",
    "stack without execution": r"^ *GNU_STACK .* RW +0x",
}
"""What readelf must show of each protection, on each processor."""

BRANCHES = {
    "Advanced Micro Devices X86-64": (
        "branch tracking and shadow stack",
        r"x86 feature: IBT, SHSTK\b",
    ),
    "AArch64": ("branch targets and return addresses", r"AArch64 feature: BTI, PAC\b"),
}
"""The protection of branches that a processor has, and what shows it."""

FOREIGN = {"library path of the builder's machine": r"\((RPATH|RUNPATH)\)"}
"""What must not be there."""


def module_of(wheel: Path) -> bytes:
    """Return the compiled module of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        return archive.read(name)


def missing(module: bytes) -> list[str]:
    """Return the protections that a module lacks; nothing is checked outside Linux."""
    if sys.platform != "linux":
        return []
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(module)
        file.flush()
        command = ("readelf", "-h", "-l", "-d", "-n", "--dyn-syms", "-W", file.name)
        shown = subprocess.check_output(command, text=True, stderr=subprocess.STDOUT)
    machine = re.search(r"^ *Machine: +(.*)$", shown, re.MULTILINE)
    checks = dict(CHECKS)
    if machine and machine[1] in BRANCHES:
        name, pattern = BRANCHES[machine[1]]
        checks[name] = pattern
    lacks = [name for name, text in checks.items() if not re.search(text, shown, re.MULTILINE)]
    return lacks + [
        f"module free of a {name}" for name, text in FOREIGN.items() if re.search(text, shown)
    ]
