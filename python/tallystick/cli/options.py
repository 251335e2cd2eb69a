# SPDX-License-Identifier: Apache-2.0
"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tallystick.cli.output import say
from tallystick.files import FileKind
from tallystick.keyring import RootKey
from tallystick.report import check_apart

Source = Annotated[Path, typer.Argument(help="The CSV or Parquet file to read.", metavar="SOURCE")]
Target = Annotated[
    Path, typer.Argument(help="The file to write; it appears when complete.", metavar="TARGET")
]
PolicyFile = Annotated[
    Path,
    typer.Option("--policy", "-p", envvar="TALLYSTICK_POLICY", help="The policy, a TOML file."),
]
KeyringFile = Annotated[
    Path, typer.Option("--keyring", "-k", envvar="TALLYSTICK_KEYRING", help="The key ring.")
]
Ring = Annotated[
    Path, typer.Argument(help="The key ring's file.", envvar="TALLYSTICK_KEYRING", metavar="RING")
]
Root = Annotated[
    str,
    typer.Option(
        "--root",
        "-r",
        envvar="TALLYSTICK_ROOT",
        help="Where the root key is: file:PATH, env:NAME, prompt (a passphrase), "
        "shares:FILE,FILE,..., shares:DIRECTORY or shares (typed).",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the target if it exists.")]
Kind = Annotated[
    FileKind | None, typer.Option("--type", help="The kind of file, if its name does not say.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result, or the error, as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no summary.")]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a page (HTML) about the run too, with no value of the data in it.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "-t",
        min=1,
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


def root_key(text: str) -> RootKey:
    """Return the root key's source; shares of no use are told on standard error.

    Raises
    ------
    ParameterError
        It is not written as a source.
    """
    return RootKey.parse(text, tell=lambda problem: say(f"warning: {problem}"))
