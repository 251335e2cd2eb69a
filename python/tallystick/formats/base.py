# SPDX-License-Identifier: Apache-2.0
"""What every format is: a description of values, and how a column of them is transformed."""

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
"""A domain of fewer values is refused unless that is allowed in so many words."""

SMALL_DOMAIN = 1_000_000
"""A domain of fewer values gets a warning: its tokens can be listed by who may ask for tokens."""


FORMULAS = frozenset("=+-@")
"""Spreadsheets take a field of CSV that begins with one of these for a formula."""


class Reason(StrEnum):
    """Why a value does not fit its format."""

    SHORT = "it has too few symbols to encrypt"
    LONG = "it has more symbols than the format allows (max_length)"
    FOREIGN = "it has a character that the format does not allow there"
    MARK = "its delimiter is missing or repeated"
    CHECK = "its check digit is wrong"
    TWEAK = "its tweak is null or too long"
    NOTATION = "it is not written in the format's notation"
    RANGE = "it is outside the format's range"
    NORMAL = "it is not in Unicode normal form NFC"


REASONS: tuple[Reason | None, ...] = (None, *Reason)
"""A row's status, as in `Outcome.status`, is an index into this; 0: it fits. They are numbered
as the core's ``tally_row``, on from there its ``tally_number_row``; the rest is Python's own."""


_OF_CHARACTERS = {Reason.FOREIGN, Reason.MARK, Reason.CHECK, Reason.NOTATION, Reason.NORMAL}
"""The reasons for which a character may be at fault: that for a check digit if it is none."""


def status_of(reason: Reason) -> int:
    """Return the row status that stands for a reason."""
    return REASONS.index(reason)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A transformed column.

    Attributes
    ----------
    array : pyarrow.Array
        Of the type and length of the input; rows that do not fit keep their value.
    status : numpy.ndarray of uint8, shape (rows,)
        For each row an index into `REASONS`; null rows have 0.
    small : int
        The rows whose domain is smaller than `SMALL_DOMAIN`.
    """

    array: pa.Array
    status: npt.NDArray[np.uint8]
    small: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(ABC):
    """What values look like, and what their tokens do: but for one-way formats, the same.

    Attributes
    ----------
    one_way : bool
        Whether nothing gives the values back.
    keyed : bool
        Whether it needs a key, and a namespace.
    allow_tiny_domain : bool
        Whether values are accepted of whose kind there are fewer than `SMALLEST_DOMAIN`.
    label : str
        What messages call the format: the name that a policy has for it.
    """

    one_way: ClassVar[bool] = False
    keyed: ClassVar[bool] = True

    allow_tiny_domain: bool = False
    label: str = field(default="", compare=False)

    @property
    @abstractmethod
    def identity(self) -> Sequence[object]:
        """What tokens depend on: equal identities under one key and namespace give equal tokens.

        Made of strings, integers, booleans and sequences of them; ``docs/reference/tokens.md`` has
        the bytes.
        """

    @property
    @abstractmethod
    def smallest_domain(self) -> int | None:
        """The number of values among which the shortest value that fits is hidden.

        None: the format does not say.
        """

    def domain_of(self, value: str) -> int | None:
        """Return the number of values among which one that fits is hidden; None: not known.

        Parameters
        ----------
        value : str
            As text, whatever the column's type.
        """
        del value
        return self.smallest_domain

    @property
    @abstractmethod
    def examples(self) -> tuple[str, ...]:
        """One or two values that fit."""

    @property
    def may_be_formula(self) -> bool:
        """Whether tokens may begin with a character of `FORMULAS` where values do not."""
        return False

    def accepts(self, kind: pa.DataType) -> bool:
        """Say whether columns of an Arrow type can have this format: text, if it says no more."""
        return is_text(kind)

    def refusal(self, kind: pa.DataType) -> str:
        """Say why a column of a type that is not accepted can't have this format."""
        other = ""
        if pa.types.is_integer(kind):
            other = "; the format 'integer' is for such columns, or make the column text"
        elif pa.types.is_floating(kind):
            other = "; no format is for such columns: make it text, integers or decimals"
        return f"format {self.label!r} can't be used for a column of type {kind}{other}"

    @abstractmethod
    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column.

        Parameters
        ----------
        values : pyarrow.Array
            Of a type that the format accepts.
        operation : Operation
            With row tweaks for as many rows, if for any.
        """

    def fault(self, value: object, reason: Reason) -> Fault | None:
        """Return the character at fault of a value that does not fit, if it is one.

        Parameters
        ----------
        value : str, pyarrow.Scalar or another value
            Only text has characters.
        reason : Reason
            Why it does not fit. A check digit, a range or a length has no place.
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
        """Refuse a format whose tokens can be listed by anybody.

        Raises
        ------
        FormatError
            If `smallest_domain` is below `SMALLEST_DOMAIN` and that is not allowed.
        """
        size = self.smallest_domain
        if size is not None and size < SMALLEST_DOMAIN and not self.allow_tiny_domain:
            raise FormatError(
                f"{self.label}: only {size} values share a token space, so "
                "their tokens can be listed; widen the format, or allow it with "
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
