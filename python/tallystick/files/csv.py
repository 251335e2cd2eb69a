# SPDX-License-Identifier: Apache-2.0
"""CSV files, block by block: replaced fields change, every other byte stays as it is.

That holds for quotes, line ends (also mixed), a byte order mark, spaces around fields, empty lines
and a missing last line end. Text is UTF-8 here; `streams` and `encodings` make it so.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Generic, TypeVar

import pyarrow as pa

from tallystick.errors import FileError
from tallystick.files.csv_blocks import BLOCK, Block, Blocks, RecordSizeError, Window
from tallystick.files.csv_records import BadRecordError, Records
from tallystick.files.encodings import Encoding, Output
from tallystick.files.job import (
    Batch,
    ColumnJob,
    FileReport,
    Job,
    ScanJob,
    Work,
    apply_job,
    check_columns,
    place,
)
from tallystick.files.options import CsvOptions
from tallystick.files.pipeline import run_in_order
from tallystick.files.places import Place
from tallystick.files.streams import Source, open_source

__all__ = ["CsvOptions", "csv_names", "scan_csv", "transform_csv"]

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def transform_csv(
    source: Source, sink: Output, options: CsvOptions, work: Work[ColumnJob]
) -> FileReport:
    """Copy a CSV file to `sink` with columns replaced.

    A field that was quoted stays quoted; another gets quotes if its new content needs them. An
    empty field is null, and null is written as an empty field. With several threads there are
    ``2 * threads + 1`` blocks in memory, each of some MiB, more only where records are larger.

    Raises
    ------
    FileError
        The file is no CSV of this dialect, not UTF-8, lacks a column, or has a record of more than
        `csv_blocks.LARGEST_RECORD` bytes. Row and line are named; the header is no row.
    InvalidValueError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    run = _Transfer(source, sink, options, work)
    return run.run(run.transformed, run.write)


def scan_csv(source: Place, options: CsvOptions, work: Work[ScanJob]) -> int:
    """Hand the columns of a CSV file to `jobs`, and return its rows; errors as `transform_csv`."""
    with open_source(source, Encoding.named(options.encoding)) as stream:
        run = _Scan(stream, BytesIO(), options, work)
        return run.run(run.read, run.done).rows


def csv_names(source: Place, options: CsvOptions) -> list[str]:
    """Return the names of the columns of a CSV file; none of an empty one without a header.

    Raises
    ------
    FileError
        It has no header that can be read.
    """
    with open_source(source, Encoding.named(options.encoding)) as stream:
        return _Scan(stream, BytesIO(), options, Work(())).names()


@dataclass(frozen=True, slots=True)
class _Written:
    """A block with the bytes that take its place; they lie in its memory."""

    block: Block
    text: memoryview


Result = TypeVar("Result")


class _Run(Generic[Job]):
    """What a run over a file needs, whatever it does with the columns."""

    def __init__(self, stream: Source, sink: Output, options: CsvOptions, work: Work[Job]) -> None:
        self.stream = stream
        self.source = stream.place
        self.sink = sink
        self.options = options
        self.work = work
        self.window = Window(stream)

    def run(self, act: Callable[[Block], Result], finish: Callable[[Result], None]) -> FileReport:
        """Act on all blocks."""
        names = self._start()
        if not names:
            return FileReport(0, (), self.stream.size)
        threads = self.work.threads
        run_in_order(self._whole_blocks(), act, finish, threads=threads, ahead=2 * threads)
        return FileReport(self.blocks.rows, tuple(names), self.stream.size)

    def names(self) -> list[str]:
        """Return the columns' names, and copy what is before the first row."""
        self._read_on()
        self._copy_mark()
        return self._names()

    def _start(self) -> list[str]:
        """Return the columns' names, and make `blocks`; none: there are no rows to come."""
        names = self.names()
        if not names:  # no header is asked for, and there is no record
            self._copy(len(self.window.data))
            return []
        check_columns(self.source, names, self.work.jobs, shown=False)
        self.work.gate.columns(names)
        used = self.work.names
        wanted = [index for index, name in enumerate(names) if name in used]
        self.index_of = {names[column]: index for index, column in enumerate(wanted)}
        self.blocks = Blocks(
            self.window, lambda most: Records(self.options, len(names), wanted, most)
        )
        return names

    def _whole_blocks(self) -> Iterator[Block]:
        try:
            yield from self.blocks
        except RecordSizeError as error:
            raise self._too_large(error, self.blocks.rows) from None

    def _copy_mark(self) -> None:
        while len(self.window.data) < len(_UTF8_MARK) and not self.window.ended:
            self._read_on()
        start = bytes(self.window.data[:3])
        if start.startswith(_UTF16_MARKS):
            raise FileError(f"{self.source}: the text is UTF-16; pass --encoding utf-16")
        if start == _UTF8_MARK:
            self._copy(len(start))

    def _names(self) -> list[str]:
        """Return the columns' names, and copy the header if it is there."""
        if self.options.header:
            self._skip_empty_lines()
        first = Records(self.options, 0, (), 1)
        while True:
            error = self.window.scan(first)
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
        self.window.scan(header)
        values = [header.gather(index)[0] for index in range(first.columns)]
        try:
            for value in values:
                value.validate(full=True)
        except pa.ArrowInvalid:
            raise FileError(
                f"{self.source}: the header is not UTF-8; pass its encoding with --encoding"
            ) from None
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
        try:
            self.window.fill()
        except RecordSizeError as error:
            raise self._too_large(error, 0) from None

    def _too_large(self, error: RecordSizeError, row: int) -> FileError:
        where = place(self.source, row, self._line(self.window.at))
        return FileError(
            f"{where}: {error}; check for a quote that is never closed, and for a wrong quote or "
            "delimiter"
        )

    def batches(self, block: Block) -> Iterator[tuple[Job, Batch]]:
        """Give each job its columns; none of a block without records."""
        if block.records.count == 0:
            return
        columns = {name: self._column(block, name, at) for name, at in self.index_of.items()}
        for job in self.work.jobs:
            others = [columns[name] for name in job.others]
            line = self._line_of(block, self.index_of[job.name])
            yield job, Batch(columns[job.name], others, block.row, line)

    def _line_of(self, block: Block, index: int) -> Callable[[int], int | None]:
        """Return what gives the line of a row of a block, where a column's field begins."""
        return lambda row: self._line(block.at + block.records.at(row, index))

    def done(self, block: Block) -> None:
        """Report progress, and release the block."""
        if self.work.progress is not None:
            self.work.progress(block.at + block.records.consumed, self.stream.total)
        self.blocks.release(block)

    def _column(self, block: Block, name: str, index: int) -> pa.StringArray:
        column, ascii_only = block.records.gather(index)
        if ascii_only:
            return column
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            row = _first_not_utf8(column)
            line = self._line(block.at + block.records.at(row, index))
            where = place(self.source, block.row + row, line, name)
            raise FileError(f"{where}: not UTF-8; pass its encoding with --encoding") from None
        return column

    def _bad(self, error: BadRecordError, block: Block) -> FileError:
        line = self._line(block.at + error.at)
        where = place(self.source, block.row + error.record, line)
        return FileError(f"{where}: {error.reason}")

    def _line(self, at: int) -> int | None:
        """Return the line of a byte of the file, from 1, by reading the file again."""
        line, before, buffer = 1, b"", memoryview(bytearray(BLOCK))
        with suppress(OSError, FileError), self.stream.again() as stream:
            if stream is None:
                return None
            while at > 0 and (size := stream.readinto(buffer[:at])):
                data = bytes(buffer[:size])
                at -= size
                line += data.count(b"\n") + data.count(b"\r") - (before + data).count(b"\r\n")
                before = data[-1:] if data.endswith(b"\r") else b""
            return line
        return None


class _Transfer(_Run[ColumnJob]):
    """One run of `transform_csv`."""

    def transformed(self, block: Block) -> _Written:
        """Make the text of a block with its columns replaced."""
        new = {
            self.index_of[job.name]: apply_job(job, batch, self.source)
            for job, batch in self.batches(block)
        }
        try:
            text = block.records.splice(new)
        except BadRecordError as error:
            raise self._bad(error, block) from None
        if block.error is not None:
            raise self._bad(block.error, block)
        return _Written(block, text)

    def write(self, written: _Written) -> None:
        """Write a block."""
        self.sink.write(written.text)
        self.done(written.block)


class _Scan(_Run[ScanJob]):
    """One run of `scan_csv`."""

    def read(self, block: Block) -> Block:
        """Hand a block's columns over."""
        for job, batch in self.batches(block):
            job.read(batch)
        if block.error is not None:
            raise self._bad(block.error, block)
        return block


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
