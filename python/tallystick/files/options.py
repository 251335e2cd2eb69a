# SPDX-License-Identifier: Apache-2.0
"""The options of a run over a file, and the dialect of CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallystick.errors import ParameterError
from tallystick.files.kinds import FileKind

if TYPE_CHECKING:
    from tallystick.files.job import Progress


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """The dialect of a CSV file."""

    delimiter: str | None = None
    """One ASCII character between fields; None: a tab in a .tsv file, else a comma."""
    quote: str | None = '"'
    """The ASCII character around fields that hold others; None: there are no quotes."""
    skip_initial_space: bool = False
    """Whether spaces before a field are not part of it. They stay where they are."""
    header: bool = True
    """Whether the first record names the columns; if not they are f0, f1, ..."""
    encoding: str | None = None
    """The encoding, by a name that Python knows; None: UTF-8."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """How files are read and written."""

    overwrite: bool = False
    """Whether an existing target may be replaced."""
    kind: FileKind | None = None
    """The type of the files. None: the source's name decides; see docs/reference/files.md."""
    csv: CsvOptions | None = None
    """The dialect of a CSV file. None: commas, and tabs for .tsv. Its encoding applies to other
    kinds of text too."""
    progress: Progress | None = None
    """Called from time to time with the amount done and the total (bytes of CSV, rows of
    Parquet); by one thread at a time, not always the caller's."""
    threads: int | None = None
    """The number of threads. None: one for each core that the process may use. With 1 the
    caller's thread does all the work. Output and errors do not depend on the number."""


DEFAULTS = FileOptions()
"""No option is given."""
