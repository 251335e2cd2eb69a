# SPDX-License-Identifier: Apache-2.0
"""Circuits of XOR, XNOR and AND gates, as text and as values.

A file has lines `inputs NAME ...`, `outputs NAME ...` (lowest bit first), `NAME = NAME OP NAME`
with OP one of `^`, `~^` and `&`, and comments from `#` on. A gate stands below those that it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class CircuitError(ValueError):
    """A circuit is not well-formed; the message says where."""


class Op(Enum):
    """The operation of a gate on its two inputs."""

    XOR = "^"
    XNOR = "~^"
    AND = "&"


@dataclass(frozen=True, slots=True)
class Gate:
    """`name` = `left` `op` `right`."""

    name: str
    op: Op
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Circuit:
    """Gates in an order in which they can be evaluated; inputs and outputs lowest bit first."""

    inputs: tuple[str, ...]
    gates: tuple[Gate, ...]
    outputs: tuple[str, ...]

    def count(self, op: Op) -> int:
        """Return how many gates do `op`."""
        return sum(gate.op is op for gate in self.gates)

    def evaluate(self, inputs: Sequence[int], ones: int = 1) -> list[int]:
        """Return the outputs; each bit of a number is a lane of its own, `ones` has all of them."""
        values: dict[str, int] = dict(zip(self.inputs, inputs, strict=True))
        for gate in self.gates:
            left, right = values[gate.left], values[gate.right]
            if gate.op is Op.AND:
                values[gate.name] = left & right
            else:
                values[gate.name] = left ^ right ^ (ones if gate.op is Op.XNOR else 0)
        return [values[name] for name in self.outputs]


def parse(text: str) -> Circuit:
    """Read a circuit.

    Raises
    ------
    CircuitError
        A line is not one of a circuit, or a name is used before it has a value, or has two.
    """
    named: dict[str, tuple[str, ...]] = {}
    gates: list[Gate] = []
    known: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        match line.partition("#")[0].split():
            case []:
                pass
            case ["inputs" | "outputs" as kind, *names] if kind not in named and names:
                named[kind] = tuple(names)
                if kind == "inputs":
                    known.update(names)
            case [name, "=", left, op, right] if op in {each.value for each in Op}:
                if missing := {left, right} - known:
                    raise CircuitError(f"line {number}: no value yet: {', '.join(sorted(missing))}")
                if name in known:
                    raise CircuitError(f"line {number}: {name} has a value already")
                known.add(name)
                gates.append(Gate(name, Op(op), left, right))
            case _:
                raise CircuitError(f"line {number} is neither a gate nor a list of names: {line}")
    for kind in ("inputs", "outputs"):
        if not set(named.get(kind, ["?"])) <= known:
            raise CircuitError(f"there is no line `{kind}`, or it names a wire without value")
    return Circuit(named["inputs"], tuple(gates), named["outputs"])


def read(path: Path) -> Circuit:
    """Read the circuit in a file; errors are those of `parse`."""
    return parse(path.read_text())
