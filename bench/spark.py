# SPDX-License-Identifier: Apache-2.0
"""Spark: a column protected by executors, beside the same job with a function that does nothing.

On a standalone cluster on this machine, with one executor of one core and with two. Spark makes
the column, and throws the result away (its sink "noop"), so that little else is measured.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallystick import Tokenizer, formats
from tallystick.keyring import Keyring, RootKey

from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXECUTORS = (1, 2)
PARTITIONS = 8
CHECKED = 1000
"""Rows whose tokens are compared with those of a column."""

POLICY = 'keep = ["id"]\n[columns]\n'
POLICY += 'number = { format = "digits", key = "bench:1", namespace = "number" }\n'


def spark(
    folder: Path, rows: int, repetitions: int, say: Callable[[str], None]
) -> tuple[Section | None, list[str]]:
    """Measure so many rows of 16 digits with one executor and with two, or say what is lacking."""
    lacking = [
        *(() if importlib.util.find_spec("pyspark") else ("pyspark",)),
        *(() if shutil.which("java") else ("java",)),
    ]
    if lacking:
        return None, [f"Spark is not measured: {' and '.join(lacking)} not installed."]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="spark-") as made:
        groups = _on_cluster(Path(made), rows, repetitions, say)
    return Section(
        f"Spark, {rows:,} rows of 16 digits in {PARTITIONS} partitions",
        tuple(groups),
        (
            "Functions on Arrow arrays, in batches of 10,000 rows. An executor has one core, and "
            "the driver runs on the same machine. The time is that of the whole job.",
        ),
    ), []


def _on_cluster(
    folder: Path, rows: int, repetitions: int, say: Callable[[str], None]
) -> list[Group]:
    # Only here, because without Spark it can't be imported.
    from tools.spark_cluster import Cluster

    root = RootKey.generate_file(folder / "root.key")
    ring = Keyring.create(folder / "bench.keys", root)
    ring.add("bench")
    (folder / "bench.toml").write_text(POLICY)
    keys = {"TALLYSTICK_KEYRING": str(folder / "bench.keys"), "TALLYSTICK_ROOT": str(root)}
    groups = []
    cluster = Cluster(folder / "cluster", keys, workers=max(EXECUTORS), options="-Xshare:auto")
    try:
        for executors in EXECUTORS:
            count = "one executor" if executors == 1 else f"{executors} executors"
            say(f"Spark: {count}")
            session = _session(cluster.master, cluster.settings(), executors)
            try:
                jobs = cases(session, folder / "bench.toml", rows, ring.key("bench:1"))
                timings = side_by_side(jobs, repetitions)
            finally:
                session.stop()
            groups.append(Group(count, Unit.VALUES_PER_SECOND, timings))
    finally:
        cluster.stop()
    return groups


def _session(master: str, settings: dict[str, str], executors: int) -> SparkSession:
    import os

    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder.master(master).appName("bench")
    more = {"spark.cores.max": str(executors), "spark.eventLog.enabled": "false"}
    for name, value in {**settings, **more}.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def cases(session: SparkSession, policy: Path, rows: int, key: bytes) -> list[Case]:
    """Return the jobs, after checking the tokens of some rows."""
    from pyspark.sql import functions

    from tallystick.spark import protect

    def identity(values: pa.Array) -> pa.Array:
        return values

    plain = session.range(0, rows, 1, PARTITIONS).selectExpr(
        "id", "lpad(cast(id * 7919 as string), 16, '0') as number"
    )
    same = plain.withColumn("number", functions.arrow_udf(identity, "string")("number"))
    tokens = protect(plain, policy)
    before, after = (
        frame.where(f"id < {CHECKED}").toArrow().sort_by("id")["number"]
        for frame in (plain, tokens)
    )
    column = Tokenizer(formats.digits(), key, namespace="number")
    if after != column.protect(before):
        raise WrongResultError("Spark: tokens are not those of a column")
    column.close()
    return [
        Case("a function that does nothing", partial(_run, same), rows),
        Case("Tallystick, protect", partial(_run, tokens), rows),
        Case("no function", partial(_run, plain), rows),
    ]


def _run(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()
