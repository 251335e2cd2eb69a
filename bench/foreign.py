# SPDX-License-Identifier: Apache-2.0
"""The peers of other languages: FF1, FF3 and FF3-1 in Rust, Go and Java.

The crate fpe (FF1), the Go module capitalone/fpe (FF1, FF3) and Bouncy Castle (FF1, FF3-1) are run
by small programs (bench/rust, bench/go, bench/java). Those of Rust and Go are built here with their
locked dependencies; Java's takes the library that Debian has. A program keeps running and does all
its values at each command, so that it takes turns with the others.

Its standard input, one a line: the cipher (ff1, ff3, ff3-1), a key in hexadecimal, the radix, a
tweak in hexadecimal, values, and an empty line. Values of a radix up to 36 are digits and small
letters, others are numbers with spaces between them. Then commands:

- ``encrypt`` makes tokens of the values, ``decrypt`` values of these tokens, and ``reveal`` takes
  the given values for tokens. ``each`` makes tokens under a tweak for each value (`each_tweak`).
  Each answers "done".
- ``tokens`` and ``values`` print the results of these, one a line.
- ``open`` begins anew with the next cipher.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from .errors import WrongResultError

SOURCES = Path(__file__).resolve().parent

_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
_FF1_SAMPLE = ("0123456789", "2433477484")
"""Sample 1 of NIST's for FF1 with that key and no tweak."""


BOUNCY_CASTLE = Path("/usr/share/java/bcprov.jar")
"""Of Debian's package libbcprov-java."""

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The symbols of values of a radix up to 36."""

NO_TWEAK = {"ff1": b"", "ff3": bytes(8), "ff3-1": bytes(7)}
"""What each cipher takes where there is nothing to bind a value to."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A cipher of a peer's program, and the command that runs it."""

    label: str
    command: tuple[str, ...]
    cipher: str


def text_of(word: Sequence[int], radix: int) -> str:
    """Return a word of symbols as a peer's program reads and writes it."""
    if radix <= len(LETTERS):
        return "".join(LETTERS[symbol] for symbol in word)
    return " ".join(map(str, word))


def word_of(text: str, radix: int) -> list[int]:
    """Return the symbols of a word that a peer's program has written."""
    if radix <= len(LETTERS):
        return [LETTERS.index(letter) for letter in text]
    return [int(number) for number in text.split()]


def each_tweak(place: int) -> str:
    """Return the tweak of a value that has its own: 8 digits."""
    return str(10_000_001 + place)


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Peer], list[str]]:
    """Build the programs into `folder`, and say which can't be built and why.

    Returns
    -------
    peers : list of Peer
        What there is.
    missing : list of str
        A sentence for each program that there is not.
    """
    go, rust = folder / "peer-go", folder / "rust" / "release" / "peer"
    java = ("java", "-cp", str(BOUNCY_CASTLE), str(SOURCES / "java" / "Peer.java"))
    commands = {
        "cargo": [
            *("cargo", "build", "--quiet", "--release", "--locked", "--bin", "peer"),
            *("--manifest-path", str(SOURCES / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust")),
        ],
        "go": ["go", "build", "-C", str(SOURCES / "go"), "-o", str(go.resolve()), "."],
        "javac": ["test", "-e", str(BOUNCY_CASTLE)],
    }
    made = {
        "cargo": [Peer("fpe FF1 (Rust)", (str(rust),), "ff1")],
        "go": [
            Peer("fpe FF1 (Go)", (str(go),), "ff1"),
            Peer("fpe FF3 (Go)", (str(go),), "ff3"),
        ],
        "javac": [
            Peer("Bouncy Castle FF1 (Java)", java, "ff1"),
            Peer("Bouncy Castle FF3-1 (Java)", java, "ff3-1"),
        ],
    }
    peers, missing = [], []
    for tool, command in commands.items():
        if shutil.which(tool) is None:
            missing.append(f"{made[tool][0].label} is not measured: {tool} is not installed.")
            continue
        say(f"building the peer {made[tool][0].label}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            peers += made[tool]
        elif tool == "javac":
            missing.append(
                f"{made[tool][0].label} is not measured: {BOUNCY_CASTLE} is not there (Debian: "
                "libbcprov-java)."
            )
        else:
            (folder / f"{tool}.log").write_text(done.stderr)
            missing.append(
                f"{made[tool][0].label} is not measured: {tool} could not build it ({tool}.log in "
                "build/bench)."
            )
    return peers, missing


class Running:
    """A peer's program at work; closed when the `with` block ends.

    Parameters
    ----------
    peer : Peer
        What to run.
    key : bytes
        The key.
    values : sequence of str
        The values, as the program reads them (`text_of`).
    radix : int
        The radix.
    tweak : bytes, optional
        The tweak, instead of `NO_TWEAK`.
    """

    def __init__(
        self,
        peer: Peer,
        key: bytes,
        values: Sequence[str],
        radix: int = 10,
        tweak: bytes | None = None,
    ) -> None:
        self.label = peer.label
        self._cipher = peer.cipher
        self._process = subprocess.Popen(
            peer.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._open(key, values, radix, tweak)

    def _open(self, key: bytes, values: Sequence[str], radix: int, tweak: bytes | None) -> None:
        self.values = list(values)
        tweak = NO_TWEAK[self._cipher] if tweak is None else tweak
        self._write(self._cipher, key.hex(), str(radix), tweak.hex(), *values, "")

    def open(
        self, key: bytes, values: Sequence[str], radix: int = 10, tweak: bytes | None = None
    ) -> None:
        """Begin anew with another key and other values, in the same process."""
        self._write("open")
        self._open(key, values, radix, tweak)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait()
        self._pipe(self._process.stdout).close()

    def encrypt(self) -> None:
        """Encrypt all values."""
        self._do("encrypt")

    def each(self) -> None:
        """Encrypt all values, each under its own tweak; the cipher was opened with one as long."""
        self._do("each")

    def made(self) -> list[str]:
        """Return the tokens that were made last."""
        self._write("tokens")
        return [self._read() for _ in self.values]

    def tokens(self) -> list[str]:
        """Encrypt and decrypt, and return the tokens.

        Raises
        ------
        WrongResultError
            Values do not come back.
        """
        self._do("encrypt")
        self._do("decrypt")
        tokens = self.made()
        self._write("values")
        if [self._read() for _ in self.values] != self.values or tokens == self.values:
            raise WrongResultError(f"{self.label} does not give values back")
        return tokens

    def reveal(self) -> list[str]:
        """Decrypt the values, which are tokens of another program, and return what they were."""
        self._do("reveal")
        self._write("values")
        return [self._read() for _ in self.values]

    def _do(self, command: str) -> None:
        self._write(command)
        if self._read() != "done":
            raise WrongResultError(f"{self.label} failed")

    def _write(self, *lines: str) -> None:
        pipe = self._pipe(self._process.stdin)
        pipe.write("".join(f"{line}\n" for line in lines))
        pipe.flush()

    def _read(self) -> str:
        return self._pipe(self._process.stdout).readline().rstrip("\n")

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        if pipe is None:
            raise TypeError("the process was not started with pipes")
        return pipe


def check(peers: Sequence[Peer], key: bytes, values: Sequence[str]) -> None:
    """Check that values come back, that FF1 is FF1, and that all FF1s make the same tokens.

    Raises
    ------
    WrongResultError
        They do not.
    """
    made: dict[str, list[str]] = {}
    for peer in peers:
        value, token = _FF1_SAMPLE
        if peer.cipher == "ff1":
            with Running(peer, _KEY, [value]) as sample:
                if sample.tokens() != [token]:
                    raise WrongResultError(f"{peer.label} is not FF1")
        with Running(peer, key, values) as running:
            tokens = running.tokens()
        if made.setdefault(peer.cipher, tokens) != tokens:
            raise WrongResultError(f"{peer.label} makes other tokens than another {peer.cipher}")
