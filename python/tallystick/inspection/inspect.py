# SPDX-License-Identifier: Apache-2.0
"""Samples of files: which columns look sensitive, and which formats match them in all files."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tallystick.files import (
    CsvOptions,
    FileKind,
    Readable,
    Sample,
    Stored,
    columns_of,
    kind_of,
    sample_file,
    stored_of,
)
from tallystick.files.places import refuse_pipe
from tallystick.inspection.column import Column
from tallystick.inspection.dialect import guess_dialect
from tallystick.inspection.distinct import as_text
from tallystick.inspection.finding import Finding, look
from tallystick.inspection.joins import Looked, with_namespaces

ROWS = 10_000
"""Rows of a sample, by default."""


@dataclass(frozen=True)
class InspectedFile:
    """A file, and the rows that were read."""

    source: Stored  # the file
    rows: int  # rows of the sample
    seen: int  # rows that were read to choose them
    whole: bool  # whether these are all rows of the file
    csv: CsvOptions | None  # the dialect; None: the file is not CSV


@dataclass(frozen=True)
class Inspection:
    """The findings of some files."""

    files: list[InspectedFile]
    """The files."""
    findings: list[Finding]
    """One for each name of a column, in the files' order."""


def inspect_file(
    source: Readable,
    *,
    rows: int = ROWS,
    kind: FileKind | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Inspection:
    """Look at a sample of a file; see `inspect_files`."""
    return inspect_files(
        [source],
        rows=rows,
        kind=kind,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
    )


def inspect_files(
    sources: Sequence[Readable],
    *,
    rows: int = ROWS,
    kind: FileKind | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Inspection:
    """Look at samples of files that share one policy.

    A column that several files have gets one format that matches all of its values, so that equal
    values have equal tokens in every file.

    Parameters
    ----------
    sources : sequence of paths
        The files.
    rows : int
        Rows of a file's sample, at most.
    kind : FileKind, optional
        By default from each file's name.
    delimiter, header : optional
        Of CSV; by default they are detected.
    encoding : str, optional
        Of text; by default UTF-8.

    Raises
    ------
    FileError
        A file can't be read.
    """
    files, samples, listed = [], [], []
    for source in map(stored_of, sources):
        refuse_pipe(source)
        csv = None if encoding is None else CsvOptions(encoding=encoding)
        if (kind or kind_of(source)) is FileKind.CSV:
            csv = guess_dialect(source, delimiter, header, encoding)
        sample = sample_file(source, rows, kind=kind, csv=csv)
        samples.append(sample)
        listed.append(columns_of(source, kind=kind, csv=csv, inside=None))
        files.append(InspectedFile(source, len(sample.rows), sample.seen, sample.whole, csv))
    twice = [Counter(name for name, _ in columns) for columns in listed]
    names = dict.fromkeys(name for columns in listed for name, _ in columns)
    looked = []
    for name in names:
        found_in = tuple(number for number, counts in enumerate(twice) if name in counts)
        most = max(twice[number][name] for number in found_in)
        if most > 1:
            looked.append(Looked(_ambiguous(name, most, found_in)))
            continue
        column, numbers = _joined(name, [samples[number] for number in found_in])
        whole = all(samples[number].whole for number in found_in)
        found = look(column, numbers, found_in, whole=whole)
        looked.append(Looked(found, column, numbers))
    return Inspection(files, with_namespaces(looked))


def _ambiguous(name: str, count: int, files: tuple[int, ...]) -> Finding:
    return Finding(
        name,
        "",
        undecided=True,
        files=files,
        reason=f"not protected: {count} columns have this name, and a policy can't tell them "
        "apart; rename them, and look again",
    )


def _joined(
    name: str, samples: Sequence[Sample]
) -> tuple[Column, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return a column with the values of all samples, and the numbers of its rows."""
    parts = [sample.columns[name] for sample in samples]
    kinds = [part.type for part in parts]
    if len(parts) == 1:
        return Column(name, parts[0]), samples[0].rows
    numbers = np.full(sum(map(len, parts)), -1, np.int64)
    if len(set(map(str, kinds))) > 1:
        whole = all(pa.types.is_integer(kind) for kind in kinds) and pa.uint64() not in kinds
        parts = [part.cast(pa.int64()) if whole else as_text(part) for part in parts]
        parts = parts if whole else [part.cast(pa.large_string()) for part in parts]
    return Column(name, pa.concat_arrays(parts), kinds), numbers
