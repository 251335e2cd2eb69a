# SPDX-License-Identifier: Apache-2.0
"""One file into another of the same kind, with some columns replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.errors import FileError
from tallystick.files.csv import CsvOptions, transform_csv
from tallystick.files.encodings import Encodable, Encoding
from tallystick.files.ipc import open_ipc_file, open_ipc_stream
from tallystick.files.job import ColumnJob, Done, FileReport, Progress
from tallystick.files.json import transform_json
from tallystick.files.marker import SUFFIX, Gate, OpenGate, read_sidecar
from tallystick.files.orc import open_orc
from tallystick.files.parquet import open_parquet
from tallystick.files.places import STDIN, STDOUT, Place, Standard, compression_of, suffix_of
from tallystick.files.streams import Sink, open_source, open_target, text_sink
from tallystick.files.tables import TableFile, transform_table
from tallystick.mistaken import hint
from tallystick.threads import thread_count


class FileKind(StrEnum):
    """The kinds of file that can be transformed."""

    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    ARROWS = "arrows"
    ORC = "orc"
    NDJSON = "ndjson"
    JSON = "json"

    @property
    def has_metadata(self) -> bool:
        """Whether files of the kind carry their marker in them, not in a file beside them."""
        return not self.is_text

    @property
    def is_text(self) -> bool:
        """Whether files of the kind are text, which has an encoding."""
        return self in (FileKind.CSV, FileKind.NDJSON, FileKind.JSON)

    @property
    def is_stream(self) -> bool:
        """Whether files of the kind are read and written from beginning to end."""
        return self.is_text or self is FileKind.ARROWS


_KINDS = {
    ".csv": FileKind.CSV,
    ".tsv": FileKind.CSV,
    ".txt": FileKind.CSV,
    ".ndjson": FileKind.NDJSON,
    ".jsonl": FileKind.NDJSON,
    ".json": FileKind.JSON,
    ".parquet": FileKind.PARQUET,
    ".pq": FileKind.PARQUET,
    ".arrow": FileKind.ARROW,
    ".feather": FileKind.ARROW,
    ".arrows": FileKind.ARROWS,
    ".orc": FileKind.ORC,
}
_OPEN: dict[FileKind, Callable[[Place], AbstractContextManager[TableFile]]] = {
    FileKind.PARQUET: open_parquet,
    FileKind.ARROW: open_ipc_file,
    FileKind.ARROWS: open_ipc_stream,
    FileKind.ORC: open_orc,
}


def kind_of(place: Place) -> FileKind | None:
    """Return the kind of file that a name's suffix stands for, or None."""
    return _KINDS.get(suffix_of(place))


def transform_file(
    source: Place,
    target: Place,
    jobs: Sequence[ColumnJob],
    *,
    private: bool,
    overwrite: bool = False,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    gate: Gate | None = None,
) -> FileReport:
    """Write `target`: `source` with the columns of `jobs` replaced.

    Memory is bounded whatever the size of the file. The target appears when it is complete, or not
    at all; it may be the source itself if `overwrite` allows it.

    Parameters
    ----------
    source, target : Place
        Input and output: paths, `STDIN`, `STDOUT`. A name that ends in .gz, .bz2, .xz or .zst is
        that of a compressed file.
    jobs : sequence of ColumnJob
        What to replace; the order does not matter.
    private : bool
        Whether only the owner may read the target (mode 0600), as befits revealed values.
    overwrite : bool
        Whether a target that exists may be replaced.
    kind : FileKind, optional
        By default what the source's suffix says: see docs/reference/files.md.
    csv : CsvOptions, optional
        The dialect of a CSV file; by default commas, and tabs for .tsv. Its encoding is that of
        other text too.
    progress : callable, optional
        Called now and then with what is done and the total (bytes of CSV, rows of Parquet); by one
        thread at a time, not always the caller's.
    threads : int, optional
        How many work on the file at once; by default one for each core that the process may use.
        With 1 all is done by the caller's. What is written and raised does not depend on it.
    gate : Gate, optional
        Looks at the source's columns and marker before the first row is read, and gives the
        target's marker. By default all pass, and the marker stays. That of text is in a file
        beside the target; an old one there is removed before the target appears.

    Raises
    ------
    FileError
        A file can't be read or written as asked, or the source was changed while it was read.
    InvalidValueError
        A job met an invalid value.
    PolicyError
        Jobs contradict each other.
    ParameterError
        `threads` is below 1 or above `threads.MOST_THREADS`.
    """
    used = thread_count(threads)
    chosen = kind_of_source(source, kind or (kind_of(target) if source == STDIN else None))
    if kind is None and kind_of(target) not in (None, chosen):
        raise FileError(
            f"{target}: a {chosen} file is written, and its name says otherwise; give it another "
            "name, or say what is read (--type)"
        )
    options = dialect_of(target if isinstance(source, Standard) else source, csv)
    named = chosen is FileKind.CSV and not isinstance(target, Standard)
    if named and dialect_of(target, csv).delimiter != options.delimiter:
        raise FileError(
            f"{target}: its name says another delimiter than {options.delimiter!r}, which is "
            "written; give it another name, or let the policy say [csv] delimiter"
        )
    check_form(source, chosen, options)
    check_form(target, chosen, options)
    if isinstance(source, Path):
        with file_errors(source):  # before it is advised to replace what is the source in truth
            os.stat(source)
    gate = gate or OpenGate()
    found = marker = None
    if not chosen.has_metadata:
        found = read_sidecar(source)
        marker = gate.marker(found)
    with (
        file_errors(target),
        open_target(
            target,
            private=private,
            overwrite=overwrite,
            has_sidecar=not chosen.has_metadata,
            marker=marker,
        ) as sink,
    ):
        done = _transform(source, target, sink, jobs, chosen, options, progress, used, gate)
        text = not isinstance(source, Standard) and not chosen.has_metadata
        if text and read_sidecar(source) != found:
            raise FileError(
                f"{source}{SUFFIX}: was changed while {source} was read, so nothing was "
                "written; run it again when nobody writes to it, or on a copy"
            )
        return FileReport(done.rows, done.bytes_in, sink.tell(), done.columns)


def check_form(place: Place, kind: FileKind, options: CsvOptions) -> None:
    """Refuse what a kind of file can't be."""
    if kind.is_text:
        return
    if compression_of(place) is not None and not kind.is_stream:
        raise FileError(
            f"{place}: {kind} is read and written at several places, and compresses its columns "
            "by itself; unpack it, and give a name without that suffix"
        )
    if options.encoding is not None:
        raise FileError(
            f"{place}: {kind} is no text and has no encoding; leave --encoding out, or encoding of "
            "the policy's [csv]"
        )
    if place == STDOUT and os.isatty(1):
        raise FileError(f"{place}: is a terminal, and {kind} is no text; give a file, or a pipe")


def read_head(
    source: Place,
    columns: Sequence[tuple[str, str | None]],
    rows: int,
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    gate: Gate | None = None,
) -> list[Head]:
    """Read the first rows of some columns, as a job would be given them; nothing is written.

    Parameters
    ----------
    source : Place
        Input.
    columns : sequence of (name, name of the tweak column or None)
        What to read.
    rows : int
        How many rows, at most.
    kind, csv, gate
        As for `transform_file`.

    Raises
    ------
    FileError, PolicyError
        As for `transform_file`.
    """
    heads = [Head(name, tweak, rows) for name, tweak in columns]
    heads[-1].last = True
    nowhere = Path(os.devnull)
    with file_errors(source), nowhere.open("wb") as sink, suppress(_Enough):
        chosen = kind_of_source(source, kind)
        if gate is not None and not chosen.has_metadata:
            gate.marker(read_sidecar(source))
        options = dialect_of(source, csv)
        _transform(source, nowhere, sink, heads, chosen, options, None, 1, gate)
    return heads


class _Enough(Exception):  # noqa: N818  # not an error: the head has been read
    """Ends a run whose first rows were all that was wanted."""


class Head:
    """The first rows of a column; as a job, it takes them and changes nothing.

    Attributes
    ----------
    name : str
        The column.
    others : tuple of str
        Its tweak column, if any.
    values, tweaks : pyarrow.Array or None
        Their first rows; None if the file has none.
    """

    def __init__(self, name: str, tweak: str | None, rows: int) -> None:
        self.name = name
        self.others = () if tweak is None else (tweak,)
        self.rows = rows
        self.last = False
        self.values: pa.Array | None = None
        self.tweaks: pa.Array | None = None

    def apply(self, values: pa.Array, others: Sequence[pa.Array], first_row: int) -> pa.Array:
        """Take the first rows of the first batch."""
        self.values = values.slice(0, self.rows)
        self.tweaks = others[0].slice(0, self.rows) if others else None
        if self.last:
            raise _Enough
        return values


def kind_of_source(source: Place, kind: FileKind | None) -> FileKind:
    """Return the kind that is given, or that a file's name says.

    Raises
    ------
    FileError
        Neither says it.
    """
    chosen = kind or kind_of(source)
    if chosen is None and isinstance(source, Standard):
        raise FileError(f"{source}: what kind of data is it? Say so (--type)")
    if chosen is None and suffix_of(source) in (".xlsx", ".xls", ".xlsm", ".ods"):
        raise FileError(
            f"{source}: spreadsheets are not read, since formulas, formats and other sheets could "
            "not be written as they were, and may hold values too; export the sheet as CSV"
        )
    if chosen is None:
        raise FileError(
            f"{source}: what kind of file is it? Its name ends in none of {', '.join(_KINDS)}"
            + (hint(str(source), "a data file") or "; pass its type with --type")
        )
    return chosen


def open_table(source: Place, kind: FileKind) -> AbstractContextManager[TableFile]:
    """Open a file of typed columns.

    Raises
    ------
    FileError
        It is damaged, or not of the kind.
    """
    return _OPEN[kind](source)


def _transform(
    source: Place,
    target: Place,
    sink: Sink,
    jobs: Sequence[ColumnJob],
    kind: FileKind,
    csv: CsvOptions,
    progress: Progress | None,
    threads: int,
    gate: Gate | None,
) -> Done:
    if not kind.is_text:
        with open_table(source, kind) as file, text_sink(target, sink, None) as packed:
            return transform_table(file, packed, jobs, progress, threads, gate)
    encoding = Encoding.named(csv.encoding)
    if encoding is not None:
        jobs = [Encodable(job, encoding, source) for job in jobs]
    with open_source(source, encoding) as stream, text_sink(target, sink, encoding) as text:
        if kind is FileKind.CSV:
            return transform_csv(stream, text, jobs, csv, progress, threads, gate)
        array = kind is FileKind.JSON
        return transform_json(stream, text, jobs, progress, threads, gate, array=array)


def dialect_of(place: Place, csv: CsvOptions | None) -> CsvOptions:
    """Return the options with a delimiter: the one given, or what the file's name says."""
    options = csv or CsvOptions()
    if options.delimiter is not None:
        return options
    return replace(options, delimiter="\t" if suffix_of(place) == ".tsv" else ",")
