# SPDX-License-Identifier: Apache-2.0
"""The anchor of a ring: older copies are refused, newer ones remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tallystick import Protector
from tallystick.cli.main import run
from tallystick.errors import KeyringError
from tallystick.keyring import FileRoot, Keyring


@pytest.fixture
def anchor(ring: Keyring, tmp_path: Path) -> Path:
    path = tmp_path / "a.anchor"
    ring.make_anchor(path)
    return path


def test_an_older_copy_is_refused(ring: Keyring, root: FileRoot, anchor: Path) -> None:
    assert anchor.stat().st_mode & 0o777 == 0o600
    older = ring.path.read_bytes()
    Keyring.open(ring.path, root).add("more")  # without the anchor
    newest, before = ring.path.read_bytes(), anchor.read_bytes()
    Keyring.open(ring.path, root, anchor=anchor)
    assert anchor.read_bytes() != before
    ring.path.write_bytes(older)
    Keyring.open(ring.path, root)  # without the anchor nobody notices
    with pytest.raises(KeyringError, match=r"older copy: it has revision 4, and the anchor .* 5"):
        Keyring.open(ring.path, root, anchor=anchor)
    Keyring.open(ring.path, root).add("fork")
    with pytest.raises(KeyringError, match=r"revision 5 of the anchor .*, but other content"):
        Keyring.open(ring.path, root, anchor=anchor)
    ring.path.write_bytes(newest)
    Keyring.open(ring.path, root, anchor=anchor)


def test_the_anchor_follows_changes(ring: Keyring, root: FileRoot, anchor: Path) -> None:
    opened = Keyring.open(ring.path, root, anchor=anchor)
    for change in (
        lambda: opened.add("more"),
        lambda: opened.set_rights("people:1", "protect"),
        lambda: opened.set_signers(["0" * 64]),
        lambda: opened.wrap(root),
    ):
        before, older = anchor.read_bytes(), ring.path.read_bytes()
        change()
        assert anchor.read_bytes() != before
        newest = ring.path.read_bytes()
        ring.path.write_bytes(older)
        with pytest.raises(KeyringError, match="older copy"):
            Keyring.open(ring.path, root, anchor=anchor)
        ring.path.write_bytes(newest)


def test_a_ring_that_is_in_place_without_its_anchor(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    (folder := tmp_path / "disk").mkdir()
    anchor = folder / "a.anchor"
    ring.make_anchor(anchor)
    opened = Keyring.open(ring.path, root, anchor=anchor)
    other = FileRoot.generate_file(tmp_path / "other.key")
    away = folder.rename(tmp_path / "away")
    in_place = r"the new key ring is in place, but the anchor was not updated: .*can't use the anch"
    for change in (lambda: opened.add("more"), lambda: opened.wrap(other)):
        with pytest.raises(KeyringError, match=in_place):
            change()
    away.rename(folder)
    before = anchor.read_bytes()
    assert Keyring.open(ring.path, other, anchor=anchor).key("more:1") == opened.key("more:1")
    assert anchor.read_bytes() != before
    assert str(opened.add("more")) == "more:2"


def test_an_anchor_behind_a_link(ring: Keyring, root: FileRoot, anchor: Path) -> None:
    link, other = anchor.with_name("link"), Keyring.create(ring.path.with_name("b.keys"), root)
    link.symlink_to(anchor)
    for change in (
        lambda: Keyring.open(ring.path, root, anchor=link).add("more"),
        lambda: other.make_anchor(link, overwrite=True),
    ):
        before = anchor.read_bytes()
        change()
        assert link.is_symlink()
        assert anchor.read_bytes() != before


def test_a_change_while_the_ring_is_opened(ring: Keyring, root: FileRoot, anchor: Path) -> None:
    class Slow(FileRoot):
        def _fetch(self) -> bytes:  # the file has been read, and the anchor has not
            meanwhile()
            return super()._fetch()

    def change() -> None:
        Keyring.open(ring.path, root, anchor=anchor).add("more")

    def change_and_put_back() -> None:
        older = ring.path.read_bytes()
        change()
        ring.path.write_bytes(older)

    meanwhile = change
    opened = Keyring.open(ring.path, Slow(root.path), anchor=anchor)
    assert opened.revision == 5
    assert opened.key("more:1") == Keyring.open(ring.path, root).key("more:1")
    assert str(opened.add("more")) == "more:2"
    meanwhile = change_and_put_back
    with pytest.raises(KeyringError, match=r"older copy: it has revision 6, and the anchor .* 7"):
        Keyring.open(ring.path, Slow(root.path), anchor=anchor)


def test_another_ring_and_other_files(ring: Keyring, root: FileRoot, anchor: Path) -> None:
    other = Keyring.create(ring.path.with_name("other.keys"), root)
    with pytest.raises(KeyringError, match="another key ring than the one of the anchor"):
        Keyring.open(other.path, root, anchor=anchor)
    with pytest.raises(KeyringError, match="exists already"):
        other.make_anchor(anchor)
    for file in (ring.path, Path(root.path)):
        before = file.read_bytes()
        with pytest.raises(KeyringError, match="not the anchor of a key ring"):
            ring.make_anchor(file, overwrite=True)
        assert file.read_bytes() == before
    other.make_anchor(anchor, overwrite=True)
    Keyring.open(other.path, root, anchor=anchor)
    whole = anchor.read_text()
    for text in ("", "{}", whole + "\n", whole.replace('"revision":', '"revision":0')):
        anchor.write_text(text)
        with pytest.raises(KeyringError, match="not the anchor of a key ring"):
            Keyring.open(other.path, root, anchor=anchor)
    anchor.unlink()
    with pytest.raises(KeyringError, match="no such anchor"):
        Keyring.open(other.path, root, anchor=anchor)
    with pytest.raises(KeyringError, match="can't use the anchor"):
        Keyring.open(other.path, root, anchor=anchor.parent / "none" / "a.anchor")


def test_commands(
    ring: Keyring,
    root: FileRoot,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ring.path.parent)
    monkeypatch.setenv("TALLYSTICK_ROOT", str(root))
    assert run(["keyring", "anchor", str(ring.path), "b.anchor"]) == 0
    assert f"b.anchor knows revision 4 of {ring.path}" in capsys.readouterr().out
    assert run(["keyring", "anchor", str(ring.path), "b.anchor"]) == 4
    monkeypatch.setenv("TALLYSTICK_ANCHOR", "b.anchor")
    older = ring.path.read_bytes()
    assert run(["keyring", "add", str(ring.path), "more"]) == 0
    ring.path.write_bytes(older)
    for words in (["keyring", "list"], ["keyring", "rotate"]):
        name = ["people"] if words[1] == "rotate" else []
        assert run([*words, str(ring.path), *name]) == 4
        assert "is an older copy" in capsys.readouterr().err
    Path("a.toml").write_text('[columns]\nc = { format = "mask" }\n')
    Path("a.csv").write_text("c\n1\n")
    for command in (["protect", "a.csv", "b.csv"], ["check", "a.csv"], ["preview", "a.csv"]):
        assert run([*command, "-p", "a.toml", "-k", str(ring.path)]) == 4
        assert "is an older copy" in capsys.readouterr().err
    with pytest.raises(KeyringError, match="is an older copy"):
        Protector.open("a.toml", ring.path, root)
    assert run(["keyring", "anchor", str(ring.path), "b.anchor", "--overwrite"]) == 0
    assert run(["keyring", "list", str(ring.path)]) == 0
