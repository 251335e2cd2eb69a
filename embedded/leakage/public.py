# SPDX-License-Identifier: Apache-2.0
"""Points that depend only on public data: plaintexts and ciphertexts."""

from __future__ import annotations

import numpy as np
from embedded.emulator.elf import Image
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.values import Lanes, Word
from numpy.typing import NDArray

from .campaign import BLOCKS, Batch, Work
from .ttest import PathError, Points

TRACES = 1024
"""Twice as many as there are public bits: by chance no other word is linear in them."""


class _Words:
    """A probe that stores the words of some points."""

    def __init__(self, wanted: NDArray[np.bool_]) -> None:
        self.points: list[tuple[int, Leak]] = []
        self.words: list[Lanes] = []
        self._wanted = wanted.tolist()

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Take the words of all lanes."""
        if len(self.points) < len(self._wanted) and self._wanted[len(self.points)]:
            self.words.append(word)
        self.points.append((address, leak))


def are_public(
    image: Image,
    work: Work,
    points: Points,
    chosen: NDArray[np.bool_],
    seed: int = 0,
    kinds: frozenset[Leak] = REMOVED,
) -> NDArray[np.bool_]:
    """Return which of the chosen points are linear in bits of plaintexts and ciphertexts.

    Each trace has its own key, plaintexts and masks. So a word that is linear in the public
    bits, in all traces, depends on nothing else.

    Raises
    ------
    PathError
        The points are not those of the traces that are taken here.
    """
    batch = Batch(image, TRACES, np.random.default_rng(seed), kinds=kinds)
    key: list[Word] = [batch.random() for _ in range(4)]
    data: list[Word] = [batch.random() for _ in range(4 * BLOCKS)]
    probe = _Words(chosen)
    batch.do(work, key, data, probe)
    if probe.points != list(zip(points.addresses.tolist(), points.leaks.tolist(), strict=True)):
        raise PathError("traces with random keys have other points")
    space = _Space()
    for word in (*data, *batch.take()):
        for bit in _bits(word):
            space.add(bit)
    words = {id(word): word for word in probe.words}  # many points have one word
    linear = {at: all(space.has(bit) for bit in _bits(word)) for at, word in words.items()}
    found = chosen.copy()
    found[chosen] = [linear[id(word)] for word in probe.words]
    return found


def _bits(word: Word) -> list[int]:
    """Return each bit of a word: of all traces, as one number."""
    lanes = np.broadcast_to(np.asarray(word, np.uint32), TRACES)
    return [int.from_bytes(np.packbits((lanes >> i & 1).astype(np.uint8))) for i in range(32)]


class _Space:
    """The span of some vectors over GF(2) and of a constant."""

    def __init__(self) -> None:
        self._basis: dict[int, int] = {}  # by length
        self.add((1 << TRACES) - 1)

    def _rest(self, vector: int) -> int:
        while vector and vector.bit_length() in self._basis:
            vector ^= self._basis[vector.bit_length()]
        return vector

    def add(self, vector: int) -> None:
        """Add a vector."""
        rest = self._rest(vector)
        if rest:
            self._basis[rest.bit_length()] = rest

    def has(self, vector: int) -> bool:
        """Return whether a vector is a sum of those here."""
        return self._rest(vector) == 0
