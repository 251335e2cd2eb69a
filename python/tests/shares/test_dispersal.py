# SPDX-License-Identifier: Apache-2.0
"""Dispersal of files: beside a second implementation, with damage of every kind, and no traces."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import random
from pathlib import Path
from typing import BinaryIO, cast

import pytest

import shares_model as model
from backends import Backend, each
from full_disk import fail_after
from tallystick import shares
from tallystick.errors import FileError, NotEnoughSharesError, ParameterError, ShareError
from tallystick.shares import Verdict, dispersal, printed
from vectors import load

RECORD = 16404


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, and batches so small that files have several."""
    monkeypatch.setattr(dispersal, "BATCH_BYTES", 2 * 3 * 16384)
    return tmp_path


def dispersed(folder: Path, size: int, threshold: int = 3, count: int = 5) -> list[Path]:
    data = random.Random(size).randbytes(size)  # noqa: S311
    (folder / "data").write_bytes(data)
    paths = [folder / f"{index}.share" for index in range(1, count + 1)]
    shares.disperse(folder / "data", paths, threshold=threshold, label="payroll", overwrite=True)
    return paths


def recovered(folder: Path, paths: list[Path]) -> shares.Recovered:
    result = shares.recover(paths, folder / "back", overwrite=True)
    assert (folder / "back").read_bytes() == (folder / "data").read_bytes()
    assert result.size == (folder / "data").stat().st_size
    return result


def change(path: Path, at: int, *, size: int = 1) -> None:
    content = bytearray(path.read_bytes())
    for place in range(at, at + size):
        content[place] ^= 0x55
    path.write_bytes(content)


@each
def test_the_model_and_the_vectors_agree(tmp_path: Path, backend: Backend) -> None:
    for case in load("dispersal"):
        if case["size"] > 60_000:
            continue  # the model is slow; test_dispersal.c reads them all
        data = bytes((b * b // 7 + b // 256) & 255 for b in range(case["size"]))
        entropy, salt, label = (bytes.fromhex(case[key]) for key in ("entropy", "salt", "label"))
        ours = model.disperse(data, case["threshold"], case["count"], label, entropy, salt)
        assert hashlib.sha256(b"".join(ours)).hexdigest() == case["digest"]
        assert not case["shares"] or [share.hex() for share in ours] == case["shares"]
        paths = [tmp_path / str(index) for index in range(case["count"])]
        for path, share in zip(paths, ours, strict=True):
            path.write_bytes(share)
        with backend():
            shares.recover(paths[-case["threshold"] :], tmp_path / "back", overwrite=True)
        assert (tmp_path / "back").read_bytes() == data


@pytest.mark.parametrize("size", [0, 1, 48, 49, 49152, 49153, 2 * 49152, 5 * 49152 + 77])
def test_any_three_of_five(folder: Path, size: int) -> None:
    paths = dispersed(folder, size)
    chance = random.Random(1)  # noqa: S311
    for count in (3, 3, 4, 5):
        result = recovered(folder, chance.sample(paths, count))
        assert result.found.verdicts == (Verdict.GOOD,) * count
        assert not any(result.damaged.values())
    assert all(path.stat().st_size <= size // 3 + size // 2000 + 300 for path in paths)
    with pytest.raises(NotEnoughSharesError, match="1 more"):
        shares.recover(paths[3:], folder / "none")
    assert not (folder / "none").exists()


def test_modes_and_traces(folder: Path) -> None:
    paths = dispersed(folder, 100_000)
    recovered(folder, paths[:3])
    if os.name == "posix":
        assert {path.stat().st_mode & 0o777 for path in [*paths, folder / "back"]} == {0o600}
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["data", "back", *(path.name for path in paths)]
    )


class Pipe(io.RawIOBase):
    """Gives a few bytes at a time, and can't seek."""

    left = 100_000

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        count = min(self.left, 1000, len(into))
        into[:count] = b"x" * count
        self.left -= count
        return count


def test_a_stream_is_read_once(folder: Path) -> None:
    paths = [folder / str(index) for index in range(3)]
    shares.disperse(Pipe(), paths, threshold=2)  # type: ignore[arg-type]
    shares.recover(paths[1:], folder / "back")
    assert (folder / "back").read_bytes() == b"x" * 100_000


def test_damaged_parts_are_replaced_and_counted(folder: Path) -> None:
    paths = dispersed(folder, 5 * 49152 + 77)
    head = shares.read(paths[0].read_bytes()).size
    change(paths[0], head + RECORD + 5)  # stripe 1
    change(paths[1], head + 2 * RECORD, size=4)  # stripe 2, its head
    change(paths[2], head + 2 * RECORD + 16390)  # stripe 2, its tag
    assert recovered(folder, [*paths[:3], paths[4], paths[3]]).damaged[1] == 1
    result = shares.verify(paths)
    assert result.damaged == {1: 1, 2: 1, 3: 1, 4: 0, 5: 0}
    assert result.stripes == 6
    with pytest.raises(ShareError, match=r"stripe 3 .*shares 2, 3"):
        shares.recover([paths[0], paths[1], paths[2], paths[3]], folder / "none")
    assert not (folder / "none").exists()
    with pytest.raises(ShareError, match=r"stripe 2 .*share 1:"):
        shares.recover(paths[:3], folder / "none")


def test_shares_that_are_cut_short_or_go_on(folder: Path) -> None:
    paths = dispersed(folder, 4 * 49152)
    whole = paths[1].read_bytes()
    paths[1].write_bytes(whole[: len(whole) - 2 * RECORD - 1])
    assert shares.verify(paths).damaged == {1: 0, 2: 3, 3: 0, 4: 0, 5: 0}
    recovered(folder, paths)
    with pytest.raises(ShareError, match="stripe 2 "):
        shares.recover(paths[:3], folder / "none")
    for more in (1, RECORD, 3 * RECORD):
        paths[1].write_bytes(whole + bytes(more))
        assert shares.verify(paths).damaged == {1: 0, 2: 1, 3: 0, 4: 0, 5: 0}
        recovered(folder, paths)
        assert recovered(folder, paths[:3]).damaged == {1: 0, 2: 1, 3: 0}


def test_a_damaged_beginning_is_refused(folder: Path) -> None:
    paths = dispersed(folder, 1000)
    change(paths[0], 100)
    (folder / "empty").write_bytes(b"")
    result = recovered(folder, [paths[0], folder / "empty", *paths[1:4]])
    assert result.found.verdicts == (*(Verdict.DAMAGED, Verdict.MALFORMED), *(Verdict.GOOD,) * 3)


def test_shares_of_two_files(folder: Path, tmp_path: Path) -> None:
    paths = dispersed(folder, 1000)
    other = [tmp_path / f"other{index}" for index in range(3)]
    set_id = shares.disperse(io.BytesIO(b"other"), other, threshold=2)
    with pytest.raises(ShareError, match="more than one set"):
        shares.recover(paths + other, folder / "none")
    shares.recover(paths + other, folder / "other", set_id=set_id)
    assert (folder / "other").read_bytes() == b"other"
    assert recovered(folder, [*paths[:3], other[0]]).found.verdicts[3] is Verdict.FOREIGN
    secret = [tmp_path / f"secret{index}" for index in range(2)]
    for path, share in zip(secret, shares.split(b"s", shares=2, threshold=2), strict=True):
        path.write_bytes(share)
    with pytest.raises(ShareError, match="shares of a secret"):
        shares.recover(secret, folder / "none")
    for path in secret:
        path.write_text(printed.encode(path.read_bytes(), []))
    with pytest.raises(ShareError, match=r"shares of a secret.*tallystick\.shares\.combine"):
        shares.recover(secret, folder / "none")
    recovered(folder, [*paths[:3], secret[0]])
    with pytest.raises(ShareError, match=r"of a dispersed file.*tallystick\.shares\.recover"):
        shares.combine([path.read_bytes() for path in paths])


def test_what_is_refused_leaves_nothing(folder: Path) -> None:
    paths = dispersed(folder, 1000)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FileError, match="exists"):
        shares.disperse(folder / "data", [folder / "new", *paths[:1]], threshold=2)
    with pytest.raises(FileError, match="one file"):
        shares.disperse(folder / "data", [folder / "a", folder / "." / "a"], threshold=2)
    with pytest.raises(FileError, match="can't be read"):
        shares.disperse(folder / "absent", [folder / "a", folder / "b"], threshold=2)
    with pytest.raises(ParameterError, match="threshold 3 of 2"):
        shares.disperse(folder / "data", [folder / "a", folder / "b"], threshold=3)
    with pytest.raises(FileError, match="exists"):
        shares.recover(paths[:3], folder / "data")
    with pytest.raises(FileError, match="can't be read"):
        shares.recover([*paths[:3], folder / "absent"], folder / "none")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_progress_is_reported(folder: Path) -> None:
    (folder / "data").write_bytes(bytes(300_000))
    reported: list[int] = []
    paths = [folder / str(index) for index in range(3)]
    shares.disperse(folder / "data", paths, threshold=2, progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 300_000
    reported.clear()
    shares.recover(paths, folder / "back", progress=reported.append)
    assert len(reported) > 1
    assert reported[-1] == 300_000


def test_another_copy_of_a_damaged_share_is_read(folder: Path) -> None:
    paths = dispersed(folder, 5 * 49152)
    head = shares.read(paths[1].read_bytes()).size
    copies = [folder / name for name in ("copy", "copy of the copy")]
    for number, copy in enumerate(copies):
        copy.write_bytes(paths[1].read_bytes())
        change(copy, head + number * RECORD + 7)
    change(paths[1], head + 4 * RECORD + 7)
    for given in ([*copies, paths[1]], [paths[1], *copies]):
        result = recovered(folder, [paths[0], *given, paths[2]])
        assert result.damaged[2] > 0
        assert result.found.verdicts.count(Verdict.REPEATED) == 2
    for copy in [*copies, paths[1]]:
        change(copy, head + 2 * RECORD + 7)
    with pytest.raises(ShareError, match=r"stripe 3 .*share 2:"):
        shares.recover([paths[0], *copies, paths[1], paths[2]], folder / "none")
    assert not (folder / "none").exists()


@pytest.mark.parametrize("copies", [256, 257, 1022])
def test_any_number_of_copies_is_one_share(folder: Path, copies: int) -> None:
    paths = dispersed(folder, 1000)
    found = recovered(folder, [*[paths[0]] * copies, *paths[1:3]]).found
    assert found.good == 3
    assert found.verdicts.count(Verdict.REPEATED) == copies - 1


def test_a_disk_that_can_not_read_a_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = dispersed(folder, 5 * 49152)
    read = dispersal._read_at

    class Bad:
        def seek(self, place: int) -> int:
            return place

        def readinto(self, into: object) -> int:
            raise OSError(errno.EIO, "Input/output error")

    def read_some(file: io.FileIO, place: int, data: bytearray) -> int:
        bad = Path(str(file.name)) == paths[1] and place > 3 * RECORD
        return read(cast(BinaryIO, Bad() if bad else file), place, data)

    monkeypatch.setattr(dispersal, "_read_at", read_some)
    assert recovered(folder, paths).damaged[2] > 0
    with pytest.raises(ShareError, match=r"share 2:"):
        shares.recover(paths[:3], folder / "none")


def test_memory_does_not_grow_with_the_number_of_shares() -> None:
    record = 16404
    for threshold, count in ((2, 2), (3, 5), (2, 255), (128, 255), (255, 255)):
        stripes = dispersal._batch(threshold * 16384, count)
        assert stripes >= 1
        assert stripes * record * count <= 32 << 20
        assert stripes * threshold * 16384 <= 4 << 20


@pytest.mark.parametrize("size", [1, 31, 33])
def test_a_key_of_another_length_is_no_files(folder: Path, size: int) -> None:
    made = model.split(bytes(size), 2, 3, b"", bytes(16), kind=1)
    paths = [folder / str(index) for index in (1, 2)]
    for path, share in zip(paths, made, strict=False):
        path.write_bytes(share + bytes(100))
    for act in (shares.verify, lambda given: shares.recover(given, folder / "back")):
        with pytest.raises(ShareError, match="broke the rules"):
            act(paths)
    assert not (folder / "back").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
def test_a_pipe_is_no_share_of_a_file(folder: Path) -> None:
    paths = dispersed(folder, 1000)
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    holder = os.open(pipe, os.O_RDWR)
    os.write(holder, paths[0].read_bytes())
    try:
        with pytest.raises(FileError, match="so it can't be a pipe"):
            shares.recover([pipe, *paths[1:]], folder / "back")
    finally:
        os.close(holder)


def test_a_full_disk_leaves_no_share(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "data").write_bytes(bytes(1000))
    paths = [folder / f"{index}.share" for index in range(1, 6)]
    fail_after(2, monkeypatch)
    with pytest.raises(FileError, match="No space left on device; free some space, or choose"):
        shares.disperse(folder / "data", paths, threshold=3)
    assert [path.name for path in folder.iterdir()] == ["data"]


def test_the_secret_of_what_is_no_file_is_wiped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[shares.Combined] = []

    def recovered(given: list[bytearray], set_id: str | None) -> shares.Combined:
        found.append(shares.combine(given, set_id=set_id))
        return found[-1]

    monkeypatch.setattr(dispersal, "recovered", recovered)
    paths = [folder / name for name in "abc"]
    for path, share in zip(paths, shares.split(b"secret", shares=3, threshold=2), strict=True):
        path.write_bytes(share)
    with pytest.raises(ShareError, match=r"tallystick\.shares\.combine"):
        shares.verify(paths)
    assert found[0].secret == bytes(6)
