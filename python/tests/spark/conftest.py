# SPDX-License-Identifier: Apache-2.0
"""One cluster and one session for all tests of Spark; the driver never has a key."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from spark_support import POLICY, ROWS, Place, people
from tallystick.policy import Policy
from tallystick.protection import protect_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tools.spark_cluster import Cluster

# `make test` installs it; without it there is nothing to collect.
collect_ignore_glob = [] if importlib.util.find_spec("pyspark") else ["test_*.py"]
SUPPORT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Files of people, and of their tokens as the file path makes them."""
    folder = tmp_path_factory.mktemp("spark")
    ring = make_ring(folder / "people.keys", "people", "bench")
    policy = folder / "people.toml"
    policy.write_text(POLICY)
    source, target = folder / "people.parquet", folder / "tokens.parquet"
    pq.write_table(people(ROWS), source, row_group_size=500)
    protect_file(source, target, Policy.load(policy), ring)
    return Place(
        folder, policy, folder / "people.keys", folder / "root.key", source,
        pq.read_table(target), (folder / "root.key").read_text().strip(),
    )  # fmt: skip


@pytest.fixture(scope="session")
def cluster(place: Place) -> Iterator[Cluster]:
    if shutil.which("java") is None:
        pytest.skip("java not installed")
    from tools.spark_cluster import Cluster

    cluster = Cluster(
        place.folder / "cluster",
        {
            "PYTHONPATH": str(SUPPORT),
            "SPARK_TEST_OPENED": str(place.folder / "opened"),
            "SPARK_TEST_ROOT": place.root_text,
            "SPARK_TRACEBACK_WITH_LOCALS": "1",  # what would print values and keys
            "TALLYSTICK_KEYRING": str(place.ring),
            "TALLYSTICK_ROOT": "env:SPARK_TEST_ROOT",
        },
    )
    yield cluster
    cluster.stop()


@contextmanager
def output_into(path: Path) -> Iterator[None]:
    """Let what is started meanwhile, the driver's virtual machine, write into a file."""
    kept = [(number, os.dup(number)) for number in (1, 2)]
    with path.open("wb") as file:
        for number, _ in kept:
            os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        for number, old in kept:
            os.dup2(old, number)
            os.close(old)


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(cluster.master).appName("tallystick")
    for name, value in cluster.settings().items():
        builder = builder.config(name, value)
    with output_into(cluster.driver_log):
        session = builder.getOrCreate()
    yield session
    session.stop()
