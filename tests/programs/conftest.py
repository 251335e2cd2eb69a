# SPDX-License-Identifier: Apache-2.0
"""Programs in Go, built from the sources."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pages import CHECKOUT


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the programs, and return their folder."""
    return build(tmp_path_factory.mktemp("programs"))


def build(folder: Path) -> Path:
    """Build the programs into a folder, and return it."""
    command = ["go", "build", "-o", f"{folder}{os.sep}", "./tallystick", "./tallystickd"]
    subprocess.run(command, cwd=CHECKOUT / "go" / "cmd", check=True)
    return folder
