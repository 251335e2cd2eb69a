# SPDX-License-Identifier: Apache-2.0
"""What the map in CONTRIBUTING.md points to is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (?P<what>[^|]+) \| `(?P<path>[^`|]+)` \| `(?P<name>\w+)` \|$", re.MULTILINE)


def code(path: Path) -> str:
    """Return a C file without its comments and its preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?!define)(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)


def test_each_place_of_the_map_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.split("\n## Where is ...?\n", 1)[1].split("\n## ", 1)[0]
    rows = list(ROW.finditer(section))
    assert len(rows) == section.count("\n| ") - 1, "a row is not of the map's form"
    assert len(rows) >= 10
    for row in rows:
        path = ROOT / row["path"]
        assert path.is_file(), row["what"]
        name = row["name"]
        function, macro = rf"\b{name}\)?\([^;]*?\)\s*\{{", rf"^#define {name}\b"
        found = re.search(f"{function}|{macro}", code(path), re.MULTILINE)
        assert found, f"{row['path']} does not define {name}"
