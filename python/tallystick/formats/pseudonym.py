# SPDX-License-Identifier: Apache-2.0
"""Keyed one-way pseudonyms of text: a tag by HMAC-SHA-256, cut and written as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import FORMULAS, Reason, status_of
from tallystick.formats.one_way import OneWayFormat, text_of
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings

Notation = Literal["hex", "base32", "base64url"]
"""How a tag is written, most significant bit first: 4, 5 or 6 bits a character."""

_SYMBOLS: dict[str, str] = {
    "hex": "0123456789abcdef",
    "base32": "abcdefghijklmnopqrstuvwxyz234567",
    "base64url": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
}
_PURPOSE = b"tallystick pseudonym 1"
_TAG_BITS = 256
_LEAST_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudonymFormat(OneWayFormat):
    """Text replaced by pseudonyms: equal values have equal ones, and nobody gets a value back.

    Whoever has the key can still try values and compare.

    Attributes
    ----------
    notation : {"hex", "base32", "base64url"}
        See `Notation`; base32 is RFC 4648's in lower case, without padding, as base64url.
    length : int
        Characters of a pseudonym, at least 64 bits and at most 256. Of n values some two have equal
        pseudonyms with a chance of about n**2 / 2**(bits + 1): with 26 characters of base32, 130
        bits, never.
    """

    notation: Notation = "base32"
    length: int = 26
    label: str = field(default="pseudonym", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no pseudonym."""
        if self.notation not in _SYMBOLS:
            raise FormatError(
                f"pseudonym: notation must be one of {', '.join(map(repr, _SYMBOLS))}"
            )
        least, most = -(-_LEAST_BITS // self._bits), _TAG_BITS // self._bits
        if not least <= self.length <= most:
            raise FormatError(f"pseudonym: length must be {least}..{most} in {self.notation}")

    @property
    def _bits(self) -> int:
        return len(_SYMBOLS[self.notation]).bit_length() - 1

    @property
    def identity(self) -> Sequence[object]:
        """All of it."""
        return ("pseudonym", self.notation, self.length)

    @property
    def may_be_formula(self) -> bool:
        """Whether the notation has such a character."""
        return not FORMULAS.isdisjoint(_SYMBOLS[self.notation])

    @property
    def examples(self) -> tuple[str, ...]:
        """A name."""
        return ("Anne O'Neill",)

    def _replace(
        self, column: Strings, operation: Operation, status: npt.NDArray[np.uint8]
    ) -> pa.Array:
        messages = column
        if operation.row_tweaks is not None:
            lost = operation.lost(operation.row_tweaks)
            status[lost & _valid(column.array)] = status_of(Reason.TWEAK)
            messages = _with_tweaks(operation.row_tweaks, column.array)
        tags = operation.ciphers.tags(_PURPOSE, operation.tweak, messages.values, messages.offsets)
        values = _written(tags, self.notation, self.length)
        fits = _valid(column.array) & (status == 0)
        if not fits.all():
            # A null has no bytes; a row with an invalid value keeps it.
            return _beside(column, values, fits, status != 0, self)
        offsets = np.arange(len(column.array) + 1, dtype=np.int64) * self.length
        return text_of(column, values.reshape(-1), offsets)


def _valid(array: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False))


def _with_tweaks(tweaks: pa.Array, values: pa.Array) -> Strings:
    """Put before each value its row's tweak, behind the tweak's size in 4 bytes, big-endian."""
    plain = pc.fill_null(tweaks.cast(pa.large_binary()), b"")
    sizes = pc.binary_length(plain).to_numpy().astype(">u4")
    heads = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(4), len(sizes), [None, pa.py_buffer(sizes)]
    ).cast(pa.large_binary())
    texts = pc.fill_null(values.cast(pa.large_binary()), b"")
    nothing = pa.scalar(b"", pa.large_binary())
    return Strings.of(pc.binary_join_element_wise(heads, plain, texts, nothing)).compact()


def _written(tags: npt.NDArray[np.uint8], notation: str, length: int) -> npt.NDArray[np.uint8]:
    """Write the first bits of each tag as characters, shape (rows, length)."""
    symbols = np.frombuffer(_SYMBOLS[notation].encode("ascii"), np.uint8)
    bits = len(symbols).bit_length() - 1
    spread = np.unpackbits(tags[:, : -(-bits * length // 8)], axis=1)[:, : bits * length]
    digits = np.packbits(spread.reshape(-1, bits), axis=1)[:, 0] >> (8 - bits)
    return np.take(symbols, digits).reshape(len(tags), length)


def _beside(
    column: Strings,
    values: npt.NDArray[np.uint8],
    replaced: npt.NDArray[np.bool_],
    kept: npt.NDArray[np.bool_],
    form: PseudonymFormat,
) -> pa.Array:
    """Write the pseudonyms of some rows, and the values of others."""
    bounds = column.offsets.astype(np.int64)
    sizes = bounds[1:] - bounds[:-1]
    lengths = np.where(replaced, form.length, np.where(kept, sizes, 0))
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    out[np.repeat(replaced, lengths)] = values[replaced].reshape(-1)
    out[np.repeat(kept, lengths)] = column.values[np.repeat(kept, sizes)]
    return text_of(column, out, offsets)
