# SPDX-License-Identifier: Apache-2.0
"""The exceptions and warnings of Tallystick.

A message says what is wrong, where, and how to fix it. It never contains a value or a secret.
"""

from typing import Literal, NamedTuple


class TallyError(Exception):
    """The base class of every error that this package raises on purpose."""


class ParameterError(TallyError, ValueError):
    """An argument is outside its documented range, such as a key size, a radix or a length."""


class FormatError(TallyError, ValueError):
    """A format's options are invalid, or its domain is too small to protect anything.

    Attributes
    ----------
    option : str
        The option at fault; empty if it is none, or several.
    """

    def __init__(self, message: str, *, option: str = "") -> None:
        super().__init__(message)
        self.option = option


CharacterClass = Literal["letter", "digit", "space", "control", "other"]
"""The class of a character: all that a message says about it."""


class Fault(NamedTuple):
    """The first character of an invalid value that its format does not allow there.

    Attributes
    ----------
    position : int
        The character's position in the value, from 1.
    kind : CharacterClass
        The character's class. The character itself is never part of a message.
    """

    position: int
    kind: CharacterClass

    def __str__(self) -> str:
        """Return the text for a message, such as ``a letter, character 3``."""
        names = {"control": "a control character", "other": "another character"}
        return f"{names.get(self.kind, f'a {self.kind}')}, character {self.position}"


_TO_MEND = (
    "correct the value, change the options of the format (such as case, separators or "
    "a wider range), or set on_invalid = 'null' or 'keep' for the column in the "
    "policy"
)
_TO_MEND_REVEALING = "it can't be a token of this policy; pass the policy that protected the data"


class InvalidValueError(TallyError, ValueError):
    """A value does not match its format.

    Attributes
    ----------
    reason : str
        The reason, without the value, such as "it has too few symbols to encrypt".
    row : int
        The row of the value in the given batch or column, from 0.
    column : str or None
        The policy's column, if the error is about data that a policy protects.
    fault : Fault or None
        The invalid character, if the reason is about a character.
    """

    # The defaults let those make a copy who know of exceptions that there is a message.
    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        row: int = -1,
        column: str | None = None,
        fault: Fault | None = None,
        mend: str = "",
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.row = row
        self.column = column
        self.fault = fault
        self._mend = mend

    @property
    def why(self) -> str:
        """The reason, with the invalid character's place and class if there is one."""
        return with_fault(self.reason, self.fault)

    def moved(
        self, where: str, row: int | None = None, column: str | None = None
    ) -> "InvalidValueError":
        """Return a copy of the error with another place.

        Parameters
        ----------
        where : str
            The place of the value, at the start of the message.
        row : int, optional
            The row as the caller counts it. By default the same row.
        column : str, optional
            The policy's column. By default the same column.
        """
        return self._copy(
            f"{where}: {self.why}",
            self.row if row is None else row,
            self.column if column is None else column,
        )

    def mended(self, *, decrypt: bool) -> "InvalidValueError":
        """Return a copy of the error that says how to mend a policy's data.

        Parameters
        ----------
        decrypt : bool
            Whether tokens were to be revealed.
        """
        mend = self._mend or (_TO_MEND_REVEALING if decrypt else _TO_MEND)
        return self._copy(f"{self}; {mend}", self.row, self.column)

    def _copy(self, message: str, row: int, column: str | None) -> "InvalidValueError":
        return InvalidValueError(
            message,
            reason=self.reason,
            row=row,
            column=column,
            fault=self.fault,
            mend=self._mend,
        )


def with_fault(reason: str, fault: Fault | None) -> str:
    """Return the reason, with the invalid character if there is one."""
    return reason if fault is None else f"{reason} ({fault})"


class PolicyError(TallyError, ValueError):
    """A policy is invalid, or does not allow the run. The message names the key or column."""


class KeyringError(TallyError):
    """A key ring can't be opened, is damaged, or lacks a key."""


class RootKeyError(KeyringError):
    """The root key is missing, malformed, readable by others, or of another key ring."""


class RootKeyLostError(RootKeyError):
    """The key that wraps the root key is no longer in its home."""


class RootKeyDeniedError(RootKeyError):
    """The home of the key that wraps the root key refuses to use it for us."""


class NotProtectedWarning(UserWarning):
    """Columns of a table pass in clear, and the policy does not allow it explicitly."""


class FileError(TallyError):
    """A data file can't be read or written as asked."""


class ShareError(TallyError, ValueError):
    """A share, or a set of shares, can't be used.

    Attributes
    ----------
    index : int or None
        The number that the share gives itself, if the error is about one share. Do not trust it.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class NotEnoughSharesError(ShareError):
    """There are fewer good shares of one set than its threshold.

    Attributes
    ----------
    good : int
        The number of different good shares of the largest set.
    threshold : int or None
        The number of shares that the set needs. None if no share is good.
    """

    def __init__(self, message: str, *, good: int, threshold: int | None) -> None:
        super().__init__(message)
        self.good = good
        self.threshold = threshold


class ShareTextError(ShareError):
    """The text of a printed share has typing errors, or is incomplete.

    Attributes
    ----------
    line : int or None
        The first line to check, by its printed number. None if no line is known.
    group : int or None
        The first group of that line to check, from 1. None if only the line is known.
    places : tuple of tuple of int
        Each group to check, as (line, group).
    """

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        group: int | None = None,
        places: tuple[tuple[int, int], ...] = (),
    ) -> None:
        super().__init__(message)
        self.line = line
        self.group = group
        self.places = places
