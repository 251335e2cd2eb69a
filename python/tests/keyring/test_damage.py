# SPDX-License-Identifier: Apache-2.0
"""Damaged, edited and hostile key ring files: all are refused, before any key is unwrapped."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keyring_support import CHEAP, PHRASE, Answers, edited, infos, open_bytes
from tallystick.errors import KeyringError, ParameterError, RootKeyError
from tallystick.keyring import FileRoot, Keyring, PassphraseRoot, RootKey, document
from tallystick.keyring.opened import Opened
from tallystick.keyring.seal import Subkeys

# A wrong root key, and damage


def test_wrong_root_key_is_distinguished_from_damage(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    other = RootKey.generate_file(tmp_path / "other.key")
    with pytest.raises(
        RootKeyError, match=r"a\.ring: .*file:.*other\.key does not belong to this key ring"
    ):
        Keyring.open(ring.path, other)
    data = ring.path.read_bytes().replace(b'"people"', b'"peoplf"')
    with pytest.raises(KeyringError, match="damaged or edited") as caught:
        open_bytes(tmp_path, data, root)
    assert not isinstance(caught.value, RootKeyError)


def test_every_flipped_bit_is_refused(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    data = ring.path.read_bytes()
    accepted = []
    for at in range(len(data)):
        for bit in range(8):
            flipped = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            try:
                open_bytes(tmp_path, flipped, root)
                accepted.append((at, bit))
            except KeyringError:
                pass
    assert accepted == []


def test_every_flipped_byte_of_a_scrypt_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ring"
    Keyring.create(path, PassphraseRoot(Answers(PHRASE, PHRASE), n=CHEAP)).add("people")
    data = path.read_bytes()
    for at in range(data.index(b'"roots"'), data.index(b'"check"')):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(KeyringError):
            open_bytes(tmp_path, flipped, PassphraseRoot(Answers(PHRASE)))


def test_every_truncation_and_addition_is_refused(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    data = ring.path.read_bytes()
    variants = [data[:length] for length in range(len(data))]
    variants += [data + b"\n", data + b" ", b" " + data, b"\xef\xbb\xbf" + data, data + data]
    variants += [data[:at] + data[at + 1 :] for at in range(len(data))]
    for variant in variants:
        with pytest.raises(KeyringError):
            open_bytes(tmp_path, variant, root)


def swap(fields: dict[str, Any], name: str) -> None:
    first, _, third = fields["keys"]
    first[name], third[name] = third[name], first[name]


EDITS: dict[str, Callable[[dict[str, Any]], None]] = {
    "a key deleted": lambda fields: fields["keys"].pop(),
    "all keys deleted": lambda fields: fields["keys"].clear(),
    "keys reordered": lambda fields: fields["keys"].reverse(),
    "versions swapped": lambda fields: swap(fields, "version"),
    "a key renamed": lambda fields: fields["keys"][0].update(name="other"),
    "a version raised": lambda fields: fields["keys"][0].update(version=7),
    "a key's time": lambda fields: fields["keys"][0].update(created="2020-01-01T00:00:00Z"),
    "the ring's time": lambda fields: fields.update(created="2020-01-01T00:00:00Z"),
    "the check value": lambda fields: fields.update(check="0" * 32),
    "the ring's id": lambda fields: fields.update(ring="0" * 32),
    "no MAC": lambda fields: fields.update(mac="0" * 64),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_edit_is_refused(
    ring: Keyring, root: FileRoot, tmp_path: Path, edit: Callable[[dict[str, Any]], None]
) -> None:
    data = edited(ring.path.read_bytes(), edit)
    Opened(data, Path("well-formed"))
    with pytest.raises(KeyringError, match="damaged"):
        open_bytes(tmp_path, data, root)


def test_an_older_entry_put_back_is_refused(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    other = Keyring.create(tmp_path / "b.ring", root)
    for info in infos(ring):
        other.add(info.name, info.size)
    theirs = json.loads(other.path.read_bytes())
    data = ring.path.read_bytes()
    for theirs_only in ({"keys": theirs["keys"]}, {"mac": theirs["mac"]}):
        mixed = edited(data, operator.methodcaller("update", theirs_only))
        with pytest.raises(KeyringError, match="damaged"):
            open_bytes(tmp_path, mixed, root)


def test_wrapped_keys_open_only_in_their_place(
    ring: Keyring, root: FileRoot, tmp_path: Path
) -> None:
    """Even a file with a right MAC can't give one key for another."""
    ring.add("people")
    path = ring.path
    subkeys = Subkeys.derive(
        bytes.fromhex(Path(root.path).read_text()), json.loads(path.read_bytes())["ring"]
    )

    def forged(change: Callable[[dict[str, Any]], None]) -> Keyring:
        data = edited(path.read_bytes(), change)
        mac = subkeys.mac(data[:-68])
        return open_bytes(tmp_path, edited(data, lambda fields: fields.update(mac=mac)), root)

    def exchange(fields: dict[str, Any]) -> None:
        keys = fields["keys"]
        keys[0]["wrapped"], keys[3]["wrapped"] = keys[3]["wrapped"], keys[0]["wrapped"]

    assert forged(lambda fields: None).key("people:1") == ring.key("people:1")
    for change, reference in [
        (exchange, "people:1"),
        (lambda fields: fields["keys"][0].update(name="peoplf"), "peoplf:1"),
        (lambda fields: fields["keys"][0].update(version=9), "people:9"),
    ]:
        with pytest.raises(KeyringError, match="wrapped for another name"):
            forged(change).key(reference)


# Strict decoding of hostile files, beside those of test_vectors.py


def change_root(change: dict[str, object]) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields["roots"][0].update(change)


def test_costs_are_bounded_before_anything_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.ring"
    Keyring.create(path, PassphraseRoot(Answers(PHRASE, PHRASE), n=CHEAP))
    data = path.read_bytes()
    hostile: list[dict[str, object]] = [
        {"n": 1 << 19}, {"n": 1 << 62}, {"n": 1 << 200}, {"n": 1 << 13}, {"n": 1}, {"n": 0},
        {"n": -CHEAP}, {"n": CHEAP + 1}, {"n": 3 << 14}, {"n": float(CHEAP)}, {"n": str(CHEAP)},
        {"n": True}, {"n": None}, {"r": 1}, {"r": 9}, {"r": 1 << 30}, {"p": 0}, {"p": 5},
        {"p": 1 << 30}, {"salt": ""}, {"salt": "0" * 30}, {"salt": "0" * 34}, {"salt": "G" * 32},
        {"salt": "0" * 32 + "\n"}, {"kind": "argon2"}, {"more": 1},
    ]  # fmt: skip
    for change in hostile:
        asked = Answers()
        with pytest.raises(KeyringError, match=r"not a valid key ring.*root"):
            open_bytes(tmp_path, edited(data, change_root(change)), PassphraseRoot(asked))
        assert asked.prompts == []


@pytest.mark.parametrize("n", [0, 1, 3, CHEAP // 2, CHEAP + 1, 1 << 19])
def test_costs_of_a_new_ring_are_those_that_open(n: int) -> None:
    with pytest.raises(ParameterError):
        PassphraseRoot(Answers(), n=n)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.update({"a\x1b[2J": 1}), r"there is no such field: 'a\\x1b\[2J'"),
        (lambda f: f.pop("check"), "check is missing"),
        (lambda f: f.pop("mac"), "mac is missing"),
        (lambda f: f.update(keys={}), "keys must be an array"),
        (lambda f: f["keys"].append(None), r"keys\[3\]: must be"),
        (lambda f: f.update(created="2020-01-01T00:00:00"), "UTC"),
        (lambda f: f.update(created="2020-01-01T00:00:00+00:00"), "created must be"),
        (lambda f: f.update(created="2020-01-01 00:00:00Z"), "created must be"),
        (lambda f: f.update(check="A" * 32), "check must be"),
    ],
)
def test_strict_decoding(
    ring: Keyring,
    root: FileRoot,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], None],
    says: str,
) -> None:
    data = edited(ring.path.read_bytes(), change)
    with pytest.raises(KeyringError, match=rf"other\.ring: .*{says}"):
        open_bytes(tmp_path, data, root)


@pytest.mark.parametrize(
    "data",
    [b"", b"\0", b"null", b"[]", b"{}", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000,
     b'{"format": "tallystick-keyring", "version": 1, "x": ' + b"[" * 100_000,
     b'{"format": "tallystick-keyring", "version": 1' + b"0" * 10_000 + b"}",
     b'{"format": "\xff", "version": 1}', b" " * (document.MAX_FILE + 1)],
    ids=range(13),
)  # fmt: skip
def test_not_a_ring_at_all(root: FileRoot, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(KeyringError, match=r"other\.ring: "):
        open_bytes(tmp_path, data, root)


def test_paths_that_are_no_ring(root: FileRoot, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, says in [("none", "keyring new"), ("pipe", "not a regular"), (".", "not a regular")]:
        with pytest.raises(KeyringError, match=says):
            Keyring.open(tmp_path / name, root)
