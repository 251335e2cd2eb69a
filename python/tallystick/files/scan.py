# SPDX-License-Identifier: Apache-2.0
"""Reads the columns of files batch by batch, and writes nothing."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress

import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.files.csv import csv_names, scan_csv
from tallystick.files.encodings import Encoding
from tallystick.files.job import Progress, ScanJob, Work
from tallystick.files.json import json_types, scan_json
from tallystick.files.kinds import FileKind
from tallystick.files.options import CsvOptions
from tallystick.files.places import Place
from tallystick.files.run import check_form, dialect_of, kind_of_source, open_table
from tallystick.files.streams import Source, open_source
from tallystick.files.tables import scan_table
from tallystick.paths import opened
from tallystick.threads import thread_count


class StopScan(Exception):  # noqa: N818  # not an error: what was wanted has been read
    """Raised by a job, ends the scan."""


def columns_of(
    source: Place,
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    inside: Iterable[str] | None = (),
) -> list[tuple[str, pa.DataType]]:
    """Return name and type of each column; those of CSV and JSON are text, unless JSON has others.

    Parameters
    ----------
    kind, csv
        As for `transform_file`.
    inside : iterable of str, optional
        Paths of columns inside others: a column that one of them leads into is not in the result,
        but those inside it are. None: this holds for all columns that have others inside.

    Raises
    ------
    FileError
        The file can't be read.
    """
    with file_errors(source):
        chosen = kind_of_source(source, kind)
        check_form(source, chosen, csv or CsvOptions())
        if not chosen.is_text:
            with open_table(source, chosen) as file:
                return opened(file.schema, inside)
        if chosen is FileKind.CSV:
            return [(name, pa.string()) for name in csv_names(source, dialect_of(source, csv))]
        with open_json(source, csv) as stream:
            return json_types(stream, array=chosen is FileKind.JSON, inside=inside)


def open_json(source: Place, csv: CsvOptions | None) -> AbstractContextManager[Source]:
    """Open JSON, in the encoding of the options."""
    return open_source(source, Encoding.named(None if csv is None else csv.encoding))


def scan_file(
    source: Place,
    jobs: Sequence[ScanJob],
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> int:
    """Hand columns of a file to jobs, batch by batch, and return the file's rows.

    Parameters are those of `transform_file`. A job that raises `StopScan` ends the scan; 0 is
    returned then.

    Raises
    ------
    FileError
        The file can't be read, or lacks a column.
    """
    work = Work(jobs, progress, thread_count(threads))
    with file_errors(source), suppress(StopScan):
        chosen = kind_of_source(source, kind)
        check_form(source, chosen, csv or CsvOptions())
        if not chosen.is_text:
            with open_table(source, chosen) as file:
                return scan_table(file, work)
        if chosen is FileKind.CSV:
            return scan_csv(source, dialect_of(source, csv), work)
        with open_json(source, csv) as stream:
            return scan_json(stream, work, array=chosen is FileKind.JSON)
    return 0
