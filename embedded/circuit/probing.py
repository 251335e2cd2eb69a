# SPDX-License-Identifier: Apache-2.0
"""Exact check of probing security: no `order` wires of a masked program tell anything of a secret.

The bits on some wires, given the secret inputs, have a distribution; it is the same for all secrets
if and only if each XOR of some of these bits has a bias that is the same for all secrets. So it is
enough to look at single bits: sums of one wire, or of two.

Such a sum is written as an XOR of variables (random bits, and shares of inputs) and of products of
such sums. Rules that change no bias then take it apart, after Barthe, Belaid, Dupressoir, Fouque,
Gregoire and Strub, "Verified Proofs of Higher-Order Masking" (EUROCRYPT 2015):

- A sum that lacks a share of every input does not depend on a secret.
- A variable is uniform, given all others at work, if it is a random bit, or a share of an input of
  which another share does not occur. If it occurs once, as a term, the sum is uniform.
- A uniform variable may stand for itself plus anything in which it does not occur: chosen so that
  less is left.

If they don't decide, all values of the variables are enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from .masking import Program, Step

MOST_VARIABLES = 22
"""Of a sum whose values are all gone through."""


_FORM, _END, _ONE, _VARIABLE = range(4)
"""What a number in `Sums.shape` says of the next ones; a variable's also has the share's index."""


class UndecidedError(RuntimeError):
    """The rules left a sum of too many variables."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Wires that together depend on a secret."""

    wires: tuple[str, ...]


def _bits(mask: int) -> Iterator[int]:
    while mask:  # from the highest one down: what is left gets short
        bit = mask.bit_length() - 1
        yield bit
        mask ^= 1 << bit


class Sums:
    """Sums as numbers whose bits are atoms: the constant 1, the variables, and then products."""

    def __init__(self, program: Program) -> None:
        names = [name for wires in program.inputs for name in wires] + program.randoms
        self.of: dict[str, int] = {name: 2 << i for i, name in enumerate(names)}
        self.variables = (2 << len(names)) - 2
        self.randoms = sum(self.of[name] for name in program.randoms)
        self.shares = [sum(self.of[name] for name in wires) for wires in program.inputs]
        self._shares = program.shares
        # Of each variable: an input's number and which share it is, or a number of its own.
        self._named = {
            1 + i: (i // self._shares, i % self._shares)
            if i < len(names) - len(program.randoms)
            else (i, self._shares)
            for i in range(len(names))
        }
        self._first = sum(self.of[wires[0]] for wires in program.inputs)
        self.support: list[int] = [0, *self.of.values()]  # of each atom: a set of variables
        self.factors: dict[int, tuple[int, int]] = {}  # of each product
        self._products: dict[tuple[int, int], int] = {}
        self._inner: dict[int, int] = {}
        self._within: dict[int, frozenset[int]] = {}
        for one in program.instructions:
            if one.target in self.of:  # else its first value would not be checked
                raise ValueError(f"wire {one.target} has a value already")
            sources = [self.of[name] for name in one.sources]
            match one.step:
                case Step.XOR:
                    self.of[one.target] = sources[0] ^ sources[1]
                case Step.NOT:
                    self.of[one.target] = sources[0] ^ 1
                case Step.AND:
                    self.of[one.target] = self.product(sources[0], sources[1])
                case Step.XOR_AND:
                    product = self.product(sources[1], sources[2])
                    self.of[" & ".join(one.sources[1:])] = product
                    self.of[one.target] = sources[0] ^ product

    def product(self, x: int, y: int) -> int:
        """Return the sum that consists of one product."""
        key = (x, y) if x < y else (y, x)
        if key not in self._products:
            self._products[key] = 1 << len(self.support)
            self.factors[len(self.support)] = key
            self.support.append(self.supported(x) | self.supported(y))
        return self._products[key]

    def inner(self, sum_: int) -> int:
        """Return the variables on which the products of a sum may depend."""
        found = self._inner.get(sum_)
        if found is None:
            found = 0
            for atom in _bits(sum_ & ~self.variables & ~1):
                found |= self.support[atom]
            self._inner[sum_] = found
        return found

    def supported(self, sum_: int) -> int:
        """Return the variables on which a sum may depend."""
        return sum_ & self.variables | self.inner(sum_)

    def within(self, sum_: int) -> frozenset[int]:
        """Return a sum and all that are factors in it, however deep."""
        if sum_ not in self._within:
            found = {sum_}
            for atom in _bits(sum_ & ~self.variables & ~1):
                for factor in self.factors[atom]:
                    found |= self.within(factor)
            self._within[sum_] = frozenset(found)
        return self._within[sum_]

    def shifted(self, sum_: int, variable: int, rest: int) -> int:
        """Return a sum with `variable` + `rest` in the place of a variable."""
        known: dict[int, int] = {}

        def shift(form: int) -> int:
            if self.supported(form) & variable == 0:
                return form
            if form not in known:
                done = form ^ rest if form & variable else form
                for atom in _bits(form & ~self.variables & ~1):
                    if self.support[atom] & variable:
                        x, y = self.factors[atom]
                        done ^= 1 << atom ^ self.product(shift(x), shift(y))
                known[form] = done
            return known[form]

        return shift(sum_)

    def shape(self, sum_: int) -> tuple[int, ...]:
        """Return what is the same for sums that differ in the names of inputs and randoms alone.

        It is the sum written down: factors where they occur first, then by their number, as inputs
        and randoms are by theirs; of a share, its index too.
        """
        names: dict[int, int] = {}
        forms: dict[int, int] = {}
        text: list[int] = []

        def write(form: int) -> None:
            known = len(forms)
            number = forms.setdefault(form, known)
            text.extend((_FORM, number))
            if number != known:
                return
            for atom in _bits(form):
                if atom in self.factors:
                    for factor in self.factors[atom]:
                        write(factor)
                elif atom == 0:
                    text.append(_ONE)
                else:
                    name, index = self._named[atom]
                    text.extend((_VARIABLE + index, names.setdefault(name, len(names))))
            text.append(_END)

        write(sum_)
        return tuple(text)

    def is_independent(self, sum_: int, most: int | None = None) -> bool:
        """Whether the bias of a sum is the same for all secrets; `most` as MOST_VARIABLES."""
        most = MOST_VARIABLES if most is None else most
        while True:
            used = self.supported(sum_)
            complete = self.complete(used)
            if complete == 0 or sum_ & self.variables & ~self.inner(sum_) & ~complete:
                return True
            simpler = self._simpler(sum_, used & ~complete)
            if simpler is None:
                return self._is_constant_for_all(sum_, most)
            sum_ = simpler

    def complete(self, used: int) -> int:
        """Return the shares of inputs all of whose shares are used; they lie side by side."""
        first = used & self._first
        for s in range(1, self._shares):
            first &= used >> s
        return first * ((1 << self._shares) - 1)

    def _simpler(self, sum_: int, uniform: int) -> int | None:
        """Return a sum of the same bias with fewer variables, or with as many and less else."""
        # From the last product on: its variables are in few other sums, so the first try mostly
        # helps.
        forms = sorted(self.within(sum_), reverse=True)
        once = several = 0
        for form in forms:
            several |= once & form
            once |= form
        for form in forms:
            if (here := form & once & ~several & uniform) and form != here & -here:
                variable = here & -here
                return self.shifted(sum_, variable, form ^ variable)
        size = self._size(sum_)
        for form in forms:
            for atom in _bits(form & uniform):
                rest = form ^ 1 << atom
                if rest and not self.supported(rest) >> atom & 1:
                    other = self.shifted(sum_, 1 << atom, rest)
                    if self._size(other) < size:
                        return other
        return None

    def _size(self, sum_: int) -> tuple[int, int]:
        forms = self.within(sum_)
        return self.supported(sum_).bit_count(), sum(form.bit_count() for form in forms)

    def _is_constant_for_all(self, sum_: int, most: int) -> bool:
        """Go through all values of the variables; bit i of a number is for assignment i.

        The last share of a secret takes the values that the secret and its other shares give, so
        that all assignments of one value of the secrets are side by side.
        """
        used = self.supported(sum_)
        secrets = [s for s in self.shares if s & ~used == 0]
        last = [s.bit_length() - 1 for s in secrets]
        variables = [v for v in _bits(used) if v not in last] + last
        if len(variables) > most:
            raise UndecidedError(f"a sum of {len(variables)} variables")
        ones = (1 << (1 << len(variables))) - 1
        values = {0: ones}
        for i, variable in enumerate(variables):
            pattern = ((1 << (1 << i)) - 1) << (1 << i)
            for wider in range(i + 1, len(variables)):
                pattern |= pattern << (1 << wider)
            values[variable] = pattern
        for secret, variable in zip(secrets, last, strict=True):
            for share in _bits(secret ^ 1 << variable):
                values[variable] ^= values[share]

        def value(form: int) -> int:
            result = 0
            for atom in _bits(form):
                if atom not in values:
                    x, y = self.factors[atom]
                    values[atom] = value(x) & value(y)
                result ^= values[atom]
            return result

        classes = [value(sum_)]
        for i in reversed(range(len(variables) - len(last), len(variables))):
            low = (1 << (1 << i)) - 1
            classes = [half for each in classes for half in (each & low, each >> (1 << i))]
        return len({each.bit_count() for each in classes}) == 1


def leaks(program: Program, most: int | None = None) -> Iterator[Leak]:
    """Look for leaks of at most `most` wires, 1 or 2; the program's order unless said otherwise.

    Raises
    ------
    UndecidedError
        See MOST_VARIABLES.
    ValueError
        A wire has two values.
    """
    sums = Sums(program)
    wires = list(sums.of.items())
    for name, sum_ in wires:
        if not sums.is_independent(sum_):
            yield Leak((name,))
    if (most or program.order) < 2:
        return
    known = [(name, sum_, sum_ & sums.randoms, sums.inner(sum_)) for name, sum_ in wires]
    seen: dict[int, bool] = {}
    for (name, x, randoms, inner), (other, y, more, deeper) in combinations(known, 2):
        if (randoms ^ more) & ~(inner | deeper):  # most are masked by a random bit of their own
            continue
        sum_ = x ^ y
        if sum_ not in seen:
            seen[sum_] = sums.is_independent(sum_)
        if not seen[sum_]:
            yield Leak((name, other))


def outputs_are_uniform(program: Program) -> bool:
    """Whether all shares of the outputs but the last are uniform and independent, for every secret.

    Then the sharing of the outputs is one that was made anew. Every XOR of some of these bits must
    be uniform: it is enough that there are random bits outside all products that make the bits
    linearly independent.
    """
    sums = Sums(program)
    bits = [sums.of[name] for wires in program.outputs for name in wires[:-1]]
    inner = 0
    for sum_ in bits:
        inner |= sums.inner(sum_)
    rows: list[int] = []
    for sum_ in bits:
        row = sum_ & sums.randoms & ~inner
        for other in rows:
            row = min(row, row ^ other)
        if row == 0:
            return False
        rows.append(row)
    return True
