# SPDX-License-Identifier: Apache-2.0
"""`Ciphers`: one cipher for each radix, made when asked for, wiped together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tallystick import FastCipher, ParameterError, TallyError
from tallystick._core import ffi, lib
from tallystick.ciphers import Ciphers

KEY = bytes(range(16))


@pytest.mark.parametrize("size", [16, 24, 32])
def test_each_radix_has_one_cipher(size: int) -> None:
    key = bytearray(range(size))
    ciphers = Ciphers(key)
    key[:] = bytes(size)  # the caller may wipe his
    for radix in (4, 10, 256):
        cipher = ciphers.of(radix)
        assert cipher.radix == radix and ciphers.of(radix) is cipher
        expected = FastCipher(bytes(range(size)), radix).encrypt(bytes(5))
        assert cipher.encrypt(bytes(5)) == expected


@pytest.mark.parametrize("size", [0, 15, 17, 33])
def test_keys_of_other_sizes(size: int) -> None:
    with pytest.raises(ParameterError, match=f"16, 24 or 32 bytes, not {size}"):
        Ciphers(bytes(size))


@pytest.mark.parametrize("radix", [0, 3, 257, -1])
def test_radices_that_fast_lacks(radix: int) -> None:
    with pytest.raises(ParameterError):
        Ciphers(KEY).of(radix)


def test_closed_ciphers_are_of_no_use() -> None:
    ciphers = Ciphers(KEY)
    cipher = ciphers.of(10)
    for _ in range(2):
        ciphers.close()
        for radix in (10, 11):
            with pytest.raises(TallyError, match="closed"):
                ciphers.of(radix)
    with pytest.raises(TallyError, match="closed"):
        cipher.encrypt(bytes(4))


def test_threads_get_the_same_cipher() -> None:
    for _ in range(20):
        ciphers, started = Ciphers(KEY), threading.Barrier(4)

        def work(ciphers: Ciphers = ciphers, started: threading.Barrier = started) -> int:
            started.wait()
            return id(ciphers.of(62))

        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(work) for _ in range(4)]
            assert {future.result() for future in futures} == {id(ciphers.of(62))}


def test_a_cipher_made_while_others_are_closed_is_closed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ciphers, made = Ciphers(KEY), []

    def make(key: bytes, radix: int) -> FastCipher:
        made.append(FastCipher(key, radix))
        ciphers.close()
        return made[0]

    monkeypatch.setattr("tallystick.ciphers.FastCipher", make)
    with pytest.raises(TallyError, match="closed"):
        ciphers.of(10)
    with pytest.raises(TallyError, match="closed"):
        made[0].encrypt(bytes(4))


def test_the_key_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    wiped = []

    class Spy:
        def __getattr__(self, name: str) -> object:
            return getattr(lib, name)

        def tally_wipe(self, memory: object, size: int) -> None:
            wiped.append(bytes(ffi.buffer(memory, size)))
            lib.tally_wipe(memory, size)

    monkeypatch.setattr("tallystick.memory.lib", Spy())
    ciphers = Ciphers(KEY)
    assert not wiped
    ciphers.close()
    assert wiped == [KEY]
    Ciphers(KEY)  # forgotten
    assert wiped == [KEY, KEY]


def test_they_are_not_shown() -> None:
    assert "0123" not in repr(Ciphers(b"0123456789abcdef"))
