# SPDX-License-Identifier: Apache-2.0
"""The firmware as several compilers make it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import chip, elf

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
GCC = "arm-none-eabi-gcc"


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to build it; firmware/Makefile says what its variables mean."""

    compiler: str = "gcc"
    optimise: str = "-O2"
    unsafe: bool = False
    portable: bool = False
    register: bool = False

    @property
    def name(self) -> str:
        """Return the name of its folder."""
        unsafe, portable = "-unsafe" * self.unsafe, "-portable" * self.portable
        register = f"-{chip.RANDOM_REGISTER:#x}" * self.register
        return f"{self.compiler}{self.optimise}{unsafe}{portable}{register}"


SAFE = Variant()
REGISTER = Variant(register=True)
"""Masks of S-boxes right from the register."""
ZIG = Variant("zig")
PORTABLE = Variant(portable=True)
"""C in place of the assembly."""
UNSAFE = Variant("gcc", "-O3", unsafe=True)
"""That C without its barriers: a positive control."""
VARIANTS = (SAFE, REGISTER, ZIG, PORTABLE, UNSAFE)


class BuildError(RuntimeError):
    """The firmware could not be built; the message has what the compiler said."""


def has_compiler(variant: Variant) -> bool:
    """Return whether a variant's compiler is installed (that of PyPI always is)."""
    return variant.compiler != "gcc" or shutil.which(GCC) is not None


def build(variant: Variant) -> elf.Image:
    """Build a variant where it is not up to date, and read it.

    Raises
    ------
    BuildError
        The compiler is missing or failed.
    """
    out = BUILD / "firmware" / variant.name
    command = [
        *("make", "--silent", "-C", str(ROOT / "firmware"), f"COMPILER={variant.compiler}"),
        f"OPT={variant.optimise}",
        f"UNSAFE={'1' * variant.unsafe}",
        f"PORTABLE={'1' * variant.portable}",
        f"RANDOM={f'{chip.RANDOM_REGISTER:#x}' * variant.register}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stderr}")
    return elf.read(out / "firmware.elf")
