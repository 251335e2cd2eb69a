# SPDX-License-Identifier: Apache-2.0
"""``tallystick check``: report how a policy would apply to a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from tallystick.cli.data_options import (
    IgnoreMissing,
    Kind,
    PolicyFile,
    Source,
    Strict,
    TextEncoding,
    Threads,
    for_source,
    in_encoding,
    load_policy,
    unit_of,
)
from tallystick.cli.errors import ExitCode
from tallystick.cli.options import Json, Quiet, group, open_ring
from tallystick.cli.output import print_json, print_line
from tallystick.cli.progress import progress_bar
from tallystick.counting import counted
from tallystick.errors import Fault
from tallystick.files import Stored, stored_of
from tallystick.inspection import ColumnCheck, FileCheck, check_file
from tallystick.inspection.check import InvalidRows
from tallystick.inspection.meaning import number_text, size_text
from tallystick.policy.tables import counted_names, several

app = group()


@app.command()
def check(
    source: Source,
    policy: PolicyFile,
    keyring: Annotated[
        Path | None,
        typer.Option(
            "--keyring",
            "-k",
            envvar="TALLYSTICK_KEYRING",
            readable=False,
            help="The key ring: check reports keys of the policy that it lacks. Needs --root.",
        ),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option(
            "--root", "-r", envvar="TALLYSTICK_ROOT", help="The source of the ring's root key."
        ),
    ] = None,
    kind: Kind = None,
    encoding: TextEncoding = None,
    threads: Threads = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Report how a policy would apply to a file. Changes nothing and needs no keys.

    The exit code is 0 if a run would succeed, and 3 if it would fail.
    """
    taken = stored_of(source)
    rules = in_encoding(load_policy(policy, strict=strict), encoding)
    rules = for_source(rules, taken, kind, ignore_missing=ignore_missing)
    ring = None
    if keyring is not None and root is not None:
        ring = open_ring(keyring, root)
    elif keyring is not None or root is not None:
        raise typer.BadParameter("--keyring and --root belong together; pass both, or neither")
    unit = unit_of(taken, kind)
    with progress_bar("check", unit, quiet=quiet or as_json) as progress:
        found = check_file(taken, rules, ring, kind=kind, progress=progress, threads=threads)
    if as_json:
        print_json(_described(policy, taken, found))
    else:
        for column in found.columns:
            for line in _lines(column):
                print_line(line)
        for line in _clear(found):
            print_line(line)
        if not quiet:
            print_line(_summary(taken, found))
    if found.fails:
        raise typer.Exit(ExitCode.POLICY)


def _described(policy: Path, source: Stored, found: FileCheck) -> dict[str, object]:
    return {
        "command": "check",
        "policy": str(policy),
        "source": str(source),
        "rows": found.rows,
        "ok": not found.fails,
        "columns": {column.rule.column: _column(column) for column in found.columns},
        "unlisted": list(found.untouched.unlisted),
        "kept": list(found.untouched.kept),
        "unprotectable": found.unprotectable,
    }


def _column(column: ColumnCheck) -> dict[str, object]:
    rule = column.rule
    return {
        "format": rule.form.label,
        "ok": not column.fails,
        "problem": column.problem,
        "key": None if rule.key is None else str(rule.key),
        "key_found": column.key,
        "tweak": rule.tweak,
        "on_invalid": rule.on_invalid,
        "rows": column.rows,
        "nulls": column.nulls,
        "invalid": {
            reason.name.lower(): {
                "count": found.count,
                "first": [_row(found, row, line) for row, line in found.first],
            }
            for reason, found in sorted(column.invalid_rows.items())
        },
        "distinct": column.distinct.count,
        "distinct_exact": column.distinct.exact,
        "smallest_domain": column.smallest,
        "usual_domain": column.usual,
        "small_domain": column.small,
        "meaning": column.meaning,
    }


def _row(found: InvalidRows, row: int, line: int | None) -> dict[str, object]:
    fault = found.faults.get(row)
    return {
        "row": row + 1,
        "line": line,
        "position": fault and fault.position,
        "class": fault and fault.kind,
    }


def _place(line: int | None, fault: Fault | None) -> str:
    """Return the line of a value, and which character of it is invalid."""
    parts = [
        *([] if line is None else [f"line {line:,}"]),
        *([] if fault is None else [str(fault)]),
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _lines(column: ColumnCheck) -> list[str]:
    rule = column.rule
    head = f"column {rule.column!r}: format {rule.form.label}"
    if rule.key is not None:
        ring = {None: "", True: ", in the ring", False: ", which is missing from the ring"}[
            column.key
        ]
        head += f", key {rule.key}{ring}"
    if rule.tweak is not None:
        head += f", tweak {rule.tweak!r}"
    if column.problem is not None:
        return [head, f"  FAILS: {column.problem}"]
    lines = [head]
    if column.key is False:
        lines.append("  FAILS: add the key to the ring, or name a key of the ring with its version")
    lines.append(
        f"  {counted(column.rows, 'row')}, {column.nulls:,} null, "
        f"{number_text(column.distinct)} distinct "
        f"value{'s' * (column.distinct.count != 1)}{_domains(column)}"
    )
    fails = "FAILS: " if rule.on_invalid == "error" else ""
    for reason, found in sorted(column.invalid_rows.items()):
        first = ", ".join(
            f"{row + 1:,}" + _place(line, found.faults.get(row)) for row, line in found.first
        )
        which = "row" if found.count == 1 else "rows"
        more = ", ..." if found.count > len(found.first) else ""
        lines.append(f"  {fails}{found.count:,} {which}: {reason}: {which} {first}{more}")
    return lines + [f"  {sentence}" for sentence in column.meaning]


def _clear(found: FileCheck) -> Iterator[str]:
    """Report which columns pass in clear."""
    if found.untouched.kept:
        yield f"in clear, as the policy says: {counted_names(found.untouched.kept)}"
    unlisted = counted_names(found.untouched.unlisted)
    if found.refused and found.untouched.twice:
        yield f"FAILS: {several(found.untouched)}"
    elif found.refused:
        yield (
            'FAILS: the policy says unlisted = "error" and does not name these '
            f"columns: {unlisted}; protect each, or add it to keep"
        )
    elif found.untouched.unlisted:
        yield (
            f"IN CLEAR, not named by the policy: {unlisted}; add the columns that may "
            'pass in clear to keep, and set unlisted = "error"'
        )
    if found.unprotectable:
        listed = ", ".join(f"{name!r} ({kind})" for name, kind in found.unprotectable.items())
        yield f"no format accepts the type of: {listed}"


def _domains(column: ColumnCheck) -> str:
    if column.smallest is None or column.usual is None:
        return ""
    text = f"; domain size {size_text(column.usual)}"
    if column.smallest != column.usual:
        text += f", smallest {size_text(column.smallest)}"
    return text


def _summary(source: Stored, found: FileCheck) -> str:
    failing = sum(column.fails for column in found.columns)
    rows = "" if found.rows is None else f"{counted(found.rows, 'row')}, "
    clear = len(found.untouched.all)
    columns = f"{counted(len(found.columns), 'column')} protected, {clear:,} in clear"
    end = "a run would fail" if found.fails else "a run would succeed"
    if failing:
        end += f" at {counted(failing, 'column')}"
    return f"check: {source}: {rows}{columns}; {end}"
