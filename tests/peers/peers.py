# SPDX-License-Identifier: Apache-2.0
"""Other implementations of FF1 and FF3-1, each as a function on words of symbols.

The programs in Go, Rust and Java are those of the benchmarks (`bench.foreign`). fastfpe and ff3 are
packages of Python. Each is by other authors, and shares no code with Tallystick.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from math import floor, log2
from typing import Literal, Protocol

from bench import foreign

Cipher = Literal["ff1", "ff3-1"]
Word = tuple[int, ...]

MIN_DOMAIN = 1_000_000
"""What the drafts of Revision 1 of SP 800-38G demand of radix^length."""

MIN_DOMAIN_2016 = 100
"""What SP 800-38G of 2016 demands. Of these peers, capitalone/fpe alone still takes so little."""

NAMES: dict[str, tuple[Cipher, ...]] = {
    "capitalone/fpe": ("ff1", "ff3-1"),
    "crate fpe": ("ff1",),
    "Bouncy Castle": ("ff1", "ff3-1"),
    "fastfpe": ("ff1", "ff3-1"),
    "ff3": ("ff3-1",),
}
"""The peers, and what each has of the two ciphers."""

_FOREIGN = {
    ("capitalone/fpe", "ff1"): "fpe FF1 (Go)",
    ("capitalone/fpe", "ff3-1"): "fpe FF3 (Go)",
    ("crate fpe", "ff1"): "fpe FF1 (Rust)",
    ("Bouncy Castle", "ff1"): "Bouncy Castle FF1 (Java)",
    ("Bouncy Castle", "ff3-1"): "Bouncy Castle FF3-1 (Java)",
}

_RADICES = {
    ("capitalone/fpe", "ff1"): 36,
    ("capitalone/fpe", "ff3-1"): 36,
    ("Bouncy Castle", "ff1"): 65_535,
    ("fastfpe", "ff1"): 256,
    ("fastfpe", "ff3-1"): 256,
    ("ff3", "ff3-1"): 256,
}
"""The largest radix of a peer, if it is below 65,536.

Bouncy Castle (1.72, 1.82) has two bytes for the radix in FF1's first block, where the standard has
three. So its radix 65,536 is a cipher of its own.
"""

_CHARACTERS = 0x10000
"""The first symbol of large alphabets: Unicode has 65,536 characters in a row from here on."""


@dataclass(frozen=True, slots=True)
class Case:
    """Words of one radix under one key and tweak."""

    cipher: Cipher
    key: bytes
    radix: int
    tweak: bytes
    words: tuple[Word, ...]


class Peer(Protocol):
    """Another implementation of one cipher."""

    def encrypt(self, case: Case) -> list[Word]:
        """Encrypt the words of a case."""

    def decrypt(self, case: Case, tokens: Sequence[Word]) -> list[Word]:
        """Decrypt other words under the key and tweak of a case."""


def part_for(name: str, case: Case) -> Case | None:
    """Return the words of a case that the peer can encrypt, if it has this cipher and radix."""
    cipher = case.cipher
    if cipher not in NAMES[name] or case.radix > _RADICES.get((name, cipher), 65_536):
        return None
    least, most = shortest(case.radix), longest(cipher, case.radix)
    if name == "capitalone/fpe":
        least = 0
        most -= cipher == "ff3-1"  # its source says that the longest fail
    words = tuple(word for word in case.words if least <= len(word) <= most)
    return replace(case, words=words)


def shortest(radix: int, domain: int = MIN_DOMAIN) -> int:
    """Return the fewest symbols that have so many words."""
    length = 2
    while radix**length < domain:
        length += 1
    return length


def longest(cipher: Cipher, radix: int) -> int:
    """Return how long the words of the tests are, at most: FF3-1 has a bound."""
    return 200 if cipher == "ff1" else 2 * floor(96 / log2(radix))


class Program:
    """A peer's program, which keeps running for all cases."""

    def __init__(self, peer: foreign.Peer, stack: ExitStack) -> None:
        self._peer = peer
        self._stack = stack
        self._running: foreign.Running | None = None

    def _open(self, case: Case, words: Sequence[Word]) -> foreign.Running:
        texts = [foreign.text_of(word, case.radix) for word in words]
        tweak = as_ff3(case.tweak) if self._peer.cipher == "ff3" else case.tweak
        if self._running is None:
            self._running = self._stack.enter_context(
                foreign.Running(self._peer, case.key, texts, case.radix, tweak)
            )
        else:
            self._running.open(case.key, texts, case.radix, tweak)
        return self._running

    def encrypt(self, case: Case) -> list[Word]:
        """Encrypt the words of a case."""
        tokens = self._open(case, case.words).tokens()
        return [tuple(foreign.word_of(token, case.radix)) for token in tokens]

    def decrypt(self, case: Case, tokens: Sequence[Word]) -> list[Word]:
        """Decrypt other words under the key and tweak of a case."""
        values = self._open(case, tokens).reveal()
        return [tuple(foreign.word_of(value, case.radix)) for value in values]


class FastFpe:
    """The package fastfpe: Rust, on the crate of another author than the crate fpe's."""

    def _all(self, direction: str, case: Case, words: Sequence[Word]) -> list[Word]:
        module = import_module("fastfpe." + {"ff1": "ff1", "ff3-1": "ff3_1"}[case.cipher])
        symbols, alphabet = _alphabet(case.radix)
        apply, key, tweak = getattr(module, direction), case.key.hex(), case.tweak.hex()
        return [
            tuple(
                symbols[letter]
                for letter in apply(key, tweak, alphabet, "".join(alphabet[s] for s in word))
            )
            for word in words
        ]

    def encrypt(self, case: Case) -> list[Word]:
        """Encrypt the words of a case."""
        return self._all("encrypt", case, case.words)

    def decrypt(self, case: Case, tokens: Sequence[Word]) -> list[Word]:
        """Decrypt other words under the key and tweak of a case."""
        return self._all("decrypt", case, tokens)


class Ff3:
    """The package ff3, of mysto: Python. It has FF3-1 alone."""

    def _all(self, direction: str, case: Case, words: Sequence[Word]) -> list[Word]:
        symbols, alphabet = _alphabet(case.radix)
        make = import_module("ff3").FF3Cipher.withCustomAlphabet
        apply = getattr(make(case.key.hex(), case.tweak.hex(), alphabet), direction)
        return [
            tuple(symbols[letter] for letter in apply("".join(alphabet[s] for s in word)))
            for word in words
        ]

    def encrypt(self, case: Case) -> list[Word]:
        """Encrypt the words of a case."""
        return self._all("encrypt", case, case.words)

    def decrypt(self, case: Case, tokens: Sequence[Word]) -> list[Word]:
        """Decrypt other words under the key and tweak of a case."""
        return self._all("decrypt", case, tokens)


def open_peer(
    name: str, cipher: Cipher, programs: Sequence[foreign.Peer], stack: ExitStack
) -> Peer | str:
    """Return a peer, or why there is none; `programs` are those that could be built."""
    if name in {"fastfpe", "ff3"}:
        try:
            import_module(name)
        except ImportError:
            return f"the package {name} is not installed"
        return FastFpe() if name == "fastfpe" else Ff3()
    label = _FOREIGN[name, cipher]
    for program in programs:
        if program.label == label:
            return Program(program, stack)
    return f"{label} can't be built here"


def as_ff3(tweak: bytes) -> bytes:
    """Return the 64 bits for FF3 that do what 56 bits do in FF3-1."""
    bits = f"{int.from_bytes(tweak, 'big'):056b}"
    return int(f"{bits[:28]}0000{bits[32:]}{bits[28:32]}0000", 2).to_bytes(8, "big")


def _alphabet(radix: int) -> tuple[dict[str, int], str]:
    """Return the number of each character, and the characters."""
    start = ord("!") if radix <= ord("~") - ord("!") else _CHARACTERS
    alphabet = foreign.LETTERS[:radix]
    if radix > len(alphabet):
        alphabet = "".join(map(chr, range(start, start + radix)))
    return {letter: symbol for symbol, letter in enumerate(alphabet)}, alphabet


def cases(cipher: Cipher) -> Iterator[Case]:
    """Yield cases of all sizes of keys, of small and large radices, and of words of many lengths.

    They are the same each time: bytes of SHA-256 of a counter.
    """
    stream = _Stream(cipher)
    for radix in (2, 3, 10, 16, 26, 36, 62, 64, 255, 256, 257, 1000, 32_768, 65_535, 65_536):
        least, most = shortest(radix), longest(cipher, radix)
        lengths = {least, least + 1, 16, 17, 19, 20, 21, 38, 39, 56, 100, 199, most}
        lengths = {length for length in lengths if least <= length <= most}
        if cipher == "ff1" and radix <= _RADICES["capitalone/fpe", cipher]:
            lengths |= {shortest(radix, MIN_DOMAIN_2016), least - 1}
        for key_size in (16, 24, 32):
            for tweak_size in (7,) if cipher == "ff3-1" else (0, 1, 7, 8, 11, 16, 41):
                yield Case(
                    cipher,
                    stream.take(key_size),
                    radix,
                    stream.take(tweak_size),
                    tuple(stream.word(radix, length) for length in sorted(lengths)),
                )


class _Stream:
    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0
        self._left = b""

    def take(self, size: int) -> bytes:
        while len(self._left) < size:
            self._left += sha256(f"{self._seed} {self._count}".encode()).digest()
            self._count += 1
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def word(self, radix: int, length: int) -> Word:
        return tuple(int.from_bytes(self.take(4), "big") % radix for _ in range(length))
