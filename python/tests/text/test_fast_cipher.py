# SPDX-License-Identifier: Apache-2.0
"""Keys of services in text, beside the texts that PyPI's fast-cipher 0.3.0 made."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tallystick import ParameterError, TallyError
from tallystick.text.fast_cipher import NAMES, FastCipherText

VECTORS = Path(__file__).resolve().parents[3] / "vectors" / "text_fast_cipher.json"
CASES = json.loads(VECTORS.read_text("utf-8"))
PAT = "ghp_" + "aB3" * 12


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_vectors(case: dict[str, str]) -> None:
    key, tweak = bytes.fromhex(case["key"]), bytes.fromhex(case["tweak"])
    with FastCipherText(key, tweak) as text:
        assert text.protect(case["text"]) == case["token"]
        assert text.reveal(case["token"]) == case["text"]


def test_there_and_back() -> None:
    """As far as the packages themselves come back: keys side by side may be read as others."""
    with FastCipherText(bytes(16), b"tenant") as text:
        given = f"a {PAT}, b {PAT}; xoxb-123456-12345-abcDEF012345678\nAKIA{'A1' * 8} é"
        made = text.protect(given)
        assert made != given
        assert len(made) == len(given)
        assert text.reveal(made) == given
        assert PAT not in made
        only = text.protect(given, ["aws-access-key"])
        assert PAT in only
        assert text.reveal(only, ["aws-access-key"]) == given
    with FastCipherText(bytes(16)) as other:
        assert other.reveal(made) != given


def test_all_kinds_are_in_the_vectors() -> None:
    with FastCipherText(bytes(16)) as text:
        found = {
            name
            for case in CASES
            for name in NAMES
            if text.protect(case["text"], [name]) != case["text"]
        }
    assert found == {*NAMES}


def test_refused() -> None:
    with pytest.raises(ParameterError, match="16, 24 or 32 bytes; this one has 5"):
        FastCipherText(bytes(5))
    text = FastCipherText(bytes(16))
    with pytest.raises(ParameterError, match="no kind of key 'x'"):
        text.protect(PAT, ["x"])
    text.close()
    with pytest.raises(TallyError, match="closed"):
        text.protect(PAT)


def test_time_is_linear() -> None:
    """Many beginnings of keys, none of them complete."""
    with FastCipherText(bytes(16)) as text:
        text.protect("x")
        spent = []
        for size in (10_000, 40_000):
            begin = time.process_time()
            text.protect("sk-_-ghp_" * (size // 9))
            spent.append(time.process_time() - begin)
        assert spent[1] < 12 * spent[0] + 0.1
