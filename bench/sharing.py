# SPDX-License-Identifier: Apache-2.0
"""Secret sharing beside its peers: what bench/sharing.c's program and those of the peers measure.

Vault's Shamir and klauspost's Reed-Solomon code in Go, the crates blahaj and vsss-rs in Rust, and
pycryptodome. Each program goes through all its work at each turn, and prints JSON lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from . import programs
from .errors import WrongResultError
from .timing import Section, Timing, looped, side_by_side

_PYCRYPTODOME_SIZE = 16


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Path], list[str]]:
    """Build the peers' programs into `folder`, and say which can't be built and why."""
    go, rust = folder / "peer-sharing-go", folder / "rust" / "release" / "sharing"
    sources = programs.SOURCES
    commands = {
        go: ["go", "build", "-C", str(sources / "go"), "-o", str(go.resolve()), "./sharing"],
        rust: [
            *("cargo", "build", "--quiet", "--release", "--locked", "--bin", "sharing"),
            *("--manifest-path", str(sources / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust")),
        ],
    }
    return programs.build("sharing", commands, say)


def sharing(
    own: Path, peers: Sequence[Path], in_python: Mapping[str, Timing], repetitions: int
) -> Section:
    """Run all programs by turns, `repetitions` times, and put what `pycryptodome` gave beside them.

    Raises
    ------
    WrongResultError
        See `programs.by_turns`.
    """
    more = {
        work: Timing("pycryptodome, 16 bytes", timing.amount, timing.seconds)
        for work, timing in in_python.items()
    }
    return Section(
        "Secret sharing, in C",
        programs.groups_by_bytes(programs.by_turns([own, *peers], repetitions), more),
        (
            "One thread. Bytes are bytes of the secret, the data or the file, not of the shares. "
            "Drawing entropy is included. Raw Shamir shares and the peers' shares have no "
            "integrity check; authentic shares and dispersal have one. pycryptodome shares 16 "
            "bytes at a time, in GF(2^128). Matrices of Reed-Solomon codes are computed before.",
        ),
    )


def pycryptodome(repetitions: int) -> dict[str, Timing]:
    """Measure pycryptodome, which requirements/bench.txt has, and say which work each timing is of.

    Raises
    ------
    WrongResultError
        It does not give a secret back.
    """
    shamir = import_module("Crypto.Protocol.SecretSharing").Shamir
    secret = bytes(range(_PYCRYPTODOME_SIZE))
    made: dict[str, Timing] = {}
    for threshold, count in ((2, 5), (6, 10)):
        shares = shamir.split(threshold, count, secret)
        if shamir.combine(shares[:threshold]) != secret:
            raise WrongResultError("pycryptodome does not give a secret back")
        cases = [
            looped("split", partial(shamir.split, threshold, count, secret)),
            looped("combine", partial(shamir.combine, shares[:threshold])),
        ]
        for timing in side_by_side(cases, repetitions, time.thread_time):
            made[f"{timing.label}, 32 bytes, {threshold} of {count}"] = timing
    return made
