# SPDX-License-Identifier: Apache-2.0
"""A command that makes one file of another: it runs with progress, and reports the run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from tallystick.cli.data_options import DataOptions, unit_of
from tallystick.cli.output import OutputClosedError, print_json, say
from tallystick.cli.progress import progress_bar
from tallystick.counting import counted
from tallystick.files import STDOUT, FileKind, Place, Progress, kind_of, limited
from tallystick.formats import SMALL_DOMAIN
from tallystick.policy import ColumnRule
from tallystick.policy.marker import State
from tallystick.policy.tables import Untouched, counted_names
from tallystick.protection import RunOptions, RunReport
from tallystick.tokenizer import Counts


def reported(report: Path | None) -> dict[str, object]:
    """Return what the JSON result says of a report, if there is one."""
    return {} if report is None else {"report": str(report)}


def run_options(options: DataOptions, overwrite: bool, progress: Progress | None) -> RunOptions:
    """Return the options of a run over one file."""
    return RunOptions(
        overwrite=overwrite,
        kind=options.kind,
        progress=progress,
        threads=options.threads,
        report=options.report,
        groups=options.group_columns,
        marker=not options.no_marker,
        ignore_marker=options.ignore_marker,
    )


def run_file(
    name: str,
    act: Callable[[Progress | None], RunReport],
    places: tuple[Place, Place],
    rules: Sequence[ColumnRule],
    options: DataOptions,
    more: Mapping[str, object],
) -> RunReport:
    """Run a command that makes a file of another, with progress, and say what it did.

    `name`: the command.
    `act`: does it, given where to report progress.
    `places`: source and target.
    `rules`: those of the columns; counts of a column are shown only if `act` reports it.
    `more`: what the JSON result has besides.
    """
    source, target = places
    as_json, quiet = options.as_json, options.quiet
    unit = unit_of(source, options.kind)
    with (
        progress_bar(name, unit, quiet=quiet or as_json) as progress,
        _arrow_threads(options.threads),
        limited(options.limits),
    ):
        try:
            report = act(progress)
        except BrokenPipeError:
            raise OutputClosedError from None
    if as_json:
        described = _described(name, source, target, report)
        if name == "protect":
            described |= described_untouched(False, report.untouched)
            described["metadata"] = list(report.metadata)
        print_json({**described, **more})
        return report
    say_untouched(report.untouched, quiet=quiet)
    if name == "protect" and report.metadata and not quiet:
        say(f"metadata in clear: {counted_names(report.metadata, 'key')}")
    chosen = options.kind or kind_of(source)
    for rule in rules:
        if rule.column in report.columns:
            _warn(name, rule, report.columns[rule.column])
            if name == "protect" and chosen is FileKind.CSV and rule.form.may_be_formula:
                say(
                    f"warning: column {rule.column!r}: tokens may begin with =, +, - "
                    "or @, which spreadsheets read as a formula; import the column as "
                    "text"
                )
    if not quiet:
        if report.marker != "checked":
            say(_not_checked(name, source, report.marker))
        if report.marked and target == STDOUT and not (chosen and chosen.has_metadata):
            say("standard output has no marker, so later commands can't check how it was protected")
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
    """Return how much was read, and in what time; the rate only if enough was read."""
    time = f"in {report.seconds:.2f} s"
    if report.bytes_in < 1e6:
        return f"{counted(report.bytes_in, 'byte')} {time}"
    size = report.bytes_in / 1e6
    return f"{size:,.1f} MB {time} ({size / max(report.seconds, 1e-9):,.0f} MB/s)"


def _warn(command: str, rule: ColumnRule, counts: Counts) -> None:
    """Warn of values that were not protected, or are in small domains."""
    fate = "replaced by null" if rule.on_invalid == "null" else "kept in clear"
    for reason, count in counts.invalid.items():
        say(
            f"warning: column {rule.column!r}: {counted(count, 'invalid value')} {fate}; "
            f"reason: {reason}"
        )
    if counts.small and command != "reveal":
        values = counted(counts.small, "value")
        say(
            f"warning: column {rule.column!r}: {values} of a small domain (fewer than "
            f"{SMALL_DOMAIN:,} values); anyone who can protect values can list their "
            "tokens"
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
                "invalid": {reason.name.lower(): count for reason, count in counts.invalid.items()},
                "small_domain": counts.small,
            }
            for column, counts in report.columns.items()
        },
        "marker": report.marker,
    }


def say_untouched(columns: Untouched, *, quiet: bool = False, where: str = "") -> None:
    """Report columns that pass in clear; if `quiet`, only those that the policy does not name.

    `where`: where they are, if not in a file.
    """
    there = where and f" in {where}"
    if columns.unlisted:
        say(f"warning: not protected, in clear{there}: {counted_names(columns.unlisted)}")
    if columns.kept and not quiet:
        say(f"in clear{there}, as the policy says: {counted_names(columns.kept)}")


def described_untouched(none: bool, columns: Untouched) -> dict[str, object]:
    """Return what the JSON result says of columns that pass in clear, if it says it."""
    if none:
        return {}
    return {"unlisted": list(columns.unlisted), "kept": list(columns.kept)}


def _not_checked(name: str, source: Place, marker: State) -> str:
    found = "has no marker" if marker == "none" else "has a marker, which was ignored"
    what = (
        "is not protected already"
        if name == "protect"
        else "was protected by this policy and these keys"
    )
    return f"{source} {found}: it was not checked whether it {what}"
