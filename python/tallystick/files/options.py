# SPDX-License-Identifier: Apache-2.0
"""The options of a run over a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallystick.files.csv_options import CsvOptions
from tallystick.files.kinds import FileKind

if TYPE_CHECKING:
    from tallystick.files.job import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """How files are read and written.

    Attributes
    ----------
    overwrite : bool
        Whether an existing target may be replaced.
    kind : FileKind or None
        The type of the files. None: the source's name decides; see docs/reference/files.md.
    csv : CsvOptions or None
        The dialect of a CSV file. None: commas, and tabs for .tsv. Its encoding applies to other
        kinds of text too.
    progress : callable or None
        Called from time to time with the amount done and the total (bytes of CSV, rows of
        Parquet); by one thread at a time, not always the caller's.
    threads : int or None
        The number of threads. None: one for each core that the process may use. With 1 the
        caller's thread does all the work. Output and errors do not depend on the number.
    """

    overwrite: bool = False
    kind: FileKind | None = None
    csv: CsvOptions | None = None
    progress: Progress | None = None
    threads: int | None = None


DEFAULTS = FileOptions()
"""No option is given."""
