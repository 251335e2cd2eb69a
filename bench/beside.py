# SPDX-License-Identifier: Apache-2.0
"""Measures the C programs of bench/ beside those of another commit, in one run.

``bench/beside.py REV`` builds both, with REV in a worktree under build/, and runs each program of
both by turns. A row of the table is one measurement: nanoseconds of both, and how many times as
long this tree takes. A ratio whose range includes 1.00 is no difference.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

# A script's own folder is on the path; these modules are a package in the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.errors import WrongResultError

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "beside"
PROGRAMS: dict[str, tuple[str, ...]] = {
    "aes": (),
    "fast": ("1",),
    "ff1": ("1",),
    "kernels": ("1", "200000", "rough"),
    "masked": (),
    "sha2": ("1",),
    "sharing": (),
}
"""The programs that print lines of JSON, with the arguments of one short run."""

TIMES = {"ns", "encrypt", "decrypt", "new_tweak", "first_word"}
TIMES |= {"one", "many", "row_tweaks", "anywhere"}
OTHERS = {"clock", "rows"}
"""Members that differ from run to run, and are no times."""

Samples = dict[str, list[float]]


def samples(name: str, lines: Iterable[str]) -> dict[str, float]:
    """Return the median time of each measurement that a program printed."""
    found: Samples = {}
    for line in map(json.loads, lines):
        times = {k: line[k] for k in TIMES & line.keys() if not isinstance(line[k], bool)}
        about = [
            f"{value}" if isinstance(value, str) else f"{key} {value}"
            for key, value in line.items()
            if key not in times and key not in OTHERS
        ]
        for key, value in times.items():
            found.setdefault(", ".join([name, *about, *([key] * (key != "ns"))]), []).append(value)
    return {row: median(values) for row, values in found.items()}


def ratios(old: Mapping[str, list[float]], new: Mapping[str, list[float]]) -> list[tuple[Any, ...]]:
    """Return the rows that both have: name, both medians, the ratio's median, least and most."""
    rows = []
    for name in (name for name in new if name in old):
        each = [b / a for a, b in zip(old[name], new[name], strict=True)]
        rows.append(
            (name, median(old[name]), median(new[name]), median(each), min(each), max(each))
        )
    return rows


def build(source: Path, name: str) -> Path:
    """Build the programs of a tree, and return their folder."""
    target = FOLDER / name
    options = ("-DBUILD_TESTING=OFF", "-DTALLY_BENCH=ON")
    for command in (
        ("cmake", "-S", str(source), "-B", str(target), *options),
        ("cmake", "--build", str(target), "-j2"),
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def run(program: Path) -> dict[str, float]:
    """Run a program once."""
    command = [str(program), *PROGRAMS[program.name]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WrongResultError(f"{program}: {done.stderr.strip()}")
    return samples(program.name, done.stdout.splitlines())


def main() -> None:
    """Build, measure and print."""
    parser = argparse.ArgumentParser(description="Measure the C programs beside another commit's.")
    parser.add_argument("rev", help="the other commit")
    parser.add_argument("--turns", type=int, default=5, help="runs of each program (default: 5)")
    parser.add_argument("--only", choices=PROGRAMS, action="append", help="a program; repeatable")
    given = parser.parse_args()
    console, tree = Console(stderr=True), FOLDER / "tree"
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--force", "--detach", str(tree), given.rev], check=True)
    try:
        console.print("building both")
        folders = {"old": build(tree, "old"), "new": build(ROOT, "new")}
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    found: dict[str, Samples] = {"old": {}, "new": {}}
    for name in given.only or PROGRAMS:
        if not (folders["old"] / name).exists():
            console.print(f"{name} is not in {given.rev}")
            continue
        for turn in range(given.turns):
            console.print(f"{name}, turn {turn + 1} of {given.turns}")
            for which in ("old", "new") if turn % 2 == 0 else ("new", "old"):
                for row, value in run(folders[which] / name).items():
                    found[which].setdefault(row, []).append(value)
    table = Table("measurement", f"{given.rev}, ns", "this tree, ns", "ratio", "range")
    for row, old, new, ratio, least, most in ratios(found["old"], found["new"]):
        table.add_row(row, f"{old:.4g}", f"{new:.4g}", f"{ratio:.2f}", f"{least:.2f}..{most:.2f}")
    Console(width=160).print(table)
    alone = found["old"].keys() ^ found["new"].keys()
    for row in sorted(alone):
        console.print(f"{row}: only in {'this tree' if row in found['new'] else given.rev}")


if __name__ == "__main__":
    main()
