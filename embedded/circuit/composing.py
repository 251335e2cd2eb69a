# SPDX-License-Identifier: Apache-2.0
"""Whether two words that an S-box on three shares shows depend on a secret: by composition.

A word is either linear, a sum of one share of wires, or belongs to one AND gadget: then it follows
from shares of the gadget's operands and from its random bits. A gadget is small, so which of these
shares two of its words need is found by going through all values. The argument is that of strong
non-interference (Barthe, Belaid, Dupressoir, Fouque, Gregoire, Strub and Zucchini, CCS 2016):

- The result of a gadget of which no word is looked at is shared anew.
- With a word, one share of the result may be looked at too: what both need is in the same table.

So each word has a demand: sums of one share of sources, which are inputs of the S-box and results
of gadgets. Their sharings are uniform. So what two words demand depends on a secret only if some
sum is demanded of all three shares. The few pairs that are not decided so are left to `probing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .circuits import Circuit, Op

SHARES = range(3)
_VARIABLES = 9
LANES = 1 << _VARIABLES
"""All values of both operands' shares and of three random bits, the lowest bits first."""


def column(variable: int) -> int:
    """Return the truth table of a variable: of operands 0 to 5, of random bits 6 to 8."""
    half = 1 << variable
    return ((1 << LANES) - 1) // ((1 << 2 * half) - 1) * (((1 << half) - 1) << half)


@cache
def needed(*words: int) -> tuple[int, int]:
    """Return the shares of both operands on which some truth tables jointly depend, as masks."""
    signatures = []
    operands = 1 << 6
    for operand in range(operands):
        values = sorted(
            tuple(word >> (operand | random << 6) & 1 for word in words) for random in range(8)
        )
        signatures.append(tuple(values))
    mask = sum(
        1 << bit
        for bit in range(6)
        if any(signatures[i] != signatures[i ^ 1 << bit] for i in range(operands))
    )
    return mask & 7, mask >> 3


Demand = frozenset[tuple[int, int]]
"""Indices of shares, each with a set of sources: that share of their sum is demanded."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, in one share of wires or in a gadget.

    Attributes
    ----------
    sum_
        What it is.
    gadget
        Its place among the gadgets; -1 for a linear word.
    truth
        A gadget's word, of the operands' shares and random bits.
    demand
        Of a linear word, as of `Demands`.
    """

    sum_: int
    gadget: int
    truth: int
    demand: Demand


class Demands:
    """The sources of a circuit: inputs, and then results of ANDs."""

    def __init__(self, circuit: Circuit) -> None:
        self._cones: dict[str, int] = {}  # the sources whose sum a wire is
        self._operands: list[tuple[int, int]] = []
        self._inputs = len(circuit.inputs)
        for wire in circuit.inputs:
            self._cones[wire] = 1 << len(self._cones)
        for gate in circuit.gates:
            left, right = self._cones[gate.left], self._cones[gate.right]
            if gate.op is Op.AND:
                self._cones[gate.name] = self.source(len(self._operands))
                self._operands.append((left, right))
            else:
                self._cones[gate.name] = left ^ right

    def source(self, gadget: int) -> int:
        """Return the set of a gadget's result alone."""
        return 1 << self._inputs + gadget

    def linear(self, wires: tuple[str, ...], index: int) -> Demand:
        """Return the demand of one share of a sum of wires."""
        cone = 0
        for wire in wires:
            cone ^= self._cones[wire]
        return frozenset({(index, cone)})

    @cache  # noqa: B019 (a few live as long as a program)
    def of_gadget(self, gadget: int, *truths: int) -> Demand:
        """Return the demand of words and results of a gadget."""
        return frozenset(
            (index, cone)
            for cone, mask in zip(self._operands[gadget], needed(*truths), strict=True)
            for index in SHARES
            if mask >> index & 1
        )


def is_of_all_shares(demand: Demand) -> bool:
    """Whether some sum of sources is demanded of all three shares."""
    sums: list[set[int]] = [{0} for _ in SHARES]
    for index, cone in demand:
        sums[index] |= {one ^ cone for one in sums[index]}
    return len(sums[0] & sums[1] & sums[2]) > 1


def is_simulated(demands: Demands, results: tuple[int, ...], one: Word, other: Word) -> bool:
    """Whether two words can be simulated without a secret; `results` are a gadget's, as tables."""
    words = (one, other)
    if one.gadget == other.gadget and one.gadget >= 0:
        # No result is demanded of a gadget by its own words, nor by any before it.
        return not is_of_all_shares(demands.of_gadget(one.gadget, one.truth, other.truth))
    found = [
        word.demand if word.gadget < 0 else demands.of_gadget(word.gadget, word.truth)
        for word in words
    ]
    for i, word in enumerate(words):
        if word.gadget < 0:
            continue
        source, others = demands.source(word.gadget), found[1 - i]
        asked = {index for index, cone in others if cone & source}
        if len(asked) > 1:
            return False
        if asked:
            found[i] = demands.of_gadget(word.gadget, word.truth, results[asked.pop()])
            found[1 - i] = frozenset((index, cone & ~source) for index, cone in others)
    return not is_of_all_shares(found[0] | found[1])
