# SPDX-License-Identifier: Apache-2.0
"""Several sources and folders with --to: the structure stays, and --resume goes on."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from program import set_defaults
from tallystick.cli.main import run

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
"""
CSV = "id,note\n1234567,a\n7654321,b\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.toml").write_text(POLICY)
    make_ring(tmp_path / "people.keys", "people")
    monkeypatch.chdir(tmp_path)
    set_defaults(monkeypatch, "people.toml", "people.keys")
    data = tmp_path / "data"
    (data / "2025" / "01").mkdir(parents=True)
    (data / "a.csv").write_text(CSV)
    (data / "2025" / "b.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    (data / "2025" / "01" / "c.ndjson").write_text('{"id": "1234567"}\n')
    pq.write_table(pa.table({"id": ["1234567"]}), data / "2025" / "d.parquet")
    return tmp_path


FILES = ["2025/01/c.ndjson", "2025/b.csv.gz", "2025/d.parquet", "a.csv"]


def made(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".tallystick.json")
    )


def test_a_folder_there_and_back(place: Path, capsys: Captured) -> None:
    assert run(["protect", "data", "--to", "tokens"]) == 0
    err = capsys.readouterr().err
    assert made(place / "tokens") == FILES
    assert err.splitlines()[-1].startswith("protect: 4 files, 6 rows in ")
    assert "1234567" not in (place / "tokens" / "a.csv").read_text()
    assert run(["reveal", "tokens", "--to", "back/of/it"]) == 0
    back = place / "back" / "of" / "it"
    assert made(back) == FILES
    assert (back / "a.csv").read_text() == CSV
    assert gzip.decompress((back / "2025" / "b.csv.gz").read_bytes()).decode() == CSV
    for folder in (place / "back", back, back / "2025" / "01"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700  # revealed values are below


def test_files_and_folders_together(place: Path, capsys: Captured) -> None:
    (place / "e.csv").write_text(CSV)
    assert run(["protect", "e.csv", "data/2025", "--to", "out", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["target"] for line in lines] == [
        "out/e.csv",
        "out/b.csv.gz",
        "out/d.parquet",
        "out/01/c.ndjson",
    ]
    assert all(line["command"] == "protect" for line in lines)
    assert run(["protect", "data", "--to", "parquet", "--type", "parquet", "-q"]) == 0
    assert made(place / "parquet") == ["2025/d.parquet"]


def test_an_error_stops_and_resume_goes_on(place: Path, capsys: Captured) -> None:
    bad = place / "data" / "2025" / "b.csv.gz"
    good = bad.read_bytes()
    bad.write_bytes(gzip.compress(b"id,note\nx,a\n"))
    assert run(["protect", "data", "--to", "out"]) == 5
    err = capsys.readouterr().err
    assert "stopped at data/2025/b.csv.gz: 1 of 4 files done" in err
    assert made(place / "out") == ["a.csv"]
    bad.write_bytes(good)
    assert run(["protect", "data", "--to", "out"]) == 6  # a target exists
    assert "out/a.csv exists" in capsys.readouterr().err
    first = (place / "out" / "a.csv").stat()
    assert run(["protect", "data", "--to", "out", "--resume"]) == 0
    assert "protect: 3 files, 1 done before, " in capsys.readouterr().err
    assert made(place / "out") == FILES
    assert (place / "out" / "a.csv").stat().st_mtime_ns == first.st_mtime_ns
    assert run(["protect", "data", "--to", "out", "--resume"]) == 0
    assert "protect: 0 files, 4 done before" in capsys.readouterr().err


def test_a_source_that_changed_after_its_target_is_done_again(place: Path) -> None:
    assert run(["protect", "data", "--to", "out", "-q"]) == 0
    (place / "data" / "a.csv").write_text(CSV + "1111111,c\n")
    later = (place / "out" / "a.csv").stat().st_mtime_ns + 10**9
    os.utime(place / "data" / "a.csv", ns=(later, later))
    old = (place / "out" / "2025" / "d.parquet").stat().st_mtime_ns
    assert run(["protect", "data", "--to", "out", "--resume", "-q"]) == 0
    assert (place / "out" / "a.csv").read_text().count("\n") == 4
    assert (place / "out" / "2025" / "d.parquet").stat().st_mtime_ns == old


def test_what_is_left_out_is_named_but_ours(place: Path, capsys: Captured) -> None:
    (place / "data" / "README").write_text("about")
    (place / "data" / ".a.csv.0123456789abcdef.part").write_text("half")
    assert run(["protect", "data", "--to", "data/out"]) == 0  # below the source, and not read
    assert "warning: skipped 1 file of unknown type: data/README" in capsys.readouterr().err
    assert made(place / "data" / "out") == FILES
    assert run(["protect", "data", "--to", "data/out", "--resume"]) == 0
    assert made(place / "data" / "out") == FILES


def test_links_to_folders_are_named(place: Path, capsys: Captured) -> None:
    (place / "more").mkdir()
    (place / "more" / "e.csv").write_text(CSV)
    (place / "data" / "linked").symlink_to(place / "more")
    assert run(["protect", "data", "--to", "tokens"]) == 0
    assert "warning: skipped 1 link to a folder: data/linked" in capsys.readouterr().err
    assert made(place / "tokens") == FILES


def test_columns_in_names_of_folders(place: Path, capsys: Captured) -> None:
    for folder in ("city=Vienna", "city=Graz/d%20ay=1"):
        (place / "parts" / folder).mkdir(parents=True)
        (place / "parts" / folder / "a.csv").write_text(CSV)
    run_it = ["protect", "parts", "--quiet", "--to"]
    assert run([*run_it, "kept"]) == 0
    err = capsys.readouterr().err
    assert "in clear in names of folders: 'city', 'd ay' (2 columns)" in err
    assert "Vienna" not in err
    assert run([*run_it, "strict", "--strict"]) == 3
    assert "does not name 'city', 'd ay' (2 columns)" in capsys.readouterr().err
    policy = 'keep = ["city", "d ay", "note"]\nunlisted = "error"\n'
    (place / "people.toml").write_text(policy + POLICY)
    assert run([*run_it, "named"]) == 0
    assert "folders" not in capsys.readouterr().err
    (place / "people.toml").write_text(POLICY + POLICY.replace("[columns]\nid", "city"))
    assert run([*run_it, "protected", "--ignore-missing"]) == 3
    err = capsys.readouterr().err
    assert "names of folders have values of 'city' (1 column)" in err
    assert "Vienna" not in err
    assert not (place / "protected").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["data/a.csv"], 2, "pass SOURCE and TARGET"),
        (["a", "b", "c"], 2, "or sources and --to FOLDER"),
        (["data/a.csv", "out.csv", "--resume"], 2, "--resume needs --to"),
        (["-", "--to", "out"], 2, "--to takes local files and folders"),
        (["data", "--to", "out", "--report", "r.html"], 2, "--report covers one file"),
        (["data", "--to", "data"], 6, "is the source too"),
        (["data", "data/a.csv", "--to", "out"], 6, "would have the same target out/a.csv"),
        (["none", "--to", "out"], 6, "No such file"),
        (["people.toml", "--to", "out"], 6, "the kind of file is unknown"),
        (["data/2025/01", "--type", "csv", "--to", "out"], 6, "no file of a known type there"),
    ],
)
def test_what_does_not_go_together(
    place: Path, capsys: Captured, arguments: list[str], code: int, message: str
) -> None:
    assert run(["protect", *arguments]) == code
    assert message in capsys.readouterr().err
    assert not (place / "out").exists()
