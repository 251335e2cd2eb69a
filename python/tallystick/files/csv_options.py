# SPDX-License-Identifier: Apache-2.0
"""The dialect of a CSV file."""

from __future__ import annotations

from dataclasses import dataclass

from tallystick.errors import ParameterError


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """The dialect of a CSV file.

    Attributes
    ----------
    delimiter : str or None
        One ASCII character between fields; None: a tab in a .tsv file, else a comma.
    quote : str or None
        The ASCII character around fields that hold others; None: there are no quotes.
    skip_initial_space : bool
        Whether spaces before a field are not part of it. They stay where they are.
    header : bool
        Whether the first record names the columns; if not they are f0, f1, ...
    encoding : str or None
        The encoding, by a name that Python knows; None: UTF-8.
    """

    delimiter: str | None = None
    quote: str | None = '"'
    skip_initial_space: bool = False
    header: bool = True
    encoding: str | None = None

    def __post_init__(self) -> None:
        """Refuse a dialect that can't be read back."""
        for what, text in (("delimiter", self.delimiter), ("quote", self.quote)):
            if text is not None and (len(text) != 1 or not text.isascii() or text in "\r\n\0"):
                raise ParameterError(
                    f"the CSV {what} must be one ASCII character, but not a line end"
                )
        if (self.delimiter or ",") == self.quote:
            raise ParameterError("the CSV delimiter and quote must be different characters")
        if self.skip_initial_space and " " in (self.delimiter, self.quote):
            raise ParameterError("a space can't be skipped and be the CSV delimiter or quote")
