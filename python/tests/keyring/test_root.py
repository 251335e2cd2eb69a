# SPDX-License-Identifier: Apache-2.0
"""Sources of root keys: their text, their files' modes and owners, and what is refused."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keyring_support import PHRASE, fail_fsync, listing, run_python
from tallystick.errors import ParameterError, RootKeyError
from tallystick.keyring import EnvironmentRoot, FileRoot, Keyring, RootKey


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.parametrize("text", ["file:a.key", "file:/a b/c:d", "env:ROOT_KEY", "prompt"])
def test_source_text_round_trip(text: str) -> None:
    assert str(RootKey.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "file", "file:", "env:", "env:1A", "env:A-B", "env:A=B", "prompt:", "prompt:x", "FILE:a",
     "key:" + "ab" * 32, "ab" * 32, "file:" + "ab" * 32, "env:" + "ab" * 32, "file:a\0b",
     "file: " + "ab" * 32, "file:0x" + "AB" * 32 + "\n", "file:" + "ab " * 32, "file:" + "ab" * 33,
     "shares: " + "ab" * 32, "transit: " + "ab" * 32, "age:" + "ab" * 32],
)  # fmt: skip
def test_bad_source_is_not_repeated(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        RootKey.parse(text)
    assert "ab" * 8 not in "".join(str(caught.value).lower().split())


@pytest.mark.parametrize(
    "text",
    ["1: 101W8 000G7 40R4E", "1:101W8 000G7 4OR4E", " 101W8 000G7 40R4E\n", "a,2: 101W8000G7 40",
     "x\n12: 101W8 0\n", "tallystick share 1:101W8000G740R4E", "101W8 000G7 40R4Ex"],
)  # fmt: skip
@pytest.mark.parametrize("scheme", ["file", "shares"])
def test_a_share_is_not_repeated(text: str, scheme: str) -> None:
    with pytest.raises(ParameterError) as caught:
        RootKey.parse(f"{scheme}:{text}".replace("file:a,", "file:"))
    assert "101W8" not in str(caught.value)


def test_names_that_look_like_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("share 00001").touch()
    for text in ("shares:share 00001,share-00002,./1: 101W8", "file:alice share"):
        assert str(RootKey.parse(text)) == text
    with pytest.raises(ParameterError):
        RootKey.parse("shares:share 00002")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_files_are_private_whatever_the_umask(
    tmp_path: Path, umask: Callable[[int], int], mask: int
) -> None:
    umask(mask)
    root = RootKey.generate_file(tmp_path / "root.key")
    ring = Keyring.create(tmp_path / "a.ring", root)
    modes = [mode(tmp_path / "root.key"), mode(tmp_path / "a.ring")]
    ring.add("people")
    assert [*modes, mode(tmp_path / "a.ring")] == [0o600] * 3


def test_generated_root_files(tmp_path: Path) -> None:
    texts = set()
    for name in "ab":
        RootKey.generate_file(tmp_path / name)
        texts.add((tmp_path / name).read_text())
    assert len(texts) == 2
    assert all(re.fullmatch(r"[0-9a-f]{64}\n", text) for text in texts)


def test_generating_never_overwrites(tmp_path: Path, root: FileRoot) -> None:
    before = Path(root.path).read_bytes()
    (tmp_path / "link").symlink_to("nowhere")
    for path in (Path(root.path), tmp_path / "link"):
        with pytest.raises(RootKeyError, match="exists already"):
            RootKey.generate_file(path)
    assert Path(root.path).read_bytes() == before
    assert listing(tmp_path) == {"root.key", "link"}


@pytest.mark.parametrize("failing", [1, 2])
def test_failed_generation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    fail_fsync(monkeypatch, failing)
    with pytest.raises(RootKeyError, match="No space"):
        RootKey.generate_file(tmp_path / "root.key")
    assert listing(tmp_path) == set()


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o777])
def test_root_file_that_others_may_use(ring: Keyring, root: FileRoot, bits: int) -> None:
    Path(root.path).chmod(bits)
    with pytest.raises(RootKeyError, match=rf"root\.key: others .*{bits:04o}.*chmod 600"):
        Keyring.open(ring.path, root)
    Path(root.path).chmod(0o400)
    Keyring.open(ring.path, root)


def test_root_file_of_another_user(
    ring: Keyring, root: FileRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(RootKeyError, match="another user"):
        Keyring.open(ring.path, root)


@pytest.mark.parametrize(
    "text",
    [b"", b"\n", b"ab" * 31, b"ab" * 33, b"ab" * 32 + b"\n\n", b" " + b"ab" * 32,
     b"ab" * 32 + b"\r\n", b"g" + b"a" * 63, b"\xef\xbb\xbf" + b"ab" * 32, b"ab" * 4000],
    ids=range(10),
)  # fmt: skip
def test_malformed_root_key(
    ring: Keyring, root: FileRoot, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    Path(root.path).write_bytes(text)
    with pytest.raises(RootKeyError, match=r"root\.key: ") as caught:
        Keyring.open(ring.path, root)
    assert "abab" not in str(caught.value)
    monkeypatch.setenv("ROOT", text.decode("latin-1"))
    with pytest.raises(RootKeyError, match="variable ROOT: ") as caught:
        Keyring.open(ring.path, EnvironmentRoot("ROOT"))
    assert "abab" not in str(caught.value)


def test_root_file_that_is_no_file(ring: Keyring, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, says in [("none", "no such"), ("pipe", "not a regular"), (".", "not a regular")]:
        with pytest.raises(RootKeyError, match=says):
            Keyring.open(ring.path, FileRoot(str(tmp_path / name)))


def test_root_file_behind_a_link_is_checked(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    link = tmp_path / "link.key"
    link.symlink_to(root.path)
    Keyring.open(ring.path, FileRoot(str(link)))
    Path(root.path).chmod(0o644)
    with pytest.raises(RootKeyError, match="others"):
        Keyring.open(ring.path, FileRoot(str(link)))


def test_variable_not_set(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROOT", raising=False)
    with pytest.raises(RootKeyError, match="ROOT: not set"):
        Keyring.open(ring.path, EnvironmentRoot("ROOT"))


def test_no_terminal() -> None:
    script = """
        from pathlib import Path
        from tallystick.errors import RootKeyError
        from tallystick.keyring import RootKey
        try:
            RootKey.parse("prompt").establish(Path("a.ring"), "00" * 16)
        except RootKeyError as error:
            print(error)
    """
    result = run_python(script).communicate(f"{PHRASE}\n{PHRASE}\n")
    assert "no terminal" in result[0]
