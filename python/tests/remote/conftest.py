# SPDX-License-Identifier: Apache-2.0
"""A server with one bucket, and what protects a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from remote_support import PEOPLE, POLICY, Home
from s3_server import s3_server


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    folder = tmp_path_factory.mktemp("server")
    with s3_server(folder) as number:
        yield number, folder


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("home")
    (place / "people.toml").write_text(POLICY)
    make_ring(place / "people.keys", "people", "people")
    (place / "people.csv").write_bytes(PEOPLE)
    pq.write_table(
        pa.table({"id": [f"{row:07d}" for row in range(300_000)], "note": ["a"] * 300_000}),
        place / "people.parquet",
        row_group_size=50_000,
    )
    return place


@pytest.fixture
def home(port: tuple[int, Path], files: Path, request: pytest.FixtureRequest) -> Home:
    """Give a bucket of the test's own."""
    number, folder = port
    name = f"bucket-{abs(hash(request.node.nodeid)) % 10**12}"
    (folder / name).mkdir()
    return Home(files, folder / name, number)
