# SPDX-License-Identifier: Apache-2.0
"""What happens to a column: encryption or decryption with the ciphers of a key, under tweaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import lib
from tallystick.ciphers import Ciphers
from tallystick.formats.strings import Strings

MAX_TWEAK = int(lib.TALLY_FAST_MAX_ROW_TWEAK)
"""Bytes of a row's whole tweak, at most."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What happens to the rows of a column.

    Attributes
    ----------
    ciphers : Ciphers
        Of the key; a format asks for the radices it works with.
    tweak : bytes
        What the tweaks of all rows begin with.
    row_tweaks : pyarrow.Array of string or binary, shape (rows,), or None
        What is appended for each row; a row without one is invalid.
    decrypt : bool
        Whether tokens are taken back to values.
    """

    ciphers: Ciphers
    tweak: bytes
    row_tweaks: pa.Array | None
    decrypt: bool

    def slice(self, start: int, rows: int) -> Self:
        """Return the same for at most so many rows from one on."""
        if self.row_tweaks is None:
            return self
        return replace(self, row_tweaks=self.row_tweaks.slice(start, rows))

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """Return the same for chosen rows."""
        if self.row_tweaks is None:
            return self
        return replace(self, row_tweaks=self.row_tweaks.take(pa.array(rows)))

    def under(self, part: bytes) -> Self:
        """Return the same with one more part of the tweak, behind its size in 4 bytes."""
        return replace(self, tweak=self.tweak + len(part).to_bytes(4, "big") + part)

    def lost(self, row_tweaks: pa.Array, more: int = 0) -> npt.NDArray[np.bool_]:
        """Say which rows have no tweak, or a whole one too long by itself or with `more` bytes."""
        room = MAX_TWEAK - len(self.tweak) - more
        lost = np.diff(Strings.of(row_tweaks).offsets) > room
        if row_tweaks.null_count:
            lost |= row_tweaks.is_null().to_numpy(zero_copy_only=False)
        return lost
