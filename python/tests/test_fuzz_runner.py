# SPDX-License-Identifier: Apache-2.0
"""How the fuzz runner judges the runs of Go's targets: on outputs that go1.26.8 wrote."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BEGINNING = """\
$ go test -run=^$ -fuzz=^FuzzDate$ -fuzztime=2s -fuzzminimizetime=1000x -parallel=1 ./go/fast
fuzz: elapsed: 0s, gathering baseline coverage: 0/43 completed
fuzz: elapsed: 0s, gathering baseline coverage: 43/43 completed, now fuzzing with 1 workers
fuzz: elapsed: 0s, execs: 43 (252/sec), new interesting: 0 (total: 43)
"""
FAILED = "FAIL\nexit status 1\nFAIL\texample.com/fuzzed\t2.178s\n"
DEADLINE = f"{BEGINNING}--- FAIL: FuzzDate (2.17s)\n    context deadline exceeded\n{FAILED}"
INPUT = """\
    Failing input written to testdata/fuzz/FuzzDate/ba6859bd1bbb4b66
    To re-run:
    go test -run=FuzzDate/ba6859bd1bbb4b66
"""
FAILURES = {
    "a finding": f"""\
{BEGINNING}fuzz: minimizing 67-byte failing input file
fuzz: elapsed: 0s, minimizing
--- FAIL: FuzzDate (2.03s)
    --- FAIL: FuzzDate (0.00s)
        fuzz_test.go:19: too long
    \n{INPUT}{FAILED}""",
    "a finding that names a deadline": f"""\
{BEGINNING}--- FAIL: FuzzDate (2.03s)
    --- FAIL: FuzzDate (0.00s)
        fuzz_test.go:19: dial: context deadline exceeded
    \n{INPUT}{FAILED}""",
    "a process that ended": f"""\
{BEGINNING}--- FAIL: FuzzDate (0.02s)
    fuzzing process hung or terminated unexpectedly: exit status 2
{INPUT}{FAILED}""",
    "a process that was killed": f"""\
{BEGINNING}--- FAIL: FuzzDate (0.02s)
    fuzzing process terminated by unexpected signal; no crash will be recorded: signal: killed
{FAILED}""",
    "a seed": f"""\
fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
failure while testing seed corpus entry: FuzzDate/seed#0
fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
--- FAIL: FuzzDate (0.01s)
    --- FAIL: FuzzDate (0.00s)
        fuzz_test.go:35: wrong
    \n{FAILED}""",
    "an input that could not be written": DEADLINE.replace(
        "exceeded\n", "exceeded\n    open testdata/fuzz/FuzzDate/06e2: permission denied\n"
    ),
}


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_runner", ROOT / "tests/fuzz/run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its data classes look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def go(runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Let the runner work in another folder."""
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "BUILD", tmp_path / "build")
    return runner


def judged(
    go: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, log: str, finding: str = ""
) -> tuple[int, int, int]:
    """Run a target whose `go test` ends so; return its code, its runs, and how many findings."""

    def call(command: Sequence[str], file: Path, **_: object) -> int:
        assert command[:2] == ["go", "test"]
        file.write_text(log)
        if finding:
            place = go.ROOT / "go/fast/testdata/fuzz/FuzzDate"
            place.mkdir(parents=True)
            (place / finding).write_text("go test fuzz v1")
        return code

    monkeypatch.setattr(go, "call", call)
    outcome = go.run_go(go.ROOT / "go" / "fast", "FuzzDate", go.Length(2))
    return outcome.code, outcome.runs, len(outcome.found)


def test_a_deadline_is_no_failure(go: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(go, monkeypatch, 1, DEADLINE) == (0, 43, 0)
    alone = DEADLINE.replace(FAILED, "FAIL\n")  # as the test's own program ends
    assert judged(go, monkeypatch, 1, alone) == (0, 43, 0)
    slow = DEADLINE.replace(BEGINNING, BEGINNING + "waiting for fuzzing process to terminate...\n")
    assert judged(go, monkeypatch, 1, slow) == (0, 43, 0)


def test_a_finding_at_the_deadline_is_one(go: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    # An input that was being made smaller is written at the end, and the log does not say so.
    assert judged(go, monkeypatch, 1, DEADLINE, "06e2c9db80a08b67") == (1, 43, 1)
    assert not list((go.ROOT / "go").rglob("06e2*"))  # it is with the findings, not in the sources


@pytest.mark.parametrize("log", FAILURES.values(), ids=FAILURES)
def test_other_failures_are_failures(
    go: ModuleType, monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    assert judged(go, monkeypatch, 1, log)[0] == 1


def test_another_exit_code_is_a_failure(go: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(go, monkeypatch, 2, DEADLINE)[0] == 2
    assert judged(go, monkeypatch, 0, f"{BEGINNING}PASS\n")[0] == 0


def test_a_target_that_does_not_start_is_said_to_have_failed(
    go: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = go.BUILD / "log"
    log.parent.mkdir()
    log.write_text("no such library\n", "utf-8")
    crashed, ran = go.Outcome(1, 0, log=log), go.Outcome(0, 7)
    monkeypatch.setattr(
        go,
        "KINDS",
        {"c": lambda: [go.Target("x", lambda _: crashed), go.Target("y", lambda _: ran)]},
    )
    monkeypatch.setattr(sys, "argv", ["run.py", "--seconds", "1"])
    assert go.main() == 1
    printed = capsys.readouterr().out
    assert "fuzz: x FAILED, 0 runs\n" in printed
    assert "fuzz: y done, 7 runs\n" in printed
    assert "fuzz: 1 passed, 1 failed\n" in printed
