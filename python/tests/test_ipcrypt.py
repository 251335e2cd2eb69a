# SPDX-License-Identifier: Apache-2.0
"""Tokens of format ``ipcrypt`` are those of draft-denis-ipcrypt."""

from __future__ import annotations

from ipaddress import ip_address

import pyarrow as pa
import pytest

from tallystick import Tokenizer, formats
from tallystick.errors import InvalidValueError, ParameterError, PolicyError
from tallystick.formats import Reason
from tallystick.policy import Policy
from vectors import load

KEYS = {"deterministic": 16, "nd": 16, "ndx": 32, "pfx": 32}
RANDOM = ("nd", "ndx")
ADDRESSES = [
    *("0.0.0.1", "255.255.255.255", "10.0.0.1", "198.51.100.7", "198.51.100.8"),
    *("::", "::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::7", "::fffe:1:2"),
]
each_mode = pytest.mark.parametrize("mode", KEYS)


def tokenizer(mode: str, key: bytes | None = None, on_invalid: str = "error") -> Tokenizer:
    form = formats.ipcrypt(mode=mode)  # type: ignore[arg-type]
    return Tokenizer(
        form,
        key or bytes(range(KEYS[mode])),
        namespace="test",
        on_invalid=on_invalid,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "case", load("ipcrypt"), ids=lambda case: f"{case['mode']} {case['value']}"
)
def test_vectors(case: dict[str, str]) -> None:
    tool = tokenizer(case["mode"], bytes.fromhex(case["key"]))
    tweak = bytes.fromhex(case["tweak"]) or None
    assert tool.protect(case["value"], tweak) == case["token"]
    assert tool.reveal(case["token"], tweak) == tool.reveal(case["token"]) == case["value"]
    tweaks = None if tweak is None else pa.array([tweak] * 600)
    tokens = tool.protect(pa.array([case["value"]] * 600), tweaks)
    assert tokens.to_pylist() == [case["token"]] * 600


@each_mode
def test_columns_of_both_families(mode: str) -> None:
    tool = tokenizer(mode)
    values = pa.array([*ADDRESSES, None] * 50)
    tokens = tool.protect(values)
    assert tool.reveal(tokens).equals(values)
    assert (len(set(tokens.to_pylist())) == 501) is (mode in RANDOM)
    singly = [None if value is None else tool.protect(value) for value in ADDRESSES]
    if mode not in RANDOM:
        assert tokens.to_pylist()[: len(singly)] == singly
    assert tool.reveal(pa.array(singly)).to_pylist() == ADDRESSES


@each_mode
def test_no_encoding_shows_equal_values_of_random_modes(mode: str) -> None:
    tool = tokenizer(mode)
    plain = pa.array(["10.0.0.1", "10.0.0.1", None, "::1", "::1", "::1"])
    ends = pa.array([2, 3, 6], pa.int32())
    runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array(["10.0.0.1", None, "::1"]))
    for values in (plain.dictionary_encode(), runs):
        tokens = tool.protect(values)
        decoded = (
            tokens.dictionary_decode() if values is not runs else pa.compute.run_end_decode(tokens)
        )
        assert len(set(decoded.to_pylist())) == (6 if mode in RANDOM else 3)
        assert tool.reveal(decoded).equals(plain)


def test_prefixes_stay() -> None:
    tool = tokenizer("pfx")

    def common(one: str, other: str, width: int) -> int:
        return width - (int(ip_address(one)) ^ int(ip_address(other))).bit_length()

    for pair, width in ((("10.1.2.3", "10.1.200.3"), 32), (("2001:db8::1", "2001:db8:8::1"), 128)):
        first, second = map(tool.protect, pair)
        assert common(first, second, width) == common(*pair, width)


def test_invalid_values() -> None:
    tool = tokenizer("deterministic", on_invalid="null")
    wrong = ["", ".", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1..2.3"]
    wrong += ["::ffff:1.2.3.4", "::ffff:102:304", "2001:DB8::1", "fe80::1%eth0"]
    wrong += ["0:0:0:0:0:0:0:1", "x"]
    assert tool.protect(pa.array(wrong)).null_count == len(wrong)
    for token in ("", "00" * 23, "00" * 25, "AA" * 24, "0g" * 24, "198.51.100.7"):
        with pytest.raises(InvalidValueError) as info:
            tokenizer("nd").reveal(token)
        assert info.value.reason == Reason.NOTATION


def test_tweaks() -> None:
    for mode, size in (("nd", 8), ("ndx", 16)):
        tool = tokenizer(mode)
        token = tool.protect("::1", bytes(size))
        assert token.startswith("00" * size)
        with pytest.raises(InvalidValueError, match="tweak"):
            tool.reveal(token, b"\1" * size)
        with pytest.raises(InvalidValueError, match="tweak"):
            tool.protect("::1", bytes(size - 1))
    for mode in ("deterministic", "pfx"):
        with pytest.raises(InvalidValueError, match="tweak"):
            tokenizer(mode).protect("::1", b"12345678")


def test_keys_have_the_size_of_their_mode() -> None:
    for mode, size in KEYS.items():
        assert formats.ipcrypt(mode=mode).key_size == size  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=f"needs a key of {size} bytes .* not {48 - size}"):
            tokenizer(mode, bytes(range(48 - size)))
    with pytest.raises(ParameterError, match="halves differ"):
        tokenizer("pfx", bytes(32))
    assert formats.digits().key_size is None


def test_a_key_serves_one_mode_alone() -> None:
    rule = "columns.{} = {{ format = {{ type = '{}'{} }}, key = 'a:1', namespace = '{}' }}\n"
    one = rule.format("a", "ipcrypt", "", "n")
    assert Policy.parse(one + rule.format("b", "ipcrypt", "", "m"))
    for kind, options in (
        ("ipcrypt", ", mode = 'nd'"),
        ("digits", ""),
        ("digits", ", tweak_hex = ''"),
    ):
        with pytest.raises(PolicyError, match=r"key a:1 serves .*; give one of them another key"):
            Policy.parse(one + rule.format("b", kind, options, "m"))
