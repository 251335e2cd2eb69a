# SPDX-License-Identifier: Apache-2.0
"""A sample of a file's rows, from all over the file."""

import stat
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.files.csv_stretches import SIZES, UnsureError, read_stretch
from tallystick.files.job import Batch
from tallystick.files.json import sample_json
from tallystick.files.kinds import FileKind
from tallystick.files.options import CsvOptions
from tallystick.files.parquet import sample_parquet
from tallystick.files.places import Stored, compression_of
from tallystick.files.reservoir import Reservoir
from tallystick.files.run import dialect_of, kind_of_source
from tallystick.files.scan import StopScan, columns_of, open_json, scan_file
from tallystick.files.tables import plain, plain_type
from tallystick.paths import Found, find, leaves, one_each

WHOLE_BYTES = 64 << 20
"""A file of no more bytes is read as a whole."""
STRETCHES = 64
"""Places of a larger CSV file that are read, at least."""
_SEED = 2


@dataclass(frozen=True)
class Sample:
    """Some rows of a file.

    Attributes
    ----------
    columns : dict of str to pyarrow.Array
        The rows of each column, none of a dictionary type. A column that has others inside is
        not there, but they are by their paths: of a list or map one value of each row. Columns of
        types that no format takes may be null: booleans and views.
    rows : numpy.ndarray of int64, shape (rows,)
        The number of each in the file, from 0; -1 where it is not known.
    seen : int
        Rows that were read to choose them.
    whole : bool
        Whether these are all rows of the file.
    """

    columns: dict[str, pa.Array]
    rows: npt.NDArray[np.int64]
    seen: int
    whole: bool


def sample_file(
    source: Stored,
    rows: int,
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
) -> Sample:
    """Choose rows at random, and rows in which a column has its first values.

    A file of up to `WHOLE_BYTES` is read as a whole. Of a larger CSV file, the beginning, the end
    and random places between them are read; where records can't be found for sure the whole file
    is. Of a larger Parquet file, rows of every row group are read. A compressed file and CSV on a
    server are read as a whole. A column whose name occurs twice is left out.

    Parameters
    ----------
    rows : int
        How many, at most. There are fewer if they are large: `reservoir.MOST_BYTES` of values.
    kind, csv
        As for `transform_file`.

    Raises
    ------
    FileError
        The file can't be read.
    """
    listed = columns_of(source, kind=kind, csv=csv, inside=None)
    counted = Counter(name for name, _ in listed)
    types = {name: plain_type(one) for name, one in listed if counted[name] == 1}
    names = [name for name, one in types.items() if _is_sampled(one)]
    reservoir, whole = Reservoir(len(names), rows), True
    if names:
        with file_errors(source):
            chosen = kind_of_source(source, kind)
            if chosen is FileKind.CSV:
                options = dialect_of(source, csv)
                reservoir, whole = _csv(source, [name for name, _ in listed], names, rows, options)
            elif chosen.is_text:
                with open_json(source, csv) as stream:
                    sample_json(stream, names, reservoir.add, array=chosen is FileKind.JSON)
            else:
                schema = pa.schema(columns_of(source, kind=kind))
                taker = _Taker(reservoir, list(find(schema, names).values()))
                if chosen is FileKind.PARQUET:
                    whole = sample_parquet(source, taker.tops, rows, WHOLE_BYTES, taker.take)
                else:
                    scan_file(source, [_Scan(taker.tops, taker.take)], kind=kind, threads=1)
    numbers, taken = reservoir.result()
    found = dict(zip(names, taken, strict=False))
    columns = {name: found.get(name, pa.nulls(len(numbers), one)) for name, one in types.items()}
    return Sample(columns, numbers, reservoir.seen, whole)


def first_rows(source: Stored, rows: int, csv: CsvOptions) -> dict[str, pa.Array]:
    """Return the first rows of a CSV file's columns, of each name's that occurs once."""
    counted = Counter(name for name, _ in columns_of(source, kind=FileKind.CSV, csv=csv))
    names = [name for name, count in counted.items() if count == 1]
    job = _Scan(names, lambda columns, first_row: None, once=True)
    if names:
        scan_file(source, [job], kind=FileKind.CSV, csv=csv, threads=1)
    return {name: column.slice(0, rows) for name, column in zip(names, job.last, strict=False)}


def _is_sampled(kind: pa.DataType) -> bool:
    return not (pa.types.is_nested(kind) or pa.types.is_boolean(kind))  # which JSON gives as null


class _Taker:
    """Gives a reservoir the columns inside others, of those that are read.

    Attributes
    ----------
    tops : list of str
        The columns to read.
    """

    def __init__(self, reservoir: Reservoir, found: Sequence[Found]) -> None:
        self.tops = list(dict.fromkeys(one.top for one in found))
        self._reservoir = reservoir
        self._found = found

    def take(self, columns: list[pa.Array], first_row: int) -> Sequence[bool]:
        """Take rows, and return of which columns each value wanted was there."""
        given = dict(zip(self.tops, columns, strict=True))
        rows = len(columns[0])
        taken = [leaves(given, one) for one in self._found]
        columns = [one_each(plain(one.values), one.rows(0), rows) for one in taken]
        self._reservoir.add(columns, first_row)
        had = dict.fromkeys(self.tops, True)
        for one, count in zip(self._found, self._reservoir.values, strict=True):
            had[one.top] &= count > 0
        return list(had.values())


def _csv(
    source: Stored, listed: list[str], names: list[str], rows: int, options: CsvOptions
) -> tuple[Reservoir, bool]:
    """Return the sample of a CSV file, and whether all of the file was read for it."""
    plain = compression_of(source) is None and options.encoding is None
    status = source.stat() if plain and isinstance(source, Path) else None
    if (
        isinstance(source, Path)
        and status is not None
        and stat.S_ISREG(status.st_mode)
        and status.st_size > WHOLE_BYTES
    ):
        reservoir = Reservoir(len(names), rows)
        head = _Scan(names, reservoir.add, once=True)
        scan_file(source, [head], kind=FileKind.CSV, csv=options, threads=1)
        size = sum(column.nbytes for column in head.last) / max(1, reservoir.seen)
        count = max(STRETCHES, int(2 * rows * size) // SIZES[0])
        if count * SIZES[0] * 2 <= status.st_size:
            wanted = [listed.index(name) for name in names]
            try:
                _stretches(source, status.st_size, count, wanted, len(listed), options, reservoir)
            except UnsureError:
                pass
            else:
                return reservoir, False
    reservoir = Reservoir(len(names), rows)
    job = _Scan(names, reservoir.add)
    scan_file(source, [job], kind=FileKind.CSV, csv=options, threads=1)
    return reservoir, True


def _stretches(
    source: Path,
    total: int,
    count: int,
    wanted: list[int],
    columns: int,
    options: CsvOptions,
    reservoir: Reservoir,
) -> None:
    """Read the end of a file, and a random place in each of `count` parts of it."""
    part = total // count
    places = np.random.default_rng(_SEED).integers(0, max(1, part - SIZES[0]), count)
    starts = [number * part + int(place) for number, place in enumerate(places)]
    with source.open("rb", buffering=0) as stream:
        for at in (*starts[1:], total - SIZES[0]):
            found = read_stretch(stream, at, total, options, columns)
            reservoir.add([found[index] for index in wanted], None)


class _Scan:
    """Hands some columns on together; see `ScanJob`.

    `names`: the columns.
    `take`: takes them and the number of their first row.
    `once`: whether one batch is enough.
    """

    def __init__(
        self, names: list[str], take: Callable[[list[pa.Array], int], object], *, once: bool = False
    ) -> None:
        self.name = names[0] if names else ""
        self.others = tuple(names[1:])
        self.last: list[pa.Array] = []
        self._take = take
        self._once = once

    def read(self, batch: Batch) -> None:
        """Take a batch."""
        self.last = [batch.values, *batch.others]
        self._take(self.last, batch.rows if isinstance(batch.rows, int) else -1)
        if self._once:
            raise StopScan
