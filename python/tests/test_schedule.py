# SPDX-License-Identifier: Apache-2.0
"""The schedule of `make test`: every part runs once, side by side, and what fails is seen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.counts import count_commands, count_lines
from tests.parts import PACKAGES, PARTS, Part
from tests.schedule import Schedule

from tests import run, schedule

MOMENTS = """
import sys, time
begin = time.monotonic()
time.sleep(0.2)
open(sys.argv[1], "w").write(f"{begin} {time.monotonic()}")
print("part: 3 passed, 0 failed")
"""


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(schedule, "LOGS", tmp_path)
    monkeypatch.setattr(schedule, "ROOT", tmp_path)
    return tmp_path


def part(name: str, script: str, *arguments: str, **options: object) -> Part:
    """Return a part that runs a script of Python."""
    commands = {"run": [sys.executable, "-c", script, *arguments]}
    return Part(name, commands, count_lines, **options)  # type: ignore[arg-type]


def overlap(one: Path, other: Path) -> bool:
    """Tell whether two parts ran at once, by the moments that they wrote."""
    (a, b), (c, d) = (map(float, path.read_text().split()) for path in (one, other))
    return a < d and c < b


def test_parts_run_side_by_side_but_not_where_they_use_the_same(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "two", "three")]
    uses = {"one": ("folder",), "two": ("folder",), "three": ()}
    waiting = [part(x.name, MOMENTS, str(x), uses=uses[x.name]) for x in files]
    results = Schedule(waiting, at_once=2).run()
    assert {name: result.passed for name, result in results.items()} == dict.fromkeys(uses, 3)
    assert not overlap(files[0], files[1])
    assert overlap(files[0], files[2]) or overlap(files[1], files[2])
    assert all(result.seconds > 0.1 and result.processor > 0 for result in results.values())


def test_a_part_waits_for_another_if_that_runs_at_all(tmp_path: Path) -> None:
    first, other, last = (tmp_path / name for name in ("first", "other", "last"))
    waiting = [
        part("last", MOMENTS, str(last), after="first", seconds=9),
        part("other", MOMENTS, str(other), after="absent"),
        part("first", MOMENTS, str(first), seconds=1),
    ]
    Schedule(waiting, at_once=2).run()
    assert overlap(first, other)
    assert float(first.read_text().split()[1]) < float(last.read_text().split()[0])


def test_the_packages_come_first_and_wait_for_nothing() -> None:
    schedule = Schedule([*PARTS, PACKAGES], at_once=3)
    assert schedule.next_part() is PACKAGES
    with pytest.raises(ValueError, match="'a' waits for itself"):
        Schedule([part("a", MOMENTS, after="a")], at_once=1)


def test_what_waits_for_a_failed_part_has_failed_too(tmp_path: Path) -> None:
    last = part("last", MOMENTS, str(tmp_path / "last"), after="first")
    waiting = [
        part("first", "raise SystemExit(1)"),
        last,
        part("other", MOMENTS, str(tmp_path / "o")),
    ]
    results = Schedule(waiting, at_once=1).run()
    counted = {name: (result.passed, result.failed) for name, result in results.items()}
    assert counted == {"first": (0, 1), "last": (0, 1), "other": (3, 0)}
    assert not (tmp_path / "last").exists()


def test_a_failure_is_counted_and_its_end_printed(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = [
        part("bad", "print('reason'); raise SystemExit(3)"),
        part("silent", "pass"),
        part("good", "print('part: 1 passed, 0 failed')"),
    ]
    results = Schedule(waiting, at_once=2).run()
    assert {name: result.failed for name, result in results.items()} == {
        "bad": 1,
        "silent": 1,  # it counted nothing
        "good": 0,
    }
    printed = capsys.readouterr().out
    assert "reason\nFAILED: bad, run, exit code 3" in printed
    assert "good: 1 passed" in printed


def test_what_is_missing_skips_a_part() -> None:
    waiting = [part("no", "pass", needs=("no-such-program-here", "/nowhere", "import nothing_x"))]
    (result,) = Schedule(waiting, at_once=1).run().values()
    assert result.skips == ["no-such-program-here and /nowhere and import nothing_x not installed"]
    assert not result.failed


def test_the_last_part_has_all_cores(tmp_path: Path) -> None:
    script = "import os, sys; open(sys.argv[1], 'w').write(os.environ['TALLY_JOBS'])"
    commands = {
        name: [sys.executable, "-c", script, str(tmp_path / name)] for name in ("first", "second")
    }
    (result,) = Schedule([Part("jobs", commands, count_commands)], at_once=4).run().values()
    assert result.passed == 2
    assert (tmp_path / "second").read_text() == "4"
    waiting = [part(name, script, str(tmp_path / name)) for name in ("a", "b", "c")]
    Schedule(waiting, at_once=2).run()
    assert (tmp_path / "a").read_text() == "1"


def test_parts_on_one_build_folder_never_meet() -> None:
    folders = {each.name: each.held() for each in PARTS}
    assert folders["core (gcc)"] == folders["memcheck (gcc)"] == {"build/gcc"}
    assert not folders["core (gcc)"] & folders["core (clang)"]


def test_of_go_only_what_failed_is_printed(tmp_path: Path) -> None:
    events = [
        {"Time": "t", "Action": "output", "Package": "p", "Test": "TestGood", "Output": "fine\n"},
        {"Time": "t", "Action": "output", "Package": "p", "Test": "TestBad", "Output": "reason\n"},
        {"Time": "t", "Action": "fail", "Package": "p", "Test": "TestBad"},
        {"ImportPath": "q", "Action": "build-output", "Output": "q.go:1:1: undefined\n"},
        {"Time": "t", "Action": "pass", "Package": "p", "Test": "TestGood"},
    ]
    log = tmp_path / "go.log"
    log.write_text("\n".join(["$ go test", '{"other": 1}', *map(json.dumps, events)]))
    assert schedule.end_of(log).splitlines() == [
        "$ go test",
        '{"other": 1}',
        "reason",
        "q.go:1:1: undefined",
    ]


def test_every_part_with_tests_of_objects_builds_their_server_first() -> None:
    """A part that left this to another skipped its tests whenever it ran before that one."""
    parts = [
        part
        for part in PARTS
        if any("tests/remote" in word for command in part.commands.values() for word in command)
        and not any("--ignore" in word for word in part.commands["test"])
    ]
    assert [part.name for part in parts] == ["remote", "oldest libraries"]
    for part in parts:
        assert next(iter(part.commands)) == "build an S3 server"
        assert "s3" in part.uses


def test_go_takes_c_that_was_compiled_from_ccache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("ccache") or not shutil.which("go"):
        pytest.skip("ccache or go not installed")
    # As a run of the parts has it, which a child of this process would see.
    (tmp_path / "go.env").write_text("CC=gcc\n", "utf-8")
    monkeypatch.setenv("GOENV", str(tmp_path / "go.env"))
    environment = {**os.environ, "CCACHE_DIR": str(tmp_path / "ccache")}
    for name in ("CC", "CCACHE_IGNOREOPTIONS", "CCACHE_NOHASHDIR", "GOENV"):
        environment.pop(name, None)
    monkeypatch.setattr(os, "environ", environment)
    run.use_ccache()
    # A name that is new each time: Go's own cache may have the package from another run.
    name = f"Four{time.time_ns()}"
    module = f'package p\n\n// int twice(int x);\nimport "C"\n\nvar {name} = C.twice(2)\n'
    files = {"go.mod": "module example.invalid/p\n", "p.go": module}
    for name, text in {**files, "p.c": "int twice(int x) { return 2 * x; }\n"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    hits = []
    for flags in ("", "-N"):  # other flags of Go, and the same C
        command = ["go", "build", f"-gcflags={flags}", "."]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
        command = ["ccache", "--print-stats"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        counts = dict(line.split() for line in done.stdout.splitlines())
        hits.append(int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]))
    assert hits[0] == 0 < hits[1]
