# SPDX-License-Identifier: Apache-2.0
"""Many runs of one program at once, each on other data, in lanes, and their leakage.

Masked code takes the same way through the program whatever its data, and uses the same addresses.
So each instruction is interpreted once for all lanes. A branch or an address that is not the same
in all lanes is an error. The amount of a shift is one too, but for `rors`, by which the shuffled
assembly takes its order.

A probe gets the words of each instruction whose Hamming weight leaks (`Leak`). The two read ports
of the registers are modeled as operand buses, whose value stays until an instruction reads another
register: the first operand, and the base of an address, come by A; the second one,
and stored values, by B. Constants come by neither, so they do not hide a change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from . import chip, thumb, values
from .chip import ChipError
from .elf import Image
from .leaks import GHOST_FIELDS, REMOVED, Family, Leak, Move, Ports
from .thumb import LR, PC, SP, Instruction
from .timing import cycles
from .values import MASK, Word


class Probe(Protocol):
    """The probe that gets the leaks."""

    def take(self, address: int, leak: Leak, word: values.Lanes) -> None:
        """Take the words of all lanes, of the instruction at an address."""


_CHANGES = 16
"""How many are known: those of a few instructions."""
_SIZES = {"b": 1, "h": 2}
_HIGH = 8


class Machine:
    """A chip for each lane, with one image in their flash.

    Parameters
    ----------
    image
        The firmware.
    random
        Gives the result of a load from the random generator, for all lanes.
    kinds
        The kinds of leaks that a probe gets.
    """

    def __init__(
        self, image: Image, random: Callable[[], Word], kinds: frozenset[Leak] = REMOVED
    ) -> None:
        self.image = image
        self.kinds = kinds
        self.registers: list[Word] = [0] * 16
        self.cycles = self.instructions = 0
        self.watch: Callable[[Machine, int], None] | None = None
        """Is called with the address of each instruction before it runs."""
        self._random = random
        self._memory: dict[int, Word] = {}
        for region, size in ((chip.FLASH, chip.FLASH_SIZE), (chip.RAM, chip.RAM_SIZE)):
            for address in range(region, region + size, 4):
                self._memory[address >> 2] = 0
        for segment in image.segments:
            data = segment.data.ljust(-(-len(segment.data) // 4) * 4, b"\0")
            self.write_words(
                segment.address,
                [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)],
            )
        self._decoded: dict[int, tuple[Instruction, Callable[[Instruction], None]]] = {}
        self._probe: Probe | None = None
        self._at = self._next = 0
        self._operands: list[Word] = [0, 0]
        self._buses: list[Word] = [0, 0, 0]
        self._ports = Ports()
        self._changes: dict[tuple[int, int], tuple[Word, Word, Word]] = {}
        self._fields: list[Word] = [0 for _ in GHOST_FIELDS]
        # The word of N and Z, and how to compute C and V if an instruction reads them.
        self._result: Word = 1
        self._carry: Callable[[], Word] = lambda: 0
        self._overflow: Callable[[], Word] = lambda: 0

    # Memory, for who prepares a run.

    def read_words(self, address: int, count: int) -> list[Word]:
        """Return `count` words of memory from an aligned address on."""
        return [self._memory[(address >> 2) + i] for i in range(count)]

    def write_words(self, address: int, words: Sequence[Word]) -> None:
        """Replace words of memory from an aligned address on."""
        for i, word in enumerate(words):
            self._memory[(address >> 2) + i] = word

    def flags(self) -> tuple[Word, Word, Word, Word]:
        """Return N, Z, C and V."""
        zero = values.as_bit(self._result == 0)
        return self._result >> 31, zero, self._carry(), self._overflow()

    def set_flags(self, n: int, z: int, c: int, v: int) -> None:
        """Set the flags; N and Z can't both be 1."""
        self._result = values.SIGN if n else 1 - z
        self._carry, self._overflow = (lambda: c), (lambda: v)

    # Runs.

    def call(
        self,
        name: str,
        *arguments: Word,
        probe: Probe | None = None,
        within: str | None = None,
        limit: int = 5_000_000,
    ) -> None:
        """Call a function with up to four arguments.

        Parameters
        ----------
        name
            The function.
        arguments
            Words for r0 to r3.
        probe
            The probe that gets the leaks.
        within
            The function that it is shown of, with those that this one calls; else it is all.
        limit
            How many instructions are too many.

        Raises
        ------
        ChipError
            The program did something impossible on the chip, did not end, or took a way that
            depends on data.
        """
        self.registers[SP], self.registers[LR] = chip.STACK_TOP, chip.RETURN | 1
        self.registers[: len(arguments)] = arguments
        start = self.image.symbol(name).address
        if within is None or probe is None:
            self.run(start, chip.RETURN, probe, limit)
            return
        entry = self.image.symbol(within).address
        self.run(start, entry, None, limit)
        end = self._uniform(self.registers[LR], "a return address") & ~1
        self.run(entry, end, probe, limit)
        self.run(end, chip.RETURN, None, limit)

    def reset(self, until: str, limit: int = 5_000_000) -> None:
        """Do as the chip does when it is switched on, until it comes to a function."""
        self.registers[SP], start = self.read_words(chip.FLASH, 2)
        at = self._uniform(start, "the reset vector") & ~1
        self.run(at, self.image.symbol(until).address, None, limit)

    def run(self, start: int, until: int, probe: Probe | None, limit: int) -> None:
        """Run from one address until another; `call` says how it may fail."""
        self._probe, self._next = probe, start
        for _ in range(limit):
            at = self._at = self._next
            if at == until:
                break
            found = self._decoded.get(at)
            if found is None:
                found = self._decoded[at] = self._decode(at)
            if self.watch is not None:
                self.watch(self, at)
            instruction, step = found
            after = self._next = at + instruction.size
            if Leak.GHOST in self.kinds:
                self._read_ghosts()
            step(instruction)
            self.instructions += 1
            self.cycles += cycles(instruction, self._next != after)
        else:
            raise ChipError(f"not at {until:#x} after {limit} instructions, but at {self._place()}")

    def _decode(self, at: int) -> tuple[Instruction, Callable[[Instruction], None]]:
        try:
            first, second = self._half(at), self._half(at + 2)
        except KeyError:
            raise ChipError(f"the program went to {at:#x}, where there is no memory") from None
        instruction = thumb.decode(first, second, at)
        return instruction, self._handler(instruction)

    def _half(self, address: int) -> int:
        word = self._uniform(self._memory[address >> 2], "an instruction")
        return word >> 8 * (address & 2) & 0xFFFF

    def _handler(self, i: Instruction) -> Callable[[Instruction], None]:
        name = i.name
        if name in values.SHIFTS:
            return self._shift
        if name in values.BINARY:
            return self._binary
        if name in values.UNARY:
            return self._unary
        if name == "ldr_literal":
            return self._literal
        if name[:3] in ("ldr", "str"):
            return self._load if name[0] == "l" else self._store
        return {
            "add": self._add,
            "adc": self._add,
            "sub": self._subtract,
            "sbc": self._subtract,
            "rsb": self._negate,
            "cmp": self._subtract,
            "cmn": self._add,
            "adr": self._address,
            "ldm": self._load_many,
            "pop": self._load_many,
            "stm": self._store_many,
            "push": self._store_many,
            "b": self._branch,
            "bl": self._link,
            "bx": self._exchange,
            "blx": self._exchange,
            "nop": self._nothing,
            "dmb": self._nothing,
            "dsb": self._nothing,
            "isb": self._nothing,
            "bkpt": self._breakpoint,
        }[name]

    # Leaks.

    def _show(self, leak: Leak, word: Word) -> None:
        if self._probe is not None and not isinstance(word, int) and leak in self.kinds:
            self._probe.take(self._at, leak, word)

    def _change(self, one: Word, other: Word) -> Word:
        """Return their XOR: the same object for all kinds that show the change of one to the other.

        Then a probe need not look at it again.
        """
        if isinstance(one, int) and one == 0:
            return other
        if isinstance(other, int) and other == 0:
            return one
        key = id(one), id(other)
        found = self._changes.get(key)
        if found is None:
            if len(self._changes) == _CHANGES:
                self._changes.clear()
            found = self._changes[key] = one, other, one ^ other  # which keeps their identities
        return found[2]

    def _operate(
        self,
        family: Family,
        first: Word,
        second: Word,
        source: int | None = None,
        target: int | None = None,
        result: Word = 0,
    ) -> None:
        """Show what the models of ELMO and ELMO* look at."""
        move = Move(family, first, second, source, target, result)
        if self._probe is not None:
            for leak, word in self._ports.changes(move, self.kinds, self._change):
                self._show(leak, word)
        self._ports.take(move)

    def _read_ghosts(self) -> None:
        half = self._half(self._at)
        for i, field in enumerate(GHOST_FIELDS):
            word = self.registers[half >> field & 7]
            self._show(Leak.GHOST, self._change(self._fields[i], word))
            self._fields[i] = word

    def _read(self, number: int, port: int) -> Word:
        """Read a register by operand bus A (0) or B (1)."""
        word = self._at + 4 if number == PC else self.registers[number]
        if self._probe is not None:
            leak = Leak.OPERAND_B if port else Leak.OPERAND_A
            self._show(leak, self._change(self._operands[port], word))
        self._operands[port] = word
        return word

    def _write(self, number: int, word: Word) -> None:
        if number == PC:
            self._next = self._uniform(word, "a branch") & ~1
            return
        if self._probe is not None:
            self._show(Leak.RESULT, word)
            self._show(Leak.REGISTER, self._change(self.registers[number], word))
        self.registers[number] = word

    def _transfer(self, word: Word, stores: bool) -> None:
        """Show a word on the memory buses."""
        own = 2 if stores else 1
        if self._probe is not None:
            self._show(Leak.BUS, self._change(self._buses[0], word))
            leak = Leak.WRITE if stores else Leak.READ
            self._show(leak, self._change(self._buses[own], word))
        self._buses[0] = self._buses[own] = word

    # Values that must be the same in all lanes.

    def _place(self) -> str:
        return self.image.place(self._at)

    def _uniform(self, word: Word, what: str) -> int:
        if isinstance(word, int):
            return word
        first = int(word[0])
        if not (word == first).all():
            raise ChipError(f"at {self._place()} {what} depends on data")
        return first

    # Arithmetic.

    def _second(self, i: Instruction) -> Word:
        return i.immediate if i.rm is None else self._read(i.rm, 1)

    def _first(self, i: Instruction) -> Word:
        assert i.rn is not None  # noqa: S101 (the decoder's business)
        return self._read(i.rn, 0)

    def _finish(self, i: Instruction, result: Word) -> None:
        if i.sets_flags:
            if self._probe is not None:
                self._show(Leak.FLAG, (self._result ^ result) >> 31)
            self._result = result
        if i.rd is not None:
            self._write(i.rd, result)

    def _binary(self, i: Instruction) -> None:
        a = self._first(i)
        b = self._second(i)
        result = self._change(a, b) if i.name == "eor" else values.BINARY[i.name](a, b)
        self._operate(Family.ALU, a, b, i.rm, i.rd, result)
        self._finish(i, result)

    def _unary(self, i: Instruction) -> None:
        value = self._second(i)
        result = values.UNARY[i.name](value)
        assert i.rd is not None  # noqa: S101
        # ELMO* knows a `mov` of a high register as one of the ALU.
        moves = i.name == "mov" and i.rd < _HIGH and (i.rm is None or i.rm < _HIGH)
        family = Family.MOVE if moves else Family.ALU
        self._operate(family, self._old(i), value, i.rm, i.rd, result)
        self._finish(i, result)

    def _shift(self, i: Instruction) -> None:
        amount: Word
        if i.rn is None:
            value, amount = self._second(i), i.immediate
        else:
            value, amount = self._first(i), self._second(i)
        if i.name == "ror" and not isinstance(amount, int):  # by a secret order: it takes one cycle
            result, last = values.rotate_each(value, amount & 0xFF, self._carry())
        else:
            same = self._uniform(amount & 0xFF, "the amount of a shift")
            result, last = values.SHIFTS[i.name](value, same)
        if last is not None:
            self._move_carry(last)
        if i.rn is not None:
            self._operate(Family.ALU, value, amount, i.rm, i.rd, result)
        elif i.name == "lsl":  # so ELMO* has it
            self._operate(Family.ALU, self._old(i), value, i.rm, i.rd, result)
        else:
            self._operate(Family.ALU, value, amount, i.rm, i.rd, result)
        self._finish(i, result)

    def _move_carry(self, carry: Word) -> None:
        if self._probe is not None:
            self._show(Leak.FLAG, self._carry() ^ carry)
        self._carry = lambda: carry

    def _sum(self, i: Instruction, a: Word, b: Word, carry: Word) -> None:
        total = values.add(a, b, carry)
        if i.sets_flags:
            if self._probe is None:
                self._carry = lambda: values.carry_of(a, b, carry)
            else:
                self._move_carry(values.carry_of(a, b, carry))
            self._overflow = lambda: values.overflow_of(a, b, total)
        self._finish(i, total)

    def _add(self, i: Instruction) -> None:
        a = self._first(i)
        b = self._second(i)
        carry = self._carry() if i.name == "adc" else 0
        self._operate(Family.ALU, a, b, i.rm, i.rd, values.add(a, b, carry))
        self._sum(i, a, b, carry)

    def _subtract(self, i: Instruction) -> None:
        a = self._first(i)
        b = self._second(i)
        inverted, carry = values.invert(b), self._carry() if i.name == "sbc" else 1
        self._operate(Family.ALU, a, b, i.rm, i.rd, values.add(a, inverted, carry))
        self._sum(i, a, inverted, carry)

    def _negate(self, i: Instruction) -> None:
        value = self._first(i)
        inverted = values.invert(value)
        self._operate(Family.ALU, self._old(i), value, i.rn, i.rd, values.add(inverted, 1))
        self._sum(i, 0, inverted, 1)

    def _address(self, i: Instruction) -> None:
        self._operate(Family.MOVE, self._old(i), i.immediate, None, i.rd, i.immediate)
        self._finish(i, i.immediate)

    def _old(self, i: Instruction) -> Word:
        """Return what the destination has before."""
        return 0 if i.rd is None or i.rd == PC else self.registers[i.rd]

    # Memory.

    def _at_memory(self, address: int, size: int) -> int:
        if address % size:
            raise ChipError(f"at {self._place()} address {address:#x} is not aligned")
        if address >> 2 not in self._memory:
            raise ChipError(f"at {self._place()} there is no memory at {address:#x}")
        return address >> 2

    def _fetch(self, address: int, size: int) -> Word:
        if address == chip.RANDOM_REGISTER and size == 4:
            word = self._random()
        else:
            word = self._memory[self._at_memory(address, size)]
        self._transfer(word, stores=False)
        if size == 4:
            return word
        return word >> 8 * (address & 3) & ((1 << 8 * size) - 1)

    def _put(self, address: int, word: Word, size: int, number: int) -> None:
        at = self._at_memory(address, size)
        if address < chip.RAM:
            raise ChipError(f"at {self._place()} address {address:#x} in flash is written")
        before = self._memory[at]
        if size == 4:
            after = on_bus = word
        else:
            mask, shift = (1 << 8 * size) - 1, 8 * (address & 3)
            after = before & (MASK ^ mask << shift) | (word & mask) << shift
            on_bus = values.fit((word & mask) * (MASK // mask))
        self._transfer(on_bus, stores=True)
        self._operate(Family.STORE, before, after, number)
        if self._probe is not None:
            self._show(Leak.RESULT, word)
            self._show(Leak.CELL, self._change(before, after))
        self._memory[at] = after

    def _where(self, i: Instruction) -> int:
        base = self._first(i)
        return self._uniform(values.add(base, self._second(i)), "an address")

    def _literal(self, i: Instruction) -> None:
        word = self._fetch(i.immediate, 4)
        self._operate(Family.LOAD, self._old(i), word, None, i.rd, word)
        self._finish(i, word)

    def _load(self, i: Instruction) -> None:
        size = _SIZES.get(i.name[-1], 4)
        address = self._where(i)
        word = self._fetch(address, size)
        if i.name.startswith("ldrs"):
            word = values.signed(word, 8 * size)
        whole = word if size == 4 else self._memory[address >> 2]
        self._operate(Family.LOAD, self._old(i), whole, None, i.rd, word)
        self._finish(i, word)

    def _store(self, i: Instruction) -> None:
        address = self._where(i)
        assert i.rd is not None  # noqa: S101
        self._put(address, self._read(i.rd, 1), _SIZES.get(i.name[-1], 4), i.rd)

    def _load_many(self, i: Instruction) -> None:
        assert i.rn is not None  # noqa: S101
        address = self._uniform(self._first(i), "an address")
        words = 4 * len(i.registers)
        if i.name == "pop" or i.rn not in i.registers:
            self.registers[i.rn] = address + words
        for number in i.registers:
            word = self._fetch(address, 4)
            old = 0 if number == PC else self.registers[number]
            self._operate(Family.LOAD, old, word, None, number, word)
            self._write(number, word)
            address += 4

    def _store_many(self, i: Instruction) -> None:
        assert i.rn is not None  # noqa: S101
        address = self._uniform(self._first(i), "an address")
        words = 4 * len(i.registers)
        start = address - words if i.name == "push" else address
        for n, number in enumerate(i.registers):
            self._put(start + 4 * n, self._read(number, 1), 4, number)
        self.registers[i.rn] = start if i.name == "push" else address + words

    # The program's way.

    def _branch(self, i: Instruction) -> None:
        if not i.condition or self._holds(i.condition):
            self._next = i.immediate

    def _holds(self, condition: str) -> bool:
        n, z, c, v = (self._uniform(flag, "a branch") for flag in self._needed(condition))
        return {
            "eq": z == 1,
            "ne": z == 0,
            "cs": c == 1,
            "cc": c == 0,
            "mi": n == 1,
            "pl": n == 0,
            "vs": v == 1,
            "vc": v == 0,
            "hi": c == 1 and z == 0,
            "ls": c == 0 or z == 1,
            "ge": n == v,
            "lt": n != v,
            "gt": z == 0 and n == v,
            "le": z == 1 or n != v,
        }[condition]

    def _needed(self, condition: str) -> tuple[Word, Word, Word, Word]:
        """Return the flags, those that a condition does not use as 0."""
        n, z, c, v = _USES[condition]
        return (
            self._result >> 31 if n else 0,
            values.as_bit(self._result == 0) if z else 0,
            self._carry() if c else 0,
            self._overflow() if v else 0,
        )

    def _link(self, i: Instruction) -> None:
        self.registers[LR] = self._next | 1
        self._next = i.immediate

    def _exchange(self, i: Instruction) -> None:
        assert i.rm is not None  # noqa: S101
        target = self._uniform(self._read(i.rm, 1), "a branch")
        if i.name == "blx":
            self.registers[LR] = self._next | 1
        self._next = target & ~1

    def _nothing(self, i: Instruction) -> None:
        pass

    def _breakpoint(self, i: Instruction) -> None:
        raise ChipError(f"at {self._place()} there is a breakpoint")


_USES = {
    condition: tuple(flag in used for flag in "nzcv")
    for used, conditions in {
        "z": "eq ne",
        "c": "cs cc",
        "n": "mi pl",
        "v": "vs vc",
        "cz": "hi ls",
        "nv": "ge lt",
        "nzv": "gt le",
    }.items()
    for condition in conditions.split()
}
