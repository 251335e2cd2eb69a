# SPDX-License-Identifier: Apache-2.0
"""FF1 by `FF1Cipher`: vectors, the plain model, properties, faults, threads."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import backends
from closing import Wipes, check_closing_while_threads_work
from models.ff1 import ff1, least_length, packed, ruled_tweak, ruled_word, unpacked
from tallystick import FF1Cipher, FF31Cipher, ParameterError, TallyError
from tallystick._core import lib
from tallystick.ff1 import MAX_LENGTH, Profile
from vectors import load

KEY = bytes(range(16))
PROFILES: dict[str, Profile] = {"FF1": "ff1", "FF1_2016": "ff1-2016"}

LONGEST = 5000
"""Bounds the words of the tests: the work grows with the square of the length, and the tests of the
core have longer ones."""

Word = bytes | npt.NDArray[np.uint16]


def word_of(symbols: list[int], radix: int) -> Any:  # noqa: ANN401
    """Return a word as a cipher of the radix takes it."""
    return bytes(symbols) if radix <= 256 else np.array(symbols, np.uint16)


def symbols_of(word: Word) -> list[int]:
    return [int(symbol) for symbol in word]


def words_of(words: list[list[int]], radix: int) -> npt.NDArray[Any]:
    return np.array(words, np.uint8 if radix <= 256 else np.uint16)


def check_vector(cipher: FF1Cipher, tweak: bytes, plain: list[int], token: list[int]) -> None:
    radix = cipher.radix
    assert symbols_of(cipher.encrypt(word_of(plain, radix), tweak)) == token
    assert symbols_of(cipher.decrypt(word_of(token, radix), tweak)) == plain
    rows = words_of([plain, token, plain], radix)
    assert cipher.encrypt_words(rows, tweak)[::2].tolist() == [token, token]
    assert cipher.decrypt_words(rows, tweak)[1].tolist() == plain


@pytest.fixture
def wipes(monkeypatch: pytest.MonkeyPatch) -> Wipes:
    spy = Wipes()
    monkeypatch.setattr("tallystick.memory.lib", spy)
    return spy


# Published vectors


@backends.each
def test_vectors(backend: backends.Backend) -> None:
    with backend():
        for one in load("ff1"):
            if one["length"] > LONGEST:
                continue
            key, radix = bytes.fromhex(one["key"]), one["radix"]
            with FF1Cipher(key, radix, profile=PROFILES[one["profile"]]) as cipher:
                if "sha256" not in one:
                    check_vector(
                        cipher,
                        bytes.fromhex(one["tweak"]),
                        unpacked(bytes.fromhex(one["plaintext"]), radix),
                        unpacked(bytes.fromhex(one["ciphertext"]), radix),
                    )
                    continue
                plain, tweak = ruled_word(radix, one["length"]), ruled_tweak(one["tweak_size"])
                token = cipher.encrypt(word_of(plain, radix), tweak)
                made = packed(symbols_of(token), radix)
                assert hashlib.sha256(made).hexdigest() == one["sha256"]
                assert symbols_of(cipher.decrypt(token, tweak)) == plain


@pytest.mark.parametrize("name", ["ff1_acvp", "ff1_peers"])
def test_vectors_of_nist_and_of_other_implementations(name: str) -> None:
    for one in load(name):
        radix, length = one["radix"], len(one["plaintext"])
        profile: Profile = "ff1" if radix**length >= 1_000_000 else "ff1-2016"
        with FF1Cipher(bytes.fromhex(one["key"]), radix, profile=profile) as cipher:
            check_vector(cipher, bytes.fromhex(one["tweak"]), one["plaintext"], one["ciphertext"])


# Against the plain model


@given(
    st.data(),
    st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    st.one_of(st.integers(2, 300), st.integers(2, 2**16)),
    st.binary(max_size=40),
)
def test_words_are_those_of_the_model(
    data: st.DataObject, key: bytes, radix: int, tweak: bytes
) -> None:
    least = least_length("FF1", radix)
    length = data.draw(st.integers(least, least + 40))
    plain = data.draw(st.lists(st.integers(0, radix - 1), min_size=length, max_size=length))
    with FF1Cipher(key, radix) as cipher:
        check_vector(cipher, tweak, plain, ff1(key, radix, tweak, plain))


@pytest.mark.parametrize(("radix", "length"), [(10, 2), (2, 7), (36, 2), (26, 2)])
def test_a_whole_small_space_is_permuted(radix: int, length: int) -> None:
    cipher = FF1Cipher(KEY, radix, profile="ff1-2016")
    every = np.indices((radix,) * length, np.uint8).reshape(length, -1).T
    tokens = cipher.encrypt_words(every, b"tweak")
    assert {bytes(row) for row in tokens} == {bytes(row) for row in every}
    np.testing.assert_array_equal(cipher.decrypt_words(tokens, b"tweak"), every)


@pytest.mark.parametrize(("radix", "kind"), [(256, np.uint8), (65536, np.uint16)])
def test_longer_words_than_there_are(radix: int, kind: type[np.uint8 | np.uint16]) -> None:
    longer = np.zeros((1, MAX_LENGTH + 1), kind)
    with pytest.raises(ParameterError, match="to 65536 symbols, not 65537"):
        FF1Cipher(KEY, radix).encrypt_words(longer)


def test_key_radix_and_tweak_all_count() -> None:
    word = bytes(20)
    tokens = {
        FF1Cipher(key, radix).encrypt(word, tweak)
        for key in (KEY, bytes(16), bytes(24), bytes(32))
        for radix in (10, 11, 256)
        for tweak in (b"", b"\0", b"\0\0", b"a", bytes(16))
    }
    assert len(tokens) == 4 * 3 * 5


def test_the_profiles_are_one_cipher() -> None:
    word = bytes(range(10))
    assert FF1Cipher(KEY, 10).encrypt(word) == FF1Cipher(KEY, 10, profile="ff1-2016").encrypt(word)


# FF3-1 and FF3, which are decrypted alone


@backends.each
@pytest.mark.parametrize("name", ["ff3_1", "ff3_1_acvp", "ff3_1_peers"])
def test_vectors_of_ff3(backend: backends.Backend, name: str) -> None:
    with backend():
        for one in load(name):
            radix, plain, token = one["radix"], one["plaintext"], one["ciphertext"]
            if name == "ff3_1":
                plain, token = (unpacked(bytes.fromhex(text), radix) for text in (plain, token))
            tweak = bytes.fromhex(one["tweak"])
            with FF31Cipher(bytes.fromhex(one["key"]), radix) as cipher:
                assert symbols_of(cipher.decrypt(word_of(token, radix), tweak)) == plain
                rows = words_of([token, plain, token], radix)
                made = cipher.decrypt_words(rows, tweak, out=rows)
                assert made is rows
                assert made[::2].tolist() == [plain, plain]


def test_what_ff3_refuses(wipes: Wipes) -> None:
    with pytest.raises(ParameterError, match="a key of 15 bytes"):
        FF31Cipher(bytes(15), 10)
    with pytest.raises(ParameterError, match=r"a radix of FF3-1 is 2\.\.65536, not 1"):
        FF31Cipher(KEY, 1)
    wipes.sizes.clear()
    cipher = FF31Cipher(KEY, 10)
    assert repr(cipher) == "FF31Cipher(radix=10)"
    for size in (0, 6, 9, 16):
        with pytest.raises(
            ParameterError, match=f"7 bytes in FF3-1, and 8 bytes in FF3, not {size}"
        ):
            cipher.decrypt(bytes(16), bytes(size))
    for length, tweak, bounds in ((5, 7, "6 to 56"), (57, 7, "6 to 56"), (1, 8, "2 to 56")):
        with pytest.raises(ParameterError, match=f"has {bounds} symbols, not {length}"):
            cipher.decrypt(bytes(length), bytes(tweak))
    with pytest.raises(ParameterError, match="a symbol is not below the radix"):
        cipher.decrypt(bytes([0] * 15 + [10]), bytes(7))
    with pytest.raises(TypeError, match="holds keys"):
        pickle.dumps(cipher)
    cipher.close()
    assert wipes.sizes == [lib.tally_ff3_1_size()]
    with pytest.raises(TallyError, match="closed"):
        cipher.decrypt(bytes(16), bytes(7))


# How words may lie


@pytest.mark.parametrize(
    "view",
    [
        lambda words: words[::2],
        lambda words: words[::-1],
        lambda words: np.asfortranarray(words),
        lambda words: np.repeat(words, 2, axis=1)[:, ::2],
    ],
    ids=["every other", "backwards", "by columns", "apart"],
)
@pytest.mark.parametrize("radix", [10, 1000])
def test_words_may_lie_anyhow(view: Callable[[Any], Any], radix: int) -> None:
    cipher = FF1Cipher(KEY, radix)
    words = np.random.default_rng(1).integers(0, radix, (9, 12)).astype(cipher._symbols)
    np.testing.assert_array_equal(
        cipher.encrypt_words(view(words)), cipher.encrypt_words(view(words).copy())
    )


def test_in_place_and_overlapping_and_read_only_words() -> None:
    cipher = FF1Cipher(KEY, 10)
    words = np.random.default_rng(1).integers(0, 10, (8, 12), np.uint8)
    expected = cipher.encrypt_words(words)
    place = words.copy()
    assert cipher.encrypt_words(place, out=place) is place
    np.testing.assert_array_equal(place, expected)
    room = np.concatenate([words, words[:1]])
    np.testing.assert_array_equal(cipher.encrypt_words(room[:-1], out=room[1:]), expected)
    fixed = words.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(cipher.encrypt_words(fixed), expected)
    with pytest.raises(ParameterError, match="writable"):
        cipher.encrypt_words(words, out=fixed)
    with pytest.raises(ParameterError, match="words must be a NumPy array of uint8, not list"):
        cipher.encrypt_words(words.tolist())
    with pytest.raises(ParameterError, match="out must be a NumPy array of uint8, not bytearray"):
        cipher.encrypt_words(words, out=bytearray(words.size))  # type: ignore[arg-type]


def test_no_words() -> None:
    cipher = FF1Cipher(KEY, 10)
    assert cipher.encrypt_words(np.zeros((0, 16), np.uint8)).shape == (0, 16)


def test_words_are_any_bytes() -> None:
    cipher = FF1Cipher(bytearray(KEY), 10)
    token = cipher.encrypt(bytes(16), b"t")
    for word in (bytearray(16), memoryview(bytes(16))):
        assert cipher.encrypt(word, bytearray(b"t")) == token  # type: ignore[call-overload]


# Faults


@pytest.mark.parametrize(
    ("key", "radix", "profile", "message"),
    [
        (bytes(15), 10, "ff1", "a key of 15 bytes"),
        (b"", 10, "ff1", "a key of 0 bytes"),
        (KEY, 1, "ff1", r"2\.\.65536, not 1"),
        (KEY, 0, "ff1", "not 0"),
        (KEY, -1, "ff1", "not -1"),
        (KEY, 65537, "ff1", "not 65537"),
        (KEY, 2**70, "ff1", "not 1180591620717411303424"),
        (KEY, 10, "ff3-1", "profile 'ff3-1' is unknown; pass 'ff1' or 'ff1-2016'"),
    ],
)
def test_ciphers_that_can_not_be(key: bytes, radix: int, profile: Profile, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        FF1Cipher(key, radix, profile=profile)


@pytest.mark.parametrize(("profile", "domain"), [("ff1", 1_000_000), ("ff1-2016", 100)])
@pytest.mark.parametrize("radix", [2, 10, 26, 255, 256, 257, 999, 1000, 1001, 65536])
def test_the_shortest_words(profile: Profile, domain: int, radix: int) -> None:
    cipher = FF1Cipher(KEY, radix, profile=profile)
    least = cipher.min_length
    assert least == max(2, next(n for n in range(1, 21) if radix**n >= domain))
    word = word_of([radix - 1] * least, radix)
    assert symbols_of(cipher.decrypt(cipher.encrypt(word))) == symbols_of(word)
    with pytest.raises(ParameterError, match=f"has {least} to 65536 symbols, not {least - 1}"):
        cipher.encrypt(word[:-1])


def test_a_word_for_the_other_profile_is_reported() -> None:
    with pytest.raises(ParameterError, match=r"not 5; to read tokens .* profile='ff1-2016'"):
        FF1Cipher(KEY, 10).decrypt(bytes(5))
    with pytest.raises(ParameterError, match=r"not 1$"):
        FF1Cipher(KEY, 10).decrypt(bytes(1))


@pytest.mark.parametrize("radix", [2, 10, 255, 257, 1000, 65535])
def test_a_symbol_is_below_the_radix(radix: int) -> None:
    cipher = FF1Cipher(KEY, radix)
    for at in (0, 7, 21):
        symbols = [0] * 22
        symbols[at] = radix
        with pytest.raises(ParameterError, match="a symbol is not below the radix"):
            cipher.encrypt(word_of(symbols, radix))
        rows = words_of([[0] * 22, symbols], radix)
        out = np.full_like(rows, 1)
        with pytest.raises(ParameterError, match="a symbol is not below the radix"):
            cipher.decrypt_words(rows, out=out)
        assert (out == 1).all()


@pytest.mark.parametrize(
    ("radix", "word", "message"),
    [
        (10, np.zeros(16, np.uint8), "radix 10 must be bytes-like, not an array"),
        (10, "0123456789", "bytes-like, not str"),
        (1000, bytes(16), r"radix 1000 must be a uint16 array of shape \(length,\), not bytes"),
        (1000, np.zeros((1, 16), np.uint16), "uint16 array of shape"),
        (1000, np.zeros(16, np.uint8), "words must be uint16"),
    ],
)
def test_words_of_another_type(radix: int, word: Word, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        FF1Cipher(KEY, radix).encrypt(word)


@pytest.mark.parametrize(
    ("radix", "words", "out"),
    [
        (10, np.zeros((2, 16), np.uint16), None),
        (1000, np.zeros((2, 16), np.uint8), None),
        (10, np.zeros(16, np.uint8), None),
        (10, np.zeros((2, 16), np.uint8), np.zeros((2, 15), np.uint8)),
        (10, np.zeros((2, 16), np.uint8), np.zeros((2, 16), np.uint16)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    radix: int, words: npt.NDArray[Any], out: npt.NDArray[Any] | None
) -> None:
    with pytest.raises(ParameterError, match="must be"):
        FF1Cipher(KEY, radix).encrypt_words(words, out=out)


def test_a_tweak_is_bytes() -> None:
    cipher = FF1Cipher(KEY, 10)
    for refused in (
        lambda: cipher.encrypt(bytes(16), "tweak"),  # type: ignore[call-overload]
        lambda: cipher.decrypt_words(np.zeros((1, 16), np.uint8), "tweak"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ParameterError, match="bytes-like, not str"):
            refused()


def test_no_secret_is_in_a_text() -> None:
    key, word = b"0123456789abcdef", bytes([77, 66, 55, 44, 33, 22])
    cipher = FF1Cipher(key, 10)
    assert repr(cipher) == str(cipher) == "FF1Cipher(radix=10, profile='ff1')"
    with pytest.raises(ParameterError) as caught:
        cipher.encrypt(word)
    assert not any(str(symbol) in str(caught.value) for symbol in word)
    with pytest.raises(ParameterError) as caught:
        FF1Cipher(key[:-1], 10)
    assert key.decode()[:-1] not in str(caught.value)


# Keys, threads


SIZE = lib.tally_ff1_size()


def test_close_wipes_the_key(wipes: Wipes) -> None:
    cipher = FF1Cipher(KEY, 10)
    cipher.encrypt(bytes(16))
    assert not wipes.sizes
    cipher.close()
    assert wipes.sizes == [SIZE]
    cipher.close()
    assert wipes.sizes == [SIZE]


def test_a_forgotten_cipher_is_wiped(wipes: Wipes) -> None:
    cipher = FF1Cipher(KEY, 10)
    del cipher
    assert wipes.sizes == [SIZE]


def test_a_closed_cipher_is_of_no_use() -> None:
    with FF1Cipher(KEY, 10) as cipher:
        words = np.zeros((1, 16), np.uint8)
    uses: list[Callable[[], object]] = [
        lambda: cipher.encrypt(bytes(16)),
        lambda: cipher.decrypt(bytes(16)),
        lambda: cipher.encrypt_words(words),
        lambda: cipher.decrypt_words(words),
    ]
    for use in uses:
        with pytest.raises(TallyError, match="closed"):
            use()


def test_a_cipher_is_neither_copied_nor_pickled() -> None:
    cipher = FF1Cipher(KEY, 10)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="holds keys"):
            act(cipher)


def test_closing_while_threads_work_gives_right_tokens_or_an_error() -> None:
    words = np.random.default_rng(1).integers(0, 10, (500, 12), np.uint8)
    check_closing_while_threads_work(lambda: FF1Cipher(KEY, 10), words, 100_000)
