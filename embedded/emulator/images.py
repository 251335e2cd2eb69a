# SPDX-License-Identifier: Apache-2.0
"""The firmware as several compilers make it."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import chip, elf

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
FIRMWARE = ROOT / "embedded" / "firmware"
GCC = "arm-none-eabi-gcc"


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to build it; embedded/firmware/Makefile documents its variables."""

    title: str
    compiler: str = "gcc"
    optimize: str = "-O2"
    unsafe: bool = False
    portable: bool = False
    register: bool = False
    shuffle: bool = False

    @property
    def name(self) -> str:
        """The name of its folder."""
        unsafe, portable = "-unsafe" * self.unsafe, "-portable" * self.portable
        register = f"-{chip.RANDOM_REGISTER:#x}" * self.register
        shuffle = "-shuffle" * self.shuffle
        return f"{self.compiler}{self.optimize}{unsafe}{portable}{shuffle}{register}"


SAFE = Variant("gcc, masks by callback")
REGISTER = Variant("gcc, masks from a register", register=True)
"""S-boxes load their random words one by one from the generator's register."""
ZIG = Variant("clang, masks by callback", "zig")
SMALL = Variant("gcc -Os, masks by callback", optimize="-Os")
"""With the options of embedded/stm32l0 for speed and size; its source of masks is another."""
ASSEMBLY = (REGISTER, SAFE, ZIG)
EVALUATED = (*ASSEMBLY, SMALL)
"""The builds of the assembly whose leakage is tested."""
PORTABLE = Variant("gcc, portable C", portable=True)
"""C in place of the assembly."""
UNSAFE = Variant("gcc -O3, portable C without barriers", "gcc", "-O3", unsafe=True)
"""That C without barriers, so that compilers may join shares: a positive control."""
SHUFFLED = (
    Variant("shuffled: gcc, masks from a register", register=True, shuffle=True),
    Variant("shuffled: gcc, masks by callback", shuffle=True),
    Variant("shuffled: clang, masks by callback", "zig", shuffle=True),
)
"""With columns and blocks in a secret order."""
VARIANTS = (*ASSEMBLY, PORTABLE, UNSAFE)


class BuildError(RuntimeError):
    """The firmware could not be built; the message has the output of the compiler."""


def has_compiler(variant: Variant) -> bool:
    """Return whether a variant's compiler is installed (that of PyPI always is)."""
    return variant.compiler != "gcc" or shutil.which(GCC) is not None


def folder(variant: Variant) -> Path:
    """Return where a variant is built."""
    return BUILD / "firmware" / variant.name


def build(variant: Variant) -> elf.Image:
    """Build a variant where it is not up to date, and read it; tests that run at once take turns.

    Raises
    ------
    BuildError
        The compiler is missing or failed.
    """
    command = [
        *("make", "--silent", "-C", str(FIRMWARE), f"COMPILER={variant.compiler}"),
        f"OPT={variant.optimize}",
        f"UNSAFE={'1' * variant.unsafe}",
        f"PORTABLE={'1' * variant.portable}",
        f"SHUFFLE={'1' * variant.shuffle}",
        f"RANDOM={f'{chip.RANDOM_REGISTER:#x}' * variant.register}",
    ]
    folder(variant).mkdir(parents=True, exist_ok=True)
    with (folder(variant) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stderr}")
    return elf.read(folder(variant) / "firmware.elf")
