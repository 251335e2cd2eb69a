# SPDX-License-Identifier: Apache-2.0
"""Tokens that never change: those of the formats that Go has too, and of the other ranges."""

from __future__ import annotations

import pytest

from tallystick import Tokenizer
from tallystick.formats import of_description
from vectors import load

KINDS = {
    "tokens": {
        *("digits", "hex", "letters", "alphanumeric", "base64url", "ascii", "alphabet", "card"),
        *("ssn", "phone", "email", "uuid", "date", "integer"),
    },
    "tokens_email": {"email"},
    "tokens_ranges": {"decimal", "timestamp", "imei", "ipv4", "ipv6"},
}


@pytest.mark.parametrize("name", KINDS)
def test_vectors(name: str) -> None:
    groups = load(name)
    assert {group["format"]["type"] for group in groups} == KINDS[name]
    for group in groups:
        form, key = of_description(group["format"]), bytes.fromhex(group["key"])
        tool = Tokenizer(form, key, namespace=group["namespace"])
        for row in group["tokens"]:
            assert tool.protect(row["value"], row.get("tweak")) == row["token"]
            assert tool.reveal(row["token"], row.get("tweak")) == row["value"]
