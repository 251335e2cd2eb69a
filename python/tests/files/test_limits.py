# SPDX-License-Identifier: Apache-2.0
"""Small files that would take much memory are refused, or read in parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_support import change_file
from peak import measured, peak
from tallystick.errors import FileError, ParameterError
from tallystick.files import (
    FileOptions,
    Limits,
    limited,
    parquet,
    parquet_pages,
    sample_file,
)
from toy_jobs import EachValue

SMALL = Limits(1 << 16, 1 << 18)
READ = """
import sys
from pathlib import Path
from tallystick.errors import FileError
from tallystick.files import transform_file
class Keep:
    name, others = "b", ()
    def apply(self, values, others, first_row):
        return values
try:
    transform_file(Path(sys.argv[1]), Path(sys.argv[2]), [Keep()], private=True)
except FileError as error:
    print(error)
"""


def write(path: Path, values: list[str], *, rows: int | None = None, **settings: object) -> Path:
    column = pa.array(values)
    if rows is not None:
        indices = pa.array([row % len(values) for row in range(rows)], pa.int32())
        column = pa.DictionaryArray.from_arrays(indices, column)
    table = pa.table({"a": column, "b": ["x"] * len(column)})
    pq.write_table(table, path, compression="zstd", store_schema=False, **settings)
    return path


def transform(source: Path, job: str = "b") -> pa.Table:
    target = source.with_stem("out")
    change_file(source, target, [EachValue(job)], FileOptions(overwrite=True))
    return pq.read_table(target)


def read(source: Path) -> tuple[str, int]:
    """Return what a process said that read a file, and its most memory in MiB."""
    report = source.with_name("peak")
    command = measured([sys.executable, "-c", READ, source, source.with_stem("out")], report)
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return " ".join(run.stdout.splitlines()), peak(report)


def test_one_long_value_in_a_dictionary(tmp_path: Path) -> None:
    """Of 100 MB, in a file of some kilobytes: refused without being unpacked."""
    source = write(tmp_path / "in.parquet", ["a" * 100_000_000], write_statistics=False)
    assert source.stat().st_size < 1 << 17
    said, most = read(source)
    assert "column 'a': a value of 95 MiB is above the limit of 64 MiB" in said
    assert "--max-value" in said
    assert most < 180  # unpacked it took three times its size and more


def test_one_value_in_many_rows_is_read_in_parts(tmp_path: Path) -> None:
    """1,000 rows of one megabyte each, in a file of a kilobyte."""
    source = write(tmp_path / "in.parquet", ["b" * 1_000_000], rows=1_000, write_statistics=False)
    assert source.stat().st_size < 10_000
    said, most = read(source)
    assert said == ""
    assert most < 700  # all at once took 1.9 GB
    assert pq.ParquetFile(source.with_stem("out")).metadata.num_rows == 1_000


def test_limits_can_be_set(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", ["a" * 100_000], write_statistics=False)
    assert transform(source)["a"][0].as_py() == "a" * 100_000
    with limited(SMALL), pytest.raises(FileError, match="column 'a': a value of 100,000 bytes"):
        transform(source)
    with limited(SMALL), pytest.raises(FileError, match="column 'a': a value of 100,000 bytes"):
        sample_file(source, 10)
    assert transform(source)["a"][0].as_py() == "a" * 100_000


@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_page_that_is_too_large(tmp_path: Path, use_dictionary: bool, version: str) -> None:
    values = [f"{row:01000}" for row in range(2_000)]
    source = write(
        tmp_path / "in.parquet",
        values,
        data_page_size=1 << 24,
        dictionary_pagesize_limit=1 << 24,
        use_dictionary=use_dictionary,
        data_page_version=version,
    )
    assert transform(source).num_rows == 2_000
    with limited(SMALL), pytest.raises(FileError, match="a page of column 'a' in row group 1 dec"):
        transform(source)


def test_rows_are_split_only_where_they_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def groups(of: Path) -> int:
        with limited(SMALL):
            assert transform(of).equals(pq.read_table(of))
        return int(pq.ParquetFile(of.with_stem("out")).metadata.num_row_groups)

    pages = {"use_dictionary": False, "data_page_size": 1 << 15, "write_batch_size": 1}
    plain = write(tmp_path / "in.parquet", ["c" * 10_000, "d"] * 50, **pages)
    dictionary = write(tmp_path / "other.parquet", ["c" * 10_000, "d"], rows=100)
    with monkeypatch.context() as patch:
        patch.setattr(parquet, "MOST_BYTES", 1 << 17)
        assert groups(plain) == 4  # of 500,050 bytes; 128 KiB at most go together
        assert groups(dictionary) == 1  # a column that stays one takes no more memory than it
    transform(plain)
    assert pq.ParquetFile(plain.with_stem("out")).metadata.num_row_groups == 1


def test_nested_columns_count_too(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    text = pa.array(["e" * 10_000] * 200)
    pairs = pa.StructArray.from_arrays([text], ["s"])
    lists = pa.ListArray.from_arrays(pa.array(range(0, 201, 2), pa.int32()), text)
    table = pa.table({"a": pairs.slice(0, 100), "l": lists, "b": ["x"] * 100})
    pq.write_table(table, source)
    with limited(SMALL):
        assert transform(source).equals(table)
    with limited(Limits(5_000, 1 << 18)), pytest.raises(FileError, match="value of 10,000 bytes"):
        transform(source)


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
def test_dictionaries_of_arrow_files(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    indices = pa.array([0] * 1_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["f" * 10_000]))
    table = pa.table({"a": column, "b": ["x"] * 1_000})
    make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
    with make(source, table.schema) as writer:
        writer.write_table(table)
    target = source.with_stem("out")
    with limited(SMALL):
        change_file(source, target, [EachValue("b")])  # it stays a dictionary
        with pytest.raises(
            FileError, match=r"the piece of rows 1 to 1000 decodes to 10 MiB, above the limit"
        ):
            change_file(source, target, [EachValue("a")], FileOptions(overwrite=True))


def test_limits_that_nothing_is_below() -> None:
    for value, batch in ((0, 1), (2, 1)):
        with pytest.raises(ParameterError):
            Limits(value, batch)


def test_headers_are_read_as_they_are(tmp_path: Path) -> None:
    """Every page of a file with all kinds of them, as many values as it has rows."""
    source = tmp_path / "in.parquet"
    table = pa.table({"a": [f"{row % 50}" for row in range(5_000)], "n": range(5_000)})
    pq.write_table(table, source, data_page_size=1_000, write_statistics=True)
    file = pq.ParquetFile(source)
    with source.open("rb") as stream:
        for index in range(2):
            chunk = file.metadata.row_group(0).column(index)
            pages = list(parquet_pages._pages(stream, chunk))
            assert len(pages) > 2
            assert sum(size for size, _, _ in pages) < chunk.total_uncompressed_size
            rows = sum(values for _, values, _ in pages)
            assert rows - 5_000 == pages[0][1] > 0  # the dictionary's
