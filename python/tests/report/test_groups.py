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
from tallystick.errors import ParameterError
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
        assert dict(both.below) == {size: sum(one for one in sizes if one < size) for size in SIZES}
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
    assert (found.groups, found.smallest, found.below) == (None, 0, ())


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
