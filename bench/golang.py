# SPDX-License-Identifier: Apache-2.0
"""The Go packages beside their peers: what the benchmarks of bench/go/beside measure.

They are built twice, with cgo and without, and run by turns; each benchmark is one work done by
somebody, and says how many values or bytes a call is about.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from . import programs
from .errors import WrongResultError
from .timing import Group, Section, Timing, Unit

_LINE = re.compile(
    r"^Benchmark(?:Beside|Formats)/(.+)/by_(\S+)\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) (values|bytes)"
)
_TIMES = {"Beside": "100ms", "Formats": "20ms"}
"""How long each benchmark runs at a turn, by the name of the function that it is in."""


def build(folder: Path, say: Callable[[str], None]) -> tuple[list[Path], list[str]]:
    """Build the benchmarks into `folder`, and say which can't be built and why."""
    made, missing = [], []
    for name, cgo in (("from-go", "1"), ("from-go-wasm", "0")):
        target = folder / name
        command = [
            *("go", "test", "-C", str(programs.SOURCES / "go"), "-c"),
            *("-o", str(target.resolve()), "./beside"),
        ]
        built, lacking = programs.build("Go", {target: command}, say, CGO_ENABLED=cgo)
        made += built
        missing += lacking
    return made, missing


def parse(output: str) -> Iterator[dict[str, Any]]:
    """Yield the work, by whom, the nanoseconds of a call, and what it is about, of each line."""
    for line in output.splitlines():
        found = _LINE.match(line)
        if found:
            work, by, ns, amount, unit = found.groups()
            yield {
                "work": work.replace("_", " "),
                "by": by.replace("_", " "),
                "ns": float(ns),
                "amount": int(float(amount)),
                "unit": unit,
            }


def golang(made: Sequence[Path], repetitions: int) -> Section:
    """Run the benchmarks by turns, `repetitions` times.

    Raises
    ------
    WrongResultError
        One failed.
    """
    found: dict[str, dict[str, list[float]]] = {}
    about: dict[str, dict[str, Any]] = {}
    for _ in range(repetitions):
        for program, name in product(made, _TIMES):
            chosen = (f"-test.bench={name}", f"-test.benchtime={_TIMES[name]}")
            done = subprocess.run(
                [program, "-test.run=^$", *chosen, "-test.cpu=1"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode != 0:
                raise WrongResultError(f"{program.name}: {done.stdout[-500:].strip()}")
            for sample in parse(done.stdout):
                about.setdefault(sample["work"], sample)
                seconds = sample["ns"] * 1e-9 / sample["amount"]
                found.setdefault(sample["work"], {}).setdefault(sample["by"], []).append(seconds)
    return Section(
        "From Go",
        tuple(
            Group(
                work,
                _unit(about[work]),
                tuple(
                    Timing(by, about[work]["amount"], tuple(seconds))
                    for by, seconds in timings.items()
                ),
            )
            for work, timings in found.items()
        ),
        (
            "`go test -bench` on one thread, with the time of the garbage collector. fpe and Vault "
            "are Go modules; FF1 and FF3 are other ciphers. Split allocates its parts, SplitInto "
            "nothing. The original go-fast is not measured, because not every module proxy has it.",
        ),
    )


def _unit(sample: dict[str, Any]) -> Unit:
    if sample["unit"] == "bytes":
        return Unit.MEGABYTES_PER_SECOND
    return Unit.NANOSECONDS if sample["amount"] == 1 else Unit.VALUES_PER_SECOND
