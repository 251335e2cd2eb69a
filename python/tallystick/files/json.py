# SPDX-License-Identifier: Apache-2.0
"""JSON files: an object a line (NDJSON), or one array of objects. Every other byte stays.

The columns are the keys of the objects, and by paths what is inside nested ones. Strings and
numbers are replaced by strings and numbers; null stays null, and a missing key stays missing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from tallystick.errors import FileError, ParameterError, PolicyError
from tallystick.files.encodings import Output
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
from tallystick.files.json_records import BadJsonError, Block, JsonBlocks, Number
from tallystick.files.pipeline import run_in_order
from tallystick.files.streams import Source
from tallystick.paths import is_inside, one_each, quoted

Result = TypeVar("Result")

_PLAIN = (str, type(None))
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def transform_json(
    source: Source, sink: Output, work: Work[ColumnJob], *, array: bool
) -> FileReport:
    """Copy JSON to `sink` with the values of keys replaced.

    A job gets strings, and numbers as they are written. A value that stays keeps its bytes.

    `array`: whether the text is one array; if not it has an object a line.
    Raises `FileError`: the text is not JSON of that shape, an object has a key twice, or no object
    has a job's key; a value is neither string, number nor null, or the new value of a number is not
    a number. `InvalidValueError`, `PolicyError`: as `apply_job` and `check_columns` say.
    """
    run = _Transfer(source, work, array=array)

    def write(done: tuple[Block, bytes]) -> None:
        block, text = done
        sink.write(text)
        run.tell(block)

    run.run(run.replaced, write)
    return FileReport(run.blocks.rows, tuple(run.blocks.types), source.size)


def scan_json(source: Source, work: Work[ScanJob], *, array: bool) -> int:
    """Hand the values of keys to `jobs`, and return the number of objects.

    Values that are neither string, number nor null are handed over as null.
    """
    run = _Scan(source, work, array=array)
    run.run(run.read, run.tell)
    return run.blocks.rows


def json_types(
    source: Source, *, array: bool, inside: Iterable[str] | None = ()
) -> list[tuple[str, pa.DataType]]:
    """Return all columns with the types of their values, by reading the whole text.

    `inside`: a nested object or array counts as one column, unless one of these paths leads into
    it; None: what is inside all of them is columns.
    """
    run = _Scan(source, Work(()), array=array, inside=inside)
    run.run(run.read, run.tell)
    types = run.blocks.types
    hollow = [name for name, kind in types.items() if kind == pa.null() or pa.types.is_nested(kind)]
    outer = {name for name in hollow if any(is_inside(one, quoted(name)) for one in types)}
    return [
        (name, pa.string() if kind == pa.null() else kind)
        for name, kind in types.items()
        if name not in outer
    ]


def sample_json(
    source: Source,
    names: Sequence[str],
    take: Callable[[list[pa.Array], int], object],
    *,
    array: bool,
) -> None:
    """Hand columns to `take`, a value of each record, with the first record's number."""
    run = _Scan(source, Work([_Named(name) for name in names]), array=array)

    def read(block: Block) -> Block:
        columns = []
        for _, batch in run.batches(block, strict=False):
            rows = batch.rows if isinstance(batch.rows, int) else batch.rows - block.row
            columns.append(one_each(batch.values, rows, len(block.records)))
        if block.records:
            take(columns, block.row)
        return block

    run.run(read, run.tell)


@dataclass(frozen=True)
class _Named:
    """A column that is only read."""

    name: str
    others: Sequence[str] = ()

    def read(self, batch: Batch) -> None:
        """Do nothing."""


class _Run(Generic[Job]):
    """What a run over a text needs, whatever it does with the values."""

    def __init__(
        self,
        source: Source,
        work: Work[Job],
        *,
        array: bool,
        inside: Iterable[str] | None = (),
    ) -> None:
        self.stream = source
        self.source = source.place
        self.work = work
        check_columns(self.source, work.names, work.jobs, shown=True)
        wanted = {job.name: job.others for job in work.jobs}
        try:
            inside = None if inside is None else [*inside, *work.gate.paths]
            self.blocks = JsonBlocks(source, wanted, array=array, inside=inside)
        except ParameterError as error:
            raise PolicyError(f"{self.source}: {error}") from None
        self._done = 0

    def run(self, act: Callable[[Block], Result], finish: Callable[[Result], None]) -> None:
        """Act on all blocks, and check at the end that the keys were there."""
        threads = self.work.threads
        try:
            run_in_order(self._looked_at(), act, finish, threads=threads, ahead=2 * threads)
        except BadJsonError as error:
            where = place(self.source, error.record, error.line)
            raise FileError(f"{where}: {error.reason}") from None
        if self.blocks.rows:
            check_columns(self.source, list(self.blocks.types), self.work.jobs, shown=True)

    def _looked_at(self) -> Iterator[Block]:
        """Give the blocks; the gate looks at keys when they come up."""
        known = -1
        for block in self.blocks:
            if len(self.blocks.types) > known:
                known = len(self.blocks.types)
                self.work.gate.columns(list(self.blocks.types))
            yield block

    def tell(self, block: Block) -> None:
        """Report progress."""
        self._done += block.size
        if self.work.progress is not None:
            self.work.progress(self._done, self.stream.total)

    def batches(self, block: Block, *, strict: bool) -> Iterator[tuple[Job, Batch]]:
        """Give each job its columns; none of a block without records."""
        for job in self.work.jobs if block.records else ():
            taken = block.columns[job.name]
            records = taken.rows
            others = zip(job.others, taken.others, strict=True)
            yield (
                job,
                Batch(
                    self._array(block, job.name, taken.values, records, strict=strict),
                    [self._array(block, name, one, records, strict=strict) for name, one in others],
                    block.row if records is None else block.row + np.array(records, np.int64),
                    block.lines_of(job.name),
                ),
            )

    def _array(
        self,
        block: Block,
        name: str,
        values: list[Any],
        records: list[int] | None,
        *,
        strict: bool,
    ) -> pa.Array:
        """Return values of a column; those that can't be protected are an error, or null."""
        others = [row for row, value in enumerate(values) if not isinstance(value, _PLAIN)]
        if others and strict:
            where = self.where(block, others[0], name, records)
            raise FileError(
                f"{where}: neither a string, a number nor null; remove the key from the policy, or "
                "name what is inside it by a path"
            )
        if others:
            values = [value if isinstance(value, _PLAIN) else None for value in values]
        try:
            return pa.array(values, pa.string())
        except UnicodeEncodeError:
            row = next(row for row, value in enumerate(values) if _is_halved(value))
            where = self.where(block, row, name, records)
            raise FileError(
                f"{where}: half of a surrogate pair, which is not a character"
            ) from None

    def where(self, block: Block, value: int, name: str, records: list[int] | None) -> str:
        """Name the place of a value in the text."""
        row = value if records is None else records[value]
        return place(self.source, block.row + row, block.line_of(row), name)


class _Transfer(_Run[ColumnJob]):
    """One run of `transform_json`."""

    def replaced(self, block: Block) -> tuple[Block, bytes]:
        """Make the text of a block with its values replaced."""
        edits: list[tuple[int, int, str]] = []
        for job, batch in self.batches(block, strict=True):
            new = apply_job(job, batch, self.source)
            edits += self._edits(block, job.name, new.to_pylist())
        edits.sort()
        parts, at = [], 0
        for start, end, text in edits:
            parts += [block.text[at:start], text]
            at = end
        return block, "".join([*parts, block.text[at:]]).encode()

    def _edits(
        self, block: Block, name: str, new: list[str | None]
    ) -> Iterator[tuple[int, int, str]]:
        """Give what is to stand where, for values that change."""
        taken = block.columns[name]
        rows = zip(taken.places, taken.values, new, strict=True)
        for row, (at, old, value) in enumerate(rows):
            if at is None or old == value:
                continue
            if value is None:
                text = "null"
            elif not isinstance(old, Number):
                text = encode_basestring(value)
            elif _NUMBER.fullmatch(value):
                text = value
            else:
                where = self.where(block, row, name, taken.rows)
                raise FileError(
                    f"{where}: the value is a JSON number, but the new value is not (for example, "
                    "it has a leading zero); use a format for numbers, for example integer, or "
                    "store the values as strings"
                )
            yield *at, text


class _Scan(_Run[ScanJob]):
    """One run of `scan_json`."""

    def read(self, block: Block) -> Block:
        """Hand a block's values over."""
        for job, batch in self.batches(block, strict=False):
            job.read(batch)
        return block


def _is_halved(value: str | None) -> bool:
    return value is not None and any("\ud800" <= letter <= "\udfff" for letter in value)
