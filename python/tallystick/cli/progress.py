# SPDX-License-Identifier: Apache-2.0
"""How far a run has come, shown on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Unit = Literal["bytes", "rows"]

Report = Callable[[int, int], None]
"""Gets what is done, and the total, or 0 where nobody knows."""


@contextmanager
def progress_bar(what: str, unit: Unit, *, quiet: bool) -> Iterator[Report | None]:
    """Show progress with rate and time left on a terminal; nothing in a pipe."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # Loading rich takes longer than a short run.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        FileSizeColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    class RowRate(ProgressColumn):
        """Rows a second."""

        def render(self, task: object) -> str:
            speed = getattr(task, "finished_speed", None) or getattr(task, "speed", None)
            return "" if speed is None else f"{speed:,.0f} rows/s"

    counted: list[ProgressColumn] = (
        [FileSizeColumn(), TransferSpeedColumn()]
        if unit == "bytes"
        else [MofNCompleteColumn(), TextColumn("rows"), RowRate()]
    )
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        *counted,
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report


@contextmanager
def bytes_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show bytes of which nobody knows how many there will be."""
    with progress_bar(what, "bytes", quiet=quiet) as bar:
        yield None if bar is None else (lambda done: bar(done, 0))
