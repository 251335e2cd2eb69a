# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that work on data files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tallystick.cli.progress import Unit
from tallystick.errors import ParameterError
from tallystick.files import (
    STDIN,
    STDOUT,
    CsvOptions,
    FileKind,
    Limits,
    Place,
    columns_of,
    kind_of,
    limited,
    stored_of,
)
from tallystick.policy import Policy
from tallystick.report import check_apart
from tallystick.threads import MOST_THREADS

Result = TypeVar("Result")

VALUE_MIB = Limits().value >> 20
BATCH_MIB = Limits().batch >> 20
_SOURCES = "CSV, NDJSON or JSON (also compressed, as .csv.gz), Parquet, Arrow, Feather or ORC"

# readable=False: whether a file can be read is told as of any file, not as a wrong argument.
Source = Annotated[
    str,
    typer.Argument(
        help="The data file to read, or an address such as s3://bucket/key.csv.",
        metavar="SOURCE",
    ),
]
SourceName = Annotated[
    str,
    typer.Argument(
        help=f"The data to read: {_SOURCES}; - is standard input, and s3://... an address.",
        metavar="SOURCE",
    ),
]
TargetName = Annotated[
    str,
    typer.Argument(
        help="The file or address to write, of the same kind; it appears when complete. - is "
        "standard output.",
        metavar="TARGET",
    ),
]
DataNames = Annotated[
    list[str],
    typer.Argument(
        help=f"The data to read: {_SOURCES}; and the file to write, of the same kind, which "
        "appears when complete. - is standard input and output, and s3://bucket/key.csv an "
        "address. With --to all are sources, also folders.",
        metavar="SOURCE... [TARGET]",
    ),
]
ToFolder = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FOLDER",
        readable=False,
        help="Write a file for each source into this folder; the structure of folders is kept.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="With --to: leave targets that exist, unless their source is newer."
    ),
]
TextEncoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of text, such as windows-1252 or utf-16.",
        show_default="UTF-8",
    ),
]
MaxValue = Annotated[
    int,
    typer.Option(
        "--max-value",
        min=1,
        metavar="MIB",
        help="Of Parquet, Arrow and ORC: refuse values of more MiB than that.",
    ),
]
MaxBatch = Annotated[
    int,
    typer.Option(
        "--max-batch",
        min=1,
        metavar="MIB",
        help="Of Parquet, Arrow and ORC: refuse what decodes to more MiB at once.",
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


Strict = Annotated[
    bool,
    typer.Option("--strict", help="Refuse columns that the policy does not name."),
]
IgnoreMissing = Annotated[
    bool,
    typer.Option(
        "--ignore-missing",
        help="Leave out the policy's columns that the file lacks; for a policy of several tables.",
    ),
]
NoMarker = Annotated[
    bool,
    typer.Option("--no-marker", help="Write no marker, which says how the target was protected."),
]
IgnoreMarker = Annotated[
    bool, typer.Option("--ignore-marker", help="Don't check the source's marker.")
]


def source_of(name: str) -> Place:
    """Return what an argument SOURCE stands for; a file of the name - is ./-."""
    return STDIN if name == "-" else stored_of(name)


def target_of(name: str, *, as_json: bool) -> Place:
    """Return what an argument TARGET stands for.

    Raises
    ------
    ParameterError
        Both the data and the result of --json would go to standard output.
    """
    if name != "-":
        return stored_of(name)
    if as_json:
        raise ParameterError("--json prints to standard output, where TARGET - goes; leave out one")
    return STDOUT


def bounded(act: Callable[..., Result], max_value: int, max_batch: int) -> Callable[..., Result]:
    """Return a function that runs within limits in MiB; a batch has room for a value."""

    def run(*arguments: object, **named: object) -> Result:
        with limited(Limits(max_value << 20, max(max_value, max_batch) << 20)):
            return act(*arguments, **named)

    return run


def in_encoding(policy: Policy, encoding: str | None) -> Policy:
    """Return a policy for text in an encoding."""
    if encoding is None:
        return policy
    return replace(policy, csv=replace(policy.csv or CsvOptions(), encoding=encoding))


def load_policy(path: Path, *, strict: bool) -> Policy:
    """Read a policy; if `strict`, columns that it does not name are refused in this run."""
    policy = Policy.load(path)
    return replace(policy, unlisted="error") if strict else policy


def for_source(
    policy: Policy, source: Place, kind: FileKind | None, *, ignore_missing: bool
) -> Policy:
    """Return a policy for a file, without the columns that the file lacks if these are ignored.

    Raises
    ------
    ParameterError
        They are to be, and the source can't be read twice.
    FileError, PolicyError
        The file can't be read, or has no column of the policy.
    """
    if not ignore_missing:
        return policy
    if not isinstance(source, Path) or source.is_fifo():
        raise ParameterError(
            f"--ignore-missing reads {source} twice, which can't be; save it first"
        )
    names = {name for name, _ in columns_of(source, kind=kind, csv=policy.csv)}
    return policy.for_columns(names, source)


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


def unit_of(source: Place, kind: FileKind | None) -> Unit:
    """Return what progress on a data file counts."""
    found = kind or kind_of(source)
    return "rows" if found is not None and not found.is_text else "bytes"
