# SPDX-License-Identifier: Apache-2.0
"""Objects as the library writes them: complete or not at all, with their markers."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence
from pathlib import Path

import fsspec
import pytest

from remote_support import PEOPLE, Home
from s3_server import environment
from tallystick.errors import FileError
from tallystick.files import Address, FileOptions, stored_of, transform_file
from tallystick.files.marker import OpenGate, read_sidecar
from tallystick.files.objects import complete_object, store_of
from toy_jobs import EachValue


class Gate(OpenGate):
    """Gives a marker."""

    def __init__(self, marker: bytes | None) -> None:
        self.given = marker
        self.found: bytes | None = None

    def marker(self, found: bytes | None) -> bytes | None:
        self.found = found
        return self.given

    def columns(self, names: Sequence[str]) -> None:
        pass


@pytest.fixture(params=["s3", "memory"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Address:
    """Give an address at which nothing is: of a real server, and of fsspec's."""
    if request.param == "memory":
        found = stored_of(f"memory://bucket/{abs(hash(request.node.nodeid))}.csv")
    else:
        home: Home = request.getfixturevalue("home")
        for name, value in environment(home.port).items():
            monkeypatch.setenv(name, value)
        found = stored_of(home.url("a.csv"))
    assert isinstance(found, Address)
    return found


def content(place: Address) -> bytes | None:
    store = store_of(place)
    if store.state() is None:
        return None
    with store.open() as stream:
        return stream.read()


def write(place: Address, data: bytes) -> None:
    with complete_object(place, overwrite=True) as sink:
        sink.write(data)


@pytest.mark.parametrize("size", [10, 20_000_000])
def test_what_fails_never_appears(
    place: Address, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Pyarrow makes an object of a stream that is forgotten, of what was written so far."""
    for old in (None, b"old"):
        if old is not None:
            write(place, old)
        with pytest.raises(KeyError), complete_object(place, overwrite=True) as sink:
            sink.write(b"x" * size)
            raise KeyError
        del sink
        gc.collect()
        assert content(place) == old
        if place.scheme == "memory":
            listed = fsspec.filesystem("memory").find("/bucket")
            assert not [name for name in listed if name.endswith(".part")]
    reported = [
        record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING
    ]
    unfinished = place.scheme == "s3" and size > 10
    assert [("an unfinished upload" in text) for text in reported] == [True] * (2 * unfinished)


def test_somebody_else_is_faster(place: Address) -> None:
    with pytest.raises(FileError, match="exists"), complete_object(place, overwrite=False) as sink:
        sink.write(b"mine")
        write(place, b"theirs")
    assert content(place) == b"theirs"


def test_reading_notices_a_change(place: Address, tmp_path: Path) -> None:
    class Meddler(EachValue):
        def apply(self, *given: object) -> object:
            write(place, PEOPLE.replace(b"1234567", b"7654321"))
            return given[0]

    write(place, PEOPLE)
    with pytest.raises(FileError, match="was changed while it was read"):
        transform_file(place, tmp_path / "out.csv", [Meddler("id")], private=True)
    assert not (tmp_path / "out.csv").exists()


def test_the_marker_is_an_object_beside(place: Address, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(PEOPLE)
    gate = Gate(b'{"a": 1}')
    transform_file(source, place, [EachValue("id")], private=False, gate=gate)
    assert content(place) == PEOPLE
    assert content(place.beside(".tallystick.json")) == read_sidecar(place) == gate.given
    again = Gate(None)
    transform_file(place, tmp_path / "out.csv", [EachValue("id")], private=False, gate=again)
    assert again.found == gate.given
    with pytest.raises(FileError, match=r"a.csv exists|\d+.csv exists"):
        transform_file(source, place, [EachValue("id")], private=False)
    store_of(place).delete()
    with pytest.raises(FileError, match=r"tallystick\.json exists"):
        transform_file(source, place, [EachValue("id")], private=False)
    transform_file(
        source, place, [EachValue("id")], FileOptions(overwrite=True), private=False, gate=again
    )
    assert read_sidecar(place) is None, "an old marker says nothing of a new object"


def test_a_record_is_placed_by_its_line(place: Address, tmp_path: Path) -> None:
    write(place, b"id,note\n1,a\n\xff,b\n")
    with pytest.raises(FileError, match=r"row 2 \(line 3\): not UTF-8"):
        transform_file(place, tmp_path / "out.csv", [EachValue("id")], private=False)
