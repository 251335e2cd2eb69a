# SPDX-License-Identifier: Apache-2.0
"""Masks and pseudonyms."""

from __future__ import annotations

import base64
import hmac

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from models.common import Model, Tokens


class MaskModel(Model):
    """Text whose characters are hidden but for some at the ends."""

    one_way = True

    def __init__(
        self,
        keep_first: int = 0,
        keep_last: int = 0,
        character: str = "*",
        separators: str = " -",
        width: int | None = None,
    ) -> None:
        self.keep_first, self.keep_last = keep_first, keep_last
        self.character, self.separators, self.width = character, separators, width
        marks = "".join(sorted(set(separators)))
        self.identity = ["mask", keep_first, keep_last, character, marks, width or 0]

    def domain(self, value: str) -> None:
        """Return None: it depends on the values."""

    def run(self, value: str, tokens: Tokens) -> str:
        """Hide characters."""
        del tokens
        places = [i for i, one in enumerate(value) if one not in self.separators]
        shown: list[int] = []
        behind: list[int] = []
        if len(places) >= 2 * (self.keep_first + self.keep_last):
            shown = places[: self.keep_first]
            behind = places[len(places) - self.keep_last :]
        if self.width is not None:
            hidden = self.character * self.width
            return "".join(value[i] for i in shown) + hidden + "".join(value[i] for i in behind)
        kept = {*shown, *behind}
        return "".join(
            one if i in kept or one in self.separators else self.character
            for i, one in enumerate(value)
        )


class PseudonymModel(Model):
    """The beginning of an HMAC."""

    one_way = True

    def __init__(self, notation: str = "base32", length: int = 26) -> None:
        self.notation, self.length = notation, length
        self.identity = ["pseudonym", notation, length]

    def domain(self, value: str) -> None:
        """Return None: it depends on the values."""

    def run(self, value: str, tokens: Tokens) -> str:
        """Compute the tag."""
        tokens.whole(self.identity_text)
        key = HKDF(SHA256(), 32, None, b"tallystick pseudonym 1").derive(tokens.key)
        message = tokens.head(self.identity_text)
        if tokens.tweak is not None:
            message += len(tokens.tweak).to_bytes(4, "big") + tokens.tweak
        tag = hmac.digest(key, message + value.encode(), "sha256")
        text = {
            "hex": tag.hex(),
            "base32": base64.b32encode(tag).decode().lower(),
            "base64url": base64.urlsafe_b64encode(tag).decode(),
        }[self.notation]
        return text[: self.length]
