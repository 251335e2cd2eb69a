# SPDX-License-Identifier: Apache-2.0
"""Masked AES with columns and blocks in a secret order: its results in each order, the exact check
at first order, and what second order still shows."""

import random
import struct
from dataclasses import replace

import numpy as np
import pytest
from embedded.emulator import elf, images
from embedded.emulator.board import Board
from embedded.emulator.emulator import Emulator
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.thumb import SP
from embedded.leakage import campaign, order2, shuffle, symbolic, ttest
from embedded.leakage.symbolic import frame_word

import vectors
from cortex_m0_support import needs_gcc, planes, round_keys

BUILDS = [
    pytest.param(variant, id=variant.name, marks=needs_gcc if variant.compiler == "gcc" else [])
    for variant in images.SHUFFLED
]
REGISTER = images.SHUFFLED[0]
ORDERS = range(shuffle.ORDERS)
ENCRYPT, DECRYPT = symbolic.JOBS[:2]
CASES = [
    tuple(bytes.fromhex(case[name]) for name in ("key", "plaintext", "ciphertext"))
    for case in vectors.load("aes_blocks")
    if len(case["key"]) == 32 and len(case["plaintext"]) >= 64
]


def shared(words: list[int], source: random.Random) -> bytes:
    masks = [source.getrandbits(32) for _ in words]
    last = [word ^ mask for word, mask in zip(words, masks, strict=True)]
    return struct.pack("<16I", *masks, *last)


def unshared(data: bytes) -> list[int]:
    words = struct.unpack("<16I", data)
    return [a ^ b for a, b in zip(words[:8], words[8:], strict=True)]


def turned(word: int, places: int) -> int:
    """A word whose bytes are rotated to the right."""
    data = word.to_bytes(4, "little")
    return sum(((257 * x >> places) & 255) << 8 * i for i, x in enumerate(data))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("variant", BUILDS)
def test_each_order_is_aes(variant: images.Variant, order: int) -> None:
    """The first random word has it. S-boxes get the state in that order, and results have none."""
    image, source = images.build(variant), random.Random(order)  # noqa: S311 (a simulation)
    cycles = set()
    for key, plain, cipher in CASES:
        keys = round_keys(key)
        for job, given, expected, first in (
            (ENCRYPT, plain[:32], cipher[:32], keys[0]),
            (DECRYPT, cipher[:32], plain[:32], keys[10]),
        ):
            words = [
                source.getrandbits(29) << 3 | order,
                *(source.getrandbits(32) for _ in range(320)),
            ]
            emulator = Emulator(image, iter(words))
            emulator.reset("serve_mailbox")
            at = b"".join(shared(planes(2 * one), source) for one in keys)
            emulator.write(order2.KEYS, at)
            emulator.write(order2.STATE, shared(planes(given), source))
            states: list[list[int]] = []

            def watch(
                e: Emulator,
                at: int,
                begin: int = image.symbol(job.sbox).address,
                states: list[list[int]] = states,
            ) -> None:
                if at == begin:
                    frame = e.registers()[SP]
                    one, other = (e.read(frame + 48 * s, 32) for s in (0, 1))
                    states.append(unshared(one + other))

            emulator.watch = watch
            arguments = (order2.KEYS, 10, image.symbol("random_register").address, order2.STATE)
            cost = emulator.call(job.function, *arguments)
            assert unshared(emulator.read(order2.STATE, 64)) == planes(expected)
            assert (cost.random_words, emulator.registers()[0]) == (321, 0)
            added = bytes(a ^ b for a, b in zip(given, 2 * first, strict=True))
            begun = planes(added)
            if job is DECRYPT:  # ShiftRows is before the S-box
                rows = [added[b + (i - 4 * (i % 4)) % 16] for b in (0, 16) for i in range(16)]
                begun = planes(bytes(rows))
            assert len(states) == 10
            assert states[0] == [turned(word, order + 1) for word in begun]
            cycles.add((job.name, cost.cycles))
    assert len(cycles) == 2


@pytest.mark.parametrize("variant", BUILDS)
def test_the_library_takes_it(variant: images.Variant) -> None:
    image = images.build(variant)
    for seed, (key, plain, cipher) in enumerate(2 * CASES):
        board, source = Board(image, seed), random.Random(seed)  # noqa: S311 (a simulation)
        board.set_key(key, source.randbytes(16))
        assert board.crypt(plain[:64])[0] == cipher[:64]
        assert board.crypt(cipher[:64], decrypt=True)[0] == plain[:64]
        assert board.crypt_once(key, source.randbytes(16), plain[:16])[0] == cipher[:16]


# First order, exactly: in each order by one build, in some by the others.


@pytest.mark.parametrize("job", [ENCRYPT, DECRYPT], ids=lambda job: job.name)
@pytest.mark.parametrize(
    ("variant", "order"),
    [
        *(pytest.param(REGISTER, order, marks=needs_gcc) for order in ORDERS),
        pytest.param(images.SHUFFLED[1], 2, marks=needs_gcc),
        (images.SHUFFLED[2], 4),
    ],
    ids=lambda value: value.name if isinstance(value, images.Variant) else str(value),
)
def test_no_value_and_no_change_depends_on_a_secret(
    variant: images.Variant, order: int, job: symbolic.Job
) -> None:
    image = images.build(variant)
    found = symbolic.check(image, job, fresh=True, leaks=REMOVED, order=order)
    assert found.is_safe
    assert found.ended
    assert found.checked > 1_000_000
    cells = symbolic.check(image, job, fresh=False, leaks=[Leak.CELL], order=order)
    assert cells.is_safe
    assert cells.ended


@needs_gcc
def test_shares_of_a_turned_key_in_the_same_words_are_found() -> None:
    image, (one, other) = images.build(REGISTER), (frame_word(f"V{s}_0") // 4 for s in (0, 1))
    start, segments = image.symbol(ENCRYPT.function), []
    for segment in image.segments:
        data, at = bytearray(segment.data), start.address - segment.address
        for i in range(at, at + start.size, 2) if 0 <= at < len(data) else ():
            if data[i : i + 2] in (bytes((other, 0xAD)), bytes((other, 0xAE))):
                data[i] = one  # add r5 or r6, sp, #V1_0
        segments.append(replace(segment, data=bytes(data)))
    broken = elf.Image(tuple(segments), image.symbols)
    found = symbolic.check(broken, ENCRYPT, fresh=True, leaks=[Leak.CELL], order=1)
    assert found.leaks


@needs_gcc
@pytest.mark.parametrize("work", shuffle.WORKS, ids=lambda work: work.name)
def test_traces_show_nothing_at_first_order_but_without_masks(work: campaign.Work) -> None:
    image = images.build(REGISTER)
    one, two = campaign.runs(image, work, 2000, seed=1)
    assert not ttest.agree(one.first_order(), two.first_order()).any()
    one, two = campaign.runs(image, work, 1000, seed=1, masks=False)
    assert ttest.above(one, two).sum() > 1000


# Second order.

KINDS = frozenset({Leak.RESULT, Leak.REGISTER})


@needs_gcc
def test_it_hides_something_where_lines_weigh_differently_and_columns_do() -> None:
    def largest(lines: order2.Lines, fixed: tuple[int, ...]) -> tuple[float, float]:
        plain, shuffled = (
            order2.evaluate(subject, 2000, KINDS, lines, fixed)
            for subject in (shuffle.PLAIN, shuffle.SHUFFLED)
        )
        assert plain.points == shuffled.points
        assert min(plain.again, shuffled.again) > 10
        return plain.largest, shuffled.largest

    one, other = largest(shuffle.ONE, order2.FIXED)
    assert other < 0.7 * one
    for lines, fixed in ((shuffle.ONE, shuffle.EQUAL), (order2.ALIKE, order2.FIXED)):
        one, other = largest(lines, fixed)
        assert other > 0.8 * one


def test_weights_are_sums_of_the_lines_that_are_one() -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, 50, np.uint32)
    for lines in (order2.ALIKE, shuffle.UNLIKE, shuffle.ONE):
        expected = [sum(w for i, w in enumerate(lines) if word >> i & 1) for word in words.tolist()]
        assert order2.weights(words, lines).tolist() == expected
        assert sum(lines) < 256


@needs_gcc
def test_points_that_tell_the_order_are_found() -> None:
    """Where it is made, and by changes where it rotates nothing."""
    alike, *_ = shuffle.MODELS
    results = replace(alike, kinds=frozenset({Leak.RESULT}))
    changes = replace(alike, kinds=frozenset({Leak.REGISTER}))
    image = images.build(REGISTER)
    found = [shuffle.shown(REGISTER, shuffle.WORKS[0], model, 1000) for model in (results, changes)]
    assert [one.identity > 50 for one in found] == [False, True]
    assert all(one.others < 10 for one in found)
    unlike = replace(results, lines=shuffle.UNLIKE)
    assert shuffle.shown(REGISTER, shuffle.WORKS[0], unlike, 1000).others > found[0].others
    assert image.symbol("turn").size < 300
