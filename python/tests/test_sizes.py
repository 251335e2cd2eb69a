# SPDX-License-Identifier: Apache-2.0
"""Files of unusual sizes, and memory that does not grow; tests/size.py has those of gigabytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from peak import measured, peak
from tallystick.errors import FileError, InvalidValueError
from tallystick.files.sizes import decoded_bytes, longest
from tallystick.policy import Policy
from tallystick.protection import RunOptions, RunReport, protect_file, reveal_file


def test_bytes_of_all_types() -> None:
    text = pa.array(["abc", None, "abcd"])
    names = text.dictionary_encode()
    keys = pa.array(["x", "y", "z"]).dictionary_encode()
    maps = pa.MapArray.from_arrays([0, 2, 3], keys, names)
    lists = pa.ListArray.from_arrays([0, 2, 3], names)
    struct = pa.StructArray.from_arrays([names], ["a"])
    assert decoded_bytes(maps) > 7 + 3 and decoded_bytes(lists) > 7 and decoded_bytes(struct) > 7
    assert longest(maps) == longest(lists) == longest(struct) == 4


KINDS = ["csv", "parquet"]


class Place:
    """A folder with a key ring, and files protected and revealed in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ring = make_ring(folder / "keys", "k")

    def write(self, kind: str, columns: dict[str, list[str]]) -> Path:
        path = self.folder / f"in.{kind}"
        table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        if kind == "parquet":
            pq.write_table(table, path)
        else:
            with path.open("w") as file:
                file.write(",".join(columns) + "\n")
                file.writelines(",".join(row) + "\n" for row in zip(*columns.values(), strict=True))
        return path

    def there_and_back(self, path: Path, rules: dict[str, str]) -> RunReport:
        """Protect a file and reveal it; each rule is a column's, without key and namespace."""
        lines = [
            f'{name} = {{ {rule}, key = "k:1", namespace = "d" }}' for name, rule in rules.items()
        ]
        policy = Policy.parse("[columns]\n" + "\n".join(lines))
        tokens, back = (path.with_name(f"{name}{path.suffix}") for name in ("tokens", "back"))
        report = protect_file(path, tokens, policy, self.ring, RunOptions(overwrite=True))
        reveal_file(tokens, back, policy, self.ring, RunOptions(overwrite=True))
        if path.suffix == ".csv":
            assert back.read_bytes() == path.read_bytes()
        else:
            assert pq.read_table(back).equals(pq.read_table(path))
        if report.rows:
            assert tokens.read_bytes() != path.read_bytes()
        return report


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_columns(place: Place, kind: str) -> None:
    names = [f"c{number}" for number in range(2000)]
    columns = {name: [f"{row}{name[1:]:0>9}" for row in range(1, 6)] for name in names}
    path = place.write(kind, columns)
    report = place.there_and_back(path, dict.fromkeys(names, 'format = "digits"'))
    assert (report.rows, len(report.columns)) == (5, 2000)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_of_a_megabyte(place: Place, kind: str) -> None:
    """It passes through, or is invalid: no word has so many symbols."""
    cell = "0123456789" * 100_000
    path = place.write(kind, {"a": ["123456", "333666", "654321"], "b": ["x", "y", cell]})
    rules = {"a": 'format = "digits"'}
    assert place.there_and_back(path, rules).rows == 3
    path = place.write(kind, {"a": ["123456", cell, "654321"]})
    with pytest.raises(
        InvalidValueError, match=r"row 2.*more symbols than the format allows \(max_length\)"
    ):
        place.there_and_back(path, rules)
    report = place.there_and_back(path, {"a": 'format = "digits", on_invalid = "keep"'})
    assert report.columns["a"].invalid.total() == 1


def test_an_empty_file(place: Place, tmp_path: Path) -> None:
    policy = Policy.parse('[columns]\na = { format = "digits", key = "k:1", namespace = "d" }')
    for kind, message in (("csv", "the file is empty"), ("parquet", "not a Parquet file")):
        empty = tmp_path / f"empty.{kind}"
        empty.write_bytes(b"")
        with pytest.raises(FileError, match=message):
            protect_file(empty, tmp_path / f"new.{kind}", policy, place.ring)
        assert not (tmp_path / f"new.{kind}").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_header_and_no_rows(place: Place, kind: str) -> None:
    path = place.write(kind, {"a": [], "b": []})
    assert place.there_and_back(path, {"a": 'format = "digits"'}).rows == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_lengths(place: Place, kind: str) -> None:
    """Each length is a cipher of its own; `make size` has ten thousand."""
    values = ["7" * length for length in range(6, 1006)]
    path = place.write(kind, {"a": values})
    assert place.there_and_back(path, {"a": 'format = "digits"'}).rows == 1000


GROWTH = """
import sys
import pyarrow as pa
import tallystick as ts

rounds = int(sys.argv[1])
rows = 50_000
tokenizer = ts.Tokenizer(ts.formats.digits(), bytes(32), namespace="d")
values = pa.array(["1234567890"] * rows)
for number in range(rounds):
    tweaks = pa.array([f"tweak {number * rows + row}" for row in range(rows)])
    tokens = tokenizer.protect(values, tweaks)
    assert len(tokens) == rows
"""


@pytest.mark.slow
def test_a_million_tweaks_take_no_memory(tmp_path: Path) -> None:
    """All different; the first tenth of them takes what all take."""

    def peak_of(rounds: int) -> int:
        report = tmp_path / "peak"
        command = measured([sys.executable, "-c", GROWTH, str(rounds)], report)
        subprocess.run(command, check=True)
        return peak(report)

    few, many = peak_of(2), peak_of(20)
    print(f"{few} MiB, {many} MiB")
    assert many < few + 16, "100 bytes for each tweak would be 86 MiB"
