# SPDX-License-Identifier: Apache-2.0
"""Spark data frames under a policy: the tokens of the file path, types, nulls, and errors."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    ByteType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from spark_support import POLICY, Place
from tallystick import Protector
from tallystick.errors import NotProtectedWarning, ParameterError, PolicyError
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.spark import protect, reveal

ONE = 'unlisted = "keep"\n[columns]\n'
ONE += 'value = {{ format = {}, key = "people:1", namespace = "value"{} }}\n'


def read(frame: DataFrame) -> pa.Table:
    """Return the rows in order of their ids, with the types that files have."""
    return frame.toArrow().sort_by("id")


def one(
    spark: SparkSession, place: Place, values: list[str | None], form: str, more: str = ""
) -> tuple[DataFrame, Path]:
    """Return a frame of one column, and its policy's path."""
    policy = place.write_policy("one.toml", ONE.format(form, more))
    return spark.createDataFrame([(value,) for value in values], "value string"), policy


def test_tokens_are_those_of_the_file_path_and_come_back(spark: SparkSession, place: Place) -> None:
    frame = spark.read.parquet(str(place.people)).repartition(5)
    tokens = protect(frame, place.policy)
    assert tokens.columns == frame.columns
    assert tokens.dtypes == frame.dtypes
    assert read(tokens).to_pydict() == place.tokens.to_pydict()
    back = reveal(tokens, place.policy)
    assert read(back).to_pydict() == pq.read_table(place.people).to_pydict()


def test_the_driver_needs_no_key_and_executors_may_get_paths(
    spark: SparkSession, place: Place
) -> None:
    frame = spark.read.parquet(str(place.people)).where("id < 50")
    tokens = protect(frame, place.policy, keyring=place.ring, root=f"file:{place.root}")
    assert read(tokens).to_pydict() == place.tokens.slice(0, 50).to_pydict()
    wrong = place.folder / "no.keys"
    with pytest.raises(PythonException, match=r"no\.keys: no such key ring"):
        protect(frame, place.policy, keyring=wrong, root="env:SPARK_TEST_ROOT").collect()


def test_only_protected_columns_go_through_python(spark: SparkSession, place: Place) -> None:
    frame = protect(spark.read.parquet(str(place.people)), place.policy)
    plan = frame._jdf.queryExecution().executedPlan().toString()
    (step,) = [line for line in plan.splitlines() if "ArrowEvalPython" in line]
    for column in ("ssn", "name", "born", "points"):
        assert f"tally_protect({column}#" in step
    assert step.count("tally_protect(") == 5  # and that of phone, with its tweak


def test_nullability_types_and_metadata_stay(spark: SparkSession, place: Place) -> None:
    schema = StructType(
        [
            StructField("id", LongType(), nullable=False),
            StructField("ssn", StringType(), nullable=False, metadata={"comment": "of the state"}),
            StructField("name", StringType(), nullable=False),
            StructField("born", DateType(), nullable=False),
            StructField("points", IntegerType(), nullable=False),
            StructField("phone", StringType(), nullable=True),
        ]
    )
    row = (1, "123-45-6789", "Ada", date(1970, 1, 2), 77, None)
    tokens = protect(spark.createDataFrame([row], schema), place.policy)
    expected = StructType([*schema.fields])
    expected["name"].nullable = True  # what does not fit becomes null
    assert tokens.schema == expected
    assert tokens.schema["ssn"].metadata == {"comment": "of the state"}
    (got,) = reveal(tokens, place.policy).collect()
    assert tuple(got) == row


def test_invalid_values_become_null_or_stay(spark: SparkSession, place: Place) -> None:
    given = ["Ada", "Zoë", None, "x"]
    frame, policy = one(spark, place, given, '"letters"', ', on_invalid = "null"')
    new = [row.value for row in protect(frame, policy).collect()]
    assert new[1:] == [None, None, None]
    assert len(new[0]) == 3
    frame, policy = one(spark, place, given, '"letters"', ', on_invalid = "keep"')
    assert [row.value for row in protect(frame, policy).collect()][1:] == given[1:]


def test_an_invalid_value_ends_the_job_and_is_not_named(spark: SparkSession, place: Place) -> None:
    frame, policy = one(spark, place, ["123456789", "987-65-432x"], '"ssn"')
    with pytest.raises(PythonException) as caught:
        protect(frame.coalesce(1), policy).collect()
    message = str(caught.value)
    assert "column 'value', partition 0, row 1 of a batch: it has a character that the" in message
    assert "correct the value" in message
    assert "987-65" not in message
    assert "123456789" not in message
    with pytest.raises(PythonException, match="pass the policy that protected the data"):
        reveal(frame, policy).collect()


def test_null_tweaks_do_not_fit(spark: SparkSession, place: Place) -> None:
    policy = place.write_policy("tweak.toml", ONE.format('"digits"', ', tweak = "row"'))
    frame = spark.createDataFrame([("12345678", 1), ("12345678", 2)], "value string, row int")
    first, second = [row.value for row in protect(frame, policy).collect()]
    assert first != second
    with pytest.raises(PythonException, match="its tweak is null, too long"):
        protect(frame.withColumn("row", F.lit(None).cast("int")), policy).collect()


def test_types_that_a_format_can_not_have_are_refused_before_the_job(
    spark: SparkSession, place: Place
) -> None:
    base = spark.createDataFrame([(1,)], "id long")
    policy = place.write_policy("types.toml", ONE.format('"ssn"', ', tweak = "id"'))
    for kind in (DoubleType(), ByteType()):
        with pytest.raises(PolicyError, match="column 'value': format 'ssn' can't be used"):
            protect(base.withColumn("value", F.lit(None).cast(kind)), policy)
    nested = base.withColumn("value", F.struct(F.col("id")))
    with pytest.raises(PolicyError, match="column 'value': "):
        protect(nested, policy)
    text = base.withColumn("value", F.lit("123456789"))
    with pytest.raises(PolicyError, match="its tweak 'id' must be text, binary or integers"):
        protect(text.withColumn("id", F.lit(1.5)), policy)


def test_columns_that_are_missing_or_there_twice(spark: SparkSession, place: Place) -> None:
    frame = spark.createDataFrame([("123456789", 1)], "ssn string, id int")
    with pytest.raises(
        ParameterError, match=r"no column 'name', unless missing='ignore'; its columns"
    ):
        protect(frame, place.policy)
    tokens = protect(frame, place.policy, missing="ignore")
    assert tokens.columns == ["ssn", "id"]
    assert tokens.collect()[0].ssn != "123456789"
    twice = frame.select("ssn", "id", F.col("ssn"))
    with pytest.raises(ParameterError, match="2 columns are named 'ssn'"):
        protect(twice, place.policy, missing="ignore")
    no_tweak = frame.withColumnRenamed("ssn", "phone").drop("id")
    with pytest.raises(ParameterError, match="no column 'id', the tweak of 'phone'"):
        protect(no_tweak, place.policy, missing="ignore")
    wrong: Any = "warn"
    with pytest.raises(ParameterError, match="missing must be"):
        protect(frame, place.policy, missing=wrong)


def test_names_may_have_any_characters(spark: SparkSession, place: Place) -> None:
    name = "a.b `c` d"
    text = (
        f'[columns]\n"{name}" = {{ format = "ssn", key = "people:1", namespace = "person id" }}\n'
    )
    frame = spark.createDataFrame([("000000000",)], StructType([StructField(name, StringType())]))
    (row,) = protect(frame, place.write_policy("name.toml", text)).collect()
    assert row[0] == place.tokens["ssn"][0].as_py()


def test_columns_that_pass_in_clear_are_warned_of_or_refused(
    spark: SparkSession, place: Place
) -> None:
    frame = spark.read.parquet(str(place.people))
    text = POLICY.replace('keep = ["note"]', "")
    with pytest.raises(PolicyError, match=r"does not name 'note' \(1 column\)"):
        protect(frame, place.write_policy("strict.toml", text))
    loose = place.write_policy("loose.toml", text.replace('unlisted = "error"', ""))
    with pytest.warns(NotProtectedWarning, match="'note'"):
        protect(frame, loose)


def test_a_batch_without_rows(spark: SparkSession, place: Place) -> None:
    frame = spark.read.parquet(str(place.people)).where("id < 0")
    assert protect(frame, place.policy).collect() == []


def test_text_with_large_offsets(spark: SparkSession, place: Place) -> None:
    name = "spark.sql.execution.arrow.useLargeVarTypes"
    spark.conf.set(name, "true")
    try:
        frame = spark.read.parquet(str(place.people)).where("id < 20")
        assert read(protect(frame, place.policy)).to_pydict() == place.tokens[:20].to_pydict()
    finally:
        spark.conf.unset(name)


MORE = """\
unlisted = "keep"

[columns]
seen = { format = "timestamp", key = "people:1", namespace = "seen" }
card = { format = { type = "mask", keep_last = 4 } }

[columns.paid]
format = { type = "decimal", min = "0.00", max = "99999.99", scale = 2 }
key = "people:1"
namespace = "paid"
"""


def test_timestamps_decimals_and_masks(spark: SparkSession, place: Place) -> None:
    policy = place.write_policy("more.toml", MORE)
    frame = spark.sql(
        "SELECT TIMESTAMP '2026-01-02 03:04:05' seen, 12.34BD paid, '4111222233334444' card"
    )
    frame = frame.withColumn("paid", F.col("paid").cast("decimal(9, 2)"))
    tokens = protect(frame, policy)
    assert tokens.schema == frame.schema  # of which no column may have nulls
    (before,), (token,) = frame.collect(), tokens.collect()
    assert token.card == "************4444"
    assert token.seen != before.seen
    assert token.paid != before.paid
    (back,) = reveal(tokens, policy).collect()
    assert (back.seen, back.paid, back.card) == (before.seen, before.paid, token.card)


NESTED = """\
unlisted = "error"
keep = ["contact.since", "orders[].pieces"]

[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "mail" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }
"codes{}" = { format = "digits", key = "people:1", namespace = "code", on_invalid = "null" }
"""
NESTED_ROWS = """
SELECT 1L AS id, named_struct('email', 'jane@example.org', 'since', 1999) AS contact,
       array(named_struct('phone', '+12025550143', 'pieces', 3)) AS orders,
       map('a', '12345678', 'b', 'wrong') AS codes
UNION ALL SELECT 2L, named_struct('email', NULL, 'since', NULL), array(), map()
UNION ALL SELECT 3L, named_struct('email', 'jane@example.org', 'since', 1), NULL, map('a', NULL)
"""


def test_columns_inside_others(spark: SparkSession, place: Place) -> None:
    path = place.write_policy("nested.toml", NESTED)
    frame = spark.sql(NESTED_ROWS)
    tokens = protect(frame, path)
    assert tokens.schema == frame.schema and not tokens.schema["contact"].nullable
    ring = Keyring.open(place.ring, RootKey.parse(f"file:{place.root}"))
    with Protector(Policy.load(path), ring) as protector:
        expected = protector.protect(read(frame))
    assert read(tokens).to_pylist() == expected.to_pylist()
    assert expected["codes"][0].as_py()[1] == ("b", None)
    back = read(reveal(tokens, path)).to_pylist()
    assert [row["contact"] for row in back] == read(frame)["contact"].to_pylist()
    assert [row["orders"] for row in back] == read(frame)["orders"].to_pylist()
    wrong = frame.withColumn(
        "contact", F.struct(F.lit("secret").alias("email"), F.lit(1).alias("since"))
    )
    with pytest.raises(PythonException, match=r"'contact\.email', partition \d+, row") as caught:
        protect(wrong, path).collect()
    assert "secret" not in str(caught.value)
    with pytest.raises(PolicyError, match=r"does not name 'contact\.since'"):
        protect(frame, place.write_policy("strict.toml", NESTED.replace('"contact.since", ', "")))
    with pytest.raises(ParameterError, match=r"no column 'contact\.email'"):
        protect(frame.drop("contact"), path)
    number = frame.withColumn("contact", F.struct(F.lit(5.0).alias("email")))
    with pytest.raises(PolicyError, match=r"'contact\.email': format 'email' can't be used"):
        protect(number, path)


def test_the_policy_of_the_tests_protects_what_they_say(place: Place) -> None:
    assert POLICY.count("format =") == 5
    before = pq.read_table(place.people)
    for name in ("ssn", "born", "points", "phone"):
        assert before[name] != place.tokens[name]
