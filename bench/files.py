# SPDX-License-Identifier: Apache-2.0
"""Files: four columns protected, beside pyarrow reading and writing the same file unchanged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tallystick import Counts, Tokenizer, formats
from tallystick.files import FileOptions, transform_file
from tallystick.paths import Rows

from . import data, machine
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

KEY = bytes(range(16))
BYTES_ON_DISK, BYTES_IN_MEMORY = 800, 900
"""A row's, generously: the files and what is made of them; the table and what it is made from."""
PROTECTED: dict[str, formats.Format] = {
    "name": formats.letters(),
    "email": formats.email(),
    "card": formats.card(),
    "dob": formats.date(first=date(1900, 1, 1), last=date(2029, 12, 31)),
}


@dataclass(frozen=True, slots=True)
class _Job:
    """A tokenizer at work on a column of a file."""

    name: str
    tokenizer: Tokenizer
    decrypt: bool
    others: tuple[str, ...] = ()

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        return self.tokenizer.transform(values, decrypt=self.decrypt, counts=Counts())

    def apply_dictionary(self, values: pa.DictionaryArray, first_row: int) -> pa.DictionaryArray:
        return self.apply(values, (), first_row)


def protect(source: Path, target: Path, threads: int = 1, *, decrypt: bool = False) -> None:
    """Protect (or reveal) a file from beginning to end, with the set-up of its ciphers."""
    tokenizers = {name: Tokenizer(form, KEY, namespace=name) for name, form in PROTECTED.items()}
    jobs = [_Job(name, tokenizer, decrypt) for name, tokenizer in tokenizers.items()]
    transform_file(
        source, target, jobs, FileOptions(overwrite=True, threads=threads), private=False
    )
    for tokenizer in tokenizers.values():
        tokenizer.close()


def lacking(folder: Path, rows: int) -> list[str]:
    """Return what is missing, disk or memory, for files of so many rows."""
    folder.mkdir(parents=True, exist_ok=True)
    needs_disk, needs_memory = rows * BYTES_ON_DISK, rows * BYTES_IN_MEMORY
    has_disk, has_memory = shutil.disk_usage(folder).free, machine.free_memory()
    return [
        f"{rows:,} rows need {needs / 1e9:.1f} GB of {what}, and there are {has / 1e9:.1f} GB"
        for what, needs, has in (
            (f"disk in {folder.name}", needs_disk, has_disk),
            ("memory", needs_memory, has_memory),
        )
        if has is not None and has < needs
    ]


def files(
    folder: Path, rows: int, repetitions: int, threads: int, say: Callable[[str], None]
) -> Section:
    """Measure a Parquet and a CSV file of so many rows, on one thread and on all."""
    say(f"files: making {rows:,} rows, unless they are there")
    parquet, csv = data.files(folder, rows)
    groups = []
    for title, source, copy in (("Parquet", parquet, copy_parquet), ("CSV", csv, copy_csv)):
        say(f"files: {title}")
        groups += _file(title, source, copy, threads, repetitions)
    return Section(
        f"Files of {rows:,} rows, {len(PROTECTED)} of 7 columns protected",
        tuple(groups),
        (
            "MB are 1e6 bytes of the source. pyarrow reads the file whole and writes it, with the "
            "settings that the source was made with; CSV columns as text.",
            "Tallystick's time includes fsync, which makes the file safe on disk, so the ratio "
            "compares it with pyarrow's copy and fsync.",
        ),
    )


def copy_parquet(source: Path, target: Path) -> None:
    """Read and write a Parquet file with pyarrow."""
    pq.write_table(pq.read_table(source), target)


def copy_csv(source: Path, target: Path) -> None:
    """Read and write a CSV file with pyarrow; no column is parsed into numbers or dates."""
    pc.write_csv(read_csv(source), target)


def read_csv(source: Path) -> pa.Table:
    """Read a CSV file with pyarrow, all columns as text."""
    as_text = dict.fromkeys(data.table(1).column_names, pa.string())
    return pc.read_csv(source, convert_options=pc.ConvertOptions(column_types=as_text))


def _file(
    title: str,
    source: Path,
    copy: Callable[[Path, Path], None],
    threads: int,
    repetitions: int,
) -> list[Group]:
    """Measure one file, after checking that it comes back; what was written is removed."""
    ours, back, theirs = (
        source.with_stem(f"{source.stem}-{word}") for word in ("protected", "revealed", "copied")
    )
    size = source.stat().st_size
    groups = []
    for number in sorted({1, threads}):
        protect(source, ours, number)
        protect(ours, back, number, decrypt=True)
        _check(source, ours, back)
        cases = (
            Case(
                "pyarrow copies, and fsync",
                partial(_with_threads, number, partial(_synced, copy), source, theirs),
                size,
            ),
            Case("Tallystick, protect", partial(protect, source, ours, number), size),
            Case("pyarrow copies", partial(_with_threads, number, copy, source, theirs), size),
        )
        timings = side_by_side(cases, repetitions)
        count = "one thread" if number == 1 else f"{number} threads"
        groups.append(
            Group(f"{title}, {size / 1e6:.0f} MB, {count}", Unit.MEGABYTES_PER_SECOND, timings)
        )
    for path in (ours, back, theirs):
        path.unlink()
    return groups


def _synced(copy: Callable[[Path, Path], None], source: Path, target: Path) -> None:
    """Copy, and wait until the disk has it."""
    copy(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def _with_threads(
    threads: int, copy: Callable[[Path, Path], None], source: Path, target: Path
) -> None:
    """Copy with so many threads of pyarrow's."""
    before = pa.cpu_count()
    pa.set_cpu_count(threads)
    try:
        copy(source, target)
    finally:
        pa.set_cpu_count(before)


def _check(source: Path, protected: Path, revealed: Path) -> None:
    """Check that all of the columns to be protected were, and that revealing undoes it."""
    read = pq.read_table if source.suffix == ".parquet" else read_csv
    before, during, after = (read(path) for path in (source, protected, revealed))
    for name in before.column_names:
        if (before[name] == during[name]) is not (name not in PROTECTED):
            raise WrongResultError(f"{source.name}: column {name!r} is not as it should be")
    if before != after:
        raise WrongResultError(f"{source.name}: revealing does not undo protecting")
