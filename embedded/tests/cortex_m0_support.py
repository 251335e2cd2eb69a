# SPDX-License-Identifier: Apache-2.0
"""Small programs for the emulated Cortex-M0+, from assembly, and what its masked AES takes."""

import struct
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from embedded.emulator import chip, elf, images, thumb
from embedded.emulator.emulator import Cost, Emulator
from embedded.leakage.cpa import SBOX

needs_gcc = pytest.mark.skipif(
    not images.has_compiler(images.SAFE), reason="gcc-arm-none-eabi is not installed"
)

FIRMWARE = images.FIRMWARE


def assemble(text: str, folder: Path, *others: Path) -> elf.Image:
    """An image whose function `program` is this text; its last instruction is to return.

    Other sources are compiled like the firmware's.
    """
    source, target = folder / "program.S", folder / "program.elf"
    source.write_text(
        ".syntax unified\n.thumb\n.text\n.thumb_func\n.global program\n.type program, %function\n"
        f"program:\n{text}\n.size program, . - program\n"
    )
    subprocess.run(
        [
            *(images.GCC, "-mcpu=cortex-m0plus", "-mthumb", "-nostdlib", "-static"),
            *(
                "-O2",
                f"-I{FIRMWARE / 'include'}",
                "-ffreestanding",
                "-fno-builtin",
                "-fno-tree-loop-distribute-patterns",
            ),
            *("-Wl,-Ttext=0x100,-e,program", "-o", str(target), str(source), *map(str, others)),
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


NOP = 0xBF00


def sabotaged(image: elf.Image, function: str, code: int, mask: int = 0xFFFF) -> elf.Image:
    """An image in which the first instruction of a function that is `code` does nothing."""
    start = image.symbol(function)
    segments = []
    for segment in image.segments:
        data = bytearray(segment.data)
        at = start.address - segment.address
        if 0 <= at < len(data):
            halves = range(at, at + start.size, 2)
            found = next(
                i for i in halves if int.from_bytes(data[i : i + 2], "little") & mask == code
            )
            data[found : found + 2] = NOP.to_bytes(2, "little")
        segments.append(replace(segment, data=bytes(data)))
    return replace(image, segments=tuple(segments))


def call_public(image: elf.Image, emulator: Emulator, name: str, *arguments: int) -> Cost:
    """Call a function of the public header, with arguments on the stack where there are many."""
    stacked = struct.pack(f"<{len(arguments[4:])}I", *arguments[4:])
    top = (chip.STACK_TOP - len(stacked)) & ~7
    emulator.write(top, stacked)
    emulator.set_register(thumb.SP, top)
    emulator.set_register(thumb.LR, chip.RETURN | 1)
    for number, argument in enumerate(arguments[:4]):
        emulator.set_register(number, argument)
    return emulator.run(image.symbol(f"tally_masked_{name}").address, chip.RETURN, 1_000_000)


def planes(blocks: bytes) -> list[int]:
    """The planes of two blocks."""
    found = [0] * 8
    for (b, i), p in product(product(range(2), range(16)), range(8)):
        found[p] |= (blocks[16 * b + i] >> p & 1) << (4 * (i % 4) + i // 4) * 2 + b
    return found


def round_keys(key: bytes) -> list[bytes]:
    """The eleven round keys of AES-128."""
    columns, constant = [list(key[i : i + 4]) for i in range(0, 16, 4)], 1
    for i in range(4, 44):
        new = columns[-1]
        if i % 4 == 0:
            new = [int(SBOX[x]) for x in (*new[1:], new[0])]
            new[0] ^= constant
            constant = constant << 1 ^ 0x11B * (constant >> 7)
        columns.append([a ^ b for a, b in zip(columns[-4], new, strict=True)])
    return [bytes(x for column in columns[i : i + 4] for x in column) for i in range(0, 44, 4)]
