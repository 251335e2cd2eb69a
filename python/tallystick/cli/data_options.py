# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that work on data files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tallystick.cli.options import Json, Overwrite, Quiet, Root
from tallystick.errors import ParameterError
from tallystick.files import (
    STDIN,
    STDOUT,
    CsvOptions,
    FileKind,
    Limits,
    Place,
    check_apart,
    kind_of,
    stored_of,
)
from tallystick.threads import MOST_THREADS

if TYPE_CHECKING:
    from tallystick.cli.progress import Unit
    from tallystick.policy import Policy

_SOURCES = "CSV, NDJSON or JSON (also compressed, as .csv.gz), Parquet, Arrow, Feather or ORC"

# readable=False: a file that can't be read is reported as any file is, not as a wrong argument.
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
        help=f"The data to read: {_SOURCES}. - is standard input; s3://... is an address.",
        metavar="SOURCE",
    ),
]
TargetName = Annotated[
    str,
    typer.Argument(
        help="The file or address to write, of the same type. It appears only when it is "
        "complete. - is standard output.",
        metavar="TARGET",
    ),
]
DataNames = Annotated[
    list[str],
    typer.Argument(
        help=f"The data to read: {_SOURCES}. Then the file to write, of the same type; it "
        "appears only when it is complete. - is standard input and output; "
        "s3://bucket/key.csv is an address. With --to, every argument is a source, "
        "and may be a folder.",
        metavar="SOURCE... [TARGET]",
    ),
]
ToFolder = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FOLDER",
        readable=False,
        help="Write one file per source into this folder; keep the structure of folders.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="With --to: skip targets that exist, unless their source is newer."
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
        help="For Parquet, Arrow and ORC: refuse values larger than this many MiB.",
    ),
]
MaxBatch = Annotated[
    int,
    typer.Option(
        "--max-batch",
        min=1,
        metavar="MIB",
        help="For Parquet, Arrow and ORC: refuse batches that decode to more than this many MiB.",
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
    FileKind | None, typer.Option("--type", help="The type of file, if its name does not show it.")
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        readable=False,
        help="Also write an HTML report about the run. It contains no value of the data.",
    ),
]
GroupColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--groups",
        metavar="COLUMNS",
        help="Columns, with commas between them: the report says how small the groups of rows are "
        "that agree in all of them. May be repeated. Needs --report.",
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
        help="The number of threads.",
    ),
]


RevealLogFile = Annotated[
    Path | None,
    typer.Option(
        "--reveal-log",
        readable=False,
        envvar="TALLYSTICK_REVEAL_LOG",
        help="Write who revealed which columns into this log first, and reveal nothing without it.",
        metavar="FILE",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Fail if the file has columns that the policy does not name."),
]
IgnoreMissing = Annotated[
    bool,
    typer.Option(
        "--ignore-missing",
        help="Ignore columns of the policy that the file lacks; for one policy for several tables.",
    ),
]
NoMarker = Annotated[
    bool,
    typer.Option(
        "--no-marker", help="Write no marker. A marker records how the target was protected."
    ),
]
IgnoreMarker = Annotated[
    bool, typer.Option("--ignore-marker", help="Do not check the source's marker.")
]


def source_of(name: str) -> Place:
    """Return the place that the argument SOURCE names; a file called - is ./-."""
    return STDIN if name == "-" else stored_of(name)


def target_of(name: str, *, as_json: bool) -> Place:
    """Return the place that the argument TARGET names.

    Raises `ParameterError`: both the data and the result of --json would go to standard output.
    """
    if name != "-":
        return stored_of(name)
    if as_json:
        raise ParameterError(
            "--json prints to standard output, and so does TARGET -; use one of them"
        )
    return STDOUT


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """The options that the commands share which make one data file of another."""

    keyring: KeyringFile
    root: Root
    to: ToFolder = None
    resume: Resume = False
    overwrite: Overwrite = False
    kind: Kind = None
    encoding: TextEncoding = None
    threads: Threads = None
    max_value: MaxValue = Limits().value >> 20
    max_batch: MaxBatch = Limits().batch >> 20
    report: ReportFile = None
    groups: GroupColumns = None
    strict: Strict = False
    ignore_missing: IgnoreMissing = False
    no_marker: NoMarker = False
    ignore_marker: IgnoreMarker = False
    as_json: Json = False
    quiet: Quiet = False

    @property
    def group_columns(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns of --groups."""
        return tuple(tuple(one.split(",")) for one in self.groups or ())

    @property
    def limits(self) -> Limits:
        """The limits, given in MiB; a batch has room for a value."""
        return Limits(self.max_value << 20, max(self.max_value, self.max_batch) << 20)


def takes_options(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take each field of `DataOptions`, but for some, and get all as `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        types = get_type_hints(DataOptions, include_extras=True)
        shared = {one.name: one.default for one in fields(DataOptions) if one.name not in without}
        taken = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is MISSING else default,
                annotation=types[name],
            )
            for name, default in shared.items()
        ]
        own = dict(signature(command, eval_str=True).parameters)
        del own["options"]
        whole = [*(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own.values()), *taken]

        @wraps(command)
        def run(**given: object) -> None:
            options: Any = {name: given.pop(name) for name in shared}
            command(**given, options=DataOptions(**options))

        run.__signature__ = Signature(whole)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in whole}
        return run

    return decorate


def in_encoding(policy: Policy, encoding: str | None) -> Policy:
    """Return a policy for text in an encoding."""
    if encoding is None:
        return policy
    return replace(policy, csv=replace(policy.csv or CsvOptions(), encoding=encoding))


def load_policy(path: Path, *, strict: bool) -> Policy:
    """Read a policy; if `strict`, columns that it does not name are refused in this run."""
    from tallystick.policy import Policy  # not for a command's help

    policy = Policy.load(path)
    return replace(policy, unlisted="error") if strict else policy


def for_source(
    policy: Policy, source: Place, kind: FileKind | None, *, ignore_missing: bool
) -> Policy:
    """Return a policy for a file, with `ignore_missing` without columns that the file lacks.

    Raises `ParameterError`: `ignore_missing` is set, and the source can't be read twice.
    `FileError`, `PolicyError`: the file can't be read, or has no column of the policy.
    """
    if not ignore_missing:
        return policy
    if not isinstance(source, Path) or source.is_fifo():
        raise ParameterError(
            f"--ignore-missing has to read {source} twice, which is impossible; save "
            "it to a file first"
        )
    from tallystick.files import columns_of

    found = columns_of(source, kind=kind, csv=policy.csv, inside=policy.named)
    return policy.for_columns({name for name, _ in found}, source)


def check_written(
    written: Sequence[tuple[str, Place]], others: Sequence[tuple[str, Path]], options: DataOptions
) -> None:
    """Refuse to write over a file that this run or others need, such as the key ring.

    Raises `FileError`: one that is written, or the report, is one of them.
    """
    needed: list[tuple[str, Place]] = [*others, ("key ring", options.keyring)]
    scheme, _, rest = options.root.partition(":")
    if scheme in ("file", "age") and rest:
        needed.append(("root key", Path(rest)))
    for path in map(Path, filter(None, rest.split(",") if scheme == "shares" else ())):
        needed.append(("share of the root key", path))
        with suppress(OSError):  # it is no directory of shares, or can't be read
            needed += [("share of the root key", one) for one in path.iterdir()]
    for what, name in (("anchor", "TALLYSTICK_ANCHOR"), ("reveal log", "TALLYSTICK_REVEAL_LOG")):
        if path_of := os.environ.get(name):
            needed.append((what, Path(path_of)))
    report = [] if options.report is None else [("report", options.report)]
    check_apart([*written, *report], needed)


def unit_of(source: Place, kind: FileKind | None) -> Unit:
    """Return what the progress of a run counts: rows or bytes."""
    found = kind or kind_of(source)
    return "rows" if found is not None and not found.is_text else "bytes"
