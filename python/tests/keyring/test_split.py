# SPDX-License-Identifier: Apache-2.0
"""Splitting a root key: what opens the ring before and after, and crashes at each step."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from keyring_support import (
    CHEAP,
    PHRASE,
    Answers,
    edited,
    infos,
    listing,
    modes,
    open_bytes,
    run_python,
)
from pages import blocks
from tallystick import atomic, shares
from tallystick.atomic import InPlaceError
from tallystick.errors import KeyringError, ParameterError, RootKeyError
from tallystick.keyring import (
    FileRoot,
    KeyId,
    Keyring,
    PassphraseRoot,
    RootKey,
    SharesRoot,
    Splitting,
    document,
    seal,
    split_root,
    storage,
)
from tallystick.shares import printed, qr

FIVE = ["Ann", "Bob", "Cid Ó Dálaigh", "李", "Eve/../x"]


def paths(done: Splitting) -> list[str]:
    return [str(share.path) for share in done.shares]


def from_shares(done: Splitting, *indices: int) -> SharesRoot:
    return SharesRoot(tuple(str(done.shares[index - 1].path) for index in indices), tell=refuse)


def refuse(text: str) -> None:
    pytest.fail(f"nothing is wrong, but it says {text}")


def unwrapped(ring: Keyring) -> dict[str, bytes]:
    return {str(info.id): ring.key(info.id) for info in infos(ring)}


def test_a_directory_that_fails_to_keep_a_code_leaves_none(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code is in place then, and goes with the shares that are of no ring."""

    def fail(directory: Path) -> None:
        raise InPlaceError("in place, but may not outlast a power cut")

    monkeypatch.setattr(atomic, "_sync_directory", fail)
    before = listing(tmp_path)
    with pytest.raises(KeyringError, match="can't write the share: in place"):
        split_root(ring, FIVE[:2], 2, tmp_path / "new", codes=True)
    assert listing(tmp_path) == before


# What opens it


def test_any_three_of_five(ring: Keyring, tmp_path: Path) -> None:
    keys, ring_id, reported = unwrapped(ring), ring.id, infos(ring)
    done = split_root(ring, FIVE, 3)
    assert unwrapped(ring) == keys
    for some in itertools.combinations(range(1, 6), 3):
        again = Keyring.open(ring.path, from_shares(done, *some))
        assert unwrapped(again) == keys
        assert infos(again) == reported
        assert again.id == ring.id == ring_id
        assert again.sharing is not None
        assert again.sharing.holders == tuple(FIVE)
    for two in itertools.combinations(range(1, 6), 2):
        with pytest.raises(RootKeyError, match=r"2 good shares .*and 3 are needed: 1 more of"):
            Keyring.open(ring.path, from_shares(done, *two))
    assert ring.add("people") == KeyId("people", 3)
    assert len(infos(Keyring.open(ring.path, from_shares(done, 5, 1, 3)))) == 4


@pytest.mark.parametrize(("count", "threshold"), [(2, 2), (3, 2), (255, 2), (255, 255)])
def test_extremes(ring: Keyring, count: int, threshold: int) -> None:
    done = split_root(ring, [f"holder {n}" for n in range(count)], threshold)
    Keyring.open(ring.path, from_shares(done, *range(count - threshold + 1, count + 1)))
    Keyring.open(ring.path, SharesRoot((str(done.shares[0].path.parent),), tell=refuse))


def test_the_old_root_key_opens_only_older_copies(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    before, keys = ring.path.read_bytes(), unwrapped(ring)
    split_root(ring, FIVE, 3)
    after = ring.path.read_bytes()
    with pytest.raises(
        RootKeyError, match=r"comes from 3 of 5 shares, not from file:.*use shares:"
    ):
        Keyring.open(ring.path, root)
    as_key = edited(after, lambda fields: fields.update(roots=[{"kind": "key"}]))
    with pytest.raises(RootKeyError, match="does not belong to this key ring"):
        open_bytes(tmp_path, as_key, root)
    old = seal.Subkeys.derive(bytes.fromhex(Path(root.path).read_text()), ring.id)
    # Even if the old root key makes a check value and a MAC, so that the file opens, no key does.
    body = edited(as_key, lambda fields: fields.update(check=old.check))[: -document.TAIL]
    forged = edited(as_key, lambda fields: fields.update(check=old.check, mac=old.mac(body)))
    taken = open_bytes(tmp_path, forged, root)
    for info in infos(taken):
        with pytest.raises(KeyringError, match="wrapped for another name"):
            taken.key(info.id)
    assert unwrapped(open_bytes(tmp_path, before, root)) == keys


def test_from_a_passphrase(tmp_path: Path) -> None:
    source = PassphraseRoot(Answers(PHRASE, PHRASE, PHRASE), n=CHEAP)
    ring = Keyring.create(tmp_path / "a.ring", source)
    done = split_root(ring, FIVE, 2)
    Keyring.open(ring.path, from_shares(done, 4, 5))
    with pytest.raises(RootKeyError, match="comes from 2 of 5 shares, not from prompt"):
        Keyring.open(ring.path, source)


def test_sharing_again(ring: Keyring, tmp_path: Path) -> None:
    keys = unwrapped(ring)
    first = split_root(ring, FIVE, 3)
    copy = ring.path.read_bytes()
    opened = Keyring.open(ring.path, from_shares(first, 1, 2, 3))
    second = split_root(opened, ["Ann", "Fay"], 2)
    assert second.set_id != first.set_id
    assert unwrapped(Keyring.open(ring.path, from_shares(second, 1, 2))) == keys
    says = f"0 good shares, and 2 .* set {first.set_id[:8]}, .*opens with set {second.set_id[:8]}"
    with pytest.raises(RootKeyError, match=says):
        Keyring.open(ring.path, from_shares(first, 1, 2, 3, 4, 5))
    assert unwrapped(open_bytes(tmp_path, copy, from_shares(first, 3, 4, 5))) == keys


def test_who_had_it_open_is_reported(ring: Keyring, root: FileRoot) -> None:
    beside = Keyring.open(ring.path, root)
    beside.add("people")
    done = split_root(ring, FIVE, 3)
    assert len(infos(ring)) == 4, "a key added meanwhile is kept"
    after = ring.path.read_bytes()
    for act in (lambda: beside.add("people"), lambda: split_root(beside, FIVE, 3)):
        with pytest.raises(KeyringError, match="root key was replaced"):
            act()
        assert ring.path.read_bytes() == after
        assert listing(ring.path.parent) == {"root.key", "a.ring", done.shares[0].path.parent.name}


# The files


def test_files_are_private_whatever_the_umask(ring: Keyring, tmp_path: Path) -> None:
    for mask, codes in [(0o000, True), (0o077, True), (0o777, False)]:
        before = os.umask(mask)
        try:
            done = split_root(ring, FIVE, 3, tmp_path / f"{mask}", codes=codes)
        finally:
            os.umask(before)
        directory = tmp_path / f"{mask}"
        assert modes(directory) == {0o700}
        assert modes(ring.path, *directory.iterdir()) == {0o600}
        assert len(list(directory.iterdir())) == (10 if codes else 5)
        assert [share.holder for share in done.shares] == FIVE


def test_names_and_remarks(ring: Keyring) -> None:
    done = split_root(ring, FIVE, 3)
    assert [share.path.name for share in done.shares] == [
        "share-1-Ann.txt",
        "share-2-Bob.txt",
        "share-3-Cid-O-Dalaigh.txt",
        "share-4.txt",
        "share-5-Eve-x.txt",
    ]
    (directory,) = {share.path.parent for share in done.shares}
    assert directory == ring.path.with_name(f"a.ring.shares-{done.set_id[:8]}")
    for share in done.shares:
        text = share.path.read_text()
        assert f"# key ring a.ring, id {ring.id}\n" in text
        assert f"# share {share.index} of 5, for {share.holder}; any 3 of them open" in text
        read = shares.read(printed.decode(text))
        assert (read.index, read.threshold, read.count) == (share.index, 3, 5)
        assert (read.label, read.set_id) == (f"tallystick keyring {ring.id}", done.set_id)


def test_qr_codes(ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, texts = qr.write_png, []

    def write_png(text: str, path: Path) -> None:
        texts.append(text)
        real(text, path)

    monkeypatch.setattr(qr, "write_png", write_png)
    done = split_root(ring, FIVE[:2], 2, tmp_path / "new", codes=True)
    assert texts == [share.path.read_text() for share in done.shares]
    names = {"share-1-Ann.txt", "share-1-Ann.png", "share-2-Bob.txt", "share-2-Bob.png"}
    assert listing(tmp_path / "new") == names
    for share in done.shares:
        assert share.code == share.path.with_suffix(".png")
        assert share.code.read_bytes().startswith(b"\x89PNG")
    # Images don't count as shares of no use.
    Keyring.open(ring.path, SharesRoot((str(tmp_path / "new"),), tell=refuse))


def test_nothing_is_overwritten(ring: Keyring, tmp_path: Path) -> None:
    before, directory = ring.path.read_bytes(), tmp_path / "new"
    directory.mkdir()
    for name in ("share-2-Bob.txt", "share-2-Bob.png"):
        theirs = directory / name
        theirs.write_text("theirs")
        with pytest.raises(KeyringError, match=f"{name}: exists already.* another directory"):
            split_root(ring, FIVE, 3, directory, codes=True)
        assert listing(directory) == {name}
        assert theirs.read_text() == "theirs"
        theirs.unlink()
    (directory / "share-2-Bob.txt").symlink_to("nowhere")
    with pytest.raises(KeyringError, match="exists already"):
        split_root(ring, FIVE, 3, directory)
    assert ring.path.read_bytes() == before
    (directory / "share-2-Bob.txt").unlink()
    split_root(ring, FIVE, 3, directory)


def test_a_directory_that_can_not_be_made(ring: Keyring, tmp_path: Path) -> None:
    before, names = ring.path.read_bytes(), listing(tmp_path)
    for into in (tmp_path / "root.key", tmp_path / "none" / "new"):
        with pytest.raises(KeyringError, match="can't make the directory"):
            split_root(ring, FIVE, 3, into)
    assert (ring.path.read_bytes(), listing(tmp_path)) == (before, names)


@pytest.mark.parametrize(
    ("holders", "threshold", "says"),
    [
        ([], 2, "threshold 2 of 0"), (["Ann"], 1, "threshold 1 of 1"), (FIVE, 1, "threshold 1"),
        (FIVE, 6, "threshold 6 of 5"), (FIVE, 0, "threshold 0"), (FIVE, -1, "threshold -1"),
        ([str(n) for n in range(256)], 2, "of 256"), (["Ann", "Bob", "Ann"], 2, "'Ann' is named"),
        (["", "Bob"], 2, "1 to 64"), (["Ann ", "Bob"], 2, "spaces"), (["A" * 65, "Bob"], 2, "64"),
        (["A\n", "Bob"], 2, "printable"), (["A\x1b[2J", "Bob"], 2, "printable"),
        (["A\u202eb", "Bob"], 2, "printable"),
    ],
)  # fmt: skip
def test_parameters(
    ring: Keyring, tmp_path: Path, holders: list[str], threshold: int, says: str
) -> None:
    before, names = ring.path.read_bytes(), listing(tmp_path)
    with pytest.raises(ParameterError, match=says):
        split_root(ring, holders, threshold)
    assert (ring.path.read_bytes(), listing(tmp_path)) == (before, names)


# Secrets


def test_the_root_key_is_nowhere_and_wiped(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytearray] = []
    copies: list[bytes] = []
    real = seal.Subkeys.derive

    def derive(root: bytearray, ring: str) -> seal.Subkeys:
        seen.append(root)
        copies.append(bytes(root))
        return real(root, ring)

    monkeypatch.setattr(seal.Subkeys, "derive", derive)
    done = split_root(ring, FIVE, 3)
    Keyring.open(ring.path, from_shares(done, 1, 2, 3))
    assert copies[0] == copies[1] != bytes(32)
    assert seen == [bytearray(32)] * 2
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        data = path.read_bytes()
        assert copies[0] not in data
        assert copies[0].hex() not in data.decode().lower()
    with pytest.raises(ParameterError):
        split_root(ring, FIVE, 9)


def test_each_split_has_a_root_key_of_its_own(ring: Keyring) -> None:
    checks = {json.loads(ring.path.read_bytes())["check"]}
    for _ in range(3):
        split_root(ring, FIVE, 3)
        checks.add(json.loads(ring.path.read_bytes())["check"])
    assert len(checks) == 4


# Failures and crashes

STEPS = ("open", "fdopen", "fchmod", "chmod", "fsync", "replace", "mkdir", "link")


@contextmanager
def failing(at: int, error: BaseException, *, after: bool) -> Iterator[list[str]]:
    """Let the call with number `at` of the functions that write fail, before or after it acts."""
    done: list[str] = []

    def wrap(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
            done.append(name)
            if len(done) - 1 != at:
                return real(*arguments, **named)
            if after:
                result = real(*arguments, **named)
                if name == "open":
                    os.close(result)
            raise error

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, wrap(name, getattr(os, name)))
        yield done


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One picture of a code for all shares: what fails is to write it, and drawing takes long."""
    path = tmp_path / "drawn.png"
    qr.write_png(printed.encode(bytes(100)), path)
    picture = path.read_bytes()
    monkeypatch.setattr(qr, "save_png", lambda text, stream: stream.write(picture))
    return path


def count_steps(tmp_path: Path, root: FileRoot) -> int:
    ring = Keyring.create(tmp_path / "count.ring", root)
    with failing(-1, OSError(), after=False) as done:
        split_root(ring, FIVE[:3], 2, tmp_path / "count", codes=True)
    assert set(done) == set(STEPS)
    return len(done)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "after"),
    [
        (OSError(errno.ENOSPC, "No space left"), False),
        (KeyboardInterrupt(), False),
        (KeyboardInterrupt(), True),
    ],
)
@pytest.mark.usefixtures("drawn")
def test_a_failure_at_each_step(
    ring: Keyring, root: FileRoot, tmp_path: Path, error: BaseException, after: bool
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    before, keys, in_place = ring.path.read_bytes(), unwrapped(ring), 0
    steps = count_steps(tmp_path, root)
    for at in range(steps):
        path = place / "a.ring"
        path.write_bytes(before)
        opened = Keyring.open(path, root)
        done = None
        try:
            with failing(at, error, after=after):
                done = split_root(opened, FIVE[:3], 2, place / "new", codes=True)
        except (KeyringError, KeyboardInterrupt) as caught:
            assert isinstance(caught, KeyringError) == isinstance(error, OSError)
            reported = str(caught)
        if path.read_bytes() == before:
            assert done is None
            assert listing(place) == {"a.ring"}, f"step {at} leaves nothing"
            assert unwrapped(Keyring.open(path, root)) == keys
            continue
        in_place += 1
        for two in itertools.combinations(sorted((place / "new").glob("*.txt")), 2):
            again = Keyring.open(path, SharesRoot(tuple(map(str, two)), tell=refuse))
            assert unwrapped(again) == keys
        assert len(list((place / "new").iterdir())) == 6
        if done is None and isinstance(error, OSError):
            assert re.search(
                r"is in place.*keep them, and what opened the key ring before", reported
            )
        for left in (place / "new").iterdir():
            left.unlink()
        (place / "new").rmdir()
    assert 1 <= in_place < steps / 2, "the ring is the last that is written"


@pytest.mark.slow
def test_a_crash_at_each_step(ring: Keyring, root: FileRoot, tmp_path: Path, drawn: Path) -> None:
    """The process is gone at once: the old root key opens the ring, or the shares do."""
    script = """
        import os, shutil, sys
        from pathlib import Path
        from tallystick.errors import RootKeyError
        from tallystick.keyring import Keyring, RootKey, split_root
        from tallystick.shares import qr

        ring, root, work = sys.argv[1:4]
        picture = Path(sys.argv[4]).read_bytes()
        qr.save_png = lambda text, stream: stream.write(picture)
        steps = ("open", "fchmod", "fsync", "replace", "mkdir", "link", "unlink")
        opened_by = {"root": 0, "shares": 0}
        for at in range(1000):
            place = Path(work, str(at))
            place.mkdir()
            path = shutil.copy(ring, place / "a.ring")
            child = os.fork()
            if child == 0:
                left = [at]
                def wrap(real):
                    def call(*arguments, **named):
                        if left[0] == 0:
                            os._exit(9)
                        left[0] -= 1
                        return real(*arguments, **named)
                    return call
                opened = Keyring.open(path, RootKey.parse(root))
                for name in steps:
                    setattr(os, name, wrap(getattr(os, name)))
                split_root(opened, ["Ann", "Bob", "Cid"], 2, place / "new", codes=True)
                os._exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert code in (0, 9), code
            try:
                found = Keyring.open(path, RootKey.parse(root))
                opened_by["root"] += 1
            except RootKeyError:
                found = Keyring.open(path, RootKey.parse(f"shares:{place / 'new'}"))
                opened_by["shares"] += 1
            print(found.key("people:1").hex())
            if code == 0:
                break
        print(code, *opened_by.values())
    """
    work = tmp_path / "work"
    work.mkdir()
    process = run_python(script, str(ring.path), str(root), str(work), str(drawn))
    *keys, last = process.communicate()[0].splitlines()
    code, by_root, by_shares = map(int, last.split())
    assert (process.returncode, code) == (0, 0)
    assert set(keys) == {ring.key("people:1").hex()}
    assert by_root > 20
    assert by_shares >= 2, "also between the rename and the end"


ANOTHER = "another ring's share"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b" 2: ", b" 3: "),
        lambda data: b"",
        lambda data: b"\xff" + data,
        ANOTHER,
        OSError(errno.EIO, "Input/output error"),
    ],
)
def test_shares_that_do_not_read_back(
    ring: Keyring,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[bytes], bytes] | OSError | str,
) -> None:
    other_ring = Keyring.create(tmp_path / "b.ring", RootKey.generate_file(tmp_path / "b.key"))
    another = split_root(other_ring, FIVE, 3).shares[1].path
    before, names, real = ring.path.read_bytes(), listing(tmp_path), storage.read

    def read(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
        if path.name != another.name:
            return real(path, limit)
        if isinstance(change, OSError):
            raise change
        data, status = real(another if change == ANOTHER else path, limit)
        return change(data) if callable(change) else data, status

    monkeypatch.setattr(storage, "read", read)
    with pytest.raises(KeyringError, match=r"can't be read back.*the key ring is unchanged"):
        split_root(ring, FIVE, 3)
    assert (ring.path.read_bytes(), listing(tmp_path)) == (before, names)


def test_shares_stay_where_it_is_not_known_what_the_ring_is(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        ring.path.unlink()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(storage, "replace", fail)
    with pytest.raises(KeyringError, match="keep them, and what opened the key ring before"):
        split_root(ring, FIVE, 3, tmp_path / "new")
    assert len(listing(tmp_path / "new")) == 5


def test_a_wrapping_that_does_not_open_is_noticed(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, names = ring.path.read_bytes(), listing(tmp_path)
    real = seal.Subkeys.wrap

    def wrap(self: seal.Subkeys, key: bytes, key_id: KeyId) -> bytes:
        return real(self, bytes(len(key)), key_id)

    monkeypatch.setattr(seal.Subkeys, "wrap", wrap)
    with pytest.raises(KeyringError, match="could not be wrapped again; the file is unchanged"):
        split_root(ring, FIVE, 3)
    assert (ring.path.read_bytes(), listing(tmp_path)) == (before, names)


# The record, beside those of test_vectors.py


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"set": "A" * 32}, "set"), ({"holders": ["A", "B", "C\ud800"]}, ""),
        ({"kind": "key"}, "no such field"),
    ],
)  # fmt: skip
def test_strict_records(
    ring: Keyring, tmp_path: Path, change: dict[str, object], says: str
) -> None:
    done = split_root(ring, ["Ann", "Bob", "Cid"], 2)
    data = edited(ring.path.read_bytes(), lambda fields: fields["roots"][0].update(change))
    with pytest.raises(KeyringError, match=f"not a valid key ring.*{says}"):
        open_bytes(tmp_path, data, from_shares(done, 1, 2))


def test_documented_record() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "keyring.md").read_text()
    (shown,) = (block for block in blocks(text, "json") if block.startswith('"root": '))
    shown = shown.removeprefix('"root": ')
    record = msgspec.json.decode(shown, type=document.SharedRoot)
    assert json.loads(shown) == json.loads(msgspec.json.encode(record))
    assert list(json.loads(shown)) == list(msgspec.to_builtins(record))


def test_every_flipped_byte_of_a_record_is_refused(ring: Keyring, tmp_path: Path) -> None:
    done = split_root(ring, ["Ann", "Bob", "Cid"], 2)
    data = ring.path.read_bytes()
    source = SharesRoot(tuple(paths(done)), tell=lambda text: None)
    assert open_bytes(tmp_path, data, source).key("people:1") == ring.key("people:1")
    accepted = []
    for at in range(data.index(b'"ring"'), data.index(b'"keys"')):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            open_bytes(tmp_path, flipped, source)
            accepted.append(at)
        except KeyringError:
            pass
    assert accepted == []


def test_what_is_stopped_after_the_change_says_where_the_shares_are(
    ring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(storage, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            split_root(ring, FIVE, 3, tmp_path / "stopped before")
    assert caplog.messages == []
    assert not (tmp_path / "stopped before").exists()
    replace = storage.replace

    def replace_and_stop(path: Path, data: bytes) -> None:
        replace(path, data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(storage, "replace", replace_and_stop)
        with pytest.raises(KeyboardInterrupt):
            split_root(ring, FIVE, 3, tmp_path / "stopped after")
    (reported,) = caplog.messages
    assert str(tmp_path / "stopped after") in reported
    again = Keyring.open(ring.path, SharesRoot((str(tmp_path / "stopped after"),)))
    assert again.sharing is not None
