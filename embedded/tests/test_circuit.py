# SPDX-License-Identifier: Apache-2.0
"""The S-box's circuit, its masking, and the check of its security beside enumeration."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from embedded.circuit import __main__ as generator
from embedded.circuit import arranging, circuits, masking, probing
from embedded.circuit.circuits import Circuit, CircuitError, Gate, Op
from embedded.circuit.masking import Program, Step

SBOX = circuits.read(generator.SBOX)
AND = circuits.parse("inputs a b\noutputs c\nc = a & b")


def times(x: int, y: int, modulus: int = 0x11B) -> int:
    """Multiply polynomials over GF(2), modulo one of degree 8."""
    product = 0
    for i in range(8):
        product ^= (x << i) * (y >> i & 1)
    for i in reversed(range(8, 15)):
        product ^= (modulus << (i - 8)) * (product >> i & 1)
    return product


@cache
def sbox(byte: int) -> int:
    """FIPS 197, section 5.1.1: the inverse, by going through all, then the affine map."""
    inverse = next((x for x in range(256) if times(x, byte) == 1), 0)
    result = 0x63
    for shift in range(5):
        result ^= (inverse << shift | inverse >> 8 - shift) & 0xFF
    return result


def bits_of(values: list[int], width: int) -> list[int]:
    """Bit i of result j is bit j of value i: each value is a lane."""
    return [sum((v >> j & 1) << i for i, v in enumerate(values)) for j in range(width)]


def test_circuit_is_the_sbox() -> None:
    outputs = SBOX.evaluate(bits_of(list(range(256)), 8), (1 << 256) - 1)
    assert outputs == bits_of([sbox(x) for x in range(256)], 8)
    assert (SBOX.count(Op.AND), len(SBOX.gates)) == (32, 115)


@pytest.mark.parametrize("order", [1, 2])
def test_masked_circuit_is_the_sbox_for_all_inputs_and_many_masks(order: int) -> None:
    program = masking.masked(SBOX, order)
    source = random.Random(order)  # noqa: S311
    ones = (1 << 256) - 1
    for _ in range(64):
        values = {name: source.getrandbits(256) for name in program.randoms}
        for wires, bit in zip(program.inputs, bits_of(list(range(256)), 8), strict=True):
            masks = [source.getrandbits(256) for _ in range(order)]
            last = bit
            for mask in masks:
                last ^= mask
            values |= dict(zip(wires, [*masks, last], strict=True))
        wires_now = program.evaluate(values, ones)
        outputs = []
        for wires in program.outputs:
            value = 0
            for wire in wires:
                value ^= wires_now[wire]
            outputs.append(value)
        assert outputs == bits_of([sbox(x) for x in range(256)], 8)


@pytest.mark.parametrize(("order", "randoms"), [(1, 32), (2, 96)])
def test_each_random_bit_serves_one_gadget(order: int, randoms: int) -> None:
    program = masking.masked(SBOX, order)
    used: dict[str, set[str]] = {name: set() for name in program.randoms}
    for one in program.instructions:
        for wire in set(one.sources) & set(program.randoms):
            used[wire].add(one.target.split("_")[0])
    assert len(used) == randoms
    assert all(len(gadgets) == 1 for gadgets in used.values())


def test_no_wire_of_the_sbox_leaks_at_order_1() -> None:
    assert list(probing.leaks(masking.masked(SBOX, 1))) == []


def test_no_two_wires_of_the_sbox_leak_at_order_2() -> None:
    assert list(probing.leaks(masking.masked(SBOX, 2))) == []


@pytest.mark.parametrize("order", [1, 2])
def test_outputs_are_shared_anew(order: int) -> None:
    program = masking.masked(SBOX, order)
    assert probing.outputs_are_uniform(program)
    same = dict.fromkeys(program.randoms, program.randoms[0])
    assert not probing.outputs_are_uniform(renamed(program, same))


def renamed(program: Program, names: dict[str, str]) -> Program:
    """Return a program that uses some random bits in the place of others."""
    return replace(
        program,
        instructions=[
            replace(one, sources=tuple(names.get(wire, wire) for wire in one.sources))
            for one in program.instructions
        ],
    )


def reassociated(program: Program) -> Program:
    """Return what gcc makes of (r ^ a0 b1) ^ a1 b0: the products are added first."""
    instructions = []
    for one in program.instructions:
        if one.step is Step.XOR_AND and one.sources[0] in program.randoms:
            if one.target.endswith("_01a"):
                r, *factors = one.sources
                instructions.append(replace(one, step=Step.AND, sources=tuple(factors)))
                pending = r
                continue
        elif one.target.endswith("_01b"):
            once, *factors = one.sources
            middle = replace(one, target=f"{one.target}x", sources=(once, *factors))
            instructions += [
                middle,
                replace(one, step=Step.XOR, sources=(middle.target, pending)),
            ]
            continue
        instructions.append(one)
    return replace(program, instructions=instructions)


def test_broken_sboxes_are_rejected() -> None:
    first, second = masking.masked(SBOX, 1), masking.masked(SBOX, 2)
    assert any(probing.leaks(reassociated(first)))
    assert any(probing.leaks(renamed(second, dict.fromkeys(second.randoms, "r0")), 1))
    # Two shares do not withstand two probes.
    assert any(len(leak.wires) == 2 for leak in probing.leaks(first, 2))
    # What is masked by one random bit instead of three.
    t2 = {f"r{i}": "r0" for i in range(3)}
    assert any(probing.leaks(renamed(second, t2)))


def smallest(found: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Leave out pairs of which one wire leaks by itself."""
    return {wires for wires in found if len(wires) == 1 or not any((w,) in found for w in wires)}


def exhaustive(program: Program, most: int) -> set[tuple[str, ...]]:
    """Go through all shares and random bits, and compare distributions between secrets."""
    names = [wire for wires in program.inputs for wire in wires] + program.randoms
    lanes = 1 << len(names)
    values = {
        name: sum(1 << lane for lane in range(lanes) if lane >> i & 1)
        for i, name in enumerate(names)
    }
    wires = program.evaluate(values, (1 << lanes) - 1)
    for one in program.instructions:
        if one.step is Step.XOR_AND:
            wires[" & ".join(one.sources[1:])] = wires[one.sources[1]] & wires[one.sources[2]]
    classes = [(1 << lanes) - 1]
    for shares in program.inputs:
        secret = 0
        for wire in shares:
            secret ^= values[wire]
        classes = [part for each in classes for part in (each & secret, each & ~secret)]
    found = set()
    for count in range(1, most + 1):
        for some in combinations(wires, count):
            for pattern in range(1 << count):
                event = (1 << lanes) - 1
                for i, wire in enumerate(some):
                    event &= wires[wire] if pattern >> i & 1 else ~wires[wire]
                if len({(event & each).bit_count() for each in classes}) > 1:
                    found.add(tuple(sorted(some)))
    return found


def small_circuits(source: random.Random, count: int, inputs: int) -> Iterator[Circuit]:
    for _ in range(count):
        names = [f"i{i}" for i in range(inputs)]
        gates: list[Gate] = []
        for i in range(source.randint(2, 4)):
            ands = sum(gate.op is Op.AND for gate in gates)
            op = source.choice([Op.XOR, Op.XNOR, Op.AND] if ands < 2 else [Op.XOR])
            gates.append(Gate(f"g{i}", op, *source.sample(names, 2)))
            names.append(f"g{i}")
        yield Circuit(tuple(names[:inputs]), tuple(gates), (names[-1],))


@pytest.mark.parametrize(("order", "inputs", "count"), [(1, 3, 60), (2, 2, 12)])
def test_the_check_finds_what_enumeration_finds(order: int, inputs: int, count: int) -> None:
    source = random.Random(order)  # noqa: S311
    kinds: Counter[bool] = Counter()
    for circuit in small_circuits(source, count, inputs):
        program = masking.masked(circuit, order)
        if source.random() < 0.6 and len(program.randoms) > 1:
            program = renamed(program, {program.randoms[0]: source.choice(program.randoms)})
        elif source.random() < 0.5:
            program = reassociated(program)
        for most in (1, 2):
            found = {tuple(sorted(leak.wires)) for leak in probing.leaks(program, most)}
            assert smallest(found) == smallest(exhaustive(program, most))
            kinds[bool(found)] += 1
    assert min(kinds[True], kinds[False]) > count / 8


@pytest.mark.parametrize("order", [1, 2])
def test_the_gadget_is_secure_by_enumeration_too(order: int) -> None:
    program = masking.masked(AND, order)
    assert exhaustive(program, order) == set()
    assert list(probing.leaks(program)) == []
    assert exhaustive(program, order + 1) != set()


def test_too_much_to_enumerate_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "MOST_VARIABLES", 2)
    with pytest.raises(probing.UndecidedError, match="a sum of 3 variables"):
        list(probing.leaks(masking.masked(AND, 1), 2))


def test_a_wire_that_is_written_twice_is_refused() -> None:
    program = masking.masked(AND, 1)
    program.add("x", Step.XOR, "a_0", "a_1")
    program.add("x", Step.XOR, "a_0", "b_0")
    with pytest.raises(ValueError, match="wire x has a value already"):
        list(probing.leaks(program))


def programs(source: random.Random, count: int) -> Iterator[Program]:
    """Programs that no circuit gives: any wires in any step, shares that meet, re-used randoms."""
    for _ in range(count):
        shares = source.choice([2, 2, 3])
        inputs = range(source.randint(1, 3 if shares == 2 else 2))
        program = Program(
            shares - 1, [[masking.share(f"i{i}", s) for s in range(shares)] for i in inputs]
        )
        for _ in range(source.randint(1, 4)):
            program.random()
        wires = [*program.randoms, *(wire for wires in program.inputs for wire in wires)]
        near = source.random() < 0.6
        for i in range(source.randint(3, 10)):
            step = source.choices(list(Step), [4, 1, 2, 3])[0]
            among = wires[-6:] + program.randoms if near else wires
            count_of = {Step.XOR: 2, Step.NOT: 1, Step.AND: 2, Step.XOR_AND: 3}
            wires.append(program.add(f"w{i}", step, *source.choices(among, k=count_of[step])))
        yield program


def test_the_check_finds_what_enumeration_finds_in_any_program() -> None:
    kinds: Counter[bool] = Counter()
    for program in programs(random.Random(3), 400):  # noqa: S311
        found = smallest({tuple(sorted(leak.wires)) for leak in probing.leaks(program, 2)})
        assert found == smallest(exhaustive(program, 2))
        kinds[bool(found)] += 1
    assert min(kinds.values()) > 20


def test_sums_of_one_shape_have_one_answer() -> None:
    answers: dict[tuple[int, tuple[int, ...]], bool] = {}
    asked = 0
    for program in programs(random.Random(4), 80):  # noqa: S311
        sums = probing.Sums(program)
        for x, y in combinations(sums.of.values(), 2):
            answer, shape = sums.is_independent(x ^ y), (program.shares, sums.shape(x ^ y))
            assert answers.setdefault(shape, answer) == answer
            asked += 1
    assert len(answers) < asked / 2
    assert set(answers.values()) == {True, False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs a b\noutputs c\nc = a | b", "line 3 is neither"),
        ("inputs a b\noutputs c\nc = a & d", "line 3: no value yet: d"),
        ("inputs a b\noutputs a\na = a & b", "line 3: a has a value already"),
        ("inputs a b\ninputs a b", "line 2 is neither"),
        ("inputs a b\noutputs c", "no line `outputs`, or it names"),
        ("outputs a", "no line `inputs`"),
    ],
)
def test_bad_circuits_are_refused(text: str, message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        circuits.parse(text)


def test_an_arranged_program_has_the_same_wires() -> None:
    meant = masking.masked(SBOX, 1)
    found = arranging.arranged(meant, generator.ARRANGEMENT.read_text())
    assert found.instructions != meant.instructions
    assert Counter(found.instructions) == Counter(meant.instructions)
    assert (found.inputs, found.outputs, found.randoms) == (
        *(meant.inputs, meant.outputs),
        meant.randoms,
    )
    assert list(probing.leaks(found)) == []


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("b a", "b stands before a"),
        ("a", "must stand once in the order: b"),
        ("a b c # d", "must stand once in the order: c"),
        ("a b a", "must stand once in the order: a"),
    ],
)
def test_bad_arrangements_are_refused(names: str, message: str) -> None:
    program = Program(1, [["x_0", "x_1"]])
    program.add("a", Step.XOR, "x_0", "x_0")
    program.add("b", Step.NOT, "a")
    with pytest.raises(CircuitError, match=message):
        arranging.arranged(program, names)


def test_generated_files_are_up_to_date() -> None:
    for path, text in generator.written().items():
        assert path.read_text() == text, f"say `python -m embedded.circuit` ({path.name})"
