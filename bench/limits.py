# SPDX-License-Identifier: Apache-2.0
"""How fast this machine could run a kernel's instructions, whatever waits for what.

The program `kernels` says which instructions a kernel executes, by stepping through it; objdump
says what they are; the program `ports` says what each costs in execution units on this machine. The
busiest unit sets the limit, or the plainest layer does, measured as a whole. Not in it: cache
misses, and waiting for results.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GROUP = 64
"""Words that limits are stated for, whatever the width of a vector."""

PERMUTES = frozenset({"vpermb", "vpermi2b", "vpermt2b", "vpshufb"})

_SAME = {
    **dict.fromkeys(
        ("vpandq", "vpandd", "vpxorq", "vpxord", "vporq", "vpord", "vpternlogd", "vpternlogq"),
        "vpandq",
    ),
    **dict.fromkeys(("vpcmpltub", "vpcmpleub", "vpcmpub", "vpcmpnltub", "vpcmpnleub"), "vpcmpub"),
    **dict.fromkeys(("vpxor", "vpor"), "vpxor"),
    **dict.fromkeys(
        (
            *("vmovdqa", "vmovdqa32", "vmovdqa64"),
            *("vmovdqu", "vmovdqu8", "vmovdqu32", "vmovdqu64"),
        ),
        "move",
    ),
}
"""Instructions that were measured under another name, or that a register or memory decides on."""

FILLERS = 8
"""PORTS_COUNT of bench/ports.h."""

_AMONG = {
    "alone": (),
    "adds": ("vpaddb",),
    "permutes": ("vpermb", "vpshufb"),
    "minima": ("vpminub",),
}
"""What the program measures, and the instructions that keep a unit busy in it."""

_LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)(?: +(.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cost:
    """Cycles of one instruction: by itself, and those it adds where a unit is kept busy."""

    alone: float
    adds: float
    permutes: float
    minima: float


@dataclass(frozen=True, slots=True)
class Limit:
    """What one layer of 64 words takes at least.

    Attributes
    ----------
    permutes, vectors : float
        Instructions: byte permutes, and all on vectors (those included, loads and stores not).
    cycles : float
        The least cycles, by the busiest unit.
    unit : str
        That unit.
    unknown : tuple of str
        Instructions on vectors that were not measured; they count as an addition.
    """

    permutes: float
    vectors: float
    cycles: float
    unit: str
    unknown: tuple[str, ...]


Kernel = tuple[str, str, int, bool]
"""Level, profile, radix, and whether it decrypts."""


def instruction_costs(program: Path, repetitions: int) -> dict[str, dict[str, Cost]]:
    """Run bench/ports.c's program: costs by instruction set and instruction."""
    samples: dict[str, dict[str, list[dict[str, float]]]] = {}
    for sample in _objects([program, str(repetitions)]):
        own = samples.setdefault(sample["set"], {}).setdefault(sample["instruction"], [])
        own.append(sample)
    return {level: _costs(own) for level, own in samples.items()}


def _costs(samples: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, Cost]:
    """Return the costs of a set: the best samples, less what the fillers among them take."""
    best = {
        name: {key: min(sample[key] for sample in own) for key in _AMONG}
        for name, own in samples.items()
    }
    # A filler among its own is one more of so many.
    fillers = {
        key: next(best[name][key] for name in names if name in best) * FILLERS / (FILLERS + 1)
        for key, names in _AMONG.items()
        if names
    }
    return {
        name: Cost(own["alone"], *(max(0.0, own[key] - busy) for key, busy in fillers.items()))
        for name, own in best.items()
    }


def limits(
    program: Path, costs: Mapping[str, Mapping[str, Cost]], *, rough: bool
) -> dict[Kernel, Limit]:
    """Return the limit of each kernel that the program could step through.

    Empty where that is not possible: on other CPUs than x86-64, or without objdump.
    """
    try:
        listing = subprocess.run(
            ["objdump", "--disassemble", "--no-show-raw-insn", program],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return {}
    code = instructions(listing)
    found = {}
    for run in _objects([program, "steps", *(["rough"] if rough else [])]):
        if not run["counted"] or run["level"] not in costs:
            continue
        executed: Counter[str] = Counter()
        for address, times in run["steps"].items():
            executed.update(dict.fromkeys(parts(*code[int(address, 16)]), times))
        kernel = (run["level"], run["profile"], run["radix"], run["decrypt"])
        found[kernel] = limit(
            executed, costs[run["level"]], layers=run["layers"] * run["words"] / GROUP
        )
    return found


def instructions(listing: str) -> dict[int, tuple[str, str]]:
    """Read objdump's listing: mnemonic and operands by address."""
    return {int(at, 16): (name, operands) for at, name, operands in _LINE.findall(listing)}


def parts(name: str, operands: str) -> tuple[str, ...]:
    """Return what an instruction on vectors is made of, under the names that were measured.

    An operand in memory makes for a load beside the work itself; other instructions are nothing.
    """
    if not name.startswith("v") or not re.search(r"%[yz]mm", operands):
        return ()
    name = _SAME.get(name, name)
    in_memory = "(" in operands
    if name == "move":
        stores = in_memory and operands.rstrip().endswith(")")
        return ("store",) if stores else ("load",) if in_memory else ("copy",)
    if "broadcast" in name:
        return ("load",) if in_memory else ("vpbroadcastb",)
    if name == "vpaddb" and "{%k" in operands:
        name = "vpaddb_masked"
    return (name, "load") if in_memory else (name,)


def limit(executed: Mapping[str, int], costs: Mapping[str, Cost], layers: float) -> Limit:
    """Return the limit of what was executed in so many layers of 64 words."""
    moves = ("load", "store", "copy")
    loads, stores = executed.get("load", 0), executed.get("store", 0)
    work = {name: times for name, times in executed.items() if name not in moves}
    unknown = tuple(sorted(name for name in work if name not in costs))
    permutes = sum(times for name, times in work.items() if name in PERMUTES)
    plain = loads >= 3 * stores and permutes >= 2 * stores and sum(work.values()) >= 4 * stores
    known = {name: costs.get(name, costs["vpaddb"]) for name in work}
    busy = {
        "permutes": sum(times * known[name].permutes for name, times in work.items()),
        "all vector units": sum(times * known[name].adds for name, times in work.items()),
        "minima": sum(times * known[name].minima for name, times in work.items()),
        "loads": costs["load"].alone * loads,
        "stores": costs["store"].alone * stores,
        # What every kernel does at least was measured together, too: units hinder each other.
        "a plain layer": costs["layer"].alone * stores if plain else 0.0,
    }
    unit = max(busy, key=lambda name: busy[name])
    return Limit(
        permutes=permutes / layers,
        vectors=sum(work.values()) / layers,
        cycles=busy[unit] / layers,
        unit=unit,
        unknown=unknown,
    )


def _objects(command: Iterable[str | Path]) -> Iterable[dict[str, Any]]:
    done = subprocess.run([*command], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
