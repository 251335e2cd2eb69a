# SPDX-License-Identifier: Apache-2.0
"""The functions of Spark SQL: the same tokens, casts, tweaks, and errors."""

from __future__ import annotations

import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from spark_support import Place
from tallystick.spark import register


@pytest.fixture
def sql(spark: SparkSession, place: Place) -> SparkSession:
    register(spark, place.policy, reveal=True)
    spark.read.parquet(str(place.people)).createOrReplaceTempView("people")
    return spark


def test_tokens_are_those_of_the_file_path_and_come_back(sql: SparkSession, place: Place) -> None:
    rows = sql.sql(
        """
        WITH tokens AS (
            SELECT id, note,
                   tally_protect('ssn', ssn) AS ssn,
                   tally_protect('name', name) AS name,
                   CAST(tally_protect('born', born) AS DATE) AS born,
                   CAST(tally_protect('points', points) AS INT) AS points,
                   tally_protect('phone', phone, id) AS phone
            FROM people)
        SELECT id, ssn, name, born, points, phone,
               tally_reveal('ssn', ssn) AS plain, tally_reveal('phone', phone, id) AS number
        FROM tokens ORDER BY id
        """
    ).toArrow()
    for name in ("ssn", "name", "born", "points", "phone"):
        assert rows[name].to_pylist() == place.tokens[name].to_pylist()
    original = sql.table("people").orderBy("id").toArrow()
    assert rows["plain"].to_pylist() == original["ssn"].to_pylist()
    assert rows["number"].to_pylist() == original["phone"].to_pylist()


def test_revealing_must_be_asked_for(sql: SparkSession, place: Place) -> None:
    register(sql, place.policy)
    assert sql.catalog.functionExists("tally_protect")
    assert not sql.catalog.functionExists("tally_reveal")
    register(sql, place.policy, reveal=True)
    assert sql.catalog.functionExists("tally_reveal")


def test_tokens_join(sql: SparkSession, place: Place) -> None:
    sql.read.parquet(str(place.people)).selectExpr(
        "tally_protect('ssn', ssn) AS token", "id AS visit"
    ).createOrReplaceTempView("visits")
    joined = sql.sql(
        "SELECT count(*) AS n FROM people JOIN visits"
        " ON tally_protect('ssn', ssn) = token AND id = visit"
    )
    assert joined.collect()[0].n == len(place.tokens)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("tally_protect('ssn', 'abcdefghi')", "column 'ssn', partition 0, row 0 of a batch: "),
        ("tally_protect('sn', ssn)", "the first argument must be one of 'ssn', "),
        ("tally_protect('abcdefghi', 'ssn')", "the first argument must be one of 'ssn', "),
        ("tally_protect('phone', phone)", "column 'phone': its rule in the policy needs the tweak"),
        ("tally_protect('ssn', ssn, id)", "column 'ssn': its rule in the policy has no tweak"),
        ("tally_protect(note, ssn)", "must be the policy's name of a column, the same in each row"),
        ("tally_protect(NULL, ssn)", "must be the policy's name of a column, the same in each row"),
        ("tally_protect('ssn')", "the arguments are a column's name, its values"),
        ("tally_protect('ssn', 1.5D)", "column 'ssn': format 'ssn' can't be used"),
    ],
)
def test_errors_say_what_is_wrong_and_no_value(sql: SparkSession, call: str, message: str) -> None:
    with pytest.raises(PythonException) as caught:
        sql.sql(f"SELECT {call} AS token FROM people WHERE id < 5").toArrow()  # noqa: S608 (ours)
    assert message in str(caught.value)
    assert "000007919" not in str(caught.value)
    assert "abcdefghi" not in str(caught.value)
