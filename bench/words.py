# SPDX-License-Identifier: Apache-2.0
"""One word, and one value, at a time: what a program pays that protects single fields."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from tallystick import FastCipher, FF1Cipher, Tokenizer, formats

from . import peers
from .timing import Case, Group, Section, Timing, Unit, looped, side_by_side

KEY = bytes(range(16))
LENGTH = 16
RADICES = (10, 256)
VALUE = "4916338506082832"

_MEASURED = {
    "encrypt": "encrypt",
    "decrypt": "decrypt",
    "new_tweak": "new tweak",
    "first_word": "first word",
}


_COLD = """
import time
started = time.perf_counter_ns()
from tallystick import Tokenizer, formats
imported = time.perf_counter_ns()
Tokenizer(formats.digits(), bytes(16), namespace="bench").protect("4916338506082832")
print(imported - started, time.perf_counter_ns() - imported)
"""


def in_c(program: Path, cold: Path, repetitions: int) -> Section:
    """Run bench/fast.c's program, which takes all radices in turn, and bench/cold.c's."""
    done = subprocess.run(
        [program, str(repetitions)], stdout=subprocess.PIPE, text=True, check=True
    )
    samples: dict[int, list[dict[str, float]]] = {}
    for line in done.stdout.splitlines():
        sample = json.loads(line)
        samples.setdefault(sample["radix"], []).append(sample)
    return Section(
        f"One word of {LENGTH} symbols in C",
        tuple(
            Group(
                f"radix {radix}",
                Unit.NANOSECONDS,
                (*_c_timings(own), _cold_in_c(cold, radix, repetitions)),
                ratios=False,
            )
            for radix, own in samples.items()
        ),
        (
            "encrypt, decrypt: the tweak's sequence is cached. new tweak: encrypt, each word under "
            "a new tweak. first word: create pool and cipher, and encrypt one word, in memory that "
            "is reused. cold start: the first word of a fresh process.",
        ),
    )


def _c_timings(samples: list[dict[str, float]]) -> tuple[Timing, ...]:
    return tuple(
        Timing(label, 1, tuple(sample[key] * 1e-9 for sample in samples))
        for key, label in _MEASURED.items()
    )


def _cold_in_c(program: Path, radix: int, repetitions: int) -> Timing:
    runs = (
        subprocess.run([program, str(radix)], stdout=subprocess.PIPE, text=True, check=True)
        for _ in range(2 * repetitions)
    )
    return Timing("cold start", 1, tuple(float(run.stdout) * 1e-9 for run in runs))


def _cold_in_python(repetitions: int) -> Group:
    """Start an interpreter for each repetition."""
    parts = [
        subprocess.run(
            [sys.executable, "-c", _COLD], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()
        for _ in range(max(3, repetitions // 3))
    ]
    labels = ("import tallystick", "first value, with its tokenizer")
    timings = (
        Timing(label, 1, tuple(float(part[i]) * 1e-9 for part in parts))
        for i, label in enumerate(labels)
    )
    return Group("cold start, fresh interpreter", Unit.NANOSECONDS, tuple(timings), ratios=False)


def in_python(repetitions: int) -> Section:
    """Measure single calls from Python beside the peers'."""
    groups = [group for radix in RADICES for group in _word_groups(radix, repetitions)]
    return Section(
        f"One word or value of {LENGTH} symbols in Python",
        (
            *groups,
            *_ff1_groups(repetitions),
            *_value_groups(repetitions),
            _cold_in_python(repetitions),
        ),
        (
            "word: bytes of symbols, FastCipher.encrypt or FF1Cipher.encrypt. value: a string, "
            "Tokenizer.protect.",
            "fast-cipher's words and fastfpe's strings are checked to equal ours. ff3 (FF3-1, "
            "tweak of 7 zero bytes) and pyffx (no tweak; 10 rounds of HMAC-SHA-1) are others.",
        ),
    )


def _word_groups(radix: int, repetitions: int) -> list[Group]:
    """Measure words of a radix: one tweak, a new tweak each time, a new cipher each time."""
    peers.check_equal(KEY, radix, LENGTH)
    ours, peer = FastCipher(KEY, radix), peers.fast_cipher(KEY, radix, LENGTH)
    word = bytes(place % radix for place in range(LENGTH))
    serials = count()

    def tweak() -> bytes:
        return next(serials).to_bytes(16, "big")

    def first() -> bytes:
        with FastCipher(KEY, radix) as cipher:
            return cipher.encrypt(word)

    works = {
        "word": (lambda: ours.encrypt(word), lambda: peer.encrypt_bytes(word)),
        "word, new tweak": (
            lambda: ours.encrypt(word, tweak()),
            lambda: peer.encrypt_bytes(word, tweak()),
        ),
        "first word": (
            first,
            lambda: peers.fast_cipher(KEY, radix, LENGTH).encrypt_bytes(word),
        ),
    }
    return [
        _group(
            f"{work}, radix {radix}",
            (looped("Tallystick", our_call), looped("fast-cipher", peer_call)),
            repetitions,
        )
        for work, (our_call, peer_call) in works.items()
    ]


def _ff1_groups(repetitions: int) -> list[Group]:
    """Measure words of 16 digits by FF1: one tweak, and a new tweak of eight bytes each time."""
    peers.check_equal_ff1(KEY)
    ours, peer = FF1Cipher(KEY, 10), peers.fastfpe_digits(KEY)
    word = bytes(map(int, VALUE))
    serials = count()

    def tweak() -> bytes:
        return next(serials).to_bytes(8, "big")

    def first() -> bytes:
        with FF1Cipher(KEY, 10) as cipher:
            return cipher.encrypt(word)

    works: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "word, FF1": (lambda: ours.encrypt(word), lambda: peer(VALUE, b"")),
        "word, FF1, new tweak": (
            lambda: ours.encrypt(word, tweak()),
            lambda: peer(VALUE, tweak()),
        ),
        "first word, FF1": (first, lambda: peer(VALUE, b"")),
    }
    return [
        _group(
            f"{work}, radix 10",
            (looped("Tallystick", our_call), looped("fastfpe", peer_call)),
            repetitions,
        )
        for work, (our_call, peer_call) in works.items()
    ]


def _value_groups(repetitions: int) -> list[Group]:
    tokenizer = Tokenizer(formats.digits(), KEY, namespace="bench")
    ff3, pyffx = peers.ff3_digits(KEY), peers.pyffx_digits(KEY, LENGTH)
    serials = count()
    return [
        _group(
            "value, 16 digits",
            (
                looped("Tallystick", lambda: tokenizer.protect(VALUE)),
                looped("ff3", lambda: ff3(VALUE, peers.NO_TWEAK)),
                looped("pyffx", lambda: pyffx(VALUE)),
            ),
            repetitions,
        ),
        _group(
            "value, new tweak",
            (
                looped("Tallystick", lambda: tokenizer.protect(VALUE, f"{next(serials)}")),
                looped("ff3", lambda: ff3(VALUE, next(serials).to_bytes(7, "big"))),
            ),
            repetitions,
        ),
    ]


def _group(title: str, cases: tuple[Case, ...], repetitions: int) -> Group:
    timings = side_by_side(cases, repetitions, time.thread_time)
    return Group(title, Unit.NANOSECONDS, timings)
