# SPDX-License-Identifier: Apache-2.0
"""Runs every part of the tests, and sums them up: what `make test` does.

A part is an entry of `PARTS`: a few commands, and how its results are counted. All output goes to
build/test-logs/. The exit code is 1 if anything failed, or was skipped where CI=true. Arguments
choose parts by how their names begin.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "test-logs"
JOBS = "-j2"
TAIL = 40
"""Lines of what a command printed that are shown when it fails."""

COUNTS = re.compile(r"^\S.*: (\d+) passed, (\d+) failed$", re.MULTILINE)


@dataclass(slots=True)
class Result:
    """What a part came to; `skips` says what was skipped and why."""

    passed: int = 0
    failed: int = 0
    skips: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """How the commands of a part ended: exit codes so far, and where its output is."""

    codes: list[int]
    log: Path
    report: Path


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the summary.

    `needs` are commands, headers in <>, paths, or "import NAME", without which it is skipped; that
    counts as a failure in CI unless the part is `optional`, as what no package registry has.
    """

    name: str
    commands: dict[str, list[str]]
    count: Callable[[Run], Result]
    needs: tuple[str, ...] = ()
    keep_going: bool = False
    optional: bool = False

    def path(self, suffix: str) -> Path:
        """Return a file of this part in the folder of the logs."""
        return LOGS / (re.sub(r"\W+", "-", self.name).strip("-") + suffix)


def count_commands(run: Run) -> Result:
    """Each command is one check."""
    return Result(passed=run.codes.count(0))


def count_lines(run: Run) -> Result:
    """Add up the lines `NAME: N passed, N failed` of the log."""
    counts = COUNTS.findall(run.log.read_text(errors="replace"))
    return Result(sum(int(passed) for passed, _ in counts), sum(int(bad) for _, bad in counts))


def count_analysis(run: Run) -> Result:
    """Count lines; the lines `skipped: ...` name files that were left out for want of a header."""
    result = count_lines(run)
    result.skips += re.findall(
        r"^skipped: (.*)$", run.log.read_text(errors="replace"), re.MULTILINE
    )
    return result


def cases(run: Run) -> list[ElementTree.Element]:
    """Return the test cases of a part's JUnit report."""
    if not run.report.exists():
        return []
    return list(ElementTree.parse(run.report).iter("testcase"))  # noqa: S314 (our own file)


def count_cases(run: Run) -> Result:
    """Each test case of the report is one check (pytest, and ctest under valgrind)."""
    result = Result()
    for case in cases(run):
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
        elif skipped is not None and skipped.get("type") != "pytest.xfail":
            name = f"{case.get('classname')}.{case.get('name')}"
            result.skips.append(f"{name}: {skipped.get('message')}")
        else:
            result.passed += 1
    return result


def count_programs(run: Run) -> Result:
    """Each case of the report is a program that prints its own count; without one it failed."""
    result = Result()
    for case in cases(run):
        counts = COUNTS.findall(case.findtext("system-out") or "")
        passed, failed = (int(count) for count in counts[-1]) if counts else (0, 1)
        broken = case.find("failure") is not None
        result.passed += passed
        result.failed += max(failed, int(broken))
    return result


def count_go(run: Run) -> Result:
    """Each command is one check, and so is each test that `go test -json` tells of."""
    result = Result(passed=run.codes.count(0))
    for line in run.log.read_text(errors="replace").splitlines():
        if not line.startswith('{"'):
            continue
        event = json.loads(line)
        if "Test" not in event:
            continue
        action = event["Action"]
        result.passed += action == "pass"
        result.failed += action == "fail"
        if action == "skip":
            result.skips.append(f"{event['Package']}.{event['Test']}")
    return result


GCC = "gcc"
CLANG = "clang-16" if shutil.which("clang-16") else "clang"
PYTHON = sys.executable


def build(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands that build the C core and its tests in build/`name`."""
    folder = f"build/{name}"
    return {
        "configure": [
            *("cmake", "-S", ".", "-B", folder, f"-DCMAKE_C_COMPILER={compiler}"),
            *("-DTALLY_WERROR=ON", *options),
        ],
        "compile": ["cmake", "--build", folder, JOBS],
    }


def ctest(name: str, *choice: str) -> dict[str, list[str]]:
    """Return the command that runs tests of build/`name`; their output goes into the report."""
    size = "10000000"
    return {
        "test": [
            *("ctest", "--test-dir", f"build/{name}", JOBS, "--no-tests=error", *choice),
            *("--output-on-failure", "--output-junit", "REPORT"),
            *("--test-output-size-passed", size, "--test-output-size-failed", size),
        ]
    }


def cryptol(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands that call the library under Cryptol's SuiteB_FFI as Cryptol does."""
    commands = build(compiler, name, *options)
    programs = ("test_suiteb_ffi", "test_suiteb_ffi_memory")
    commands["compile"] += ["--target", "SuiteB_FFI", *programs]
    return commands | ctest(name, "--label-regex", "cryptol")


def core(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands of the C core's own tests."""
    return build(compiler, name, *options) | ctest(
        name, "--label-exclude", "constant-time|cryptol|memcheck"
    )


def emulated(name: str, cpu: str, compiler: str) -> Part:
    """Return the C core's own tests as compiled for another CPU, run by QEMU."""
    emulator = f"qemu-{cpu}"
    options = (
        *("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={cpu}"),
        *("-DCMAKE_EXE_LINKER_FLAGS=-static", f"-DCMAKE_CROSSCOMPILING_EMULATOR={emulator}"),
    )
    return Part(name, core(compiler, cpu, *options), count_programs, ("cmake", compiler, emulator))


VECTORS = (
    *("test_aes", "test_sha2", "test_fast", "test_column", "test_shamir", "test_shares"),
    "test_dispersal",
)
CPUS = ("qemu64", "core2duo", "Westmere", "Haswell,-aes", "Haswell")
"""Of QEMU, each with instructions that the ones before lack: SSE2, SSSE3, AES, AVX2 without AES and
with it. Whatever the core executes without having looked for it ends the program there."""


def on_cpus(name: str) -> dict[str, list[str]]:
    """Return the commands that read the vectors with build/`name` on each CPU."""
    run = f'for test in {" ".join(VECTORS)}; do "$@" build/{name}/$test vectors || exit 1; done'
    return {f"on {cpu}": ["sh", "-c", run, "sh", "qemu-x86_64", "-cpu", cpu] for cpu in CPUS}


def memcheck(compiler: str, name: str) -> dict[str, list[str]]:
    """Return the commands that run the corpora of fuzz targets under valgrind, as released."""
    return build(compiler, name) | ctest(name, "--label-regex", "memcheck")


def fuzz(kind: str, seconds: int) -> list[str]:
    """Return the command of a short run of fuzz targets, always from the same seed.

    It is there to find what a change breaks; what nobody knows yet is for `make fuzz`.
    """
    chosen = ("--kind", kind, "--seconds", str(seconds), "--seed", "1")
    return [PYTHON, "tests/fuzz/run.py", *chosen]


def constant_time(compiler: str, name: str) -> dict[str, list[str]]:
    """Return the commands of the programs that valgrind runs, as this compiler makes them."""
    return build(compiler, name) | ctest(name, "--label-regex", "constant-time")


# clang's alone sees what was never written. At -O1 it takes half the time that it takes at -O2.
MEMORY = ("-DTALLY_SANITIZE=memory", "-DCMAKE_C_FLAGS_RELEASE=-O1")
SANITIZERS = ("-DTALLY_SANITIZE=address,undefined", "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
WITH_GCC = ("cmake", GCC)
WITH_CLANG = ("cmake", CLANG)
CLANG_RUNTIME = "/usr/lib/llvm-16/lib/clang/16/include/fuzzer"
"""What comes with clang's sanitizers and libFuzzer, which Debian has apart from the compiler."""
GMP = "<gmp.h>"


def go(*arguments: str, **environment: str) -> list[str]:
    """Return a command of Go on the pinned modules, with more in its environment."""
    given = {"GOFLAGS": "-mod=readonly", **environment}
    return ["env", *(f"{name}={value}" for name, value in given.items()), "go", *arguments]


GO_TESTS = ("test", "-json", "-count=1")
STATICCHECK = "build/staticcheck"
GO = {
    "format": ["sh", "-c", 'found=$(gofmt -l go bench/go tests); echo "$found"; test -z "$found"'],
    "vet": go("vet", "./..."),
    "test": go(*GO_TESTS, "./..."),
    "test (race detector)": go(*GO_TESTS, "-race", "./..."),
    "test (without cgo)": go(*GO_TESTS, "./...", CGO_ENABLED="0"),
    "test (beside Vault)": go("test", "-C", "bench/go", *GO_TESTS[1:], "./beside"),
    "vet (bench)": go("vet", "-C", "bench/go", "./..."),
    "cross-compile (macOS)": go("build", "./...", GOOS="darwin", GOARCH="arm64", CGO_ENABLED="0"),
    "cross-compile (Windows)": go(
        "build", "./...", GOOS="windows", GOARCH="amd64", CGO_ENABLED="0"
    ),
    "cross-compile (32 bits)": go("build", "./...", GOOS="linux", GOARCH="386", CGO_ENABLED="0"),
    "test (sizes on 32 bits)": go(
        *(*GO_TESTS, "./go/hazmat/shamir", "-run", "BeyondInt"),
        GOOS="linux",
        GOARCH="386",
        CGO_ENABLED="0",
    ),
    "WebAssembly": [PYTHON, "go/internal/core/wasm/build.py", "--check"],
    "vendor": [PYTHON, "tests/go_vendor.py"],
    "build staticcheck": go(
        *("build", "-C", "go/tools", "-o", str(ROOT / STATICCHECK)),
        "honnef.co/go/tools/cmd/staticcheck",
    ),
    "staticcheck": [STATICCHECK, "./..."],
    "staticcheck (without cgo)": ["env", "CGO_ENABLED=0", STATICCHECK, "./..."],
}

PYTEST = (PYTHON, "-m", "pytest", "--junit-xml=REPORT")
OLDEST = str(ROOT / "build" / "oldest" / "bin" / "python")
"""Has the oldest accepted libraries of data frames, SQL and Spark; `make test` makes it."""
TWO_AT_ONCE = ("-n2", "--dist=worksteal")

C_FILES = [
    str(path)
    for folder in ("bench", "core", "cryptol", "embedded", "go", "tests")
    for path in sorted((ROOT / folder).rglob("*.[ch]"))
]

PARTS = (
    Part("core (gcc)", core(GCC, "gcc"), count_programs, WITH_GCC),
    Part("core (clang)", core(CLANG, "clang"), count_programs, WITH_CLANG),
    Part(
        "core (amalgamation)",
        core(GCC, "amalgamation", "-DTALLY_AMALGAMATION=ON"),
        count_programs,
        WITH_GCC,
    ),
    Part(
        "library",
        {"test": [*PYTEST, "tests/library"]},
        count_cases,
        (*WITH_GCC, CLANG, "g++", "pkg-config"),
    ),
    Part("core (sanitizers)", core(GCC, "sanitizers", *SANITIZERS), count_programs, WITH_GCC),
    Part(
        "core (other x86-64)",
        build(GCC, "gcc") | on_cpus("gcc"),
        count_lines,
        (*WITH_GCC, "qemu-x86_64"),
    ),
    emulated("core (AArch64)", "aarch64", "aarch64-linux-gnu-gcc"),
    emulated("core (ARM, 32 bits)", "arm", "arm-linux-gnueabihf-gcc"),
    emulated("core (s390x)", "s390x", "s390x-linux-gnu-gcc"),  # big-endian
    Part(
        "core (memory)",
        core(CLANG, "memory", *MEMORY),
        count_programs,
        (*WITH_CLANG, CLANG_RUNTIME),
    ),
    Part("memcheck (gcc)", memcheck(GCC, "gcc"), count_cases, (*WITH_GCC, "valgrind")),
    Part("memcheck (clang)", memcheck(CLANG, "clang"), count_cases, (*WITH_CLANG, "valgrind")),
    Part(
        "fuzz (C)",
        {"fuzz": fuzz("c", 6)},
        count_lines,
        (*WITH_CLANG, CLANG_RUNTIME),
    ),
    Part("cryptol (gcc)", cryptol(GCC, "gcc"), count_programs, (*WITH_GCC, GMP)),
    Part("cryptol (clang)", cryptol(CLANG, "clang"), count_programs, (*WITH_CLANG, GMP)),
    Part(
        "cryptol (sanitizers)",
        cryptol(GCC, "sanitizers", *SANITIZERS),
        count_programs,
        (*WITH_GCC, GMP),
    ),
    Part(
        "specification",
        {"library": ["make", "cryptol"], "properties": [PYTHON, "tests/cryptol.py"]},
        count_lines,
        ("cryptol", "cmake", GMP),
        optional=True,
    ),
    Part("constant time (gcc)", constant_time(GCC, "gcc"), count_cases, (*WITH_GCC, "valgrind")),
    Part(
        "constant time (clang)",
        constant_time(CLANG, "clang"),
        count_cases,
        (*WITH_CLANG, "valgrind"),
    ),
    Part(
        "constant time (levels)",
        {"test": [PYTHON, "tests/constant_time.py", f"{GCC}-O0", f"{CLANG}-O3"]},
        count_lines,
        (*WITH_GCC, CLANG, "valgrind"),
    ),
    Part(
        "static analysis",
        {"gcc and clang-tidy": [PYTHON, "tests/static_analysis.py"]},
        count_analysis,
        (GCC, "clang-tidy-16"),
    ),
    Part("proofs", {"Frama-C": [PYTHON, "tests/proofs.py"]}, count_lines, ("frama-c",)),
    Part(
        "python",
        {
            "test": [
                *(*PYTEST, *TWO_AT_ONCE),
                *(f"--ignore=python/tests/{name}" for name in ("remote", "site", "spark")),
            ]
        },
        count_cases,
    ),
    Part(
        "documentation",
        {"test": [*PYTEST, "python/tests/site"]},
        count_cases,
        ("import mkdocs", "aspell", "chromium"),
    ),
    Part(
        "remote",
        {
            "build an S3 server": go(
                *("build", "-C", "tests/s3", "-trimpath", "-o", str(ROOT / "build/s3/versitygw")),
                "github.com/versity/versitygw/cmd/versitygw",
            ),
            "test": [*PYTEST, *TWO_AT_ONCE, "python/tests/remote"],
        },
        count_cases,
        ("go", GCC),
    ),
    Part(
        "faults",
        {"test": ["env", "FAULTS_SEED=1", *PYTEST, "tests/faults"]},
        count_cases,
        (GCC,),
    ),
    Part("leaks", {"test": [*PYTEST, "tests/leaks"]}, count_cases),
    Part("spark", {"test": [*PYTEST, "python/tests/spark"]}, count_cases, ("java",)),
    Part(
        "oldest libraries",
        {
            "test": [
                *(OLDEST, "-m", "pytest", "--junit-xml=REPORT"),
                *("-W", "ignore::pytest.PytestUnraisableExceptionWarning"),  # PySpark 4.1's sockets
                *("python/tests/frames", "python/tests/sql"),
                "python/tests/remote/test_objects.py",
                *("python/tests/spark/test_frames.py", "python/tests/spark/test_sql.py"),
            ]
        },
        count_cases,
        ("java", OLDEST),
    ),
    Part("go", GO, count_go, ("go", GCC), keep_going=True),
    Part(
        "fuzz (Python, Go)",
        {
            "Python": fuzz("python", 3),
            "Go": fuzz("go", 2),
        },
        count_lines,
        ("go", GCC, "import atheris"),
        keep_going=True,
    ),
    Part(
        "package",
        {"build, install, run": [PYTHON, "-m", "tests.package"]},
        count_lines,
        (GCC, "import cyclonedx"),
    ),
    Part(
        "lint",
        {
            "style": [PYTHON, "-m", "ruff", "check"],
            "format": [PYTHON, "-m", "ruff", "format", "--check"],
            "types": [PYTHON, "-m", "mypy"],
        },
        count_commands,
        keep_going=True,
    ),
    Part(
        "lint (C)",
        {"format": ["clang-format-16", "--dry-run", "-Werror", *C_FILES]},
        count_commands,
        ("clang-format-16",),
    ),
)


def found(need: str) -> bool:
    """Tell whether a command is there, a header in <>, a path, or a module behind "import"."""
    if need.startswith("/"):
        return Path(need).exists()
    if need.startswith("import "):
        return importlib.util.find_spec(need.removeprefix("import ")) is not None
    if not need.startswith("<"):
        return shutil.which(need) is not None
    compiler = ("cc", "-E", "-")
    given = f"#include {need}\n"
    done = subprocess.run(compiler, input=given, text=True, capture_output=True, check=False)
    return done.returncode == 0


def show_end(log: Path, begin: int = 0) -> None:
    """Print the last lines of a log, of what stands in it from `begin` (bytes) on."""
    text = log.read_bytes()[begin:].decode(errors="replace")
    print(*text.splitlines()[-TAIL:], sep="\n", flush=True)


def run_part(part: Part) -> Result:
    """Run a part's commands, its output into its log, and count."""
    missing = [need for need in part.needs if not found(need)]
    if missing:
        return Result(skips=[f"{' and '.join(missing)} not installed"])
    run = Run([], part.path(".log"), part.path(".xml"))
    run.report.unlink(missing_ok=True)
    started = time.monotonic()
    with run.log.open("w") as log:
        for label, command in part.commands.items():
            print(f"      {label}", flush=True)
            arguments = [argument.replace("REPORT", str(run.report)) for argument in command]
            begun = run.log.stat().st_size
            print("$", *arguments, file=log, flush=True)
            done = subprocess.run(
                arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False
            )
            run.codes.append(done.returncode)
            if done.returncode != 0:
                show_end(run.log, begun)
                print(f"      FAILED: {label}, exit code {done.returncode}", flush=True)
                if not part.keep_going:
                    break
    result = part.count(run)
    result.seconds = time.monotonic() - started
    # A part that counted nothing, or whose command failed for another reason, has failed.
    bad_codes = len(run.codes) - run.codes.count(0)
    result.failed = max(result.failed, bad_codes, int(result.passed == 0))
    if result.failed and not bad_codes:
        show_end(run.log)
    return result


def run_parts(parts: list[Part]) -> dict[str, Result]:
    """Run the parts one after the other, and say how each goes."""
    results = {}
    for number, part in enumerate(parts, 1):
        log = part.path(".log")
        print(f"[{number}/{len(parts)}] {part.name}: {log.relative_to(ROOT)}", flush=True)
        results[part.name] = result = run_part(part)
        if result.failed:
            print(f"      FAILED: {part.name}; the whole is in {log.relative_to(ROOT)}", flush=True)
    return results


def main() -> int:
    """Run the chosen parts, print the summary, and return the exit code."""
    chosen = [part for part in PARTS if part.name.startswith(tuple(sys.argv[1:]) or "")]
    if not chosen:
        print("no such part; there are:", *(part.name for part in PARTS), sep="\n  ")
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    results = run_parts(chosen)
    skips = [f"{name}: {skip}" for name, result in results.items() for skip in result.skips]
    print()
    for skip in skips:
        print(f"skipped: {skip}")
    for name, result in results.items():
        counts = f"{result.passed:6} passed, {result.failed} failed, {len(result.skips)} skipped"
        print(f"{name:24}{counts:38}{result.seconds:7.1f} s")
    passed = sum(result.passed for result in results.values())
    failed = sum(result.failed for result in results.values())
    needed = [part.name for part in chosen if not part.optional and results[part.name].skips]
    in_ci = os.environ.get("CI") == "true"
    if needed and in_ci:
        print("CI allows no skipped test of", *needed, "- make setup must install what is missing")
    print(f"total: {passed} passed, {failed} failed, {len(skips)} skipped")
    return int(failed > 0 or (in_ci and bool(needed)))


if __name__ == "__main__":
    sys.exit(main())
