# SPDX-License-Identifier: Apache-2.0
"""FAST by `FastCipher`: published vectors, the slow reference, properties, faults, threads."""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from decimal import Decimal, localcontext
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
import tallystick.fast
from backends import portable
from closing import Wipes, check_closing_while_threads_work
from tallystick import FastCipher, FastParams, ParameterError, TallyError
from tallystick._core import ffi, lib
from tallystick.fast import CIPHERS_KEPT, MAX_ROUNDS, SEQUENCES_KEPT, Profile, range_radix
from vectors import load

Words = npt.NDArray[np.uint8]

KEY = bytes(range(16))
keys = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
few_keys = st.sampled_from([KEY, bytes(24), b"\xff" * 32])
radices = st.integers(4, 256)
tweaks = st.binary(max_size=40)


@cache
def slow(key: bytes, radix: int) -> reference.Fast:
    return reference.Fast(key, radix)


@cache
def quick(key: bytes, radix: int) -> FastCipher:
    return FastCipher(key, radix)


def words_of(radix: int, length: int) -> st.SearchStrategy[bytes]:
    return st.lists(st.integers(0, radix - 1), min_size=length, max_size=length).map(bytes)


def some_words(radix: int, count: int, length: int) -> Words:
    return np.random.default_rng(1).integers(0, radix, (count, length), np.uint8)


# Published vectors


@pytest.mark.parametrize(
    "vector", load("fast_words") + load("spec_fast"), ids=lambda v: f"{v['radix']}x{v['length']}"
)
def test_words_of_another_implementation_and_of_the_specification(vector: dict[str, Any]) -> None:
    names = ("radix", "length", "layers", "w", "w_prime")
    params = FastParams(**{name: vector[name] for name in names})
    assert params == FastParams.recommended(params.radix, params.length)
    cipher = FastCipher(bytes.fromhex(vector["key"]), params.radix)
    tweak = bytes.fromhex(vector["tweak"])
    plain, token = bytes(vector["plaintext"]), bytes(vector["ciphertext"])
    for given_params in (None, params):
        assert cipher.encrypt(plain, tweak, given_params) == token
        assert cipher.decrypt(token, tweak, given_params) == plain


@pytest.mark.parametrize(
    "vector", load("fast_bytes_legacy"), ids=lambda v: f"{len(v['Plaintext']) // 2} bytes"
)
def test_bytes_of_the_first_go_fast(vector: dict[str, Any]) -> None:
    names = ("Key", "Tweak", "Plaintext", "Ciphertext")
    key, tweak, plain, token = (bytes.fromhex(vector[name]) for name in names)
    cipher = FastCipher(key, 256, "bytes-legacy")
    assert cipher.encrypt(plain, tweak) == token
    assert cipher.decrypt(token, tweak) == plain


@pytest.mark.parametrize("vector", load("fast_special"), ids=lambda v: v["about"].split(" ")[0])
def test_special_words(vector: dict[str, Any]) -> None:
    names = ("radix", "layers", "w", "w_prime")
    plain, token = bytes(vector["plaintext"]), bytes(vector["ciphertext"])
    params = FastParams(length=len(plain), **{name: vector[name] for name in names})
    tweak = bytes.fromhex(vector["tweak"])
    cipher = FastCipher(bytes.fromhex(vector["key"]), params.radix)
    assert cipher.encrypt(plain, tweak, params) == token
    assert cipher.decrypt(token, tweak, params) == plain


def test_the_portable_back_end_gives_the_same_words() -> None:
    with portable():
        for vector in load("fast_words"):
            cipher = FastCipher(bytes.fromhex(vector["key"]), vector["radix"])
            token = cipher.encrypt(bytes(vector["plaintext"]), bytes.fromhex(vector["tweak"]))
            assert token == bytes(vector["ciphertext"])


# Parameters


def test_all_recommended_parameters_have_the_stored_hash() -> None:
    (vector,) = load("fast_recommended")
    fnv = 0xCBF29CE484222325
    for radix in range(4, 257):
        for length in range(2, 257):
            params = FastParams.recommended(radix, length)
            for number in (params.layers, params.w, params.w_prime):
                for byte in number.to_bytes(4, "big"):
                    fnv = (fnv ^ byte) * 0x100000001B3 % 2**64
    assert f"{fnv:016x}" == vector["fnv1a64"]


@pytest.mark.parametrize("radix", reference.RADICES)
def test_the_table_is_that_of_its_formula(radix: int) -> None:
    for length in reference.LENGTHS:
        layers = FastParams.recommended(radix, length).layers
        assert layers == length * reference.table_entry(radix, length)


@given(radix=radices, length=st.integers(2, 2**16) | st.integers(2, 300))
def test_recommended_parameters_are_the_exact_ones(radix: int, length: int) -> None:
    exact = reference.recommended(radix, length)
    expected = FastParams(exact.radix, exact.length, exact.layers, exact.w, exact.w_prime)
    assert FastParams.recommended(radix, length) == expected


@given(length=st.integers(3, 2**20) | st.integers(3, 400))
def test_legacy_parameters_are_those_of_the_specification(length: int) -> None:
    with localcontext() as context:
        context.prec = 60
        root = Decimal(length).sqrt()
        r = math.ceil(
            2
            * max(
                Decimal(256) / (8 * length),
                128 / (root * Decimal("5.541")),
                128 / (root * Decimal("7.994")) + 2 / root,
            )
        )
    layers = max(r * length, 4 * length if length > 32 else 64)
    w = min(math.isqrt(length - 1) + 1, length - 2)
    expected = FastParams(256, length, -(-layers // length) * length, w, max(1, w - 1))
    assert FastParams.recommended(256, length, "bytes-legacy") == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *((radix, "radix") for radix in ((3, 10), (257, 10), (0, 10), (255, 5, "bytes-legacy"))),
        *((length, "length") for length in ((10, 1), (10, 0), (10, 2**16 + 1))),
        ((256, 2**20 + 1, "bytes-legacy"), "length"),
        *(((10, 2**32), "4294967296"), ((10, -1), "-1"), ((-10, 5), "-10")),
        *(((2**32 + 10, 5), "4294967306"), ((256, 5, "slow"), "'slow' is unknown")),
    ],
)
def test_no_parameters_are_recommended_outside_the_range(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        FastParams.recommended(*arguments)


def test_the_ends_of_the_legacy_range() -> None:
    for length in (0, 1, 2):
        params = FastParams.recommended(256, length, "bytes-legacy")
        assert (params.w, params.w_prime) == (0, 1)
    assert FastParams.recommended(256, 2**20, "bytes-legacy").length == 2**20


# Differences: the slow reference


@given(data=st.data(), key=few_keys, radix=st.sampled_from([4, 5, 10, 16, 62, 95, 127, 128, 256]))
def test_words_are_those_of_the_reference(data: st.DataObject, key: bytes, radix: int) -> None:
    length = data.draw(st.integers(2, 40))
    word, tweak = data.draw(words_of(radix, length)), data.draw(tweaks)
    token = quick(key, radix).encrypt(word, tweak)
    assert token == bytes(slow(key, radix).encrypt(list(word), tweak))
    assert quick(key, radix).decrypt(token, tweak) == word


@settings(max_examples=40)
@given(data=st.data(), key=keys, radix=radices)
def test_any_key_and_radix_give_the_words_of_the_reference(
    data: st.DataObject, key: bytes, radix: int
) -> None:
    word, tweak = data.draw(words_of(radix, 6)), data.draw(tweaks)
    expected = bytes(reference.Fast(key, radix).encrypt(list(word), tweak))
    assert FastCipher(key, radix).encrypt(word, tweak) == expected


@given(data=st.data(), radix=st.sampled_from([4, 10, 26, 256]), length=st.integers(2, 30))
def test_explicit_parameters_are_those_of_the_reference(
    data: st.DataObject, radix: int, length: int
) -> None:
    rounds = data.draw(st.integers(1, 4))
    w, w_prime = data.draw(st.integers(0, length - 2)), data.draw(st.integers(1, length - 1))
    word, tweak = data.draw(words_of(radix, length)), data.draw(tweaks)
    numbers = (radix, length, rounds * length, w, w_prime)
    token = quick(KEY, radix).encrypt(word, tweak, FastParams(*numbers))
    expected = slow(KEY, radix).encrypt(list(word), tweak, reference.Params(*numbers))
    assert token == bytes(expected)
    assert quick(KEY, radix).decrypt(token, tweak, FastParams(*numbers)) == word


@pytest.mark.parametrize("layers", [2032, 2040, 2048, 2056, 2064, 4096, 8000, 32768])
def test_sequences_around_and_beyond_what_is_kept(layers: int) -> None:
    word = bytes([1, 2, 3, 4, 5, 6, 7, 0])
    numbers = (8, 8, layers, 3, 2)
    expected = bytes(slow(KEY, 8).encrypt(list(word), b"t", reference.Params(*numbers)))
    for _ in range(2):
        assert quick(KEY, 8).encrypt(word, b"t", FastParams(*numbers)) == expected
        assert quick(KEY, 8).decrypt(expected, b"t", FastParams(*numbers)) == word


def test_a_long_word_is_that_of_the_reference() -> None:
    length = 3001
    word = bytes(range(256)) * 11 + bytes(length - 11 * 256)
    numbers = (256, length, length, 55, 54)
    expected = bytes(slow(KEY, 256).encrypt(list(word), b"", reference.Params(*numbers)))
    assert quick(KEY, 256).encrypt(word, params=FastParams(*numbers)) == expected


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 255, 256, 257, 1000, 5000])
def test_tweaks_of_any_size(size: int) -> None:
    word, tweak = bytes(range(10)), bytes(i % 251 for i in range(size))
    expected = bytes(slow(KEY, 10).encrypt(list(word), tweak))
    for _ in range(2):
        assert quick(KEY, 10).encrypt(word, tweak) == expected
        assert quick(KEY, 10).decrypt(expected, tweak) == word


def test_more_sequences_than_are_kept() -> None:
    cipher, word = FastCipher(KEY, 10), bytes(range(9))
    tokens = {}
    for number in range(3 * SEQUENCES_KEPT):
        tokens[number] = cipher.encrypt(word, b"%d" % number)
    assert len(set(tokens.values())) == len(tokens)
    for number in (0, 191, 5, 190, *range(3 * SEQUENCES_KEPT)):
        assert cipher.decrypt(tokens[number], b"%d" % number) == word
        assert FastCipher(KEY, 10).encrypt(word, b"%d" % number) == tokens[number]


def test_parameters_of_one_tweak_do_not_share_a_sequence() -> None:
    cipher, word = FastCipher(KEY, 10), bytes(6)
    every = [FastParams(10, 6, 60, w, w_prime) for w in range(5) for w_prime in range(1, 6)]
    for params in [*every, *reversed(every)]:
        fresh = FastCipher(KEY, 10).encrypt(word, b"t", params)
        assert cipher.encrypt(word, b"t", params) == fresh
    assert len({cipher.encrypt(word, b"t", params) for params in every}) == len(every)


def test_the_longest_words() -> None:
    longest = bytes(i % 256 for i in range(2**16))
    token = quick(KEY, 256).encrypt(longest, b"t", FastParams(256, 2**16, 2**17, 256, 255))
    assert token != longest
    assert quick(KEY, 256).decrypt(token, b"t", FastParams(256, 2**16, 2**17, 256, 255)) == longest
    legacy, value = FastCipher(KEY, 256, "bytes-legacy"), bytes(2**20)
    assert legacy.decrypt(legacy.encrypt(value)) == value != legacy.encrypt(value)


def test_an_empty_legacy_value_is_its_own_token() -> None:
    legacy = FastCipher(KEY, 256, "bytes-legacy")
    assert legacy.encrypt(b"") == legacy.decrypt(b"") == b""
    assert legacy.encrypt_words(np.zeros((3, 0), np.uint8)).shape == (3, 0)


@pytest.mark.parametrize(("radix", "length"), [(4, 2), (4, 4), (5, 3), (10, 2), (16, 3), (256, 2)])
def test_a_whole_small_space_is_permuted(radix: int, length: int) -> None:
    places = radix ** np.arange(length - 1, -1, -1)
    every = (np.arange(radix**length)[:, None] // places % radix).astype(np.uint8)
    tokens = quick(KEY, radix).encrypt_words(every, b"t")
    assert sorted(tokens.astype(np.int64) @ places) == list(range(radix**length))
    assert (tokens != every).any(axis=1).sum() > len(every) - 20


# Many words at once


def test_rows_are_words() -> None:
    words = some_words(10, 300, 16)
    tokens = quick(KEY, 10).encrypt_words(words, b"t")
    assert tokens.dtype == np.uint8 and tokens.shape == words.shape
    for word, token in zip(words, tokens, strict=True):
        assert quick(KEY, 10).encrypt(word.tobytes(), b"t") == token.tobytes()
    np.testing.assert_array_equal(quick(KEY, 10).decrypt_words(tokens, b"t"), words)


def test_rows_take_explicit_parameters() -> None:
    words, params = some_words(10, 5, 5), FastParams(10, 5, 265, 3, 2)
    tokens = quick(KEY, 10).encrypt_words(words, b"t", params)
    assert [quick(KEY, 10).encrypt(w.tobytes(), b"t", params) for w in words] == [
        token.tobytes() for token in tokens
    ]
    assert not np.array_equal(tokens, quick(KEY, 10).encrypt_words(words, b"t"))
    np.testing.assert_array_equal(quick(KEY, 10).decrypt_words(tokens, b"t", params), words)


@pytest.mark.parametrize(
    "view",
    [
        lambda words: words[::3],
        lambda words: words[::-1],
        lambda words: words[:, ::-1],
        lambda words: words[:, 1::2],
        lambda words: words[5:5],
        lambda words: words[2:3],
        lambda words: words.T,
        lambda words: np.asfortranarray(words),
        lambda words: np.broadcast_to(words[0], (7, words.shape[1])),
    ],
    ids=["rows", "upside down", "mirrored", "columns", "none", "one", "T", "F", "broadcast"],
)
def test_words_may_lie_anyhow(view: Callable[[Words], Words]) -> None:
    base = some_words(10, 30, 12)
    before, words = base.copy(), view(base)
    plain = np.array(words, order="C")
    expected = [quick(KEY, 10).encrypt(word.tobytes(), b"t") for word in plain]
    tokens = quick(KEY, 10).encrypt_words(words, b"t")
    assert [token.tobytes() for token in tokens] == expected and tokens.shape == words.shape
    out = np.zeros(words.shape, np.uint8)
    assert quick(KEY, 10).encrypt_words(words, b"t", out=out) is out
    np.testing.assert_array_equal(out, tokens)
    np.testing.assert_array_equal(base, before)


def test_in_place_and_read_only_words() -> None:
    words = some_words(10, 20, 7)
    plain = words.copy()
    words.flags.writeable = False
    tokens = quick(KEY, 10).encrypt_words(words)
    work = plain.copy()
    assert quick(KEY, 10).encrypt_words(work, out=work) is work
    np.testing.assert_array_equal(work, tokens)
    assert quick(KEY, 10).decrypt_words(work, out=work) is work
    np.testing.assert_array_equal(work, plain)


@pytest.mark.parametrize("shift", [1, 3, 7, 8, 40])
@pytest.mark.parametrize("up", [True, False])
def test_out_may_overlap_the_words(shift: int, up: bool) -> None:
    buffer = np.zeros(20 * 7 + shift, np.uint8)
    low, high = buffer[: 20 * 7].reshape(20, 7), buffer[shift:].reshape(20, 7)
    words, out = (low, high) if up else (high, low)
    words[:] = plain = some_words(10, 20, 7)
    quick(KEY, 10).encrypt_words(words, b"t", out=out)
    np.testing.assert_array_equal(out, quick(KEY, 10).encrypt_words(plain, b"t"))


def test_mirrored_words_into_themselves() -> None:
    buffer = some_words(10, 20, 7)
    expected = quick(KEY, 10).encrypt_words(buffer[::-1].copy())
    quick(KEY, 10).encrypt_words(buffer[::-1], out=buffer)
    np.testing.assert_array_equal(buffer, expected)


def test_no_words() -> None:
    empty = np.zeros((0, 9), np.uint8)
    assert quick(KEY, 10).encrypt_words(empty).shape == (0, 9)
    assert quick(KEY, 10).decrypt_words(empty, out=empty) is empty
    with pytest.raises(ParameterError, match="length"):
        quick(KEY, 10).encrypt_words(np.zeros((0, 1), np.uint8))


def read_only() -> Words:
    return np.frombuffer(bytes(12), np.uint8).reshape(3, 4)


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (np.zeros((3, 4), np.int64), None),
        (np.zeros((3, 4), np.int8), None),
        (np.zeros((3, 4), np.bool_), None),
        (np.zeros(4, np.uint8), None),
        (np.zeros((1, 3, 4), np.uint8), None),
        (np.zeros((3, 4), np.uint8), np.zeros((4, 3), np.uint8)),
        (np.zeros((3, 4), np.uint8), np.zeros((3, 5), np.uint8)),
        (np.zeros((3, 4), np.uint8), np.zeros(12, np.uint8)),
        (np.zeros((3, 4), np.uint8), np.zeros((3, 4), np.int8)),
        (np.zeros((3, 4), np.uint8), np.zeros((4, 3), np.uint8).T),
        (np.zeros((3, 4), np.uint8), np.zeros((3, 8), np.uint8)[:, ::2]),
        (np.zeros((3, 4), np.uint8), read_only()),
    ],
)
def test_arrays_that_do_not_fit_are_refused(words: Words, out: Words | None) -> None:
    for function in (quick(KEY, 10).encrypt_words, quick(KEY, 10).decrypt_words):
        with pytest.raises(ParameterError, match="uint8"):
            function(words, out=out)
    assert out is None or not out.any()


def test_immutable_bytes_are_never_written() -> None:
    words = read_only()
    with pytest.raises(ParameterError, match="writable"):
        quick(KEY, 10).encrypt_words(words, out=words)
    assert not words.any()


def test_nothing_is_written_when_one_symbol_is_foreign() -> None:
    words = np.zeros((50, 6), np.uint8)
    words[49, 5] = 10
    out = np.full(words.shape, 77, np.uint8)
    with pytest.raises(ParameterError, match="symbol"):
        quick(KEY, 10).encrypt_words(words, out=out)
    assert (out == 77).all()
    with pytest.raises(ParameterError, match="symbol"):
        quick(KEY, 10).encrypt_words(words, out=words)
    assert words.sum() == 10


# Ranges


def range_instance(size: int) -> tuple[int, int]:
    length = next(n for n in range(2, 9) if 256**n >= size)
    return next(a for a in range(4, 257) if a**length >= size), length


def walk(size: int, number: int, tweak: bytes) -> int:
    radix, length = range_instance(size)
    while True:
        word = [number // radix**i % radix for i in range(length - 1, -1, -1)]
        number = 0
        for symbol in quick(KEY, radix).encrypt(bytes(word), tweak):
            number = number * radix + symbol
        if number < size:
            return number


@given(size=st.integers(2, 2**64) | st.integers(2, 2**17))
def test_the_radix_of_a_range(size: int) -> None:
    assert range_radix(size) == range_instance(size)[0]


@pytest.mark.parametrize(
    "power", [*range(4, 257), *(a**3 for a in (41, 255, 256)), 200**7, 251**8, 256**7]
)
def test_the_radix_steps_at_each_power(power: int) -> None:
    for size in (power**2 - 1, power**2, power**2 + 1, power - 1, power, power + 1):
        if 2 <= size <= 2**64:
            assert range_radix(size) == range_instance(size)[0]


@pytest.mark.parametrize(
    "size", [2, 3, 4, 10, 15, 16, 17, 99, 100, 101, 256, 1000, 4096, 4097, 65536, 65537, 73049]
)
def test_a_range_is_permuted(size: int) -> None:
    cipher = quick(KEY, range_radix(size))
    numbers = np.arange(size, dtype=np.uint64)
    tokens = cipher.encrypt_range(size, numbers, b"t")
    assert tokens.dtype == np.uint64
    np.testing.assert_array_equal(np.sort(tokens), numbers)
    np.testing.assert_array_equal(cipher.decrypt_range(size, tokens, b"t"), numbers)
    if size > 99:
        assert not np.array_equal(tokens, cipher.encrypt_range(size, numbers, b"u"))


@given(data=st.data(), size=st.integers(2, 2**64) | st.integers(2, 10**6), tweak=tweaks)
def test_a_range_is_a_walk_over_words(data: st.DataObject, size: int, tweak: bytes) -> None:
    cipher = quick(KEY, range_radix(size))
    numbers = data.draw(st.lists(st.integers(0, size - 1), max_size=4))
    given_numbers = np.array(numbers, np.uint64)
    tokens = cipher.encrypt_range(size, given_numbers, tweak)
    assert tokens.tolist() == [walk(size, number, tweak) for number in numbers]
    assert cipher.decrypt_range(size, tokens, tweak).tolist() == numbers


@pytest.mark.parametrize("size", [2, 101, 2**32, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64])
def test_the_ends_of_a_range(size: int) -> None:
    numbers = np.array([0, 1, size // 2, size - 1], np.uint64)
    cipher = quick(KEY, range_radix(size))
    tokens = cipher.encrypt_range(size, numbers, b"t")
    assert tokens.tolist() == [walk(size, int(number), b"t") for number in numbers]
    assert cipher.decrypt_range(size, tokens, b"t").tolist() == numbers.tolist()
    assert numbers.tolist() == [0, 1, size // 2, size - 1]


def test_numbers_may_lie_anyhow() -> None:
    numbers, cipher = np.arange(100, dtype=np.uint64), quick(KEY, range_radix(100))
    expected = cipher.encrypt_range(100, numbers)
    np.testing.assert_array_equal(cipher.encrypt_range(100, numbers[::-3]), expected[::-3])
    assert cipher.encrypt_range(100, numbers[:0]).shape == (0,)


@pytest.mark.parametrize("size", [-1, 0, 1, 2**64 + 1, 2**65])
def test_sizes_that_are_no_range(size: int) -> None:
    with pytest.raises(ParameterError, match="range"):
        range_radix(size)
    for function in (quick(KEY, 4).encrypt_range, quick(KEY, 4).decrypt_range):
        with pytest.raises(ParameterError, match="range"):
            function(size, np.zeros(1, np.uint64))


@pytest.mark.parametrize(
    ("size", "numbers"),
    [
        (1000, np.array([0, 1000], np.uint64)),
        (1000, np.array([2**64 - 1], np.uint64)),
        (1000, np.array([1], np.int64)),
        (1000, np.array([[1]], np.uint64)),
        (2000, np.array([1], np.uint64)),
    ],
    ids=["beyond", "far beyond", "signed", "matrix", "another radix"],
)
def test_numbers_that_do_not_fit(size: int, numbers: npt.NDArray[np.uint64]) -> None:
    cipher = quick(KEY, range_radix(1000))
    for function in (cipher.encrypt_range, cipher.decrypt_range):
        with pytest.raises(ParameterError):
            function(size, numbers)


def test_a_legacy_cipher_has_no_ranges() -> None:
    assert range_radix(2**16) == 256
    with pytest.raises(ParameterError, match="radix"):
        FastCipher(KEY, 256, "bytes-legacy").encrypt_range(2**16, np.zeros(1, np.uint64))


# Faults


@pytest.mark.parametrize(
    ("key", "radix", "profile", "message"),
    [
        *((bytes(size), 10, "fast", "16, 24 or 32") for size in (0, 1, 15, 17, 23, 31, 33, 64)),
        *((KEY, radix, "fast", "radix") for radix in (0, 1, 3, 257, 2**32 - 1)),
        (KEY, -1, "fast", "-1"),
        (KEY, 2**32 + 10, "fast", "4294967306"),
        (KEY, 10, "bytes-legacy", "radix"),
        (KEY, 10, "FAST", "'FAST' is unknown"),
        (bytes(15), 256, "bytes-legacy", "16, 24 or 32"),
    ],
)
def test_ciphers_that_can_not_be(key: bytes, radix: int, profile: Profile, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        FastCipher(key, radix, profile)


@pytest.mark.parametrize("radix", [4, 10, 255])
def test_a_symbol_is_below_the_radix(radix: int) -> None:
    cipher = quick(KEY, radix)
    for place in (0, 7, 15):
        for symbol in {radix, min(radix + 1, 255), 255}:
            word = bytes(symbol if i == place else radix - 1 for i in range(16))
            for function in (cipher.encrypt, cipher.decrypt):
                with pytest.raises(ParameterError, match="symbol"):
                    function(word)


@pytest.mark.parametrize("length", [0, 1, 2**16 + 1])
def test_lengths_outside_the_range(length: int) -> None:
    for function in (quick(KEY, 10).encrypt, quick(KEY, 10).decrypt):
        with pytest.raises(ParameterError, match="length"):
            function(bytes(length))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (FastParams(11, 6, 60, 2, 1), "radix"),
        (FastParams(10, 7, 63, 2, 1), "7 symbols, not 6"),
        (FastParams(10, 6, 0, 2, 1), "FAST"),
        (FastParams(10, 6, 61, 2, 1), "FAST"),
        (FastParams(10, 6, 3, 2, 1), "FAST"),
        (FastParams(10, 6, 60, 5, 1), "FAST"),
        (FastParams(10, 6, 60, 2**32 - 1, 1), "FAST"),
        (FastParams(10, 6, 60, 2, 0), "FAST"),
        (FastParams(10, 6, 60, 2, 6), "FAST"),
        (FastParams(10, 6, 60, -1, 1), "-1"),
        (FastParams(10, 6, 2**32, 2, 1), "4294967296"),
    ],
)
def test_parameters_that_are_no_cipher(params: FastParams, message: str) -> None:
    for function in (quick(KEY, 10).encrypt, quick(KEY, 10).decrypt):
        with pytest.raises(ParameterError, match=message):
            function(bytes(6), b"", params)
    with pytest.raises(ParameterError, match=message):
        quick(KEY, 10).encrypt_words(np.zeros((1, 6), np.uint8), params=params)


def test_legacy_takes_only_its_own_parameters() -> None:
    legacy = FastCipher(KEY, 256, "bytes-legacy")
    own = FastParams.recommended(256, 16, "bytes-legacy")
    assert legacy.encrypt(bytes(16), params=own) == legacy.encrypt(bytes(16))
    with pytest.raises(ParameterError, match="FAST"):
        legacy.encrypt(bytes(16), params=FastParams.recommended(256, 16))
    with pytest.raises(ParameterError, match="length"):
        legacy.encrypt(bytes(2**20 + 1))


def test_the_profiles_are_two_ciphers() -> None:
    legacy = FastCipher(KEY, 256, "bytes-legacy")
    assert legacy.encrypt(bytes(16)) != quick(KEY, 256).encrypt(bytes(16))
    assert (legacy.profile, legacy.radix) == ("bytes-legacy", 256)


def test_key_radix_tweak_and_parameters_all_count() -> None:
    word = bytes(range(10))
    tokens = {
        FastCipher(key, radix).encrypt(word, tweak, params)
        for key in (KEY, KEY + KEY, bytes(16), KEY + bytes(8), KEY + bytes(16))
        for radix in (10, 11)
        for tweak in (b"", b"\0", b"\0\0", b"t")
        for params in (None, FastParams(radix, 10, 1000, 4, 3), FastParams(radix, 10, 1000, 3, 3))
    }
    assert len(tokens) == 5 * 2 * 4 * 3


def test_keys_and_words_are_any_bytes() -> None:
    word = bytes(range(10))
    token = FastCipher(KEY, 10).encrypt(word)
    key = bytearray(KEY)
    cipher = FastCipher(key, 10)
    assert key == KEY
    key[:] = bytes(16)
    assert cipher.encrypt(word) == token
    changed = bytearray(word)
    assert cipher.encrypt(changed) == token
    assert changed == word and type(cipher.encrypt(changed)) is bytes


# Threads, closing, secrets


def test_threads_share_a_cipher() -> None:
    cipher, words = FastCipher(KEY, 10), some_words(10, 200, 12)
    expected = {i: FastCipher(KEY, 10).encrypt_words(words, b"%d" % (i % 5)) for i in range(16)}
    barrier = threading.Barrier(8)

    def work(number: int) -> None:
        barrier.wait()
        for i in range(number, number + 160):
            tweak = b"%d" % (i % 16 % 5)
            tokens = cipher.encrypt_words(words, tweak)
            np.testing.assert_array_equal(tokens, expected[i % 16])
            np.testing.assert_array_equal(cipher.decrypt_words(tokens, tweak), words)

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(work, number) for number in range(8)]:
            future.result()


def test_no_more_scratch_memory_is_kept_than_for_the_cores() -> None:
    cipher, most = FastCipher(KEY, 10), CIPHERS_KEPT
    with ExitStack() as borrowed:
        handles = [borrowed.enter_context(cipher.native()) for _ in range(most + 3)]
        assert len(set(handles)) == most + 3, "each call has its own"
    assert len(cipher._idle) == most
    assert cipher.encrypt(bytes(8)) == FastCipher(KEY, 10).encrypt(bytes(8))


def uses(cipher: FastCipher) -> list[Callable[[], object]]:
    words, numbers = np.zeros((2, 4), np.uint8), np.zeros(2, np.uint64)
    return [
        lambda: cipher.encrypt(bytes(4)),
        lambda: cipher.decrypt(bytes(4)),
        lambda: cipher.encrypt_words(words),
        lambda: cipher.decrypt_words(words),
        lambda: cipher.encrypt_range(100, numbers),
        lambda: cipher.decrypt_range(100, numbers),
        lambda: cipher.native().__enter__(),
    ]


def test_a_closed_cipher_is_of_no_use() -> None:
    with FastCipher(KEY, 10) as cipher:
        for use in uses(cipher):
            use()
    for use in uses(cipher):
        with pytest.raises(TallyError, match="closed"):
            use()
    cipher.close()
    unused = FastCipher(KEY, 10)
    unused.close()
    with pytest.raises(TallyError, match="closed"):
        unused.encrypt(bytes(4))


class WipesOfFast(Wipes):
    """What is wiped, the sequences of a cipher too."""

    def tally_fast_cipher_wipe(self, cipher: object) -> None:
        lib.tally_fast_cipher_wipe(cipher)  # core/tests/test_fast.c says what that leaves
        self.sizes.append(SEQUENCES)


@pytest.fixture
def wipes(monkeypatch: pytest.MonkeyPatch) -> Wipes:
    spy = WipesOfFast()
    monkeypatch.setattr("tallystick.memory.lib", spy)
    monkeypatch.setattr("tallystick.fast.lib", spy)
    return spy


POOL = lib.tally_fast_pool_size(10)
SEQUENCES = lib.tally_fast_cipher_size(SEQUENCES_KEPT)


def test_layers_beyond_any_use_are_refused() -> None:
    cipher = FastCipher(KEY, 10)
    most = FastParams(10, 4, 4 * MAX_ROUNDS, 2, 1)
    assert cipher.decrypt(cipher.encrypt(bytes(4), params=most), params=most) == bytes(4)
    for layers in (4 * MAX_ROUNDS + 4, 2**30):
        with pytest.raises(ParameterError, match="words of 4 symbols have at most 16384"):
            cipher.encrypt(bytes(4), params=FastParams(10, 4, layers, 2, 1))


def test_the_scratch_memory_that_is_documented_is_what_a_cipher_takes() -> None:
    source = Path(tallystick.fast.__file__).read_text()
    assert f"at most: {SEQUENCES / 1e6:.2f} MB each" in source


def test_close_wipes_all_that_is_secret(wipes: Wipes) -> None:
    cipher = FastCipher(KEY, 10)
    with cipher.native(), cipher.native():
        pass
    assert not wipes.sizes
    cipher.close()
    assert sorted(wipes.sizes) == sorted([POOL, SEQUENCES, SEQUENCES])
    cipher.close()
    assert len(wipes.sizes) == 3


def test_a_forgotten_cipher_is_wiped(wipes: Wipes) -> None:
    cipher = FastCipher(KEY, 10)
    cipher.encrypt(bytes(4))
    del cipher
    assert sorted(wipes.sizes) == sorted([POOL, SEQUENCES])


def test_closing_waits_for_calls_at_work(wipes: Wipes) -> None:
    cipher = FastCipher(KEY, 10)
    params = cipher._native_params(4, None)
    expected, out = FastCipher(KEY, 10).encrypt(bytes(4)), bytearray(4)
    wipes.sizes.clear()
    with cipher.native() as native:
        cipher.close()
        assert not wipes.sizes
        status = lib.tally_fast_encrypt_words(
            native, params, b"", 0, bytes(4), 1, ffi.from_buffer(out)
        )
        assert (status, bytes(out)) == (lib.TALLY_OK, expected)
    assert sorted(wipes.sizes) == sorted([POOL, SEQUENCES])


def test_closing_while_threads_work_gives_right_tokens_or_an_error() -> None:
    words = some_words(10, 500, 12)
    check_closing_while_threads_work(lambda: FastCipher(KEY, 10), words, 10_000)


def test_the_key_is_in_no_text() -> None:
    key = b"0123456789abcdef"
    cipher = FastCipher(key, 10)
    assert repr(cipher) == str(cipher) == "FastCipher(radix=10, profile='fast')"
    with pytest.raises(ParameterError) as caught:
        FastCipher(key[:-1], 10)
    assert key.decode()[:-1] not in str(caught.value)


def test_the_word_is_in_no_message() -> None:
    word = bytes([77, 66, 55, 44])
    with pytest.raises(ParameterError) as caught:
        quick(KEY, 10).encrypt(word)
    assert not any(str(symbol) in str(caught.value) for symbol in word)


def test_parameters_are_values() -> None:
    params = FastParams.recommended(10, 16)
    assert params == FastParams(10, 16, 592, 4, 3)
    assert hash(params) == hash(FastParams(10, 16, 592, 4, 3))
    assert pickle.loads(pickle.dumps(params)) == params  # noqa: S301 (our own)
    with pytest.raises(AttributeError):
        params.layers = 16  # type: ignore[misc]


def test_more_rounds_for_smaller_radices() -> None:
    for first, second in pairwise(reference.RADICES):
        more, fewer = (FastParams.recommended(radix, 16).layers for radix in (first, second))
        assert more >= fewer


@pytest.mark.parametrize(
    ("radix", "length"), [(4, 2), (4, 3), (4, 4), (5, 2), (5, 3), (10, 2), (10, 3), (27, 2)]
)
@pytest.mark.parametrize("key", [KEY, b"\xff" * 32])
def test_permutations_are_even(key: bytes, radix: int, length: int) -> None:
    """docs/explanation/what-a-token-reveals.md says so, and the last two tokens follow from it."""
    count = radix**length
    words = np.array(np.unravel_index(np.arange(count), (radix,) * length), np.uint8).T
    with FastCipher(key, radix=radix) as cipher:
        tokens = [cipher.encrypt(word.tobytes()) for word in words]
    weights = radix ** np.arange(length - 1, -1, -1)
    permutation = [int(np.frombuffer(token, np.uint8) @ weights) for token in tokens]
    cycles, seen = 0, set[int]()
    for start in range(count):
        cycles += start not in seen
        at = start
        while at not in seen:
            seen.add(at)
            at = permutation[at]
    assert (count - cycles) % 2 == 0
