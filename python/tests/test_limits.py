# SPDX-License-Identifier: Apache-2.0
"""Documented maximums: what is just as large is accepted, and what is one larger is refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tallystick import InvalidValueError, ParameterError, Tokenizer, formats
from tallystick._core import lib
from tallystick.errors import FormatError, PolicyError, RootKeyError
from tallystick.keyring import Keyring, RootKey, SharesRoot, gather, split_root
from tallystick.keyring.names import MAX_HOLDER
from tallystick.policy import Policy
from tallystick.threads import MOST_THREADS, thread_count
from tallystick.tokenizer import tweak_of

KEY = bytes(range(16))
MAX_TWEAK, MAX_PATTERN, MAX_SYMBOLS = 1024, 256, 2**16
MAX_POSITIONS = 64
"""Characters of a pattern that change, at most."""
POLICY = '[columns.a]\nformat = "digits"\nkey = "people:1"\nnamespace = "d"\n'


def test_symbols_of_a_text() -> None:
    form = formats.digits(max_length=MAX_SYMBOLS)
    tokenizer = Tokenizer(form, KEY, namespace="d")
    longest = "53042181" * (MAX_SYMBOLS // 8)
    assert tokenizer.reveal(tokenizer.protect(longest)) == longest
    with pytest.raises(InvalidValueError):
        tokenizer.protect(longest + "1")


def test_bytes_of_a_namespace() -> None:
    longest = "ü" * (lib.TALLY_MAX_NAMESPACE // 2)
    made = [Tokenizer(formats.digits(), KEY, namespace=name) for name in ("a", "b", longest)]
    assert len({tokenizer.protect("123456") for tokenizer in made}) == 3
    with pytest.raises(ParameterError):
        Tokenizer(formats.digits(), KEY, namespace=longest + "x")


def test_bytes_of_a_rows_tweak() -> None:
    form = formats.digits()
    tokenizer = Tokenizer(form, KEY, namespace="d", on_invalid="null")
    size = MAX_TWEAK - len(tweak_of(form, "d", rows=True))
    tweaks = pa.array(["t" * size, "t" * (size + 1)])
    made = tokenizer.protect(pa.array(["123456"] * 2), tweaks)
    assert made.is_null().to_pylist() == [False, True]
    assert tokenizer.reveal(made, tweaks).to_pylist() == ["123456", None]


def test_characters_of_a_pattern() -> None:
    rest = "-" * (MAX_PATTERN - MAX_POSITIONS)
    tokenizer = Tokenizer(formats.pattern(pattern="9" * MAX_POSITIONS + rest), KEY, namespace="d")
    value = "7" * MAX_POSITIONS + rest
    assert tokenizer.reveal(tokenizer.protect(value)) == value
    for more in ("9" * MAX_POSITIONS + rest + "-", "9" * (MAX_POSITIONS + 1)):
        with pytest.raises(FormatError):
            formats.pattern(pattern=more)


def test_bytes_of_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY + "#" * ((1 << 20) - len(POLICY)))
    assert len(Policy.load(path).rules) == 1
    path.write_text(POLICY + "#" * ((1 << 20) - len(POLICY) + 1))
    with pytest.raises(PolicyError, match="too large"):
        Policy.load(path)


def test_threads() -> None:
    assert thread_count(MOST_THREADS) == MOST_THREADS
    with pytest.raises(ParameterError):
        thread_count(MOST_THREADS + 1)


def test_files_of_a_folder_of_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMITS_ROOT", bytes(range(32)).hex())
    ring = Keyring.create(tmp_path / "ring.keys", RootKey.parse("env:LIMITS_ROOT"))
    ring.add("people")
    folder = tmp_path / "shares"
    longest = ["A" * MAX_HOLDER, "B" * MAX_HOLDER, "C"]
    with pytest.raises(ParameterError):
        split_root(ring, ["A" * (MAX_HOLDER + 1), "B", "C"], 2, tmp_path / "none")
    split_root(ring, longest, 2, folder)
    for number in range(gather.MAX_FILES - len(list(folder.iterdir()))):
        (folder / f"a{number}.txt").write_text("no share")
    reported: list[str] = []
    again = Keyring.open(ring.path, SharesRoot((str(folder),), tell=reported.append))
    assert again.key("people:1") == ring.key("people:1")
    (folder / "one more").write_text("no share")
    with pytest.raises(RootKeyError, match="more than 1000 files"):
        Keyring.open(ring.path, SharesRoot((str(folder),), tell=reported.append))
