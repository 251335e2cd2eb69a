# SPDX-License-Identifier: Apache-2.0
"""The vectors of FF1 and FF3-1 are those of the plain models, which give the known samples."""

from __future__ import annotations

from models.ff1 import ff1, packed, samples, unpacked
from models.ff3_1 import ff3_1
from models.ff3_1 import samples as ff3_samples
from vectors import load


def test_the_samples_of_nist_begin_the_vectors() -> None:
    assert load("ff1")[:9] == [*samples()]


def test_the_model_encrypts_and_decrypts_the_vectors() -> None:
    cases = [case for case in load("ff1") if "sha256" not in case]
    for case in cases:
        key, tweak = bytes.fromhex(case["key"]), bytes.fromhex(case["tweak"])
        radix = case["radix"]
        plain, token = (
            unpacked(bytes.fromhex(case[name]), radix) for name in ("plaintext", "ciphertext")
        )
        assert len(plain) == case["length"]
        assert packed(ff1(key, radix, tweak, plain), radix).hex() == case["ciphertext"]
        assert ff1(key, radix, tweak, token, decrypt=True) == plain


def test_the_samples_of_ff3_begin_its_vectors() -> None:
    found = [*ff3_samples()]
    assert load("ff3_1")[: len(found)] == found


def test_the_model_of_ff3_encrypts_and_decrypts_the_vectors() -> None:
    for case in load("ff3_1"):
        key, tweak = bytes.fromhex(case["key"]), bytes.fromhex(case["tweak"])
        radix = case["radix"]
        plain, token = (
            unpacked(bytes.fromhex(case[name]), radix) for name in ("plaintext", "ciphertext")
        )
        assert ff3_1(key, radix, tweak, plain) == token
        assert ff3_1(key, radix, tweak, token, decrypt=True) == plain
