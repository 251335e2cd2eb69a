# SPDX-License-Identifier: Apache-2.0
"""JSON files: an object a line (NDJSON), or one array of objects. Every other byte stays.

The columns are the keys of the objects, and by paths what is inside nested ones. Strings and
numbers are replaced by strings and numbers; null stays null, and a missing key stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from tallystick.errors import FileError, ParameterError, PolicyError
from tallystick.files.encodings import Output
from tallystick.files.job import (
    ColumnJob,
    Done,
    Named,
    Progress,
    ScanJob,
    apply_job,
    check_columns,
    place,
)
from tallystick.files.json_records import BadJsonError, Block, JsonBlocks, Number
from tallystick.files.marker import Gate, OpenGate
from tallystick.files.pipeline import run_in_order
from tallystick.files.streams import Source
from tallystick.paths import Rows, is_inside, one_each, quoted

Result = TypeVar("Result")

_PLAIN = (str, type(None))
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def transform_json(
    source: Source,
    sink: Output,
    jobs: Sequence[ColumnJob],
    progress: Progress | None = None,
    threads: int = 1,
    gate: Gate | None = None,
    *,
    array: bool,
) -> Done:
    """Copy JSON to `sink` with the values of keys replaced.

    A job gets strings, and numbers as they are written. A value that stays keeps its bytes.

    Parameters
    ----------
    array : bool
        Whether the text is one array; if not it has an object a line.

    Raises
    ------
    FileError
        The text is not JSON of that shape, an object has a key twice, or no object has a job's key;
        a value is neither string, number nor null, or the new value of a number is not a number.
    InvalidValueError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    run = _Transfer(source, sink, jobs, progress, gate or OpenGate(), array=array)
    run.run(run.replaced, run.write, threads)
    return Done(run.blocks.rows, tuple(run.blocks.types), source.size)


def scan_json(
    source: Source,
    jobs: Sequence[ScanJob],
    progress: Progress | None = None,
    threads: int = 1,
    *,
    array: bool,
) -> int:
    """Hand the values of keys to `jobs`, and return the number of objects.

    Values that are neither string, number nor null are handed over as null.
    """
    run = _Scan(source, jobs, progress, array=array)
    run.run(run.read, run.tell, threads)
    return run.blocks.rows


def json_types(
    source: Source, *, array: bool, inside: Iterable[str] | None = ()
) -> list[tuple[str, pa.DataType]]:
    """Return all columns with the types of their values, by reading the whole text.

    Parameters
    ----------
    inside : iterable of str, optional
        A nested object or array counts as one column, unless one of these paths leads into it;
        None: what is inside all of them is columns.
    """
    run = _Scan(source, (), None, array=array, inside=inside)
    run.run(run.read, run.tell, 1)
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
    run = _Scan(source, [_Named(name) for name in names], None, array=array)

    def read(block: Block) -> Block:
        columns = []
        for name in names:
            values, _, rows = run.columns(block, _Named(name), strict=False)
            numbers = rows if isinstance(rows, int) else rows - block.row
            columns.append(one_each(values, numbers, len(block.records)))
        if block.records:
            take(columns, block.row)
        return block

    run.run(read, run.tell, 1)


@dataclass(frozen=True)
class _Named:
    """A column that is only read."""

    name: str
    others: Sequence[str] = ()

    def read(self, *_: object) -> None:
        """Do nothing."""


class _Run:
    """What a run over a text needs, whatever it does with the values."""

    def __init__(
        self,
        source: Source,
        used: Sequence[Named],
        progress: Progress | None,
        gate: Gate,
        *,
        array: bool,
        inside: Iterable[str] | None = (),
    ) -> None:
        self.stream = source
        self.source = source.place
        self.used = used
        self.progress = progress
        self.gate = gate
        names = [name for job in used for name in (job.name, *job.others)]
        check_columns(self.source, list(dict.fromkeys(names)), used, shown=True)
        wanted = {job.name: job.others for job in used}
        try:
            inside = None if inside is None else [*inside, *gate.paths]
            self.blocks = JsonBlocks(source, wanted, array=array, inside=inside)
        except ParameterError as error:
            raise PolicyError(f"{self.source}: {error}") from None
        self._done = 0

    def run(
        self, work: Callable[[Block], Result], finish: Callable[[Result], None], threads: int
    ) -> None:
        """Work on all blocks, and check at the end that the keys were there."""
        try:
            run_in_order(self._looked_at(), work, finish, threads=threads, ahead=2 * threads)
        except BadJsonError as error:
            where = place(self.source, error.record, error.line)
            raise FileError(f"{where}: {error.reason}") from None
        if self.blocks.rows:
            check_columns(self.source, list(self.blocks.types), self.used, shown=True)

    def _looked_at(self) -> Iterator[Block]:
        """Give the blocks; the gate looks at keys when they come up."""
        known = -1
        for block in self.blocks:
            if len(self.blocks.types) > known:
                known = len(self.blocks.types)
                self.gate.columns(list(self.blocks.types))
            yield block

    def tell(self, block: Block) -> None:
        """Report progress."""
        self._done += block.size
        if self.progress is not None:
            self.progress(self._done, self.stream.total)

    def columns(
        self, block: Block, job: Named, *, strict: bool
    ) -> tuple[pa.Array, list[pa.Array], Rows]:
        """Return the values of a job's columns, and their rows."""
        records = block.rows.get(job.name)
        others = zip(job.others, block.others[job.name], strict=True)
        return (
            self._array(block, job.name, block.values[job.name], records, strict=strict),
            [self._array(block, name, given, records, strict=strict) for name, given in others],
            block.row if records is None else block.row + np.array(records, np.int64),
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


class _Transfer(_Run):
    """One run of `transform_json`."""

    def __init__(
        self,
        source: Source,
        sink: Output,
        jobs: Sequence[ColumnJob],
        progress: Progress | None,
        gate: Gate,
        *,
        array: bool,
    ) -> None:
        super().__init__(source, jobs, progress, gate, array=array)
        self.sink = sink
        self.jobs = jobs

    def replaced(self, block: Block) -> tuple[Block, bytes]:
        """Make the text of a block with its values replaced."""
        edits: list[tuple[int, int, str]] = []
        for job in self.jobs if block.records else ():
            values, others, rows = self.columns(block, job, strict=True)
            line = block.lines_of(job.name)
            new = apply_job(job, values, others, rows, self.source, line)
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
        rows = zip(block.places[name], block.values[name], new, strict=True)
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
                where = self.where(block, row, name, block.rows.get(name))
                raise FileError(
                    f"{where}: the value is a JSON number, but the new value is not (for example, "
                    "it has a leading zero); use a format for numbers, for example integer, or "
                    "store the values as strings"
                )
            yield *at, text

    def write(self, done: tuple[Block, bytes]) -> None:
        """Write a block."""
        block, text = done
        self.sink.write(text)
        self.tell(block)


class _Scan(_Run):
    """One run of `scan_json`."""

    def __init__(
        self,
        source: Source,
        jobs: Sequence[ScanJob],
        progress: Progress | None,
        *,
        array: bool,
        inside: Iterable[str] | None = (),
    ) -> None:
        super().__init__(source, jobs, progress, OpenGate(), array=array, inside=inside)
        self.jobs = jobs

    def read(self, block: Block) -> Block:
        """Hand a block's values over."""
        for job in self.jobs if block.records else ():
            job.read(*self.columns(block, job, strict=False), block.lines_of(job.name))
        return block


def _is_halved(value: str | None) -> bool:
    return value is not None and any("\ud800" <= letter <= "\udfff" for letter in value)
