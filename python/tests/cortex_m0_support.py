# SPDX-License-Identifier: Apache-2.0
"""Small programs for the emulated Cortex-M0+, from assembly."""

import subprocess
from pathlib import Path

import pytest
from tools.cortex_m0 import elf, images

needs_gcc = pytest.mark.skipif(
    not images.has_compiler(images.SAFE), reason="gcc-arm-none-eabi is not installed"
)


def assemble(text: str, folder: Path) -> elf.Image:
    """An image whose function `program` is this text; its last instruction is to return."""
    source, target = folder / "program.S", folder / "program.elf"
    source.write_text(
        ".syntax unified\n.thumb\n.text\n.thumb_func\n.global program\n.type program, %function\n"
        f"program:\n{text}\n.size program, . - program\n"
    )
    subprocess.run(
        [
            *(images.GCC, "-mcpu=cortex-m0plus", "-mthumb", "-nostdlib", "-static"),
            *("-Wl,-Ttext=0x100,-e,program", "-o", str(target), str(source)),
        ],
        check=True,
    )
    return elf.read(target)


def variants() -> list[object]:
    """The builds of the firmware, as parameters."""
    return [
        pytest.param(variant, id=variant.name, marks=needs_gcc if variant.compiler == "gcc" else [])
        for variant in images.VARIANTS
    ]
