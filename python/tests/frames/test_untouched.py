# SPDX-License-Identifier: Apache-2.0
"""Columns that pass in clear are reported or refused, and markers of Arrow data are checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import tallystick.frames.pandas
import tallystick.frames.polars
import tallystick.sql.duckdb
from keyring_support import make_ring
from tallystick import NotProtectedWarning, ParameterError, PolicyError, Protector
from tallystick.frames.dataset import protect_dataset, reveal_dataset
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protection import protect_file, reveal_file

TEXT = '[columns]\nid = { format = "digits", key = "people:1", namespace = "id" }\n'
POLICY = Policy.parse(TEXT)
TABLE = pa.table({"id": ["1234567"], "town": ["Lyon"], "size": [1.5]})


def through_duckdb(protector: Protector) -> pa.Table:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT '1234567' AS id, 'Lyon' AS town, 1.5 AS size")
        return tallystick.sql.duckdb.protect(connection, "FROM t", protector).to_arrow_table()


def polars(frame: Any) -> Any:  # noqa: ANN401 (types do not know of namespaces)
    return frame.tally


LIBRARIES: dict[str, Callable[[Protector], Any]] = {
    "table": lambda p: p.protect(TABLE),
    "batch": lambda p: p.protect(TABLE.to_batches()[0]),
    "reader": lambda p: p.protect(TABLE.to_reader()),
    "dataset": lambda p: p.protect(ds.dataset(TABLE)),
    "pandas": lambda p: TABLE.to_pandas().tally.protect(p),
    "polars": lambda p: polars(pl.DataFrame(TABLE)).protect(p),
    "lazy polars": lambda p: polars(pl.LazyFrame(TABLE)).protect(p),
    "duckdb": through_duckdb,
}


@contextmanager
def opened(
    ring: Keyring,
    policy: Policy = POLICY,
    **options: Any,  # noqa: ANN401
) -> Iterator[Protector]:
    with Protector(policy, ring, **options) as protector:
        yield protector


every = pytest.mark.parametrize("act", LIBRARIES.values(), ids=LIBRARIES)


@every
def test_columns_that_pass_in_clear_are_warned_of_once(
    ring: Keyring, act: Callable[[Protector], Any]
) -> None:
    with opened(ring) as protector:
        with pytest.warns(NotProtectedWarning, match=r"'town', 'size' \(2 columns\)") as caught:
            act(protector)
        assert [Path(warning.filename).name for warning in caught] == ["test_untouched.py"]
        act(protector)  # where warnings are errors


@every
def test_columns_that_a_policy_does_not_name_are_refused(
    ring: Keyring, act: Callable[[Protector], Any]
) -> None:
    strict = replace(POLICY, unlisted="error")
    with (
        opened(ring, strict) as protector,
        pytest.raises(PolicyError, match=r"does not name 'town', 'size' \(2 columns\)"),
    ):
        act(protector)
    with opened(ring, replace(strict, keep=("town", "size"))) as protector:
        act(protector)


@every
def test_a_policy_may_say_that_columns_pass(ring: Keyring, act: Callable[[Protector], Any]) -> None:
    with opened(ring, replace(POLICY, unlisted="keep")) as protector:
        act(protector)


def test_each_set_of_columns_is_reported(ring: Keyring) -> None:
    with opened(ring) as protector:
        for names in (["id", "town"], ["id", "size"]):
            with pytest.warns(NotProtectedWarning, match=names[1]):
                protector.protect(TABLE.select(names))
        protector.protect(TABLE.select(["id"]))
        assert protector.untouched(TABLE.column_names).unlisted == ("town", "size")


def test_revealing_is_silent(ring: Keyring) -> None:
    with opened(ring, replace(POLICY, unlisted="keep")) as protector:
        tokens = protector.protect(TABLE)
    with opened(ring, replace(POLICY, unlisted="error")) as protector:
        assert protector.reveal(tokens).equals(TABLE)


def test_names_of_pandas_that_are_no_text_are_reported(ring: Keyring) -> None:
    frame = pd.DataFrame({"id": ["1234567"], 7: ["secret"]})
    with (
        opened(ring, replace(POLICY, unlisted="error")) as protector,
        pytest.raises(PolicyError, match=r"does not name 7 \(1 column\)"),
    ):
        frame.tally.protect(protector)


def indexed(*names: Any, drop: bool = True) -> pd.DataFrame:  # noqa: ANN401
    """Return a frame with an index of these names."""
    frame = pd.DataFrame({"id": ["1234567"], "patient": ["Zoe"], 7: ["secret"], "t": ["1"]})
    return frame[["id", *(name for name in names if name != "id")]].set_index(
        list(names), drop=drop
    )


@pytest.mark.parametrize("names", [("patient",), ("t", "patient")])
def test_an_index_of_pandas_counts_as_columns(ring: Keyring, names: tuple[str, ...]) -> None:
    frame = indexed(*names)
    listed = ", ".join(map(repr, names)) + rf" \({len(names)} column"
    strict = replace(POLICY, unlisted="error")
    with opened(ring, strict) as protector:
        for one in (frame, frame.rename_axis(columns="id")):
            with pytest.raises(PolicyError, match=f"does not name {listed}"):
                protector.protect(one)
        with pytest.raises(PolicyError, match=r"does not name 7 \(1 column\)"):
            protector.protect(indexed(7))
        unnamed = frame.rename_axis([None] * len(names))
        pd.testing.assert_index_equal(protector.protect(unnamed).index, unnamed.index)
        assert protector.reveal(frame).index.names == list(names)
    with opened(ring) as protector:
        with pytest.warns(NotProtectedWarning, match=listed):
            made = protector.protect(frame)
        pd.testing.assert_index_equal(made.index, frame.index)
    for policy in (replace(strict, keep=names), replace(POLICY, unlisted="keep")):
        with opened(ring, policy) as protector:
            both = frame.assign(**{name: frame.index.get_level_values(name) for name in names})
            for one in (frame, both):
                pd.testing.assert_frame_equal(protector.reveal(protector.protect(one)), one)


def test_an_index_named_as_a_protected_column_is_refused(ring: Keyring) -> None:
    inner = Policy.parse(TEXT.replace("id =", '"id.number" =', 1))
    for policy in (POLICY, replace(POLICY, unlisted="keep"), inner):
        with opened(ring, policy, missing="ignore") as protector:
            for frame in (indexed("id", drop=False), indexed("id"), indexed("patient", "id")):
                for act in (protector.protect, protector.reveal):
                    with pytest.raises(PolicyError, match=r"level 'id', .* reset_index\(\)") as e:
                        act(frame)
                    assert "1234567" not in str(e.value)


def test_a_tweak_is_no_level_of_an_index(ring: Keyring) -> None:
    policy = Policy.parse(TEXT.replace(" }", ', tweak = "t" }'))
    with opened(ring, policy) as protector:
        with pytest.raises(ParameterError, match="no column 't', the tweak of 'id'"):
            protector.protect(indexed("t"))
        both = protector.protect(indexed("t", drop=False))
        assert protector.protect(indexed("t").reset_index())["id"].tolist() == both["id"].tolist()


@pytest.mark.parametrize(
    "shape",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: table.to_reader(),
        ds.dataset,
    ],
    ids=["table", "batch", "reader", "dataset"],
)
def test_markers_of_arrow_data_are_checked(
    ring: Keyring, tmp_path: Path, shape: Callable[[pa.Table], Any]
) -> None:
    policy = replace(POLICY, unlisted="keep")
    with opened(ring, policy) as protector:
        tokens = protector.protect(TABLE)
        with pytest.raises(PolicyError, match="the data: its marker says that column 'id' is prot"):
            protector.protect(shape(tokens))
        back = protector.reveal(shape(tokens))
        assert b"tallystick" not in (back.schema.metadata or {})
    other = Policy.parse(TEXT.replace('"id"', '"other"'))
    with (
        opened(ring, other) as protector,
        pytest.raises(PolicyError, match="with another format or namespace"),
    ):
        protector.reveal(shape(tokens))
    with (
        opened(make_ring(tmp_path / "a.keys", "people"), policy) as protector,
        pytest.raises(PolicyError, match="another key that is also called people:1"),
    ):
        protector.reveal(shape(tokens))
    with opened(ring, other, ignore_marker=True) as protector:
        protector.reveal(shape(tokens))


def test_files_and_tables_have_one_marker(ring: Keyring, tmp_path: Path) -> None:
    policy = replace(POLICY, unlisted="keep")
    paths = [tmp_path / f"{name}.parquet" for name in ("plain", "by file", "by table", "back")]
    pq.write_table(TABLE, paths[0])
    protect_file(paths[0], paths[1], policy, ring)
    with opened(ring, policy) as protector:
        pq.write_table(protector.protect(TABLE), paths[2])
        assert pq.read_schema(paths[1]).metadata == pq.read_schema(paths[2]).metadata
        assert protector.reveal(pq.read_table(paths[1])).equals(TABLE)
    assert reveal_file(paths[2], paths[3], policy, ring).marker == "checked"


@pytest.mark.parametrize("name", ["safe.parquet", "safe"])
def test_datasets_that_are_written_have_a_marker(ring: Keyring, tmp_path: Path, name: str) -> None:
    with opened(ring, replace(POLICY, unlisted="keep")) as protector:
        protect_dataset(ds.dataset(TABLE), tmp_path / name, protector)
        safe = ds.dataset(tmp_path / name)
        with pytest.raises(PolicyError, match="is protected already"):
            protect_dataset(safe, tmp_path / "twice", protector)
        reveal_dataset(safe, tmp_path / "back", protector)
    assert ds.dataset(tmp_path / "back").to_table().equals(TABLE)
    assert b"tallystick" not in (ds.dataset(tmp_path / "back").schema.metadata or {})


def test_another_policy_s_columns_are_not_in_clear(ring: Keyring) -> None:
    towns = Policy.parse(
        '[columns]\ntown = { format = "letters", key = "people:1", namespace = "town" }'
    )
    with opened(ring, replace(POLICY, unlisted="keep")) as protector:
        tokens = protector.protect(TABLE)
    with opened(ring, replace(towns, unlisted="error", keep=("size",))) as protector:
        both = protector.protect(tokens)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert protector.reveal(both).equals(tokens)
