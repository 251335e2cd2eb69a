# SPDX-License-Identifier: Apache-2.0
"""Masked AES with words of each size: what bench/masked.c's program measures."""

from __future__ import annotations

from pathlib import Path

from .programs import by_turns
from .timing import Group, Section, Timing, Unit


def masked(program: Path, repetitions: int) -> Section:
    """Run the program `repetitions` times.

    Raises
    ------
    WrongResultError
        See `by_turns`.
    """
    samples: dict[str, dict[str, list[float]]] = {}
    for sample in by_turns([program], repetitions):
        of_work = samples.setdefault(sample["work"], {})
        seconds = sample["ns"] * 1e-9 / sample["blocks"]
        of_work.setdefault(sample["by"], []).append(seconds)
    return Section(
        "Masked AES-128, in C",
        tuple(
            Group(
                work,
                Unit.VALUES_PER_SECOND,
                tuple(Timing(by, 1, tuple(seconds)) for by, seconds in of_work.items()),
            )
            for work, of_work in samples.items()
        ),
        (
            "Blocks a second on one thread, with one key; a call has as many blocks as a word "
            "holds. A counter masks nothing: it shows the cost without the generation of masks.",
        ),
    )
