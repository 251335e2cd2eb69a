# SPDX-License-Identifier: Apache-2.0
"""E-mail addresses whose tokens are addresses at a reserved domain, where no mail is delivered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import Format, Outcome, Reason, status_of
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings, too_large
from tallystick.formats.text import TextFormat

_RESERVED = re.compile(r"(.+\.)?(.+\.(invalid|example|test)|example\.(com|net|org))")
"""Domains of RFC 2606 and RFC 6761 that belong to nobody."""
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
MARK = "="
"""What stands in a token for the @ of the value, so no value may have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailAtFormat(Format):
    """The whole address as the local part of an address at a domain that belongs to nobody.

    Attributes
    ----------
    inner : TextFormat
        An address with `MARK` instead of the @ is no value of it.
    at : str
        The domain, in lower case: it ends in ``.invalid``, ``.example`` or ``.test``, or is
        ``example.com``, ``example.net`` or ``example.org``, or below them.
    """

    inner: TextFormat
    at: str
    label: str = field(default="email", compare=False)

    def __post_init__(self) -> None:
        """Refuse domains that may be somebody's."""
        labels = self.at.split(".")
        whole = _RESERVED.fullmatch(self.at) and len(self.at) <= 253
        if not whole or not all(map(_LABEL.fullmatch, labels)):
            raise FormatError(
                f"{self.label}: at must be a reserved domain in lower case, such as "
                "'tokens.invalid': in .invalid, .example or .test, or example.com, example.net or "
                "example.org"
            )

    @property
    def identity(self) -> Sequence[object]:
        """That of the addresses, and the domain."""
        return ("email", self.at, *self.inner.identity)

    @property
    def smallest_domain(self) -> int:
        """That of the addresses."""
        return self.inner.smallest_domain

    def domain_of(self, value: str) -> int:
        """Count the addresses of the value's length."""
        return self.inner.domain_of(value)

    @property
    def examples(self) -> tuple[str, ...]:
        """Those of the addresses."""
        return self.inner.examples

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        if value.endswith(self._end):
            value = value.removesuffix(self._end).replace(MARK, "@")
        return self.inner._place_of_fault(value, reason)

    @property
    def _end(self) -> str:
        return f"@{self.at}"

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column of text."""
        Strings.of(values).ascending()
        act = self._reveal if operation.decrypt else self._protect
        return act(values, operation)

    def _protect(self, values: pa.Array, operation: Operation) -> Outcome:
        outcome = self.inner.transform(values, operation)
        local = pc.replace_substring(outcome.array.cast(pa.large_binary()), "@", MARK)
        end = pa.scalar(self._end.encode(), pa.large_binary())
        tokens = pc.binary_join_element_wise(local, end, pa.scalar(b"", pa.large_binary()))
        return Outcome(_where_valid(outcome, tokens, values), outcome.status, outcome.small)

    def _reveal(self, values: pa.Array, operation: Operation) -> Outcome:
        tokens = values.cast(pa.large_binary())
        ends = pc.ends_with(tokens, pattern=self._end)
        local = pc.replace_substring_regex(tokens, re.escape(self._end) + r"\z", "")
        addresses = pc.replace_substring(local, MARK, "@")
        addresses = pc.if_else(ends, addresses, pa.scalar(None, pa.large_binary()))
        outcome = self.inner.transform(addresses.view(pa.large_string()), operation)
        foreign = pc.invert(ends.fill_null(True)).to_numpy(zero_copy_only=False)
        outcome.status[foreign] = status_of(Reason.NOTATION)
        new = outcome.array.cast(pa.large_binary())
        return Outcome(_where_valid(outcome, new, values), outcome.status, outcome.small)


def _where_valid(outcome: Outcome, new: pa.Array, values: pa.Array) -> pa.Array:
    """Return the new values of valid rows beside the old ones of others, of the column's type."""
    mixed = pc.if_else(pa.array(outcome.status == 0), new, values.cast(pa.large_binary()))
    if values.type == pa.large_string():
        return mixed.view(values.type)
    try:
        return mixed.cast(pa.binary()).view(values.type)
    except pa.ArrowInvalid:
        raise too_large(values.type) from None
