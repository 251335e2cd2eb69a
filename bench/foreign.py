# SPDX-License-Identifier: Apache-2.0
"""The peers of other languages: the Rust crate fpe (FF1), the Go module capitalone/fpe (FF1, FF3).

Each is a small program (bench/rust, bench/go), built here with its locked dependencies if there is
a toolchain. It keeps running and does all its values at each command, so that it takes turns with
the others.
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


@dataclass(frozen=True, slots=True)
class Peer:
    """A cipher of a peer's program."""

    label: str
    program: Path
    cipher: str


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
    commands = {
        "cargo": [
            *("cargo", "build", "--quiet", "--release", "--locked"),
            *("--manifest-path", str(SOURCES / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust")),
        ],
        "go": ["go", "build", "-C", str(SOURCES / "go"), "-o", str(go.resolve()), "."],
    }
    made = {
        "cargo": [Peer("fpe FF1 (Rust)", rust, "ff1")],
        "go": [Peer("fpe FF1 (Go)", go, "ff1"), Peer("fpe FF3 (Go)", go, "ff3")],
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
        else:
            (folder / f"{tool}.log").write_text(done.stderr)
            missing.append(
                f"{made[tool][0].label} is not measured: {tool} could not build it ({tool}.log in "
                "build/bench)."
            )
    return peers, missing


class Running:
    """A peer's program at work on values of 16 digits; closed when the `with` block ends."""

    def __init__(self, peer: Peer, key: bytes, values: Sequence[str]) -> None:
        self.label = peer.label
        self.values = list(values)
        self._process = subprocess.Popen(
            [peer.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._write(peer.cipher, key.hex(), *values, "")

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

    def tokens(self) -> list[str]:
        """Encrypt and decrypt, and return the tokens.

        Raises
        ------
        WrongResultError
            Values do not come back.
        """
        self._do("encrypt")
        self._do("decrypt")
        self._write("tokens")
        tokens = [self._read() for _ in self.values]
        self._write("values")
        if [self._read() for _ in self.values] != self.values or tokens == self.values:
            raise WrongResultError(f"{self.label} does not give values back")
        return tokens

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
