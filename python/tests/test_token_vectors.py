# SPDX-License-Identifier: Apache-2.0
"""Tokens of decimals, timestamps, device numbers and addresses, which never change."""

from __future__ import annotations

import json
from pathlib import Path

from tallystick import Tokenizer
from tallystick.formats import READY

VECTORS = Path(__file__).parents[2] / "vectors" / "tokens_ranges.json"


def test_vectors() -> None:
    groups = json.loads(VECTORS.read_text(encoding="utf-8"))
    kinds = {group["format"]["type"] for group in groups}
    assert kinds == {"decimal", "timestamp", "imei", "ipv4", "ipv6"}
    for group in groups:
        options = dict(group["format"])
        form = READY[options.pop("type")](**options)
        tool = Tokenizer(form, bytes.fromhex(group["key"]), domain=group["domain"])
        for row in group["tokens"]:
            assert tool.protect(row["value"]) == row["token"]
            assert tool.reveal(row["token"]) == row["value"]
