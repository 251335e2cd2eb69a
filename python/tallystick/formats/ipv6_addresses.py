# SPDX-License-Identifier: Apache-2.0
"""IPv6 addresses whose network stays: text of 32 hexadecimal digits, written shorter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import Format, Outcome, Reason, status_of
from tallystick.formats.faults import first_outside
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings, bitmap, of_one_width, rows_of_bytes
from tallystick.formats.text import TextFormat

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_PLAUSIBLE = r"\A[0-9a-f:]{2,39}\z"
_GROUPS = 8
_NIBBLES = 32
_MAX_PREFIX = 120
_EMPTY = 1 << 16  # the number that stands for no group

Groups = npt.NDArray[np.uint16]
"""Addresses, shape (rows, 8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ipv6Format(Format):
    """IPv6 addresses as RFC 5952 writes them (section 4); the network stays in clear.

    So lower case, no leading zeros, the longest run of zero groups as ``::``, no dotted part, no
    zone: an address has one notation, and revealing gives it back.

    Attributes
    ----------
    prefix : int
        The bits at the beginning that stay, 0..120, a multiple of 4; the rest is permuted among all
        its values, apart for each network.
    """

    prefix: int = 0
    label: str = field(default="ipv6", compare=False)

    def __post_init__(self) -> None:
        """Refuse a prefix that is none."""
        if not 0 <= self.prefix <= _MAX_PREFIX or self.prefix % 4:
            raise FormatError(
                f"ipv6: prefix (the bits that stay) must be 0..{_MAX_PREFIX} and a multiple of 4"
            )

    @property
    def _digits(self) -> TextFormat:
        return _digits_format(self.prefix // 4)

    @property
    def identity(self) -> Sequence[object]:
        """The prefix."""
        return ("ipv6", self.prefix)

    @property
    def smallest_domain(self) -> int:
        """The addresses of a network."""
        return int(2 ** (128 - self.prefix))

    @property
    def examples(self) -> tuple[str, ...]:
        """An address for documentation (RFC 3849)."""
        return ("2001:db8::7",)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        return first_outside(value, _DIGITS.tobytes().decode() + ":")

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column of text."""
        groups, fits = _read(values)
        outcome = self._digits.transform(_digits_of(groups, fits), operation)
        status = np.where(fits, outcome.status, status_of(Reason.NOTATION)).astype(np.uint8)
        if values.null_count:
            status[values.is_null().to_numpy(zero_copy_only=False)] = 0
        rows = pa.array(fits & (status == 0))
        written = _write(_groups_of(outcome.array)).cast(values.type)
        return Outcome(pc.if_else(rows, written, values), status, outcome.small)


@cache
def _digits_format(keep_first: int) -> TextFormat:
    return TextFormat(
        alphabet=_DIGITS.tobytes().decode("ascii"),
        keep_first=keep_first,
        min_length=_NIBBLES,
        max_length=_NIBBLES,
        label="ipv6",
    )


def _read(values: pa.Array) -> tuple[Groups, npt.NDArray[np.bool_]]:
    """Read addresses, and say which rows have one in its notation; the others have any groups."""
    Strings.of(values).ascending()
    plausible = pc.match_substring_regex(values, _PLAUSIBLE).fill_null(False)
    text = pc.if_else(plausible, values, "::")
    pieces = pc.split_pattern(text, ":")
    flat, counts = pieces.flatten(), pc.list_value_length(pieces).to_numpy(zero_copy_only=False)
    lengths = pc.binary_length(flat).to_numpy(zero_copy_only=False)
    numbers = _numbers(pc.if_else(pa.array(lengths <= 4), flat, ""))
    row = np.repeat(np.arange(len(values)), counts)
    left = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Groups before the first empty piece are counted from the left, those behind it from the right.
    gap = np.full(len(values), _GROUPS)
    empty = np.flatnonzero(lengths == 0)[::-1]
    gap[row[empty]] = left[empty]
    place = np.where(left < gap[row], left, _GROUPS - counts[row] + left)
    known = (lengths > 0) & (place >= 0) & (place < _GROUPS)
    groups = np.zeros((len(values), _GROUPS), np.uint16)
    groups[row[known], place[known]] = numbers[known]
    # Whatever is not written as it would be here is refused, so nothing else is looked at.
    same = pc.equal(_write(groups), text.cast(pa.string()))
    return groups, pc.and_(same, plausible).to_numpy(zero_copy_only=False)


def _write(groups: Groups) -> pa.Array:
    """Write addresses, with ``::`` for the first of the longest runs of two or more zero groups."""
    length, best, end = (np.zeros(len(groups), np.int64) for _ in range(3))
    for place in range(_GROUPS):
        length = (length + 1) * (groups[:, place] == 0)
        longer = length > best
        best[longer], end[longer] = length[longer], place
    start = np.where(best >= 2, end - best + 1, _GROUPS)
    parts = []
    for place in range(_GROUPS):
        # Of a run one piece is left, which is empty; and one more at an end of the address.
        inside = (start <= place) & (place <= end)
        left = (place == start) | ((place == 1) & (start == 0)) | (place == _GROUPS - 1)
        numbers = np.where(inside, _EMPTY, groups[:, place].astype(np.int64))
        parts.append(_group_texts().take(pa.array(numbers, mask=inside & ~left)))
    return pc.binary_join_element_wise(*parts, ":", null_handling="skip")


@cache
def _group_texts() -> pa.Array:
    """Make the text of each group, and the empty one."""
    octets = np.arange(_EMPTY, dtype=">u2").view(np.uint8).reshape(-1, 2)
    digits = _DIGITS[np.stack([octets >> 4, octets & 0xF], 2)]
    texts = pc.utf8_ltrim(of_one_width(digits.reshape(_EMPTY, 4)), "0").cast(pa.string())
    return pa.concat_arrays([pa.array(["0"]), texts[1:], pa.array([""])])


def _numbers(digits: pa.Array) -> Groups:
    """Read at most four hexadecimal digits in each row."""
    padded = pc.utf8_lpad(digits, 4, "0")
    return _of_nibbles(_held(padded, 4))[:, 0]


def _held(texts: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    """Return the digits of rows that all have so many, as numbers."""
    found = rows_of_bytes(texts, width)
    return (found & 0xF) + 9 * (found >> 6)


def _of_nibbles(nibbles: npt.NDArray[np.uint8]) -> Groups:
    """Put four digits each together."""
    octets = np.ascontiguousarray(nibbles[:, ::2] << 4 | nibbles[:, 1::2])
    return octets.view(">u2").astype(np.uint16)


def _groups_of(digits: pa.Array) -> Groups:
    """Return the addresses of 32 digits each; null rows have any."""
    return _of_nibbles(_held(digits, _NIBBLES))


def _digits_of(groups: Groups, fits: npt.NDArray[np.bool_]) -> pa.Array:
    """Write all 32 digits of each address; rows with invalid values are null."""
    octets = groups.astype(">u2").view(np.uint8)
    digits = np.empty((len(groups), _NIBBLES), np.uint8)
    digits[:, ::2], digits[:, 1::2] = _DIGITS[octets >> 4], _DIGITS[octets & 0xF]
    return of_one_width(digits, bitmap(fits))
