# SPDX-License-Identifier: Apache-2.0
"""Go and C blocks of the pages are part of files that `go test` and the tests of the core run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(go|c)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SOURCES = {
    "go": sorted((ROOT / "go").rglob("*.go")),
    "c": [ROOT / "core" / "tests" / "example.c"],
}


def lines(text: str) -> str:
    """Return a text without indentation and blank lines, one line beside the other."""
    stripped = (line.strip() for line in text.splitlines())
    return "\n" + "\n".join(line for line in stripped if line) + "\n"


BLOCKS = [
    pytest.param(*block.groups(), id=f"{page.relative_to(ROOT)}:{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.finditer(page.read_text("utf-8")), 1)
]


@pytest.mark.parametrize(("language", "text"), BLOCKS)
def test_a_block_is_part_of_a_tested_file(language: str, text: str) -> None:
    assert any(lines(text) in lines(path.read_text("utf-8")) for path in SOURCES[language])


def test_there_are_blocks() -> None:
    assert {block.values[0] for block in BLOCKS} == {"go", "c"}
