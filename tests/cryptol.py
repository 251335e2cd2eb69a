# SPDX-License-Identifier: Apache-2.0
"""Runs the specifications in cryptol/ with the program `cryptol`: what `make test-cryptol` does.

Every module is loaded by itself, every property of cryptol/properties.icry is run by itself, so
that each has its time, and the vector files that the specification made are computed again.
Arguments choose modules. With --write, properties.icry is written anew from the docstrings.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cryptol"
BATCH = FOLDER / "properties.icry"
MODULES = ("GF256", "MaskedSBox", "Shamir", "Modes", "Fast", "FastLegacy", "SuiteB_Tests")
"""The modules with properties, each after those that it imports."""

PROPERTY = re.compile(
    r"/\*\*\n(?P<doc>(?: \*(?: [^\n]*)?\n)+?) \*/\nproperty (?P<name>\w+)", re.MULTILINE
)
ANY_PROPERTY = re.compile(r"^property (\w+)", re.MULTILINE)
COMMANDS = re.compile(r"^ \* ```repl\n(?P<lines>(?: \* [^\n]+\n)+?) \* ```\n", re.MULTILINE)

HOLDS = re.compile(r"^Q\.E\.D\.|^Passed [\d,]+ tests", re.MULTILINE)
FAILS = re.compile(r"counterexample|failed|\berror\b|could not", re.IGNORECASE)
SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Property:
    """A property, and the commands of its docstring, of which one names it."""

    module: str
    name: str
    commands: tuple[str, ...]


def properties(module: str) -> list[Property]:
    """Return the properties of a module.

    Raises
    ------
    ValueError
        A property has no docstring that says how it is to be discharged.
    """
    text = (FOLDER / f"{module}.cry").read_text("utf-8")
    found = []
    for match in PROPERTY.finditer(text):
        block, name = COMMANDS.search(match["doc"]), match["name"]
        lines = [line[3:] for line in block["lines"].splitlines()] if block else []
        if not any(re.fullmatch(rf":(?:prove|check|exhaust) {name}", line) for line in lines):
            raise ValueError(f"{module}: the docstring of {name} does not say how it is discharged")
        found.append(Property(module, name, tuple(lines)))
    missing = set(ANY_PROPERTY.findall(text)) - {each.name for each in found}
    if missing:
        raise ValueError(f"{module}: no docstring: {', '.join(sorted(missing))}")
    return found


def batch() -> str:
    """Return what belongs into properties.icry (no comments: not every version takes them)."""
    lines = []
    for module in MODULES:
        lines.append(f":load {module}.cry")
        lines += [line for each in properties(module) for line in each.commands]
    return "\n".join(lines) + "\n"


def cryptol(lines: list[str]) -> str:
    """Run lines in a fresh interpreter, in the folder of the modules, and return all it said."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "lines.icry"
        script.write_text("\n".join(lines) + "\n", "utf-8")
        environment = {k: v for k, v in os.environ.items() if k != "CRYPTOLPATH"}
        try:
            done = subprocess.run(
                ["cryptol", "-b", str(script)],
                cwd=FOLDER,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"error: no answer within {SECONDS} s"
    return done.stdout + ("" if done.returncode == 0 else f"\nerror: exit {done.returncode}")


@dataclass(slots=True)
class Count:
    """How many checks passed and failed so far."""

    passed: int = 0
    failed: int = 0

    def add(self, what: str, holds: bool, output: str, seconds: float) -> None:
        """Count a check, and say how it went."""
        self.passed += holds
        self.failed += not holds
        print(f"{'ok' if holds else 'FAILED':7}{seconds:8.1f} s  {what}", flush=True)
        if not holds:
            print(output, flush=True)


def check_modules(chosen: list[str], count: Count) -> None:
    """Load each module by itself; a warning that the library was not found is a failure too."""
    for module in (*chosen, "SuiteB_FFI", "SuiteB_Perf"):
        started = time.monotonic()
        output = cryptol([f":load {module}.cry"])
        holds = f"Loading module {module}" in output and not FAILS.search(output)
        count.add(f"load {module}", holds, output, time.monotonic() - started)


def check_properties(chosen: list[str], count: Count) -> None:
    """Discharge each property as its docstring says."""
    for module in chosen:
        for each in properties(module):
            started = time.monotonic()
            output = cryptol([f":load {module}.cry", *each.commands])
            holds = bool(HOLDS.search(output)) and not FAILS.search(output)
            what = f"{module}: {' '.join(c for c in each.commands if each.name in c)}"
            count.add(what, holds, output, time.monotonic() - started)


def _bytes(text: str) -> str:
    size = len(text) // 2
    return f"(split 0x{text} : [{size}][8])" if size else "([] : [0][8])"


def _word(symbols: list[int]) -> str:
    return f"([ {', '.join(map(str, symbols))} ] : [{len(symbols)}][8])"


def fast_expression(case: dict[str, Any]) -> str:
    """Return what must be True of a case of spec_fast.json."""
    bits = 4 * len(case["key"])
    parameters = f"(recommended {case['radix']} {case['length']})"
    master = f"(aes{bits}EncryptSchedule 0x{case['key']})"
    names = {"layers": "layers", "w": "w", "w_prime": "wPrime"}
    same = [f"{parameters}.{theirs} == {case[ours]}" for ours, theirs in names.items()]
    encrypt = f"encrypt {master} {parameters} {_bytes(case['tweak'])} {_word(case['plaintext'])}"
    return " /\\ ".join(
        f"({part})" for part in (*same, f"{encrypt} == {_word(case['ciphertext'])}")
    )


def shamir_expression(case: dict[str, Any], field: str) -> str:
    """Return what must be True of a case of spec_shamir.json: the first shares recover."""
    size, some = len(case["Secret"]) // 2, case["Shares"][: case["Threshold"]]
    shares = ", ".join(f"fromRaw`{{{size}}} 0x{share}" for share in some)
    return f"recover {field} [ {shares} ] == {_bytes(case['Secret'])}"


def check_vectors(count: Count) -> None:
    """Compute the vector files that the specification made again."""
    wanted = {
        "spec_fast": ("Fast", fast_expression),
        "spec_shamir": ("Shamir", lambda case: shamir_expression(case, "aesField")),
        "spec_shamir_0x11d": ("Shamir", lambda case: shamir_expression(case, "otherField")),
    }
    for name, (module, expression) in wanted.items():
        cases = json.loads((ROOT / "vectors" / f"{name}.json").read_text("utf-8"))
        for number, case in enumerate(cases):
            started = time.monotonic()
            output = cryptol([f":load {module}.cry", expression(case)])
            holds = output.strip().endswith("True") and not FAILS.search(output)
            count.add(f"{name}, case {number}", holds, output, time.monotonic() - started)


def main() -> int:
    """Run what was chosen, and return the exit code."""
    if sys.argv[1:] == ["--write"]:
        BATCH.write_text(batch(), "utf-8")
        return 0
    chosen = [module for module in MODULES if module in (sys.argv[1:] or MODULES)]
    count = Count()
    count.add("properties.icry is that of the docstrings", BATCH.read_text() == batch(), "", 0.0)
    check_modules(chosen, count)
    check_properties(chosen, count)
    if chosen == list(MODULES):
        check_vectors(count)
    print(f"cryptol: {count.passed} passed, {count.failed} failed")
    return int(count.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
