# SPDX-License-Identifier: Apache-2.0
"""Nothing that Spark writes or sends has a key in it; and nothing that it logs, a value."""

from __future__ import annotations

import base64
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql import SparkSession
from tests.leaks.search import holding, text_traces, traces
from tools.spark_cluster import Cluster

from spark_support import Place
from tallystick.spark import Settings, protect, register, reveal
from tallystick.spark.frames import column_function

FITTING, INVALID = "481516234", "Qx7Zz9-an-unmistakable-value"


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
    function = column_function(settings, ["ssn"], ["ssn"], decrypt=False, required=True)
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


@pytest.mark.parametrize("mode", ["simple", "extended", "codegen", "cost", "formatted"])
def test_plans_that_are_shown_have_no_key_and_no_value(
    spark: SparkSession,
    place: Place,
    secrets: set[bytes],
    capsys: pytest.CaptureFixture[str],
    mode: str,
) -> None:
    register(spark, place.policy, reveal=True)
    people = spark.read.parquet(str(place.people))
    people.createOrReplaceTempView("people")
    frames = (
        reveal(protect(people, place.policy), place.policy),
        spark.sql("SELECT tally_reveal('ssn', tally_protect('ssn', ssn)) AS back FROM people"),
    )
    values = {str(value) for value in people.select("ssn", "phone").head(5) for value in value}
    for frame in frames:
        assert frame.count()
        frame.explain(mode)
        shown = capsys.readouterr().out.encode()
        assert b"tally_" in shown
        assert not any(needle in shown for needle in secrets)
        assert not any(value.encode() in shown for value in values)


def test_arguments_of_processes_have_no_key(
    spark: SparkSession, cluster: Cluster, place: Place, secrets: set[bytes]
) -> None:
    """Of all processes of the machine while executors and their workers live."""
    protect(spark.read.parquet(str(place.people)), place.policy).count()
    seen = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            seen.append(path.read_bytes())
    assert any(b"CoarseGrainedExecutorBackend" in arguments for arguments in seen)
    assert any(b"pyspark" in arguments for arguments in seen)
    assert not any(needle in arguments for needle in secrets for arguments in seen)


def test_logs_events_and_work_folders_have_no_key_and_logs_no_value(
    spark: SparkSession, cluster: Cluster, place: Place, secrets: set[bytes]
) -> None:
    register(spark, place.policy, reveal=True)
    frame = spark.read.parquet(str(place.people))
    protect(frame, place.policy).repartition(3, "ssn").count()
    bad = place.folder / "bad.parquet"
    pq.write_table(pa.table({"ssn": [FITTING, INVALID]}), bad)
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
    assert holding(text_traces(INVALID) | text_traces(FITTING), *logs) == []
    assert holding(secrets, cluster.folder) == []
