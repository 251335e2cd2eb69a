# SPDX-License-Identifier: Apache-2.0
"""Samples of files: from all over the file, and with values of columns that have few."""

from __future__ import annotations

import random
from io import FileIO
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallystick.errors import FileError
from tallystick.files import CsvOptions, csv_blocks, sample, sample_file
from tallystick.files import csv_stretches as stretches
from tallystick.files.csv_stretches import UnsureError, read_stretch
from tallystick.files.parquet import GROUP_ROWS
from tallystick.files.reservoir import Reservoir

COMMAS = CsvOptions(delimiter=",")


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file of a few hundred kB count as a large one."""
    monkeypatch.setattr(sample, "WHOLE_BYTES", 100_000)
    monkeypatch.setattr(sample, "STRETCHES", 8)
    monkeypatch.setattr(csv_blocks, "BLOCK", 20_000)
    for module in (sample, stretches):
        monkeypatch.setattr(module, "SIZES", (4_000, 20_000))


def rows_of(count: int, quoted: bool, late: int) -> list[list[str]]:
    """Make rows of which the last `late` ones alone have a value in the third column."""
    chance = random.Random(7)  # noqa: S311
    return [
        [
            f"{number:07}",
            f'a,"b"\n{number},x' if quoted and chance.random() < 0.3 else f"note {number}",
            f"{chance.randrange(10**9):09}" if number >= count - late else "",
            "plain",
        ]
        for number in range(count)
    ]


def write(path: Path, rows: list[list[str]]) -> Path:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text

    lines = [",".join(map(field, row)) for row in [["id", "note", "ssn", "end"], *rows]]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("late", [3, 2000])
def test_a_large_csv_is_sampled_at_its_end_too(tmp_path: Path, quoted: bool, late: int) -> None:
    rows = rows_of(20_000, quoted, late)
    path = write(tmp_path / "x.csv", rows)
    found = sample_file(path, 500)
    assert not found.whole
    assert len(found.rows) == 500 < found.seen < 10_000
    whole = {row[0]: row for row in rows}
    columns = [column.fill_null("").to_pylist() for column in found.columns.values()]
    taken = [list(row) for row in zip(*columns, strict=True)]
    assert all(whole[row[0]] == row for row in taken)
    assert sum(row[2] != "" for row in taken) >= 3
    known = [(number, row) for number, row in zip(found.rows, taken, strict=True) if number >= 0]
    assert known
    assert all(rows[number] == row for number, row in known)
    numbers = sorted(int(row[0]) for row in taken)
    assert max(after - before for before, after in pairwise(numbers)) < 5_500


@pytest.mark.usefixtures("small_limits")
def test_records_that_cannot_be_found_let_the_whole_file_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    long = [[str(number), "x" * 30_000] for number in range(30)]  # records longer than a stretch
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in long))
    found = sample_file(path, 100)
    assert (found.whole, found.seen) == (True, 30)
    path.write_text("a,b\n" + "1,2\n" * 60_000 + "1,2,3\n")
    with pytest.raises(FileError, match=r"row 60001 .*3 fields, not 2"):
        sample_file(path, 100)
    path.write_bytes(b"a,b\n" + b"1,2\n" * 60_000 + b"1,\xff\n")
    with pytest.raises(FileError, match=r"row 60001 .*not UTF-8"):
        sample_file(path, 100)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("x,1\n2,3\n4,5\n", "2"),
        ('b","c"\n"d","e"\n"f","g"\n', "d"),  # in a quoted field, without line ends
        ('b\n","c"\n"d","e"\n"f","g"\n', "d"),  # in a quoted field, behind its line end
        ('x,"a\nb"\nc,d\ne,f\n', "c"),  # a quoted field follows
        ("x,1\r2,3\r4,5\r", "2"),
        ("x,1\r\n2,3\r\n4,5\r\n", "2"),
    ],
)
def test_the_first_record_of_a_stretch(tmp_path: Path, text: str, first: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    with FileIO(path) as stream:
        found = read_stretch(stream, 0, len(text), COMMAS, 2)
    values = found[0].to_pylist()
    assert first in values[:2]
    assert set(values) <= set("2468cdef")


@pytest.mark.parametrize(
    "text", ["x", "x,1\n2\n3\n", 'a,b\nc,d\n",","\n",","\n', "a,b\n1,2,3\n", "a,b\n1,\xff\n"]
)
def test_stretches_without_a_sure_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode("latin-1"))
    with FileIO(path) as stream, pytest.raises(UnsureError):
        read_stretch(stream, 0, 10**6, COMMAS, 2)


@pytest.mark.parametrize("large", [False, True])
def test_every_row_group_of_parquet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr(sample, "WHOLE_BYTES", 1000)
    count = 40_000
    late: list[str | None] = [None] * count
    late[count - 1] = "123456789"  # the last row of the last row group
    table = pa.table(
        {
            "id": list(range(count)),
            "group": [number // 4000 for number in range(count)],
            "ssn": pa.array(late).dictionary_encode(),
            "nested": [{"a": 1}] * count,
            "never": pa.nulls(count, pa.string()),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=4000)
    found = sample_file(tmp_path / "x.parquet", 400)
    assert found.whole != large
    assert len(found.rows) == 400
    assert found.seen == (10 * GROUP_ROWS + 4000 if large else count)
    assert set(found.columns["group"].to_pylist()) == set(range(10))
    assert found.columns["ssn"].drop_null().to_pylist() == ["123456789"]
    assert found.columns["id"].to_pylist() == found.rows.tolist()
    assert found.columns["nested.a"].to_pylist() == [1] * 400


def test_a_reservoir_is_even_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    reservoir = Reservoir(1, 1000)
    for first in range(0, 100_000, 1000):
        reservoir.add([pa.array(range(first, first + 1000))], first)
    rows, (column,) = reservoir.result()
    assert column.to_pylist() == rows.tolist()
    assert len(rows) == 1000
    assert rows.tolist()[:50] == list(range(50))  # the first values
    tenths = [
        sum(part * 10_000 <= row < (part + 1) * 10_000 for row in rows[50:]) for part in range(10)
    ]
    assert all(60 < part < 130 for part in tenths)
    monkeypatch.setattr("tallystick.files.reservoir.MOST_BYTES", 10_000)
    reservoir = Reservoir(1, 1000)
    for first in range(100):
        reservoir.add([pa.array(["x" * 1000] * 100)], first)
    assert 5 <= len(reservoir.result()[0]) <= 10
