# SPDX-License-Identifier: Apache-2.0
"""Programs that print what they measured as lines of JSON, and end with 1 if a result was wrong.

Every line has the `work`, `by` what it was done, and the `ns` that it took.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import WrongResultError
from .timing import Group, Timing, Unit

SOURCES = Path(__file__).resolve().parent


def build(
    work: str,
    commands: Mapping[Path, Sequence[str]],
    say: Callable[[str], None],
    **environment: str,
) -> tuple[list[Path], list[str]]:
    """Run for each program the command that builds it, with more in its environment.

    Returns
    -------
    tuple of list of Path, list of str
        Programs that are there now, and a sentence for each other one.
    """
    programs, missing = [], []
    for program, command in commands.items():
        tool = command[0]
        what = f"{work} by what {tool} builds is not measured"
        if shutil.which(tool) is None:
            missing.append(f"{what}: {tool} is not installed.")
            continue
        say(f"building peers of {work} with {tool}")
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | environment
        )
        if done.returncode == 0:
            programs.append(program)
        else:
            log = program.with_suffix(".log")
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(done.stderr)
            missing.append(f"{what}: it could not ({log.name} says why).")
    return programs, missing


def by_turns(programs: Sequence[Path], repetitions: int) -> Iterator[dict[str, Any]]:
    """Run all programs by turns, `repetitions` times, and yield their lines.

    Raises
    ------
    WrongResultError
        A program found that its results are wrong, or failed.
    """
    for _ in range(repetitions):
        for program in programs:
            done = subprocess.run([program], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise WrongResultError(f"{program.name}: {done.stderr.strip()}")
            yield from map(json.loads, done.stdout.splitlines())


def groups_by_bytes(
    samples: Iterator[dict[str, Any]], more: Mapping[str, Timing] | None = None
) -> tuple[Group, ...]:
    """Group samples by their work: bytes a second or, where `bytes` is 0, nanoseconds.

    `more` has, for some of the work, a timing to stand beside the others.
    """
    found: dict[str, dict[str, list[float]]] = {}
    amounts: dict[str, int] = {}
    for sample in samples:
        work, amount = sample["work"], sample["bytes"]
        amounts.setdefault(work, amount)
        seconds = sample["ns"] * 1e-9 / (amount or 1)
        found.setdefault(work, {}).setdefault(sample["by"], []).append(seconds)
    return tuple(
        Group(
            work,
            Unit.MEGABYTES_PER_SECOND if amounts[work] else Unit.NANOSECONDS,
            (
                *(Timing(by, amounts[work] or 1, tuple(own)) for by, own in timings.items()),
                *([more[work]] if more and work in more else []),
            ),
        )
        for work, timings in found.items()
    )
