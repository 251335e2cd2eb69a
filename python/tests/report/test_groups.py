# SPDX-License-Identifier: Apache-2.0
"""The groups of rows that agree in some columns, against counting by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_support import Place
from tallystick.errors import ParameterError
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file
from tallystick.report import groups
from tallystick.report.groups import SIZES, measure_groups

ROWS = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", None]), st.integers(0, 3), st.booleans()), max_size=60
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("groups")


@given(rows=ROWS)
def test_as_counted_by_hand(rows: list[tuple[str | None, int, bool]], folder: Path) -> None:
    path = folder / "rows.parquet"
    types = (pa.string(), pa.int64(), pa.bool_())
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(types)]
    columns[0] = columns[0].dictionary_encode()
    pq.write_table(pa.table(columns, ["one", "two", "three"]), path)
    both, alone = measure_groups(path, [["two", "one"], ["three"]])
    sizes = Counter((row[1], row[0]) for row in rows).values()
    assert both.columns == ("two", "one")
    assert (both.rows, both.groups) == (len(rows), len(sizes))
    assert both.smallest == min(sizes, default=0)
    if rows:
        assert both.below == {size: sum(one for one in sizes if one < size) for size in SIZES}
    assert alone.groups == len({row[2] for row in rows})


def test_many_batches_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_PENDING_ROWS", 100)
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(70_000)))
    (found,) = measure_groups(path, [["a", "b"]])
    assert (found.rows, found.groups, found.smallest) == (70_000, 35, 2000)


def test_too_many_groups_are_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MOST_GROUPS", 10)
    path = tmp_path / "rows.csv"
    path.write_text("a\n" + "".join(f"{i}\n" for i in range(50)))
    (found,) = measure_groups(path, [["a"]])
    assert (found.groups, found.smallest, found.below) == (None, 0, {})


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "at least one"),
        (["a", "a"], "twice"),
        (["c"], "no column 'c'; its columns are: 'a', 'b'"),
    ],
)
def test_wrong_names_are_refused(names: list[str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match=words):
        measure_groups(path, [names])


POLICY = """
unlisted = "keep"
[columns]
id = { format = "digits", key = "people:1", namespace = "id" }
"""


def _people(folder: Path) -> tuple[Path, Path]:
    rows = "".join(f"{i:06},{i % 3},m\n" for i in range(9))
    source = folder / "people.csv"
    source.write_text(f"id,zip,sex\n{rows}")
    return source, folder / "out.csv"


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.int64()), pa.struct({"a": pa.int64()}), pa.map_(pa.string(), pa.int64())]
)
def test_types_that_can_not_be_grouped_are_named(kind: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"one": pa.nulls(3, kind), "two": pa.array([1, 2, 3])}), path)
    with pytest.raises(ParameterError, match=r"can't group by lists.*'one' has type"):
        measure_groups(path, [["one", "two"]])


def test_a_run_reports_the_groups_of_its_target(tmp_path: Path, place: Place) -> None:
    page = tmp_path / "run.html"
    options = RunOptions(report=page, groups=[["zip", "sex"], ["id"]])
    protect_file(*_people(tmp_path), Policy.parse(POLICY), place.ring, options)
    text = page.read_text()
    assert '<bdi>zip, sex</bdi></th><td class="n">3</td><td class="n">3</td>' in text
    assert '<bdi>id</bdi></th><td class="n">9</td><td class="n warn">1</td>' in text


def test_a_wrong_name_is_refused_before_anything_is_written(tmp_path: Path, place: Place) -> None:
    source, target = _people(tmp_path)
    options = RunOptions(report=tmp_path / "run.html", groups=[["town"]])
    with pytest.raises(ParameterError, match="no column 'town'"):
        protect_file(source, target, Policy.parse(POLICY), place.ring, options)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
    with pytest.raises(ParameterError, match="in a report"):
        protect_file(source, target, Policy.parse(POLICY), place.ring, RunOptions(groups=[["zip"]]))
