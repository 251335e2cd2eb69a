# SPDX-License-Identifier: Apache-2.0
"""Pages that are generated and checked in are what their generators print."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.docs import command_line, json_fields

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize(
    ("name", "made"),
    [("command-line.md", command_line.page()), ("json-fields.md", json_fields.page())],
)
def test_page(name: str, made: str) -> None:
    """To mend it see the docstring of the generator."""
    assert (REFERENCE / name).read_text("utf-8") == made
