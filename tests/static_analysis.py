# SPDX-License-Identifier: Apache-2.0
"""Static analysis of the C, by gcc -fanalyzer and clang-tidy (.clang-tidy).

A report that is not in `KNOWN` fails, and so does an entry of `KNOWN` that is not reported any
more.
It is the core, what stands between it and Go and Cryptol, and the extensions of databases, where
their headers are.
Files named after an instruction set are left out: they are vector arithmetic without pointers to
follow, and take longer than all others together. Before the core each tool is given
tests/static_analysis/control.c, and must report the faults in it.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("TALLY_JOBS") or 2)
CONTROL = "tests/static_analysis/control.c"
INSTRUCTIONS = re.compile(
    r"_?(avx2|avx512|sse2|ssse3|neon|simd128|aesni|armv8|shani|bmi2|cortex_m0)"
)
TOO_LARGE = re.compile(r"^c\d\d$")
"""For gcc, which follows each step of their circuits: more than ten minutes a file."""
BINDINGS = ("go/internal/core/binding.c",)
GMP_BINDINGS = ("cryptol/suiteb_ffi.c",)
EXTENSIONS = ("common", "duckdb", "sqlite", "postgres")
"""Folders of integrations/."""
OPTIONS = ("-std=c11", "-Icore", "-Icore/include", "-Iintegrations/common")

Report = tuple[str, str, str]
"""The tool, the file, and the check."""

CALLERS = "the sizes that rule it out are checked by the callers, in other files"
FILLED = "as many are read as were written, of which there are some"
VECTORS = "elements of these vectors have 16, 32 or 64 bits, and are shifted by fewer"
SERVER = "PostgreSQL writes it before it returns, in a function that is not seen"
LAST = "the last of the table needs no CPU feature, so one is found"

KNOWN: dict[Report, str] = {
    ("clang-tidy", "core/aes/bitslice.c", "clang-analyzer-core.DivideZero"): CALLERS,
    ("clang-tidy", "core/base/bytes.h", "clang-analyzer-core.UndefinedBinaryOperatorResult"): (
        "round keys: " + CALLERS
    ),
    (
        "clang-tidy",
        "core/columns/each_row.c",
        "clang-analyzer-core.uninitialized.ArraySubscript",
    ): FILLED,
    ("clang-tidy", "core/masked/masked.c", "clang-analyzer-core.CallAndMessage"): CALLERS,
    ("gcc", "core/masked/masked.c", "-Wanalyzer-null-dereference"): (
        "it follows a status of a function that is an error there, and TALLY_OK for its caller"
    ),
    ("clang-tidy", "core/sharing/dispersal.c", "clang-analyzer-core.CallAndMessage"): CALLERS,
    (
        "clang-tidy",
        "core/sharing/dispersal.c",
        "clang-analyzer-core.UndefinedBinaryOperatorResult",
    ): FILLED,
    ("clang-tidy", "core/sharing/dispersal.h", "clang-analyzer-core.DivideZero"): CALLERS,
    ("clang-tidy", "core/sharing/shares.c", "clang-analyzer-core.CallAndMessage"): FILLED,
    ("clang-tidy", "core/tokens/table.c", "misc-no-recursion"): (
        "it goes down the path of a column, which has at most 32 steps"
    ),
    ("clang-tidy", "core/tokens/whole.c", "misc-no-recursion"): (
        "it goes into children, which lie in each other at most 64 deep"
    ),
    ("clang-tidy", "core/formats/pattern_parse.c", "misc-no-recursion"): (
        "it goes into groups of a pattern, which lie in each other at most 128 deep"
    ),
    ("clang-tidy", "core/policy/policy.c", "misc-no-recursion"): (
        "it goes into JSON, which is at most 64 deep"
    ),
    ("clang-tidy", "integrations/common/toml.c", "misc-no-recursion"): (
        "it goes into arrays and tables, which lie in each other at most 64 deep"
    ),
    (
        "clang-tidy",
        "integrations/duckdb/tallystick.c",
        "clang-analyzer-core.NonNullParamChecker",
    ): "regular texts are longer than those that DuckDB stores without a pointer",
    ("clang-tidy", "integrations/postgres/documents.c", "misc-no-recursion"): (
        "it goes down a path, which has at most 32 steps"
    ),
    (
        "clang-tidy",
        "integrations/postgres/documents.c",
        "clang-analyzer-core.NonNullParamChecker",
    ): SERVER,
    ("gcc", "integrations/postgres/documents.c", "-Wanalyzer-null-dereference"): SERVER,
    ("gcc", "integrations/sqlite/tallystick.c", "-Wanalyzer-malloc-leak"): (
        "the connection has it, and frees it at its end"
    ),
    ("gcc", "core/base/nearest.c", "-Wanalyzer-use-of-uninitialized-value"): FILLED,
    ("gcc", "core/aes/bitslice_circuit.h", "-Wanalyzer-use-of-uninitialized-value"): (
        "the slices are written through an index that the analyzer does not follow"
    ),
    ("gcc", "core/formats/layouts_checks_body.h", "-Wanalyzer-shift-count-overflow"): VECTORS,
    ("gcc", "core/formats/layouts_portable.c", "-Wanalyzer-shift-count-overflow"): VECTORS,
    ("gcc", "core/numbers/mixed.c", "-Wanalyzer-shift-count-overflow"): VECTORS,
    ("gcc", "core/numbers/mixed_limbs_body.h", "-Wanalyzer-shift-count-overflow"): VECTORS,
    ("gcc", "core/sha2/hash_body.h", "-Wanalyzer-null-dereference"): LAST,
    ("gcc", "core/sha2/hash_body.h", "-Wanalyzer-null-argument"): (
        "where there are no bytes, their number is 0, and the function returns before"
    ),
    ("gcc", "core/sha2/sha256.c", "-Wanalyzer-null-dereference"): LAST,
}
"""Reports that were looked at and are wrong, and why."""


def run(command: list[str]) -> str:
    """Return what a command printed; it must be able to read the file."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if re.search(r"\b(fatal )?error: ", output):
        sys.exit(f"{' '.join(command)}\n{output}")
    return output


def found(tool: str, output: str) -> Iterable[tuple[Report, str]]:
    """Yield the reports of a tool, with the line that says where."""
    pattern = r"^(\S+?):(\d+):\d+: warning: .*\[([\w.,+=-]+)\]$"
    for file, line, check in re.findall(pattern, output, re.MULTILINE):
        name = os.path.relpath(ROOT / file, ROOT)
        yield (tool, name, check), f"{name}:{line}: {check} ({tool})"


@functools.cache
def options(folder: str) -> list[str]:
    """Return the options that a file of a folder needs."""
    if folder != "integrations/postgres":
        return list(OPTIONS)
    paths = subprocess.run(
        ["pg_config", "--includedir-server", "--pkgincludedir"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    headers = ("-isystem", paths[0], "-isystem", f"{paths[1]}/internal")
    return [*OPTIONS, "-std=gnu11", "-D_GNU_SOURCE", *headers]


def gcc(file: str) -> list[tuple[Report, str]]:
    """Analyze a file by gcc."""
    command = [
        "gcc",
        *options(os.path.dirname(file)),
        "-O1",
        "-fanalyzer",
        "-c",
        file,
        "-o",
        os.devnull,
    ]
    return list(found("gcc", run(command)))


def clang_tidy(file: str) -> list[tuple[Report, str]]:
    """Analyze a file by clang-tidy."""
    return list(
        found(
            "clang-tidy",
            run(["clang-tidy-16", "--quiet", file, "--", *options(os.path.dirname(file))]),
        )
    )


TOOLS: dict[Callable[[str], list[tuple[Report, str]]], set[str]] = {
    gcc: {"-Wanalyzer-use-of-uninitialized-value", "-Wanalyzer-null-dereference"},
    clang_tidy: {"bugprone-branch-clone", "clang-analyzer-core.NullDereference"},
}
"""The tools, and what each must report of the control."""


def has_header(name: str) -> bool:
    """Return whether there is a header of the system."""
    command = ["gcc", "-fsyntax-only", "-include", name, "-x", "c", os.devnull]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def has_postgres() -> bool:
    """Return whether there are the headers of PostgreSQL's server."""
    if shutil.which("pg_config") is None:
        return False
    return (Path(options("integrations/postgres")[-3]) / "postgres.h").exists()


def main() -> int:
    """Run both tools over the files, and compare with what is known."""
    skipped: list[str] = []
    files = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "core").rglob("*.c"))
        if path.parent.name != "tests" and not INSTRUCTIONS.search(path.stem)
    ]
    files += BINDINGS
    for folder in EXTENSIONS:
        own = sorted((ROOT / "integrations" / folder).glob("*.c"))
        known = {"sqlite": lambda: has_header("sqlite3ext.h"), "postgres": has_postgres}
        if known.get(folder, lambda: True)():
            files += [str(path.relative_to(ROOT)) for path in own]
        else:
            skipped.append(f"integrations/{folder}")
    if has_header("gmp.h"):
        files += GMP_BINDINGS
    else:
        skipped += GMP_BINDINGS
    if skipped:
        print("skipped, without their headers:", *skipped)
    bad, passed = [], 0
    for tool, wanted in TOOLS.items():
        checks = {report[2] for report, _ in tool(CONTROL)}
        bad += [f"{tool.__name__}: the control's {check} not reported" for check in wanted - checks]
        passed += len(wanted & checks)
    jobs = [
        (tool, file)
        for file in files
        for tool in TOOLS
        if tool is not gcc or not TOO_LARGE.search(Path(file).stem)
    ]
    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda job: job[0](job[1]), jobs))
    seen: set[Report] = set()
    for result in results:
        new = [line for report, line in result if report not in KNOWN]
        bad += new
        passed += not new
        seen.update(report for report, _ in result)
    bad += [f"{report}: known, but not reported any more" for report in KNOWN if report not in seen]
    print(f"{len(files)} files; {len(seen & KNOWN.keys())} reports that are known to be wrong")
    print(*(f"FAILED: {line}" for line in dict.fromkeys(bad)), sep="\n")
    print(f"static analysis: {passed} passed, {len(bad)} failed")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
