# SPDX-License-Identifier: Apache-2.0
"""The x86-64 assembly of a masked program, read back as a program on shares.

Each result of an instruction becomes a wire, so that `probing` checks the computed values, and not
only the intended ones. Changes of a register or of memory are not checked.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from .masking import Program, Step

_STEPS = {"xor": Step.XOR, "and": Step.AND, "not": Step.NOT}
_NAMES = re.compile(r"%[re]?(ax|bx|cx|dx|si|di|bp|sp|r\d+|\d+)d?$")
_ADDRESS = re.compile(r"(-?\d*)\(%(\w+)\)$")
_OPERAND = re.compile(r"[^,(\s]*\([^)]*\)|[^,\s]+")

_Address: TypeAlias = tuple[str, int]
_Value: TypeAlias = str | _Address
"""A wire, or a pointer: where it points to at the beginning, and bytes from there."""


class AssemblyError(ValueError):
    """A line is none that can be followed; the message has it."""


class _Machine:
    """Registers and memory, which have wires and pointers."""

    def __init__(self, memory: dict[_Address, _Value]) -> None:
        self.memory = memory
        pointers = {"di": "planes", "si": "random", "sp": "stack"}
        self.registers: dict[str, _Value] = {name: (to, 0) for name, to in pointers.items()}

    def register(self, operand: str) -> str | None:
        found = _NAMES.match(operand)
        return found and found[1]

    def address(self, operand: str) -> _Address:
        found = _ADDRESS.match(operand)
        base = self.registers.get(self.register(f"%{found[2]}") or "") if found else None
        if found is None or not isinstance(base, tuple):
            raise AssemblyError(f"no address: {operand}")
        return base[0], base[1] + int(found[1] or 0)

    def read(self, operand: str) -> _Value:
        if register := self.register(operand):
            return self.registers.get(register, f"the caller's {register}")
        return self.memory[self.address(operand)]

    def write(self, operand: str, value: _Value) -> None:
        if register := self.register(operand):
            self.registers[register] = value
        else:
            self.memory[self.address(operand)] = value

    def move(self, operand: str, by: int) -> None:
        """Add to a pointer."""
        base = self.read(operand)
        if not isinstance(base, tuple):
            raise AssemblyError(f"no pointer: {operand}")
        self.write(operand, (base[0], base[1] + by))


def followed(assembly: str, name: str, program: Program, size: int) -> Program:
    """Return the program that function `name` is, which `c.on_shares` printed from `program`.

    `size` is that of a word, in bytes. The function must be straight-line code on whole words.

    Raises
    ------
    AssemblyError
        It has an instruction that can't be followed.
    """
    memory: dict[_Address, _Value] = {
        ("random", i * size): r for i, r in enumerate(program.randoms)
    }
    planes = {
        (s, bit): ("planes", (8 * s + bit) * size)
        for s in range(program.shares)
        for bit in range(8)
    }
    for bit, wires in enumerate(program.inputs):
        memory |= {planes[s, bit]: wire for s, wire in enumerate(wires)}
    machine = _Machine(memory)
    found = Program(program.order, program.inputs, randoms=program.randoms)
    begun = assembly.partition(f"\n{name}:")[2].partition("\n\t.size")[0]
    for line in begun.splitlines():
        code = line.partition("#")[0].strip()
        if not code or code[0] == "." or code.endswith(":"):
            continue
        verb, *operands = _OPERAND.findall(code)
        verb = verb.removesuffix("q").removesuffix("l")
        match verb, operands:
            case "mov", [source, target]:
                machine.write(target, machine.read(source))
            case "xor" | "and" | "not", [*sources]:
                read: list[str] = []
                for value in map(machine.read, reversed(sources)):
                    if not isinstance(value, str):
                        raise AssemblyError(f"not on words: {code}")
                    read.append(value)
                target = f"v{len(found.instructions)}: {code}"
                machine.write(sources[-1], found.add(target, _STEPS[verb], *read))
            case "push", [source]:
                value = machine.read(source)
                machine.move("%rsp", -8)
                machine.write("(%rsp)", value)
            case "pop", [target]:
                machine.write(target, machine.read("(%rsp)"))
                machine.move("%rsp", 8)
            case "add" | "sub", [number, pointer] if number[0] == "$":
                machine.move(pointer, int(number[1:]) * (1 if verb == "add" else -1))
            case "endbr64", []:
                pass
            case "ret", []:
                break
            case _:
                raise AssemblyError(f"unknown instruction {code}")
    for bit in range(len(program.outputs)):
        found.outputs.append([str(memory[planes[s, bit]]) for s in range(program.shares)])
    return found
