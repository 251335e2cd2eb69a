# SPDX-License-Identifier: Apache-2.0
"""Cycles of a Cortex-M0+ without wait states (Cortex-M0+ Technical Reference Manual, table 3-1).

The multiplier is the one of a single cycle; a chip may have the one of 32 instead. Loads and stores
take two cycles, as they do of all memory that is not on the single-cycle port.
"""

from __future__ import annotations

from .thumb import PC, Instruction

_SYSTEM = {"dmb", "dsb", "isb", "mrs", "msr"}
_MEMORY = {
    *("ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldr_literal"),
    *("str", "strb", "strh"),
}


def cycles(instruction: Instruction, taken: bool) -> int:
    """Return the cycles of an instruction; `taken` counts for conditional branches alone."""
    name = instruction.name
    if name in _MEMORY:
        return 2
    if name in ("ldm", "stm", "push"):
        return 1 + len(instruction.registers)
    if name == "pop":
        return (3 if PC in instruction.registers else 1) + len(instruction.registers)
    if name == "b":
        return 2 if taken or not instruction.condition else 1
    if name == "bl":
        return 3
    if name in ("bx", "blx"):
        return 2
    if name in _SYSTEM:
        return 3
    if instruction.rd == PC:
        return 2
    return 1
