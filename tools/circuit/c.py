# SPDX-License-Identifier: Apache-2.0
"""Masked programs as C: a function over a type `word`, whose bits are lanes."""

from __future__ import annotations

from .masking import Program

_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m tools.circuit` from {source}; changes made by hand are lost.
 * {what}, on {shares} shares, with {randoms} random words. words_c99.h and words_vector.h say
 * what the macros are. */
"""


def function(program: Program, name: str, source: str, what: str) -> str:
    """Return a header with a function that takes `planes` from inputs to outputs."""
    shares = range(program.shares)
    places = {
        wire: f"q[{s}].plane[{bit}]"
        for bit, wires in enumerate(program.inputs)
        for s, wire in enumerate(wires)
    } | {random: f"random[{i}]" for i, random in enumerate(program.randoms)}
    lines = [
        f"APART TARGET static void {name}(planes *q, const word *random)",
        "{",
    ]
    for wires in program.inputs:
        lines += [f"    word {wires[s]} = {places.pop(wires[s])};" for s in shares]
    for one in program.instructions:
        sources = ", ".join(places.get(wire, wire) for wire in one.sources)
        lines.append(f"    word {one.target} = {one.step.value}({sources});")
    for bit, wires in enumerate(program.outputs):
        lines += [f"    q[{s}].plane[{bit}] = {wires[s]};" for s in shares]
    head = _HEAD.format(
        source=source, what=what, shares=program.shares, randoms=len(program.randoms)
    )
    return head + "\n" + "\n".join([*lines, "}", ""])
