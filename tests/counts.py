# SPDX-License-Identifier: Apache-2.0
"""What a part of the tests came to, and how that is counted from its log and its report."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

COUNTS = re.compile(r"^\S.*: (\d+) passed, (\d+) failed$", re.MULTILINE)


GO_EVENTS = ('{"Time":', '{"ImportPath":')
"""How the lines of `go test -json` begin."""


@dataclass(slots=True)
class Result:
    """What a part came to; `skips` lists what was skipped and why.

    `seconds` are by the clock. `processor` adds up what all its processes took of all cores.
    """

    passed: int = 0
    failed: int = 0
    skips: list[str] = field(default_factory=list)
    seconds: float = 0.0
    processor: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """How the commands of a part ended: exit codes so far, and where its output is."""

    codes: list[int]
    log: Path
    report: Path


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


def go_events(lines: list[str]) -> list[dict[str, str]]:
    """Return the events of `go test -json` among the lines of a log."""
    return [json.loads(line) for line in lines if line.startswith(GO_EVENTS)]


def without_passes(lines: list[str]) -> list[str]:
    """Replace the events of `go test -json` by what failed tests, packages and builds printed."""
    events = go_events(lines)
    failed = {
        (event.get("Package"), event.get("Test")) for event in events if event["Action"] == "fail"
    }
    printed = [
        event["Output"].rstrip()
        for event in events
        if event["Action"] == "build-output"
        or (event["Action"] == "output" and (event.get("Package"), event.get("Test")) in failed)
    ]
    return [line for line in lines if not line.startswith(GO_EVENTS)] + printed


def count_go(run: Run) -> Result:
    """Each command is one check, and so is each test that `go test -json` reports."""
    result = Result(passed=run.codes.count(0))
    for event in go_events(run.log.read_text(errors="replace").splitlines()):
        if "Test" not in event:
            continue
        action = event["Action"]
        result.passed += action == "pass"
        result.failed += action == "fail"
        if action == "skip":
            result.skips.append(f"{event['Package']}.{event['Test']}")
    return result
