# SPDX-License-Identifier: Apache-2.0
"""``tallystick protect``, ``reveal``, ``preview`` and ``formats``."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import pyarrow as pa
import typer
from rich.table import Column, Table
from rich.text import Text

from tallystick.cli.data_options import (
    BATCH_MIB,
    VALUE_MIB,
    DataNames,
    IgnoreMarker,
    IgnoreMissing,
    KeyringFile,
    Kind,
    MaxBatch,
    MaxValue,
    NoMarker,
    PolicyFile,
    ReportFile,
    Resume,
    SourceName,
    Strict,
    TextEncoding,
    Threads,
    ToFolder,
    bounded,
    check_report,
    for_source,
    in_encoding,
    load_policy,
    source_of,
    unit_of,
)
from tallystick.cli.folders import Pair, plan_of, run_plan
from tallystick.cli.group import group
from tallystick.cli.options import Json, Overwrite, Quiet, Root, root_key
from tallystick.cli.output import OutputClosedError, plain, print_json, print_table, say
from tallystick.cli.progress import progress_bar
from tallystick.counting import counted
from tallystick.files import STDOUT, Address, FileKind, Place, kind_of
from tallystick.formats import READY, Format
from tallystick.formats.base import SMALL_DOMAIN
from tallystick.keyring import Keyring
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.marker import State
from tallystick.policy.untouched import Untouched, counted_names
from tallystick.protection import (
    PreviewColumn,
    RunReport,
    preview_file,
    protect_file,
    reveal_file,
)
from tallystick.tokenizer import Counts, Tokenizer

app = group()


@app.command()
def protect(
    names: DataNames,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    to: ToFolder = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    threads: Threads = None,
    max_value: MaxValue = VALUE_MIB,
    max_batch: MaxBatch = BATCH_MIB,
    report: ReportFile = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    no_marker: NoMarker = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replace the values of a file by tokens, as a policy says."""
    check_report(report, [policy, keyring], root)
    plan = plan_of(names, to, kind, report, overwrite=overwrite, resume=resume, as_json=as_json)
    rules = in_encoding(load_policy(policy, strict=strict), encoding)
    ring = Keyring.open(keyring, root_key(root))
    more = reported(report)

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, kind, ignore_missing=ignore_missing)
        act = partial(
            protect_file,
            pair.source,
            pair.target,
            own,
            ring,
            overwrite=pair.overwrite,
            kind=kind,
            report=report,
            marker=not no_marker,
            ignore_marker=ignore_marker,
        )
        return run_file(
            "protect",
            bounded(act, max_value, max_batch),
            pair.source,
            pair.target,
            own.rules,
            kind,
            threads,
            as_json,
            quiet,
            more,
        )

    run_plan("protect", plan, run, private=False, quiet=quiet or as_json)


@app.command()
def reveal(
    names: DataNames,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    to: ToFolder = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    threads: Threads = None,
    max_value: MaxValue = VALUE_MIB,
    max_batch: MaxBatch = BATCH_MIB,
    report: ReportFile = None,
    ignore_missing: IgnoreMissing = False,
    no_marker: NoMarker = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Give the original values of a protected file back. Only its owner may read the target."""
    check_report(report, [policy, keyring], root)
    plan = plan_of(names, to, kind, report, overwrite=overwrite, resume=resume, as_json=as_json)
    rules = in_encoding(Policy.load(policy), encoding)
    ring = Keyring.open(keyring, root_key(root))
    one_way: dict[str, None] = {}

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, kind, ignore_missing=ignore_missing)
        here = [rule.column for rule in own.rules if rule.form.one_way]
        one_way.update(dict.fromkeys(here))
        act = partial(
            reveal_file,
            pair.source,
            pair.target,
            own,
            ring,
            overwrite=pair.overwrite,
            kind=kind,
            report=report,
            marker=not no_marker,
            ignore_marker=ignore_marker,
        )
        return run_file(
            "reveal",
            bounded(act, max_value, max_batch),
            pair.source,
            pair.target,
            own.rules,
            kind,
            threads,
            as_json,
            quiet,
            {"one_way": here, **reported(report)},
        )

    run_plan("reveal", plan, run, private=True, quiet=quiet or as_json)
    target = plan.pairs[0].target if plan.pairs else None
    if isinstance(target, Address) and not as_json:
        say(f"warning: {target} has values in clear; its server's rules say who may read it")
    if one_way and not (as_json or quiet):
        say(f"stay as they are, since their formats are one-way: {', '.join(map(repr, one_way))}")


@app.command()
def preview(
    source: SourceName,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, max=1000, help="How many.")] = 5,
    backwards: Annotated[bool, typer.Option("--reveal", help="Show what reveal does.")] = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
) -> None:
    """Show some rows before and after, side by side. This prints original values."""
    rules = in_encoding(load_policy(policy, strict=strict), encoding)
    taken = source_of(source)
    ring = Keyring.open(keyring, root_key(root))
    shown = preview_file(
        taken,
        rules,
        ring,
        rows=rows,
        decrypt=backwards,
        kind=kind,
        ignore_marker=ignore_marker,
    )
    if as_json:
        result: dict[str, object] = {
            "command": "preview",
            "source": str(source),
            "columns": {column.name: _previewed(column) for column in shown.columns},
            "marker": shown.marker,
        }
        print_json(result | _untouched(backwards, shown.untouched))
        return
    say_untouched(shown.untouched)
    # A column of the file is a group of rows here, so that any number of them fits the terminal.
    table = Table(
        *(Column(name, overflow="fold") for name in ("column", "row", "before", "after")),
        title=plain(str(source)),
    )
    for column in shown.columns:
        _add_rows(table, column)
    print_table(table)


def _previewed(column: PreviewColumn) -> dict[str, object]:
    return {"before": column.before, "after": column.after, "problems": column.problems}


def _add_rows(table: Table, column: PreviewColumn) -> None:
    rows = zip(column.before, column.after, column.problems, strict=True)
    for number, (before, after, problem) in enumerate(rows, 1):
        table.add_row(
            _cell(column.name) if number == 1 else "",
            str(number),
            _cell(before),
            _cell(after) if problem is None else Text(f"does not fit: {problem}", "red"),
            end_section=number == len(column.before),
        )


def _cell(text: str | None) -> Text:
    return Text("null", "dim") if text is None else Text(plain(text))


@app.command()
def formats(as_json: Json = False) -> None:
    """List the formats of a policy, each with a value and its token under a key made just now."""
    required: dict[str, dict[str, object]] = {
        "alphabet": {"alphabet": "ACGT"},
        "integer": {"min": 0, "max": 999_999_999},
        "pattern": {"pattern": "AA-999-A"},
        "national_id": {"kind": "br.cpf"},
        "decimal": {"min": 0, "max": 999_999, "scale": 2},
    }
    listed = [(name, build(**required.get(name, {})), build) for name, build in READY.items()]
    key = secrets.token_bytes(32)
    examples = [(name, _help(build), *_example(form, key)) for name, form, build in listed]
    fields = ("format", "about", "value", "token")
    if as_json:
        described = [dict(zip(fields, row, strict=True)) for row in examples]
        print_json({"command": "formats", "formats": described})
        return
    headings = ("format", "what it is", "a value", "a token of it")
    table = Table(*(Column(heading, overflow="fold") for heading in headings))
    for row in examples:
        table.add_row(*map(Text, row))
    print_table(table)


def _help(build: Callable[..., Format]) -> str:
    return (build.__doc__ or "").splitlines()[0]


def _example(form: Format, key: bytes) -> tuple[str, str]:
    value = form.examples[0]
    tokenizer = Tokenizer(form, key, domain="example")
    token = tokenizer.protect(value)
    tokenizer.close()
    return value, token


def reported(report: Path | None) -> dict[str, object]:
    """Return what the JSON result says of a report, if there is one."""
    return {} if report is None else {"report": str(report)}


def run_file(
    name: str,
    act: Callable[..., RunReport],
    source: Place,
    target: Place,
    rules: Sequence[ColumnRule],
    kind: FileKind | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
    more: Mapping[str, object] = MappingProxyType({}),
) -> RunReport:
    """Run a command that makes a file of another, with progress, and say what it did.

    Parameters
    ----------
    name : str
        The command.
    act : callable
        Does it, with the arguments `progress` and `threads`.
    rules : sequence of ColumnRule
        Those of the columns; what is counted of a column is told only if `act` reports it.
    more : mapping
        What the JSON result has besides.
    """
    unit = unit_of(source, kind)
    with (
        progress_bar(name, unit, quiet=quiet or as_json) as progress,
        _arrow_threads(threads),
    ):
        try:
            report = act(progress=progress, threads=threads)
        except BrokenPipeError:
            raise OutputClosedError from None
    if as_json:
        described = _described(name, source, target, report)
        print_json({**described, **_untouched(name != "protect", report.untouched), **more})
        return report
    say_untouched(report.untouched, quiet=quiet)
    chosen = kind or kind_of(source)
    for rule in rules:
        if rule.column in report.columns:
            _warn(name, rule, report.columns[rule.column])
            if name == "protect" and chosen is FileKind.CSV and rule.form.may_be_formula:
                say(
                    f"warning: column {rule.column!r}: tokens may begin with =, +, - or @, which "
                    "spreadsheets take for a formula; import the column as text"
                )
    if not quiet:
        if report.marker != "checked":
            say(_not_checked(name, source, report.marker))
        if report.marked and target == STDOUT and not (chosen and chosen.has_metadata):
            say("standard output has no marker: what reads it can't check how it was protected")
        say(
            f"{name}: {counted(report.rows, 'row')}, {counted(len(report.columns), 'column')}, "
            f"{_work(report)}: {target}"
        )
    return report


@contextmanager
def _arrow_threads(threads: int | None) -> Iterator[None]:
    """Let Arrow, which decodes Parquet in threads of its own, take no more of them either."""
    before = pa.cpu_count()
    if threads is not None:
        pa.set_cpu_count(min(threads, before))
    try:
        yield
    finally:
        pa.set_cpu_count(before)


def _work(report: RunReport) -> str:
    """Say how much was read in what time; of little the rate says nothing."""
    time = f"in {report.seconds:.2f} s"
    if report.bytes_in < 1e6:
        return f"{counted(report.bytes_in, 'byte')} {time}"
    size = report.bytes_in / 1e6
    return f"{size:,.1f} MB {time} ({size / max(report.seconds, 1e-9):,.0f} MB/s)"


def _warn(command: str, rule: ColumnRule, counts: Counts) -> None:
    """Tell of values that were not protected, or not well."""
    fate = "null now" if rule.unfit == "null" else "kept in clear"
    for reason, count in counts.unfit.items():
        say(
            f"warning: column {rule.column!r}: {counted(count, 'value')} did not fit: {fate}; "
            f"of each: {reason}"
        )
    if counts.small and command != "reveal":
        values = counted(counts.small, "value")
        say(
            f"warning: column {rule.column!r}: {values} of a domain of fewer than "
            f"{SMALL_DOMAIN:,}; whoever may have values protected can list their tokens"
        )


def _described(name: str, source: Place, target: Place, report: RunReport) -> dict[str, object]:
    return {
        "command": name,
        "source": str(source),
        "target": str(target),
        "rows": report.rows,
        "bytes_in": report.bytes_in,
        "bytes_out": report.bytes_out,
        "seconds": round(report.seconds, 6),
        "columns": {
            column: {
                "rows": counts.rows,
                "nulls": counts.nulls,
                "unfit": {reason.name.lower(): count for reason, count in counts.unfit.items()},
                "small_domain": counts.small,
            }
            for column, counts in report.columns.items()
        },
        "marker": report.marker,
    }


def say_untouched(columns: Untouched, *, quiet: bool = False) -> None:
    """Tell of columns that pass in clear; `quiet`: only of those that the policy does not name."""
    if columns.unlisted:
        say(f"warning: not protected, in clear: {counted_names(columns.unlisted)}")
    if columns.kept and not quiet:
        say(f"kept in clear, as the policy says: {counted_names(columns.kept)}")


def _untouched(none: bool, columns: Untouched) -> dict[str, object]:
    """Return what the JSON result says of columns that pass in clear, if it says it."""
    if none:
        return {}
    return {"unlisted": list(columns.unlisted), "kept": list(columns.kept)}


def _not_checked(name: str, source: Place, marker: State) -> str:
    found = "has no marker" if marker == "none" else "has a marker that was not to be read"
    what = (
        "is not protected already"
        if name == "protect"
        else "was protected by this policy and these keys"
    )
    return f"{source} {found}, so whether it {what} could not be checked"
