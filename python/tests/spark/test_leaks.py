# SPDX-License-Identifier: Apache-2.0
"""Nothing that Spark writes or sends has a key in it; and nothing that it logs, a value."""

from __future__ import annotations

import base64
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql import SparkSession
from tools.spark_cluster import Cluster

from spark_support import Place
from tallystick.spark import Settings, protect, register, reveal
from tallystick.spark.frames import column_function

FITTING, UNFIT = "481516234", "Qx7Zz9-an-unmistakable-value"


def traces(secret: bytes) -> set[bytes]:
    """Return what a secret looks like: raw, in hex, and in base64 at any of its three phases."""
    found = {secret, secret.hex().encode(), secret.hex().upper().encode()}
    for phase in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # Four symbols at each end may have bits of neighbours in them.
            found.add(encode(bytes(phase) + secret).rstrip(b"=")[4:-4])
    return found


def holding(needles: set[bytes], *places: Path) -> list[str]:
    """Return which files, those of folders included, have one of these in them."""
    paths = [
        path
        for given in places
        for path in ([given] if given.is_file() else given.rglob("*"))
        if path.is_file()
    ]
    assert paths
    return [
        str(path)
        for path in paths
        if any(needle in content for content in [path.read_bytes()] for needle in needles)
    ]


@pytest.fixture
def secrets(place: Place) -> set[bytes]:
    return traces(place.key()) | traces(bytes.fromhex(place.root_text))


def test_the_search_finds_what_is_there(secrets: set[bytes], place: Place, tmp_path: Path) -> None:
    root = bytes.fromhex(place.root_text)
    for number in range(4):
        encoded = base64.b64encode(bytes(number) + root + b"more")
        (tmp_path / f"{number}.log").write_bytes(b"before " + encoded + b" after")
    (tmp_path / "raw").write_bytes(b"\0" + place.key() + b"\1")
    (tmp_path / "hex").write_text(f"key={place.root_text}")
    assert len(holding(secrets, tmp_path)) == 6


def test_functions_and_plans_have_no_key(
    spark: SparkSession, place: Place, secrets: set[bytes]
) -> None:
    root = f"file:{place.root}"
    settings = Settings.make(place.policy, keyring=place.ring, root=root)
    function = column_function(settings, "ssn", decrypt=False, required=True)
    pickled = CloudPickleSerializer().dumps(function)
    assert b"person id" in pickled  # the policy is
    frame = reveal(
        protect(spark.read.parquet(str(place.people)), place.policy, keyring=place.ring, root=root),
        place.policy,
    )
    plan = str(frame._jdf.queryExecution().toString()).encode()
    assert b"tally_protect(ssn" in plan
    assert b"tally_reveal(" in plan
    assert not any(needle in pickled or needle in plan for needle in secrets)


def test_logs_events_and_work_folders_have_no_key_and_logs_no_value(
    spark: SparkSession,
    cluster: Cluster,
    place: Place,
    secrets: set[bytes],
) -> None:
    register(spark, place.policy)
    frame = spark.read.parquet(str(place.people))
    protect(frame, place.policy).repartition(3, "ssn").count()
    bad = place.folder / "bad.parquet"
    pq.write_table(pa.table({"ssn": [FITTING, UNFIT]}), bad)
    failing = spark.read.parquet(str(bad))
    with pytest.raises(PythonException):
        protect(failing, place.policy, missing="ignore").collect()
    failing.createOrReplaceTempView("failing")
    with pytest.raises(PythonException):
        spark.sql("SELECT tally_protect('ssn', ssn) FROM failing").collect()
    logs = (cluster.events, cluster.work, cluster.driver_log)
    for place_of_logs in logs:
        # The failure is there, so this is where values would be.
        assert holding({b"column 'ssn', partition 0, row 1 of a batch"}, place_of_logs)
    assert holding({UNFIT.encode(), FITTING.encode()}, *logs) == []
    assert holding(secrets, cluster.folder) == []
