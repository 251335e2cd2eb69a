# SPDX-License-Identifier: Apache-2.0
"""Columns of Parquet whose text is in dictionaries: each value is protected once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_support import grouped
from tallystick import Counts, Tokenizer, formats
from tallystick.errors import InvalidValueError
from tallystick.files import FileOptions, transform_file
from tallystick.files import parquet as parquet_file
from tallystick.paths import Rows
from tallystick.tokenizer import OnInvalid

NAMES = ["Anne", "Bob", "Carla-Sue", "Anne", None, "Dieter"]


@dataclass
class Protect:
    """Protects a column, and keeps the types that came."""

    on_invalid: OnInvalid = "error"
    decrypt: bool = False
    name: str = "name"
    others: tuple[str, ...] = ()
    counts: Counts = field(default_factory=Counts)
    types: list[pa.DataType] = field(default_factory=list)

    def __post_init__(self) -> None:
        form = formats.letters()
        self.tokenizer = Tokenizer(form, bytes(16), namespace="n", on_invalid=self.on_invalid)

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        self.types.append(values.type)
        return self.tokenizer.transform(values, decrypt=self.decrypt, counts=self.counts)


class ProtectDictionaries(Protect):
    """The same, of dictionaries too."""

    def apply_dictionary(self, values: pa.DictionaryArray, first_row: int) -> pa.DictionaryArray:
        return self.apply(values, (), first_row)


def people(names: Sequence[str | None]) -> pa.Table:
    notes = pa.array([f"note {row % 5}" for row in range(len(names))])
    table = pa.table({"name": pa.array(names), "row": range(len(names)), "note": notes})
    return table.replace_schema_metadata({"owner": "somebody"})


def both(source: Path, **options: Any) -> tuple[Path, Path, Protect, Protect]:  # noqa: ANN401
    """Protect a file with and without dictionaries."""
    jobs = ProtectDictionaries(**options), Protect(**options)
    targets = [source.with_name(f"{type(job).__name__}.parquet") for job in jobs]
    for job, target in zip(jobs, targets, strict=True):
        transform_file(source, target, [job], FileOptions(threads=2), private=False)
    return (*targets, *jobs)  # type: ignore[return-value]


def test_the_target_is_that_of_plain_values(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [people(NAMES * 200), people(NAMES[:4] * 3)])
    coded, plain, job, other = both(source)
    assert job.types == [pa.dictionary(pa.int32(), pa.string())] * 2
    assert set(other.types) == {pa.string()}
    assert pq.read_table(coded).equals(pq.read_table(plain), check_metadata=True)
    assert job.counts == other.counts
    assert (job.counts.rows, job.counts.nulls) == (1212, 200)
    one, two = pq.ParquetFile(coded).metadata, pq.ParquetFile(plain).metadata
    assert one.metadata == two.metadata == pq.ParquetFile(source).metadata.metadata
    for group in range(2):
        for column in range(3):
            of_one, of_two = (file.row_group(group).column(column) for file in (one, two))
            assert of_one.encodings == of_two.encodings
            assert of_one.statistics == of_two.statistics
            assert of_one.compression == of_two.compression


def test_tokens_come_back(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [people(NAMES * 200)])
    coded, *_ = both(source)
    back = tmp_path / "back.parquet"
    job = ProtectDictionaries(decrypt=True)
    transform_file(coded, back, [job], FileOptions(), private=False)
    assert pq.read_table(back).equals(pq.read_table(source), check_metadata=True)
    assert pa.types.is_dictionary(job.types[0])
    original = {name.encode() for name in NAMES if name is not None and len(name) > 4}
    assert not any(name in coded.read_bytes() for name in original)


def test_later_row_groups_may_have_no_dictionary(tmp_path: Path) -> None:
    many = [
        f"name {chr(97 + row % 26)}{chr(97 + row // 26 % 26)}{'x' * (row % 7)}"
        for row in range(4000)
    ]
    source = grouped(
        tmp_path / "in.parquet",
        [people(NAMES * 4), people(many)],
        dictionary_pagesize_limit=256,
        data_page_size=256,
        write_batch_size=16,
    )
    metadata = pq.ParquetFile(source).metadata
    assert "PLAIN" in metadata.row_group(1).column(0).encodings
    coded, plain, job, _ = both(source)
    assert all(map(pa.types.is_dictionary, job.types))
    assert pq.read_table(coded).equals(pq.read_table(plain), check_metadata=True)


def test_a_column_without_a_full_dictionary_comes_plain(tmp_path: Path) -> None:
    many = people([f"name {'x' * (row % 50 + 1)}" for row in range(4000)])
    source = grouped(
        tmp_path / "in.parquet", [many], dictionary_pagesize_limit=64, write_batch_size=16
    )
    *_, job, _ = both(source)
    assert set(job.types) == {pa.string()}


def test_large_row_groups_are_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "MOST_ROWS", 500)
    source = grouped(tmp_path / "in.parquet", [people(NAMES * 200)])
    coded, plain, job, _ = both(source)
    assert len(job.types) == 3
    assert pq.read_table(coded).equals(pq.read_table(plain))


def test_invalid_values_become_null_and_are_counted_by_row(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [people([*NAMES, "12345"] * 100)])
    coded, plain, job, other = both(source, on_invalid="null")
    assert pq.read_table(coded).equals(pq.read_table(plain))
    assert pq.read_table(coded)["name"].null_count == 200
    assert job.counts == other.counts
    assert sum(job.counts.invalid.values()) == 100


def test_the_first_invalid_row_is_named(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [people(NAMES), people([*NAMES, "12345", "6789"])])
    with pytest.raises(InvalidValueError, match=r"column 'name', row 13") as caught:
        both(source)
    assert caught.value.row == 12
    assert "12345" not in str(caught.value)


def test_names_with_dots_are_not_taken_for_columns_inside_others(tmp_path: Path) -> None:
    inner = pa.StructArray.from_arrays([pa.array(NAMES)], ["b"])
    table = pa.table({"name": pa.array(NAMES), "a.b": pa.array(NAMES), "a": inner})
    source = grouped(tmp_path / "in.parquet", [table])
    coded, plain, *_ = both(source)
    assert pq.read_table(coded).equals(pq.read_table(plain), check_metadata=True)
    assert pq.read_schema(coded) == table.schema
