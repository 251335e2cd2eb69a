# SPDX-License-Identifier: Apache-2.0
"""Straight-line Thumb code on shares, in which no visible change depends on a secret.

Visible are kinds of `embedded.emulator.leaks`. If an instruction would show something by one of
them, others that bring a constant come before it. So this code never leaks in this model, in any
order; the order decides its cost.

Operands are words of which each bit is a lane, so that one lane stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations

from embedded.emulator.leaks import GHOST_FIELDS, REMOVED, Family, Leak, Move, Ports

from .masking import Program
from .probing import Sums, UndecidedError

REGISTERS = tuple(f"r{i}" for i in range(7))
HIGH = tuple(f"r{i}" for i in range(8, 13))
"""Registers that only `mov` reaches: a cheaper memory."""
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
class Effect:
    """All that an instruction does."""

    line: str
    cycles: int
    code: int
    """Its halfword, as far as its register fields are known."""
    move: Move
    a: int | None = None
    """What operand bus A gets, if it is used; and B."""
    b: int | None = None
    flags: int | None = None
    """The result of which N is, if it sets flags."""
    target: str | None = None
    value: int = 0
    """The register that is written, and what it gets."""
    bus: int | None = None
    stores: bool = False
    cell: str | None = None
    """The word of the frame that is stored."""
    carry: int | None = None
    """What C becomes, if it is set: a constant, since nothing here shifts or adds words."""


@dataclass(slots=True)
class Chip:
    """What keeps a value from one instruction to the next, but for registers and memory."""

    a: int = 0
    b: int = 0
    flags: int = 0
    """Of which result N is."""
    carry: int = 0
    read: int = 0
    write: int = 0
    bus: int = 0
    ports: Ports = field(default_factory=Ports)
    ghosts: tuple[int, ...] = (0,) * len(GHOST_FIELDS)

    def fork(self) -> Chip:
        """Return a copy that goes its own way."""
        return Chip(
            *(self.a, self.b, self.flags, self.carry, self.read, self.write, self.bus),
            *(self.ports.fork(), self.ghosts),
        )


def _number(register: str) -> int:
    return int(register[1:])


def _pair(code: int, target: str, source: str) -> int:
    """Return an instruction with low registers in bits 0 to 2 and 3 to 5."""
    return code | _number(source) << 3 | _number(target)


@dataclass(slots=True)
class Code:
    """Instructions, and the place of each value after them.

    Values are sums (`probing.Sums`); a constant is 0. `cells` are words of the frame by name.
    `operations` are the instructions again, without those that bring constants: names of methods
    and their arguments. `numbers` are the places of cells, in words, where GHOST is one of `kinds`.
    """

    secrets: Secrets
    kinds: frozenset[Leak] = REMOVED
    numbers: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    operations: list[tuple[str, ...]] = field(default_factory=list)
    cycles: int = 0
    registers: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((*REGISTERS, *HIGH, BASE), 0)
    )
    cells: dict[str, int] = field(default_factory=dict)
    chip: Chip = field(default_factory=Chip)
    dead: tuple[str, ...] = ()
    """Registers whose value is not needed any more: a constant may come into them."""

    def fork(self) -> Code:
        """Return a copy that goes its own way."""
        return replace(
            self,
            lines=list(self.lines),
            operations=list(self.operations),
            registers=dict(self.registers),
            cells=dict(self.cells),
            chip=self.chip.fork(),
        )

    def become(self, other: Code) -> None:
        """Take over the state of a copy."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    # What an instruction shows.

    def _shown(self, e: Effect) -> Iterator[tuple[Leak, int]]:
        chip = self.chip
        yield from chip.ports.changes(e.move, self.kinds)
        if e.a is not None:
            yield Leak.OPERAND_A, chip.a ^ e.a
        if e.b is not None:
            yield Leak.OPERAND_B, chip.b ^ e.b
        if e.flags is not None:
            yield Leak.FLAG, chip.flags ^ e.flags
        if e.carry is not None:
            yield Leak.FLAG, chip.carry ^ e.carry
        if e.target is not None:
            yield Leak.RESULT, e.value
            yield Leak.REGISTER, self.registers[e.target] ^ e.value
        if e.bus is not None:
            yield Leak.BUS, chip.bus ^ e.bus
            yield (
                Leak.WRITE if e.stores else Leak.READ,
                (chip.write if e.stores else chip.read) ^ e.bus,
            )
        if e.cell is not None:
            yield Leak.CELL, self.cells.get(e.cell, 0) ^ e.value
        if Leak.GHOST in self.kinds:
            for before, now in zip(chip.ghosts, self._ghosts(e), strict=True):
                yield Leak.GHOST, before ^ now

    def _ghosts(self, e: Effect) -> tuple[int, ...]:
        return tuple(self.registers[f"r{e.code >> bit & 7}"] for bit in GHOST_FIELDS)

    def _leaking(self, e: Effect) -> Leak | None:
        """Return a kind by which an instruction would show something."""
        leaks, kinds = self.secrets.leaks, self.kinds
        for leak, sum_ in self._shown(e):
            if sum_ and leak in kinds and leaks(sum_):
                return leak
        return None

    def _apply(self, e: Effect) -> None:
        chip = self.chip
        chip.ghosts = self._ghosts(e)
        chip.ports.take(e.move)
        if e.a is not None:
            chip.a = e.a
        if e.b is not None:
            chip.b = e.b
        if e.flags is not None:
            chip.flags = e.flags
        if e.carry is not None:
            chip.carry = e.carry
        if e.target is not None:
            self.registers[e.target] = e.value
        if e.bus is not None:
            chip.bus = e.bus
            if e.stores:
                chip.write = e.bus
            else:
                chip.read = e.bus
        if e.cell is not None:
            self.cells[e.cell] = e.value
        self.lines.append(e.line)
        self.cycles += e.cycles

    # Constants between.

    def _test_constant(self) -> Effect:
        move = Move(Family.ALU, 0, 0, _number(BASE))
        code = _pair(0x4200, BASE, BASE)
        return Effect(f"tst {BASE}, {BASE}", 1, code, move, 0, 0, 0)

    def _move_constant(self, register: str) -> Effect:
        move = Move(Family.MOVE, self.registers[register], 0, None, _number(register), 0)
        code = 0x2000 | _number(register) << 8
        return Effect(f"movs {register}, #0", 1, code, move, flags=0, target=register)

    def _load_constant(self, register: str) -> Effect:
        move = Move(Family.LOAD, self.registers[register], 0, None, _number(register), 0)
        code = 0x9800 | _number(register) << 8 | self.numbers.get("ZERO", 0)
        line = f"ldr {register}, [sp, #ZERO]"
        return Effect(line, 2, code, move, 0, target=register, bus=0)

    def _store_constant(self) -> Effect:
        move = Move(Family.STORE, 0, 0, _number(BASE))
        code = 0x9000 | _number(BASE) << 8 | self.numbers.get("SCRATCH", 0)
        line = f"str {BASE}, [sp, #SCRATCH]"
        return Effect(line, 2, code, move, 0, 0, bus=0, stores=True)

    def _between(self, spoilt: str | None) -> list[tuple[str, ...]]:
        """Return sequences of constants that may come before an instruction, cheap ones first.

        `spoilt` is a register that the instruction writes and does not read.
        """
        key = (spoilt, self.dead)
        if key not in _BETWEEN:
            low = [r for r in (spoilt, *self.dead) if r in REGISTERS]
            ones = [("t", 1), ("s", 2)]
            ones += [(f"m{r}", 1) for r in dict.fromkeys(low[:2])]
            ones += [(f"l{r}", 2) for r in dict.fromkeys(low[:2])]
            if spoilt in HIGH:
                ones.append((f"h{spoilt}", 1))
            found = [
                (sum(cost for _, cost in some), tuple(name for name, _ in some))
                for size in (1, 2, 3)
                for some in permutations(ones, size)
            ]
            found = [one for one in found if one[0] <= _MOST_BETWEEN]
            _BETWEEN[key] = [names for _, names in sorted(found)]
        return _BETWEEN[key]

    def _constant(self, name: str) -> Effect:
        if name == "t":
            return self._test_constant()
        if name == "s":
            return self._store_constant()
        kind, register = name[0], name[1:]
        if kind == "h":
            return self._copied(register, BASE)
        return (self._move_constant if kind == "m" else self._load_constant)(register)

    def _add(self, name: str, *operands: str, spoilt: str | None = None) -> None:
        """Write an instruction, and before it what it needs."""
        make = getattr(self, f"_{name}")
        effect: Effect = make(*operands)
        if self._leaking(effect) is not None:
            effect = self._separate(make, operands, spoilt)
        self._apply(effect)
        self.operations.append((name, *operands))

    def _separate(self, make: Make, operands: tuple[str, ...], spoilt: str | None) -> Effect:
        for names in self._between(spoilt):
            trial = self.fork()
            for name in names:
                constant = trial._constant(name)
                if trial._leaking(constant) is not None:
                    break
                trial._apply(constant)
            else:
                bound: Make = getattr(trial, make.__name__)
                effect = bound(*operands)
                if trial._leaking(effect) is None:
                    self.become(trial)
                    return effect
        raise LeakError(f"{make(*operands).line} leaks by {self._leaking(make(*operands))!r}")

    def costs_nothing(self, register: str, value: int) -> bool:
        """Whether a register may take a value as it is."""
        return not self.secrets.leaks(self.registers[register] ^ value)

    # Instructions. Each has a function that says what it does, and one that writes it.

    def _loaded(self, register: str, cell: str) -> Effect:
        value, number = self.cells[cell], _number(register)
        move = Move(Family.LOAD, self.registers[register], value, None, number, value)
        code = 0x9800 | number << 8 | self.numbers.get(cell, 0)
        line = f"ldr {register}, [sp, #{cell}]"
        return Effect(line, 2, code, move, 0, target=register, value=value, bus=value)

    def load(self, register: str, cell: str) -> None:
        """Load a word of the frame."""
        self._add("loaded", register, cell, spoilt=register)

    def _drawn(self, register: str, number: str) -> Effect:
        value = self.secrets.sums.of[f"r{number}"]
        move = Move(Family.LOAD, self.registers[register], value, None, _number(register), value)
        code = 0x6800 | _number(BASE) << 3 | _number(register)
        line = f"RANDOM {register}, {number}"
        return Effect(line, 2, code, move, 0, target=register, value=value, bus=value)

    def draw(self, register: str, number: int) -> None:
        """Load a random word."""
        self._add("drawn", register, str(number), spoilt=register)

    def _stored(self, register: str, cell: str) -> Effect:
        value = self.registers[register]
        move = Move(Family.STORE, self.cells.get(cell, 0), value, _number(register))
        code = 0x9000 | _number(register) << 8 | self.numbers.get(cell, 0)
        line = f"str {register}, [sp, #{cell}]"
        return Effect(line, 2, code, move, 0, value, None, None, value, value, True, cell)

    def store(self, register: str, cell: str) -> None:
        """Store a word in the frame."""
        self._add("stored", register, cell)

    def _copied(self, target: str, source: str) -> Effect:
        value = self.registers[source]
        to, number = _number(target), _number(source)
        family = Family.ALU if target in HIGH or source in HIGH else Family.MOVE
        move = Move(family, self.registers[target], value, number, to, value)
        code = 0x4600 | (to & 8) << 4 | number << 3 | to & 7
        return Effect(f"mov {target}, {source}", 1, code, move, None, value, None, target, value)

    def _passed(self, target: str, source: str) -> Effect:
        value = self.registers[source]
        move = Move(Family.ALU, value, 0, None, _number(target), value)
        code = _pair(0x1E00, target, source)
        line = f"subs {target}, {source}, #0"
        return Effect(line, 1, code, move, value, None, value, target, value, carry=1)

    def copy(self, target: str, source: str) -> None:
        """Copy a register, if both are low ones as a difference: ELMO* remembers what `mov` had."""
        name = "copied" if target in HIGH or source in HIGH else "passed"
        self._add(name, target, source, spoilt=target)

    def _changed(self, name: str, code: int, target: str, source: str, value: int) -> Effect:
        a, b = self.registers[target], self.registers[source]
        move = Move(Family.ALU, a, b, _number(source), _number(target), value)
        code = _pair(code, target, source)
        return Effect(f"{name} {target}, {source}", 1, code, move, a, b, value, target, value)

    def _summed(self, target: str, source: str) -> Effect:
        value = self.registers[target] ^ self.registers[source]
        return self._changed("eors", 0x4040, target, source, value)

    def exclusive_or(self, target: str, source: str) -> None:
        """Add a register to another."""
        self._add("summed", target, source)

    def _multiplied(self, target: str, source: str) -> Effect:
        value = self.secrets.sums.product(self.registers[target], self.registers[source])
        return self._changed("ands", 0x4000, target, source, value)

    def and_(self, target: str, source: str) -> None:
        """Multiply a register by another."""
        self._add("multiplied", target, source)

    def _cleared(self, target: str, source: str) -> Effect:
        a, b = self.registers[target], self.registers[source]
        return self._changed("bics", 0x4380, target, source, a ^ self.secrets.sums.product(a, b))

    def clear(self, target: str, source: str) -> None:
        """Clear the bits of a register that another has: multiply it by the other's inverse."""
        self._add("cleared", target, source)

    def _inverted(self, register: str) -> Effect:
        value = self.registers[register]
        number = _number(register)
        move = Move(Family.ALU, value, value, number, number, value)
        code = _pair(0x43C0, register, register)
        return Effect(f"mvns {register}, {register}", 1, code, move, None, value, value)

    def invert(self, register: str) -> None:
        """Invert a register."""
        self._add("inverted", register)

    def do(self, operation: tuple[str, ...]) -> None:
        """Write one of `operations` again."""
        name, *operands = operation
        spoilt = operands[0] if name in _FRESH else None
        self._add(name, *operands, spoilt=spoilt)

    def finish(self) -> None:
        """Bring constants into all registers, and onto the buses."""
        self.dead = ()
        for name in HIGH:
            if self.registers[name]:
                self.copy(name, BASE)
        for name in REGISTERS:
            if self.registers[name]:
                self._add("move_constant", name)
                self.dead = (name,)
        self._add("load_constant", REGISTERS[0])
        self._add("store_constant")
        self._add("test_constant")

    def free(self, taken: Iterable[str], value: int) -> str:
        """Return a register that is not taken, if possible one that may take a value as it is."""
        left = [name for name in REGISTERS if name not in taken]
        if not left:
            raise LeakError("no register is free")
        return next((name for name in left if self.costs_nothing(name, value)), left[0])


Make = Callable[..., Effect]
_FRESH = ("loaded", "drawn", "copied", "passed")
"""Operations that write a register which they do not read."""
_BETWEEN: dict[tuple[str | None, tuple[str, ...]], list[tuple[str, ...]]] = {}
_MOST_BETWEEN = 5
"""Cycles of constants that come between two instructions at most."""
