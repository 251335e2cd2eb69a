# SPDX-License-Identifier: Apache-2.0
"""Runs parts of the tests side by side, and keeps apart what must not meet.

A part has one job. When fewer parts are left than may run at once, the next command of a part gets
several: programs read how many in `VARIABLES`.
"""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.counts import Result, Run, without_passes
from tests.parts import ROOT, Part

LOGS = ROOT / "build" / "test-logs"
TAIL = 40
"""Lines of what a command printed that are shown when it fails."""

VARIABLES = (
    "CMAKE_BUILD_PARALLEL_LEVEL",
    "CTEST_PARALLEL_LEVEL",
    "PYTEST_XDIST_AUTO_NUM_WORKERS",
    "TALLY_JOBS",
)
"""The variables that say how many jobs a command may run at once; the last is our own scripts'."""


def found(need: str) -> bool:
    """Tell whether a command is there, a header in <>, a path, or a module behind "import"."""
    if need.startswith("/"):
        return Path(need).exists()
    if need.startswith("import "):
        importlib.invalidate_caches()  # it may have been installed since
        return importlib.util.find_spec(need.removeprefix("import ")) is not None
    if not need.startswith("<"):
        return shutil.which(need) is not None
    compiler = ("cc", "-E", "-")
    given = f"#include {need}\n"
    done = subprocess.run(compiler, input=given, text=True, capture_output=True, check=False)
    return done.returncode == 0


def end_of(log: Path, begin: int = 0) -> str:
    """Return the last lines of a log, of what stands in it from `begin` (bytes) on."""
    text = log.read_bytes()[begin:].decode(errors="replace")
    return "\n".join(without_passes(text.splitlines())[-TAIL:])


def file_of(part: Part, suffix: str) -> Path:
    """Return a part's file in the folder of the logs."""
    return LOGS / (re.sub(r"\W+", "-", part.name).strip("-") + suffix)


def call(arguments: Sequence[str], jobs: int, log: Path) -> tuple[int, float]:
    """Run a command, its output to the end of a log; return its exit code and processor time."""
    with log.open("a") as out:
        print("$", *arguments, file=out, flush=True)
        process = subprocess.Popen(
            arguments,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, **dict.fromkeys(VARIABLES, str(jobs))},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


@dataclass(slots=True)
class Schedule:
    """The parts that wait, those that run, and the results so far."""

    waiting: list[Part]
    at_once: int
    running: list[Part] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    stopped: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)
    total: int = 0

    def __post_init__(self) -> None:
        """Put the longest first, so that no long one is left for the end.

        Parts that use the same run one after the other, and so their times count together, as do
        those of a part and of what waits for it.
        """
        self.total = len(self.waiting)
        for part in self.waiting:
            if part.after == part.name:
                raise ValueError(f"the part {part.name!r} waits for itself")
        held = {part.name: part.held() for part in self.waiting}
        length = {
            part.name: sum(
                other.seconds
                for other in self.waiting
                if other is part or other.after == part.name or held[part.name] & held[other.name]
            )
            for part in self.waiting
        }
        self.waiting.sort(key=lambda part: -length[part.name])

    def next_part(self) -> Part | None:
        """Return the next part that may run beside the others, once there is one."""
        with self.changed:
            while self.waiting and not self.stopped:
                taken = {name for part in self.running for name in part.held()}
                ahead = {part.name for part in (*self.waiting, *self.running)}
                for part in self.waiting:
                    if part.after not in ahead and taken.isdisjoint(part.held()):
                        self.waiting.remove(part)
                        self.running.append(part)
                        number = self.total - len(self.waiting)
                        log = file_of(part, ".log").relative_to(ROOT)
                        print(f"[{number}/{self.total}] {part.name}: {log}", flush=True)
                        return part
                self.changed.wait()
        return None

    def jobs(self) -> int:
        """Return how many jobs the next command of a running part may have."""
        with self.changed:
            return max(1, self.at_once // (len(self.running) + len(self.waiting)))

    def say(self, text: str) -> None:
        """Print what belongs together in one piece."""
        with self.changed:
            print(text, flush=True)

    def run_part(self, part: Part) -> Result:
        """Run a part's commands, its output into its log, and count."""
        missing = [need for need in part.needs if not found(need)]
        if missing:
            return Result(skips=[f"{' and '.join(missing)} not installed"])
        run = Run([], file_of(part, ".log"), file_of(part, ".xml"))
        run.report.unlink(missing_ok=True)
        run.log.write_bytes(b"")
        started, processor = time.monotonic(), 0.0
        for label, command in part.commands.items():
            arguments = [argument.replace("REPORT", str(run.report)) for argument in command]
            begun = run.log.stat().st_size
            code, spent = call(arguments, self.jobs(), run.log)
            run.codes.append(code)
            processor += spent
            if code != 0:
                end = end_of(run.log, begun)
                self.say(f"{end}\nFAILED: {part.name}, {label}, exit code {code}")
                if not part.keep_going or self.stopped:
                    break
        result = part.count(run)
        result.seconds, result.processor = time.monotonic() - started, processor
        # A part that counted nothing, or whose command failed for another reason, has failed.
        bad_codes = len(run.codes) - run.codes.count(0)
        result.failed = max(result.failed, bad_codes, int(result.passed == 0))
        if result.failed and not bad_codes:
            self.say(end_of(run.log))
        return result

    def give_up(self, failed: Part) -> None:
        """Count what waits for a part that failed as failed too."""
        lost = [part for part in self.waiting if part.after == failed.name]
        self.waiting = [part for part in self.waiting if part not in lost]
        self.results |= {part.name: Result(failed=1) for part in lost}

    def work(self) -> None:
        """Run one part after the other, until none waits: what each thread does."""
        while part := self.next_part():
            result = Result(failed=1)
            try:
                result = self.run_part(part)
            finally:
                verdict = "FAILED" if result.failed else f"{result.passed} passed"
                with self.changed:
                    self.results[part.name] = result
                    self.running.remove(part)
                    if result.failed:
                        self.give_up(part)
                    self.changed.notify_all()
                    print(f"      {part.name}: {verdict} in {result.seconds:.0f} s", flush=True)

    def run(self) -> dict[str, Result]:
        """Run all parts, and return their results. An interrupt ends those that run, and waits."""
        workers = [threading.Thread(target=self.work) for _ in range(self.at_once)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        except KeyboardInterrupt:
            with self.changed:
                self.stopped = True
                self.changed.notify_all()
            for worker in workers:
                worker.join()
            raise
        return self.results
