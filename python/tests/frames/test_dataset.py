# SPDX-License-Identifier: Apache-2.0
"""Datasets: read batch by batch, and written whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tallystick import FileError, InvalidValueError, Protector
from tallystick.frames.dataset import protect_dataset, reveal_dataset


@pytest.fixture
def source(plain: pa.Table, tmp_path: Path) -> ds.Dataset:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(4):
        pq.write_table(plain.slice(250 * number, 250), folder / f"{number}.parquet")
    return ds.dataset(folder)


def test_a_reader(protector: Protector, source: ds.Dataset, tokens: pa.Table) -> None:
    reader = protector.protect(source)
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all().equals(tokens)


@pytest.mark.parametrize("name", ["made.parquet", "made"])
def test_there_and_back(
    protector: Protector,
    source: ds.Dataset,
    plain: pa.Table,
    tokens: pa.Table,
    tmp_path: Path,
    name: str,
) -> None:
    target, back = tmp_path / name, tmp_path / f"back-{name}"
    assert protect_dataset(source, target, protector) == len(plain)
    assert ds.dataset(target).to_table().sort_by("id").equals(tokens)
    assert reveal_dataset(ds.dataset(target), back, protector) == len(plain)
    assert ds.dataset(back).to_table().sort_by("id").equals(plain)
    assert not any(
        stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (back, *back.parent.glob("back-*/*"))
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["source", name, back.name])
    with pytest.raises(FileError, match="exists"):
        protect_dataset(source, target, protector)


@pytest.mark.parametrize("name", ["made.parquet", "made"])
def test_nothing_is_left_of_a_failure(
    protector: Protector, plain: pa.Table, tmp_path: Path, name: str
) -> None:
    bad = plain.set_column(1, "card", pa.array(["4111111111111111"] * 999 + ["none"]))
    pq.write_table(bad, tmp_path / "bad.parquet", row_group_size=100)
    with pytest.raises(InvalidValueError, match="column 'card', row 999"):
        protect_dataset(ds.dataset(tmp_path / "bad.parquet"), tmp_path / name, protector)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.parquet"]
