# SPDX-License-Identifier: Apache-2.0
"""The examples of the pages on Spark run, on the cluster of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pages import blocks
from spark_support import Place
from tallystick.errors import KeyringError
from tallystick.keyring import KeyId

DOCS = Path(__file__).parents[3] / "docs"


def examples(page: str = "reference/spark.md") -> list[str]:
    return blocks((DOCS / page).read_text("utf-8"), "python")


def test_the_first_example_runs(spark: SparkSession, place: Place) -> None:
    code = examples()[0].replace("/data/", f"{place.folder}/")
    exec(code, {})  # noqa: S102 (our document)
    assert spark.read.parquet(str(place.folder / "people-tokens.parquet")).count() > 0


def test_the_programs_of_the_guide_run(spark: SparkSession, place: Place) -> None:
    for code in examples("how-to/run-in-spark.md"):
        own = code.replace("people-tokens", "guide-tokens").replace("/data/", f"{place.folder}/")
        exec(own, {})  # noqa: S102 (our document)
    assert spark.read.parquet(str(place.folder / "guide-tokens.parquet")).count() > 0


def test_the_provider_runs() -> None:
    names: dict[str, Any] = {"fetch": lambda name, version: bytes([version]) * 16}
    exec(examples()[1], names)  # noqa: S102 (our document)
    made = names["Provider"]()
    assert made.key(KeyId("people", 2)) == b"\2" * 16
    with pytest.raises(KeyringError, match="no key cards:1"):
        made.key(KeyId("cards", 1))
