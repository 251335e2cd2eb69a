# SPDX-License-Identifier: Apache-2.0
"""Fixed-versus-random t-tests on Hamming weights (Welch; Schneider and Moradi, CHES 2015).

The first half of the lanes has the fixed input, and the second half random ones. Kept are sums of
powers, from which the tests of both orders follow, whatever the number of batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from embedded.emulator.leaks import Leak
from embedded.emulator.values import Lanes
from numpy.typing import NDArray

THRESHOLD = 4.5
FALSE_ALARM = 0.001
"""The chance that any point of a test is above `corrected` where none leaks."""
CENTRE = 16
"""Subtracted from Hamming weights of 32 bits, so that sums of powers stay small and exact."""
_ROWS = 32
"""Words that are summed up at once."""

Floats = NDArray[np.float64]


class PathError(RuntimeError):
    """Batches of traces do not have the same points."""


class Moments:
    """A probe that sums up powers of Hamming weights.

    Parameters
    ----------
    lanes
        An even number, of which the first half is one class.
    runs
        How many such runs are side by side, each of so many lanes.
    """

    def __init__(self, lanes: int, runs: int = 1) -> None:
        if lanes < 4 or lanes % 2:
            raise ValueError(f"lanes must be an even number from 4 on, not {lanes}")
        self.traces = 0
        """Of each class, in all batches."""
        self._half = lanes // 2
        self._points: list[tuple[int, Leak]] = []
        self._sums: list[Floats] = []
        self._rows: list[int] = []
        """Of each point, where in `_sums` its word is."""
        self._total: Floats | None = None
        self._first: list[tuple[int, Leak]] | None = None
        self._words: dict[int, tuple[int, Lanes]] = {}
        """Those to be summed up, by identity: many points have one word."""
        self._weights = np.empty((_ROWS, runs * lanes), np.uint8)
        self._powers = np.empty((2, _ROWS, runs * lanes), np.float32)
        self._ones = np.ones(self._half, np.float32)

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Take the words of all lanes, which nobody changes any more."""
        found = self._words.get(id(word))
        if found is None:
            if len(self._words) == _ROWS:
                self._flush()
            at = len(self._words)
            np.bitwise_count(word, out=self._weights[at])
            found = self._words[id(word)] = _ROWS * len(self._sums) + at, word
        self._points.append((address, leak))
        self._rows.append(found[0])

    def _flush(self) -> None:
        x, squares = self._powers
        x[:] = self._weights
        x -= np.float32(CENTRE)
        np.multiply(x, x, out=squares)
        x, squares = (power.reshape(_ROWS, -1, self._half) for power in (x, squares))
        sums = (x @ self._ones, np.vecdot(x, x), np.vecdot(x, squares), np.vecdot(squares, squares))
        self._sums.append(np.array(sums, np.float64))
        self._words.clear()

    def end_batch(self) -> None:
        """Add the samples since the last batch.

        Raises
        ------
        PathError
            The points are not those of the other batches.
        """
        self._flush()
        sums = np.concatenate(self._sums, axis=1)[:, self._rows]
        if self._first is None:
            self._first, self._total = self._points, sums
        elif self._first == self._points and self._total is not None:
            self._total += sums
        else:
            raise PathError("a batch of traces has other points than the first one")
        self.traces += self._half
        self._points, self._sums, self._rows = [], [], []

    def points(self, run: int = 0) -> Points:
        """Return the sums of all batches.

        Raises
        ------
        PathError
            There is no batch.
        """
        if self._first is None or self._total is None:
            raise PathError("there is no batch of traces")
        addresses = np.array([address for address, _ in self._first], np.int64)
        leaks = np.array([leak for _, leak in self._first], np.int64)
        of_run = self._total[:, :, 2 * run : 2 * run + 2]
        return Points(addresses, leaks, self.traces, of_run / self.traces)


@dataclass(frozen=True)
class Points:
    """Each instruction's leaks, in the order of time.

    Attributes
    ----------
    addresses, leaks
        Of each point, its instruction and which `Leak` it is.
    traces
        Of each class.
    raw
        Mean first to fourth powers of the Hamming weight less `CENTRE`: of shape
        (4, points, 2), the last one for the fixed and the random class.
    """

    addresses: NDArray[np.int64]
    leaks: NDArray[np.int64]
    traces: int
    raw: Floats

    def first_order(self, noise: float = 0.0, seed: int = 0) -> Floats:
        """Return Welch's t of the means.

        `noise` is the standard deviation of Gaussian noise on each trace, in bits. It is not added
        to traces: means of noise are drawn, which have the same distribution, and the variance is
        that of the sum.
        """
        mean, variance = self.raw[0], self.raw[1] - self.raw[0] ** 2
        if noise:
            mean = mean + _noise(seed, mean.shape, noise / np.sqrt(self.traces))
        return _welch(mean, variance + noise**2, self.traces)

    def second_order(self, noise: float = 0.0, seed: int = 0) -> Floats:
        """Return Welch's t of the squares after subtraction of the class's mean.

        `noise` as above, by the moments that the sum with it has.
        """
        m1, m2, m3, m4 = self.raw
        square = m2 - m1**2
        fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
        if noise:
            spread = np.sqrt((4 * square * noise**2 + 2 * noise**4) / self.traces)
            fourth = fourth + 6 * square * noise**2 + 3 * noise**4
            square = square + noise**2
            variance = fourth - square**2
            return _welch(square + _noise(seed, square.shape, spread), variance, self.traces)
        return _welch(square, fourth - square**2, self.traces)


def above(points: Points, *others: Points) -> NDArray[np.bool_]:
    """Return which points are above the threshold at first order in all of several runs.

    One in 150,000 points that do not leak is above it in one run by chance.
    """
    found = np.abs(points.first_order()) > THRESHOLD
    for other in others:
        if not np.array_equal(points.addresses, other.addresses):
            raise PathError("runs have other points than the first one")
        found &= np.abs(other.first_order()) > THRESHOLD
    return found


def corrected(points: int) -> float:
    """Return the threshold for one test of so many points (Bonferroni), at least `THRESHOLD`.

    t of thousands of traces is as good as normal.
    """
    return max(THRESHOLD, NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * max(points, 1))))


def agree(one: Floats, other: Floats) -> NDArray[np.bool_]:
    """Return which points are above `THRESHOLD` in both runs, with the same sign."""
    above_in_both = np.minimum(np.abs(one), np.abs(other)) > THRESHOLD
    return np.asarray(above_in_both & (np.sign(one) == np.sign(other)))


def _noise(seed: int, shape: tuple[int, ...], scale: float | Floats) -> Floats:
    return np.random.default_rng(seed).normal(size=shape) * scale


def _welch(mean: Floats, variance: Floats, traces: int) -> Floats:
    """Return t; infinite where both classes are constant, and are not the same."""
    difference = mean[:, 0] - mean[:, 1]
    difference = np.where(np.abs(difference) < 1e-9, 0.0, difference)
    error = np.sqrt(np.maximum(variance, 0.0).sum(1) / (traces - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference / np.where(error < 1e-9, 0.0, error)
    return np.where(difference == 0.0, 0.0, t)
