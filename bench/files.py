# SPDX-License-Identifier: Apache-2.0
"""Files: four columns protected, beside pyarrow reading and writing the same file unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tallystick import Counts, Tokenizer, formats
from tallystick.files import transform_file

from . import data
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

KEY = bytes(range(16))
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
    tweak: None = None

    def apply(self, values: pa.Array, tweaks: pa.Array | None, first_row: int) -> pa.Array:
        return self.tokenizer.transform(values, tweaks, decrypt=self.decrypt, counts=Counts())


def protect(source: Path, target: Path, *, decrypt: bool = False) -> None:
    """Protect (or reveal) a file from beginning to end, with the set-up of its ciphers."""
    tokenizers = {name: Tokenizer(form, KEY, domain=name) for name, form in PROTECTED.items()}
    jobs = [_Job(name, tokenizer, decrypt) for name, tokenizer in tokenizers.items()]
    transform_file(source, target, jobs, private=False, overwrite=True)
    for tokenizer in tokenizers.values():
        tokenizer.close()


def files(folder: Path, rows: int, repetitions: int, say: Callable[[str], None]) -> Section:
    """Measure a Parquet and a CSV file of so many rows."""
    say(f"files: making {rows:,} rows, unless they are there")
    parquet, csv = data.files(folder, rows)
    groups = []
    for title, source, copy in (("Parquet", parquet, copy_parquet), ("CSV", csv, copy_csv)):
        say(f"files: {title}")
        groups.append(_file(title, source, copy, repetitions))
    return Section(
        f"Files of {rows:,} rows, {len(PROTECTED)} of 7 columns protected",
        tuple(groups),
        (
            "MB are 1e6 bytes of the source. pyarrow reads the file whole and writes it, with the "
            "settings that the source was made with and all cores; CSV columns as text.",
            "Tallystick's time has in it what makes the file safe on disk (fsync); pyarrow's not.",
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


def _file(title: str, source: Path, copy: Callable[[Path, Path], None], repetitions: int) -> Group:
    """Measure one file, after checking that it comes back; what was written is removed."""
    ours, back, theirs = (
        source.with_stem(f"{source.stem}-{word}") for word in ("protected", "revealed", "copied")
    )
    protect(source, ours)
    protect(ours, back, decrypt=True)
    _check(source, ours, back)
    size = source.stat().st_size
    cases = (
        Case("pyarrow, unchanged", lambda: copy(source, theirs), size),
        Case("Tallystick, protect", lambda: protect(source, ours), size),
    )
    timings = side_by_side(cases, repetitions)
    for path in (ours, back, theirs):
        path.unlink()
    return Group(f"{title}, {size / 1e6:.0f} MB", Unit.MEGABYTES_PER_SECOND, timings)


def _check(source: Path, protected: Path, revealed: Path) -> None:
    """Check that all of the columns to be protected were, and that revealing undoes it."""
    read = pq.read_table if source.suffix == ".parquet" else read_csv
    before, during, after = (read(path) for path in (source, protected, revealed))
    for name in before.column_names:
        if (before[name] == during[name]) is not (name not in PROTECTED):
            raise WrongResultError(f"{source.name}: column {name!r} is not as it should be")
    if before != after:
        raise WrongResultError(f"{source.name}: revealing does not undo protecting")
