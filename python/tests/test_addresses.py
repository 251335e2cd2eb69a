# SPDX-License-Identifier: Apache-2.0
"""IP addresses: the network stays, and an address has one notation."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import model_of
from models.common import Tokens
from tallystick import FormatError, InvalidValueError, Tokenizer, formats
from tallystick.formats import Format, Reason
from test_formats import in_hex

KEY = bytes(range(16))


def tokenizer(form: Format) -> Tokenizer:
    return Tokenizer(form, KEY, namespace="test")


@settings(max_examples=120)
@given(
    st.tuples(st.ip_addresses(v=4), st.integers(0, 25))
    | st.tuples(st.ip_addresses(v=6), st.integers(0, 30).map(lambda n: 4 * n))
)
def test_an_address_is_permuted_within_its_network(
    drawn: tuple[IPv4Address | IPv6Address, int],
) -> None:
    address, prefix = drawn
    kind = f"ipv{address.version}"
    value = str(address) if kind == "ipv4" else in_hex(address)
    token = tokenizer(formats.PRESETS[kind](prefix=prefix)).protect(value)
    assert ip_address(token) in ip_network((address, prefix), strict=False)
    model = model_of({"type": kind, "prefix": prefix})
    assert token == model.run(value, Tokens(KEY, "test", None, reveal=False))


@pytest.mark.parametrize(
    "form", [formats.ipv4(prefix=24), formats.ipv6(prefix=120)], ids=lambda f: f.label
)
def test_a_network_is_permuted(form: Format) -> None:
    network = ip_network("198.51.100.0/24" if form.label == "ipv4" else "2001:db8::/120")
    column = pa.array(map(str, network))
    tokens = tokenizer(form).protect(column)
    assert sorted(tokens.to_pylist()) == sorted(column.to_pylist()) != tokens.to_pylist()
    assert tokenizer(form).reveal(tokens).equals(column)
    assert tokenizer(form).outcome(column, decrypt=False).small == 256


@pytest.mark.parametrize(
    "form", [formats.ipv4(prefix=16), formats.ipv6(prefix=112)], ids=lambda f: f.label
)
def test_networks_are_permuted_apart(form: Format) -> None:
    if form.label == "ipv4":
        hosts = [[f"10.{net}.7.{host}" for host in range(60)] for net in (1, 2)]
    else:
        hosts = [[f"2001:db8::{net}:{host:x}" for host in range(1, 60)] for net in (1, 2)]
    last = [
        [token.replace(".", ":").split(":")[-1] for token in map(tokenizer(form).protect, column)]
        for column in hosts
    ]
    assert sum(a == b for a, b in zip(*last, strict=True)) < 10


NO_ADDRESSES = {
    "ipv4": [
        "1.2.3.256",
        "1.2..4",
        "a.b.c.d",
        "1.2.3.4\n",
        "1.2.3.4/24",
        "\N{ARABIC-INDIC DIGIT ONE}.2.3.4",
        "16909060",
    ],
    "ipv6": [
        ":::",
        "1",
        "1:2:3:4:5:6:7:0:",
        "::1::",
        "1::2::3",
        "1:2:3:4::6:7:8",
        "0:0::1",
        "1::0",
        "12345::",
        "::1%eth0",
        "::1/64",
        "::ffff:1.2.3.4",
        " ::1",
        "::1\n",
        "1" * 39,
        ":" * 39,
        "0:0:1:0:0:0:0:0",
        "1::1:0:0:1:1:1",
        "::0:0",
    ],
}
"""The vectors have more."""


@pytest.mark.parametrize(
    ("kind", "value"), [(kind, value) for kind, values in NO_ADDRESSES.items() for value in values]
)
def test_what_is_no_address(kind: str, value: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer(formats.PRESETS[kind]()).protect(value)
    assert caught.value.reason == Reason.NOTATION


@pytest.mark.parametrize(
    "value",
    [
        "0:1:2:3:4:5:6:7",
        "1:0:2:3:4:5:6:0",
        "::2:3:4:5:6:7",
        "1:2:3:4:5:6::",
        "1:0:0:1::1",
        "1::1:0:0:1:1",
        "::ffff:102:304",
    ],
)
def test_what_is(value: str) -> None:
    tool = tokenizer(formats.ipv6())
    assert tool.reveal(tool.protect(value)) == value


def test_notations_of_all_patterns_of_zero_groups() -> None:
    addresses = [
        IPv6Address(sum(0xA << 16 * i for i in range(8) if bits >> i & 1)) for bits in range(256)
    ]
    column = pa.array([in_hex(address) for address in addresses])
    assert [IPv6Address(text) for text in column.to_pylist()] == addresses
    tool = tokenizer(formats.ipv6(prefix=0))
    assert tool.reveal(tool.protect(column)).equals(column)


@pytest.mark.parametrize("prefix", [2, 128])
def test_ipv6_prefixes_that_can_not_be(prefix: int) -> None:
    with pytest.raises(FormatError, match="multiple of 4"):
        formats.ipv6(prefix=prefix)
