# SPDX-License-Identifier: Apache-2.0
"""What the tests of faults share, and how much of them runs: a sample, or with FAULTS=all all."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.commands import World
from tests.faults.program import Server

ALL = os.environ.get("FAULTS") == "all"
SEED = int(os.environ.get("FAULTS_SEED") or "0") or random.SystemRandom().randrange(1, 10**9)


def pytest_report_header() -> str:
    """Say what would run the same again."""
    return f"faults: {'all' if ALL else 'a sample'}, FAULTS_SEED={SEED}"


@pytest.fixture(scope="session")
def room() -> Iterator[Path]:
    """A folder that other users may enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp(prefix="tallystick-faults-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def world(room: Path) -> World:
    return World(room / "template")


@pytest.fixture(scope="session")
def server(room: Path) -> Iterator[Server]:
    with Server(room) as server:
        yield server


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chance of a test's own, so that it is the same alone."""
    return random.Random(f"{SEED} {request.node.name}")  # noqa: S311
