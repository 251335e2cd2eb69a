# SPDX-License-Identifier: Apache-2.0
"""Text in other encodings, and compressed: the same bytes come back, or the run says why not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files_support import change_file
from tallystick.errors import FileError, InvalidValueError, ParameterError
from tallystick.files import (
    CsvOptions,
    FileOptions,
    compression,
    csv_blocks,
    encodings,
    scan_file,
)
from toy_jobs import EachValue, Refusing

PROPERTY = settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "windows-1252", "shift_jis", "utf-8", "utf-8-sig")


def zstd(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return bytes(out.getvalue())


def unzstd(data: bytes) -> bytes:
    return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
}
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": unzstd,
}


def transform(place: Path, data: bytes, *jobs: EachValue, encoding: str | None) -> bytes:
    (place / "in.csv").write_bytes(data)
    change_file(
        place / "in.csv",
        place / "out.csv",
        jobs,
        FileOptions(overwrite=True, csv=CsvOptions(encoding=encoding)),
    )
    return (place / "out.csv").read_bytes()


@pytest.fixture(params=[1, 3, 1 << 18])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read few bytes at once, so that characters are cut."""
    monkeypatch.setattr(encodings, "_READ", request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("pieces")
@PROPERTY
@given(data=st.data(), encoding=st.sampled_from(ENCODINGS), mark=st.booleans())
def test_all_comes_back(tmp_path: Path, data: st.DataObject, encoding: str, mark: bool) -> None:
    codec = encoding.removesuffix("-sig")
    letters = st.characters(codec=codec, exclude_characters='",\r\n¥‾')  # yen in Shift JIS: \
    rows = data.draw(st.lists(st.text(letters)))
    text = "a,b\r\n" + "".join(
        f"x{row},é\n" if codec != "shift_jis" else f"x{row},ア\n" for row in rows
    )
    if mark and encoding in ("utf-16-le", "utf-8"):
        text = "\ufeff" + text
    raw = text.encode(encoding)
    job = EachValue("a", lambda value: value[::-1])
    there = transform(tmp_path, raw, job, encoding=encoding)
    assert job.seen == ["x" + row for row in rows]
    assert [
        line.split(",")[0] for line in there.decode(encoding).splitlines()[1:] if line
    ] or not rows
    assert transform(tmp_path, there, EachValue("a", lambda v: v[::-1]), encoding=encoding) == raw


def test_the_byte_order_is_that_of_the_source(tmp_path: Path) -> None:
    for codec, mark in (("utf-16-be", b"\xfe\xff"), ("utf-16-le", b"\xff\xfe")):
        raw = mark + "a,b\n1,2\n".encode(codec)
        out = transform(tmp_path, raw, EachValue("a", lambda value: "é"), encoding="utf-16")
        assert out == mark + "a,b\né,2\n".encode(codec)
    with pytest.raises(FileError, match="no byte order mark; pass --encoding utf-16-le"):
        transform(tmp_path, "a\n1\n".encode("utf-16-le"), encoding="utf-16")


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\n\x81\n", "windows-1252", "not windows-1252 throughout"),
        (b"a\n\x80", "utf-16-le", "not utf-16-le throughout"),
        (b"a\n+AGE-\n", "utf-7", "would write some bytes differently"),
        ("a\n\ud800\n".encode("utf-16-le", "surrogatepass"), "utf-16-le", "throughout"),
    ],
)
def test_what_would_not_come_back_is_refused(
    tmp_path: Path, data: bytes, encoding: str, message: str
) -> None:
    with pytest.raises(FileError, match=message):
        transform(tmp_path, data, EachValue("a"), encoding=encoding)
    assert not (tmp_path / "out.csv").exists()


def test_a_token_that_the_encoding_lacks_is_named_by_row_and_column(tmp_path: Path) -> None:
    for letter, encoding in (("Ж", "windows-1252"), ("¥", "shift_jis")):  # which writes a backslash
        job = EachValue("b", lambda value, new=letter: new if value == "3" else value)  # type: ignore[misc]
        with pytest.raises(FileError, match=rf"column 'b', row 3: .* {encoding} lacks"):
            transform(tmp_path, b"a,b\n0,1\n0,2\n0,3\n", job, encoding=encoding)


@pytest.mark.parametrize("name", ["none", "base64", "rot13", "idna"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises((ParameterError, FileError)):
        transform(tmp_path, b"a\n1\n", EachValue("a"), encoding=name)


def test_lines_are_those_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress("a,b\n1,0\n\n2,0\n".encode("utf-16")))
    with pytest.raises(InvalidValueError, match=r"row 2 \(line 4\)"):
        change_file(
            tmp_path / "in.csv.gz",
            tmp_path / "out.csv",
            [Refusing("a", "2")],
            FileOptions(csv=CsvOptions(encoding="utf-16")),
        )


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files_by_name(tmp_path: Path, suffix: str) -> None:
    raw = b"a\tb\n" + b"".join(b"%d\tx\n" % row for row in range(200_000))
    source, target = tmp_path / f"in.tsv{suffix}", tmp_path / f"out.TSV{suffix.upper()}"
    packed = PACK[suffix](raw[:1000]) + PACK[suffix](raw[1000:])  # several members, too
    source.write_bytes(packed)
    done = change_file(source, target, [EachValue("b", lambda value: "y")])
    assert done.rows == 200_000
    assert (done.bytes_in, done.bytes_out) == (len(packed), target.stat().st_size)
    assert UNPACK[suffix](target.read_bytes()) == raw.replace(b"x", b"y")
    plain = tmp_path / "plain.tsv"
    change_file(target, plain, [EachValue("b", lambda value: "x")])
    assert plain.read_bytes() == raw


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files_that_are_damaged(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"in.csv{suffix}"
    packed = PACK[suffix](b"a\n" + bytes(range(48, 58)) * 500)
    for data in (packed[:-3], packed[: len(packed) // 2], b"a\n1\n", packed + b"\1\2\3"):
        source.write_bytes(data)
        with pytest.raises(FileError, match="damaged, cut short"):
            change_file(source, tmp_path / "out.csv", [EachValue("a")])
        assert list(tmp_path.iterdir()) == [source]


def test_equal_runs_give_equal_bytes(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"a\n1\n")
    for name in ("1.csv.gz", "2.csv.gz"):
        change_file(tmp_path / "in.csv", tmp_path / name, [EachValue("a")])
    assert (tmp_path / "1.csv.gz").read_bytes() == (tmp_path / "2.csv.gz").read_bytes()


@pytest.mark.parametrize("suffix", PACK)
def test_a_bomb_takes_no_more_memory_than_a_record_may(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "LARGEST_RECORD", 4 << 20)
    source = tmp_path / f"in.csv{suffix}"
    source.write_bytes(PACK[suffix](b"a\n" + b"0" * (64 << 20)))
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    with pytest.raises(FileError, match="a record of more than 4 MiB"):
        change_file(source, tmp_path / "out.csv", [EachValue("a")], FileOptions(threads=1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20
    assert pa.total_allocated_bytes() <= before + (8 << 20)


def test_xz_may_not_ask_for_any_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.csv.xz").write_bytes(lzma.compress(b"a\n1\n", preset=9))
    monkeypatch.setattr(compression, "XZ_MEMORY", 1 << 20)
    with pytest.raises(FileError, match="unpacking needs more than 1 MiB of memory"):
        scan_file(tmp_path / "in.csv.xz", [])


def test_parquet_is_not_compressed_once_more(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="compresses its columns by itself"):
        change_file(tmp_path / "in.parquet.gz", tmp_path / "out", [])
    with pytest.raises(FileError, match="is not text"):
        change_file(
            tmp_path / "in.parquet",
            tmp_path / "out",
            [],
            FileOptions(csv=CsvOptions(encoding="utf-16")),
        )
