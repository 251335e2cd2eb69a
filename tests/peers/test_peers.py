# SPDX-License-Identifier: Apache-2.0
"""Tallystick and other implementations of FF1 and FF3-1 understand each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest
from bench import foreign
from tests.peers import peers, vectors
from tests.peers.peers import Cipher, Peer

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
