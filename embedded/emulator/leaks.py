# SPDX-License-Identifier: Apache-2.0
"""The kinds of words whose Hamming weight may leak, and the operands that public models look at.

The emulator (`lanes`) and the generator of assembly (`embedded.circuit.thumb`) both use what is
here, each with values of its own: words in lanes, or sums of variables. A kind can be left out of
either.

Kinds of ELMO are those of its source: `ldr` and `mov` have the old value of their destination as
first operand, a store has the old word of memory; loaded and stored words are second operands.
Where ELMO has no figures for an instruction (`ldm`, `stm`, `mvn`, branches), it takes both operands
for zero. Here they are what they are, or stay, which hides less.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple


class Leak(IntEnum):
    """The kind of a word whose Hamming weight leaks."""

    RESULT = 0
    """The result of an instruction in a register or in memory."""
    REGISTER = 1
    """The change from the register's value before."""
    OPERAND_A = 2
    """The change on operand bus A."""
    OPERAND_B = 3
    """The change on operand bus B."""
    BUS = 4
    """The change on a memory bus that carries loads and stores, in whole words."""
    READ = 5
    """The change on a memory bus for loads alone."""
    WRITE = 6
    """The change on a memory bus for stores alone."""
    CELL = 7
    """The change from the memory word's value before."""
    FLAG = 8
    """The change of N, the highest bit of the last result that set flags; or of C, the last bit
    that a shift moved out, or the carry of a sum."""
    PORT_1 = 9
    """The change of ELMO's first operand, from one instruction to the next."""
    PORT_2 = 10
    """The same of its second operand."""
    LAST_ALU = 11
    """ELMO*: the second operand xor that of the last instruction of the ALU, or xor what the
    register of that operand has been given since."""
    LAST_STORED = 12
    """ELMO*: the same of the last stored word."""
    LAST_LOADED = 13
    """ELMO*: the second operand xor the last loaded word."""
    LAST_MOVED = 14
    """ELMO*: the second operand xor the last one of `mov`."""
    BOTH_PORTS = 15
    """ELMO*: both operands of one instruction."""
    CROSSED = 16
    """An operand xor the other one of the instruction before."""
    GHOST = 17
    """The change at each of four ports that read the registers which bits 0 to 2, 3 to 5, 6 to 8,
    and 8 to 10 of each instruction would name, whether they do or not."""


CHIP = frozenset(Leak(i) for i in range(9))
"""Registers, operand buses, memory and flags, after the documented pipeline; MAPS looks at the
registers, and at those of the pipeline that hold operands."""
ELMO = frozenset({Leak.PORT_1, Leak.PORT_2})
ELMO_STAR = frozenset(Leak(i) for i in range(11, 16))
OTHERS = frozenset({Leak.CROSSED, Leak.GHOST})
"""Kinds that the assembly does show."""
REMOVED = CHIP | ELMO | ELMO_STAR
"""The kinds that the assembly must not show."""
EVERY = frozenset(Leak)


class Family(IntEnum):
    """The classes of instructions of which ELMO* remembers the last operand."""

    ALU = 0
    STORE = 1
    LOAD = 2
    MOVE = 3


_LAST = (Leak.LAST_ALU, Leak.LAST_STORED, Leak.LAST_LOADED, Leak.LAST_MOVED)
GHOST_FIELDS = (0, 3, 6, 8)
"""The lowest bit of each field."""


class Move(NamedTuple):
    """The operands of an instruction, or of one transfer of it.

    `first` and `second` are the operands, `source` the number of the second one's register,
    `target` that of the register which is written, with `result`.
    """

    family: Family
    first: Any
    second: Any
    source: int | None = None
    target: int | None = None
    result: Any = 0


_NONE = Move(Family.ALU, 0, 0)


@dataclass(slots=True)
class Ports:
    """The state of these models: of the last instruction, and of the last one of each family."""

    first: Any = 0
    second: Any = 0
    last: list[Any] = field(default_factory=lambda: [0, 0, 0, 0])
    sources: list[int | None] = field(default_factory=lambda: [None, None, None, None])
    before: Move = _NONE

    def fork(self) -> Ports:
        """Return a copy."""
        return Ports(self.first, self.second, list(self.last), list(self.sources), self.before)

    def changes(
        self, move: Move, kinds: frozenset[Leak], xor: Callable[[Any, Any], Any] = operator.xor
    ) -> Iterator[tuple[Leak, Any]]:
        """Give the words of some kinds that an instruction would show."""
        if Leak.PORT_1 in kinds:
            yield Leak.PORT_1, xor(self.first, move.first)
        if Leak.PORT_2 in kinds:
            yield Leak.PORT_2, xor(self.second, move.second)
        for leak, last in zip(_LAST, self.last, strict=True):
            if leak in kinds:
                yield leak, xor(last, move.second)
        if Leak.BOTH_PORTS in kinds:
            yield Leak.BOTH_PORTS, xor(move.first, move.second)
        if Leak.CROSSED in kinds:
            yield Leak.CROSSED, xor(self.second, move.first)
            yield Leak.CROSSED, xor(self.first, move.second)

    def take(self, move: Move) -> None:
        """Go on to the next instruction.

        A register that was the last second operand of the ALU, or stored, and is then written by
        another instruction, brings its new value there an instruction later.
        """
        before = self.before
        for family in (Family.ALU, Family.STORE):
            if (
                family not in (move.family, before.family)
                and before.target is not None
                and self.sources[family] == before.target
            ):
                self.last[family] = before.result
        self.last[move.family] = move.second
        self.sources[move.family] = move.source
        self.first, self.second, self.before = move.first, move.second, move
