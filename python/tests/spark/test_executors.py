# SPDX-License-Identifier: Apache-2.0
"""Keys on executors: opened once for each worker, and at hand when an executor is killed."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from tools.spark_cluster import Cluster

from spark_support import Place
from tallystick.spark import protect


def test_a_provider_is_made_once_for_each_python_worker(spark: SparkSession, place: Place) -> None:
    frame = spark.read.parquet(str(place.people)).repartition(8)
    for _ in range(2):
        tokens = protect(frame, place.policy, provider="spark_keys:Counted")
        assert tokens.toArrow().sort_by("id").to_pydict() == place.tokens.to_pydict()
    opened = Counter((place.folder / "opened").read_text().split())
    assert set(opened.values()) == {1}
    assert len(opened) < 2 * 8  # as many as there were tasks


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("spark_keys:Talkative", "provider spark_keys:Talkative: RuntimeError in spark_keys.py:"),
        ("spark_keys:Keyless", "has no method key"),
        ("spark_keys:None_such", "AttributeError in worker.py:"),
        ("no_such_module:Keys", "ModuleNotFoundError in "),
    ],
)
def test_a_provider_that_fails_is_named_without_what_it_says(
    spark: SparkSession, place: Place, provider: str, message: str
) -> None:
    frame = spark.read.parquet(str(place.people)).where("id < 5")
    with pytest.raises(PythonException) as caught:
        protect(frame, place.policy, provider=provider).collect()
    assert message in str(caught.value)
    assert place.root_text not in str(caught.value)


def test_a_key_that_the_ring_lacks_is_named(spark: SparkSession, place: Place) -> None:
    policy = place.write_policy("newer.toml", place.policy.read_text().replace(":1", ":9"))
    frame = spark.read.parquet(str(place.people)).where("id < 5")
    with pytest.raises(PythonException, match="column 'ssn': its key in the policy, people:9"):
        protect(frame, policy).collect()


def test_an_executor_killed_in_the_middle_loses_nothing(
    spark: SparkSession, cluster: Cluster, place: Place, tmp_path: Path
) -> None:
    def slowly(values: pa.Array) -> pa.Array:
        import time

        time.sleep(0.4)
        return values

    tokens = protect(spark.read.parquet(str(place.people)).repartition(6, "id"), place.policy)
    # What the executors keep of the tokens for the second stage is lost with one of them.
    shuffled = tokens.repartition(12, "note")
    slow = shuffled.withColumn("note", F.arrow_udf(slowly, "string")("note"))
    target = tmp_path / "tokens"
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(_write, slow, target)
        _wait_for_tasks(spark, more_than=2, of=12)
        assert not job.done()
        killed = cluster.kill_executor()
        job.result(timeout=300)
    assert pq.read_table(target).sort_by("id").to_pydict() == place.tokens.to_pydict()
    assert killed not in cluster.executors()
    assert '"Event":"SparkListenerExecutorRemoved"' in _events(cluster)


def _write(frame: DataFrame, target: Path) -> None:
    frame.write.parquet(str(target))


def _wait_for_tasks(spark: SparkSession, *, more_than: int, of: int) -> None:
    """Wait until a stage of so many tasks has completed some, but not all of them."""
    tracker = spark.sparkContext.statusTracker()
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and info.numTasks == of and more_than < info.numCompletedTasks < of:
                return
        time.sleep(0.02)
    raise AssertionError("the job was not seen in its middle")


def _events(cluster: Cluster) -> str:
    return "".join(
        path.read_text(errors="replace") for path in cluster.events.rglob("*") if path.is_file()
    )
