# SPDX-License-Identifier: Apache-2.0
"""Objects of a real S3 server as source and target, by the installed program."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from program import PROGRAM
from remote_support import PEOPLE, Home
from s3_server import ACCESS, SECRET

LARGE = 2_000_000
"""Rows of 18 MB: more than S3's smallest part."""


def test_csv_there_and_back(home: Home) -> None:
    done = home.tally("protect", "people.csv", home.url("a/tokens.csv"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"protect: 1,000 rows" in done.stderr
    assert home.objects() == {"a/tokens.csv", "a/tokens.csv.tallystick.json"}
    again = home.tally("protect", home.url("a/tokens.csv"), home.url("twice.csv"))
    assert again.returncode != 0, "the marker says that it is protected already"
    tokens = (home.bucket / "a/tokens.csv").read_bytes()
    assert len(tokens) == len(PEOPLE)
    assert tokens != PEOPLE
    local = home.files / "local.csv"
    assert home.tally("protect", "people.csv", "local.csv", "--overwrite").returncode == 0
    assert local.read_bytes() == tokens
    turned = home.tally(
        "rotate", home.url("a/tokens.csv"), home.url("b.csv"), "--key", "people:1=people:2"
    )
    assert turned.returncode == 0
    assert (home.bucket / "b.csv").read_bytes() != tokens
    back = home.tally("reveal", home.url("a/tokens.csv"), home.url("back.csv"), "--quiet")
    assert back.returncode == 0
    assert (home.bucket / "back.csv").read_bytes() == PEOPLE
    assert f"warning: {home.url('back.csv')} has plaintext values" in back.stderr.decode()


def test_compressed_csv_there_and_back(home: Home) -> None:
    (home.bucket / "people.csv.gz").write_bytes(gzip.compress(PEOPLE))
    there = home.tally("protect", home.url("people.csv.gz"), home.url("tokens.csv.gz"))
    assert there.returncode == 0
    assert (
        home.tally("reveal", home.url("tokens.csv.gz"), "back.csv", "--overwrite").returncode == 0
    )
    assert (home.files / "back.csv").read_bytes() == PEOPLE
    tokens = gzip.decompress((home.bucket / "tokens.csv.gz").read_bytes())
    assert tokens != PEOPLE


def test_parquet_there_and_back(home: Home) -> None:
    there = home.tally("protect", "people.parquet", home.url("tokens.parquet"))
    assert there.returncode == 0
    there = home.tally("reveal", home.url("tokens.parquet"), home.url("back.parquet"))
    assert there.returncode == 0
    original = pq.read_table(home.files / "people.parquet")
    assert pq.read_table(home.bucket / "back.parquet").equals(original)
    tokens = pq.read_table(home.bucket / "tokens.parquet")
    assert tokens.column("id") != original.column("id")
    assert tokens.column("note") == original.column("note")


def test_preview_inspect_and_check(home: Home) -> None:
    (home.bucket / "people.csv").write_bytes(PEOPLE)
    shown = home.tally("preview", home.url("people.csv"), "--json", "-n", "1")
    assert json.loads(shown.stdout)["columns"]["id"]["before"] == ["1234567"]
    found = json.loads(home.tally("inspect", home.url("people.csv"), "--json").stdout)
    assert [column["column"] for column in found["columns"]] == ["id", "note"]
    checked = json.loads(home.tally("check", home.url("people.csv"), "--json").stdout)
    assert (checked["ok"], checked["rows"]) == (True, 1000)


def test_an_object_is_replaced_only_when_asked(home: Home) -> None:
    (home.bucket / "old.csv").write_bytes(b"old")
    refused = home.tally("protect", "people.csv", home.url("old.csv"))
    assert refused.returncode == 6
    assert f"{home.url('old.csv')} exists; " in refused.stderr.decode()
    assert (home.bucket / "old.csv").read_bytes() == b"old"
    assert home.tally("protect", "people.csv", home.url("old.csv"), "--overwrite").returncode == 0
    tokens = (home.bucket / "old.csv").read_bytes()
    assert len(tokens) == len(PEOPLE)
    inplace = home.tally("reveal", home.url("old.csv"), home.url("old.csv"), "--overwrite")
    assert inplace.returncode == 0
    assert (home.bucket / "old.csv").read_bytes() == PEOPLE


@pytest.mark.parametrize("rows", [1000, LARGE])
def test_a_failure_leaves_nothing_and_the_old_object(home: Home, tmp_path: Path, rows: int) -> None:
    """Pyarrow completes an upload that is forgotten; ours must not."""
    source = tmp_path / "bad.csv"
    source.write_bytes(b"id,note\n" + b"1234567,a\n" * rows + b"secretvalue,a\n")
    (home.bucket / "old.csv").write_bytes(b"old")
    for key, more in (("new.csv", ()), ("old.csv", ("--overwrite",))):
        done = home.tally("protect", str(source), home.url(key), *more)
        text = done.stderr.decode()
        assert done.returncode == 5
        assert f"row {rows + 1}" in text
        assert "secretvalue" not in text
        assert ("an unfinished upload" in text) == (rows == LARGE)
    assert home.objects() == {"old.csv"}
    assert (home.bucket / "old.csv").read_bytes() == b"old"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_the_old_object(home: Home, number: signal.Signals) -> None:
    (home.bucket / "old.csv").write_bytes(b"old")
    process = subprocess.Popen(
        [PROGRAM, "protect", "-", home.url("old.csv"), "--overwrite", "-t", "1"],
        cwd=home.files,
        env=home.variables(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(b"id,note\n" + b"1234567,a\n" * LARGE)
    process.stdin.flush()
    end = time.monotonic() + 30
    while not any(path.is_file() for path in (home.bucket / ".sgwtmp").rglob("*")):
        assert time.monotonic() < end, "no part was uploaded"
        time.sleep(0.02)
    process.send_signal(number)
    code = process.wait(timeout=30)
    process.stdin.close()
    text = process.stderr.read().decode()
    process.stderr.close()
    assert code == (143 if number == signal.SIGTERM else -9)
    assert ("an unfinished upload" in text) == (number == signal.SIGTERM)
    assert home.objects() == {"old.csv"}
    assert (home.bucket / "old.csv").read_bytes() == b"old"


def test_a_source_that_changes_is_refused(home: Home) -> None:
    rows = b"id,note\n" + b"1234567,a\n" * LARGE
    (home.bucket / "in.csv").write_bytes(rows)
    # The server tells versions of a file in its folder apart by their time alone, in whole seconds.
    os.utime(home.bucket / "in.csv", (time.time() - 60,) * 2)
    process = subprocess.Popen(
        [PROGRAM, "protect", home.url("in.csv"), "-", "-t", "1"],
        cwd=home.files,
        env=home.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(1000)
    (home.bucket / "in.csv").write_bytes(rows.replace(b",a", b",b"))
    _, text = process.communicate(timeout=60)
    assert process.returncode == 6
    assert f"{home.url('in.csv')}: was changed while it was read" in text.decode()


def test_what_is_missing(home: Home) -> None:
    for arguments in (
        ("protect", home.url("none.csv"), "a.csv"),
        ("protect", "s3://no-such-bucket/none.csv", "a.csv"),
        ("inspect", home.url("none.csv")),
    ):
        done = home.tally(*arguments)
        assert done.returncode == 6
        assert "there is no such object, or no such bucket" in done.stderr.decode()
    done = home.tally("protect", "people.csv", "s3://no-such-bucket/a.csv")
    assert done.returncode == 6
    assert "there is no such bucket" in done.stderr.decode()
    assert not (home.files / "a.csv").exists()


def test_wrong_credentials(home: Home) -> None:
    (home.bucket / "people.csv").write_bytes(PEOPLE)
    wrong = "made-up-and-wrong"
    for arguments in (
        ("protect", home.url("people.csv"), "a.csv"),
        ("protect", "people.csv", home.url("a.csv")),
    ):
        done = home.tally(*arguments, AWS_SECRET_ACCESS_KEY=wrong)
        assert done.returncode == 6
        text = done.stderr.decode()
        assert "access is denied; check the credentials" in text
        assert "AWS Error" not in text
        for secret in (ACCESS, SECRET, wrong):
            assert secret not in text
    assert home.objects() == {"people.csv"}


def test_a_server_that_is_not_there(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    begun = time.monotonic()
    done = home.tally("check", home.url("a.csv"), AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    assert done.returncode == 6
    assert "the server can't be reached, or does not answer" in done.stderr.decode()
    assert time.monotonic() - begun < 10
    mended = home.url("a.csv") + f"?endpoint_override=127.0.0.1:{home.port}&scheme=http"
    done = home.tally("protect", "people.csv", mended, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    assert done.returncode == 0
    assert home.objects() >= {"a.csv"}


def test_an_endpoint_with_credentials_is_not_shown(home: Home) -> None:
    done = home.tally("check", home.url("a.csv"), AWS_ENDPOINT_URL="http://me:hunter2@127.0.0.1")
    assert done.returncode == 6
    assert b"hunter2" not in done.stderr
    assert b"AWS_ENDPOINT_URL must be" in done.stderr


def test_the_client_is_loaded_only_for_an_address(home: Home) -> None:
    code = "import sys; from tallystick.cli.main import run; run(sys.argv[1:]); print(*sys.modules)"
    for source, loaded in (("people.csv", False), (home.url("none.csv"), True)):
        done = subprocess.run(
            [sys.executable, "-c", code, "check", source],
            cwd=home.files,
            env=home.variables(),
            capture_output=True,
            text=True,
        )
        modules = done.stdout.splitlines()[-1].split()
        assert ("tallystick.files.s3" in modules) == loaded
        assert "fsspec" not in modules
