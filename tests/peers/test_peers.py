# SPDX-License-Identifier: Apache-2.0
"""Tallystick and other implementations of FF1 and FF3-1 understand each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from bench import foreign
from tests.peers import peers, vectors
from tests.peers.peers import Cipher, Peer

from tallystick import FF1Cipher, FF31Cipher

PEERS = [(name, cipher) for name, ciphers in peers.NAMES.items() for cipher in ciphers]
CIPHERS: tuple[Cipher, ...] = ("ff1", "ff3-1")


@pytest.fixture(scope="session")
def programs() -> Sequence[foreign.Peer]:
    vectors.BUILD.mkdir(parents=True, exist_ok=True)
    return foreign.build(vectors.BUILD, print)[0]


@pytest.fixture
def peer(request: pytest.FixtureRequest, programs: Sequence[foreign.Peer]) -> Iterator[Peer]:
    name, cipher = request.param
    with ExitStack() as stack:
        opened = peers.open_peer(name, cipher, programs, stack)
        if isinstance(opened, str):
            pytest.skip(opened)
        yield opened


@pytest.mark.parametrize(
    ("peer", "name", "cipher"),
    [pytest.param((name, cipher), name, cipher, id=f"{name}-{cipher}") for name, cipher in PEERS],
    indirect=["peer"],
)
@pytest.mark.parametrize("of", ["acvp", "peers"])
def test_a_peer_computes_the_vectors(peer: Peer, name: str, cipher: Cipher, of: str) -> None:
    checked = 0
    for case, token in vectors.read(cipher, of):
        part = peers.part_for(name, case)
        if part is not None and part.words:
            assert peer.encrypt(part) == [token]
            assert peer.decrypt(part, [token]) == list(part.words)
            checked += 1
    assert checked > {"acvp": 12, "peers": 50}[of]


def word_of(symbols: Sequence[int], radix: int) -> Any:  # noqa: ANN401
    return bytes(symbols) if radix <= 256 else np.array(symbols, np.uint16)


def symbols_of(word: Any) -> tuple[int, ...]:  # noqa: ANN401
    return tuple(int(symbol) for symbol in word)


@pytest.mark.parametrize(
    ("peer", "name"),
    [pytest.param((name, cipher), name, id=name) for name, cipher in PEERS if cipher == "ff1"],
    indirect=["peer"],
)
def test_ff1_goes_both_ways(peer: Peer, name: str) -> None:
    checked = 0
    for whole in peers.cases("ff1"):
        case = peers.part_for(name, whole)
        if case is None:
            continue
        with FF1Cipher(case.key, case.radix, profile="ff1-2016") as ours:
            for word, theirs in zip(case.words, peer.encrypt(case), strict=True):
                assert symbols_of(ours.decrypt(word_of(theirs, case.radix), case.tweak)) == word
            tokens = [
                symbols_of(ours.encrypt(word_of(word, case.radix), case.tweak))
                for word in case.words
            ]
        assert peer.decrypt(case, tokens) == list(case.words)
        checked += len(tokens)
    assert checked > 1000


@pytest.mark.parametrize(
    ("peer", "name"),
    [pytest.param((name, cipher), name, id=name) for name, cipher in PEERS if cipher == "ff3-1"],
    indirect=["peer"],
)
def test_tokens_of_ff3_1_are_read(peer: Peer, name: str) -> None:
    checked = 0
    for whole in peers.cases("ff3-1"):
        case = peers.part_for(name, whole)
        if case is None:
            continue
        with FF31Cipher(case.key, case.radix) as ours:
            for word, theirs in zip(case.words, peer.encrypt(case), strict=True):
                assert symbols_of(ours.decrypt(word_of(theirs, case.radix), case.tweak)) == word
                if name == "capitalone/fpe":  # which has FF3
                    tweak = peers.as_ff3(case.tweak)
                    assert symbols_of(ours.decrypt(word_of(theirs, case.radix), tweak)) == word
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("cipher", CIPHERS)
def test_the_file_has_what_the_peers_agree_on(
    cipher: Cipher, programs: Sequence[foreign.Peer]
) -> None:
    with ExitStack() as stack:
        opened = [peers.open_peer(name, has, programs, stack) for name, has in PEERS]
        absent = [why for why in opened if isinstance(why, str)]
        if absent:
            pytest.skip("; ".join(absent))
        peers_there = {
            name: one
            for (name, has), one in zip(PEERS, opened, strict=True)
            if has == cipher and not isinstance(one, str)
        }
        made = vectors.text(vectors.agreed(cipher, peers_there))
    assert made == vectors.path(cipher, "peers").read_text()
