# SPDX-License-Identifier: Apache-2.0
"""Tables of Markdown, put between two lines of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

BEGIN, END = "<!-- figures: made by {} -->", "<!-- end of figures -->"


def put(path: Path, made_by: str, text: str) -> None:
    """Put a text between the two lines of a document.

    Raises
    ------
    ValueError
        The document does not have both lines.
    """
    document = path.read_text()
    before = BEGIN.format(made_by)
    head, begin, rest = document.partition(before)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path.name} has no place for figures: {before} ... {END}")
    new = path.with_name(path.name + ".new")
    new.write_text(f"{head}{begin}\n{text}{end}{tail}")
    new.replace(path)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text, and the others figures."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
