# SPDX-License-Identifier: Apache-2.0
"""``tallystick inspect``: which columns of a file look sensitive, and a draft of a policy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from tallystick.atomic import complete_file, file_errors
from tallystick.cli.data_options import Kind, Source
from tallystick.cli.group import group
from tallystick.cli.options import Json
from tallystick.cli.output import plain, print_json, print_line, print_table
from tallystick.errors import FileError
from tallystick.inspection import Finding, Inspection, draft_policy, inspect_file
from tallystick.inspection.inspect import ROWS
from tallystick.inspection.meaning import counted, misfit_text, sample_text, size_text
from tallystick.keyring import KeyId

app = group()


@app.command()
def inspect(
    source: Source,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, help="Of the sample.")] = ROWS,
    write_policy: Annotated[
        Path | None,
        typer.Option(
            "--write-policy", readable=False, help="Write a draft of a policy; never over a file."
        ),
    ] = None,
    key: Annotated[str, typer.Option("--key", help="The data key that the draft names.")] = (
        "data:1"
    ),
    kind: Kind = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", help="Of CSV.", show_default="looked for"),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether CSV has one.", show_default="looked for"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say which columns of a file look sensitive, and which format fits. It shows no value."""
    KeyId.parse(key)
    if write_policy is not None and os.path.lexists(write_policy):
        raise FileError(f"{write_policy} exists, and is never replaced; give another name")
    found = inspect_file(source, rows=rows, kind=kind, delimiter=delimiter, header=header)
    sensitive = sum(finding.sensitive for finding in found.findings)
    if write_policy is not None and sensitive:
        text = draft_policy(found, source, key)
        with (
            file_errors(write_policy),
            complete_file(write_policy, private=False, overwrite=False) as sink,
        ):
            sink.write(text.encode())
    if as_json:
        print_json(_described(source, found, write_policy if sensitive else None))
        return
    _show(source, found)
    if write_policy is not None:
        print_line(
            f"draft: {write_policy}; look at each column, then: tallystick check {source} "
            f"-p {write_policy}"
            if sensitive
            else f"no column looks sensitive, so {write_policy} was not written"
        )


def _show(source: Path, found: Inspection) -> None:
    table = Table(
        *(
            Column(heading, overflow="fold")
            for heading in ("column", "type", "what it is", "format", "score", "domain", "why")
        ),
        title=plain(str(source)),
    )
    for finding in sorted(found.findings, key=lambda one: not one.sensitive):
        table.add_row(*map(Text, map(plain, _row(finding))))
    print_table(table)
    for finding in found.findings:
        for reason, (count, first) in sorted(finding.misfits.items()) if finding.sensitive else ():
            text = misfit_text(finding, reason, count, first)
            print_line(f"column {finding.column!r}: {text}")
        if finding.sensitive and finding.choice is not None and finding.choice.note:
            print_line(f"column {finding.column!r}: {finding.choice.note}")
    if found.csv is not None and not found.csv.header:
        print_line("the first record looks like values: the columns are called f0, f1, ...")
    count = sum(finding.sensitive for finding in found.findings)
    print_line(
        f"sample: {sample_text(found)}. {count} of {counted(len(found.findings), 'column')} "
        f"look{'s' * (count == 1)} sensitive. Rules decide that; look at the others too"
    )


def _row(finding: Finding) -> tuple[str, ...]:
    if not finding.sensitive or finding.choice is None:
        return finding.column, finding.type, "", "", "", "", finding.reason
    domain = "" if finding.usual is None else size_text(finding.usual)
    if finding.smallest is not None and finding.smallest != finding.usual:
        domain += f" (least {size_text(finding.smallest)})"
    choice = finding.choice
    options = ", ".join(f"{name} = {value}" for name, value in choice.options.items())
    written = choice.type + (f" ({options})" if options else "")
    score = f"{finding.score:.2f} {finding.certainty}"
    return (
        finding.column,
        finding.type,
        choice.title,
        written,
        score,
        domain,
        f"{finding.reason}; {finding.different:,} different values",
    )


def _described(source: Path, found: Inspection, draft: Path | None) -> dict[str, object]:
    csv = None
    if found.csv is not None:
        csv = {
            "delimiter": found.csv.delimiter,
            "skip_initial_space": found.csv.skip_initial_space,
            "header": found.csv.header,
        }
    return {
        "command": "inspect",
        "source": str(source),
        "rows": found.rows,
        "rows_read": found.seen,
        "whole_file": found.whole,
        "csv": csv,
        "policy": None if draft is None else str(draft),
        "columns": [_column(finding) for finding in found.findings],
    }


def _column(finding: Finding) -> dict[str, object]:
    choice = finding.choice
    return {
        "column": finding.column,
        "type": finding.type,
        "sensitive": finding.sensitive,
        "what": None if choice is None else choice.title,
        "kind": None if choice is None else choice.kind,
        "format": None if choice is None else choice.type,
        "options": None
        if choice is None
        else {
            name: value if isinstance(value, bool | int) else str(value)
            for name, value in choice.options.items()
        },
        "note": None if choice is None else choice.note or None,
        "score": round(finding.score, 3),
        "certainty": finding.certainty,
        "fit": round(finding.fit, 4),
        "filled": finding.filled,
        "nulls": finding.nulls,
        "different": finding.different,
        "misfits": {
            reason.name.lower(): {"count": count, "first": [row + 1 for row in first]}
            for reason, (count, first) in sorted(finding.misfits.items())
        },
        "smallest_domain": finding.smallest,
        "usual_domain": finding.usual,
        "reason": finding.reason,
    }
