# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/reference/spark.md run, on the cluster of the tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_support import Place
from tallystick.errors import KeyringError
from tallystick.keyring import KeyId

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "spark.md"


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)


def test_the_first_example_runs(spark: SparkSession, place: Place) -> None:
    code = examples()[0].replace("/data/", f"{place.folder}/")
    exec(code, {})  # noqa: S102 (our document)
    assert spark.read.parquet(str(place.folder / "people-tokens.parquet")).count() > 0


def test_the_provider_runs() -> None:
    names: dict[str, Any] = {"fetch": lambda name, version: bytes([version]) * 16}
    exec(examples()[1], names)  # noqa: S102 (our document)
    made = names["Provider"]()
    assert made.key(KeyId("people", 2)) == b"\2" * 16
    with pytest.raises(KeyringError, match="no key cards:1"):
        made.key(KeyId("cards", 1))
