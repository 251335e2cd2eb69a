# SPDX-License-Identifier: Apache-2.0
"""The generator of S-boxes for a Cortex-M0+: code that shows nothing, and code that shows kinds of
leak which the generator was asked to leave out."""

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits, cortex_m0, search, thumb_schedule
from embedded.circuit.circuits import Circuit
from embedded.circuit.thumb import Code, LeakError
from embedded.circuit.thumb_schedule import Schedule
from embedded.emulator import chip, elf
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import CHIP, ELMO, EVERY, REMOVED, Leak
from embedded.leakage.ttest import Moments, Points, above

from cortex_m0_support import assemble, needs_gcc

NAMES = ["sub_bytes", "inverse_sub_bytes"]
LANES, BATCHES = 2000, 2


@cache
def circuit_of(name: str) -> Circuit:
    return cortex_m0.sboxes(circuits.read(generator.SBOX))[name]


@cache
def schedule_of(name: str) -> Schedule:
    return thumb_schedule.parse(cortex_m0.schedule_path(name).read_text())


@cache
def code_of(name: str, kinds: frozenset[Leak]) -> Code:
    """An S-box without the kinds of leak that are given."""
    return cortex_m0.written(name, circuit_of(name), kinds)[0]


def image_of(code: Code, folder: Path) -> elf.Image:
    """An image of an S-box, whose random words are those of the register at r7."""
    equals = "".join(f".equ {name}, {4 * i}\n" for name, i in cortex_m0.numbers().items())
    macro = ".macro RANDOM register, number\n ldr \\register, [r7]\n .endm\n"
    return assemble(equals + macro + "\n".join([*code.lines, "bx lr"]), folder)


def traces(name: str, code: Code, kinds: frozenset[Leak], folder: Path, seed: int) -> Points:
    """Half of the traces have a fixed input."""
    image, rng = image_of(code, folder), np.random.default_rng(seed)
    moments = Moments(LANES)
    for _ in range(BATCHES):
        machine = Machine(image, lambda: rng.integers(0, 1 << 32, LANES, np.uint32), kinds)
        machine.registers[7] = chip.RANDOM_REGISTER
        for i, pair in enumerate(cortex_m0.STATE):
            data = rng.integers(0, 1 << 32, LANES, np.uint32)
            data[: LANES // 2] = 0x9E3779B9 * (i + 1) & 0xFFFFFFFF
            mask = rng.integers(0, 1 << 32, LANES, np.uint32)
            for word, content in zip(pair, (data ^ mask, mask), strict=True):
                at = chip.STACK_TOP - 1024 + 4 * cortex_m0.numbers()[word]
                machine.write_words(at, [content])
        machine.registers[13] = chip.STACK_TOP - 1024
        machine.registers[14] = chip.RETURN | 1
        start = image.symbol("program").address
        machine.run(start, chip.RETURN, moments, 10_000)
        moments.end_batch()
    return moments.points()


def shown(name: str, kinds: frozenset[Leak], folder: Path, code: Code | None = None) -> set[Leak]:
    """The kinds of leak that the emulator finds, of all of them, in code made without some."""
    code = code or code_of(name, kinds)
    one, two = (traces(name, code, EVERY, folder, seed) for seed in (1, 2))
    return {Leak(leak) for leak in one.leaks[above(one, two)]}


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_it_shows_none_of_the_kinds_that_it_is_made_without(name: str, tmp_path: Path) -> None:
    assert not shown(name, REMOVED, tmp_path) & REMOVED


@needs_gcc
@pytest.mark.parametrize("kinds", [CHIP, CHIP | ELMO, REMOVED - ELMO], ids=len)
def test_without_a_model_its_kinds_are_shown(kinds: frozenset[Leak], tmp_path: Path) -> None:
    found = shown("sub_bytes", kinds, tmp_path)
    assert not found & kinds
    assert found & (REMOVED - kinds)


@needs_gcc
def test_crossed_ports_and_ghost_reads_are_shown(tmp_path: Path) -> None:
    """The kinds that the assembly still has."""
    assert shown("sub_bytes", REMOVED, tmp_path) == EVERY - REMOVED


@needs_gcc
def test_crossed_ports_can_be_removed_too(tmp_path: Path) -> None:
    assert shown("sub_bytes", REMOVED | {Leak.CROSSED}, tmp_path) == {Leak.GHOST}


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_all_kinds_can_be_removed_in_another_order(name: str, tmp_path: Path) -> None:
    with pytest.raises(LeakError, match=r"CROSSED|GHOST"):
        code_of(name, EVERY)
    assert shown(name, EVERY, tmp_path, search.without(name, EVERY, 3)) == set()


@needs_gcc
@pytest.mark.parametrize("kind", sorted(EVERY - {Leak.GHOST}))
def test_a_kind_alone_is_removed(kind: Leak, tmp_path: Path) -> None:
    kinds = frozenset({kind})
    code = code_of("sub_bytes", kinds)
    one, two = (traces("sub_bytes", code, kinds, tmp_path, seed) for seed in (1, 2))
    assert len(one.leaks) > 100
    assert not above(one, two).any()


# For each kind, operations of which the last one shows by it a secret whose shares are in S0_0 and
# S1_0.
_BOTH = [("loaded", "r0", "S0_0"), ("loaded", "r1", "S1_0"), ("loaded", "r4", "S0_1")]
_PASS = [("passed", "r2", "r0"), ("passed", "r3", "r1")]
_STORE = [("stored", "r0", "V0_0"), ("stored", "r1", "V0_1")]
_LOAD = ("loaded", "r2", "S1_0")
SHOWING = {
    Leak.REGISTER: [("loaded", "r0", "S1_0")],
    Leak.OPERAND_A: _PASS,
    Leak.OPERAND_B: _STORE,
    Leak.BUS: [_STORE[0], _LOAD],
    Leak.READ: [("loaded", "r2", "S0_0"), ("stored", "r4", "V0_0"), _LOAD],
    Leak.WRITE: [_STORE[0], ("loaded", "r2", "S0_1"), _STORE[1]],
    Leak.FLAG: _PASS,
    Leak.PORT_1: _PASS,
    Leak.PORT_2: _STORE,
    Leak.LAST_ALU: [("summed", "r4", "r0"), ("drawn", "r2", "0"), _LOAD],
    Leak.LAST_STORED: [_STORE[0], ("drawn", "r2", "0"), _LOAD],
    Leak.LAST_LOADED: [("loaded", "r2", "S0_0"), ("summed", "r4", "r4"), _LOAD],
    Leak.LAST_MOVED: [("copied", "r2", "r0"), ("drawn", "r2", "0"), _LOAD],
    Leak.BOTH_PORTS: [("loaded", "r0", "S1_0")],
    Leak.CROSSED: [_PASS[0], _LOAD],
    Leak.GHOST: [("summed", "r0", "r4"), ("summed", "r1", "r4")],
}


@pytest.mark.parametrize("kind", SHOWING, ids=lambda kind: kind.name)
def test_the_generator_separates_what_a_kind_would_show(kind: Leak) -> None:
    """Where it knows the kind, and not where it does not."""
    lengths = []
    for kinds in (EVERY - {kind}, frozenset(), frozenset({kind})):
        code = cortex_m0.begun(circuit_of("sub_bytes"), frozenset())
        code.dead = ("r5",)
        for operation in [*_BOTH, *SHOWING[kind][:-1]]:
            code.do(operation)
        code.kinds, before = kinds, len(code.lines)
        try:
            code.do(SHOWING[kind][-1])
        except LeakError:
            assert kinds == EVERY - {kind}  # shares are so near here that nothing helps
            continue
        lengths.append(len(code.lines) - before)
    assert lengths[-2] == 1
    assert lengths[-1] > 1


@pytest.mark.parametrize("kind", [Leak.RESULT, Leak.CELL])
def test_what_nothing_can_separate_is_refused(kind: Leak) -> None:
    operations = {Leak.RESULT: [("summed", "r0", "r1")], Leak.CELL: _STORE}
    code = cortex_m0.begun(circuit_of("sub_bytes"), frozenset({kind}))
    for operation in _BOTH:
        code.do(operation)
    with pytest.raises(LeakError, match=kind.name):
        for name, register, word in operations[kind]:
            code.do((name, register, word if kind is Leak.RESULT else "V0_0"))


def test_a_secret_in_the_carry_is_refused_where_it_changes() -> None:
    code = cortex_m0.begun(circuit_of("sub_bytes"), frozenset({Leak.FLAG}))
    for operation in _BOTH:
        code.do(operation)
    code.chip.carry = code.registers["r0"] ^ code.registers["r1"]
    with pytest.raises(LeakError, match="FLAG"):
        code.do(("passed", "r2", "r4"))
    code.kinds = frozenset()
    code.do(("passed", "r2", "r4"))
    assert code.chip.carry == 1


# What a schedule computes.


@pytest.mark.parametrize("name", NAMES)
def test_a_schedule_computes_the_sbox(name: str) -> None:
    circuit, rng = circuit_of(name), random.Random(1)  # noqa: S311
    masks = {(wire, s): rng.getrandbits(64) for wire in circuit.inputs for s in (0, 1)}
    words = {
        pair[s]: masks[wire, s]
        for wire, pair in zip(circuit.inputs, cortex_m0.STATE, strict=True)
        for s in (0, 1)
    }
    values: dict[str, int] = {}
    ones = (1 << 64) - 1
    drawn = []
    for operation, first, *rest in schedule_of(name).operations:
        match operation:
            case "loaded":
                values[first] = words[rest[0]]
            case "drawn":
                drawn.append(rest[0])
                values[first] = rng.getrandbits(64)
            case "passed":
                values[first] = values[rest[0]]
            case "stored":
                words[rest[0]] = values[first]
            case "summed":
                values[first] ^= values[rest[0]]
            case "multiplied":
                values[first] &= values[rest[0]]
            case "cleared":
                values[first] &= ones ^ values[rest[0]]
            case "inverted":
                values[first] ^= ones
            case other:
                raise AssertionError(other)
    assert sorted(map(int, drawn)) == list(range(32))
    inputs = [masks[wire, 0] ^ masks[wire, 1] for wire in circuit.inputs]
    found = [words[pair[0]] ^ words[pair[1]] for pair in cortex_m0.STATE]
    assert found == circuit.evaluate(inputs, ones)


def test_schedules_as_text() -> None:
    schedule = schedule_of("sub_bytes")
    assert thumb_schedule.parse(schedule.text()) == schedule


def test_the_search_keeps_what_is_computed() -> None:
    """It finds an order that costs less than one that is spoilt."""
    begun = cortex_m0.begun(circuit_of("sub_bytes"))
    plain = Schedule(schedule_of("sub_bytes").operations)
    before, _ = thumb_schedule.written(plain, begun)
    better, cycles = thumb_schedule.improved(plain, begun, 60)
    after, _ = thumb_schedule.written(better, begun)
    assert after.cycles == cycles < before.cycles
    for pair in cortex_m0.STATE:
        assert [after.cells[word] for word in pair] == [before.cells[word] for word in pair]


def test_what_leaks_whatever_comes_before_is_refused() -> None:
    code = cortex_m0.begun(circuit_of("sub_bytes"))
    (zero, one) = cortex_m0.STATE[0]
    code.load("r0", zero)
    code.load("r1", one)
    with pytest.raises(LeakError, match="eors r0, r1 leaks"):
        code.exclusive_or("r0", "r1")
