# SPDX-License-Identifier: Apache-2.0
"""Runs the specifications in cryptol/ with the program `cryptol`: what `make test-cryptol` does.

Every module is loaded by itself. Every property of cryptol/properties.icry is run by itself, so
that each has its time. Then vectors are computed again: words that the specification made, some
words of another implementation, and all sharings. --all-words computes every word of
vectors/fast_words.json (17 minutes more). Arguments choose modules, without vectors. --write writes
properties.icry anew from the docstrings.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cryptol"
BATCH = FOLDER / "properties.icry"
MODULES = ("GF256", "MaskedSBox", "Shamir", "Modes_Tests", "Fast", "FastLegacy", "SuiteB_Tests")
"""The modules with properties, each after those that it imports."""
WITHOUT = ("Modes", "SuiteB_FFI", "SuiteB_Perf")
"""The modules without properties."""

PROPERTY = re.compile(
    r"/\*\*\n(?P<doc>(?: \*(?: [^\n]*)?\n)+?) \*/\nproperty (?P<name>\w+)", re.MULTILINE
)
ANY_PROPERTY = re.compile(r"^property (\w+)", re.MULTILINE)
COMMANDS = re.compile(r"^ \* ```repl\n(?P<lines>(?: \* [^\n]+\n)+?) \* ```\n", re.MULTILINE)

HOLDS = re.compile(r"^Q\.E\.D\.|^(?:Testing\.\.\. )?Passed [\d,]+ tests", re.MULTILINE)
FAILS = re.compile(r"counterexample|failed|\berror\b|could not", re.IGNORECASE)
SECONDS = 3600
SOME_WORDS = slice(None, None, 20)
"""Of the 120 words of another implementation: each takes about 8 s."""


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
    """Run lines in a fresh interpreter, in the folder of the modules, and return all its output.

    It has a session of its own, which is ended as a whole: its solvers too, whatever happens.
    """
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "lines.icry"
        script.write_text("\n".join(lines) + "\n", "utf-8")
        environment = {k: v for k, v in os.environ.items() if k != "CRYPTOLPATH"}
        with subprocess.Popen(
            ["cryptol", "-b", str(script)],
            cwd=FOLDER,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as program:
            try:
                output, _ = program.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return f"error: no answer within {SECONDS} s"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
    return output + ("" if program.returncode == 0 else f"\nerror: exit {program.returncode}")


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
    for module in (*chosen, *WITHOUT):
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
    """Return what must be True of a case of spec_fast.json or fast_words.json."""
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
    """Return what must be True of a sharing: the first shares recover the secret."""
    size, some = len(case["Secret"]) // 2, case["Shares"][: case["Threshold"]]
    shares = ", ".join(f"fromRaw`{{{size}}} 0x{share}" for share in some)
    return f"recover {field} [ {shares} ] == {_bytes(case['Secret'])}"


def vectors(*, all_words: bool) -> Iterator[tuple[str, str, str]]:
    """Yield a name, a module and an expression that must be True for each vector."""
    fields = {
        "spec_shamir": "aesField",
        "spec_shamir_0x11d": "otherField",
        "shamir_vault": "aesField",
        "shamir_0x11d": "otherField",
    }
    words = slice(None) if all_words else SOME_WORDS
    for name in ("spec_fast", "fast_words", *fields):
        cases = json.loads((ROOT / "vectors" / f"{name}.json").read_text("utf-8"))
        for number in range(len(cases))[words if name == "fast_words" else slice(None)]:
            what, case = f"{name}, case {number}", cases[number]
            if name in fields:
                yield what, "Shamir", shamir_expression(case, fields[name])
            else:
                yield what, "Fast", fast_expression(case)


def check_vectors(count: Count, *, all_words: bool) -> None:
    """Compute vectors again."""
    for what, module, expression in vectors(all_words=all_words):
        started = time.monotonic()
        output = cryptol([f":load {module}.cry", expression])
        holds = output.strip().endswith("True") and not FAILS.search(output)
        count.add(what, holds, output, time.monotonic() - started)


def main() -> int:
    """Run what was chosen, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("module", nargs="*", help="check this module only, without vectors")
    parser.add_argument("--all-words", action="store_true", help="17 minutes more of vectors")
    parser.add_argument("--write", action="store_true", help="write properties.icry, run nothing")
    given = parser.parse_args()
    if unknown := sorted({*given.module} - {*MODULES}):
        parser.error(f"no module {', '.join(unknown)}: there are {', '.join(MODULES)}")
    if given.write:
        BATCH.write_text(batch(), "utf-8")
        return 0
    chosen = [module for module in MODULES if module in (given.module or MODULES)]
    count = Count()
    count.add("properties.icry is that of the docstrings", BATCH.read_text() == batch(), "", 0.0)
    check_modules(chosen, count)
    check_properties(chosen, count)
    if chosen == list(MODULES):
        check_vectors(count, all_words=given.all_words)
    print(f"cryptol: {count.passed} passed, {count.failed} failed")
    return int(count.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
