# SPDX-License-Identifier: Apache-2.0
"""The base of all formats: it describes values, and transforms columns of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import Fault, FormatError
from tallystick.formats.faults import fault_at, first_lone_surrogate
from tallystick.formats.operation import Operation
from tallystick.formats.strings import too_large

SMALLEST_DOMAIN = 100
"""A domain of fewer values is refused, unless `allow_tiny_domain` allows it."""

SMALL_DOMAIN = 1_000_000
"""A domain of fewer values gets a warning: anyone who can protect values can list its tokens."""


FORMULAS = frozenset("=+-@")
"""Spreadsheets read a CSV field that begins with one of these characters as a formula."""


class Reason(StrEnum):
    """The reason why a value is invalid."""

    SHORT = "it has too few symbols to encrypt"
    LONG = "it has more symbols than the format allows (max_length)"
    FOREIGN = "it has a character that the format does not allow there"
    DELIMITER = "its delimiter is missing or repeated"
    CHECK = "its check digit is wrong"
    TWEAK = "its tweak is null or too long"
    NOTATION = "it is not written in the format's notation"
    RANGE = "it is outside the format's range"
    NORMAL = "it is not in Unicode normal form NFC"


REASONS: tuple[Reason | None, ...] = (None, *Reason)
"""Row statuses: the status of a row in `Outcome.status` is an index into this tuple; 0 is valid.
The first are those of the core's ``tally_row``, then those of its ``tally_number_row``, then
Python's.
"""


_OF_CHARACTERS = {Reason.FOREIGN, Reason.DELIMITER, Reason.CHECK, Reason.NOTATION, Reason.NORMAL}
"""The reasons for which a character may be at fault: that for a check digit if it is none."""


def status_of(reason: Reason) -> int:
    """Return the row status that stands for a reason."""
    return REASONS.index(reason)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A transformed column of n rows.

    Attributes
    ----------
    array : pyarrow.Array
        n values, of the type of the input. Invalid rows keep their value.
    status : numpy.ndarray of uint8, shape (n,)
        For each row an index into `REASONS`. Null rows have 0.
    small : int
        The number of rows whose domain is smaller than `SMALL_DOMAIN`.
    """

    array: pa.Array
    status: npt.NDArray[np.uint8]
    small: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(ABC):
    """A format: which values are valid, and which tokens they get.

    Tokens match the same format, except those of one-way formats.

    Attributes
    ----------
    one_way : bool
        Whether tokens can't be revealed.
    keyed : bool
        Whether the format needs a key and a namespace.
    allow_tiny_domain : bool
        Whether values with a domain of fewer than `SMALLEST_DOMAIN` values are accepted.
    label : str
        The format's name in policies and messages.
    """

    one_way: ClassVar[bool] = False
    keyed: ClassVar[bool] = True

    allow_tiny_domain: bool = False
    label: str = field(default="", compare=False)

    @property
    @abstractmethod
    def identity(self) -> Sequence[object]:
        """The facts that tokens depend on, beside key and namespace.

        Equal identities give equal tokens.

        It consists of strings, integers, booleans and sequences of them;
        ``docs/reference/tokens.md`` has the bytes.
        """

    @property
    @abstractmethod
    def smallest_domain(self) -> int | None:
        """The size of the domain of the shortest valid value.

        None: the format does not know it.
        """

    def domain_of(self, value: str) -> int | None:
        """Return the size of the domain of a valid value; None: it is not known.

        Parameters
        ----------
        value : str
            The value as text, for any type of column.
        """
        del value
        return self.smallest_domain

    @property
    @abstractmethod
    def examples(self) -> tuple[str, ...]:
        """One or two valid values."""

    @property
    def may_be_formula(self) -> bool:
        """Whether tokens may begin with a character of `FORMULAS` although values do not."""
        return False

    def accepts(self, kind: pa.DataType) -> bool:
        """Return whether the format accepts columns of an Arrow type."""
        return is_text(kind)

    def refusal(self, kind: pa.DataType) -> str:
        """Return the message for a column of a type that the format does not accept."""
        other = ""
        if pa.types.is_integer(kind):
            other = "; use the format 'integer', or convert the column to text"
        elif pa.types.is_floating(kind):
            other = "; no format takes this type: convert the column to text, integers or decimals"
        return f"format {self.label!r} can't be used for a column of type {kind}{other}"

    @abstractmethod
    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column.

        Parameters
        ----------
        values : pyarrow.Array
            n values of a type that the format accepts.
        operation : Operation
            The direction, key and tweaks; with row tweaks, there are n of them.
        """

    def fault(self, value: object, reason: Reason) -> Fault | None:
        """Return the invalid character of a value, if its reason is a character.

        Parameters
        ----------
        value : str, pyarrow.Scalar or another value
            Only text has characters.
        reason : Reason
            The reason. A check digit, a range or a length has no place.
        """
        if isinstance(value, pa.Scalar) and is_text(value.type) and value.is_valid:
            # Bytes that are not UTF-8 become lone surrogates, which no format allows.
            value = value.as_buffer().to_pybytes().decode(errors="surrogateescape")
        if not isinstance(value, str) or reason not in _OF_CHARACTERS:
            return None
        place = self._place_of_fault(value, reason)
        return fault_at(value, first_lone_surrogate(value) if place is None else place)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        """Return the place, from 0, of the character at fault; see `tallystick.formats.faults`."""
        del value, reason
        return None

    def check_domain(self) -> None:
        """Refuse a format whose tokens anyone can list.

        Raises
        ------
        FormatError
            `smallest_domain` is below `SMALLEST_DOMAIN`, and `allow_tiny_domain` is not set.
        """
        size = self.smallest_domain
        if size is not None and size < SMALLEST_DOMAIN and not self.allow_tiny_domain:
            raise FormatError(
                f"{self.label}: the smallest domain has only {size} values, so anyone who can "
                "protect values can compute all its tokens; widen the format, or set "
                "allow_tiny_domain = true"
            )


def is_text(kind: pa.DataType) -> bool:
    """Say whether an Arrow type is text that formats read."""
    return kind in (pa.string(), pa.large_string())


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Put outcomes of rows that follow each other together."""
    if len(outcomes) == 1:
        return outcomes[0]
    arrays = [outcome.array for outcome in outcomes]
    try:
        array = pa.concat_arrays(arrays)
    except pa.ArrowInvalid:
        raise too_large(arrays[0].type) from None
    status = np.concatenate([outcome.status for outcome in outcomes])
    return Outcome(array, status, sum(outcome.small for outcome in outcomes))
