# SPDX-License-Identifier: Apache-2.0
"""The S-box on three shares as Thumb code, of which no two visible words tell of a secret.

`thumb.Code` shows of each instruction the words that its kinds of leak have. At first order each of
them may be anything that does not depend on a secret. Here it may only be

- a wire of the masked circuit, an operand or a factor of a product;
- the sum of two wires of the same share, as a linear gate has;
- what ANDs show of their two operands: x & ~y and x ^ y, beside x & y.

Otherwise constants come before the instruction. Whether no two of these words together depend on a
secret is decided exactly, of the words that were shown: by `composing`, and else by `probing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from embedded.emulator.leaks import REMOVED, Family, Leak, Move

from . import composing
from .circuits import Circuit, Gate, Op
from .composing import Demands, Word, column
from .masking import Program, share
from .thumb import BASE, REGISTERS, Code, Effect, Secrets

SHARES = range(3)
FILL = 32
"""Random words that a load can reach from r7, which then moves on."""


class Allowed(Secrets):
    """Which words may be seen."""

    def __init__(self, program: Program, demands: Demands) -> None:
        super().__init__(program)
        self.words: dict[int, Word] = {}
        """Without the constant 1."""
        self._demands = demands
        self._linear: list[dict[int, str]] = [{} for _ in SHARES]

    def wire(self, sum_: int, name: str, index: int) -> None:
        """Allow a share of a wire, and its sums with the same share of others."""
        sum_ &= ~1
        for other, wire in [*self._linear[index].items(), (0, "")]:
            wires = (name, wire) if wire else (name,)
            demand = self._demands.linear(wires, index)
            self.words.setdefault(sum_ ^ other, Word(sum_ ^ other, -1, 0, demand))
        self._linear[index][sum_] = name

    def word(self, sum_: int, gadget: int, truth: int) -> None:
        """Allow a word of a gadget."""
        self.words.setdefault(sum_ & ~1, Word(sum_ & ~1, gadget, truth, frozenset()))

    def leaks(self, sum_: int) -> bool:
        """Whether a word may not be seen."""
        return sum_ & ~1 != 0 and sum_ & ~1 not in self.words


class Recorder(Code):
    """Code that records the words which it shows."""

    seen: set[int]

    def _apply(self, e: Effect) -> None:
        self.seen.update(sum_ for leak, sum_ in self._shown(e) if leak in self.kinds)
        super()._apply(e)

    def fork(self) -> Recorder:
        """Return a copy that goes its own way."""
        copy = super().fork()
        assert isinstance(copy, Recorder)  # noqa: S101
        copy.seen = set(self.seen)
        return copy

    def become(self, other: Code) -> None:
        """Take over the state of a copy."""
        super().become(other)
        assert isinstance(other, Recorder)  # noqa: S101
        self.seen = other.seen


class Sbox:
    """Writes the code of an S-box on three shares.

    Planes are words `P{share}_{plane}` of the frame, both of inputs and of outputs; other values
    are in words `V{share}_{number}`, which only ever have that share.
    """

    def __init__(self, circuit: Circuit, kinds: frozenset[Leak] = REMOVED) -> None:
        self.circuit = circuit
        program = Program(2, [[share(wire, s) for s in SHARES] for wire in circuit.inputs])
        for gate in circuit.gates:
            if gate.op is Op.AND:
                for _ in SHARES:
                    program.random()
        self.demands = Demands(circuit)
        self.allowed = Allowed(program, self.demands)
        self.code = Recorder(self.allowed, kinds)
        self.code.seen = set()
        self._of = self.allowed.sums.of
        self._places: dict[str, str] = {}
        self._free: list[list[str]] = [[] for _ in SHARES]
        self.words = [0, 0, 0]
        """How many words of the frame there are for each share."""
        self._drawn = self._gadgets = 0
        self.results: tuple[int, ...] = ()
        """Truth tables of the shares of a gadget's result."""
        for p, wire in enumerate(circuit.inputs):
            for s in SHARES:
                self._places[share(wire, s)] = f"P{s}_{p}"
                self.code.cells[f"P{s}_{p}"] = self._of[share(wire, s)]
                self.allowed.wire(self._of[share(wire, s)], wire, s)
        self._write()

    def _write(self) -> None:
        known = set(self.circuit.inputs)
        gates = list(self.circuit.gates)
        while gates:
            ready = [gate for gate in gates if {gate.left, gate.right} <= known]
            ands = [gate for gate in ready if gate.op is Op.AND]
            if ands:
                self._gadget(ands[0])
                done = ands[:1]
            else:
                done = self._batch(gates, known)
                for s in SHARES:
                    self._linear(done, s)
            known.update(gate.name for gate in done)
            gates = [gate for gate in gates if gate not in done]
            needed = {wire for gate in gates for wire in (gate.left, gate.right)}
            self._forget(needed | set(self.circuit.outputs))
        for s in SHARES:
            self._put_out(s)
        self.code.finish()

    def words_shown(self) -> list[Word]:
        """Return the words that are shown, each once."""
        seen = sorted({sum_ & ~1 for sum_ in self.code.seen} - {0})
        return [self.allowed.words[sum_] for sum_ in seen]

    def is_simulated(self, one: Word, other: Word) -> bool:
        """Whether composition shows that two words together tell nothing."""
        return composing.is_simulated(self.demands, self.results, one, other)

    def leaks(
        self, words: Iterable[Word], pairs: Iterable[tuple[Word, Word]]
    ) -> Iterator[tuple[Word, ...]]:
        """Give words and pairs that depend on a secret, by `probing`."""
        is_independent = self.allowed.sums.is_independent
        for word in words:
            if not is_independent(word.sum_):
                yield (word,)
        for one, other in pairs:
            if not is_independent(one.sum_ ^ other.sum_):
                yield one, other

    def lines(self) -> list[str]:
        """Return the code, with the names of the frame for three shares."""
        return [
            line.replace("#ZERO]", "#ZERO_2]").replace("#SCRATCH]", "#SCRATCH_2]")
            for line in self.code.lines
        ]

    @staticmethod
    def _batch(gates: list[Gate], known: set[str]) -> list[Gate]:
        """Return all sums that can be made, in their order."""
        batch: list[Gate] = []
        has = set(known)
        for gate in gates:
            if gate.op is not Op.AND and {gate.left, gate.right} <= has:
                batch.append(gate)
                has.add(gate.name)
        return batch

    def _forget(self, needed: set[str]) -> None:
        for name in [n for n in self._places if n.rpartition("_")[0] not in needed]:
            place = self._places.pop(name)
            if place[0] == "V":
                self._free[int(place[1])].append(place)

    def _give(self, wire: str, index: int) -> str:
        free = self._free[index]
        if not free:
            free.append(f"V{index}_{self.words[index]}")
            self.words[index] += 1
        self._places[share(wire, index)] = free.pop()
        return self._places[share(wire, index)]

    # Registers.

    def _take(self, taken: set[str], value: int) -> str:
        """Return a register that is not taken, and say which ones have nothing that is needed."""
        name = self.code.free(taken, value)
        taken.add(name)
        self._spare(taken)
        return name

    def _spare(self, taken: set[str]) -> None:
        self.code.dead = tuple(name for name in REGISTERS if name not in taken)[-2:]

    # ANDs.

    def _gadget(self, gate: Gate) -> None:
        """Write the gadget of `masking`, whose three random words are drawn once each."""
        code, sums, gadget = self.code, self.allowed.sums, self._gadgets
        a = [code.cells[self._places[share(gate.left, s)]] for s in SHARES]
        b = [code.cells[self._places[share(gate.right, s)]] for s in SHARES]
        truths = {sum_: column(i) for i, sum_ in enumerate((*a, *b))}
        results: dict[int, int] = {}

        def allow(sum_: int, truth: int) -> None:
            truths[sum_] = truth
            self.allowed.word(sum_, gadget, truth)

        for x in a:
            for y in b:
                product_of = sums.product(x, y)
                both = truths[x] & truths[y]
                allow(product_of, both)
                allow(x ^ product_of, truths[x] ^ both)
                allow(y ^ product_of, truths[y] ^ both)
                allow(x ^ y, truths[x] ^ truths[y])
        taken: set[str] = set()

        def load(wire: str, s: int) -> str:
            cell = self._places[share(wire, s)]
            name = self._take(taken, code.cells[cell])
            code.load(name, cell)
            return name

        def draw() -> str:
            value = self._of[f"r{self._drawn}"]
            allow(value, column(6 + self._drawn % 3))
            name = self._take(taken, value)
            if self._drawn and self._drawn % FILL == 0:
                self._next_randoms()
            code.draw(name, self._drawn)
            self._drawn += 1
            return name

        def copied(source: str) -> str:
            name = self._take(taken, code.registers[source])
            code.copy(name, source)
            return name

        def drop(name: str) -> None:
            taken.discard(name)
            self._spare(taken)

        def sum_up(target: str, source: str) -> None:
            x, y = code.registers[target], code.registers[source]
            allow(x ^ y, truths[x] ^ truths[y])
            code.exclusive_or(target, source)

        def add(target: str, source: str) -> None:
            sum_up(target, source)
            drop(source)

        def product(target: str, x: str, y: str, keeps: bool = True) -> None:
            """Add x & y, in place of x or not."""
            name = copied(x) if keeps else x
            code.and_(name, y)
            add(target, name)

        def store(name: str, s: int) -> None:
            cell = self._give(gate.name, s)
            self.allowed.wire(code.registers[name], gate.name, s)
            results[s] = truths[code.registers[name]]
            code.store(name, cell)
            drop(name)

        z0 = draw()
        z1 = copied(z0)
        a0, b0 = load(gate.left, 0), load(gate.right, 0)
        product(z0, a0, b0)
        b1 = load(gate.right, 1)
        product(z1, a0, b1)
        a1 = load(gate.left, 1)
        product(z1, a1, b0)
        product(z1, a1, b1)
        z2 = draw()
        sum_up(z0, z2)
        store(z0, 0)
        b2 = load(gate.right, 2)
        product(z2, a0, b2, keeps=False)
        a2 = load(gate.left, 2)
        product(z2, b0, a2, keeps=False)
        product(z2, a2, b2)
        last = draw()
        sum_up(z1, last)
        store(z1, 1)
        product(last, a1, b2, keeps=False)
        drop(b2)
        product(last, b1, a2, keeps=False)
        drop(a2)
        add(z2, last)
        store(z2, 2)
        self.results = tuple(results[s] for s in SHARES)
        self._gadgets += 1

    def _next_randoms(self) -> None:
        self.code._add("moved_on")

    # XORs.

    def _linear(self, batch: list[Gate], s: int) -> None:
        """Write sums of one share; of values in registers, the one needed last leaves first."""
        code, places = self.code, self._places
        held: dict[str, str] = {}  # wires in registers
        made: set[str] = set()  # which are nowhere else yet
        inside = {gate.name for gate in batch}
        later = {w for g in self.circuit.gates if g.name not in inside for w in (g.left, g.right)}
        later |= set(self.circuit.outputs)
        code.dead = ()

        def next_use(wire: str, at: int) -> int:
            for i in range(at, len(batch)):
                if wire in (batch[i].left, batch[i].right):
                    return i
            return len(batch)

        def save(wire: str) -> None:
            if wire in made:
                code.store(held[wire], self._give(wire, s))
                made.discard(wire)

        def register(value: int, at: int, needed: set[str]) -> str:
            for wire in [w for w in held if w not in needed and next_use(w, at) == len(batch)]:
                if wire in later:
                    save(wire)
                made.discard(wire)
                del held[wire]
            if len(held) == len(REGISTERS):
                out = max((w for w in held if w not in needed), key=lambda w: next_use(w, at))
                save(out)
                del held[out]
            taken = set(held.values())
            return self._take(taken, value)

        def load(wire: str, at: int, needed: set[str]) -> str:
            if wire not in held:
                cell = places[share(wire, s)]
                name = register(code.cells[cell], at, needed)
                code.load(name, cell)
                held[wire] = name
            return held[wire]

        for at, gate in enumerate(batch):
            pair = {gate.left, gate.right}
            left, right = load(gate.left, at, pair), load(gate.right, at, pair)
            value = code.registers[left] ^ code.registers[right]
            self.allowed.wire(value, gate.name, s)
            ends = [w for w in (gate.left, gate.right) if next_use(w, at + 1) == len(batch)]
            ends = [w for w in ends if w not in made or w not in later]
            if ends or any(w not in made for w in pair):
                wire = ends[0] if ends else next(w for w in sorted(pair) if w not in made)
                target = held.pop(wire)
                made.discard(wire)
                code.exclusive_or(target, right if target == left else left)
            else:
                target = register(code.registers[left], at, pair)
                code.copy(target, left)
                code.exclusive_or(target, right)
            self._spare({*held.values(), target})
            if gate.op is Op.XNOR and s == 0:
                code.invert(target)
            held[gate.name] = target
            made.add(gate.name)
        for wire in list(held):
            if wire in later:
                save(wire)
        self._spare(set())

    def _put_out(self, s: int) -> None:
        """Move the outputs to the planes."""
        code = self.code
        for p, wire in enumerate(self.circuit.outputs):
            cell = self._places[share(wire, s)]
            name = self._take(set(), code.cells[cell])
            code.load(name, cell)
            code.store(name, f"P{s}_{p}")


def moved_on(code: Code) -> Effect:
    """Return the effect of r7 moving on to the next random words: constants alone."""
    del code
    move = Move(Family.ALU, 0, 0, None, int(BASE[1:]), 0)
    return Effect("NEXT_RANDOMS", 1, 0x3700, move, 0, None, 0, carry=0)


Recorder._moved_on = moved_on  # type: ignore[attr-defined]
