# SPDX-License-Identifier: Apache-2.0
"""Parts of masked AES for a Cortex-M0+: a file of assembly with the S-boxes from the circuit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from embedded.emulator.leaks import REMOVED, Leak

from . import cortex_m0_linear as linear
from . import thumb_schedule
from .circuits import Circuit, Gate, Op
from .cortex_m0_linear import PLANES
from .masking import Program, share
from .thumb import Code, Secrets
from .thumb_order2 import Sbox as Sbox2

_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m embedded.circuit` from {source}; changes made by hand are lost.
 * Parts of cortex_m0.S: the frame, and functions that call none. */
"""

_HEAD_2 = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m embedded.circuit` from {source}; changes made by hand are lost.
 * Parts of cortex_m0_order2.inc: the frame, and functions on three shares that call none. */
"""

SHARE = 48
"""Bytes of the frame, from its begin, for each share: 8 planes and 4 words of a key."""
RANDOMS = 128
"""Bytes of random words of an S-box, where they are not loaded from a register."""
STATE = [[f"S{s}_{p}" for s in (0, 1)] for p in PLANES]


def inverse(circuit: Circuit) -> Circuit:
    """Return the inverse S-box: the S-box between two copies of its affine map's inverse.

    Bit i of the inverse map is the sum of bits i + 2, i + 5 and i + 7, and of bit i of 0x05.
    """
    gates: list[Gate] = []

    def affine(inputs: Iterable[str], tag: str) -> tuple[str, ...]:
        wires = tuple(inputs)
        for i in PLANES:
            op = Op.XNOR if 0x05 >> i & 1 else Op.XOR
            gates.append(Gate(f"{tag}s{i}", Op.XOR, wires[(i + 2) % 8], wires[(i + 5) % 8]))
            gates.append(Gate(f"{tag}{i}", op, f"{tag}s{i}", wires[(i + 7) % 8]))
        return tuple(f"{tag}{i}" for i in PLANES)

    inputs = tuple(f"c{i}" for i in PLANES)
    named = dict(zip(circuit.inputs, affine(inputs, "a"), strict=True))
    for gate in circuit.gates:
        gates.append(
            Gate(
                gate.name,
                gate.op,
                named.get(gate.left, gate.left),
                named.get(gate.right, gate.right),
            )
        )
    outputs = affine(circuit.outputs, "b")
    return Circuit(inputs, tuple(gates), outputs)


def sboxes(circuit: Circuit) -> dict[str, Circuit]:
    """Return both S-boxes by the names of their functions."""
    return {"sub_bytes": circuit, "inverse_sub_bytes": inverse(circuit)}


def schedule_path(name: str) -> Path:
    """Return the file with the schedule of an S-box."""
    return Path(__file__).with_name(f"{name}.schedule")


def begun(circuit: Circuit, kinds: frozenset[Leak] = REMOVED, how: type[Code] = Code) -> Code:
    """Return what is there before an S-box: shares of its inputs in the frame."""
    program = Program(1, [[share(wire, s) for s in (0, 1)] for wire in circuit.inputs])
    for gate in circuit.gates:
        if gate.op is Op.AND:
            program.random()
    code = how(Secrets(program), kinds, numbers())
    for wire, pair in zip(circuit.inputs, STATE, strict=True):
        for s in (0, 1):
            code.cells[pair[s]] = code.secrets.sums.of[share(wire, s)]
    return code


def written(
    name: str, circuit: Circuit, kinds: frozenset[Leak] = REMOVED
) -> tuple[Code, list[int]]:
    """Return the code of an S-box without some kinds of leak, and its words of the frame."""
    schedule = thumb_schedule.parse(schedule_path(name).read_text())
    code, words = thumb_schedule.written(schedule, begun(circuit, kinds))
    code.finish()
    return code, words


LEAVES = (
    *(linear.add_in, linear.add_key, linear.add_out),
    *(linear.shift_rows, linear.inverse_shift_rows),
    *(linear.mix_columns, linear.before_mix_columns),
    *(linear.copy_key, linear.next_key),
    *(linear.begin, linear.pair_constant, linear.pair_key),
    *(linear.pair_shift_rows, linear.pair_mix_columns, linear.pair_out),
)
SHUFFLE = "TALLY_MASKED_SHUFFLE"
PUBLIC = "tally_masked_cortex_m0_"
CONVERSIONS = (("slice", linear.slice_share), ("unslice", linear.unslice_share))
_TABLE = """\
    .section .rodata.pair_constants, "a", %progbits
    .align 2
pair_constants:
"""


def parts(circuit: Circuit, source: str) -> str:
    """Return the file."""
    code: dict[str, list[str]] = {}
    words = [0, 0]
    for name, sbox in sboxes(circuit).items():
        found, most = written(name, sbox)
        code[name] = found.lines
        words = [max(pair) for pair in zip(words, most, strict=True)]
    values = [[f"V{s}_{i}" for i in range(words[s])] for s in (0, 1)]
    code |= {function.__name__: list(function()) for function in LEAVES}
    text = [
        _HEAD.format(source=source),
        _frame([name for names in values for name in names]),
        *(_function(name, [*lines, "bx lr"]) for name, lines in code.items()),
        f"#if defined({SHUFFLE})\n" + _function("turn", [*linear.turn(), "bx lr"]) + "#endif\n",
        *(_function(f"{PUBLIC}{name}", lines(), is_public=True) for name, lines in CONVERSIONS),
        _TABLE + _block(linear.pair_constants()),
    ]
    return "\n".join(text)


def order2_parts(circuit: Circuit, source: str) -> str:
    """Return the file for three shares: the frame, the S-box, and linear parts."""
    sbox = Sbox2(circuit)
    values = [f"V{s}_{i}" for s in range(3) for i in range(sbox.words[s])]
    names = [f"P{s}_{p}" for s in range(3) for p in PLANES] + values
    names += [f"{name}_2" for name in ("KEYS", "ROUNDS", "SOURCE", "STATE", "ZERO", "SCRATCH")]
    # Six words are pushed before it, and 16 bytes are wiped at a time.
    return "\n".join([
        _HEAD_2.format(source=source),
        "".join(f"    .equ {name}, {4 * i}\n" for i, name in enumerate(names))
        + _frame_end(4 * len(names), "_2", 3 * RANDOMS, 0),
        _function("sub_bytes_order2", [*sbox.lines(), "bx lr"]),
        _function("inverse_affine", [*linear.inverse_affine(), "bx lr"]),
        _function("next_key_order2", [*linear.next_key(3), "bx lr"]),
    ])  # fmt: skip


def _frame_end(size: int, suffix: str, randoms: int, rest: int) -> str:
    """Return the frame's size, which is `rest` modulo 16, and where random words are, if any."""
    alone, with_randoms = (end + (rest - end) % 16 for end in (size, size + randoms))
    return (
        "#if defined(TALLY_RANDOM_REGISTER)\n"
        f"    .equ FRAME{suffix}, {alone}\n"
        "#else\n"
        f"    .equ RANDOMS{suffix}, {size}\n"
        f"    .equ FRAME{suffix}, {with_randoms}\n"
        "#endif\n"
    )


def _block(lines: Iterable[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def _function(name: str, lines: Iterable[str], is_public: bool = False) -> str:
    return (
        f'    .section .text.{name}, "ax", %progbits\n'
        + f"    .global {name}\n" * is_public
        + f"    .type {name}, %function\n    .thumb_func\n{name}:\n"
        + _block([*lines, ".ltorg"])
        + f"    .size {name}, . - {name}\n"
    )


def _names(values: list[str]) -> list[str]:
    """Return the names of the words of the frame."""
    names = [f"S{s}_{p}" if p < 8 else f"K{s}_{p - 8}" for s in (0, 1) for p in range(SHARE // 4)]
    return [*names, *values, "KEYS", "ROUNDS", "SOURCE", "STATE", "CONSTANT", "ZERO", "SCRATCH"]


def numbers() -> dict[str, int]:
    """Return the places of words in a frame that has enough of them for any order."""
    values = [f"V{s}_{i}" for s in (0, 1) for i in range(thumb_schedule.WORDS)]
    return {name: i for i, name in enumerate(_names(values))}


def _frame(values: list[str]) -> str:
    """Return the frame: its words and its size."""
    names = _names(values)
    lines = [f"    .equ {name}, {4 * i}\n" for i, name in enumerate(names)]
    # Nine words are pushed before it, and calls need a stack aligned to 8 bytes; RETURN wipes 16
    # bytes at a time, and 12 at the end.
    return "".join(lines) + _frame_end(4 * len(names), "", RANDOMS, 12)
