# SPDX-License-Identifier: Apache-2.0
"""One file into another of the same kind, with some columns replaced."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.errors import FileError
from tallystick.files.csv import transform_csv
from tallystick.files.encodings import Encodable, Encoding
from tallystick.files.ipc import open_ipc_file, open_ipc_stream
from tallystick.files.job import ColumnJob, DictionaryJob, FileReport, Work
from tallystick.files.json import transform_json
from tallystick.files.kinds import KINDS, FileKind, kind_of
from tallystick.files.marker import Gate, OpenGate, read_sidecar
from tallystick.files.objects import Sink
from tallystick.files.options import DEFAULTS, CsvOptions, FileOptions
from tallystick.files.orc import open_orc
from tallystick.files.parquet import open_parquet
from tallystick.files.places import (
    MARKER_SUFFIX,
    STDIN,
    STDOUT,
    Place,
    Standard,
    compression_of,
    suffix_of,
)
from tallystick.files.streams import open_source, open_target, text_sink
from tallystick.files.tables import TableFile, transform_table
from tallystick.mistaken import hint
from tallystick.paths import Rows
from tallystick.threads import thread_count

_OPEN: dict[FileKind, Callable[[Place], AbstractContextManager[TableFile]]] = {
    FileKind.PARQUET: open_parquet,
    FileKind.ARROW: open_ipc_file,
    FileKind.ARROWS: open_ipc_stream,
    FileKind.ORC: open_orc,
}


def transform_file(
    source: Place,
    target: Place,
    jobs: Sequence[ColumnJob],
    options: FileOptions = DEFAULTS,
    *,
    private: bool,
    gate: Gate | None = None,
) -> FileReport:
    """Write `target`: `source` with the columns of `jobs` replaced.

    Memory is bounded at any size of the file. The target appears only when it is complete; it may
    be the source itself if `overwrite` allows it.

    Parameters
    ----------
    source, target : Place
        Input and output: paths, addresses, `STDIN`, `STDOUT`. A file is compressed if its name ends
        in .gz, .bz2, .xz or .zst.
    jobs : sequence of ColumnJob
        The changes to columns; their order does not matter.
    options : FileOptions
        How files are read and written.
    private : bool
        Whether only the owner may read the target (mode 0600), for example for revealed values.
    gate : Gate, optional
        Checks the source's columns and marker before the first row is read, and returns the
        target's marker. By default every source passes, and the marker stays. For text the marker
        is a file beside the target; an old one there is removed before the target appears.

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
    used = thread_count(options.threads)
    given = options.kind or (kind_of(target) if source == STDIN else None)
    chosen = kind_of_source(source, given)
    if options.kind is None and kind_of(target) not in (None, chosen):
        raise FileError(
            f"{target}: the run writes a {chosen} file, but the name has another ending; change "
            "the name, or pass the type of the source with --type"
        )
    csv = dialect_of(target if isinstance(source, Standard) else source, options.csv)
    named = chosen is FileKind.CSV and not isinstance(target, Standard)
    if named and dialect_of(target, options.csv).delimiter != csv.delimiter:
        raise FileError(
            f"{target}: the run writes the delimiter {csv.delimiter!r}, but the name's ending "
            "stands for another; change the name, or set delimiter in the policy's [csv]"
        )
    check_form(source, chosen, csv)
    check_form(target, chosen, csv)
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
            overwrite=options.overwrite,
            has_sidecar=not chosen.has_metadata,
            marker=marker,
        ) as sink,
    ):
        work = Work(jobs, options.progress, used, gate)
        done = _transform(source, target, sink, work, chosen, csv)
        text = not isinstance(source, Standard) and not chosen.has_metadata
        if text and read_sidecar(source) != found:
            raise FileError(
                f"{source}{MARKER_SUFFIX}: was changed while {source} was read, so nothing was "
                "written; run it again when nobody writes to it, or on a copy"
            )
        return replace(done, bytes_out=sink.tell())


def check_form(place: Place, kind: FileKind, options: CsvOptions) -> None:
    """Refuse a compression, an encoding or a terminal that a kind of file can't have.

    Raises `FileError`: the place has one of them.
    """
    if kind.is_text:
        return
    if compression_of(place) is not None and not kind.is_stream:
        raise FileError(
            f"{place}: {kind} needs random access and compresses its columns by itself; unpack "
            "the file, and use a name without that suffix"
        )
    if options.encoding is not None:
        raise FileError(
            f"{place}: {kind} is not text and has no encoding; remove --encoding, or encoding "
            "from the policy's [csv]"
        )
    if place == STDOUT and os.isatty(1):
        raise FileError(
            f"{place}: {kind} can't be written to a terminal; pass a file, or use a pipe"
        )


def read_head(
    source: Place,
    columns: Sequence[tuple[str, str | None]],
    rows: int,
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    gate: Gate | None = None,
) -> "list[Head]":
    """Read the first rows of some columns, as a job gets them; nothing is written.

    Parameters
    ----------
    source : Place
        Input.
    columns : sequence of (name, name of the tweak column or None)
        The columns to read.
    rows : int
        The number of rows, at most.
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
        _transform(source, nowhere, sink, Work(heads, gate=gate or OpenGate()), chosen, options)
    return heads


class _Enough(Exception):  # noqa: N818  # not an error: the head has been read
    """Ends a run after its first rows."""


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

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Take the first rows of the first batch."""
        self.values = values.slice(0, self.rows)
        self.tweaks = others[0].slice(0, self.rows) if others else None
        if self.last:
            raise _Enough
        return values


def kind_of_source(source: Place, kind: FileKind | None) -> FileKind:
    """Return the given kind, or the kind of the file's name.

    Raises `FileError`: the kind is unknown, or a spreadsheet.
    """
    chosen = kind or kind_of(source)
    if chosen is None and isinstance(source, Standard):
        raise FileError(f"{source}: the kind of data is unknown; pass its type with --type")
    if chosen is None and suffix_of(source) in (".xlsx", ".xls", ".xlsm", ".ods"):
        raise FileError(
            f"{source}: spreadsheets are not supported: formulas, formats and other sheets can't "
            "be preserved, and may hold values too; export the sheet as CSV"
        )
    if chosen is None:
        raise FileError(
            f"{source}: the kind of file is unknown: its name ends in none of {', '.join(KINDS)}"
            + (hint(str(source), "a data file") or "; pass its type with --type")
        )
    return chosen


def open_table(source: Place, kind: FileKind) -> AbstractContextManager[TableFile]:
    """Open a file of typed columns.

    Raises `FileError`: it is damaged, or not of the kind.
    """
    return _OPEN[kind](source)


def _transform(
    source: Place,
    target: Place,
    sink: Sink,
    work: Work[ColumnJob],
    kind: FileKind,
    csv: CsvOptions,
) -> FileReport:
    if not kind.is_text:
        plain = [job.name for job in work.jobs if not isinstance(job, DictionaryJob)]
        is_parquet = kind is FileKind.PARQUET
        opened = open_parquet(source, plain) if is_parquet else open_table(source, kind)
        with opened as file, text_sink(target, sink, None) as packed:
            return transform_table(file, packed, work)
    encoding = Encoding.named(csv.encoding)
    if encoding is not None:
        work = replace(work, jobs=[Encodable(job, encoding, source) for job in work.jobs])
    with open_source(source, encoding) as stream, text_sink(target, sink, encoding) as text:
        if kind is FileKind.CSV:
            return transform_csv(stream, text, csv, work)
        return transform_json(stream, text, work, array=kind is FileKind.JSON)


def dialect_of(place: Place, csv: CsvOptions | None) -> CsvOptions:
    """Return the options with a delimiter: the given one, or the one for the file's name."""
    options = csv or CsvOptions()
    if options.delimiter is not None:
        return options
    return replace(options, delimiter="\t" if suffix_of(place) == ".tsv" else ",")
