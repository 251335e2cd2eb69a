# SPDX-License-Identifier: Apache-2.0
"""Standard input and output as source and target, by the installed program."""

from __future__ import annotations

import io
import os
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from peak import measured, peak
from program import NO_ROOM, PROGRAM, into_full_device, on_terminal, set_defaults
from tallystick.cli.data_options import source_of

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
"""
PEOPLE = b"id,note\n" + b"".join(b"%07d,a\n" % row for row in range(1_234_567, 1_234_667))
CSV = ["--type", "csv"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("home")
    (place / "people.toml").write_text(POLICY)
    make_ring(place / "people.keys", "people", "people")
    (place / "people.csv").write_bytes(PEOPLE)
    pq.write_table(pa.table({"id": ["1234567", "7654321"]}), place / "people.parquet")
    return place


@pytest.fixture
def place(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    set_defaults(monkeypatch, "people.toml", "people.keys")
    return home


def tally(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *arguments], input=data, capture_output=True, timeout=60)


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_there_and_back_through_pipes() -> None:
    there = tally("protect", "-", "-", *CSV, data=PEOPLE)
    assert there.returncode == 0
    lines = there.stderr.splitlines()
    assert lines[0] == b"warning: not protected, in clear: 'note' (1 column)"
    assert lines[1].startswith(
        b"standard input has no marker: it was not checked whether it is not protected"
    )
    assert lines[2].startswith(b"standard output has no marker")
    assert lines[3].startswith(b"protect: 100 rows, 1 column, 1,008 bytes in")
    assert there.stderr.rstrip().endswith(b"standard output")
    assert b"1234567" not in there.stdout
    assert there.stdout.count(b"\n") == 101
    turned = tally("rotate", "-", "-", "--key", "people:1=people:2", *CSV, data=there.stdout)
    back = tally("rotate", "-", "-", "--key", "people:1=people:2", *CSV, data=there.stdout)
    assert turned.returncode == 0
    assert turned.stdout == back.stdout != there.stdout
    assert tally("reveal", "-", "-", *CSV, data=there.stdout).stdout == PEOPLE


@pytest.mark.slow
def test_a_name_on_one_side_says_the_kind(place: Path, tmp_path: Path) -> None:
    assert tally("protect", "-", str(tmp_path / "a.csv"), data=PEOPLE).returncode == 0
    out = tally("reveal", str(tmp_path / "a.csv"), "-")
    assert out.stdout == PEOPLE
    tabs = PEOPLE.replace(b",", b"\t")
    assert tally("protect", "-", str(tmp_path / "a.tsv"), data=tabs).returncode == 0
    assert tally("reveal", str(tmp_path / "a.tsv"), "-").stdout == tabs
    none = tally("protect", "-", "-", data=PEOPLE)
    assert (none.returncode, none.stdout) == (6, b"")
    assert b"standard input: the kind of data is unknown; pass its type with --type" in none.stderr


@pytest.mark.usefixtures("place")
def test_what_was_written_before_an_error_is_not_called_good() -> None:
    rows = b"".join(b"%07d,a\n" % row for row in range(500_000))
    done = tally("protect", "-", "-", *CSV, "--threads", "1", data=b"id,note\n" + rows + b"x,a\n")
    assert done.returncode == 5
    assert b"standard input: column 'id', row 500001: " in done.stderr
    assert done.stdout.startswith(b"id,note\n")  # it can't be taken back, so the exit code says it
    assert done.stdout.count(b"\n") < 500_001


def test_memory_is_bounded(place: Path) -> None:
    """A stream of 60 MB goes through 30 MiB of room more than a small one takes."""

    def through(rows: int) -> int:
        report = place / "peak"
        process = subprocess.Popen(
            measured([PROGRAM, "protect", "-", "-", *CSV, "-t", "1"], report),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        output = process.stdout
        reader = threading.Thread(
            target=lambda: [None for _ in iter(lambda: output.read(1 << 20), b"")]
        )
        reader.start()
        process.stdin.write(b"id,note\n")
        part = b"1234567,a\n" * 10_000
        for _ in range(rows // 10_000):
            process.stdin.write(part)
        process.stdin.close()
        assert process.wait() == 0
        reader.join()
        output.close()
        return peak(report)

    assert through(6_000_000) < through(10_000) + 30


@pytest.mark.usefixtures("place")
def test_parquet_from_a_file_but_not_from_a_pipe() -> None:
    kind = ["--type", "parquet"]
    with Path("people.parquet").open("rb") as file:
        done = subprocess.run(
            [PROGRAM, "protect", "-", "-", *kind], stdin=file, capture_output=True
        )
    assert done.returncode == 0
    table = pq.read_table(io.BytesIO(done.stdout))
    assert table.column("id").to_pylist() != ["1234567", "7654321"]
    pipe = tally("protect", "-", "-", *kind, data=Path("people.parquet").read_bytes())
    assert (pipe.returncode, pipe.stdout) == (6, b"")
    assert b"standard input: Parquet needs random access, but this is a pipe" in pipe.stderr


@pytest.mark.usefixtures("place")
def test_json_and_data_do_not_share_an_output() -> None:
    done = tally("protect", "people.csv", "-", "--json")
    assert done.returncode == 2
    assert b"--json" in done.stdout
    assert b"123" not in done.stdout


@pytest.mark.usefixtures("place")
def test_nobody_reads_and_no_room() -> None:
    process = subprocess.Popen(
        [PROGRAM, "protect", "people.csv", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    if os.path.exists("/dev/full"):
        assert into_full_device("protect", "people.csv", "-").endswith(NO_ROOM)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_stays_in_clear_is_named_when_a_full_pipe_takes_it(
    monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    """The pipe does not wait, as one that a parent like Node.js shares."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = 0
    with suppress(BlockingIOError):
        while True:
            before += os.write(writing, bytes(512))
    with open(reading, "rb") as pipe:
        process = subprocess.Popen(
            [PROGRAM, "protect", "people.csv", "-"], stdout=subprocess.PIPE, stderr=writing
        )
        os.close(writing)
        assert process.stdout is not None
        assert len(process.stdout.read(len(PEOPLE))) == len(PEOPLE)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        said = pipe.read()[before:]
        assert process.wait(timeout=60) == 0
        process.stdout.close()
    assert said.startswith(b"warning: not protected, in clear: 'note' (1 column)\n")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("closed", ["2>&-", "0<&- 1>&- 2>&-", "1>&-"])
def test_nothing_is_written_for_a_stream_that_is_closed(tmp_path: Path, closed: str) -> None:
    """Messages went to standard output, and standard output into a file of its number."""

    def run(*arguments: str | Path) -> tuple[int, bytes]:
        command = ["sh", "-c", f'exec "$0" "$@" {closed}', str(PROGRAM), "protect", "people.csv"]
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, timeout=60)
        return done.returncode, done.stdout

    target, report = tmp_path / "tokens.csv", tmp_path / "report.html"
    tokens = tally("protect", "people.csv", "-").stdout
    assert run(target) == (0, b"")
    assert target.read_bytes() == tokens
    is_open = "1>" not in closed
    assert run("-", "--report", report) == ((0, tokens) if is_open else (6, b""))
    assert report.exists() == is_open


@pytest.mark.usefixtures("place")
def test_a_terminal_is_no_place_for_what_is_no_text() -> None:
    code, shown = on_terminal(["protect", "people.parquet", "-"])
    assert code == 6
    assert "parquet can't be written to a terminal" in shown


@pytest.mark.usefixtures("place")
def test_preview_reads_a_pipe() -> None:
    done = tally("preview", "-", "-n", "2", *CSV, "--json", data=PEOPLE)
    assert done.returncode == 0
    assert b'"before": ["1234567", "1234568"]' in done.stdout


def test_a_file_may_have_that_name() -> None:
    assert source_of("./-") == Path("-") != source_of("-")
