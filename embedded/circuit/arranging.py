# SPDX-License-Identifier: Apache-2.0
"""The order of a program's instructions, as text.

Any order in which wires have values before they are used computes the same wires. In some fewer
values are needed again later at a time, so that compilers move less between registers and memory.
"""

from __future__ import annotations

from dataclasses import replace

from .circuits import CircuitError
from .masking import Program


def arranged(program: Program, text: str) -> Program:
    """Return a program with its instructions in the order in which `text` names their targets.

    Raises
    ------
    CircuitError
        A target is missing, is none of the program, or stands before its operands.
    """
    names = [name for line in text.splitlines() for name in line.partition("#")[0].split()]
    by_target = {one.target: one for one in program.instructions}
    if sorted(names) != sorted(by_target):
        wrong = set(names) ^ set(by_target) or {n for n in names if names.count(n) > 1}
        raise CircuitError(f"each target must stand once in the order: {', '.join(sorted(wrong))}")
    known = {*program.randoms, *(wire for wires in program.inputs for wire in wires)}
    for name in names:
        if missing := set(by_target[name].sources) - known:
            raise CircuitError(f"{name} stands before {', '.join(sorted(missing))}")
        known.add(name)
    return replace(program, instructions=[by_target[name] for name in names])
