# SPDX-License-Identifier: Apache-2.0
"""Correlation attacks on a key byte (Brier, Clavier and Olivier, CHES 2004).

The model is the right one for bit slicing: a plane of the state after the first S-box has one bit
of each byte, so its Hamming weight correlates with each bit of S(p + k), summed over the blocks of
a word. Each of the eight bits and each point is tried, and a guess of k counts by its largest
correlation.

With masks off, both shares of that bit are fixed functions of the S-box's input, and which they are
depends on the gadgets. An attacker who has the code knows them, so they are the model then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from embedded.circuit import cortex_m0, thumb_schedule
from embedded.emulator.costs import KEY
from embedded.emulator.elf import Image
from embedded.emulator.leaks import Leak
from embedded.emulator.values import Lanes
from numpy.typing import NDArray

from . import campaign
from .campaign import BLOCKS, ENCRYPT, Batch

GUESSES = 256
_WINDOW = 0.15
"""The part of the encryption's points that holds the first round and its results."""
_POINTS = 1024
"""Whose correlations are computed at once."""


def _sbox() -> NDArray[np.uint8]:
    """Return the S-box (FIPS 197, section 5.1.1), by powers of 3 and of its inverse."""
    table = np.empty(256, np.uint8)
    p = q = 1
    for _ in range(255):
        p = (p ^ p << 1 ^ (0x11B if p & 0x80 else 0)) & 0xFF
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q * 0x101
        table[p] = (q ^ turned >> 7 ^ turned >> 6 ^ turned >> 5 ^ turned >> 4 ^ 0x63) & 0xFF
    table[0] = 0x63
    return table


SBOX = _sbox()

Bits = NDArray[np.uint8]
"""Bits of an S-box's results: of shape (inputs, bits)."""


def results() -> Bits:
    """Return the bits of S."""
    return np.unpackbits(SBOX[:, None], axis=1, bitorder="little")


def shares_without_masks() -> Bits:
    """Return the bits of both shares of S where all masks and second shares are zero.

    It runs the schedule of the assembly's S-box on the bits of all inputs.
    """
    schedule = thumb_schedule.parse(cortex_m0.schedule_path("sub_bytes").read_text())
    inputs = np.arange(256, dtype=np.uint8)
    words: dict[str, Bits] = {}
    for bit, pair in enumerate(cortex_m0.STATE):
        words[pair[0]] = inputs >> np.uint8(bit) & np.uint8(1)
        words[pair[1]] = np.zeros_like(inputs)
    values: dict[str, Bits] = {}
    for name, first, *others in schedule.operations:
        match name, *others:
            case ["loaded", word]:
                values[first] = words[word]
            case ["drawn", _]:
                values[first] = np.zeros_like(inputs)
            case ["passed", source]:
                values[first] = values[source]
            case ["stored", word]:
                words[word] = values[first]
            case ["summed", other]:
                values[first] = values[first] ^ values[other]
            case ["multiplied", other]:
                values[first] = values[first] & values[other]
            case ["cleared", other]:
                values[first] = values[first] & (values[other] ^ np.uint8(1))
            case ["inverted"]:
                values[first] = values[first] ^ np.uint8(1)
            case _:
                raise ValueError(f"the schedule has an operation {name} that is not known here")
    return np.stack([words[pair[s]] for s in (0, 1) for pair in cortex_m0.STATE], axis=1)


@dataclass(frozen=True)
class Attack:
    """How guesses of one key byte did.

    Attributes
    ----------
    byte
        Which one.
    traces
        That were used.
    correlations
        The largest absolute correlation of each guess.
    """

    byte: int
    traces: int
    correlations: NDArray[np.float64]

    @property
    def found(self) -> bool:
        """Whether the key's byte is the best guess; by chance it is in one of 256 attacks."""
        return int(self.correlations.argmax()) == KEY[self.byte]

    @property
    def of_key(self) -> float:
        """The correlation of the key's byte."""
        return float(self.correlations[KEY[self.byte]])

    @property
    def of_others(self) -> float:
        """The largest correlation of another guess."""
        return float(np.delete(self.correlations, KEY[self.byte]).max())

    @property
    def margin(self) -> float:
        """How far the key byte's correlation is above the largest other one; else negative."""
        return self.of_key - self.of_others


class _Window:
    """A probe that stores the Hamming weights of the first points of some kinds."""

    def __init__(self, leaks: Sequence[Leak], points: int | None = None) -> None:
        self.rows: list[NDArray[np.uint8]] = []
        self.leaks, self._points = frozenset(leaks), points

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Take the words of all lanes."""
        if leak in self.leaks and (self._points is None or len(self.rows) < self._points):
            self.rows.append(np.bitwise_count(word))


def attack(
    image: Image,
    traces: int,
    *,
    masks: bool = True,
    leaks: Sequence[Leak] = (Leak.RESULT,),
    bytes_of_key: Sequence[int] = (0,),
    seed: int = 0,
    lanes: int = 4096,
) -> list[Attack]:
    """Attack bytes of the first round key, from traces of encryptions of random blocks.

    Parameters
    ----------
    image
        The firmware.
    traces
        How many; rounded up to a whole number of batches.
    masks
        Whether there are any.
    leaks
        Which points the attacker sees.
    bytes_of_key
        From 0 to 15.
    seed
        Of masks and blocks.
    lanes
        Traces of a batch.
    """
    rng = np.random.default_rng(seed)
    lanes = min(lanes, traces)
    trial = _Window(leaks)
    _encrypt(image, 4, rng, masks, trial)
    points = max(1, int(_WINDOW * len(trial.rows)))
    bits = results() if masks else shares_without_masks()
    sums = [Sums(bits) for _ in bytes_of_key]
    for _ in range(0, traces, lanes):
        window = _Window(leaks, points)
        blocks = _encrypt(image, lanes, rng, masks, window)
        x = np.stack(window.rows).astype(np.float32) - np.float32(16)
        for byte, own in zip(bytes_of_key, sums, strict=True):
            own.add(x, blocks[:, :, byte])
    return [
        Attack(byte, own.traces, own.correlations())
        for byte, own in zip(bytes_of_key, sums, strict=True)
    ]


def _encrypt(
    image: Image, lanes: int, rng: np.random.Generator, masks: bool, probe: _Window
) -> NDArray[np.uint8]:
    """Encrypt random blocks, and return them: of shape (lanes, blocks, 16)."""
    batch = Batch(image, lanes, rng, masks, kinds=probe.leaks)
    batch.set_key(campaign.as_words(KEY))
    words = [batch.random() for _ in range(4 * BLOCKS)]
    batch.slice(words)
    batch.ask(ENCRYPT.command, probe, ENCRYPT.within)
    in_bytes = np.stack(words, axis=1).astype("<u4").view(np.uint8)
    return in_bytes.reshape(lanes, BLOCKS, 16)


def _predictions(bits: Bits) -> NDArray[np.float64]:
    """Return each bit for v + k: of shape (values v, guesses k x bits)."""
    values = np.arange(256, dtype=np.uint8)
    predicted: NDArray[np.float64] = bits[values[:, None] ^ values].astype(np.float64)
    return predicted.reshape(256, -1)


class Sums:
    """The sums for correlations, over batches.

    A prediction is a sum over blocks, each of which depends on the value of its byte alone. So
    points are summed up by these values, and guesses come in at the end.
    """

    def __init__(self, bits: Bits) -> None:
        self.traces = 0
        self._bits = bits
        self._x: NDArray[np.float64] | float = 0.0
        self._xx: NDArray[np.float64] | float = 0.0
        self._by_value: NDArray[np.float64] | float = 0.0
        self._pairs = np.zeros((256, 256))  # how often values of both blocks come together

    def add(self, x: NDArray[np.float32], values: NDArray[np.uint8]) -> None:
        """Add traces: `x` of shape (points, traces), `values` of shape (traces, blocks)."""
        self.traces += x.shape[1]
        self._x += x.sum(1, dtype=np.float64)
        self._xx += np.einsum("pn,pn->p", x, x).astype(np.float64)
        here = np.zeros((x.shape[1], 256), np.float32)
        for block in range(BLOCKS):
            np.add.at(here, (np.arange(len(here)), values[:, block]), 1)
        self._by_value += (x @ here).astype(np.float64)
        np.add.at(self._pairs, (values[:, 0], values[:, 1]), 1)

    def correlations(self) -> NDArray[np.float64]:
        """Return the largest absolute correlation of each guess."""
        n, one = self.traces, _predictions(self._bits)
        once = self._pairs.sum(0) + self._pairs.sum(1)
        p = once @ one
        pp = once @ (one * one) + 2 * (one * (self._pairs @ one)).sum(0)
        x, xx = np.asarray(self._x), np.asarray(self._xx)
        of_points, of_guesses = n * xx - x * x, n * pp - p * p
        varies = of_points > 0
        centered = n * np.asarray(self._by_value)[varies] - np.outer(x[varies], once)
        centered /= np.sqrt(of_points[varies])[:, None]
        found = np.zeros(len(p))
        for at in range(0, len(centered), _POINTS):  # all at once would take gigabytes
            several = centered[at : at + _POINTS] @ one
            np.maximum(found, np.maximum(several.max(0), -several.min(0)), out=found)
        found /= np.sqrt(np.where(of_guesses > 0, of_guesses, np.inf))
        best: NDArray[np.float64] = found.reshape(GUESSES, -1).max(1)
        return best
