# SPDX-License-Identifier: Apache-2.0
"""``tallystick inspect``: find columns of files that look sensitive, and draft a policy."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from tallystick.atomic import complete_file, file_errors
from tallystick.cli.data_options import Kind, TextEncoding
from tallystick.cli.options import Json, group
from tallystick.cli.output import plain, print_json, print_line, print_table
from tallystick.counting import counted
from tallystick.errors import FileError
from tallystick.files import stored_of
from tallystick.formats import SMALL_DOMAIN
from tallystick.inspection import Finding, Inspection, draft_policy, inspect_files
from tallystick.inspection.inspect import ROWS, InspectedFile
from tallystick.inspection.meaning import invalid_text, sample_text, size_text
from tallystick.keyring import KeyId

app = group()


@app.command()
def inspect(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="The files to inspect, or addresses such as s3://bucket/key.csv. Pass all "
            "tables that join, so that one policy covers them.",
        ),
    ],
    rows: Annotated[
        int,
        typer.Option("--rows", "-n", min=1, help="The number of rows to sample from each file."),
    ] = ROWS,
    write_policy: Annotated[
        Path | None,
        typer.Option(
            "--write-policy",
            readable=False,
            help="Write a draft of a policy to this file, which must not exist.",
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
            "--header/--no-header",
            help="Whether CSV files have a header.",
            show_default="looked for",
        ),
    ] = None,
    encoding: TextEncoding = None,
    as_json: Json = False,
) -> None:
    """Find columns that look sensitive, and suggest a format for each. Shows no value."""
    KeyId.parse(key)
    if write_policy is not None and os.path.lexists(write_policy):
        raise FileError(
            f"{write_policy} exists, and inspect never replaces a policy; choose another name"
        )
    taken = [stored_of(source) for source in sources]
    found = inspect_files(
        taken, rows=rows, kind=kind, delimiter=delimiter, header=header, encoding=encoding
    )
    sensitive = any(finding.sensitive for finding in found.findings)
    if write_policy is not None and sensitive:
        text = draft_policy(found, key)
        with (
            file_errors(write_policy),
            complete_file(write_policy, private=False, overwrite=False) as sink,
        ):
            sink.write(text.encode())
    if as_json:
        print_json(_described(found, write_policy if sensitive else None))
        return
    _show(found)
    if write_policy is not None and sensitive:
        _tell_draft(found, write_policy, key)
    elif write_policy is not None:
        print_line(f"no column looks sensitive, so {write_policy} was not written")


def _tell_draft(found: Inspection, draft: Path, key: str) -> None:
    undecided = sum(finding.undecided for finding in found.findings)
    print_line(f"draft: {draft}, with key {key}. Review each column, then run:")
    for number, one in enumerate(found.files):
        some = any(finding.sensitive and number not in finding.files for finding in found.findings)
        option = " --ignore-missing" if some else ""
        print_line(f"  tallystick check {one.source} -p {draft}{option}")
    if undecided:
        print_line(
            f"A run refuses {counted(undecided, 'column')} until you decide; see keep in the draft"
        )


def _show(found: Inspection) -> None:
    sensitive = [one for one in found.findings if one.sensitive]
    table = _table("column", "what it is", "format", "score", "domain")
    for finding in sensitive:
        table.add_row(*map(Text, map(plain, _row(finding))))
    if sensitive:
        print_table(table)
    remarks: dict[str, list[str]] = {}
    for finding in sensitive:
        for line in _remarks(finding):
            remarks.setdefault(line, []).append(repr(finding.column))
    for line, names in remarks.items():
        print_line(f"column{'s' * (len(names) != 1)} {', '.join(names)}: {line}")
    for title, listed in (
        ("not protected until you decide", [one for one in found.findings if one.undecided]),
        (
            "not sensitive, as far as rules can tell",
            [one for one in found.findings if not (one.sensitive or one.undecided)],
        ),
    ):
        if listed:
            table = _table("column", "type", title)
            for finding in listed:
                row = (finding.column, finding.type, finding.reason.removeprefix("not protected: "))
                table.add_row(*map(Text, map(plain, row)))
            print_table(table)
    for one in found.files:
        if one.csv is not None and not one.csv.header:
            print_line(
                f"{one.source}: the first record looks like data, not a header: "
                "columns are named f0, f1, ..."
            )
        print_line(f"sample: {sample_text(one)} of {one.source}")
    print_line(
        f"{len(sensitive)} of {counted(len(found.findings), 'column')} "
        f"look{'s' * (len(sensitive) == 1)} sensitive. Rules decide that: check the "
        "other columns too"
    )


def _table(*headings: str) -> Table:
    """Return a table without lines between its columns, so that it fits a narrow terminal."""
    return Table(
        *(Column(heading, overflow="fold") for heading in headings),
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def _remarks(finding: Finding) -> Iterator[str]:
    """Give what is to be said of a column that looks sensitive, beside the table."""
    for reason, (count, first) in sorted(finding.invalid_rows.items()):
        yield invalid_text(finding, reason, count, first)
    if finding.choice is not None and finding.choice.note:
        yield finding.choice.note


def _row(finding: Finding) -> tuple[str, ...]:
    choice = finding.choice
    if choice is None:
        return finding.column, "", "", "", ""
    domain = "" if finding.usual is None else size_text(finding.usual)
    smallest = finding.smallest
    if smallest is not None and smallest != finding.usual and smallest < SMALL_DOMAIN:
        domain += f" (least {size_text(smallest)})"
    options = ", ".join(f"{name} = {_short(value)}" for name, value in choice.options.items())
    written = choice.type + (f" ({options})" if options else "")
    score = finding.certainty if finding.by_name else f"{finding.score:.2f} {finding.certainty}"
    return finding.column, choice.title, written, score, domain


def _short(value: object) -> str:
    """Write an option's value; a long one is in the draft."""
    text = str(value)
    return text if len(text) <= 24 else f"{len(text)} characters"


def _described(found: Inspection, draft: Path | None) -> dict[str, object]:
    return {
        "command": "inspect",
        "files": [_file(one) for one in found.files],
        "policy": None if draft is None else str(draft),
        "columns": [_column(finding, found.files) for finding in found.findings],
    }


def _file(one: InspectedFile) -> dict[str, object]:
    csv = None
    if one.csv is not None:
        csv = {
            "delimiter": one.csv.delimiter,
            "skip_initial_space": one.csv.skip_initial_space,
            "header": one.csv.header,
            "encoding": one.csv.encoding,
        }
    return {
        "source": str(one.source),
        "rows": one.rows,
        "rows_read": one.seen,
        "whole_file": one.whole,
        "csv": csv,
    }


def _column(finding: Finding, files: Sequence[InspectedFile]) -> dict[str, object]:
    choice = finding.choice
    return {
        "column": finding.column,
        "type": finding.type,
        "files": [str(files[number].source) for number in finding.files],
        "sensitive": finding.sensitive,
        "undecided": finding.undecided,
        "by_name": finding.by_name,
        "namespace": finding.namespace or None,
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
        "invalid": {
            reason.name.lower(): {"count": count, "first": [row + 1 for row in first]}
            for reason, (count, first) in sorted(finding.invalid_rows.items())
        },
        "smallest_domain": finding.smallest,
        "usual_domain": finding.usual,
        "reason": finding.reason,
    }
