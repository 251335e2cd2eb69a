# SPDX-License-Identifier: Apache-2.0
"""CSV files, block by block: replaced fields change, every other byte stays as it is.

That holds for quotes, line ends (also mixed), a byte order mark, spaces around fields, empty lines
and a missing last line end. Text is UTF-8.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedWriter, FileIO
from os import fstat
from pathlib import Path

import pyarrow as pa

from tallystick.errors import FileError
from tallystick.files.csv_records import BadRecordError, CsvOptions, Records
from tallystick.files.job import ColumnJob, Progress, apply_job, check_columns, place

__all__ = ["CsvOptions", "transform_csv"]

BLOCK = 4 << 20
"""Bytes read at once."""
MOST_RECORDS = 1 << 17
"""Records handed to a job at once, at most."""
LARGEST_RECORD = 256 << 20
"""Bytes of one record, at most: it must fit in memory."""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def transform_csv(
    source: Path,
    sink: BufferedWriter,
    jobs: Sequence[ColumnJob],
    options: CsvOptions,
    progress: Progress | None = None,
) -> int:
    """Copy a CSV file to `sink` with the columns of `jobs` replaced, and return its rows.

    A field that was quoted stays quoted; another gets quotes if its new content needs them. An
    empty field is null, and null is written as an empty field.

    Raises
    ------
    FileError
        The file is no CSV of this dialect, not UTF-8, lacks a column, or has a record of more than
        `LARGEST_RECORD` bytes. Row and line are named; the header is not counted as a row.
    UnfitError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    with source.open("rb", buffering=0) as stream:
        return _Transfer(source, stream, sink, jobs, options, progress).run()


class _Window:
    """The part of a file that is in memory."""

    def __init__(self, stream: FileIO) -> None:
        self._stream = stream
        self._buffer = bytearray(BLOCK)
        self._start = 0
        self._end = 0
        self.at = 0  # where the window begins in the file
        self.ended = False

    @property
    def data(self) -> memoryview:
        return memoryview(self._buffer)[self._start : self._end]

    def advance(self, size: int) -> None:
        self._start += size
        self.at += size

    def fill(self) -> bool:
        """Read on: to a whole block, or to twice what is there if that is much of a block already.

        Returns False if the window has reached the size of the largest record.
        """
        rest = bytes(self.data)
        if len(rest) >= LARGEST_RECORD:
            return False
        room = BLOCK if len(rest) <= BLOCK // 2 else min(2 * len(rest), LARGEST_RECORD)
        if len(self._buffer) < room:
            self._buffer = bytearray(room)
        self._buffer[: len(rest)] = rest
        self._start, self._end = 0, len(rest)
        view = memoryview(self._buffer)
        while self._end < room and not self.ended:
            count = self._stream.readinto(view[self._end : room])
            self._end += count or 0
            self.ended = not count
        return True


class _Transfer:
    """One run of `transform_csv`."""

    def __init__(
        self,
        source: Path,
        stream: FileIO,
        sink: BufferedWriter,
        jobs: Sequence[ColumnJob],
        options: CsvOptions,
        progress: Progress | None,
    ) -> None:
        status = fstat(stream.fileno())
        self.total = status.st_size
        self.seekable = stat.S_ISREG(status.st_mode)
        self.source = source
        self.sink = sink
        self.jobs = jobs
        self.options = options
        self.progress = progress
        self.window = _Window(stream)
        self.row = 0

    def run(self) -> int:
        self.window.fill()
        self._copy_mark()
        names = self._names()
        if not names:  # no header is asked for, and there is no record
            self._copy(len(self.window.data))
            return 0
        check_columns(self.source, names, self.jobs, shown=False)
        used = {name for job in self.jobs for name in (job.name, job.tweak) if name is not None}
        wanted = [index for index, name in enumerate(names) if name in used]
        index_of = {names[column]: index for index, column in enumerate(wanted)}
        records = Records(self.options, len(names), wanted, MOST_RECORDS)
        while True:
            error = records.scan(self.window.data, last=self.window.ended)
            self._transform(records, index_of)
            self.row += records.count
            if error is not None:
                raise self._bad(error, self.row)
            self.window.advance(records.consumed)
            if self.progress is not None:
                self.progress(self.window.at, self.total)
            if records.count == MOST_RECORDS:
                continue
            if self.window.ended:
                return self.row
            self._read_on()

    def _copy_mark(self) -> None:
        while len(self.window.data) < len(_UTF8_MARK) and not self.window.ended:
            self._read_on()
        start = bytes(self.window.data[:3])
        if start.startswith(_UTF16_MARKS):
            raise FileError(f"{self.source}: the text is UTF-16; convert it to UTF-8 first")
        if start == _UTF8_MARK:
            self._copy(len(start))

    def _names(self) -> list[str]:
        """Return the columns' names, and copy the header if it is there."""
        if self.options.header:
            self._skip_empty_lines()
        first = Records(self.options, 0, (), 1)
        while True:
            error = first.scan(self.window.data, last=self.window.ended)
            if error is not None:
                raise FileError(f"{self.source}: the first record: {error.reason}")
            if first.count == 1:
                break
            if self.window.ended:
                if self.options.header:
                    raise FileError(f"{self.source}: there is no header, the file is empty")
                return []
            self._read_on()
        if not self.options.header:
            return [f"f{index}" for index in range(first.columns)]
        header = Records(self.options, first.columns, range(first.columns), 1)
        header.scan(self.window.data, last=self.window.ended)
        values = [header.gather(index) for index in range(first.columns)]
        try:
            for value in values:
                value.validate(full=True)
        except pa.ArrowInvalid:
            raise FileError(f"{self.source}: the header is not UTF-8; convert the file") from None
        self._copy(header.consumed)
        return [value[0].as_py() or "" for value in values]

    def _skip_empty_lines(self) -> None:
        """Copy empty lines before the header: they are none of a single column's records."""
        while True:
            data = bytes(self.window.data)
            text = data.lstrip(b"\r\n")
            self._copy(len(data) - len(text))
            if text or self.window.ended:
                return
            self._read_on()

    def _copy(self, size: int) -> None:
        self.sink.write(self.window.data[:size])
        self.window.advance(size)

    def _read_on(self) -> None:
        if not self.window.fill():
            where = place(self.source, self.row, self._line(self.window.at))
            raise FileError(
                f"{where}: a record of more than {LARGEST_RECORD >> 20} MiB; perhaps a quote is "
                "never closed, or quote or delimiter are not those given"
            )

    def _transform(self, records: Records, index_of: dict[str, int]) -> None:
        """Write the records that were found, with their columns replaced."""
        columns: dict[str, pa.StringArray] = {}
        new = {}
        if records.count > 0:
            for name, index in index_of.items():
                columns[name] = self._column(records, name, index)
        for job in self.jobs if records.count > 0 else ():
            index = index_of[job.name]

            def line(row: int, index: int = index) -> int | None:
                return self._line(self.window.at + records.at(row, index))

            tweaks = None if job.tweak is None else columns[job.tweak]
            new[index] = apply_job(job, columns[job.name], tweaks, self.row, self.source, line)
        try:
            self.sink.write(records.splice(new))
        except BadRecordError as error:
            raise self._bad(error, self.row + error.record) from None

    def _column(self, records: Records, name: str, index: int) -> pa.StringArray:
        column = records.gather(index)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            row = _first_not_utf8(column)
            line = self._line(self.window.at + records.at(row, index))
            where = place(self.source, self.row + row, line, name)
            raise FileError(f"{where}: not UTF-8; convert the file to UTF-8 first") from None
        return column

    def _bad(self, error: BadRecordError, row: int) -> FileError:
        where = place(self.source, row, self._line(self.window.at + error.at))
        return FileError(f"{where}: {error.reason}")

    def _line(self, at: int) -> int | None:
        """Return the line of a byte of the file, from 1, by reading the file again."""
        if not self.seekable:
            return None
        line, before = 1, b""
        with suppress(OSError), self.source.open("rb") as stream:
            while at > 0 and (data := stream.read(min(at, BLOCK))):
                at -= len(data)
                line += data.count(b"\n") + data.count(b"\r") - (before + data).count(b"\r\n")
                before = data[-1:] if data.endswith(b"\r") else b""
            return line
        return None


def _first_not_utf8(column: pa.StringArray) -> int:
    """Return the first row that is not UTF-8; only for an array that has one."""
    validity, offsets, values = column.buffers()
    raw = pa.Array.from_buffers(pa.binary(), len(column), [validity, offsets, values])
    for row, value in enumerate(raw):
        try:
            (value.as_py() or b"").decode("utf-8")
        except UnicodeDecodeError:
            return row
    raise AssertionError("all rows are UTF-8")
