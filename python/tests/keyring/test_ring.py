# SPDX-License-Identifier: Apache-2.0
"""Key rings: the documented example, round trips, names, and that nothing shows a key."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyring_support import CHEAP, PHRASE, Answers, infos, listing, open_bytes
from pages import blocks
from tallystick._core import ffi
from tallystick.errors import KeyringError, ParameterError, RootKeyError
from tallystick.keyring import (
    EnvironmentRoot,
    FileRoot,
    KeyId,
    Keyring,
    PassphraseRoot,
    RootKey,
    document,
    passphrase,
)
from tallystick.keyring.seal import Subkeys

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "keyring.md"
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


# The documented format


def example() -> bytes:
    return blocks(DOCS.read_text("utf-8"), "json")[0].encode()


def test_documented_example_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_ROOT", bytes(range(32)).hex())
    ring = open_bytes(tmp_path, example(), EnvironmentRoot("EXAMPLE_ROOT"))
    assert ring.key("people:1") == bytes(range(0x40, 0x60))
    assert ring.key("people:2") == bytes(range(0x60, 0x70))
    assert [(str(info.id), info.size) for info in infos(ring)] == [
        ("people:1", 32),
        ("people:2", 16),
    ]
    assert ring.keys()[1].created.isoformat() == "2026-02-02T03:05:00+00:00"


def test_scrypt_root_is_rfc_7914() -> None:
    # hashlib's scrypt is checked against the RFC by its own tests; n, r, p, NFC and length here.
    given_text = "Pässword of many words"
    source = PassphraseRoot(Answers(unicodedata.normalize("NFD", given_text)))
    record = document.ScryptRoot(salt="00112233445566778899aabbccddeeff", n=CHEAP, r=8, p=2)
    expected = hashlib.scrypt(
        unicodedata.normalize("NFC", given_text).encode(),
        salt=bytes.fromhex(record.salt), n=CHEAP, r=8, p=2, maxmem=1 << 26, dklen=32,
    )  # fmt: skip
    assert source.recover(Path("a.ring"), record, "00" * 16) == expected


# Round trips


def test_keys_survive_reopening(ring: Keyring, root: FileRoot) -> None:
    again = Keyring.open(ring.path, root)
    assert [(str(info.id), info.size) for info in infos(again)] == [
        ("people:1", 32),
        ("cards:1", 16),
        ("people:2", 24),
    ]
    keys = [again.key(info.id) for info in infos(again)]
    assert keys == [ring.key(str(info.id)) for info in infos(ring)]
    assert [len(key) for key in keys] == [32, 16, 24]
    assert len(set(keys)) == 3


def test_file_and_variable_are_interchangeable(
    ring: Keyring, root: FileRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOT", Path(root.path).read_text().upper())
    again = Keyring.open(ring.path, RootKey.parse("env:ROOT"))
    assert again.key("people:1") == ring.key("people:1")


def test_two_rings_of_one_root_share_nothing(tmp_path: Path, root: FileRoot) -> None:
    paths = [tmp_path / "one.ring", tmp_path / "two.ring"]
    for path in paths:
        Keyring.create(path, root)
    one, two = (json.loads(path.read_bytes()) for path in paths)
    assert one["check"] != two["check"]
    assert one["mac"] != two["mac"]


def test_passphrase(tmp_path: Path) -> None:
    path = tmp_path / "a.ring"
    new = Answers(PHRASE, PHRASE)
    ring = Keyring.create(path, PassphraseRoot(new, n=CHEAP))
    ring.add("people")
    once = Answers(PHRASE)
    assert Keyring.open(path, RootKey.parse("prompt", ask=once)).key("people:1") == ring.key(
        "people:1"
    )
    assert len(new.prompts) == 2
    assert len(once.prompts) == 1
    assert str(path) in once.prompts[0]
    with pytest.raises(RootKeyError, match="does not belong to this key ring"):
        Keyring.open(path, PassphraseRoot(Answers(PHRASE + "s")))


WEAK = (
    "a" * 12,
    "a" * 200,
    "abcabcabcabc",
    "passwordpassword",
    "password1234",
    "qwertyuiop12",
    "123456789012",
)


@pytest.mark.parametrize("phrase", WEAK)
def test_a_weak_passphrase_opens_a_ring_that_has_it_and_makes_none(
    tmp_path: Path, phrase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.ring"
    asked = Answers(phrase)
    with pytest.raises(RootKeyError, match="is easy to guess") as caught:
        Keyring.create(path, PassphraseRoot(asked, n=CHEAP))
    assert phrase not in str(caught.value)
    assert len(asked.prompts) == 1
    assert listing(tmp_path) == set()
    with monkeypatch.context() as patch:
        patch.setattr(passphrase, "weakness", lambda _: None)
        Keyring.create(path, PassphraseRoot(Answers(phrase, phrase), n=CHEAP))
    assert Keyring.open(path, PassphraseRoot(Answers(phrase))).keys() == ()


@pytest.mark.parametrize("phrase", [PHRASE, "häuser und gärten im mai", "k7Qm2vXz9LpR", PHRASE * 9])
def test_a_strong_passphrase_is_taken(phrase: str) -> None:
    assert passphrase.weakness(phrase) is None


def test_passphrase_of_a_new_ring_is_refused_if_short_or_mistyped(tmp_path: Path) -> None:
    path = tmp_path / "a.ring"
    for answers, says in [(("short", "short"), "shorter"), ((PHRASE, "another"), "differ")]:
        with pytest.raises(RootKeyError, match=says) as caught:
            Keyring.create(path, PassphraseRoot(Answers(*answers), n=CHEAP))
        assert answers[0] not in str(caught.value).split()
        assert listing(tmp_path) == set()


def test_undecodable_passphrase_is_not_in_the_error() -> None:
    record = document.ScryptRoot(salt="00" * 16, n=CHEAP, r=8, p=1)
    with pytest.raises(RootKeyError, match="UTF-8") as caught:
        PassphraseRoot(Answers(PHRASE + "\udcff")).recover(Path("a.ring"), record, "00" * 16)
    assert caught.value.__suppress_context__
    assert PHRASE not in str(caught.value)


def test_root_kinds_are_not_mixed_up(ring: Keyring, root: FileRoot, tmp_path: Path) -> None:
    with pytest.raises(RootKeyError, match="use file:PATH or env:NAME"):
        Keyring.open(ring.path, PassphraseRoot(Answers(PHRASE)))
    path = tmp_path / "b.ring"
    Keyring.create(path, PassphraseRoot(Answers(PHRASE, PHRASE), n=CHEAP))
    with pytest.raises(RootKeyError, match="use prompt"):
        Keyring.open(path, root)


# Names and references


@given(name=st.from_regex(NAME, fullmatch=True), version=st.integers(1, 2**32 - 1))
def test_reference_round_trip(name: str, version: int) -> None:
    key_id = KeyId(name, version)
    assert KeyId.parse(str(key_id)) == key_id


@given(st.one_of(st.text(max_size=70), st.from_regex(r"[a-z0-9_.-]{0,66}\n?", fullmatch=True)))
def test_name_is_accepted_exactly_if_in_the_grammar(name: str) -> None:
    try:
        KeyId(name, 1)
        accepted = True
    except ParameterError:
        accepted = False
    assert accepted == (NAME.fullmatch(name) is not None)


@settings(max_examples=30)  # each writes files
@given(st.lists(st.from_regex(NAME, fullmatch=True), min_size=1, max_size=4))
def test_any_name_can_be_added(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = RootKey.generate_file(Path(directory, "root.key"))
        ring = Keyring.create(Path(directory, "a.ring"), root)
        added = [ring.add(name) for name in names]
        again = Keyring.open(ring.path, root)
        assert [info.id for info in infos(again)] == added
        assert [again.key(key_id) for key_id in added] == [ring.key(key_id) for key_id in added]
        for name in names:
            versions = [key_id.version for key_id in added if key_id.name == name]
            assert versions == list(range(1, names.count(name) + 1))


@pytest.mark.parametrize(
    "reference",
    ["people", "people:", "people:0", "people:01", "people:+1", "people:1 ", "people:1\n",
     "people:\u0661", ":1", "people:1:1", "People:1", f"people:{2**32}", "people:99999999999"],
)  # fmt: skip
def test_bad_reference(ring: Keyring, reference: str) -> None:
    with pytest.raises(ParameterError):
        ring.key(reference)


def test_missing_key_names_the_newest(ring: Keyring) -> None:
    with pytest.raises(KeyringError, match=r"a\.ring: no key people:3; .*people:1, people:2"):
        ring.key("people:3")
    with pytest.raises(KeyringError, match="no key has this name"):
        ring.key("nobody:1")


@pytest.mark.parametrize("size", [0, 8, 15, 17, 33, 64, -16])
def test_bad_size(ring: Keyring, size: int) -> None:
    with pytest.raises(ParameterError):
        ring.add("people", size)


# Nothing shows a key


def test_repr_shows_no_key(ring: Keyring, root: FileRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(root.path).read_text().strip()
    monkeypatch.setenv("ROOT", text)
    subkeys = Subkeys.derive(bytes.fromhex(text), "00" * 16)
    held = [ffi.buffer(key, 32)[:] for key in (subkeys.wrapping, subkeys.authentication)]
    secrets = [bytes.fromhex(text), *held]
    secrets += [ring.key(info.id) for info in infos(ring)]
    shown = "".join(
        repr(thing) + str(thing)
        for thing in (ring, ring.keys(), root, EnvironmentRoot("ROOT"), PassphraseRoot(), subkeys)
    )
    for secret in secrets:
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
    assert "a.ring" in repr(ring)


def test_root_key_is_let_go(ring: Keyring, root: FileRoot) -> None:
    subkeys = ring._subkeys
    held = repr([getattr(ring, slot) for slot in Keyring.__slots__]).encode()
    held += subkeys.ring + subkeys.check.encode()
    held += ffi.buffer(subkeys.wrapping, 32)[:] + ffi.buffer(subkeys.authentication, 32)[:]
    text = Path(root.path).read_text().strip()
    assert text.encode() not in held
    assert bytes.fromhex(text) not in held
    assert ring.key("people:1") not in held
