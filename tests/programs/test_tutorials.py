# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorials on programs in Go runs, and prints what is shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pages import DOCS, check


@pytest.mark.parametrize("page", ["go-command", "token-server"])
def test_tutorial(
    page: str, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go").mkdir()
    (tmp_path / "go" / "bin").symlink_to(programs)  # where go install puts them
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    check(DOCS / "tutorials" / f"{page}.md", tmp_path)
