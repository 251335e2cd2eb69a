# SPDX-License-Identifier: Apache-2.0
"""Programs that pages show whole are the files that `go test` and the tests of the core run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("page", "language", "source", "begin"),
    [
        ("reference/c.md", "c", "core/tests/example.c", "#include"),
        (
            "how-to/read-tokens-in-another-language.md",
            "go",
            "go/examples/readtokens/main.go",
            "package main",
        ),
    ],
)
def test_a_program_is_the_tested_one(page: str, language: str, source: str, begin: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    file = (ROOT / source).read_text("utf-8")
    assert block == file[file.index(f"\n{begin}") + 1 :]
