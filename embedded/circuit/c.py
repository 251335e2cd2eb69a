# SPDX-License-Identifier: Apache-2.0
"""Circuits and masked programs as C functions, over a type whose bits are lanes."""

from __future__ import annotations

from collections.abc import Iterable

from .circuits import Circuit, Op
from .masking import Program

_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m embedded.circuit` from {source}; changes made by hand are lost.
 * {summary}"""


def _file(source: str, summary: str, signature: str, lines: Iterable[str]) -> str:
    body = [f"    {line};" for line in lines]
    return "\n".join(
        [_HEAD.format(source=source, summary=summary), "", signature, "{", *body, "}", ""]
    )


def linear_part(circuit: Circuit, name: str, source: str) -> str:
    """Return a header with a function that changes planes `q[]`, inversions left out."""
    lines = [f"BITSLICE_PLANE {wire} = q[{bit}]" for bit, wire in enumerate(circuit.inputs)]
    for gate in circuit.gates:
        op = "&" if gate.op is Op.AND else "^"
        lines.append(f"BITSLICE_PLANE {gate.name} = {gate.left} {op} {gate.right}")
    lines += [f"q[{bit}] = {wire}" for bit, wire in enumerate(circuit.outputs)]
    summary = """The AES S-box without its constant 0x63, which comes with a round key.
 * bitslice_sbox.h documents the macros. */"""
    return _file(
        source,
        summary,
        f"BITSLICE_INLINE void BITSLICE({name})(BITSLICE_PLANE q[{len(circuit.inputs)}])",
        lines,
    )


def on_shares(program: Program, name: str, source: str) -> str:
    """Return a header with a function that takes `MASKED_PLANES` from inputs to outputs."""
    shares = range(program.shares)
    places = {
        wire: f"q[{s}].plane[{bit}]"
        for bit, wires in enumerate(program.inputs)
        for s, wire in enumerate(wires)
    } | {random: f"random[{i}]" for i, random in enumerate(program.randoms)}
    lines = []
    for wires in program.inputs:
        lines += [f"MASKED_WORD {wires[s]} = {places.pop(wires[s])}" for s in shares]
    for one in program.instructions:
        sources = ", ".join(places.get(wire, wire) for wire in one.sources)
        lines.append(f"MASKED_WORD {one.target} = MASKED_{one.step.value}({sources})")
    for bit, wires in enumerate(program.outputs):
        lines += [f"q[{s}].plane[{bit}] = {wires[s]}" for s in shares]
    count = len(program.randoms)
    summary = f"""The AES S-box on {program.shares} shares, with {count} random words.
 * words_c99.h and words_vector.h document the macros. */"""
    start = f"MASKED_APART MASKED_TARGET static void MASKED({name})("
    signature = f"{start}MASKED_PLANES *q,\n{' ' * len(start)}const MASKED_WORD *random)"
    return _file(source, summary, signature, lines)
