# SPDX-License-Identifier: Apache-2.0
"""SHA-256 and SHA-512 on each back end, beside OpenSSL's: what bench/sha2.c's program measures."""

from __future__ import annotations

import hashlib
import json
import ssl
import subprocess
import time
from pathlib import Path

from .timing import Case, Group, Section, Timing, Unit, side_by_side

SIZE = 1 << 16
TURNS = 40


def hashes(program: Path, repetitions: int) -> Section:
    """Run the program and OpenSSL by turns, `repetitions` times."""
    samples: dict[str, dict[str, list[float]]] = {}
    for _ in range(repetitions):
        done = subprocess.run([program, "1"], stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            sample = json.loads(line)
            label = f"{sample['messages']} side by side, {sample['by']}"
            if sample["messages"] == 1:
                label = f"one message, {sample['by']}"
            own = samples.setdefault(sample["hash"], {})
            own.setdefault(label, []).append(sample["ns"] * 1e-9)
        for name, own in samples.items():
            own.setdefault("one message, OpenSSL", []).append(_openssl(name))
    return Section(
        "Hashes of messages of 64 KiB, in C",
        tuple(
            Group(
                name,
                Unit.MEGABYTES_PER_SECOND,
                tuple(Timing(label, SIZE, tuple(seconds)) for label, seconds in own.items()),
            )
            for name, own in samples.items()
        ),
        (
            "Bytes of all messages together, on one thread. The back end is that of the first "
            f"messages; an odd message may use another one. {ssl.OPENSSL_VERSION} is called "
            "through Python's hashlib.",
        ),
    )


def _openssl(name: str) -> float:
    """Return the seconds for a byte."""
    make = {"SHA-256": hashlib.sha256, "SHA-512": hashlib.sha512}[name]
    data = bytes(SIZE)

    def run() -> None:
        for _ in range(TURNS):
            make(data).digest()

    (timing,) = side_by_side([Case(name, run, TURNS * SIZE)], 1, time.thread_time)
    return timing.median
