# SPDX-License-Identifier: Apache-2.0
"""The jobs that `make bench` times check their tokens, and are left out where Spark is not."""

from __future__ import annotations

import shutil

import pytest
from bench import spark as bench
from bench.errors import WrongResultError
from pyspark.sql import SparkSession

from spark_support import Place


def test_the_jobs_run(spark: SparkSession, place: Place) -> None:
    policy = place.write_policy("bench.toml", bench.POLICY)
    cases = bench.cases(spark, policy, 2000, place.key("bench:1"))
    assert [case.amount for case in cases] == [2000] * 3
    for case in cases:
        case.run()


def test_wrong_tokens_are_not_timed(spark: SparkSession, place: Place) -> None:
    policy = place.write_policy("bench.toml", bench.POLICY)
    with pytest.raises(WrongResultError, match="not those of a column"):
        bench.cases(spark, policy, 2000, place.key("people:1"))


def test_without_java_it_is_left_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    section, missing = bench.spark(place.folder, 1000, 1, print)
    assert section is None
    assert missing == ["Spark is not measured: java not installed."]
