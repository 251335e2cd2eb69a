# SPDX-License-Identifier: Apache-2.0
"""AES on each back end beside its peers: what bench/aes.c's program and those of the peers measure.

OpenSSL by EVP, in C, and the crate `aes` in Rust. Each program goes through all its work at each
turn, and prints JSON lines.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import WrongResultError
from .timing import Group, Section, Timing, Unit

SOURCES = Path(__file__).resolve().parent


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Path], list[str]]:
    """Build the peers' programs into `folder`, and say which can't be built and why.

    The crate is compiled for this CPU: it finds VAES by itself, but for a CPU in general the
    compiler does not put its functions together, which costs half of its speed.
    """
    openssl, rust = folder / "peer-aes-openssl", folder / "rust-native" / "release" / "aes"
    commands = {
        ("cc", openssl): [
            *("cc", "-O2", "-o", str(openssl), str(SOURCES / "openssl" / "aes.c"), "-lcrypto"),
        ],
        ("cargo", rust): [
            *("cargo", "build", "--quiet", "--release", "--locked", "--bin", "aes"),
            *("--manifest-path", str(SOURCES / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust-native")),
        ],
    }
    programs, missing = [], []
    for (tool, program), command in commands.items():
        what = f"AES by the peer that {tool} builds is not measured"
        if shutil.which(tool) is None:
            missing.append(f"{what}: {tool} is not installed.")
            continue
        say(f"building the peer of AES with {tool}")
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"RUSTFLAGS": "-C target-cpu=native"},
        )
        if done.returncode == 0:
            programs.append(program)
        else:
            (folder / f"{tool}-aes.log").write_text(done.stderr)
            missing.append(f"{what}: it could not ({tool}-aes.log in build/bench).")
    return programs, missing


def aes(own: Path, peers: Sequence[Path], repetitions: int) -> Section:
    """Run all programs by turns, `repetitions` times.

    Raises
    ------
    WrongResultError
        A program found that its results are wrong, or failed.
    """
    samples: dict[str, dict[str, list[float]]] = {}
    amounts: dict[str, int] = {}
    for _ in range(repetitions):
        for program in (own, *peers):
            done = subprocess.run([program], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise WrongResultError(f"{program.name}: {done.stderr.strip()}")
            for line in done.stdout.splitlines():
                sample = json.loads(line)
                work = sample["work"]
                amounts.setdefault(work, sample["bytes"])
                seconds = sample["ns"] * 1e-9 / (sample["bytes"] or 1)
                samples.setdefault(work, {}).setdefault(sample["by"], []).append(seconds)
    return Section(
        "AES, in C",
        tuple(
            Group(
                work,
                Unit.MEGABYTES_PER_SECOND if amounts[work] else Unit.NANOSECONDS,
                tuple(Timing(by, amounts[work] or 1, tuple(s)) for by, s in own_samples.items()),
            )
            for work, own_samples in samples.items()
        ),
        (
            "On one thread, in place, in the first cache, keys and OpenSSL's contexts set up "
            "before. A message in place waits for the one before, so the shortest ones show how "
            "long a block takes, not how many go at a time. docs/aes.md says what each back end "
            "is. The crate aes is compiled for this CPU.",
        ),
    )
