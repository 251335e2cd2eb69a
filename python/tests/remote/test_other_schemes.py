# SPDX-License-Identifier: Apache-2.0
"""Addresses through fsspec, and addresses that are refused, by the installed program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from remote_support import PEOPLE, Home
from tallystick.errors import ParameterError
from tallystick.files import Address, stored_of
from transit_server import served


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def web(files: Path) -> Iterator[str]:
    """Serve the folder with policy and data, as whole files only."""
    handler = partial(Quiet, directory=str(files))
    with served(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


def test_csv_from_a_web_server(files: Path, web: str, tmp_path: Path) -> None:
    home = Home(files, tmp_path, 1)
    tokens = tmp_path / "tokens.csv"
    done = home.tally("protect", f"{web}/people.csv", str(tokens))
    assert done.returncode == 0
    assert home.tally("reveal", str(tokens), str(tmp_path / "back.csv")).returncode == 0
    assert (tmp_path / "back.csv").read_bytes() == PEOPLE
    assert tokens.read_bytes() != PEOPLE
    assert home.tally("inspect", f"{web}/people.csv").returncode == 0


@pytest.mark.parametrize(
    ("source", "target", "reported"),
    [
        ("WEB/people.parquet", "a.parquet", "Parquet needs random access, but the server"),
        ("WEB/none.csv", "a.csv", "there is no such object"),
        ("people.csv", "WEB/a.csv", "http:// does not support this; save to a file"),
        ("http://127.0.0.1:1/a.csv", "a.csv", "or no such bucket, folder or server"),
        ("nonsense://a/b.csv", "a.csv", "fsspec does not support nonsense://"),
        ("gs://bucket/b.csv", "a.csv", "a package of fsspec for gs:// is missing"),
    ],
)
def test_what_a_server_can_not(
    files: Path, web: str, tmp_path: Path, source: str, target: str, reported: str
) -> None:
    home = Home(files, tmp_path, 1)
    done = home.tally("protect", source.replace("WEB", web), target.replace("WEB", web))
    text = done.stderr.decode()
    assert done.returncode == 6, text
    assert reported in text
    assert "Traceback" not in text
    assert "Unclosed" not in text
    assert not (files / target).exists()


@pytest.mark.parametrize(
    "address",
    [
        "s3://me:hunter2@bucket/a.csv",
        "ftp://me:hunter2@host/a.csv",
        "s3://bucket/a.csv?access_key=me&secret_key=hunter2",
        "s3://bucket/a.csv?endpoint_override=me:hunter2@host",
        "https://host/a.csv?X-Amz-Signature=hunter2",
        "https://host/a.csv?sig=hunter2",
        "simplecache::s3://hunter2/a.csv",
        "s3://hunter2::b/a.csv",
        "s3://hunter2",
        "s3://hunter2/",
        "s3://hunter2/folder/",
        "s3://hunter2/a.csv?",
        "file:///hunter2/a.csv",
    ],
)
def test_refused_addresses_are_not_shown(files: Path, tmp_path: Path, address: str) -> None:
    with pytest.raises(ParameterError) as refused:
        stored_of(address)
    assert "hunter2" not in str(refused.value)
    if "://me" in address:
        home = Home(files, tmp_path, 1)
        for arguments in (("protect", address, "a.csv"), ("inspect", address), ("check", address)):
            done = home.tally(*arguments)
            assert done.returncode == 2
            assert b"hunter2" not in done.stderr + done.stdout


def test_addresses_and_paths_are_distinguished() -> None:
    assert stored_of("a/s3:b.csv") == Path("a/s3:b.csv")
    assert stored_of(Path("s3://bucket/a.csv")) == Path("s3:/bucket/a.csv")
    found = stored_of("S3://bucket/a/b.csv.gz?region=eu-central-1")
    assert isinstance(found, Address)
    assert (found.scheme, found.path, found.name) == ("s3", "bucket/a/b.csv.gz", "b.csv.gz")
    assert found.options == (("region", "eu-central-1"),)
    assert str(found.beside(".x")) == "s3://bucket/a/b.csv.gz.x?region=eu-central-1"


def test_a_folder_of_targets_is_no_address(files: Path, tmp_path: Path) -> None:
    done = Home(files, tmp_path, 1).tally("protect", "people.csv", "--to", "s3://bucket/a")
    assert done.returncode == 2
    assert b"--to takes a local folder" in done.stderr
    assert not (files / "s3:").exists()
