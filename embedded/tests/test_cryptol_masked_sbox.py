# SPDX-License-Identifier: Apache-2.0
"""What cryptol/MaskedSBox.cry says, computed from its text in Python.

The functions that are read here are lists of equations on bits, with patterns that Python has too.
Each bit of a number is a case.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations_with_replacement, count, islice, product
from typing import Any, ClassVar, TypeVar

import pytest
from embedded.circuit import masking, probing
from tests.cryptol import FOLDER

from test_circuit import AND, bits_of, sbox

T = TypeVar("T")
TEXT = (FOLDER / "MaskedSBox.cry").read_text("utf-8")


def function(name: str, ones: object, text: str = TEXT) -> Callable[..., Any]:
    """Return a function of the module, on numbers that have the bits of `ones` as cases."""
    found = re.search(rf"^{name} ([^=\n]+) =\s+(.*?)\n  where\n(.*?)\n\n", text, re.M | re.S)
    assert found, name
    head, result, body = found.groups()
    arguments = re.sub(r"(?<=[\w)]) (?=[\w(])", ", ", head)
    python = re.sub(r"~(\w+)", r"(ones ^ \1)", f"{body}\nresult = ({result})").replace("&&", "&")
    python = re.sub(r"= (xor|xnor) (\w+) (\w+)$", r"= \1(\2, \3)", python, flags=re.MULTILINE)
    python = re.sub(r"= mul (\w+) (\w+) (\w+)$", r"= mul(\1, \2, \3)", python, flags=re.MULTILINE)
    code = compile(re.sub("^    ", "", python, flags=re.MULTILINE), name, "exec")

    def call(*given: object) -> Any:  # noqa: ANN401 - a tuple or a list of some depth
        names: dict[str, Any] = {"ones": ones, "given": given}
        exec(f"{arguments} = given", names)  # noqa: S102 - our own module
        exec(code, names)  # noqa: S102
        return names["result"]

    return call


def shared(bit: int, masks: list[int]) -> tuple[int, ...]:
    """Return the shares of a bit."""
    for mask in masks:
        bit ^= mask
    return (bit, *masks)


def unmasked(shares: tuple[int, ...]) -> int:
    """Return the sum of shares."""
    return shared(0, list(shares))[0]


def randoms(order: int, draw: Callable[[], T]) -> T | tuple[T, ...]:
    """Return what an AND takes."""
    return draw() if order == 1 else tuple(draw() for _ in range(3))


@pytest.mark.parametrize("order", [1, 2])
def test_the_code_is_the_sbox(order: int) -> None:
    source = random.Random(order)  # noqa: S311

    def draw() -> int:
        return source.getrandbits(256)

    flat = function(f"flat{order}", (1 << 256) - 1)
    inputs = bits_of(list(range(256)), 8)[::-1]  # a word's first bit is its highest
    outputs = bits_of([sbox(x) for x in range(256)], 8)[::-1]
    for _ in range(16):
        byte = [shared(bit, [draw() for _ in range(order)]) for bit in inputs]
        result = flat(byte, [randoms(order, draw) for _ in range(32)])
        assert [unmasked(shares) for shares in result] == outputs


class Formula:
    """A formula; equal ones are one object."""

    known: ClassVar[dict[tuple[object, ...], Formula]] = {}

    @classmethod
    def of(cls, *key: object) -> Formula:
        """Return the formula of an operator and its operands."""
        return cls.known.setdefault(key, cls())

    def __xor__(self, other: Formula) -> Formula:
        return Formula.of("^", self, other)

    def __and__(self, other: Formula) -> Formula:
        return Formula.of("&", self, other)


Shares = tuple[Formula, ...]


@pytest.mark.parametrize("order", [1, 2])
def test_the_code_and_the_circuit_on_shares_are_the_same_formula(order: int) -> None:
    variables = map(Formula.of, count())
    ones = Formula.of("ones")
    byte = [tuple(islice(variables, order + 1)) for _ in range(8)]
    drawn = [randoms(order, lambda: next(variables)) for _ in range(32)]
    gate = function(f"steps{order}", ones)

    def xor(a: Shares, b: Shares) -> Shares:
        return tuple(x ^ y for x, y in zip(a, b, strict=True))

    def xnor(a: Shares, b: Shares) -> Shares:
        return (ones ^ (a[0] ^ b[0]), *xor(a[1:], b[1:]))

    circuit = function("circuit", ones)
    flat = function(f"flat{order}", ones)(byte, drawn)
    assert circuit(xor, xnor, lambda a, b, r: gate(a, b, r)[0], byte, drawn) == flat
    less = [*byte[:-1], byte[0]]
    assert circuit(xor, xnor, lambda a, b, r: gate(a, b, r)[0], less, drawn) != flat
    rest = ", ".join(f"a_{i} ^ b_{i}" for i in range(1, order + 1))
    assert re.search(rf"^xnor{order} .* = {re.escape(f'(~(a_0 ^ b_0), {rest})')}$", TEXT, re.M)


def observed(order: int, text: str = TEXT) -> list[list[int]]:
    """Return the wires of AND for each pair of secrets: the bits of a wire are all choices."""
    each = order * (order + 1) // 2
    free = 2 * order + each
    steps = function(f"steps{order}", (1 << (1 << free)) - 1, text)
    choices = bits_of(list(range(1 << free)), free)
    a, b, r = choices[:order], choices[order : 2 * order], choices[2 * order :]
    found = []
    for secrets in product((0, (1 << (1 << free)) - 1), repeat=2):
        shares = shared(secrets[0], a), shared(secrets[1], b)
        result, wires = steps(*shares, r[0] if order == 1 else tuple(r))
        assert unmasked(result) == secrets[0] & secrets[1]
        found.append(wires)
    return found


def tells_nothing(order: int, text: str = TEXT) -> bool:
    """Compute andTellsNothing1 or andTellsNothing2."""
    seen = observed(order, text)
    pairs = combinations_with_replacement(range(len(seen[0])), 2)
    return all(
        len({(wires[i] & wires[j]).bit_count() for wires in seen}) == 1
        for i, j in pairs
        if order == 2 or i == j
    )


@pytest.mark.parametrize(("order", "tells"), [(1, "c_1"), (2, "c_1a")])
def test_the_gadget_tells_nothing_and_one_that_adds_the_random_bit_late_does(
    order: int, tells: str
) -> None:
    assert tells_nothing(order)
    late = TEXT.replace("c_01a = r0 ^ (a_0 && b_1)", "c_01a = a_0 && b_1")
    late = late.replace(f"{tells} = c_01b ^ (a_1", f"{tells} = c_01b ^ r0 ^ (a_1")
    assert not tells_nothing(order, late)


@pytest.mark.parametrize("order", [1, 2])
def test_the_wires_are_those_of_the_check_in_python(order: int) -> None:
    program = masking.masked(AND, order)
    names = probing.Sums(program).of
    free = 2 * order + len(program.randoms)
    assert f"observed{order} : [4][{len(names)}][{1 << free}]" in TEXT
    assert all(f"({i} >= {len(names)})" in TEXT for i in "ij"[:order])
    given = [name for wires in program.inputs for name in wires] + program.randoms
    ones = (1 << (1 << len(given))) - 1
    values = dict(zip(given, bits_of(list(range(1 << len(given))), len(given)), strict=True))
    wires = program.evaluate(values, ones)
    theirs = [
        wires[name] if " & " not in name else wires[name.split()[0]] & wires[name.split()[2]]
        for name in names
    ]
    a, b = (tuple(values[name] for name in shares) for shares in program.inputs)
    r = tuple(values[name] for name in program.randoms)
    _, ours = function(f"steps{order}", ones)(a, b, r[0] if order == 1 else r)
    assert sorted(ours) == sorted(theirs)
