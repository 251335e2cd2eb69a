# SPDX-License-Identifier: Apache-2.0
"""Masked AES and FAST on a Cortex-M0+: cycles, memory and code, counted in an emulator."""

from __future__ import annotations

from pathlib import Path

from embedded.emulator import costs, fast, images, stm32l0
from embedded.emulator import tables as markdown

OF_FAST = (images.SAFE, images.ZIG)


def tables() -> tuple[str, list[str]]:
    """Return tables of docs/reference/masked-aes.md, and a sentence for each missing one."""
    there = [variant for variant in costs.COSTS_OF if images.has_compiler(variant)]
    missing = [
        f"Masked AES on a Cortex-M0+ ({variant.title}) is not counted: {images.GCC} is not "
        "installed."
        for variant in costs.COSTS_OF
        if variant not in there
    ]
    of_fast = {variant.title: fast.costs(variant) for variant in there if variant in OF_FAST}
    text = f"{costs.of_costs(there)}\n{fast.of_costs(of_fast)}"
    return text + (f"\n{stm32l0.of_costs()}" if not missing else ""), missing


def put_in(path: Path, text: str) -> None:
    """Put the tables into the document."""
    markdown.put(path, "make bench", text)
