# SPDX-License-Identifier: Apache-2.0
"""The vectors of FF1 and FF3-1 are those of the plain models, which give the known samples."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from models import ff1, ff3_1
from models.ff1 import packed, unpacked
from vectors import load


@pytest.mark.parametrize(("model", "file"), [(ff1, "ff1"), (ff3_1, "ff3_1")])
def test_the_samples_begin_the_vectors(model: ModuleType, file: str) -> None:
    found = [*model.samples()]
    assert load(file)[: len(found)] == found


@pytest.mark.parametrize(("cipher", "file"), [(ff1.ff1, "ff1"), (ff3_1.ff3_1, "ff3_1")])
def test_the_model_encrypts_and_decrypts_the_vectors(
    cipher: Callable[..., list[int]], file: str
) -> None:
    cases = [case for case in load(file) if "sha256" not in case]
    for case in cases:
        key, tweak = bytes.fromhex(case["key"]), bytes.fromhex(case["tweak"])
        radix = case["radix"]
        plain, token = (
            unpacked(bytes.fromhex(case[name]), radix) for name in ("plaintext", "ciphertext")
        )
        assert len(plain) == case["length"]
        assert packed(cipher(key, radix, tweak, plain), radix).hex() == case["ciphertext"]
        assert cipher(key, radix, tweak, token, decrypt=True) == plain
