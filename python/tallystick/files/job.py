# SPDX-License-Identifier: Apache-2.0
"""Jobs: changes to the columns of a file, and the checks around them for every kind."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import pyarrow as pa

from tallystick.counting import counted
from tallystick.errors import FileError, InvalidValueError, PolicyError
from tallystick.files.marker import Gate, OpenGate
from tallystick.files.places import Place
from tallystick.paths import Rows, row_of

Progress = Callable[[int, int], None]
"""Called with the amount done and the total: bytes of a CSV file, rows of a Parquet file. One
thread at a time calls it, and not always the same one."""


class Named(Protocol):
    """Work on one column."""

    @property
    def name(self) -> str:
        """The column that is replaced, or read; it may be the path of one inside others."""

    @property
    def others(self) -> Sequence[str]:
        """Other columns that the job gets too, with the source's values; not `name`."""


def _no_line(value: int) -> int | None:
    return None


class Batch(NamedTuple):
    """Some values of a column, with what is beside them."""

    values: pa.Array  # this and the next two as for `ColumnJob.apply`
    others: Sequence[pa.Array]
    rows: Rows
    line: Callable[[int], int | None] = _no_line
    """Gives the line of a value of the batch, None if there are no lines. It is valid while a
    job has the batch, and slow: it may read the file up to there."""


class ScanJob(Named, Protocol):
    """Reads one column batch by batch; with several threads at once, and in any order."""

    def read(self, batch: Batch) -> None:
        """Read a batch."""


class ColumnJob(Named, Protocol):
    """A change to one column, made batch by batch.

    Several threads change batches at once and in any order. So the new value of a row must not
    depend on other batches.
    """

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return new values for one batch.

        Parameters
        ----------
        values : pyarrow.Array
            The column's rows: strings from CSV, where an empty field is null; from Parquet the
            column's own type, a dictionary decoded. Of a column inside others, its values.
        others : sequence of pyarrow.Array
            The columns `others` beside these, likewise, also if another job replaces them.
        rows : int or numpy.ndarray of int64
            Where the batch begins in the file, from 0. Of a column in a list, the row of each
            value.

        Returns
        -------
        pyarrow.Array
            Of the type and length of `values`.

        Raises
        ------
        InvalidValueError
            A value is invalid; `row` counts values of the batch. It is raised again with file,
            column and row in its message.
        """


@runtime_checkable
class DictionaryJob(ColumnJob, Protocol):
    """A change to one column that takes dictionaries as they are; `others` is empty."""

    def apply_dictionary(self, values: pa.DictionaryArray, first_row: int) -> pa.DictionaryArray:
        """Return new values for the rows of a dictionary, as `apply` does for others.

        The result is of the type of `values`.
        """


Job = TypeVar("Job", bound=Named)


@dataclass(frozen=True, slots=True)
class Work(Generic[Job]):
    """What a run over a file does."""

    jobs: Sequence[Job]  # the jobs on its columns
    progress: Progress | None = None  # see `Progress`
    threads: int = 1  # how many work
    gate: Gate = field(default_factory=OpenGate)  # what looks at the file first

    @property
    def names(self) -> list[str]:
        """The columns that the jobs use, each once."""
        return list(dict.fromkeys(name for job in self.jobs for name in (job.name, *job.others)))


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was done to a file: its rows, its columns' names, and the bytes read and written.

    The columns of a CSV file without a header are f0, f1, ..
    """

    rows: int
    columns: tuple[str, ...]
    bytes_in: int
    bytes_out: int = 0
    metadata: tuple[str, ...] = ()
    """Names of metadata that stays and may have values: of the file, and of replaced columns."""


def check_columns(file: Place, names: Sequence[str], jobs: Sequence[Named], *, shown: bool) -> None:
    """Check that jobs and the columns of a file go together.

    `shown`: whether messages may list the names: those of a CSV file without a header are values.
    Raises `FileError`: a column is missing, or its name occurs twice. `PolicyError`: two jobs
    replace one column.
    """
    replaced = Counter(job.name for job in jobs)
    for name, count in replaced.items():
        if count > 1:
            raise PolicyError(f"column {name!r} has {count} jobs; keep only one")
    present = Counter(names)
    for name in Work(jobs).names:
        if present[name] > 1:
            raise FileError(f"{file}: {present[name]} columns are named {name!r}; rename them")
        if present[name] == 0:
            known = ", ".join(repr(n) for n in names) or "none"
            found = (
                f"there are: {known}"
                if shown
                else f"check its spelling, the delimiter and whether the file has a header; if the "
                f"policy is for several tables, ignore missing columns (--ignore-missing); "
                f"{counted(len(names), 'column')} {'were' if len(names) != 1 else 'was'} found"
            )
            if alike(name, names):
                found = "one column differs only in case or spaces; write the name as in the file"
            raise FileError(f"{file}: no column {name!r}; {found}")


def alike(name: str, names: Sequence[str]) -> bool:
    """Say whether one of the names differs in case or spaces around it alone.

    It can be said where names must not be shown: it reveals nothing else of them.
    """
    return any(one.strip().casefold() == name.strip().casefold() for one in names)


def apply_job(job: ColumnJob, batch: Batch, file: Place) -> pa.Array:
    """Run a job on a batch; its errors come back with the place in the file.

    Raises `InvalidValueError`: a value is invalid; `row` counts in the file, from 0. `TypeError`:
    the job broke its contract.
    """
    with _errors(job, batch, file):
        result = job.apply(batch.values, batch.others, batch.rows)
    _check_result(job, batch.values, result)
    return result


def apply_to_dictionary(
    job: DictionaryJob, values: pa.DictionaryArray, first_row: int, file: Place
) -> pa.DictionaryArray:
    """Run a job on a dictionary's rows; errors as of `apply_job`."""
    with _errors(job, Batch(values, (), first_row), file):
        result = job.apply_dictionary(values, first_row)
    _check_result(job, values, result)
    return result


@contextmanager
def _errors(job: Named, batch: Batch, file: Place) -> Iterator[None]:
    """Let errors of invalid values have their place in the file."""
    try:
        yield
    except InvalidValueError as error:
        row = row_of(batch.rows, error.row)
        where = place(file, row, batch.line(error.row), job.name)
        raise error.moved(where, row, job.name) from error


def _check_result(job: Named, values: pa.Array, result: pa.Array) -> None:
    if not isinstance(result, pa.Array) or result.type != values.type:
        raise TypeError(f"the job of column {job.name!r} changed the column's type")
    if len(result) != len(values):
        raise TypeError(f"the job of column {job.name!r} changed the number of rows")


def place(file: Place, row: int, line: int | None = None, column: str | None = None) -> str:
    """Name a place as people count: `row`, from 0 here, is given from 1."""
    parts = [] if column is None else [f"column {column!r}"]
    parts.append(f"row {row + 1}" + ("" if line is None else f" (line {line})"))
    return f"{file}: {', '.join(parts)}"
