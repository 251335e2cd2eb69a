# SPDX-License-Identifier: Apache-2.0
"""Masked circuits: a program on Boolean shares, of order 1 (two shares) or 2 (three).

XOR goes share by share, an inversion goes to share 0, and AND is the gadget of Ishai, Sahai and
Wagner, "Private Circuits: Securing Hardware against Probing Attacks" (CRYPTO 2003), each with
random bits of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations

from .circuits import Circuit, Op


class Step(Enum):
    """The operation of an instruction on its sources."""

    XOR = "XOR"
    NOT = "NOT"
    AND = "AND"
    XOR_AND = "XOR_AND"
    """a ^ (b & c): one instruction on some machines, two with a wire between them on others."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """`target` = `step`(`sources`); names are those of wires."""

    target: str
    step: Step
    sources: tuple[str, ...]


def share(name: str, index: int) -> str:
    """Return the name of a share of a wire."""
    return f"{name}_{index}"


@dataclass(slots=True)
class Program:
    """Straight-line code on shares.

    `inputs[i][s]` is share s of input i; `outputs` likewise. `randoms` are uniform and independent
    bits, each of them used by one gadget.
    """

    order: int
    inputs: list[list[str]]
    outputs: list[list[str]] = field(default_factory=list)
    randoms: list[str] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def shares(self) -> int:
        """How many shares a value has."""
        return self.order + 1

    def random(self) -> str:
        """Return a new random bit."""
        self.randoms.append(f"r{len(self.randoms)}")
        return self.randoms[-1]

    def add(self, target: str, step: Step, *sources: str) -> str:
        """Append an instruction, and return its target."""
        self.instructions.append(Instruction(target, step, sources))
        return target

    def evaluate(self, values: dict[str, int], ones: int = 1) -> dict[str, int]:
        """Return all wires, with those of inputs and randoms given; each bit is a lane."""
        wires = dict(values)
        for one in self.instructions:
            sources = [wires[name] for name in one.sources]
            match one.step:
                case Step.XOR:
                    wires[one.target] = sources[0] ^ sources[1]
                case Step.NOT:
                    wires[one.target] = sources[0] ^ ones
                case Step.AND:
                    wires[one.target] = sources[0] & sources[1]
                case Step.XOR_AND:
                    wires[one.target] = sources[0] ^ (sources[1] & sources[2])
        return wires


def masked(circuit: Circuit, order: int) -> Program:
    """Mask a circuit with `order` + 1 shares, `order` 1 or 2."""
    program = Program(order, [[share(n, s) for s in range(order + 1)] for n in circuit.inputs])
    for gate in circuit.gates:
        if gate.op is Op.AND:
            _and(program, gate.name, gate.left, gate.right)
            continue
        for s in range(program.shares):
            target = share(gate.name, s)
            inverts = gate.op is Op.XNOR and s == 0
            sum_ = program.add(
                f"{target}n" if inverts else target,
                Step.XOR,
                share(gate.left, s),
                share(gate.right, s),
            )
            if inverts:
                program.add(target, Step.NOT, sum_)
    program.outputs = [[share(n, s) for s in range(order + 1)] for n in circuit.outputs]
    return program


def _and(program: Program, name: str, left: str, right: str) -> None:
    """Append the gadget for AND.

    Share i is its own product, and for each other share j a random bit: the bit itself if i is the
    lower, else the bit plus both mixed products. Every sum begins with a random bit.
    """
    a = [share(left, s) for s in range(program.shares)]
    b = [share(right, s) for s in range(program.shares)]
    parts: list[list[str]] = [[] for _ in a]
    for i, j in combinations(range(program.shares), 2):
        r = program.random()
        once = program.add(f"{name}_{i}{j}a", Step.XOR_AND, r, a[i], b[j])
        twice = program.add(f"{name}_{i}{j}b", Step.XOR_AND, once, a[j], b[i])
        parts[i].append(r)
        parts[j].append(twice)
    for i, (first, *rest) in enumerate(parts):
        names = [f"{name}_{i}{'abc'[k]}" for k in range(len(rest))] + [share(name, i)]
        sum_ = program.add(names[0], Step.XOR_AND, first, a[i], b[i])
        for target, part in zip(names[1:], rest, strict=True):
            sum_ = program.add(target, Step.XOR, sum_, part)
