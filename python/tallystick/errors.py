# SPDX-License-Identifier: Apache-2.0
"""The errors of Tallystick: one small tree.

A message says what is wrong, where, and how to mend it; it never holds a value or a secret.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class TallyError(Exception):
    """The root of every error that this package raises on purpose."""


class ParameterError(TallyError, ValueError):
    """An argument is outside its documented range: a key size, a radix, a length, a symbol."""


class FormatError(TallyError, ValueError):
    """A format can't be made as described, or its domain is too small to protect anything."""


CharacterClass = Literal["letter", "digit", "space", "control", "other"]
"""All that a message says about a character."""


class Fault(NamedTuple):
    """The first character of an invalid value that its format does not allow there.

    Attributes
    ----------
    position : int
        In characters of the value, from 1.
    kind : CharacterClass
        Its class; the character itself is never told.
    """

    position: int
    kind: CharacterClass

    def __str__(self) -> str:
        """Return the words of a message."""
        names = {"control": "a control character", "other": "another character"}
        return f"{names.get(self.kind, f'a {self.kind}')}, character {self.position}"


class InvalidValueError(TallyError, ValueError):
    """A value does not fit its format.

    Attributes
    ----------
    reason : str
        Why, without the value: for example "fewer symbols than the format needs".
    row : int
        The row of the value in the batch or column given, from 0.
    fault : Fault or None
        The character at fault, if the reason is a character.
    """

    # The defaults let those make a copy who know of exceptions that there is a message.
    def __init__(
        self, message: str, *, reason: str = "", row: int = -1, fault: Fault | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.row = row
        self.fault = fault

    @property
    def why(self) -> str:
        """The reason, with the character at fault."""
        return with_fault(self.reason, self.fault)

    def moved(self, where: str, row: int | None = None, *, to_mend: str = "") -> InvalidValueError:
        """Return the same error with the place of the value as its caller knows it.

        Parameters
        ----------
        where : str
            Begins the message.
        row : int, optional
            The row as the caller counts; the same one if it is not given.
        to_mend : str
            Ends the message.
        """
        return InvalidValueError(
            f"{where}: {self.why}" + (f"; {to_mend}" if to_mend else ""),
            reason=self.reason,
            row=self.row if row is None else row,
            fault=self.fault,
        )


def with_fault(reason: str, fault: Fault | None) -> str:
    """Return why a value is invalid, with the character at fault if there is one."""
    return reason if fault is None else f"{reason} ({fault})"


class PolicyError(TallyError, ValueError):
    """A policy file is not valid; the message names the key in it."""


class KeyringError(TallyError):
    """A key ring can't be opened, is damaged, or lacks a key."""


class RootKeyError(KeyringError):
    """The root key is missing, malformed, readable by others, or not the key ring's."""


class NotProtectedWarning(UserWarning):
    """Columns of a table pass in clear, and the policy does not say that they may."""


class FileError(TallyError):
    """A data file can't be read or written as asked."""


class ShareError(TallyError, ValueError):
    """A share, or a set of shares, can't be used as asked.

    Attributes
    ----------
    index : int or None
        Which share of its set it says it is, if it is one share and says so. Not to be trusted.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class NotEnoughSharesError(ShareError):
    """Fewer good shares of one set than its threshold.

    Attributes
    ----------
    good : int
        The different good shares of the set that most of them are of.
    threshold : int or None
        What that set needs; None if no share is good.
    """

    def __init__(self, message: str, *, good: int, threshold: int | None) -> None:
        super().__init__(message)
        self.good = good
        self.threshold = threshold


class ShareTextError(ShareError):
    """The printed form of a share has typing errors, or is not whole.

    Attributes
    ----------
    line : int or None
        The first line to look at, by its printed number; None if no line can be named.
    group : int or None
        The first group to look at, from 1 in its line; None if only the line can be named.
    places : tuple of tuple of int
        Each group to look at, as (line, group).
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
