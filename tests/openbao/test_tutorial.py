# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorial on OpenBao runs, and prints what is shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pages import DOCS, check
from tests.openbao.server import program


def test_tutorial(plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{program().parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PLUGINS", str(plugins))
    check(DOCS / "tutorials" / "openbao.md", tmp_path)
