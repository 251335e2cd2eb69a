# SPDX-License-Identifier: Apache-2.0
"""Instructions of Armv6-M, decoded (Armv6-M Architecture Reference Manual, chapters A5 and A6).

Not decoded, because nothing here uses them: CPS, MRS and MSR, SVC, UDF, WFE, WFI, SEV and YIELD.
"""

from __future__ import annotations

from dataclasses import dataclass

SP, LR, PC = 13, 14, 15

CONDITIONS = ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"]


class DecodingError(ValueError):
    """A halfword is no instruction that is known here."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    Attributes
    ----------
    name
        Its mnemonic, without the S of those that set flags.
    rd, rn, rm
        Register numbers, or None: the destination (of a store: the stored value), the first and
        the second operand (of an address: base and offset).
    immediate
        A constant, an offset, or the address that is branched to.
    registers
        Those of LDM, STM, POP and PUSH, in the order of their addresses.
    condition
        Of a conditional branch, or "".
    size
        Bytes: 2 or 4.
    sets_flags
        Whether N and Z follow the result.
    """

    name: str
    rd: int | None = None
    rn: int | None = None
    rm: int | None = None
    immediate: int = 0
    registers: tuple[int, ...] = ()
    condition: str = ""
    size: int = 2
    sets_flags: bool = False


_SHIFTS = ("lsl", "lsr", "asr")
_BY_IMMEDIATE = ("mov", "cmp", "add", "sub")
_REGISTER_FORMS = (
    *("and", "eor", "lsl", "lsr", "asr", "adc", "sbc", "ror"),
    *("tst", "rsb", "cmp", "cmn", "orr", "mul", "bic", "mvn"),
)
_BY_OFFSET = ("str", "strh", "strb", "ldrsb", "ldr", "ldrh", "ldrb", "ldrsh")
_EXTENSIONS = ("sxth", "sxtb", "uxth", "uxtb")
_REVERSALS = {0: "rev", 1: "rev16", 3: "revsh"}


def decode(first: int, second: int, address: int) -> Instruction:
    """Decode the halfword at an address, and the one behind it, if the instruction has two.

    Raises
    ------
    DecodingError
        They are none of Armv6-M's instructions, or one of those that are left out.
    """
    top = first >> 11
    low, middle = first & 7, first >> 3 & 7
    byte = first & 0xFF
    five = first >> 6 & 31
    if top < 3:
        if top == 0 and five == 0:
            return Instruction("mov", low, rm=middle, sets_flags=True)
        amount = five if top == 0 or five else 32
        return Instruction(_SHIFTS[top], low, rm=middle, immediate=amount, sets_flags=True)
    if top == 3:
        name = "sub" if first & 1 << 9 else "add"
        if first & 1 << 10:
            return Instruction(name, low, middle, immediate=five & 7, sets_flags=True)
        return Instruction(name, low, middle, five & 7, sets_flags=True)
    if top < 8:
        name, rd = _BY_IMMEDIATE[top - 4], first >> 8 & 7
        rn = None if name == "mov" else rd
        return Instruction(name, None if name == "cmp" else rd, rn, immediate=byte, sets_flags=True)
    if top == 8:
        return _high(first) if first & 1 << 10 else _register_form(first)
    if top == 9:
        literal = (address + 4 & ~3) + 4 * byte
        return Instruction("ldr_literal", first >> 8 & 7, immediate=literal)
    if top < 12:
        return Instruction(_BY_OFFSET[first >> 9 & 7], low, middle, five & 7)
    if top < 18:
        name = ("str", "ldr", "strb", "ldrb", "strh", "ldrh")[top - 12]
        return Instruction(name, low, middle, immediate=five * (4, 1, 2)[(top - 12) // 2])
    if top < 20:
        return Instruction("ldr" if top & 1 else "str", first >> 8 & 7, SP, immediate=4 * byte)
    if top == 20:
        return Instruction("adr", first >> 8 & 7, immediate=(address + 4 & ~3) + 4 * byte)
    if top == 21:
        return Instruction("add", first >> 8 & 7, SP, immediate=4 * byte)
    if top < 24:
        return _miscellaneous(first)
    if top < 26:
        registers = tuple(r for r in range(8) if byte >> r & 1)
        return Instruction("ldm" if top & 1 else "stm", rn=first >> 8 & 7, registers=registers)
    if top < 28:
        condition = first >> 8 & 15
        if condition < 14:
            target = address + 4 + 2 * (byte - (byte & 0x80) * 2)
            return Instruction("b", immediate=target, condition=CONDITIONS[condition])
    elif top == 28:
        offset = first & 0x7FF
        return Instruction("b", immediate=address + 4 + 2 * (offset - (offset & 0x400) * 2))
    elif top == 30:
        return _long(first, second, address)
    raise DecodingError(f"{first:#06x} at {address:#x} is no instruction that is known here")


def _register_form(first: int) -> Instruction:
    name, low, middle = _REGISTER_FORMS[first >> 6 & 15], first & 7, first >> 3 & 7
    if name in ("tst", "cmp", "cmn"):
        return Instruction(name, None, low, middle, sets_flags=True)
    if name == "mvn":
        return Instruction(name, low, rm=middle, sets_flags=True)
    if name == "rsb":  # 0 - Rn
        return Instruction(name, low, middle, sets_flags=True)
    return Instruction(name, low, low, middle, sets_flags=True)


def _high(first: int) -> Instruction:
    """Instructions on all registers."""
    kind = first >> 8 & 3
    rd, rm = first & 7 | first >> 4 & 8, first >> 3 & 15
    if kind == 0:
        return Instruction("add", rd, rd, rm)
    if kind == 1:
        return Instruction("cmp", None, rd, rm, sets_flags=True)
    if kind == 2:
        return Instruction("mov", rd, rm=rm)
    return Instruction("blx" if first & 1 << 7 else "bx", rm=rm)


def _miscellaneous(first: int) -> Instruction:
    byte, low, middle = first & 0xFF, first & 7, first >> 3 & 7
    kind = first >> 8 & 15
    if kind == 0:
        name = "sub" if byte & 0x80 else "add"
        return Instruction(name, SP, SP, immediate=4 * (byte & 0x7F))
    if kind == 2:
        return Instruction(_EXTENSIONS[byte >> 6], low, rm=middle)
    if kind & ~1 == 4 or kind & ~1 == 12:
        pops = kind & ~1 == 12
        extra = (PC if pops else LR,) if kind & 1 else ()
        registers = tuple(r for r in range(8) if byte >> r & 1) + extra
        return Instruction("pop" if pops else "push", rn=SP, registers=registers)
    if kind == 10 and byte >> 6 in _REVERSALS:
        return Instruction(_REVERSALS[byte >> 6], low, rm=middle)
    if kind == 14:
        return Instruction("bkpt", immediate=byte)
    if first == 0xBF00:
        return Instruction("nop")
    if first & ~0x10 == 0xB662:
        return Instruction("cps")
    raise DecodingError(f"{first:#06x} is no instruction that is known here")


def _long(first: int, second: int, address: int) -> Instruction:
    if second & 0xD000 == 0xD000:
        sign = first >> 10 & 1
        i1, i2 = ((second >> bit & 1) ^ sign ^ 1 for bit in (13, 11))
        offset = (i1 << 23 | i2 << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1) - (
            sign << 24
        )
        return Instruction("bl", immediate=address + 4 + offset, size=4)
    if first == 0xF3BF and second >> 4 in (0x8F4, 0x8F5, 0x8F6):
        return Instruction(("dsb", "dmb", "isb")[(second >> 4) - 0x8F4], size=4)
    if first == 0xF3EF and second & 0xF000 == 0x8000:
        return Instruction("mrs", second >> 8 & 15, size=4)
    if first & 0xFFF0 == 0xF380 and second & 0xFF00 == 0x8800:
        return Instruction("msr", rn=first & 15, size=4)
    raise DecodingError(f"{first:#06x} {second:#06x} is no instruction that is known here")
