# SPDX-License-Identifier: Apache-2.0
"""A straight-line program for Thumb, apart from its registers and words of memory.

A `Schedule` has operations on values. A value is made in a register (loaded, drawn, passed), is
changed there, and is read, until its last operation. A word is stored once, and loaded. `written`
gives values registers and words places in the frame or high registers, and writes them as
`thumb.Code`, which brings constants between where anything would leak. `improved` looks for an
order that costs less.

A schedule as text has an operation in each line: `loaded 3 S0_1` makes value 3.
"""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from heapq import heappop, heappush

from .thumb import HIGH, REGISTERS, Code, LeakError

Operation = tuple[str, ...]

_MAKES = ("loaded", "drawn", "passed")
"""Operations that make a value; its name is their first operand."""
WORDS = 40
"""Words of the frame that each share may have."""
_FIXED = "S"
"""Words with this first letter are inputs and outputs, and have their place."""


@dataclass(frozen=True)
class Schedule:
    """Operations in an order.

    Attributes
    ----------
    operations
        Names of operations of `thumb.Code`, each with values and words.
    high
        The words that are in high registers.
    """

    operations: tuple[Operation, ...]
    high: frozenset[str] = frozenset()

    def text(self) -> str:
        """Return it as lines."""
        lines = [" ".join(operation) for operation in self.operations]
        return "\n".join([*lines, f"high {' '.join(sorted(self.high, key=_key))}"]) + "\n"


def _key(word: str) -> tuple[str, int]:
    return word[:1], int(word[1:])


def parse(text: str) -> Schedule:
    """Read what `Schedule.text` has written."""
    operations = [tuple(line.split()) for line in text.splitlines() if line and line[0] != "#"]
    high = {word for name, *words in operations if name == "high" for word in words}
    return Schedule(tuple(one for one in operations if one[0] != "high"), frozenset(high))


def abstract(operations: Iterable[Operation]) -> Schedule:
    """Return the schedule of operations on registers and words of the frame."""
    values: dict[str, str] = {}
    words: dict[str, str] = {}
    found: list[Operation] = []
    made = stored = 0
    for name, target, *rest in operations:
        if name in (*_MAKES, "copied"):
            source = rest[0]
            if name in ("passed", "copied"):
                name, source = "passed", values[source]
            elif name == "loaded":
                source = words.get(source, source)
            values[target] = str(made)
            made += 1
            found.append((name, values[target], source))
        elif name == "stored":
            word = rest[0]
            if not word.startswith(_FIXED):
                words[word] = f"{'pq'[word[1] == '1']}{stored}"
                stored += 1
            found.append((name, values[target], words.get(word, word)))
        else:
            found.append((name, values[target], *(values[one] for one in rest)))
    return Schedule(tuple(found))


def _values(operation: Operation) -> tuple[str, ...]:
    """Return the values that an operation reads or changes."""
    name, first, *rest = operation
    if name in ("loaded", "drawn"):
        return ()
    if name == "passed":
        return (rest[0],)
    return (first,) if name == "stored" else (first, *rest)


def _last_uses(schedule: Schedule) -> dict[str, int]:
    """Return the last operation of each value and word."""
    last: dict[str, int] = {}
    for at, operation in enumerate(schedule.operations):
        name = operation[0]
        if name == "loaded":
            last[operation[1]] = last[operation[2]] = at
        elif name == "drawn":
            last[operation[1]] = at
        else:
            for one in operation[1:]:
                last[one] = at
    return last


class _Writer:
    """Gives values registers, and words places, as operations come."""

    def __init__(self, code: Code, schedule: Schedule, words: int) -> None:
        self.code = code
        self.follow(schedule, _last_uses(schedule))
        self._of: dict[str, str] = {}
        self._place: dict[str, str] = {}
        self._free = list(REGISTERS)
        self._free_high = list(HIGH)
        self._free_words = [list(range(words)) for _ in (0, 1)]
        self.most = [0, 0]

    def follow(self, schedule: Schedule, last: dict[str, int]) -> None:
        """Go on with a schedule that is the same until here."""
        self._high, self._operations, self._last = schedule.high, schedule.operations, last

    def fork(self, schedule: Schedule | None = None) -> _Writer:
        """Return a copy without its lines, for a schedule that is the same until here."""
        other = copy(self)
        other.code = self.code.fork()
        other.code.lines, other.code.operations = [], []
        other._of, other._place = dict(self._of), dict(self._place)
        other._free, other._free_high = list(self._free), list(self._free_high)
        other._free_words = [list(words) for words in self._free_words]
        other.most = list(self.most)
        if schedule is not None:
            other.follow(schedule, _last_uses(schedule))
        return other

    def is_like(self, other: _Writer) -> bool:
        """Whether the same operations come out alike from here on."""
        return (
            (self._of, self._place, self._free, self._free_high)
            == (other._of, other._place, other._free, other._free_high)
            and self.code.chip == other.code.chip
            and self.code.registers == other.code.registers
            and self.code.cells == other.code.cells
        )

    def _take(self, value: str, sum_: int) -> str:
        code = self.code
        if not self._free:
            raise LeakError("no register is free")
        name = next((r for r in self._free if code.costs_nothing(r, sum_)), self._free[0])
        self._free.remove(name)
        self._of[value] = name
        return name

    def _word(self, word: str, sum_: int) -> str:
        """Return a place for a word that is stored."""
        if word.startswith(_FIXED):
            return word
        if word in self._high:
            if not self._free_high:
                raise LeakError("no high register is free")
            names = self._free_high
            name = next((r for r in names if self.code.costs_nothing(r, sum_)), names[0])
            names.remove(name)
        else:
            s = "pq".index(word[0])
            number = heappop(self._free_words[s])
            self.most[s] = max(self.most[s], 1 + number)
            name = f"V{s}_{number}"
        self._place[word] = name
        return name

    def _drop(self, at: int, names: Iterable[str]) -> None:
        for name in names:
            if self._last.get(name) != at:
                continue
            if name in self._of:
                insort(self._free, self._of.pop(name))
            elif name in self._place:
                place = self._place.pop(name)
                if place in HIGH:
                    insort(self._free_high, place, key=HIGH.index)
                else:
                    heappush(self._free_words[int(place[1])], int(place[3:]))

    def write(self, at: int) -> None:
        """Write an operation."""
        name, first, *rest = self._operations[at]
        code, of = self.code, self._of
        source = rest[0] if rest else ""
        if name == "loaded":
            place = self._place.get(source, source)
            self._drop(at, [source])
            sum_ = code.registers[place] if place in HIGH else code.cells[place]
            target = self._take(first, sum_)
            code.dead = tuple(self._free[-2:])
            if place in HIGH:
                code.copy(target, place)
            else:
                code.load(target, place)
        elif name == "drawn":
            target = self._take(first, code.secrets.sums.of[f"r{source}"])
            code.dead = tuple(self._free[-2:])
            code.draw(target, int(source))
        elif name == "passed":
            target = self._take(first, code.registers[of[source]])
            code.dead = tuple(self._free[-2:])
            code.copy(target, of[source])
            self._drop(at, [source])
        elif name == "stored":
            place = self._word(source, code.registers[of[first]])
            code.dead = tuple(self._free[-2:])
            if place in HIGH:
                code.copy(place, of[first])
            else:
                code.store(of[first], place)
            self._drop(at, [first, source])
        else:
            code.dead = tuple(self._free[-2:])
            code.do((name, of[first], *(of[one] for one in rest)))
            self._drop(at, [first, *rest])
        if name in _MAKES:
            self._drop(at, [first])


def written(schedule: Schedule, begun: Code, words: int = WORDS) -> tuple[Code, list[int]]:
    """Write a schedule after what `begun` has; return the words of the frame that each share needs.

    Raises
    ------
    LeakError
        Registers are too few, or something leaks whatever comes before.
    """
    code = begun.fork()
    writer = _Writer(code, schedule, words)
    for at in range(len(schedule.operations)):
        writer.write(at)
    return code, writer.most


# Search.


def _operands(operation: Operation) -> tuple[str, ...]:
    """Return the values that an operation has, but for one that it makes."""
    name, first, *rest = operation
    if name in ("loaded", "drawn"):
        return ()
    return (first,) if name == "stored" else (first, *rest)


def _conflicts(a: Operation, b: Operation) -> bool:
    """Whether two operations can't change places."""
    for one, other in ((a, b), (b, a)):
        made = one[1] if one[0] in _MAKES else None
        if made is not None and made in _operands(other):
            return True
        changed = one[1] if one[0] not in (*_MAKES, "stored") else None
        if changed is not None and changed in _values(other):
            return True
        if one[0] == "stored" and other[0] in ("loaded", "stored") and one[2] == other[2]:
            return True
    return False


def _uses(schedule: Schedule) -> dict[str, list[int]]:
    """Return the operations that store and load each word, but for inputs and outputs."""
    used: dict[str, list[int]] = {}
    for at, operation in enumerate(schedule.operations):
        if operation[0] in ("loaded", "stored") and not operation[2].startswith(_FIXED):
            used.setdefault(operation[2], []).append(at)
    return used


def raised(schedule: Schedule) -> Schedule:
    """Return a schedule with words in high registers: first those of the most uses in a time."""
    used = _uses(schedule)
    busy = [0] * len(schedule.operations)
    high = set()
    for word in sorted(used, key=lambda word: (used[word][-1] - used[word][0]) / len(used[word])):
        places = used[word]
        stretch = range(places[0], places[-1] + 1)
        if all(busy[at] < len(HIGH) for at in stretch):
            high.add(word)
            for at in stretch:
                busy[at] += 1
    return Schedule(schedule.operations, frozenset(high))


_STRIDE = 12


class _Search:
    """A schedule with the states of its writer at every few operations."""

    def __init__(self, schedule: Schedule, begun: Code) -> None:
        self.schedule = schedule
        self.states: list[_Writer] = []
        writer = _Writer(begun.fork(), schedule, WORDS)
        for at in range(len(schedule.operations)):
            if at % _STRIDE == 0:
                self.states.append(writer.fork())
            writer.write(at)
        self.cost = writer.code.cycles

    def tried(self, trial: Schedule, begin: int, end: int) -> tuple[int, dict[int, _Writer]]:
        """Return the cycles of a schedule that differs in a stretch, and its other states."""
        at = begin // _STRIDE * _STRIDE
        writer = self.states[at // _STRIDE].fork(trial)
        states: dict[int, _Writer] = {}
        while at < len(trial.operations):
            if at % _STRIDE == 0:
                known = self.states[at // _STRIDE]
                if at > end and writer.is_like(known):
                    return self.cost + writer.code.cycles - known.code.cycles, states
                states[at // _STRIDE] = writer.fork()
            writer.write(at)
            at += 1
        return writer.code.cycles, states

    def take(self, trial: Schedule, cost: int, states: dict[int, _Writer]) -> None:
        """Go on with a schedule that was tried."""
        after = max(states, default=0) + 1
        if after < len(self.states):
            # The states behind are alike, but for their cycles and when values are used last.
            gained = cost - self.cost
            for state in self.states[after:]:
                state.code.cycles += gained
        for i, state in states.items():
            self.states[i] = state
        last = _last_uses(trial)
        for state in self.states:
            state.follow(trial, last)
        self.schedule, self.cost = trial, cost


def improved(
    schedule: Schedule, begun: Code, tries: int, seed: int = 1, heat: float = 0.0
) -> tuple[Schedule, int]:
    """Return a schedule that costs no more, and its cycles: operations are moved at random."""
    rng = random.Random(seed)  # noqa: S311 (a choice of code)
    search = _Search(schedule, begun)
    best, cost = schedule, search.cost
    for i in range(tries):
        moved = _moved(search.schedule, rng)
        if moved is None:
            continue
        trial, begin, end = moved
        try:
            found, states = search.tried(trial, begin, end)
        except LeakError:
            continue
        if found <= search.cost + heat * (1 - i / tries) * rng.random():
            search.take(trial, found, states)
            if found < cost:
                best, cost = trial, found
    return best, cost


def _moved(schedule: Schedule, rng: random.Random) -> tuple[Schedule, int, int] | None:
    """Return another schedule, and where it begins and ends to differ."""
    operations = list(schedule.operations)
    if rng.random() < 0.25:
        return _toggled(schedule, rng)
    at = rng.randrange(len(operations))
    size = 1 if rng.random() < 0.7 else rng.randint(2, 4)
    block = operations[at : at + size]
    del operations[at : at + size]
    step = rng.choice((-1, 1))
    to = at
    for _ in range(1 + int(rng.expovariate(0.15))):
        if step > 0:
            if to >= len(operations) or any(_conflicts(one, operations[to]) for one in block):
                break
        elif to == 0 or any(_conflicts(one, operations[to - 1]) for one in block):
            break
        to += step
    if to == at:
        return None
    operations[to:to] = block
    moved = Schedule(tuple(operations), schedule.high)
    return moved, min(at, to), max(at, to) + len(block)


def _toggled(schedule: Schedule, rng: random.Random) -> tuple[Schedule, int, int]:
    """Move a word to a high register or back; or exchange two."""
    used = _uses(schedule)
    word = rng.choice(list(used))
    begin, end = used[word][0], used[word][-1]
    high = schedule.high ^ {word}
    if word in high and rng.random() < 0.7:
        near = [
            other
            for other in sorted(schedule.high)
            if used[other][0] <= end and used[other][-1] >= begin
        ]
        if near:
            other = rng.choice(near)
            high ^= {other}
            begin, end = min(begin, used[other][0]), max(end, used[other][-1])
    return Schedule(schedule.operations, high), begin, end
