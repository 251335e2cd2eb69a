# SPDX-License-Identifier: Apache-2.0
"""AES-128 on three shares for a Cortex-M0+: its results, the exact check of all pairs of words,
and t-tests of products of two points. Each check must fail where it has to."""

import random
import struct
from itertools import combinations, pairwise
from typing import cast

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits, composing
from embedded.circuit.circuits import Circuit, Gate, Op
from embedded.circuit.composing import Word
from embedded.circuit.masking import share
from embedded.circuit.thumb_order2 import Sbox
from embedded.emulator import chip, images
from embedded.emulator.emulator import Emulator
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.values import Lanes
from embedded.leakage import order2
from embedded.leakage.symbolic import Bits

from cortex_m0_support import call_public, needs_gcc, planes, round_keys

BUILDS = [
    pytest.param(images.REGISTER, id="register", marks=needs_gcc),
    pytest.param(images.SAFE, id="callback", marks=needs_gcc),
    pytest.param(images.ZIG, id="zig"),
]
KEY = bytes(range(16))
JOBS = [pytest.param(job, id=job.title) for job in order2.WHOLE]


def shared(words: list[int], rng: random.Random) -> bytes:
    one, other = ([rng.getrandbits(32) for _ in words] for _ in range(2))
    last = [x ^ a ^ b for x, a, b in zip(words, one, other, strict=True)]
    return struct.pack(f"<{3 * len(words)}I", *one, *other, *last)


def unshared(data: bytes) -> list[list[int]]:
    """Planes of three shares, put together: of each state one after the other."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    return [
        [words[at + p] ^ words[at + p + 8] ^ words[at + p + 16] for p in range(8)]
        for at in range(0, len(words), 24)
    ]


@pytest.mark.parametrize("variant", BUILDS)
@pytest.mark.parametrize("job", JOBS)
def test_it_is_aes_and_leaves_nothing(job: order2.Subject, variant: images.Variant) -> None:
    rng = random.Random(1)  # noqa: S311 (a simulation)
    image = images.build(variant)
    emulator = Emulator(image, iter(lambda: rng.getrandbits(32), None))
    emulator.reset("serve_mailbox")
    blocks, keys = rng.randbytes(32), [planes(2 * key) for key in round_keys(KEY)]
    state = keys[0] if job.expands else planes(blocks)
    emulator.write(order2.STATE, shared(state, rng))
    if not job.expands:
        emulator.write(order2.KEYS, b"".join(shared(key, rng) for key in keys))
    kept = [0xDEAD0000 + i for i in range(4, 12)]
    for number, value in enumerate(kept, 4):
        emulator.set_register(number, value)
    source = image.symbol("random_register").address
    cost = emulator.call(job.function, *job.arguments(10, source))
    if job.expands:
        assert unshared(emulator.read(order2.KEYS, 96 * len(keys))) == keys
    else:
        cipher = Cipher(algorithms.AES(KEY), modes.ECB())  # noqa: S305 (each block by itself)
        way = cipher.encryptor() if "encrypt" in job.function else cipher.decryptor()
        assert unshared(emulator.read(order2.STATE, 96)) == [planes(way.update(blocks))]
    assert (cost.random_words, emulator.registers()[0]) == (960, 0)
    assert emulator.registers()[4:12] == kept
    frame = chip.STACK_TOP - 24  # what it pushed is the caller's
    size = cost.stack - 24 - (0 if variant.register else 64)  # below is the source's
    assert not any(emulator.read(frame - size, size))
    assert cost.cycles < 72_000


@pytest.mark.parametrize("variant", BUILDS)
def test_the_library_takes_it(variant: images.Variant) -> None:
    """A key on three shares, and three blocks, by the functions of masked_aes.h."""
    rng = random.Random(3)  # noqa: S311 (a simulation)
    image = images.build(variant)
    emulator = Emulator(image, iter(lambda: rng.getrandbits(32), None))
    emulator.reset("serve_mailbox")
    slicing = image.symbol("tally_masked_cortex_m0")
    three, source = slicing.address + slicing.size // 2, image.symbol("random_register").address
    memory, size = order2.KEYS, 1200
    out, pointers, shares = (memory + size + at for at in (0, 16, 32))
    blocks = shares + 48
    masks = [rng.randbytes(16) for _ in range(2)]
    last = bytes(x ^ a ^ b for x, a, b in zip(KEY, *masks, strict=True))
    emulator.write(shares, b"".join((*masks, last)))
    emulator.write(pointers, struct.pack("<3I", *(shares + 16 * s for s in range(3))))
    plain = rng.randbytes(48)
    emulator.write(blocks, plain)
    ran: set[int] = set()
    emulator.watch = lambda _, at: ran.add(at)
    arguments = (three, pointers, 16, 1, source, memory, size, out)
    call_public(image, emulator, "key_init_shares", *arguments)
    assert emulator.registers()[0] == 0
    (key,) = struct.unpack("<I", emulator.read(out, 4))
    cipher = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor()  # noqa: S305
    for name, expected in (("encrypt_blocks", cipher.update(plain)), ("decrypt_blocks", plain)):
        call_public(image, emulator, name, key, source, blocks, 3, blocks)
        assert emulator.registers()[0] == 0
        assert emulator.read(blocks, 48) == expected
    assert {image.symbol(job.function).address for job in order2.WHOLE} <= ran


@needs_gcc
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("call", [1, 2, 10])
def test_a_source_that_fails_ends_it_and_leaves_nothing(call: int, job: order2.Subject) -> None:
    """A source that counts its calls down, and then returns 9."""
    image = images.build(images.SAFE)
    emulator = Emulator(image, iter(range(1)))
    emulator.reset("serve_mailbox")
    code, source, counter = chip.FLASH + chip.FLASH_SIZE - 64, chip.RAM + 0x700, chip.RAM + 0x710
    # ldr r3, [r0]; subs r3, #1; str r3, [r0]; beq 1f; movs r0, #0; bx lr; 1: movs r0, #9; bx lr
    words = (0x6803, 0x3B01, 0x6003, 0xD001, 0x2000, 0x4770, 0x2009, 0x4770)
    emulator.write(code, struct.pack("<8H", *words))
    emulator.write(source, struct.pack("<2I", code | 1, counter))
    emulator.write(counter, struct.pack("<I", call))
    emulator.write(order2.STATE, bytes(range(96)))
    cost = emulator.call(job.function, *job.arguments(10, source))
    assert emulator.registers()[0] == 9
    frame = cost.stack - 24
    assert frame > 900
    assert not any(emulator.read(chip.STACK_TOP - cost.stack, frame))


@pytest.fixture(scope="module")
def sbox() -> Sbox:
    return Sbox(circuits.read(generator.SBOX))


class Shown:
    """A probe that stores the sums of the words in the S-box."""

    def __init__(self, inside: range) -> None:
        self.sums: set[int] = set()
        self._inside = inside

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        if address in self._inside and leak in REMOVED:
            self.sums.update(sum_ & ~1 for sum_ in cast("Bits", word).of)


@pytest.mark.parametrize("variant", BUILDS)
def test_linked_code_shows_the_words_that_are_checked(variant: images.Variant, sbox: Sbox) -> None:
    sums, image = sbox.allowed.sums, images.build(variant)

    def word(name: str) -> Lanes:
        return cast("Lanes", Bits(sums, (sums.of[name],) * 32, alike=True))

    names = [[share(wire, s) for wire in sbox.circuit.inputs] for s in range(3)]
    drawn = iter([word(f"r{i}") for i in range(96)])
    machine = Machine(image, lambda: next(drawn))
    machine.write_words(order2.STATE, [word(name) for some in names for name in some])
    symbol = image.symbol("sub_bytes_order2")
    probe = Shown(range(symbol.address, symbol.address + symbol.size))
    source = image.symbol("random_register").address
    encryption = order2.ASSEMBLY
    machine.call(encryption.function, *encryption.arguments(1, source), probe=probe)
    shown = {word.sum_ for word in sbox.words_shown()}
    assert len(probe.sums) > 2000
    assert probe.sums - {0} <= shown


def test_no_word_and_no_pair_of_some_tells_of_a_secret(sbox: Sbox) -> None:
    """Of all words; of pairs, those of every fourth word. `make leakage` checks all pairs."""
    words = sbox.words_shown()
    some = words[::4]
    left = [pair for pair in combinations(some, 2) if not sbox.is_simulated(*pair)]
    assert 0 < len(left) < 5000
    assert list(sbox.leaks(words, left)) == []


def test_shares_of_one_wire_are_found(sbox: Sbox) -> None:
    """Two shares in one word, and the third one in another."""
    of, wire = sbox.allowed.sums.of, sbox.circuit.inputs[3]
    linear = [sbox.demands.linear((wire,), s) for s in range(3)]
    both = Word(of[share(wire, 0)] ^ of[share(wire, 1)], -1, 0, linear[0] | linear[1])
    last = Word(of[share(wire, 2)], -1, 0, linear[2])
    assert not sbox.is_simulated(both, last)
    assert list(sbox.leaks([both, last], [(both, last)])) == [(both, last)]


SMALL = Circuit(
    ("a", "b", "c"),
    (
        *(Gate("d", Op.XOR, "a", "b"), Gate("p", Op.AND, "d", "c")),
        *(Gate("e", Op.XNOR, "p", "b"), Gate("q", Op.AND, "e", "d")),
    ),
    ("q", "p"),
)


def test_composition_says_nothing_that_probing_denies() -> None:
    """Of a circuit whose gadgets have operands in common; with more words than it shows."""
    small = Sbox(SMALL)
    words = list(small.allowed.words.values())[:500]
    simulated = [pair for pair in combinations(words, 2) if small.is_simulated(*pair)]
    assert len(simulated) > 10_000
    rng = random.Random(2)  # noqa: S311 (a choice of pairs)
    assert list(small.leaks([], rng.sample(simulated, 5000))) == []


def test_results_of_a_gadget_are_shared_anew(sbox: Sbox) -> None:
    for one, other in combinations(sbox.results, 2):
        assert composing.needed(one, other) == (0, 0)
        for operands in range(64):  # all values of both are as likely
            lanes = [operands | r << 6 for r in range(8)]
            pairs = [(one >> lane & 1) + 2 * (other >> lane & 1) for lane in lanes]
            assert sorted(pairs) == [0, 0, 1, 1, 2, 2, 3, 3]
    x, y = composing.column(0), composing.column(4)
    assert composing.needed(x & y) == (1, 2)
    assert composing.needed(x & y ^ composing.column(6)) == (0, 0)


def test_t_of_products_is_that_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order2, "ROWS", 3)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 33, (4, 6000), np.uint8)
    weights[3, ::2] = weights[2, ::2]
    t = dict(zip(combinations(range(4), 2), order2.t_of_pairs(weights), strict=True))
    for i, j in combinations(range(4), 2):
        classes = []
        for part in (weights[:, ::2].astype(float), weights[:, 1::2].astype(float)):
            x, y = part[i] - part[i].mean(), part[j] - part[j].mean()
            classes.append(x * y)
        error = np.sqrt(sum(x.var() / (len(x) - 1) for x in classes))
        assert t[i, j] == pytest.approx((classes[0].mean() - classes[1].mean()) / error, abs=1e-3)
    assert abs(t[2, 3]) > 20
    assert max(abs(t[i, j]) for i, j in pairwise(range(3))) < 4.5


@needs_gcc
def test_products_of_two_points_show_two_shares_and_not_three() -> None:
    kinds = frozenset({Leak.RESULT, Leak.REGISTER})
    for job in order2.WHOLE:
        three = order2.evaluate(job, 2000, kinds)
        assert (three.leaking, three.again, three.single) == (0, 0, 0)
        assert three.pairs > 1_000_000
    two = order2.evaluate(order2.TWO_SHARES, 2000, kinds)
    assert two.again > 20
    assert two.largest > 8
    c = order2.evaluate(order2.PORTABLE, 2000, kinds)
    assert c.leaking > 0


def turned(words: Lanes, places: Lanes) -> Lanes:
    """Rotate the word of each lane by a number of places, 0 to 31."""
    wide = words.astype(np.uint64) << places
    return (wide | wide >> np.uint64(32)).astype(np.uint32)


class _Words:
    """A probe that keeps the words of a function."""

    def __init__(self, inside: range) -> None:
        self.found: list[Lanes] = []
        self._inside = inside

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        if address in self._inside:
            self.found.append(word.copy())


@needs_gcc
@pytest.mark.parametrize("function", ["sub_bytes", "shift_rows"])
def test_another_order_of_columns_and_blocks_shows_the_same(function: str) -> None:
    """What shuffling leaves as it is: a word has one bit of each byte, and the S-box goes bit by
    bit. With the bits in another order in each trace, each word but the flags is as before, in that
    order: alone, or compared with an address. The control moves bits within words."""
    image = images.build(images.REGISTER)
    symbol = image.symbol(function)
    lanes = 256
    orders = np.random.default_rng(2).integers(0, 32, lanes, np.uint64)
    found = []
    for places in (np.zeros(lanes, np.uint64), orders):
        rng = np.random.default_rng(1)

        def drawn(rng: np.random.Generator = rng, places: Lanes = places) -> Lanes:
            return turned(rng.integers(0, 1 << 32, lanes, np.uint32), places)

        machine = Machine(image, drawn, REMOVED - {Leak.FLAG})
        machine.reset("serve_mailbox")
        machine.write_words(order2.KEYS, [0] * 32)
        machine.write_words(order2.STATE, [drawn() for _ in range(16)])
        probe = _Words(range(symbol.address, symbol.address + symbol.size))
        source = image.symbol("random_register").address
        arguments = (order2.KEYS, 1, source, order2.STATE)
        machine.call(order2.TWO_SHARES.function, *arguments, probe=probe)
        found.append(np.stack(probe.found))
    apart = found[1] ^ np.stack([turned(words, orders) for words in found[0]])
    # What an address adds, in its order and not, is the same in all traces of an order.
    of_orders = [apart[:, orders == place] for place in range(32)]
    assert min(of_order.shape[1] for of_order in of_orders) > 1
    is_order = all((of_order == of_order[:, :1]).all() for of_order in of_orders)
    assert is_order == (function == "sub_bytes")
    if is_order:
        assert (apart == 0).all(1).mean() > 0.85
