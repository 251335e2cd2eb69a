# SPDX-License-Identifier: Apache-2.0
"""The errors of Tallystick: one small tree.

A message says what is wrong, where, and how to mend it; it never holds a value or a secret.
"""

from __future__ import annotations


class TallyError(Exception):
    """The root of every error that this package raises on purpose."""


class ParameterError(TallyError, ValueError):
    """An argument is outside its documented range: a key size, a radix, a length, a symbol."""


class FormatError(TallyError, ValueError):
    """A format can't be made as described, or its domain is too small to protect anything."""


class UnfitError(TallyError, ValueError):
    """A value does not fit its format.

    Attributes
    ----------
    reason : str
        Why, without the value: for example "fewer symbols than the format needs".
    row : int
        The row of the value in the batch or column given, from 0.
    """

    # The defaults let those make a copy who know of exceptions that there is a message.
    def __init__(self, message: str, *, reason: str = "", row: int = -1) -> None:
        super().__init__(message)
        self.reason = reason
        self.row = row


class PolicyError(TallyError, ValueError):
    """A policy file is not valid; the message names the key in it."""


class KeyringError(TallyError):
    """A key ring can't be opened, is damaged, or lacks a key."""


class RootKeyError(KeyringError):
    """The root key is missing, malformed, readable by others, or not the key ring's."""


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
