# SPDX-License-Identifier: Apache-2.0
"""AES on each back end beside its peers: what bench/aes.c's program and those of the peers measure.

OpenSSL by EVP, in C, and the crate `aes` in Rust. Each program goes through all its work at each
turn, and prints JSON lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from . import programs
from .timing import Section


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Path], list[str]]:
    """Build the peers' programs into `folder`, and say which can't be built and why.

    The crate is compiled for this CPU: it finds VAES by itself, but for a CPU in general the
    compiler does not put its functions together, which costs half of its speed.
    """
    openssl, rust = folder / "peer-aes-openssl", folder / "rust-native" / "release" / "aes"
    commands = {
        openssl: [
            *("cc", "-O2", "-o", str(openssl)),
            *(str(programs.SOURCES / "openssl" / "aes.c"), "-lcrypto"),
        ],
        rust: [
            *("cargo", "build", "--quiet", "--release", "--locked", "--bin", "aes"),
            *("--manifest-path", str(programs.SOURCES / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust-native")),
        ],
    }
    return programs.build("AES", commands, say, RUSTFLAGS="-C target-cpu=native")


def aes(own: Path, peers: Sequence[Path], repetitions: int) -> Section:
    """Run all programs by turns, `repetitions` times.

    Raises
    ------
    WrongResultError
        See `programs.by_turns`.
    """
    return Section(
        "AES, in C",
        programs.groups_by_bytes(programs.by_turns([own, *peers], repetitions)),
        (
            "One thread, in place, in the first-level cache. Keys and OpenSSL's contexts are set "
            "up before. Each message waits for the one before it, so the shortest messages show "
            "the latency of a block, not the throughput. docs/reference/aes.md describes the back "
            "ends. The crate aes is compiled for this CPU.",
        ),
    )
