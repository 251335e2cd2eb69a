# SPDX-License-Identifier: Apache-2.0
"""FF1 on each back end, in C: what bench/ff1.c's program measures."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from . import foreign
from .timing import Case, Group, Section, Timing, Unit, side_by_side

MEASURED = {"many": "", "row_tweaks": ", a tweak a word", "one": ", one a call"}
"""What a label says of how words are passed."""
LANES = {"avx512": ", IFMA", "avx2": ", AVX2", "neon": ", NEON", "portable": ""}
"""What a label says of the lanes behind the AES."""


PEERS_BESIDE = "16 symbols of radix 10"
PEER_VALUES = 20_000


def _peers(others: Sequence[foreign.Peer], repetitions: int) -> tuple[Timing, ...]:
    """Measure the peers' FF1, one value a call."""
    key, values = bytes(range(16)), [f"{n * 7919:016}" for n in range(PEER_VALUES)]
    with ExitStack() as stack:
        cases = [
            Case(
                f"{other.label}, one a call",
                stack.enter_context(foreign.Running(other, key, values)).encrypt,
                len(values),
            )
            for other in others
            if other.cipher == "ff1"
        ]
        return side_by_side(cases, repetitions) if cases else ()


def ff1(program: Path, repetitions: int, others: Sequence[foreign.Peer] = ()) -> Section:
    """Run the program, which goes through all shapes and back ends `repetitions` times."""
    done = subprocess.run(
        [program, str(repetitions)], stdout=subprocess.PIPE, text=True, check=True
    )
    samples: dict[str, dict[str, list[float]]] = {}
    for line in done.stdout.splitlines():
        sample = json.loads(line)
        by = sample["aes"] + LANES[sample["lanes"]]
        own = samples.setdefault(f"{sample['length']} symbols of radix {sample['radix']}", {})
        for key, label in MEASURED.items():
            own.setdefault(f"{by}{label}", []).append(sample[key] * 1e-9)
    return Section(
        "FF1, the standard of NIST, in C",
        tuple(
            Group(
                shape,
                Unit.VALUES_PER_SECOND,
                (
                    *(Timing(label, 1, tuple(seconds)) for label, seconds in own.items()),
                    *(_peers(others, repetitions) if shape == PEERS_BESIDE else ()),
                ),
                ratios=False,
            )
            for shape, own in samples.items()
        ),
        (
            "4,096 words side by side, in place, under one tweak or under a tweak of 8 bytes "
            "each. One a call: each word is the token of the one before. The back end is that of "
            "AES; IFMA, AVX2, NEON: numbers lie on such lanes, of AVX-512 by IFMA; else plain C "
            "computes with them. docs/reference/ff1.md has the bounds.",
            f"Peers encrypt {PEER_VALUES:,} values, one a call, by the wall clock.",
        ),
    )
