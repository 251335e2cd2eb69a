# SPDX-License-Identifier: Apache-2.0
"""Writing a key ring: failures at each step, links, locks, and other processes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from keyring_support import CHEAP, PHRASE, Answers, fail_fsync, listing, modes, run_python
from tallystick.errors import KeyringError
from tallystick.keyring import FileRoot, KeyId, Keyring, PassphraseRoot, document, storage
from tallystick.keyring.opened import Opened
from tallystick.keyring.seal import Subkeys


@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt()])
def test_failure_before_the_rename_changes_nothing(
    ring: Keyring, root: FileRoot, tmp_path: Path, call: str, failure: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise failure

    before, names, keys = ring.path.read_bytes(), listing(tmp_path), ring.keys()
    expected = KeyringError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(expected):
            ring.add("people")
        with pytest.raises(expected):
            Keyring.create(tmp_path / "new.ring", root)
    assert ring.path.read_bytes() == before
    assert listing(tmp_path) == names
    assert ring.keys() == keys
    assert ring.add("people") == KeyId("people", 3)


def test_failure_after_the_rename_is_said(
    ring: Keyring, root: FileRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = listing(tmp_path)
    fail_fsync(monkeypatch, failing=2)
    with pytest.raises(KeyringError, match="in place"):
        ring.add("people")
    assert listing(tmp_path) == names
    assert Keyring.open(ring.path, root).keys()[-1].id == KeyId("people", 3)
    assert ring.add("people") == KeyId("people", 4)


def test_directory_that_can_not_be_synced_is_no_failure(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    assert ring.add("people") == KeyId("people", 3)


def test_what_a_killed_process_left_is_removed(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", lambda path, _: made.append(path))
        ring.add("people")
    (left,) = made
    data = left.read_bytes()
    another_rings = tmp_path / f".tallystick-keyring-{'0' * 16}-{'0' * 16}.tmp"
    for path in (left, another_rings):
        path.write_bytes(data)
    ring = Keyring.open(ring.path, root)
    ring.add("people")
    assert not left.exists()
    assert another_rings.exists()


def test_creating_never_overwrites(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    before = ring.path.read_bytes()
    asked = Answers()
    for source in (root, PassphraseRoot(asked)):
        with pytest.raises(KeyringError, match="exists already"):
            Keyring.create(ring.path, source)
    assert asked.prompts == []
    assert ring.path.read_bytes() == before
    with pytest.raises(KeyringError, match="No such file"):
        Keyring.create(tmp_path / "none" / "a.ring", root)


def test_created_meanwhile_is_not_overwritten(root: FileRoot, tmp_path: Path) -> None:
    path = tmp_path / "a.ring"

    def ask(_: str) -> str:
        path.write_text("theirs")
        return PHRASE

    with pytest.raises(KeyringError, match="exists already"):
        Keyring.create(path, PassphraseRoot(ask, n=CHEAP))
    assert path.read_text() == "theirs"


def test_links_are_written_through(root: FileRoot, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "a.ring"
    link.symlink_to("../real/b.ring")
    ring = Keyring.create(link, root)
    ring.add("people")
    assert link.is_symlink()
    assert listing(tmp_path / "links") == {"a.ring"}
    assert listing(tmp_path / "real") == {"b.ring"}
    assert Keyring.open(tmp_path / "real" / "b.ring", root).key("people:1") == ring.key("people:1")


def test_changing_directory_does_not_matter(
    root: FileRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ring = Keyring.create("a.ring", root)
    monkeypatch.chdir("elsewhere")
    ring.add("people")
    assert listing(tmp_path) == {"a.ring", "root.key", "elsewhere"}


def test_ring_of_another_user_is_not_taken(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ring.path.read_bytes()
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(KeyringError, match="another user"):
        ring.add("people")
    assert ring.path.read_bytes() == before


def test_adding_sees_what_happened_to_the_file(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    path = ring.path
    old = path.read_bytes()
    beside = Keyring.open(path, root)
    assert beside.add("people") == KeyId("people", 3)
    assert ring.add("people") == KeyId("people", 4)
    assert ring.key("people:3") == beside.key("people:3")

    def refused(data: bytes, says: str) -> None:
        path.write_bytes(data)
        with pytest.raises(KeyringError, match=says):
            ring.add("people")
        assert path.read_bytes() == data

    new = path.read_bytes()
    refused(old, "older copy")
    refused(new.replace(b"cards", b"cardz"), "damaged or edited")
    refused(new[:-1], "not")
    Keyring.create(tmp_path / "b.ring", root)
    refused((tmp_path / "b.ring").read_bytes(), "another key ring")
    path.unlink()
    with pytest.raises(KeyringError, match="no such key ring"):
        ring.add("people")
    path.write_bytes(new)
    assert ring.add("people") == KeyId("people", 5)


def test_full_ring(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ring.path.read_bytes()
    monkeypatch.setattr(document, "MAX_FILE", len(before) + 10)
    with pytest.raises(KeyringError, match="full"):
        ring.add("people")
    assert ring.path.read_bytes() == before


def test_versions_end(ring: Keyring, root: FileRoot) -> None:
    path = ring.path
    content = Opened(path.read_bytes(), path).document
    last = msgspec.structs.replace(content.keys[0], version=2**32 - 1)
    data = document.encode(msgspec.structs.replace(content, keys=(*content.keys, last)))
    subkeys = Subkeys.derive(bytes.fromhex(Path(root.path).read_text()), content.ring)
    path.write_bytes(data[:-68] + subkeys.mac(data[:-68]).encode() + data[-4:])
    with pytest.raises(KeyringError, match="no version left"):
        Keyring.open(path, root).add("people")


def test_lock_held_elsewhere_is_waited_for_and_then_said(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "LOCK_TIMEOUT", 0.05)
    fd = os.open(tmp_path / ".a.ring.lock", os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with pytest.raises(KeyringError, match=r"another process holds \.a\.ring\.lock"):
        ring.add("people")
    os.close(fd)
    ring.add("people")


def test_who_may_only_read_the_directory_stops_nobody(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that another user can open is the directory; the ring and its lock are mode 0600."""
    monkeypatch.setattr(storage, "LOCK_TIMEOUT", 0.05)
    assert modes(ring.path, tmp_path / ".a.ring.lock") == {0o600}
    fd = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    assert ring.add("people") == KeyId("people", 3)
    os.close(fd)


def test_a_lock_that_others_could_open_is_closed_to_them(ring: Keyring, tmp_path: Path) -> None:
    lock = tmp_path / ".a.ring.lock"
    for mode in (0o666, 0o640):
        lock.chmod(mode)
        ring.add("people")
        assert modes(lock) == {0o600}


@pytest.mark.parametrize("umask", [0o777, 0])
def test_the_umask_does_not_matter_to_a_lock(root: FileRoot, tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        ring = Keyring.create(tmp_path / "new.ring", root)
    finally:
        os.umask(before)
    assert modes(tmp_path / ".new.ring.lock") == {0o600}
    assert ring.add("people") == KeyId("people", 1)


def test_what_is_no_lock_file_is_not_taken(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, other = tmp_path / ".a.ring.lock", tmp_path / "other"
    other.write_text("theirs")
    other.chmod(0o644)
    made: tuple[Callable[[], object], ...] = (
        lambda: lock.symlink_to(other),
        lambda: lock.hardlink_to(other),
        lambda: os.mkfifo(lock),
        lambda: lock.mkdir(),
    )
    for make in made:
        if lock.is_dir():
            lock.rmdir()
        else:
            lock.unlink()
        make()
        with pytest.raises(KeyringError, match="can't write the key ring"):
            ring.add("people")
        assert modes(other) == {0o644}
    lock.rmdir()
    ring.add("people")
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    with pytest.raises(KeyringError, match=r"\.new\.ring\.lock belongs to another user"):
        Keyring.create(tmp_path / "new.ring", PassphraseRoot(Answers(PHRASE, PHRASE), n=CHEAP))


def test_a_lock_that_was_removed_is_not_waited_for(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who got the lock of a file that is no longer there takes the one that others find."""
    lock, flock = tmp_path / ".a.ring.lock", fcntl.flock
    held = []

    def taken(fd: int, how: int) -> None:
        flock(fd, how)
        held.append(os.fstat(fd).st_ino)
        if len(held) == 1:
            lock.rename(tmp_path / "moved")

    monkeypatch.setattr(fcntl, "flock", taken)
    assert ring.add("people") == KeyId("people", 3)
    assert held == [(tmp_path / "moved").stat().st_ino, lock.stat().st_ino]


def test_file_system_without_locks(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(KeyringError, match=r"this file system has no locks; use a local one"):
        ring.add("people")


def test_two_processes_lose_no_key(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    script = """
        import sys
        from tallystick.keyring import Keyring, RootKey
        ring = Keyring.open(sys.argv[1], RootKey.parse(sys.argv[2]))
        sys.stdin.read()  # so that both begin together
        for _ in range(20):
            key_id = ring.add("people")
            print(key_id, ring.key(key_id).hex())
    """
    names = listing(tmp_path)
    adders = [run_python(script, str(ring.path), str(root)) for _ in range(2)]
    for adder in adders:
        assert adder.stdin is not None
        adder.stdin.close()
        adder.stdin = None
    added = dict(line.split() for adder in adders for line in adder.communicate()[0].splitlines())
    assert [adder.returncode for adder in adders] == [0, 0]
    assert set(added) == {f"people:{version}" for version in range(3, 43)}
    again = Keyring.open(ring.path, root)
    assert len(again.keys()) == 43
    assert {name: again.key(name).hex() for name in added} == added
    assert listing(tmp_path) == names
