# SPDX-License-Identifier: Apache-2.0
"""JSON files: an object a line (NDJSON), or one array of objects. Every other byte stays.

The columns are the keys of the objects. Strings and numbers are replaced by strings and numbers;
null stays null, and a missing key stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import TypeVar

import pyarrow as pa

from tallystick.errors import FileError
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


def json_types(source: Source, *, array: bool) -> list[tuple[str, pa.DataType]]:
    """Return all keys with the types of their values, by reading the whole text."""
    run = _Scan(source, (), None, array=array)
    run.run(run.read, run.tell, 1)
    return list(run.blocks.types.items())


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
    ) -> None:
        self.stream = source
        self.source = source.place
        self.used = used
        self.progress = progress
        self.gate = gate
        wanted = [name for job in used for name in (job.name, *job.others)]
        check_columns(self.source, list(dict.fromkeys(wanted)), used, shown=True)
        self.blocks = JsonBlocks(source, wanted, array=array)
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

    def array(self, block: Block, name: str, *, strict: bool) -> pa.Array:
        """Return the values of a key; those that can't be protected are an error, or null."""
        values = block.values[name]
        others = [row for row, value in enumerate(values) if not isinstance(value, _PLAIN)]
        if others and strict:
            raise FileError(
                f"{self.where(block, others[0], name)}: neither a string, a number nor null; "
                "remove the key from the policy, or flatten the data"
            )
        if others:
            values = [value if isinstance(value, _PLAIN) else None for value in values]
        try:
            return pa.array(values, pa.string())
        except UnicodeEncodeError:
            row = next(row for row, value in enumerate(values) if _is_halved(value))
            where = self.where(block, row, name)
            raise FileError(
                f"{where}: half of a surrogate pair, which is not a character"
            ) from None

    def where(self, block: Block, row: int, name: str) -> str:
        """Name a place in the text."""
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
            values = self.array(block, job.name, strict=True)
            others = [self.array(block, name, strict=True) for name in job.others]
            new = apply_job(job, values, others, block.row, self.source, block.line_of)
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
                raise FileError(
                    f"{self.where(block, row, name)}: the value is a JSON number, but the new "
                    "value is not (for example, it has a leading zero); use a format for numbers, "
                    "for example integer, or store the values as strings"
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
    ) -> None:
        super().__init__(source, jobs, progress, OpenGate(), array=array)
        self.jobs = jobs

    def read(self, block: Block) -> Block:
        """Hand a block's values over."""
        for job in self.jobs if block.records else ():
            values = self.array(block, job.name, strict=False)
            others = [self.array(block, name, strict=False) for name in job.others]
            job.read(values, others, block.row, block.line_of)
        return block


def _is_halved(value: str | None) -> bool:
    return value is not None and any("\ud800" <= letter <= "\udfff" for letter in value)
