# SPDX-License-Identifier: Apache-2.0
"""Parquet: all that is not replaced is kept, and nothing of what is replaced is left."""

from __future__ import annotations

import datetime
import decimal
import re
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from files_support import grouped
from program import PROGRAM
from tallystick.cli.errors import ExitCode
from tallystick.errors import FileError, InvalidValueError
from tallystick.files import ColumnJob, FileOptions, transform_file
from tallystick.files import parquet as parquet_file
from tallystick.files import tables as table_files
from tallystick.files.marker import OpenGate
from toy_jobs import EachValue, Refusing, Reverse, WholeBatch

DAY = datetime.date(2001, 2, 3)
TIME = datetime.datetime(2001, 2, 3, 4, 5, 6, 789_000)

COLUMNS = {
    "text": pa.array(["anna", None, "", "bob€"]),
    "large": pa.array(["anna", None, "", "bob"], pa.large_string()),
    "view": pa.array(["anna", None, "", "longer than an inline view"], pa.string_view()),
    "bytes": pa.array([b"\xff", None, b"", b"bob"]),
    "fixed": pa.array([b"abcd", None, b"efgh", b"ijkl"], pa.binary(4)),
    "dictionary": pa.array(["x", None, "x", "y"]).dictionary_encode(),
    "small_dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, None, 0, 1], pa.int8()), pa.array(["x", "y"]), ordered=True
    ),
    **{
        str(type_): pa.array([1, None, 0, 100], type_)
        for type_ in (
            *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
            *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        )
    },
    "float": pa.array([1.5, None, float("inf"), -0.0]),
    "half": pa.array([1.5, None, float("inf"), -0.0], pa.float16()),
    "bool": pa.array([True, None, False, True]),
    "date32": pa.array([DAY, None, DAY, DAY]),
    "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-9"), None],
                        pa.decimal128(20, 2)),
    "zoned": pa.array([TIME, None, TIME, TIME], pa.timestamp("us", "Europe/Berlin")),
    "nanos": pa.array([1000, None, 2000, 3000], pa.timestamp("ns")),
    "time": pa.array([1, None, 2, 3], pa.time64("us")),
    "duration": pa.array([1, None, 2, 3], pa.duration("ms")),
    "list": pa.array([[1, None], None, [], [2]]),
    "struct": pa.array([{"a": 1, "b": ["x"]}, None, {"a": None, "b": None}, {"a": 2, "b": []}]),
    "map": pa.array([[("k", 1)], None, [], [("l", None)]], pa.map_(pa.string(), pa.int32())),
    "nothing": pa.nulls(4),
}  # fmt: skip


def a_table() -> pa.Table:
    table = pa.table(COLUMNS)
    fields = [
        field.with_metadata({"PARQUET:field_id": str(number + 1), "unit": "ell"})
        for number, field in enumerate(table.schema)
    ]
    metadata = {"owner": "somebody", "pandas": '{"index_columns": [], "columns": []}'}
    return table.cast(pa.schema(fields, metadata))


@pytest.fixture(autouse=True, params=[1, 3], ids="{} threads".format)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let each test run in one thread and in several."""
    monkeypatch.setattr(table_files, "AHEAD_BYTES", 4 << 20)
    monkeypatch.setitem(THREADS, "", request.param)
    return int(request.param)


THREADS = {"": 1}


def transform(path: Path, *jobs: ColumnJob, **options: Any) -> Path:  # noqa: ANN401
    target = path.with_name("out.parquet")
    given = FileOptions(**{"overwrite": True, "threads": THREADS[""]} | options)
    transform_file(path, target, jobs, given, private=True)
    return target


def chunks(path: Path) -> dict[str, list[pq.ColumnChunkMetaData]]:
    """Return each leaf's chunks by its path."""
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    leaves = range(metadata.num_columns)
    return {
        metadata.schema.column(leaf).path: [group.column(leaf) for group in groups]
        for leaf in leaves
    }


def group_sizes(path: Path) -> list[int]:
    metadata = pq.ParquetFile(path).metadata
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


@pytest.mark.parametrize("name", list(COLUMNS))
def test_each_type_is_replaced_and_all_others_stay(tmp_path: Path, name: str) -> None:
    source = grouped(tmp_path / "in.parquet", [a_table()])
    before, after = pq.read_table(source), pq.read_table(transform(source, Reverse(name)))
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after.drop_columns([name]).equals(before.drop_columns([name]))
    assert after[name].to_pylist() == before[name].to_pylist()[::-1]


def test_metadata_of_file_and_fields_are_kept(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [a_table()])
    target = transform(source, Reverse("text"))
    before, after = pq.ParquetFile(source), pq.ParquetFile(target)
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    assert after.metadata.metadata.keys() == before.metadata.metadata.keys()
    assert after.metadata.metadata[b"owner"] == b"somebody"
    assert after.schema.equals(before.schema)
    assert after.schema_arrow.field("int8").metadata[b"PARQUET:field_id"] == b"8"


def test_a_file_without_arrow_schema_gets_none(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [a_table()], store_schema=False)
    target = transform(source, Reverse("text"))
    assert pq.ParquetFile(target).metadata.metadata == pq.ParquetFile(source).metadata.metadata
    assert pq.ParquetFile(target).schema.equals(pq.ParquetFile(source).schema)


def test_metadata_of_other_writers_is_kept_and_gets_a_marker(tmp_path: Path) -> None:
    """Those of Spark and Go store no Arrow schema."""

    class Marking(OpenGate):
        def marker(self, found: bytes | None) -> bytes | None:
            assert found is None
            return b"a marker"

    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table = a_table()
    with pq.ParquetWriter(source, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"org.apache.spark.version": "4.0"})
    transform_file(source, target, [Reverse("text")], FileOptions(), private=False, gate=Marking())
    assert pq.ParquetFile(target).metadata.metadata == {
        b"org.apache.spark.version": b"4.0",
        b"tallystick": b"a marker",
    }


def test_codecs_dictionaries_encodings_and_statistics_are_kept(tmp_path: Path) -> None:
    table = pa.table({
        name: pa.array([str(i % 7) for i in range(1000)])
        for name in ("snappy", "gzip", "brotli", "zstd", "lz4", "none", "a.b")
    } | {"delta": pa.array(range(1000)), "deep": [{"a": [1.5]}] * 1000})  # fmt: skip
    source = grouped(
        tmp_path / "in.parquet",
        [table],
        compression={n: n for n in table.schema.names if n not in ("a.b", "delta", "deep")}
        | {"a.b": "zstd", "deep.a.list.element": "gzip"},
        use_dictionary=["gzip", "none", "a.b"],
        column_encoding={"delta": "DELTA_BINARY_PACKED", "snappy": "DELTA_BYTE_ARRAY",
                         "deep.a.list.element": "BYTE_STREAM_SPLIT"},
        write_statistics=["snappy", "a.b"],
    )  # fmt: skip
    target = transform(source, Reverse("gzip"), Reverse("a.b"))
    before, after = chunks(source), chunks(target)
    assert before["zstd"][0].compression == "ZSTD"
    assert before["deep.a.list.element"][0].compression == "GZIP"
    for path in before:
        for old, new in zip(before[path], after[path], strict=True):
            assert new.compression == old.compression
            assert new.encodings == old.encodings
            assert new.is_stats_set == old.is_stats_set
            assert new.has_offset_index == old.has_offset_index
    assert len({chunk[0].encodings for chunk in before.values()}) > 4


@pytest.mark.parametrize("written_so", [True, False])
def test_page_index_and_old_names_in_lists_are_kept(tmp_path: Path, written_so: bool) -> None:
    source = grouped(
        tmp_path / "in.parquet",
        [a_table()],
        write_page_index=written_so,
        use_compliant_nested_type=not written_so,
        store_decimal_as_integer=written_so,
    )
    target = transform(source, Reverse("text"))
    assert chunks(target).keys() == chunks(source).keys()
    assert chunks(target)["text"][0].has_offset_index == written_so
    assert pq.ParquetFile(target).schema.equals(pq.ParquetFile(source).schema)


def test_an_order_is_kept_up_to_the_replaced_column(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 1, 2], "b": [1, 2, 1], "c": [1, 1, 1]})
    order = [pq.SortingColumn(0), pq.SortingColumn(1, descending=True), pq.SortingColumn(2)]
    source = grouped(tmp_path / "in.parquet", [table], sorting_columns=order)
    kept = pq.ParquetFile(transform(source, Reverse("b"))).metadata.row_group(0)
    assert list(kept.sorting_columns) == order[:1]
    kept = pq.ParquetFile(transform(source, Reverse("a"))).metadata.row_group(0)
    assert list(kept.sorting_columns) == []


def test_row_groups_are_kept_and_large_ones_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"a": [str(row) for row in range(48)], "b": range(48)})
    tables = [table[:3], table[3:28], table[28:28], table[28:38], table[38:]]
    source = grouped(tmp_path / "in.parquet", tables)
    job = EachValue("a", lambda value: value + "!")
    target = transform(source, job)
    assert group_sizes(target) == group_sizes(source) == [3, 25, 0, 10, 10]
    assert job.first_rows == [0, 3, 28, 38]

    monkeypatch.setattr(parquet_file, "MOST_ROWS", 10)
    job = EachValue("a", lambda value: value + "!", others=("b",))
    target = transform(source, job)
    assert group_sizes(target) == [3, 9, 9, 7, 0, 10, 10]
    assert job.seen_of("b") == list(range(48))
    assert pq.read_table(target)["a"].to_pylist() == [f"{row}!" for row in range(48)]
    assert pq.read_table(target)["b"].to_pylist() == list(range(48))


@pytest.mark.parametrize("threads", [1, 2, 5], indirect=True)
@pytest.mark.parametrize("rows", [1, 7, 100])
def test_groups_are_handed_over_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(table_files, "SLICE_ROWS", rows)
    values = [str(row) if row % 5 else None for row in range(100)]
    dictionary = pa.array([f"d{row % 9}" for row in range(100)]).dictionary_encode()
    table = pa.table({"a": values, "b": range(100), "d": dictionary})
    tables = [table[:3], table[3:3], table[3:40], *(table[n : n + 2] for n in range(40, 100, 2))]
    source = grouped(tmp_path / "in.parquet", tables)
    jobs = [
        EachValue("a", lambda value: value + "!", others=("b",)),
        EachValue("d", lambda value: value.upper()),
    ]
    progress: list[tuple[int, int]] = []
    target = transform(source, *jobs, progress=lambda *call: progress.append(call))
    expected = [first for start, end in ((0, 3), (3, 40), *((n, n + 2) for n in range(40, 100, 2)))
                for first in range(start, end, rows)]  # fmt: skip
    for job in jobs:
        assert job.first_rows == expected
    assert jobs[0].seen == values
    assert jobs[0].seen_of("b") == list(range(100))
    after = pq.read_table(target)
    assert after["a"].to_pylist() == [value and value + "!" for value in values]
    assert after["b"].equals(table["b"])
    assert after["d"].to_pylist() == [f"D{row % 9}" for row in range(100)]
    assert after.schema.equals(table.schema)
    assert group_sizes(target) == group_sizes(source)
    assert chunks(target)["d"][0].encodings == chunks(source)["d"][0].encodings
    assert progress[-1] == (100, 100)
    assert progress == sorted(progress)


@pytest.mark.parametrize("threads", [1, 2, 5], indirect=True)
def test_the_first_bad_row_of_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "SLICE_ROWS", 4)
    values = ["good"] * 400
    for row in (133, 134, 151, 290, 399):
        values[row] = "bad"
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"a": values}), source, row_group_size=30)
    with pytest.raises(InvalidValueError, match=r"column 'a', row 134: too short") as caught:
        transform(source, Refusing("a", "bad"))
    assert caught.value.row == 133
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_groups_of_many_bytes_are_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": ["x" * 100 + str(row) for row in range(1000)]})
    source = grouped(tmp_path / "in.parquet", [table])
    monkeypatch.setattr(parquet_file, "MOST_BYTES", 20_000)
    target = transform(source, EachValue("a"))
    sizes = group_sizes(target)
    assert len(sizes) > 4
    assert sizes[0] - sizes[-1] < len(sizes)
    assert pq.read_table(target).equals(table)


def test_an_empty_group_is_kept_however_many_bytes_it_says_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = a_table()
    source = grouped(tmp_path / "in.parquet", [table, table[:0], table])
    monkeypatch.setattr(parquet_file, "MOST_BYTES", 1)
    assert group_sizes(transform(source, EachValue("text"))) == [1, 1, 1, 1, 0, 1, 1, 1, 1]


def test_a_piece_lets_go_of_its_rows_when_it_is_grouped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = []

    class Piece(table_files._Piece):
        def __init__(self, *arguments: Any) -> None:  # noqa: ANN401
            super().__init__(*arguments)
            pieces.append(self)

    monkeypatch.setattr(table_files, "_Piece", Piece)
    transform(grouped(tmp_path / "in.parquet", [a_table()] * 3), EachValue("text"))
    assert [(piece.table.nbytes, piece.new) for piece in pieces] == [(0, [])] * 3


@pytest.mark.skipif(not hasattr(pa, "uuid"), reason="this pyarrow has no such type")
def test_nested_extension_types_stay(tmp_path: Path) -> None:
    ids = pa.array([[bytes(range(16))], []], pa.list_(pa.binary(16))).cast(pa.list_(pa.uuid()))
    table = pa.table({"a": ["x", "y"], "ids": ids})
    after = pq.read_table(transform(grouped(tmp_path / "in.parquet", [table]), Reverse("a")))
    assert after.equals(pa.table({"a": ["x", "y"][::-1], "ids": ids}))


def test_names_with_dots_beside_nested_columns(tmp_path: Path) -> None:
    table = pa.table({"a.b": ["x", "y"], "a": [{"b": 1}, {"b": 2}], ".": ["p", "q"]})
    source = grouped(tmp_path / "in.parquet", [table])
    after = pq.ParquetFile(transform(source, Reverse("a.b"), Reverse("."))).read()
    assert after.to_pydict() == {
        "a.b": ["y", "x"], "a": [{"b": 1}, {"b": 2}], ".": ["q", "p"],
    }  # fmt: skip


@pytest.mark.parametrize("groups", [0, 1, 2])
def test_files_without_rows(tmp_path: Path, groups: int) -> None:
    empty = a_table()[:0]
    source = tmp_path / "in.parquet"
    with pq.ParquetWriter(source, empty.schema) as writer:
        for _ in range(groups):
            writer.write_table(empty)
    target = transform(source, Refusing("text", "x"))
    assert group_sizes(target) == group_sizes(source) == [0] * groups
    assert pq.read_schema(target).equals(pq.read_schema(source), check_metadata=True)


@pytest.mark.parametrize("year", [2001, 9999])
def test_old_timestamps_are_exact(tmp_path: Path, year: int) -> None:
    moment = TIME.replace(year=year)
    table = pa.table({
        "a": ["x", "y"],
        "t": pa.array([moment, None], pa.timestamp("us")),
        "l": pa.array([[moment, None], []], pa.list_(pa.timestamp("us"))),
    })  # fmt: skip
    source = grouped(
        tmp_path / "in.parquet", [table], use_deprecated_int96_timestamps=True, store_schema=False
    )
    target = transform(source, Reverse("a"))
    after = pq.ParquetFile(target, coerce_int96_timestamp_unit="us")
    assert after.metadata.schema.column(1).physical_type == "INT96"
    assert after.read()["t"].to_pylist() == [moment, None]
    assert after.read()["l"].to_pylist() == [[moment, None], []]


def test_old_timestamps_keep_their_nanoseconds(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", "y"], "t": pa.array([1, 999_999_999], pa.timestamp("ns"))})
    source = grouped(tmp_path / "in.parquet", [table], use_deprecated_int96_timestamps=True)
    assert pq.read_table(transform(source, Reverse("a")))["t"].equals(table["t"])


SECRETS = [f"secret-{number:05}-original" for number in range(500)]


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(),
                                   pa.dictionary(pa.int16(), pa.string())])  # fmt: skip
@pytest.mark.parametrize("dictionary", [True, False])
def test_no_original_is_left(tmp_path: Path, type_: pa.DataType, dictionary: bool) -> None:
    secrets = pa.array(SECRETS)
    if pa.types.is_dictionary(type_):  # half of its values in no row
        column = pa.DictionaryArray.from_arrays(pa.array(range(250), pa.int16()), secrets)
    else:
        column = secrets.cast(type_)
    table = pa.table({"id": range(len(column)), "a": column})
    newer = {"bloom_filter_options": {"a": True}}
    source = grouped(
        tmp_path / "in.parquet",
        [table[:100], table[100:]],
        compression="none",
        use_dictionary=dictionary,
        write_page_index=True,
        **(newer if hasattr(pq.ColumnChunkMetaData, "bloom_filter_offset") else {}),
    )

    def token(value: Any) -> Any:  # noqa: ANN401
        return value.translate(bytes.maketrans(b"0123456789eort", b"5678901234xyzw")) if isinstance(
            value, bytes
        ) else value.translate(str.maketrans("0123456789eort", "5678901234xyzw"))  # fmt: skip

    raw = transform(source, EachValue("a", token)).read_bytes()
    found = [secret for secret in SECRETS[: len(column)] if secret.encode() in source.read_bytes()]
    assert found == SECRETS[: len(column)]
    for secret in SECRETS:
        assert secret.encode() not in raw
        assert token(secret).encode() in raw or SECRETS.index(secret) >= len(column)
    assert b"secret-" not in raw
    assert b"original" not in raw


def test_no_original_integer_is_left_in_statistics(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(range(10**15, 10**15 + 100), pa.int64())})
    source = grouped(tmp_path / "in.parquet", [table], compression="none", write_page_index=True)
    shift = WholeBatch("a", lambda values: pc.add(values, 10**15))
    raw = transform(source, shift).read_bytes()
    for value in table["a"].to_pylist():
        pattern = value.to_bytes(8, "little")
        assert pattern in source.read_bytes()
        assert pattern not in raw


@pytest.mark.skipif(
    not hasattr(pq.ColumnChunkMetaData, "bloom_filter_offset"), reason="needs a newer pyarrow"
)
def test_bloom_filters_are_made_anew(tmp_path: Path) -> None:
    table = pa.table({"a": SECRETS, "b": SECRETS, "c": SECRETS})
    options = {"a": {"ndv": 500}, "b": {"ndv": 500}}
    source = grouped(tmp_path / "in.parquet", [table], bloom_filter_options=options)
    target = transform(source, EachValue("a", str.upper))

    def bloom_filter(path: Path, leaf: str) -> bytes | None:
        chunk = chunks(path)[leaf][0]
        if chunk.bloom_filter_offset is None:
            return None
        raw = path.read_bytes()[chunk.bloom_filter_offset :]
        return raw[: chunk.bloom_filter_length]

    assert bloom_filter(target, "a") is not None
    assert bloom_filter(target, "a") != bloom_filter(source, "a")
    assert bloom_filter(target, "b") == bloom_filter(source, "b")
    assert bloom_filter(target, "c") is None


def test_invalid_values_are_named_by_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file, "MOST_ROWS", 10)
    table = pa.table({"a": [str(row) for row in range(48)]})
    source = grouped(tmp_path / "in.parquet", [table[:3], table[3:]])
    with pytest.raises(InvalidValueError) as caught:
        transform(source, Refusing("a", "37"))
    assert str(caught.value) == f"{source}: column 'a', row 38: too short"
    assert caught.value.row == 37
    assert list(tmp_path.iterdir()) == [source]


def test_missing_and_doubled_columns(tmp_path: Path) -> None:
    table = pa.table([["x"], ["y"], ["z"]], names=["a", "a", "b"])
    source = grouped(tmp_path / "in.parquet", [table])
    with pytest.raises(FileError, match="no column 'c'; there are: 'a', 'a', 'b'"):
        transform(source, EachValue("c"))
    with pytest.raises(FileError, match="2 columns are named 'a'"):
        transform(source, EachValue("b", others=("a",)))
    target = transform(source, EachValue("b", str.upper))
    assert pq.ParquetFile(target).read().equals(table.set_column(2, "b", [["Z"]]))


def test_a_column_without_nulls_gets_none(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("a", pa.string(), nullable=False)])
    source = grouped(tmp_path / "in.parquet", [pa.table({"a": ["x"]}, schema)])
    with pytest.raises(FileError, match="'a' must not have nulls"):
        transform(source, EachValue("a", lambda value: None))
    assert pq.read_schema(transform(source, EachValue("a"))).equals(schema)


def test_more_values_than_a_dictionary_can_tell_apart(tmp_path: Path) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int8()), pa.array(["x"]))
    source = grouped(tmp_path / "in.parquet", [pa.table({"a": column})])
    counter = iter(range(200))
    with pytest.raises(FileError, match=r"'a' has more new values .*\(int8\)"):
        transform(source, EachValue("a", lambda value: f"{value}{next(counter)}"))


def test_damaged_files(tmp_path: Path) -> None:
    table = pa.table({"a": SECRETS, "b": range(500)})
    source = grouped(tmp_path / "in.parquet", [table], compression="zstd", use_dictionary=False)
    whole = source.read_bytes()
    for damaged in (b"", b"a,b\n1,2\n", whole[: len(whole) // 2], whole[:-1], whole[4:]):
        source.write_bytes(damaged)
        with pytest.raises(FileError, match=r"in\.parquet"):
            transform(source, EachValue("a"))
    middle = chunks(grouped(source, [table], compression="zstd"))["a"][0].data_page_offset + 60
    source.write_bytes(whole[:middle] + bytes(200) + whole[middle + 200 :])
    with pytest.raises(FileError, match=r"in\.parquet: row group 1 can't be read"):
        transform(source, EachValue("a"))
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("name", ["word", "words", "number"])
def test_indices_that_a_dictionary_does_not_have(tmp_path: Path, name: str) -> None:
    words = pa.array(["a", "b", "c"] * 8).dictionary_encode()  # two bits each, of which 3 is none
    nested = pa.ListArray.from_arrays(pa.array(range(25), pa.int32()), words)
    table = pa.table({"word": words, "words": nested, "number": range(24)})
    for column in (0, 1):
        source = grouped(tmp_path / "in.parquet", [table], compression="none")
        chunk = pq.ParquetFile(source).metadata.row_group(0).column(column)
        end = chunk.dictionary_page_offset + chunk.total_compressed_size
        whole = source.read_bytes()
        source.write_bytes(whole[: end - 6] + b"\xff" * 6 + whole[end:])
        with pytest.raises(FileError, match=r"row group 1 can't be read: .*out of bounds"):
            transform(source, EachValue(name if name != "words" else "words[]"))
    assert list(tmp_path.iterdir()) == [source]


def test_encrypted_files(tmp_path: Path) -> None:
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):  # type: ignore[name-defined, misc]
        def __init__(self, _: object) -> None:
            encryption.KmsClient.__init__(self)

        def wrap_key(self, key: bytes, _: object) -> bytes:
            return b64encode(key)

    for clear in (False, True):
        settings = encryption.EncryptionConfiguration(
            footer_key="one", column_keys={"two": ["a"]}, plaintext_footer=clear
        )
        factory = encryption.CryptoFactory(Keys)
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
        table = pa.table({"a": SECRETS, "b": range(500)})
        source = grouped(tmp_path / "in.parquet", [table], encryption_properties=properties)
        for column in ("a", "b"):
            with pytest.raises(
                FileError, match=r"in\.parquet: the file or some of its columns are"
            ):
                transform(source, EachValue(column))
    assert list(tmp_path.iterdir()) == [source]


CHUNKS = {
    "type": (rb"\x15\x0c\x19", b"\x15\x02\x19"),
    "LZO": (rb"(\x18\x02id)\x15\x02", b"\\1\x15\x06"),
    "codec": (rb"(\x18\x02id)\x15\x02", b"\\1\x15\x12"),
    "levels": (rb"\x19\x26\x02\x04", b"\x19\x36\x02\x04\x00"),
    "size of text that is none": (rb"\x3c\x29\x06", b"\x3c\x16\x02\x19\x06"),
}
"""What is written in the metadata of chunks, and what pyarrow ends the process for."""


@pytest.mark.parametrize(("old", "new"), CHUNKS.values(), ids=CHUNKS)
def test_footers_that_end_pyarrow_are_refused_before(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    source = tmp_path / "some.parquet"
    pq.write_table(pa.table({"id": ["a", "b", None], "n": [1, 2, None]}), source)
    data = source.read_bytes()
    end = len(data) - 8
    start = end - int.from_bytes(data[end:-4], "little")
    footer, count = re.subn(old, new, data[start:end], flags=re.DOTALL)
    assert count
    source.write_bytes(data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    ended = subprocess.run(
        [PROGRAM, "inspect", source], capture_output=True, timeout=60, check=False, text=True
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (ExitCode.FILE, 1)
    assert "some.parquet: not a Parquet file, or a damaged one" in ended.stderr


COUNT = """
import io
from tallystick.files import parquet_pages
parquet_pages._header(io.BytesIO(b"\\x19\\xf7" + 8 * b"\\xff" + b"\\x3f"), 0)
"""


def test_a_list_longer_than_its_header_is_not_counted_to_its_end() -> None:
    """Of its numbers no byte was read, so that counting took as long as it said."""
    ended = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, timeout=20)
    assert b"a page header is cut" in ended.stderr


def test_damaged_names(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [pa.table({"a name": SECRETS})])
    whole = source.read_bytes()
    places = [at for at in range(len(whole)) if whole.startswith(b"a name", at)]
    assert len(places) >= 2  # of the schema, and of the column's chunk
    for at in places:
        source.write_bytes(whole[:at] + b"\xe1" + whole[at + 1 :])
        with pytest.raises(FileError, match=r"in\.parquet: "):
            transform(source, EachValue("a name"))
    assert list(tmp_path.iterdir()) == [source]


def test_a_name_that_only_a_chunk_has(tmp_path: Path) -> None:
    table = pa.table({"s": [{"name": "a"}, {"name": "b"}] * 9})
    source = grouped(tmp_path / "in.parquet", [table], store_schema=False)
    before, _, after = source.read_bytes().rpartition(b"name")  # the chunk's: the schema is first
    source.write_bytes(before + b"nome" + after)
    assert [one.path_in_schema for one in chunks(source)["s.name"]] == ["s.nome"]
    target = transform(source, EachValue("s.name", str.upper))
    assert pq.read_table(target)["s"].to_pylist()[:2] == [{"name": "A"}, {"name": "B"}]


def test_progress_counts_rows(tmp_path: Path) -> None:
    source = grouped(tmp_path / "in.parquet", [a_table(), a_table()])
    calls: list[tuple[int, int]] = []
    transform(source, progress=lambda *call: calls.append(call))
    assert calls == [(4, 8), (8, 8)]
