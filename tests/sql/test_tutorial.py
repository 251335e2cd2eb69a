# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorial on DuckDB runs, and prints what is shown."""

from __future__ import annotations

from pathlib import Path

from pages import DOCS, check


def test_tutorial(tmp_path: Path) -> None:
    check(DOCS / "tutorials" / "duckdb.md", tmp_path)
