# SPDX-License-Identifier: Apache-2.0
"""What holds keys or a secret is neither copied nor pickled: a copy would outlive `close`."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import tallystick
from keyring_support import CHEAP, PHRASE, Answers, make_ring
from tallystick import FastCipher, FF1Cipher, FF31Cipher, Protector, Tokenizer, formats, shares
from tallystick.inspection.distinct import Hasher
from tallystick.keyring import Keyring, PassphraseRoot
from tallystick.keyring.document import SharedRoot
from tallystick.keyring.gather import Gathering
from tallystick.keyring.roots.age import Identity, Passphrase
from tallystick.keyring.seal import Subkeys
from tallystick.memory import HoldsKeys
from tallystick.policy import Policy
from tallystick.shares.found import Given
from tallystick.text import TextPolicy, TextProtector
from tallystick.text.fast_cipher import FastCipherText
from text_support import POLICY as TEXT_POLICY

KEY = b"0123456789abcdef"
POLICY = '[columns]\nid = { format = "digits", key = "people:1", namespace = "person id" }\n'


def a_ring(folder: Path) -> Keyring:
    return make_ring(folder / "a.keys", "people")


def text_protector(folder: Path) -> TextProtector:
    ring = make_ring(folder / "a.keys", "people", "cards")
    return TextProtector(TextPolicy.parse(TEXT_POLICY.replace("FRAME", "unicode")), ring)


def gathering(folder: Path) -> Gathering:
    return Gathering(SharedRoot("0" * 32, 2, 2, ("Ann", "Bob")), "0" * 32)


HANDLES: dict[str, Callable[[Path], HoldsKeys]] = {
    "Tokenizer": lambda _: Tokenizer(formats.digits(), KEY, namespace="test"),
    "FastCipher": lambda _: FastCipher(KEY, 10),
    "FastCipherText": lambda _: FastCipherText(KEY),
    "FF1Cipher": lambda _: FF1Cipher(KEY, 10),
    "FF31Cipher": lambda _: FF31Cipher(KEY, 10),
    "Keyring": a_ring,
    "Opened": lambda folder: a_ring(folder)._opened,
    "Subkeys": lambda _: Subkeys.derive(bytes(32), "0" * 32),
    "Protector": lambda folder: Protector(Policy.parse(POLICY), a_ring(folder)),
    "PassphraseRoot": lambda _: PassphraseRoot(Answers(PHRASE), n=CHEAP),
    "Identity": lambda _: Identity("age1", "an identity's file"),
    "Passphrase": lambda _: Passphrase(Answers(PHRASE)),
    "Gathering": gathering,
    "Combined": lambda _: shares.combine(shares.split(KEY, shares=2, threshold=2)),
    "Given": lambda _: Given(),
    "TextProtector": text_protector,
    "Restorer": lambda folder: text_protector(folder).restorer(),
    "Hasher": lambda _: Hasher(),
}
COPIERS: dict[str, Callable[[object], object]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": partial(pickle.dumps, protocol=protocol)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


def classes(base: type[HoldsKeys]) -> set[str]:
    """Return the names of the classes that have no others below them."""
    below = base.__subclasses__()
    return set().union(*map(classes, below)) if below else {base.__name__}


def test_all_of_them_are_tested() -> None:
    # A class is known once its module is imported, and other tests may have imported it or not.
    for module in pkgutil.walk_packages(tallystick.__path__, "tallystick."):
        if module.name.rpartition(".")[2] != "__main__":
            with suppress(ImportError):  # of a library that is not installed
                importlib.import_module(module.name)
    assert classes(HoldsKeys) == set(HANDLES)


@pytest.mark.parametrize("name", HANDLES)
def test_no_copy(tmp_path: Path, name: str) -> None:
    handle = HANDLES[name](tmp_path)
    for copier in COPIERS.values():
        with pytest.raises(TypeError, match=f"a {name} holds keys or a secret and can't be pickle"):
            copier(handle)
