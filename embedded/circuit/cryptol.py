# SPDX-License-Identifier: Apache-2.0
"""Circuits and masked programs as a module of Cryptol, with the properties to prove."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .circuits import Circuit, Gate, Op
from .masking import Program, Step, masked

_HEAD = """// SPDX-License-Identifier: Apache-2.0
//
// Written by `python -m embedded.circuit` from {source}; changes made by hand are lost.
//
// The AES S-box as a circuit of {gates} gates, {ands} of them AND, on bits and on shares.
// `circuit` leaves open what its wires carry. On bits it is the S-box, as its 256 inputs show. On
// shares its gates commute with unmasking (proofs below). Then the whole circuit does too: that
// holds of every function of its type (Wadler, "Theorems for free!", FPCA 1989).
// `flat1` and `flat2` are the code as it is printed for C, one line an instruction.
module MaskedSBox where

import GF256

/** The S-box of FIPS 197, section 5.1.1: the inverse in the field, and an affine map. */
sbox : [8] -> [8]
sbox x = i ^ (i <<< 1) ^ (i <<< 2) ^ (i <<< 3) ^ (i <<< 4) ^ 0x63
  where
    i : [8]
    i = inverse aesField x

/** The circuit, for any gates XOR, XNOR and AND; the last takes something random as well. */
circuit : {{a, r}} (a -> a -> a) -> (a -> a -> a) -> (a -> a -> r -> a) -> [8]a -> [{ands}]r -> [8]a
circuit xor xnor mul inputs randoms = {outputs}
  where
    {inputs} = inputs
    {randoms} = randoms
{lines}

/** The circuit on bits, which need nothing random. */
plain : [8] -> [8]
plain x = circuit (\\a b -> a ^ b) (\\a b -> ~(a ^ b)) (\\a b _ -> a && b) x unused
  where
    unused : [{ands}]
    unused = zero

/** How many bits of a word are 1. */
ones : {{n}} (fin n) => [n] -> Integer
ones bits = sum [ if bit then 1 else 0 | bit <- bits ]

/**
 * The circuit is the S-box.
 *
 * ```repl
 * :exhaust circuitIsSbox
 * ```
 * All 256 inputs: below 1 s.
 */
property circuitIsSbox (x : [8]) = plain x == sbox x
"""

_ORDER = """
/***** Order {order}: {shares} shares *****/

/** A bit in {shares} shares. */
type Shared{order} = {shared}

/** The random bit{s} of an AND. */
type Random{order} = {random}

/** The bit that is shared: the sum of its shares. */
unmask{order} : Shared{order} -> Bit
unmask{order} {a} = {sum}

/** The same for the bits of a byte. */
unmaskByte{order} : [8]Shared{order} -> [8]
unmaskByte{order} byte = [ unmask{order} bit | bit <- byte ]

/** XOR of shared bits inverted: one of the shares is. */
xnor{order} : Shared{order} -> Shared{order} -> Shared{order}
xnor{order} {a} {b} = {xnor}

/**
 * AND of shared bits, with {each} random bit{s}, in this order alone: its result, and all its
 * wires, from the arguments to the result, products before they are added among them.
 */
steps{order} : Shared{order} -> Shared{order} -> Random{order} -> (Shared{order}, [{wires}])
steps{order} {a} {b} {r} =
  ( {gadget_out}
  , {gadget_wires}
  )
  where
{gadget}

/** AND of shared bits. */
times{order} : Shared{order} -> Shared{order} -> Random{order} -> Shared{order}
times{order} a b r = (steps{order} a b r).0

/** The circuit on shares of each bit. */
masked{order} : [8]Shared{order} -> [{ands}]Random{order} -> [8]Shared{order}
masked{order} byte randoms = circuit (\\a b -> a ^ b) xnor{order} times{order} byte randoms

/** The code, on shares of each bit. */
flat{order} : [8]Shared{order} -> [{ands}]Random{order} -> [8]Shared{order}
flat{order} byte randoms =
  {flat_out}
  where
{flat}

/**
 * The wires of AND for each of the four pairs of secret bits: a word for each wire, with a bit for
 * each of the {choices} choices of masks and random bits.
 */
observed{order} : [4][{wires}][{choices}]
observed{order} =
  [ transpose [ wires secrets choice | choice <- [0 .. {last}] ] | secrets <- [0 .. 3] ]
  where
    wires : [2] -> [{free}] -> [{wires}]
    wires [a, b] {choice} =
      (steps{order} ({mask_a}) ({mask_b}) {r}).1

/**
 * The gates on shares commute with unmasking, whatever the random bits: this makes
 * `masked{order}` the S-box for all inputs, masks and random bits.
 *
 * ```repl
 * :prove gatesUnmask{order}
 * ```
 * Below 1 s.
 */
property gatesUnmask{order} (a : Shared{order}) (b : Shared{order}) (r : Random{order}) =
  (unmask{order} (a ^ b) == (unmask{order} a ^ unmask{order} b)) /\\
  (unmask{order} (xnor{order} a b) == ~(unmask{order} a ^ unmask{order} b)) /\\
  (unmask{order} (times{order} a b r) == (unmask{order} a && unmask{order} b))

{probing}
/**
 * The code is the circuit on shares, for all inputs, masks and random bits: gate by gate the same.
 *
 * ```repl
 * :prove flatIsMasked{order}
 * ```
 * Below 1 s: both sides are the same formula.
 */
property flatIsMasked{order} (byte : [8]Shared{order}) (randoms : [{ands}]Random{order}) =
  flat{order} byte randoms == masked{order} byte randoms

/**
 * Unmasked, the code is the S-box, without the theorem: inputs, masks and random bits at random.
 *
 * ```repl
 * :set tests=2000
 * :check flatIsSbox{order}
 * :set tests=100
 * ```
 * 2,000 cases: some 10 s.
 */
property flatIsSbox{order} (byte : [8]Shared{order}) (randoms : [{ands}]Random{order}) =
  unmaskByte{order} (flat{order} byte randoms) == sbox (unmaskByte{order} byte)
"""

_PROBING = {
    1: """\
/**
 * No wire of AND depends on the secret bits: for each pair of them it is 1 for equally many choices
 * of masks and random bits. An AND that adds the random bit to the sum of both mixed products
 * fails here, and nowhere else.
 *
 * ```repl
 * :exhaust andTellsNothing1
 * ```
 * {cases} cases: below 1 s.
 */
property andTellsNothing1 (i : [{index}]) =
  (i >= {wires}) \\/
  and [ ones (secrets @ i) == ones (observed1 @ 0 @ i) | secrets <- observed1 ]
""",
    2: """\
/**
 * No two wires of AND together depend on the secret bits: for each pair of those, both wires are 1
 * for equally many choices of masks and random bits. Where i is j, this says it of one wire.
 *
 * ```repl
 * :exhaust andTellsNothing2
 * ```
 * {cases} cases: some seconds.
 */
property andTellsNothing2 (i : [{index}]) (j : [{index}]) =
  (i >= {wires}) \\/ (j >= {wires}) \\/
  and [ both secrets == both (observed2 @ 0) | secrets <- observed2 ]
  where
    both : [{wires}][{choices}] -> Integer
    both secrets = ones ((secrets @ i) && (secrets @ j))
""",
}

_EXHAUSTIVE = """
/**
 * The same for every input and every mask at order 1, with random bits that those determine.
 *
 * ```repl
 * :exhaust flatIsSboxForAllMasks
 * ```
 * 65,536 cases: some minutes.
 */
property flatIsSboxForAllMasks (x : [8]) (mask : [8]) =
  unmaskByte1 (flat1 byte (0x9e3779b1 * (zext (x # mask) + 1))) == sbox x
  where
    byte : [8]Shared1
    byte = [ (bit ^ m, m) | bit <- x | m <- mask ]
"""


def _list(names: Iterable[str], indent: int) -> str:
    """Return a list of names on lines of at most 100 columns; no entry is broken."""
    whole = (name.replace(" ", "\0") for name in names)
    lines = textwrap.wrap(f"[{', '.join(whole)}]", 90 - indent)
    return ("\n" + " " * (indent + 2)).join(lines).replace("\0", " ")


def _gate(gate: Gate, random: Iterable[str]) -> str:
    name = {Op.XOR: "xor", Op.XNOR: "xnor", Op.AND: "mul"}[gate.op]
    last = f" {next(iter(random))}" if gate.op is Op.AND else ""
    return f"    {gate.name} = {name} {gate.left} {gate.right}{last}"


def _code(program: Program) -> list[str]:
    patterns = {
        Step.XOR: "{0} ^ {1}",
        Step.NOT: "~{0}",
        Step.AND: "{0} && {1}",
        Step.XOR_AND: "{0} ^ ({1} && {2})",
    }
    return [
        f"    {one.target} = {patterns[one.step].format(*one.sources)}"
        for one in program.instructions
    ]


def _tuple(names: Iterable[str]) -> str:
    """Return a tuple of Cryptol; of one, the one."""
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"({', '.join(listed)})"


def _wires(program: Program) -> list[str]:
    """Return all that a program computes with and on the way, as Cryptol."""
    wires = [name for names in program.inputs for name in names] + program.randoms
    for one in program.instructions:
        if one.step is Step.XOR_AND:
            wires.append(f"{one.sources[1]} && {one.sources[2]}")
        wires.append(one.target)
    return wires


def _order(circuit: Circuit, order: int) -> str:
    shares, ands = range(order + 1), circuit.count(Op.AND)
    gadget = masked(Circuit(("a", "b"), (Gate("c", Op.AND, "a", "b"),), ("c",)), order)
    flat = masked(circuit, order)
    wires, each, free = _wires(gadget), len(gadget.randoms), 2 * order + len(gadget.randoms)
    a, b = gadget.inputs
    randoms = [flat.randoms[i : i + each] for i in range(0, len(flat.randoms), each)]
    # A word's first bit is its highest; circuits list the lowest first.
    read = [
        f"    {_list(map(_tuple, reversed(flat.inputs)), 4)} = byte",
        f"    {_list(map(_tuple, randoms), 4)} = randoms",
    ]
    index = len(wires).bit_length()
    sizes = {"wires": len(wires), "choices": 2**free, "index": index}
    return _ORDER.format(
        order=order,
        shares=len(shares),
        ands=ands,
        each=each,
        s="s" if each > 1 else "",
        shared=_tuple(["Bit"] * len(shares)),
        random=_tuple(["Bit"] * each),
        a=_tuple(a),
        b=_tuple(b),
        r=_tuple(gadget.randoms),
        sum=" ^ ".join(a),
        xnor=_tuple(f"~({a[s]} ^ {b[s]})" if s == 0 else f"{a[s]} ^ {b[s]}" for s in shares),
        gadget_out=_tuple(gadget.outputs[0]),
        gadget_wires=_list(wires, 2),
        gadget="\n".join(_code(gadget)),
        flat_out=_list(map(_tuple, reversed(flat.outputs)), 2),
        flat="\n".join(read + _code(flat)),
        last=2**free - 1,
        free=free,
        choice=_list([*a[1:], *b[1:], *gadget.randoms], 4),
        mask_a=", ".join([" ^ ".join(["a", *a[1:]]), *a[1:]]),
        mask_b=", ".join([" ^ ".join(["b", *b[1:]]), *b[1:]]),
        probing=_PROBING[order].format(cases=f"{2 ** (index * order):,}", **sizes),
        wires=len(wires),
        choices=2**free,
    )


def module(circuit: Circuit, source: str) -> str:
    """Return the module MaskedSBox, from the S-box's circuit."""
    randoms = [f"r{i}" for i in range(circuit.count(Op.AND))]
    unused = iter(randoms)
    head = _HEAD.format(
        source=source,
        gates=len(circuit.gates),
        ands=len(randoms),
        inputs=_list(reversed(circuit.inputs), 4),
        outputs=_list(reversed(circuit.outputs), 0),
        randoms=_list(randoms, 4),
        lines="\n".join(_gate(gate, unused) for gate in circuit.gates),
    )
    return head + "".join(_order(circuit, order) for order in (1, 2)) + _EXHAUSTIVE
