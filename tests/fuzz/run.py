# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets, two at once or TALLY_JOBS, and prints what each did: `make fuzz`.

There are three kinds: programs of tests/fuzz/core/ (libFuzzer, with ASan and UBSan), scripts of
tests/fuzz/python/ (atheris), and functions `FuzzX` of Go's tests. The first two begin with their
seeds, tests/fuzz/corpus/NAME.tar.xz (of fuzz_x.py: python_x), and with what earlier runs found,
which stays in build/fuzz/NAME/corpus/; Go keeps that in its cache. An input that breaks something
goes, made small, into build/fuzz/NAME/findings/, and the exit code is 1.
"""

import argparse
import base64
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import corpora
from corpora import MOST_BYTES, MOST_INPUTS, CorpusError

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "fuzz"
CLANG = "clang-16" if shutil.which("clang-16") else "clang"
TOGETHER = int(os.environ.get("TALLY_JOBS") or 2)
INPUT_SECONDS = 25
"""An input that takes longer is a finding."""
MINIMISE_SECONDS = 30
ROUND_SECONDS = 200
"""A process of libFuzzer ends after that, and another goes on: under atheris they lose memory."""
TAIL = 25
"""Lines of a failed run's log that are shown."""
MEMORY = "2048"
"""MB that a target may take."""
LIBFUZZER_RUNS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)
LIBFUZZER_FINDING = re.compile(r"Test unit written to (\S+)")
LIBFUZZER_COVERAGE = re.compile(r"\bcov: (\d+)")
LIBFUZZER_START = re.compile(r"INITED cov: (\d+)")
GO_RUNS = re.compile(r"execs: (\d+)")
GO_NEW = re.compile(r"new interesting: (\d+) \(total: (\d+)\)")
GO_DEADLINE = re.compile(
    r"^--- FAIL: Fuzz\w+ \([\d.]+s\)\n    context deadline exceeded\nFAIL"
    r"(\nexit status 1\nFAIL\t\S+\t[\d.]+s)?\s*\Z",
    re.MULTILINE,
)
"""What Go before 1.27 may end with when the time is over (go.dev/issue/75804)."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long a run is; with a `seed`, inputs are those of other runs with that seed.

    That is as far as the target leaves nothing to chance, such as what threads do, and time: a
    faster machine comes to more of them. What earlier runs found is left out.
    """

    seconds: int
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Something that is fuzzed; a `program` takes libFuzzer's flags."""

    name: str
    run: Callable[[Length], "Outcome"]
    program: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What a run came to; `found` are the files of inputs that broke something."""

    code: int
    runs: int = 0
    coverage: str = ""
    found: tuple[Path, ...] = ()
    log: Path = Path()

    @property
    def state(self) -> str:
        """Return FAILED, or done; a target that did not even start has no runs."""
        return "FAILED" if self.code != 0 or self.runs == 0 else "done"


def folder(name: str) -> Path:
    """Return a target's folder, where its corpus, findings and log are."""
    made = BUILD / name
    for part in ("corpus", "findings"):
        (made / part).mkdir(parents=True, exist_ok=True)
    return made


def emptied(place: Path) -> Path:
    """Return a folder in a target's for a run that shall know nothing of earlier ones."""
    made = place / "alone"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    return made


def call(command: list[str], log: Path, **options: object) -> int:
    """Run a command, its output into a file, and return the exit code."""
    with log.open("w") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        done = subprocess.run(  # type: ignore[call-overload]
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, **options
        )
        return int(done.returncode)


def run_libfuzzer(name: str, program: tuple[str, ...], length: Length) -> Outcome:
    """Run a target that takes libFuzzer's flags: a C program, or a script under atheris."""
    place = folder(name)
    findings, log = place / "findings", place / "log"
    before = set(findings.iterdir())
    corpus = [str(corpora.unpack(name, place / "seeds"))]
    flags = [
        f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={MEMORY}",
        f"-artifact_prefix={findings}/",
    ]
    environment = dict(os.environ)
    command = [*program, *flags, "-print_final_stats=1"]
    if length.seed is None:
        corpus.insert(0, str(place / "corpus"))
    else:
        command += [f"-seed={length.seed}", "-reload=0"]
        environment["PYTHONHASHSEED"] = str(length.seed)
        corpus.insert(0, str(emptied(place)))
    code, runs, covers, left = 0, 0, list[str](), length.seconds
    while left > 0 and code == 0:
        seconds = min(left, ROUND_SECONDS)
        left -= seconds
        code = call(
            [*command, f"-max_total_time={seconds}", *corpus], log, cwd=place, env=environment
        )
        text = log.read_text(errors="replace")
        done = sum(int(count) for count in LIBFUZZER_RUNS.findall(text))
        code, runs = code or int(done == 0), runs + done
        covers += LIBFUZZER_START.findall(text)[:1] + LIBFUZZER_COVERAGE.findall(text)[-1:]
    # One that an earlier run found too has the same name.
    before -= {Path(name) for name in LIBFUZZER_FINDING.findall(text)}
    found = sorted(set(findings.iterdir()) - before)
    for finding in found:
        small = finding.with_name(finding.name + ".small")
        minimise = ("-minimize_crash=1", f"-max_total_time={MINIMISE_SECONDS}")
        made = f"-exact_artifact_path={small}"
        call([*program, *flags, *minimise, made, str(finding)], place / "minimise.log", cwd=place)
    return Outcome(
        code,
        runs,
        f"{covers[0]} -> {covers[-1]}" if covers else "",
        tuple(sorted(set(findings.iterdir()) - before)),
        log,
    )


def merge(target: Target) -> None:
    """Add to a target's seeds, of what was found, the few that reach most; small ones alone."""
    place = folder(target.name)
    chosen, seeds = place / "merged", corpora.unpack(target.name, place / "seeds")
    shutil.rmtree(chosen, ignore_errors=True)
    chosen.mkdir()
    flags = ["-set_cover_merge=1", f"-max_len={MOST_BYTES}"]
    command = [*target.program, *flags, str(chosen), str(seeds), str(place / "corpus")]
    if call(command, place / "merge.log", cwd=place) != 0:
        sys.exit(f"fuzz: {target.name} could not be merged; see {place / 'merge.log'}")
    held = corpora.read(target.name)
    files = {file.name: file.read_bytes() for file in chosen.iterdir()}
    new = {name: data for name, data in files.items() if data not in held.values()}
    smallest = sorted(new, key=lambda name: len(new[name]))[: max(0, MOST_INPUTS - len(held))]
    count = corpora.add(target.name, {name: new[name] for name in smallest})
    print(f"fuzz: {target.name}: {count} seeds are new, {len(held)} were there", flush=True)


def add(name: str, files: list[Path]) -> int:
    """Add files to a target's seeds, and return the exit code."""
    if not corpora.archive(name).exists():
        print(f"fuzz: {name} has no archive {corpora.archive(name).relative_to(ROOT)}")
        return 2
    try:
        count = corpora.add(name, {file.name: file.read_bytes() for file in files})
    except (OSError, CorpusError) as error:
        print(f"fuzz: {error}")
        return 1
    print(f"fuzz: {name}: {count} seeds are new, {len(files) - count} were there")
    return 0


def is_deadline_alone(code: int, log: str) -> bool:
    """Tell whether Go failed a run for no other reason than that its time was over.

    Go's coordinator may see the deadline of `-fuzztime` before its workers do, and then takes it
    for an error. It leaves no input then; one that it was making smaller is written, but not named.
    """
    return code == 1 and log.count("--- FAIL") == 1 and GO_DEADLINE.search(log) is not None


def run_go(package: Path, function: str, length: Length) -> Outcome:
    """Run a fuzz function of a Go package; Go keeps what it finds in the package's testdata/."""
    place = folder(function)
    log = place / "log"
    environment = os.environ | {"GOFLAGS": "-mod=readonly"}
    command = ["go", "test", "-run=^$", f"-fuzz=^{function}$", f"-fuzztime={length.seconds}s"]
    # Go makes each new input small, by default for up to a minute, and runs nothing else meanwhile.
    command += ["-fuzzminimizetime=1000x", "-parallel=1", "."]
    if length.seed is not None:
        environment["GODEBUG"] = f"fuzzseed={length.seed}"
        command.append(f"-test.fuzzcachedir={emptied(place)}")

    def written() -> set[Path]:
        return set((package / "testdata" / "fuzz" / function).glob("*"))

    before = written()
    code = call(command, log, cwd=package, env=environment)
    text = log.read_text(errors="replace")
    found = []
    for source in written() - before:
        found.append(Path(shutil.copy(source, place / "findings")))
        source.unlink()  # the repository stays as it is
    if not found and is_deadline_alone(code, text):
        code = 0
    runs, new = GO_RUNS.findall(text), GO_NEW.findall(text)
    coverage = f"{new[-1][0]} new inputs" if new else ""
    return Outcome(code, int(runs[-1]) if runs else 0, coverage, tuple(found), log)


def c_targets() -> list[Target]:
    """Build the C targets, and list them."""
    sources = sorted((ROOT / "tests" / "fuzz" / "core").glob("fuzz_*.c"))
    programs = BUILD / "core"
    programs.mkdir(parents=True, exist_ok=True)
    options = [f"-DCMAKE_C_COMPILER={CLANG}", "-DTALLY_FUZZ=ON", "-DTALLY_WERROR=ON"]
    configure = ["cmake", "-S", str(ROOT), "-B", str(programs), *options]
    compile_ = ["cmake", "--build", str(programs), f"-j{TOGETHER}", "--target"]
    compile_ += [source.stem for source in sources]
    for command, log in ((configure, "configure.log"), (compile_, "compile.log")):
        if call(command, programs / log) != 0:
            print((programs / log).read_text(errors="replace"))
            sys.exit(f"fuzz: the C targets could not be built; {programs / log} is above")

    def target(name: str) -> Target:
        program = (str(programs / name),)
        return Target(name, lambda length: run_libfuzzer(name, program, length), program)

    return [target(source.stem) for source in sources]


def python_targets() -> list[Target]:
    """List the scripts."""

    def target(script: Path) -> Target:
        program = (sys.executable, str(script))
        name = f"python_{script.stem.removeprefix('fuzz_')}"
        return Target(name, lambda length: run_libfuzzer(name, program, length), program)

    scripts = sorted((ROOT / "tests" / "fuzz" / "python").glob("fuzz_*.py"))
    return [target(script) for script in scripts]


def go_targets() -> list[Target]:
    """List the functions, by the sources that declare them."""

    def target(package: Path, function: str) -> Target:
        return Target(function, lambda length: run_go(package, function, length))

    declared = re.compile(r"^func (Fuzz\w+)\(", re.MULTILINE)
    return [
        target(source.parent, function)
        for source in sorted((ROOT / "go").rglob("*_test.go"))
        for function in declared.findall(source.read_text())
    ]


KINDS = {"c": c_targets, "python": python_targets, "go": go_targets}


def show(name: str, outcome: Outcome) -> None:
    """Say how a target's run failed: the end of its log, and the inputs if they are small."""
    print(f"\nfuzz: {name}: exit code {outcome.code}, {outcome.runs} runs; {outcome.log} ends:")
    print(*outcome.log.read_text(errors="replace").splitlines()[-TAIL:], sep="\n")
    for finding in outcome.found:
        data = finding.read_bytes()
        text = f": {base64.b64encode(data).decode()}" if len(data) <= MOST_BYTES else ""
        print(f"fuzz: {name}: {finding.relative_to(ROOT)}, {len(data)} bytes{text}")


def main() -> int:
    """Run the chosen targets, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description="Run the fuzz targets.")
    parser.add_argument("--seconds", type=int, default=600, help="for each target (600)")
    parser.add_argument("--seed", type=int, help="the same inputs again, in the same order")
    parser.add_argument("--kind", choices=KINDS, action="append", help="of targets; all by default")
    parser.add_argument("--merge", action="store_true", help="make seeds of what runs have found")
    parser.add_argument(
        "--add", type=Path, nargs="+", metavar="FILE", help="add seeds to one target"
    )
    parser.add_argument("targets", nargs="*", help="how names of targets begin; all by default")
    arguments = parser.parse_args()
    if arguments.seconds < 1:
        parser.error("--seconds is 1 or more")
    if arguments.add:
        if len(arguments.targets) != 1:
            parser.error("--add needs one target before it")
        return add(arguments.targets[0], arguments.add)
    there = [target for kind in arguments.kind or KINDS for target in KINDS[kind]()]
    chosen = [x for x in there if x.name.startswith(tuple(arguments.targets) or "")]
    if not chosen:
        print("fuzz: no such target; there are", *(target.name for target in there))
        return 2
    if arguments.merge:
        for target in chosen:
            if target.program:
                merge(target)
        return 0
    length = Length(arguments.seconds, arguments.seed)
    print(f"fuzz: {len(chosen)} targets, {arguments.seconds} s each, {TOGETHER} at once")
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        running = [pool.submit(target.run, length) for target in chosen]
        for target, future in zip(chosen, running, strict=True):
            outcome = future.result()
            print(f"fuzz: {target.name} {outcome.state}, {outcome.runs} runs", flush=True)
    outcomes = [future.result() for future in running]
    failed = [(x, y) for x, y in zip(chosen, outcomes, strict=True) if y.state == "FAILED"]
    for target, outcome in failed:
        show(target.name, outcome)
    print(f"\n{'target':28}{'runs':>12}  {'coverage':20}findings")
    for target, outcome in zip(chosen, outcomes, strict=True):
        print(f"{target.name:28}{outcome.runs:12}  {outcome.coverage:20}{len(outcome.found)}")
        for finding in outcome.found:
            print(f"    {finding.relative_to(ROOT)}")
    total = sum(outcome.runs for outcome in outcomes)
    print(f"total: {total} runs in {time.monotonic() - started:.0f} s")
    if failed:
        print("fuzz: FAILED:", *(target.name for target, _ in failed))
    print(f"fuzz: {len(chosen) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
