# SPDX-License-Identifier: Apache-2.0
"""A report from the beginning of a run to its page, which appears if the run succeeds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from tallystick.atomic import complete_file
from tallystick.errors import FileError
from tallystick.files import Address, FileReport, Place, check_apart
from tallystick.keyring import KeyId
from tallystick.policy import ColumnRule
from tallystick.policy.marker import State
from tallystick.report.groups import Groups
from tallystick.report.statistics import ColumnStatistics
from tallystick.tokenizer import Counts

WHOLE_BYTES = 8 << 20
"""Of larger sources lengths and symbols are counted in a part of the rows."""

Command = Literal["protect", "reveal", "rotate"]


@dataclass(frozen=True, slots=True)
class Outline:
    """The result of a run for the whole file."""

    source: str
    """The source's name, without directories."""
    target: str
    """The target's name, without directories."""
    done: FileReport
    """The rows, the columns, and the sizes."""
    threads: int
    """How many threads worked."""
    seconds: float
    """Wall-clock time."""
    counts: Mapping[str, Counts]
    """Counts of the columns that were changed."""
    marker: State = "none"
    """Whether the source had a marker."""
    groups: Sequence[Groups] = ()
    """The groups of rows of the target that were asked for."""


class Report:
    """A page about one run, to be written to a file.

    Parameters
    ----------
    path : pathlib.Path
        The page's file.
    source : Place
        The file that is read.
    command : {"protect", "reveal", "rotate"}
        The command that runs.
    rules : sequence of ColumnRule
        All of the policy.
    new_keys : mapping of str to KeyId
        The new keys of rotated columns.

    Attributes
    ----------
    began : datetime.datetime
        When the report was made, in UTC.
    """

    def __init__(
        self,
        path: Path,
        source: Place,
        command: Command,
        rules: Sequence[ColumnRule],
        new_keys: Mapping[str, KeyId] | None = None,
    ) -> None:
        self.path = path
        self.command = command
        large = isinstance(source, Address) or (
            isinstance(source, Path) and source.is_file() and source.stat().st_size > WHOLE_BYTES
        )
        self._whole = not large
        self.rules = tuple(rules)
        self.new_keys = dict(new_keys or {})
        self.began = datetime.now(UTC)
        self._statistics: dict[str, ColumnStatistics] = {}

    def column(self, name: str) -> ColumnStatistics:
        """Return the statistics of a column, to which a run adds its batches."""
        return self._statistics.setdefault(name, ColumnStatistics(whole=self._whole))

    @contextmanager
    def written(
        self, source: Place, target: Place, *, overwrite: bool
    ) -> Iterator[Callable[[Outline], None]]:
        """Give a function that takes a run's outline; the page appears if the block succeeds.

        Only its owner can read it, because it counts original values' lengths and symbols.

        Raises
        ------
        FileError
            The file exists and `overwrite` is false, or is `source` or `target`, or can't be
            written; the message says if the target is complete nevertheless.
        """
        # Not before a report is asked for: the template engine takes time to load.
        from tallystick.report.page import page

        check_apart([("report", self.path)], [("source", source), ("target", target)])
        running, ending = False, ""

        def take(outline: Outline) -> None:
            nonlocal running, ending
            running = False
            ending = f"; {target} is complete, and only its report failed"
            sink.write(page(self, outline).encode())

        try:
            with complete_file(self.path, private=True, overwrite=overwrite) as sink:
                running = True
                yield take
        except (FileError, OSError) as error:
            if running:  # not of the report
                raise
            what = (
                f"{self.path}: {error.strerror or error}" if isinstance(error, OSError) else error
            )
            raise FileError(f"{what}{ending}") from error
