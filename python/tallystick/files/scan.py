# SPDX-License-Identifier: Apache-2.0
"""Reads the columns of files batch by batch, and writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.files.csv import csv_names, scan_csv
from tallystick.files.encodings import Encoding
from tallystick.files.job import Progress, ScanJob
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
    source: Place, *, kind: FileKind | None = None, csv: CsvOptions | None = None
) -> list[tuple[str, pa.DataType]]:
    """Return name and type of each column; those of CSV and JSON are text, unless JSON has others.

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
                return [(field.name, field.type) for field in file.schema]
        if chosen is FileKind.CSV:
            return [(name, pa.string()) for name in csv_names(source, dialect_of(source, csv))]
        with _open_json(source, csv) as stream:
            return json_types(stream, array=chosen is FileKind.JSON)


def all_columns_of(
    source: Place, *, kind: FileKind | None = None, csv: CsvOptions | None = None
) -> list[tuple[str, pa.DataType]]:
    """Return what `columns_of` does; of a column with others inside these, by their paths."""
    found = columns_of(source, kind=kind, csv=csv)
    return found if kind_of_source(source, kind).is_text else opened(pa.schema(found))


def _open_json(source: Place, csv: CsvOptions | None) -> AbstractContextManager[Source]:
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
    used = thread_count(threads)
    with file_errors(source), suppress(StopScan):
        chosen = kind_of_source(source, kind)
        check_form(source, chosen, csv or CsvOptions())
        if not chosen.is_text:
            with open_table(source, chosen) as file:
                return scan_table(file, jobs, progress, used)
        if chosen is FileKind.CSV:
            return scan_csv(source, jobs, dialect_of(source, csv), progress, used)
        with _open_json(source, csv) as stream:
            return scan_json(stream, jobs, progress, used, array=chosen is FileKind.JSON)
    return 0
