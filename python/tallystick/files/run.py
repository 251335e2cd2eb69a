# SPDX-License-Identifier: Apache-2.0
"""One file into another of the same kind, with some columns replaced."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from tallystick.errors import FileError
from tallystick.files.atomic import complete_file
from tallystick.files.csv import CsvOptions, transform_csv
from tallystick.files.job import ColumnJob, FileReport, Progress
from tallystick.files.parquet import transform_parquet


class FileKind(StrEnum):
    """The kinds of file that can be transformed."""

    CSV = "csv"
    PARQUET = "parquet"


_KINDS = {
    ".csv": FileKind.CSV,
    ".tsv": FileKind.CSV,
    ".txt": FileKind.CSV,
    ".parquet": FileKind.PARQUET,
    ".pq": FileKind.PARQUET,
}


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of file that a name's suffix stands for, or None."""
    return _KINDS.get(path.suffix.lower())


def transform_file(
    source: Path,
    target: Path,
    jobs: Sequence[ColumnJob],
    *,
    private: bool,
    overwrite: bool = False,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    progress: Progress | None = None,
) -> FileReport:
    """Write `target`: `source` with the columns of `jobs` replaced.

    Memory is bounded whatever the size of the file. The target appears when it is complete, or not
    at all; it may be the source itself if `overwrite` allows it.

    Parameters
    ----------
    source, target : pathlib.Path
        Input and output.
    jobs : sequence of ColumnJob
        What to replace; the order does not matter.
    private : bool
        Whether only the owner may read the target (mode 0600), as befits revealed values.
    overwrite : bool
        Whether a target that exists may be replaced.
    kind : FileKind, optional
        By default what the source's suffix says: .csv, .tsv, .txt, .parquet, .pq.
    csv : CsvOptions, optional
        The dialect of a CSV file; by default commas, and tabs for .tsv.
    progress : callable, optional
        Called now and then with what is done and the total (bytes of CSV, rows of Parquet).

    Raises
    ------
    FileError
        A file can't be read or written as asked.
    UnfitError
        A job met a value that does not fit.
    PolicyError
        Jobs contradict each other.
    """
    chosen = kind or kind_of(source)
    if chosen is None:
        raise FileError(
            f"{source}: what kind of file is it? Its name ends in none of {', '.join(_KINDS)}"
        )
    if kind is None and kind_of(target) not in (None, chosen):
        raise FileError(f"{target}: a {chosen} file is written, and its name says otherwise")
    try:
        with complete_file(target, private=private, overwrite=overwrite) as sink:
            if chosen is FileKind.PARQUET:
                rows = transform_parquet(source, sink, jobs, progress)
            else:
                tabs = source.suffix.lower() == ".tsv"
                options = csv or CsvOptions(delimiter="\t" if tabs else ",")
                rows = transform_csv(source, sink, jobs, options, progress)
            return FileReport(rows, source.stat().st_size, sink.tell())
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"{error.filename or target}: {reason}") from error
