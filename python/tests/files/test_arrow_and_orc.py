# SPDX-License-Identifier: Apache-2.0
"""Arrow IPC, Feather and ORC: new values in chosen columns, all else as it was."""

from __future__ import annotations

import gzip
import io
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc

from files_support import change_file, load, save
from tallystick.errors import FileError, InvalidValueError, PolicyError
from tallystick.files import (
    FileOptions,
    columns_of,
    ipc,
    sample_file,
    scan_file,
    tables,
)
from toy_jobs import EachValue, Refusing, Reverse

KINDS = ["arrow", "arrows", "orc"]


def example(rows: int = 300, *, orc_types: bool = False) -> pa.Table:
    names = [None if row % 7 == 0 else f"name{row}" for row in range(rows)]
    table = pa.table(
        {
            "name": pa.array(names, pa.string()),
            "number": pa.array(range(rows), pa.int64()),
            "price": pa.array([Decimal(row) / 4 for row in range(rows)], pa.decimal128(9, 2)),
            "tags": pa.array([["a", None, str(row)] for row in range(rows)], pa.list_(pa.string())),
            "when": pa.array(range(rows), pa.timestamp("ns")),
        },
        metadata={"made": "here"},
    )
    if orc_types:
        return table
    kinds = pa.array([f"kind{row % 5}" for row in range(rows)], pa.string()).dictionary_encode()
    return table.append_column("kind", kinds).append_column(
        "large", pa.array(names, pa.large_string())
    )


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(kind: str, tmp_path: Path) -> Path:
    path = tmp_path / f"in.{kind}"
    save(example(orc_types=kind == "orc"), path)
    return path


@pytest.mark.parametrize("words", [pa.string_view(), pa.large_string()], ids=str)
def test_a_dictionary_may_be_of_any_text(tmp_path: Path, words: pa.DataType) -> None:
    source, target = tmp_path / "in.arrow", tmp_path / "out.arrow"
    entries = pa.array(["Alice", None, "Bob"]).cast(words)
    parts = [pa.array(part, pa.uint32()) for part in ([0, 2, None], [1, 2])]
    names = pa.chunked_array([pa.DictionaryArray.from_arrays(part, entries) for part in parts])
    save(pa.table({"name": names}), source)
    turn = EachValue("name", lambda value: value[::-1])
    change_file(source, target, [turn], FileOptions())
    made = load(target).column("name")
    assert made.type == names.type
    assert made.to_pylist() == ["ecilA", "boB", None, None, "boB"]


@pytest.mark.parametrize("name", ["in.arrow", "in.arrows", "in.parquet"])
def test_metadata_lists_no_values_of_a_changed_field(tmp_path: Path, name: str) -> None:
    """Polars lists all values of an Enum there."""
    note = {"_PL_ENUM_VALUES2": "5;Alice"}
    kind = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([pa.field("name", kind, metadata=note), pa.field("b", kind, metadata=note)])
    values = pa.array(["Alice"]).dictionary_encode()
    source, target = tmp_path / name, tmp_path / f"new{name}"
    table = pa.table([values, values], schema=schema)
    pq.write_table(table, source) if name == "in.parquet" else save(table, source)
    turn = EachValue("name", lambda value: value[::-1])
    change_file(source, target, [turn], FileOptions())
    made = pq.read_table(target) if name == "in.parquet" else load(target)
    assert made.column("name").to_pylist() == ["ecilA"]
    assert made.schema.field("name").metadata in (None, {b"PARQUET:field_id": b"1"})
    assert made.schema.field("b").metadata[b"_PL_ENUM_VALUES2"] == b"5;Alice"


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_change_and_all_else_stays(
    source: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SLICE_ROWS", 64)
    target, back = (source.with_stem(stem) for stem in ("out", "back"))
    before = load(source)
    turn = EachValue("name", lambda value: value[::-1])
    done = change_file(source, target, [turn, Reverse("number")], FileOptions(threads=threads))
    assert (done.rows, done.bytes_in) == (300, source.stat().st_size)
    assert done.bytes_out == target.stat().st_size
    after = load(target)
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after["name"].to_pylist() == [v and v[::-1] for v in before["name"].to_pylist()]
    assert after["number"].to_pylist() != before["number"].to_pylist()
    for name in before.column_names[2:]:
        assert after[name].equals(before[name]), name
    change_file(
        target,
        back,
        [EachValue("name", lambda v: v[::-1]), Reverse("number")],
        FileOptions(threads=threads),
    )
    if threads == 1 and source.suffix != ".orc":
        assert [len(b) for b in load(back).to_batches()] == [len(b) for b in before.to_batches()]
    assert load(back)["name"].equals(before["name"])


@pytest.mark.parametrize("suffix", ["arrow", "arrows"])
def test_dictionaries_get_new_values(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    save(example(), source)
    change_file(source, target, [EachValue("kind", lambda v: v + "!")])
    before, after = load(source), load(target)
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after["kind"].to_pylist() == [f"{value}!" for value in before["kind"].to_pylist()]
    assert b"kind1\0" not in target.read_bytes()
    assert b"kind0kind1" not in target.read_bytes()


def test_a_dictionary_that_is_too_small(tmp_path: Path) -> None:
    column = pa.array(["a"] * 200).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    save(pa.table({"a": column}), tmp_path / "in.arrow")
    seen = iter(range(1000))
    with pytest.raises(FileError, match="more new values than its dictionary"):
        change_file(
            tmp_path / "in.arrow",
            tmp_path / "out.arrow",
            [EachValue("a", lambda value: str(next(seen)))],
            FileOptions(threads=1),
        )


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("suffix", ["arrow", "arrows"])
def test_the_compression_stays(tmp_path: Path, codec: str | None, suffix: str) -> None:
    source, target = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    save(example(), source, codec=codec)
    change_file(source, target, [EachValue("name")])
    start = 8 if suffix == "arrow" else 0
    assert ipc._codec(io.BytesIO(target.read_bytes()[start:])) == codec
    assert load(target).equals(load(source))


def test_feather_and_its_first_version(tmp_path: Path) -> None:
    source, target = tmp_path / "in.feather", tmp_path / "out.feather"
    feather.write_feather(example(), source)
    change_file(source, target, [EachValue("name", lambda v: v + "!")])
    assert feather.read_table(target)["name"][1].as_py() == "name1!"
    source.write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    with pytest.raises(FileError, match="not an Arrow IPC file of version 2"):
        change_file(source, target, [EachValue("a")], FileOptions(overwrite=True))


def test_orc_keeps_its_compression_and_metadata(tmp_path: Path) -> None:
    source, target = tmp_path / "in.orc", tmp_path / "out.orc"
    save(example(orc_types=True), source, codec="zstd")
    change_file(source, target, [EachValue("name")])
    before, after = orc.ORCFile(source), orc.ORCFile(target)
    assert after.compression == before.compression == "ZSTD"
    assert after.schema.metadata == before.schema.metadata


def test_a_stream_may_be_compressed(tmp_path: Path) -> None:
    plain = tmp_path / "in.arrows"
    save(example(), plain)
    (tmp_path / "in.arrows.gz").write_bytes(gzip.compress(plain.read_bytes()))
    change_file(tmp_path / "in.arrows.gz", tmp_path / "out.arrows.gz", [EachValue("name")])
    data = gzip.decompress((tmp_path / "out.arrows.gz").read_bytes())
    assert pa.ipc.open_stream(data).read_all().equals(example())
    with pytest.raises(FileError, match="compresses its columns"):
        change_file(tmp_path / "in.orc.gz", tmp_path / "out.orc", [])


def test_errors_name_the_place(source: Path) -> None:
    target = source.with_stem("out")
    with pytest.raises(InvalidValueError, match="column 'name', row 223: too short"):
        change_file(source, target, [Refusing("name", "name222")])
    with pytest.raises(FileError, match="no column 'x'; there are: 'name'"):
        change_file(source, target, [EachValue("x")])
    with pytest.raises(PolicyError, match="has 2 jobs"):
        change_file(source, target, [EachValue("name"), EachValue("name")])
    assert list(source.parent.iterdir()) == [source]


def test_damage_is_found_or_does_no_harm(source: Path) -> None:
    target = source.with_stem("out")
    data = source.read_bytes()
    rng = np.random.default_rng(1)
    cut = [data[:at] for at in (0, 3, len(data) // 2)]
    changed = []
    for at in rng.integers(0, len(data), 60):
        one = bytearray(data)
        one[at] ^= 0xFF
        changed.append(bytes(one))
    for each in cut + changed:
        source.write_bytes(each)
        with pytest.raises(FileError) if each in cut else suppress(FileError):
            change_file(source, target, [EachValue("name")], FileOptions(overwrite=True))


@pytest.mark.parametrize("kind", [*KINDS, "parquet"])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("name", "says"), [("\xff part", "can't decode"), ("a\0part", "zero byte")]
)
def test_names_that_are_no_text(
    tmp_path: Path, kind: str, inside: bool, name: str, says: str
) -> None:
    """The C interface ends names at a zero byte: a column had the name of another."""
    path = tmp_path / f"in.{kind}"
    table = pa.table({"name": ["a"], "other": [{"a part": 1}] if inside else [1]})
    table = table if inside else table.rename_columns(["name", "a part"])
    save(table, path)
    path.write_bytes(path.read_bytes().replace(b"a part", name.encode("latin-1")))
    for job in ("name", "other.x"):
        with pytest.raises(FileError, match=rf"in\.{kind}: not an? .*{says}"):
            change_file(path, path.with_stem("out"), [EachValue(job)])
    with pytest.raises(FileError, match=rf"in\.{kind}: not an? .*{says}"):
        columns_of(path, inside=None)


@pytest.mark.parametrize(
    "kind",
    [pa.decimal128(3, 1), pa.decimal32(3), pa.date64(), pa.time32("s"), pa.time64("us")],
    ids=str,
)
def test_no_value_is_in_what_arrow_says(tmp_path: Path, kind: pa.DataType) -> None:
    value = 987_654_321_987 % 2 ** (kind.bit_width - 1)
    data = pa.py_buffer(value.to_bytes(kind.bit_width // 8, "little"))
    column = pa.Array.from_buffers(kind, 1, [None, data])
    save(pa.table({"name": ["a"], "other": column}), tmp_path / "in.arrow")
    with pytest.raises(FileError, match=r"batch 1 can't be read: .* \.\.\. ") as caught:
        change_file(*(tmp_path / "in.arrow", tmp_path / "out.arrow", [EachValue("name")]))
    assert str(value)[:6] not in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_time_is_in_what_orc_says(tmp_path: Path) -> None:
    when = pa.array([-14_831_765_876_544_000], pa.timestamp("us"))  # in the year 1500
    save(pa.table({"name": ["a"], "when": when}), tmp_path / "in.orc")
    with pytest.raises(FileError, match=r"ORC timestamp \.\.\. is out of range"):
        change_file(*(tmp_path / "in.orc", tmp_path / "out.orc", [EachValue("name")]))


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
def test_a_message_larger_than_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"in.{kind}"
    save(pa.table({"name": ["a" * 999]}), path)
    data = path.read_bytes()
    with path.open("rb") as stream:
        stream.seek(8 if kind == "arrow" else 0)
        *_, batch = pa.ipc.MessageReader.open_stream(stream)
    size = batch.body.size.to_bytes(8, "little")
    assert size in data
    path.write_bytes(data.replace(size, (1 << 60).to_bytes(8, "little")))
    with pytest.raises(FileError, match=rf"in\.{kind}: "):
        change_file(path, path.with_stem("out"), [EachValue("name")])


def test_orc_with_a_union(tmp_path: Path) -> None:
    codes, values = pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    table = pa.table({"name": ["a", "b"], "one": pa.UnionArray.from_sparse(codes, values)})
    source, target = tmp_path / "in.orc", tmp_path / "out.orc"
    save(table, source)
    change_file(source, target, [EachValue("name")])
    assert load(target).column("one").to_pylist() == [1, "b"]


@pytest.mark.parametrize("rows", [0, 1])
def test_small_files(tmp_path: Path, kind: str, rows: int) -> None:
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    save(example(rows, orc_types=kind == "orc"), source)
    assert change_file(source, target, [EachValue("name")]).rows == rows
    assert load(target).schema == load(source).schema
    assert load(target).num_rows == rows


def test_large_batches_are_split(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 50)
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    save(example(orc_types=kind == "orc"), source, batch=300)
    change_file(source, target, [EachValue("name")])
    assert load(target).equals(load(source))
    if kind != "orc":
        assert [len(batch) for batch in load(target).to_batches()] == [50] * 6


def test_they_are_scanned_and_sampled(source: Path) -> None:
    assert [name for name, _ in columns_of(source)][:2] == ["name", "number"]
    names = [name for name, _ in columns_of(source, inside=None)]
    assert "tags[]" in names
    assert scan_file(source, []) == 300
    sample = sample_file(source, 20)
    assert sample.whole is False or sample.seen == 300
    assert set(sample.columns) == set(names)


def test_spreadsheets_are_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(
        FileError, match=r"spreadsheets are not supported.* export the sheet as CSV"
    ):
        change_file(tmp_path / "in.xlsx", tmp_path / "out.xlsx", [])
