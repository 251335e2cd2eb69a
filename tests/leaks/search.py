# SPDX-License-Identifier: Apache-2.0
"""What secrets look like in files, and where they are found."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from pathlib import Path


def traces(secret: bytes) -> set[bytes]:
    """Return what bytes look like raw, in hex, in base64 at any phase, and printed by Python."""
    found = {
        *(secret, secret.hex().encode(), secret.hex().upper().encode(), secret.hex(" ").encode()),
        *(repr(secret)[2:-1].encode(), str(list(secret))[1:-1].encode()),
        *(str(int.from_bytes(secret, order)).encode() for order in ("big", "little")),
    }
    for phase in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # Four symbols at each end may have bits of neighbours in them.
            found.add(encode(bytes(phase) + secret).rstrip(b"=")[4:-4])
    return found


def text_traces(text: str) -> set[bytes]:
    """Return what text looks like: as bytes, and in what Java and memory may have of it."""
    return {text.encode("utf-16-le"), text.encode("utf-16-be"), *traces(text.encode())}


def seen(needles: Mapping[str, Collection[bytes]], data: bytes) -> set[str]:
    """Return the names of the secrets that are in some bytes."""
    return {name for name, forms in needles.items() if any(form in data for form in forms)}


def holding(needles: Collection[bytes], *places: Path) -> list[str]:
    """Return which files, those of folders included, have one of these in them."""
    paths = [
        path
        for given in places
        for path in ([given] if given.is_file() else given.rglob("*"))
        if path.is_file()
    ]
    assert paths  # a search of nothing finds nothing
    return [
        str(path)
        for path in paths
        if any(needle in content for content in [path.read_bytes()] for needle in needles)
    ]
