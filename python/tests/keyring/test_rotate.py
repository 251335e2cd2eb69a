# SPDX-License-Identifier: Apache-2.0
"""New versions of keys: of which size, of which names, and what stays."""

from __future__ import annotations

import errno
import os

import pytest

from keyring_support import infos
from tallystick.errors import KeyringError, ParameterError
from tallystick.keyring import FileRoot, KeyId, Keyring
from tallystick.keyring.names import MAX_VERSION


def sizes(ring: Keyring) -> list[tuple[str, int]]:
    return [(str(info.id), info.size) for info in infos(ring)]


def test_the_next_version_has_the_size_of_the_newest(ring: Keyring, root: FileRoot) -> None:
    before = sizes(ring)
    old = {name: ring.key(name) for name, _ in before}
    assert ring.rotate("people") == KeyId("people", 3)
    assert ring.rotate("cards") == KeyId("cards", 2)
    assert ring.rotate("cards", 32) == KeyId("cards", 3)
    assert ring.rotate("cards") == KeyId("cards", 4)
    again = Keyring.open(ring.path, root)
    assert sizes(again) == sizes(ring) == [
        *before, ("people:3", 24), ("cards:2", 16), ("cards:3", 32), ("cards:4", 32),
    ]  # fmt: skip
    assert {name: again.key(name) for name in old} == old
    keys = [again.key(info.id) for info in infos(again)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("name", "hint"), [("peple", r"; did you mean 'people'\?"), ("zzz", "; the first version")]
)
def test_a_name_that_is_not_there(ring: Keyring, name: str, hint: str) -> None:
    before = ring.path.read_bytes()
    with pytest.raises(KeyringError, match=rf"a\.ring: no key is called '{name}'{hint}"):
        ring.rotate(name)
    assert ring.path.read_bytes() == before


def test_a_version_made_by_another_process_counts(ring: Keyring, root: FileRoot) -> None:
    other = Keyring.open(ring.path, root)
    other.add("new", 16)
    other.rotate("people", 32)
    assert ring.rotate("people") == KeyId("people", 4)
    assert ring.rotate("new") == KeyId("new", 2)
    assert sizes(ring)[-2:] == [("people:4", 32), ("new:2", 16)]


@pytest.mark.parametrize("size", [0, 8, 15, 33, -16])
def test_bad_size(ring: Keyring, size: int) -> None:
    with pytest.raises(ParameterError, match="16, 24 or 32"):
        ring.rotate("people", size)


@pytest.mark.parametrize("name", ["", "People", "people:1", "pe ople"])
def test_bad_name(ring: Keyring, name: str) -> None:
    with pytest.raises(ParameterError):
        ring.rotate(name)


def test_a_failure_changes_nothing(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    before, keys = ring.path.read_bytes(), ring.keys()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(KeyringError, match="No space"):
            ring.rotate("people")
    assert (ring.path.read_bytes(), ring.keys()) == (before, keys)
    assert ring.rotate("people") == KeyId("people", 3)


def test_versions_end(ring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_VERSION == 2**32 - 1
    monkeypatch.setattr("tallystick.keyring.ring.MAX_VERSION", 2)
    with pytest.raises(KeyringError, match="people has no version left"):
        ring.rotate("people")
