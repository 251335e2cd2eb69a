# SPDX-License-Identifier: Apache-2.0
"""The documentation site, built once, and a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import PROGRAM, Browser

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a warning of MkDocs, as of a link that leads nowhere, is an error."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no chromium")
    with Browser() as found:
        yield found
