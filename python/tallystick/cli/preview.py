# SPDX-License-Identifier: Apache-2.0
"""``tallystick preview``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallystick.cli.data_options import (
    IgnoreMarker,
    IgnoreMissing,
    KeyringFile,
    Kind,
    PolicyFile,
    RevealLogFile,
    SourceName,
    Strict,
    TextEncoding,
    for_source,
    in_encoding,
    load_policy,
    source_of,
)
from tallystick.cli.options import Json, Root, group, open_ring
from tallystick.cli.output import plain, print_json, print_table

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from tallystick.protection import PreviewColumn

app = group()


@app.command()
def preview(
    source: SourceName,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, max=1000, help="How many.")] = 5,
    backwards: Annotated[bool, typer.Option("--reveal", help="Show what reveal would do.")] = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    ignore_marker: IgnoreMarker = False,
    reveal_log: RevealLogFile = None,
    as_json: Json = False,
) -> None:
    """Show rows before and after, side by side. This prints plaintext values."""
    # Arrow and rich take longer to load than a command's help may.
    from rich.table import Column, Table

    from tallystick.cli.reveals import logged, revealable
    from tallystick.cli.run import described_untouched, say_untouched
    from tallystick.files import STDOUT
    from tallystick.protection import RunOptions, preview_file

    rules = in_encoding(load_policy(policy, strict=strict), encoding)
    taken = source_of(source)
    rules = for_source(rules, taken, kind, ignore_missing=ignore_missing)
    ring = open_ring(keyring, root)
    log = reveal_log if backwards else None
    with logged(log, revealable(rules), ring, taken, STDOUT) as tell:
        shown = preview_file(
            *(taken, rules, ring, RunOptions(kind=kind, ignore_marker=ignore_marker)),
            rows=rows,
            decrypt=backwards,
        )
        tell(max((len(column.before) for column in shown.columns), default=0))
    if as_json:
        result: dict[str, object] = {
            "command": "preview",
            "source": str(source),
            "columns": {column.name: _previewed(column) for column in shown.columns},
            "marker": shown.marker,
        }
        print_json(result | described_untouched(backwards, shown.untouched))
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
    from rich.text import Text

    rows = zip(column.before, column.after, column.problems, strict=True)
    for number, (before, after, problem) in enumerate(rows, 1):
        table.add_row(
            _cell(column.name) if number == 1 else "",
            str(number),
            _cell(before),
            _cell(after) if problem is None else Text(f"invalid: {problem}", "red"),
            end_section=number == len(column.before),
        )


def _cell(text: str | None) -> Text:
    from rich.text import Text

    return Text("null", "dim") if text is None else Text(plain(text))
