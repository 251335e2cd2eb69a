# SPDX-License-Identifier: Apache-2.0
"""Records from the middle of a CSV file, without reading what is before them.

Behind a line end the next byte begins a record, or the line end was in a quoted field. Both are
tried. Where both can be read as records of the file's columns, only records that both have count:
after the first record that two readings share, they go on alike.
"""

import re
from io import FileIO

import pyarrow as pa

from tallystick.files.csv_records import Records
from tallystick.files.options import CsvOptions

SIZES = (256 << 10, 4 << 20)
"""Bytes of a stretch; the second is for records that are longer than the first."""

_LINE_END = re.compile(rb"\r\n|\n|\r")


class UnsureError(Exception):
    """Nothing shows where a record begins."""


def read_stretch(
    stream: FileIO, at: int, total: int, options: CsvOptions, columns: int
) -> list[pa.StringArray]:
    """Return columns of the records from about a place on, as many as a stretch has.

    `at`: the place, behind the file's beginning.
    `total`: the size of the file.
    `options`: the dialect, with a delimiter.
    `columns`: how many columns the file has.
    Raises `UnsureError`: no record can be found for sure, or what is there can't be read.
    """
    for size in SIZES:
        stream.seek(at)
        data = bytearray(stream.read(size) or b"")
        found = _records(data, at + len(data) >= total, options, columns)
        if found is not None:
            return found
    raise UnsureError


def _records(
    data: bytearray, last: bool, options: CsvOptions, columns: int
) -> list[pa.StringArray] | None:
    line_end = _LINE_END.search(data, 0, max(0, len(data) - 1))
    if line_end is None:
        return None
    start = line_end.end()
    outside = _read(data, start, last, options, columns)
    behind = _behind_quote(data, start, last, options, columns)
    inside = None if behind is None else _read(data, behind, last, options, columns)
    if outside is None or inside is None:
        only = outside or inside
        return None if only is None else _gathered(only, 0, columns)
    starts = {start + outside.at(record, 0): record for record in range(outside.count)}
    for record in range(inside.count):
        if behind is not None and behind + inside.at(record, 0) in starts:
            return _gathered(inside, record, columns)
    return None


def _read(
    data: bytearray, start: int, last: bool, options: CsvOptions, columns: int
) -> Records | None:
    """Read records from a place on; None: there is none, or something that is no record."""
    most = (len(data) - start) // columns + 1  # a record has a byte for each field, at least
    records = Records(options, columns, range(columns), most)
    error = records.scan(data, start, len(data), last=last)
    return records if error is None and records.count else None


def _behind_quote(
    data: bytearray, start: int, last: bool, options: CsvOptions, columns: int
) -> int | None:
    """Return where the first record begins if `start` is in a quoted field; None: it is not."""
    if options.quote is None:
        return None
    rest = Records(options, 0, (), 1)
    quoted = bytearray(options.quote.encode()) + data[start:]
    error = rest.scan(quoted, 0, len(quoted), last=last)
    if error is not None or rest.count == 0 or rest.columns > columns:
        return None
    return start + rest.consumed - 1


def _gathered(records: Records, first: int, columns: int) -> list[pa.StringArray]:
    found = []
    for index in range(columns):
        column, ascii_only = records.gather(index)
        if not ascii_only:
            try:
                column.validate(full=True)
            except pa.ArrowInvalid:
                raise UnsureError from None  # who reads the whole file says where it is not UTF-8
        found.append(column.slice(first))
    return found
