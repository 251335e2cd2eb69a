# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that work on data files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tallystick.cli.progress import Unit
from tallystick.files import FileKind, kind_of
from tallystick.report import check_apart
from tallystick.threads import MOST_THREADS

# readable=False: whether a file can be read is told as of any file, not as a wrong argument.
Source = Annotated[
    Path, typer.Argument(readable=False, help="The CSV or Parquet file to read.", metavar="SOURCE")
]
Target = Annotated[
    Path,
    typer.Argument(
        readable=False, help="The file to write; it appears when complete.", metavar="TARGET"
    ),
]
PolicyFile = Annotated[
    Path,
    typer.Option(
        "--policy",
        "-p",
        envvar="TALLYSTICK_POLICY",
        readable=False,
        help="The policy, a TOML file.",
    ),
]
KeyringFile = Annotated[
    Path,
    typer.Option(
        "--keyring", "-k", envvar="TALLYSTICK_KEYRING", readable=False, help="The key ring."
    ),
]
Kind = Annotated[
    FileKind | None, typer.Option("--type", help="The kind of file, if its name does not say.")
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        readable=False,
        help="Write a page (HTML) about the run too, with no value of the data in it.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "-t",
        min=1,
        max=MOST_THREADS,
        show_default="all cores",
        help="How many threads work on the file.",
    ),
]


def check_report(report: Path | None, others: Sequence[Path], root: str) -> None:
    """Refuse to write a report over a file of the run that is only read.

    Raises
    ------
    FileError
        It is one of them, or the root key's.
    """
    if report is not None:
        kind, _, path = root.partition(":")
        check_apart(report, [*others, *([Path(path)] if kind == "file" else [])])


def unit_of(source: Path, kind: FileKind | None) -> Unit:
    """Return what progress on a data file counts."""
    return "rows" if (kind or kind_of(source)) is FileKind.PARQUET else "bytes"
