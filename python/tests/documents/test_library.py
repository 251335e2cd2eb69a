# SPDX-License-Identifier: Apache-2.0
"""The references of the C library name each public function, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
INCLUDE = ROOT / "core" / "include" / "tallystick"
PAGES = ROOT / "docs" / "reference"
FUNCTION = re.compile(r"^TALLY_API[^;]*?\b(tally_\w+)\(", re.MULTILINE)


def declared(header: Path) -> set[str]:
    """Return the names of the functions that a header declares."""
    return set(FUNCTION.findall(header.read_text("utf-8")))


def test_each_public_function_is_in_a_reference() -> None:
    c, masked = ((PAGES / name).read_text("utf-8") for name in ("c.md", "masked-aes.md"))
    headers = sorted(INCLUDE.glob("*.h"))
    assert sum(len(declared(header)) for header in headers) > 100
    for header in headers:
        page = masked if header.stem.startswith("masked_") else c
        missing = declared(header) - set(re.findall(r"tally_\w+", page))
        assert not missing, header.name


def test_the_table_of_functions_names_no_other() -> None:
    page = (PAGES / "c.md").read_text("utf-8")
    table = page.split("\n## Functions\n", 1)[1].split("\n## ", 1)[0]
    there = set().union(*(declared(header) for header in INCLUDE.glob("*.h")))
    assert set(re.findall(r"`(tally_\w+)`", table)) <= there
