# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorial on Spark runs, on its own cluster, and prints what is shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pages import DOCS, check


@pytest.mark.skipif(shutil.which("java") is None, reason="java not installed")
def test_tutorial(tmp_path: Path) -> None:
    check(DOCS / "tutorials" / "spark.md", tmp_path)
