# SPDX-License-Identifier: Apache-2.0
"""Straight-line Thumb code on shares, in which no visible change depends on a secret.

Visible are the leaks of `embedded.emulator.lanes`: each result, and the change of each register, of
N, of both operand buses, of the memory buses and of memory words. If an instruction's changes would
show something, others that bring a constant come before it. So this code never leaks in this model,
in any order; the order decides its cost.

Operands are words of which each bit is a lane, so that one lane stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .masking import Program
from .probing import Sums, UndecidedError

REGISTERS = tuple(f"r{i}" for i in range(7))
BASE = "r7"
"""The address of the random words: the constant that comes between."""

FEW_VARIABLES = 12
"""More are not gone through to save an instruction."""


class LeakError(RuntimeError):
    """An instruction leaks, whatever is put before it."""


class Secrets:
    """Which sums of values depend on a secret."""

    def __init__(self, program: Program) -> None:
        self.sums = Sums(program)
        self._known: dict[int, bool] = {}

    def leaks(self, sum_: int) -> bool:
        """Whether the bias of a sum is not known to be the same for all secrets."""
        if sum_ & self.sums.randoms & ~self.sums.inner(sum_):
            return False
        if sum_ not in self._known:
            try:
                self._known[sum_] = not self.sums.is_independent(sum_, FEW_VARIABLES)
            except UndecidedError:
                self._known[sum_] = True
        return self._known[sum_]


@dataclass(slots=True)
class Code:
    """Instructions, and the place of each value after them.

    Values are sums (`probing.Sums`); a constant is 0. `cells` are words of the frame by name.
    """

    secrets: Secrets
    lines: list[str] = field(default_factory=list)
    cycles: int = 0
    registers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REGISTERS, 0))
    cells: dict[str, int] = field(default_factory=dict)
    operand_a: int = 0
    operand_b: int = 0
    flags: int = 0
    """Of which result N is."""
    read: int = 0
    write: int = 0
    bus: int = 0

    def fork(self) -> Code:
        """Return a copy that goes its own way."""
        return replace(
            self,
            lines=list(self.lines),
            registers=dict(self.registers),
            cells=dict(self.cells),
        )

    def become(self, other: Code) -> None:
        """Take over the state of a copy."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    # Constants between.

    def _test_constant(self) -> None:
        self._add(f"tst {BASE}, {BASE}", 1)
        self.operand_a = self.operand_b = self.flags = 0

    def _on_operands(self, a: int | None, b: int | None) -> None:
        leaks = (a is not None and self.secrets.leaks(self.operand_a ^ a)) or (
            b is not None and self.secrets.leaks(self.operand_b ^ b)
        )
        if leaks:
            self._test_constant()
            if (a and self.secrets.leaks(a)) or (b and self.secrets.leaks(b)):
                raise LeakError("an operand depends on a secret")
        if a is not None:
            self.operand_a = a
        if b is not None:
            self.operand_b = b

    def _on_bus(self, value: int, register: str, stores: bool) -> None:
        own = self.write if stores else self.read
        if self.secrets.leaks(own ^ value) or self.secrets.leaks(self.bus ^ value):
            if stores:
                self._add(f"str {BASE}, [sp, #SCRATCH]", 2)
                self.operand_a = self.operand_b = 0
            else:
                self._add(f"ldr {register}, [sp, #ZERO]", 2)
                self.operand_a = self.registers[register] = 0
        self.bus = value
        if stores:
            self.write = value
        else:
            self.read = value

    def _on_flags(self, value: int) -> None:
        if self.secrets.leaks(self.flags ^ value):
            self._test_constant()

    def _set(self, register: str, value: int) -> None:
        if self.secrets.leaks(value):
            raise LeakError(f"{register} would have a value that depends on a secret")
        if self.secrets.leaks(self.registers[register] ^ value):
            self._add(f"movs {register}, #0", 1)
            self.flags = 0
        self.registers[register] = value

    def costs_nothing(self, register: str, value: int) -> bool:
        """Whether a register may take a value as it is."""
        return not self.secrets.leaks(self.registers[register] ^ value)

    def _add(self, line: str, cycles: int) -> None:
        self.lines.append(line)
        self.cycles += cycles

    # Instructions.

    def load(self, register: str, cell: str) -> None:
        """Load a word of the frame."""
        value = self.cells[cell]
        self._set(register, value)
        self._on_bus(value, register, stores=False)
        self._on_operands(0, None)
        self.registers[register] = value
        self._add(f"ldr {register}, [sp, #{cell}]", 2)

    def draw(self, register: str, number: int, value: int) -> None:
        """Load a random word."""
        self._set(register, value)
        self._on_bus(value, register, stores=False)
        self._on_operands(0, None)
        self.registers[register] = value
        self._add(f"RANDOM {register}, {number}", 2)

    def store(self, register: str, cell: str) -> None:
        """Store a word in the frame."""
        value = self.registers[register]
        if self.secrets.leaks(self.cells.get(cell, 0) ^ value):
            raise LeakError(f"the change of {cell} depends on a secret")
        self._on_bus(value, register, stores=True)
        self._on_operands(0, value)
        self.cells[cell] = value
        self._add(f"str {register}, [sp, #{cell}]", 2)

    def copy(self, target: str, source: str) -> None:
        """Copy a register, by the operand bus where that costs less."""
        value = self.registers[source]
        self._set(target, value)
        if self.secrets.leaks(self.operand_b ^ value):
            self._on_flags(value)
            self._on_operands(value, None)
            self._add(f"adds {target}, {source}, #0", 1)
            self.flags = value
        else:
            self._on_operands(None, value)
            self._add(f"mov {target}, {source}", 1)

    def exclusive_or(self, target: str, source: str) -> None:
        """Add a register to another."""
        a, b = self.registers[target], self.registers[source]
        self._on_flags(a ^ b)
        self._on_operands(a, b)
        self._change(target, a ^ b)
        self._add(f"eors {target}, {source}", 1)
        self.flags = a ^ b

    def and_(self, target: str, source: str) -> None:
        """Multiply a register by another."""
        a, b = self.registers[target], self.registers[source]
        product = self.secrets.sums.product(a, b)
        self._on_flags(product)
        self._on_operands(a, b)
        self._change(target, product)
        self._add(f"ands {target}, {source}", 1)
        self.flags = product

    def invert(self, register: str) -> None:
        """Invert a register."""
        value = self.registers[register]
        self._on_flags(value)
        self._on_operands(None, value)
        self._add(f"mvns {register}, {register}", 1)
        self.flags = value

    def _change(self, register: str, value: int) -> None:
        for sum_ in (value, self.registers[register] ^ value):
            if self.secrets.leaks(sum_):
                raise LeakError(f"a change of {register} depends on a secret")
        self.registers[register] = value

    def free(self, taken: Iterable[str], value: int) -> str:
        """Return a register that is not taken, if possible one that may take a value as it is."""
        left = [name for name in REGISTERS if name not in taken]
        if not left:
            raise LeakError("no register is free")
        return next((name for name in left if self.costs_nothing(name, value)), left[0])
