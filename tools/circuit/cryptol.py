# SPDX-License-Identifier: Apache-2.0
"""Circuits and masked programs as a module of Cryptol, with what is to be proved of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from .circuits import Circuit, Gate, Op
from .masking import Program, Step, masked

_HEAD = """// SPDX-License-Identifier: Apache-2.0
//
// Written by `python -m tools.circuit` from {source}; changes made by hand are lost.
//
// The AES S-box as a circuit of {gates} gates, {ands} of them AND, on bits and on shares.
// `circuit` leaves open what its wires carry. On bits it is the S-box, which its 256 inputs show.
// On shares, whose gates commute with `unmask` (proofs below), its outputs unmask to what it gives
// on unmasked inputs: that holds of every function of its type (Wadler, "Theorems for free!", FPCA
// 1989). `flat1` and `flat2` are the code as it is printed for C, one line an instruction.
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
circuit xor xnor mul inputs random = {outputs}
  where
    {inputs} = inputs
    {randoms} = random
{lines}

/** The circuit on bits, which need nothing random. */
plain : [8] -> [8]
plain x = circuit (\\a b -> a ^ b) (\\a b -> ~(a ^ b)) (\\a b _ -> a && b) x unused
  where
    unused : [{ands}]
    unused = zero

/** A bit that is shared: the sum of its shares. */
unmask : {{shares}} (fin shares) => [shares] -> Bit
unmask shares = foldl (\\a b -> a ^ b) False shares

/** The same for the bits of a byte. */
unmaskByte : {{shares}} (fin shares) => [shares][8] -> [8]
unmaskByte shares = foldl (\\a b -> a ^ b) zero shares

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

/** AND of shared bits, with {each} random one{s}, in this order alone. */
times{order} : [{shares}] -> [{shares}] -> [{each}] -> [{shares}]
times{order} a b random = {gadget_out}
  where
{gadget}

/** XOR of shared bits inverted: one of the shares is. */
xnor{order} : [{shares}] -> [{shares}] -> [{shares}]
xnor{order} a b = a ^ b ^ {invert}

/** The circuit on shares of each bit. */
masked{order} : [{shares}][8] -> [{ands}][{each}] -> [{shares}][8]
masked{order} bytes random =
  transpose (circuit (\\a b -> a ^ b) xnor{order} times{order} (transpose bytes) random)

/** The code, on bytes of shares. */
flat{order} : [{shares}][8] -> [{all}] -> [{shares}][8]
flat{order} bytes random ={flat_out}
  where
{flat}

/**
 * The gates on shares commute with unmasking, whatever the random bits: this makes
 * `masked{order}` the S-box for all inputs, masks and random bits.
 *
 * ```repl
 * :prove gatesUnmask{order}
 * ```
 * Below 1 s.
 */
property gatesUnmask{order} (a : [{shares}]) (b : [{shares}]) (random : [{each}]) =
  (unmask (a ^ b) == (unmask a ^ unmask b)) /\\
  (unmask (xnor{order} a b) == ~(unmask a ^ unmask b)) /\\
  (unmask (times{order} a b random) == (unmask a && unmask b))

/**
 * The code is the circuit on shares, for all inputs, masks and random bits: gate by gate the same.
 *
 * ```repl
 * :prove flatIsMasked{order}
 * ```
 * Some seconds: both sides are the same formula.
 */
property flatIsMasked{order} (bytes : [{shares}][8]) (random : [{all}]) =
  flat{order} bytes random == masked{order} bytes (split random)

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
property flatIsSbox{order} (bytes : [{shares}][8]) (random : [{all}]) =
  unmaskByte (flat{order} bytes random) == sbox (unmaskByte bytes)
"""

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
  unmaskByte (flat1 [ x ^ mask, mask ] (0x9e3779b1 * (zext (x # mask) + 1))) == sbox x
"""


def _list(names: Iterable[str], indent: int) -> str:
    """Return a list of names on lines of at most 100 columns."""
    text = f"[{', '.join(names)}]"
    return ("\n" + " " * (indent + 2)).join(textwrap.wrap(text, 94 - indent))


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


def _order(circuit: Circuit, order: int) -> str:
    shares, ands = order + 1, circuit.count(Op.AND)
    gadget = masked(Circuit(("a", "b"), (Gate("c", Op.AND, "a", "b"),), ("c",)), order)
    flat = masked(circuit, order)
    # A word's first bit is its highest; circuits list the lowest first.
    ways_in, ways_out = list(reversed(flat.inputs)), list(reversed(flat.outputs))

    def byte(wires: Sequence[Sequence[str]], share: int, indent: int) -> str:
        return _list((wire[share] for wire in wires), indent)

    taken = [f"    {_list(wires, 4)} = {'ab'[i]}" for i, wires in enumerate(gadget.inputs)]
    taken.append(f"    {_list(gadget.randoms, 4)} = random")
    read = [f"    {byte(ways_in, s, 4)} = bytes @ {s}" for s in range(shares)]
    read.append(f"    {_list(flat.randoms, 4)} = random")
    rows = [byte(ways_out, s, 4) for s in range(shares)]
    return _ORDER.format(
        order=order,
        shares=shares,
        ands=ands,
        each=len(gadget.randoms),
        s="s" if len(gadget.randoms) > 1 else "",
        all=len(flat.randoms),
        invert="0b1" + "0" * order,
        gadget_out=_list(gadget.outputs[0], 0),
        gadget="\n".join(taken + _code(gadget)),
        flat_out="\n  [ " + "\n  , ".join(rows) + "\n  ]",
        flat="\n".join(read + _code(flat)),
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
