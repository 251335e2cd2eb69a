# SPDX-License-Identifier: Apache-2.0
"""Secret sharing beside its peers: what bench/sharing.c's program and those of the peers measure.

Vault's Shamir and klauspost's Reed-Solomon code in Go, the crates blahaj and vsss-rs in Rust, and
pycryptodome. Each program goes through all its work at each turn, and prints JSON lines.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from .errors import WrongResultError
from .timing import Group, Section, Timing, Unit, looped, side_by_side

SOURCES = Path(__file__).resolve().parent
_PYCRYPTODOME_SIZE = 16


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Path], list[str]]:
    """Build the peers' programs into `folder`, and say which can't be built and why."""
    go, rust = folder / "peer-sharing-go", folder / "rust" / "release" / "sharing"
    commands = {
        ("go", go): [
            "go",
            "build",
            "-C",
            str(SOURCES / "go"),
            "-o",
            str(go.resolve()),
            "./sharing",
        ],
        ("cargo", rust): [
            *("cargo", "build", "--quiet", "--release", "--locked", "--bin", "sharing"),
            *("--manifest-path", str(SOURCES / "rust" / "Cargo.toml")),
            *("--target-dir", str(folder / "rust")),
        ],
    }
    programs, missing = [], []
    for (tool, program), command in commands.items():
        what = f"sharing by peers that {tool} builds is not measured"
        if shutil.which(tool) is None:
            missing.append(f"{what}: {tool} is not installed.")
            continue
        say(f"building the peers of sharing with {tool}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            programs.append(program)
        else:
            (folder / f"{tool}-sharing.log").write_text(done.stderr)
            missing.append(f"{what}: it could not ({tool}-sharing.log in build/bench).")
    return programs, missing


def sharing(
    own: Path, peers: Sequence[Path], in_python: Mapping[str, Timing], repetitions: int
) -> Section:
    """Run all programs by turns, `repetitions` times, and put what `pycryptodome` gave beside them.

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
    for work, timing in in_python.items():
        samples[work]["pycryptodome, 16 bytes"] = list(timing.seconds)
    return Section(
        "Secret sharing, in C",
        tuple(
            Group(
                work,
                Unit.MEGABYTES_PER_SECOND if amounts[work] else Unit.NANOSECONDS,
                tuple(Timing(by, amounts[work] or 1, tuple(s)) for by, s in own_samples.items()),
            )
            for work, own_samples in samples.items()
        ),
        (
            "On one thread. Bytes are those of the secret, of the data, or of the file, not of the "
            "shares; entropy is included. Raw Shamir shares and the peers' have no integrity; "
            "authentic shares and dispersal have. pycryptodome shares 16 bytes at a time, modulo "
            "another polynomial, of degree 128. Matrices of Reed-Solomon codes were made before.",
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
