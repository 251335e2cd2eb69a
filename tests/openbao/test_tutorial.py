# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorials with OpenBao runs, and prints what is shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.openbao.server import program

from pages import DOCS, check


@pytest.mark.parametrize("page", ["openbao", "root-key-in-transit"])
def test_tutorial(
    page: str, plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = (str(program().parent), str(plugins), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    check(DOCS / "tutorials" / f"{page}.md", tmp_path)
