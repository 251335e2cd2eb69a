# SPDX-License-Identifier: Apache-2.0
"""The S-box on two shares as Thumb code: which gate when, and where values are stored."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from embedded.emulator.leaks import REMOVED, Leak

from .circuits import Circuit, Gate, Op
from .masking import Program, share
from .thumb import REGISTERS, Code, LeakError, Secrets

ORDERS = 400
"""How many orders of the gates between two layers of ANDs are tried."""


@dataclass(frozen=True, slots=True)
class And:
    """`name` = `left` & `right`, plus `sum` if there is one."""

    name: str
    left: str
    right: str
    sum: str | None = None


@dataclass(slots=True)
class Frame:
    """Which word of the frame a share of a wire has; words are used again."""

    places: dict[str, str] = field(default_factory=dict)
    words: list[list[str]] = field(default_factory=lambda: [[], []])
    free: list[list[str]] = field(default_factory=lambda: [[], []])

    def fork(self) -> Frame:
        """Return a copy that goes its own way."""
        return Frame(dict(self.places), [list(w) for w in self.words], [list(f) for f in self.free])

    def give(self, wire: str, index: int) -> str:
        """Give a share of a wire a word, which had that same share of others."""
        if not self.free[index]:
            word = f"V{index}_{len(self.words[index])}"
            self.words[index].append(word)
            self.free[index].append(word)
        self.places[share(wire, index)] = self.free[index].pop()
        return self.places[share(wire, index)]

    def take_back(self, wire: str) -> None:
        """Have the words of a wire free."""
        for index in (0, 1):
            word = self.places.pop(share(wire, index), None)
            if word is not None and word.startswith("V"):
                self.free[index].append(word)


def fuse(circuit: Circuit) -> tuple[list[And], list[Gate]]:
    """Part the gates into ANDs, with a sum that a gadget begins with, and XORs."""
    uses = Counter(wire for gate in circuit.gates for wire in (gate.left, gate.right))
    uses.update(circuit.outputs)
    products = {gate.name: gate for gate in circuit.gates if gate.op is Op.AND}
    ands: dict[str, And] = {name: And(name, g.left, g.right) for name, g in products.items()}
    xors = []
    for gate in circuit.gates:
        if gate.op is Op.AND:
            continue
        pair = next(
            ((a, b) for a, b in ((gate.left, gate.right), (gate.right, gate.left))
             if a in ands and uses[a] == 1 and gate.op is Op.XOR and a not in circuit.outputs
             and ands[a].sum is None and not _needs(circuit, b, a)),
            None,
        )  # fmt: skip
        if pair is None:
            xors.append(gate)
        else:
            one = ands.pop(pair[0])
            ands[gate.name] = And(gate.name, one.left, one.right, pair[1])
    return list(ands.values()), xors


def _needs(circuit: Circuit, wire: str, other: str) -> bool:
    gates = {gate.name: gate for gate in circuit.gates}
    todo = [wire]
    while todo:
        at = todo.pop()
        if at == other:
            return True
        if at in gates:
            todo += [gates[at].left, gates[at].right]
    return False


def _used(ands: Iterable[And], xors: Iterable[Gate]) -> set[str]:
    """Return the wires that gates need."""
    wires = {wire for a in ands for wire in (a.left, a.right, a.sum) if wire is not None}
    return wires | {wire for gate in xors for wire in (gate.left, gate.right)}


class Sbox:
    """Writes the code of an S-box.

    Parameters
    ----------
    circuit
        The S-box.
    words
        The words of the frame with the shares of each input; the outputs come into the same.
    """

    def __init__(
        self,
        circuit: Circuit,
        words: Sequence[Sequence[str]],
        seed: int = 1,
        kinds: frozenset[Leak] = REMOVED,
        weight: float = 0.0,
        noise: float = 0.0,
    ) -> None:
        self.circuit, self.weight, self.noise = circuit, weight, noise
        ands, xors = fuse(circuit)
        program = Program(1, [[share(wire, s) for s in (0, 1)] for wire in circuit.inputs])
        self._randoms = [program.random() for _ in ands]
        self.code = Code(Secrets(program), kinds)
        self.frame = Frame()
        self._words = words
        for wire, pair in zip(circuit.inputs, words, strict=True):
            for s in (0, 1):
                self.frame.places[share(wire, s)] = pair[s]
                self.code.cells[pair[s]] = self.code.secrets.sums.of[share(wire, s)]
        self._drawn = 0
        self._pending: tuple[str, str] | None = None
        self._rng = random.Random(seed)  # noqa: S311 (a choice of code)
        self._write(ands, xors)

    def _write(self, ands: list[And], xors: list[Gate]) -> None:
        known = set(self.circuit.inputs)
        while ands or xors:
            ready = [a for a in ands if _used([a], []) <= known]
            if ready:
                self._gadgets(ready, [a for a in ands if a not in ready], xors)
                known.update(a.name for a in ready)
                ands = [a for a in ands if a not in ready]
                continue
            batch = self._batch(ands, xors, known)
            xors = [gate for gate in xors if gate not in batch]
            self._flush()
            for s in (0, 1):
                self._linear(batch, s, ands, xors)
            known.update(gate.name for gate in batch)
            self._forget(ands, xors)

    def _batch(self, ands: list[And], xors: list[Gate], known: set[str]) -> list[Gate]:
        """Return the XORs that can be done and are needed for ANDs; without ANDs, all."""
        batch: list[Gate] = []
        has = set(known)
        for gate in xors:
            if {gate.left, gate.right} <= has:
                batch.append(gate)
                has.add(gate.name)
        if not ands:
            return batch
        needed = _used(ands, [])
        for gate in reversed(batch):
            if gate.name in needed:
                needed |= {gate.left, gate.right}
        return [gate for gate in batch if gate.name in needed]

    def _forget(self, ands: list[And], xors: list[Gate]) -> None:
        """Free the words of wires that nothing needs any more."""
        needed = _used(ands, xors) | set(self.circuit.outputs)
        for name in sorted({place.rpartition("_")[0] for place in self.frame.places}):
            if name not in needed:
                self.frame.take_back(name)

    # ANDs.

    def _gadgets(self, ready: list[And], later: list[And], xors: list[Gate]) -> None:
        """Write gadgets, each time the best of the remaining ones, in its best form.

        The best one costs least, less what operands of others that it leaves in registers save.
        """
        left = list(ready)
        while left:
            best: tuple[float, Code, And, tuple[str, str]] | None = None
            for one in left:
                others = [other for other in left if other is not one]
                for form in product((0, 1), repeat=5):
                    code = self.code.fork()
                    try:
                        pending = self._gadget(code, one, *form)
                    except LeakError:
                        continue
                    score = code.cycles - self._saved(code, others)
                    score += self._rng.random() * self.noise
                    if best is None or score < best[0]:
                        best = score, code, one, pending
            if best is None:
                raise LeakError("no AND can be next")
            _, code, done, self._pending = best
            self.code.become(code)
            self._drawn += 1
            left.remove(done)
            self._forget([*left, *later], xors)

    def _saved(self, code: Code, others: list[And]) -> float:
        """Return the cycles that operands in registers may save."""
        if not others:
            return 0.0
        wires = {wire for one in others for wire in (one.left, one.right, one.sum) if wire}
        cells = {self.frame.places[share(wire, s)] for wire in wires for s in (0, 1)}
        values = {code.cells[cell] for cell in cells}
        return self.weight * len(values & {code.registers[name] for name in REGISTERS})

    def _gadget(
        self, code: Code, one: And, swap: int, first: int, turned: int, keeps: int, early: int
    ) -> tuple[str, str]:
        """Write a gadget; return a register whose share is still to be stored, and its word.

        With y_a and y_b the shares of one operand, share i gets r + (y_b & ~x_i) + (x_i & y_a): the
        sum of both is x y. Every sum has r, which is drawn for it alone, or y_b. The
        shares of one value are not stored one after the other.
        """
        places, pending = self.frame.places, self._pending
        p, q = first, 1 - first
        x, y = (one.right, one.left) if swap else (one.left, one.right)
        taken = {pending[0]} if pending else set()

        def spare() -> None:
            code.dead = tuple(name for name in REGISTERS if name not in taken)[-2:]

        def fresh(value: int) -> str:
            name = code.free(taken, value)
            taken.add(name)
            spare()
            return name

        def flush() -> None:
            nonlocal pending
            if pending:
                code.store(*pending)
                taken.discard(pending[0])
                pending = None

        def load(wire: str, index: int) -> str:
            cell = places[share(wire, index)]
            if pending and cell == pending[1]:
                flush()
            value = code.cells[cell]
            for name in REGISTERS:
                if name not in taken and code.registers[name] == value:
                    taken.add(name)
                    spare()
                    return name
            name = fresh(value)
            code.load(name, cell)
            return name

        def add(target: str, wire: str | None, index: int) -> None:
            if wire is not None:
                other = load(wire, index)
                code.exclusive_or(target, other)
                taken.discard(other)
            spare()

        def copy(source: str) -> str:
            target = fresh(code.registers[source])
            code.copy(target, source)
            return target

        def draw() -> str:
            name = fresh(code.secrets.sums.of[self._randoms[self._drawn]])
            code.draw(name, self._drawn)
            return name

        r = draw() if early else ""
        yb = load(y, 1 - turned)
        zp = copy(yb)
        xp = load(x, p)
        code.clear(zp, xp)
        r = r or draw()
        code.exclusive_or(zp, r)
        ya = load(y, turned)
        code.and_(xp, ya)
        code.exclusive_or(zp, xp)
        taken.discard(xp)
        add(zp, one.sum, p)
        code.store(zp, self._place(one.name, p))
        taken.discard(zp)
        flush()
        spare()
        xq = load(x, q)
        zq = copy(yb) if keeps else yb
        code.clear(zq, xq)
        code.exclusive_or(zq, r)
        taken.discard(r)
        code.and_(xq, ya)
        code.exclusive_or(zq, xq)
        taken.discard(xq)
        add(zq, one.sum, q)
        return zq, self._place(one.name, q)

    def _place(self, wire: str, index: int) -> str:
        return self.frame.places.get(share(wire, index)) or self.frame.give(wire, index)

    def _flush(self) -> None:
        if self._pending:
            self.code.store(*self._pending)
            self._pending = None

    # XORs.

    def _linear(self, batch: list[Gate], s: int, ands: list[And], xors: list[Gate]) -> None:
        """Write XORs of one share, in the cheapest of some orders."""
        later = _used(ands, xors)
        best: Linear | None = None
        for _ in range(ORDERS):
            order = list(_shuffled(batch, self._rng))
            trial = Linear(self, order, s, later)
            if best is None or trial.code.cycles < best.code.cycles:
                best = trial
        assert best is not None  # noqa: S101
        self.code.become(best.code)
        self.frame = best.frame


def _shuffled(batch: Sequence[Gate], rng: random.Random) -> Iterator[Gate]:
    """Return gates in another order in which they can be evaluated."""
    left = list(batch)
    while left:
        names = {gate.name for gate in left}
        ready = [gate for gate in left if not {gate.left, gate.right} & names]
        gate = rng.choice(ready)
        left.remove(gate)
        yield gate


class Linear:
    """XORs of one share in a given order; the value needed last leaves its register first."""

    def __init__(self, sbox: Sbox, order: list[Gate], s: int, later: set[str]) -> None:
        self.code = sbox.code.fork()
        self.frame = sbox.frame.fork()
        self._s, self._order = s, order
        self._in: dict[str, str] = {}  # wires in registers
        self._stored = {
            name.rpartition("_")[0] for name in self.frame.places if name.endswith(f"_{s}")
        }
        outputs = {
            wire: words[s] for wire, words in zip(sbox.circuit.outputs, sbox._words, strict=True)
        }
        for at, gate in enumerate(order):
            register = self._xor(gate, at)
            used = {*self._in.values(), register}
            self.code.dead = tuple(r for r in REGISTERS if r not in used)[-2:]
            if gate.op is Op.XNOR and s == 0:
                self.code.invert(register)
            self._in[gate.name] = register
            if gate.name in outputs:
                self.frame.places[share(gate.name, s)] = outputs[gate.name]
                self.code.store(register, outputs[gate.name])
                self._stored.add(gate.name)
            elif gate.name in later:
                self._save(gate.name)

    def _save(self, wire: str) -> None:
        place = self.frame.give(wire, self._s)
        self.code.store(self._in[wire], place)
        self._stored.add(wire)

    def _next_use(self, wire: str, at: int) -> int:
        for i in range(at, len(self._order)):
            if wire in (self._order[i].left, self._order[i].right):
                return i
        return len(self._order) + (wire not in self._stored)

    def _free_register(self, at: int, needed: set[str]) -> set[str]:
        """Free a register, but for needed wires; return the registers in use."""
        dead = [
            w for w in self._in if w not in needed and self._next_use(w, at) >= len(self._order)
        ]
        for wire in dead:
            del self._in[wire]
        if len(self._in) == len(REGISTERS):
            out = max((w for w in self._in if w not in needed),
                      key=lambda w: (self._next_use(w, at), w in self._stored))  # fmt: skip
            if out not in self._stored:
                self._save(out)
            del self._in[out]
        return set(self._in.values())

    def _load(self, wire: str, at: int, needed: set[str]) -> str:
        if wire not in self._in:
            cell = self.frame.places[share(wire, self._s)]
            register = self.code.free(self._free_register(at, needed), self.code.cells[cell])
            self.code.dead = tuple(r for r in self.code.dead if r != register)
            self.code.load(register, cell)
            self._in[wire] = register
        return self._in[wire]

    def _xor(self, gate: Gate, at: int) -> str:
        """Write one XOR; its target is a register of an operand that is not needed any more."""
        pair = (gate.left, gate.right)
        end = len(self._order)
        spare = [w for w in pair if w in self._in and self._next_use(w, at + 1) >= end]
        if not spare:  # one that is in memory too may be loaded again
            loaded = [w for w in pair if w not in self._in]
            if loaded:
                self._load(loaded[0], at, set(pair))
                spare = loaded[:1]
        if spare:
            target, other = spare[0], pair[1 - pair.index(spare[0])]
            self._load(other, at, set(pair))
            register = self._in.pop(target)
            self.code.exclusive_or(register, self._in[other])
            return register
        value = self.code.registers[self._in[pair[0]]]
        register = self.code.free(self._free_register(at, set(pair)), value)
        self.code.copy(register, self._in[pair[0]])
        self.code.exclusive_or(register, self._in[pair[1]])
        return register
