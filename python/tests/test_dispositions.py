# SPDX-License-Identifier: Apache-2.0
"""Programs that tests start can be signalled, also under nohup and in a shell's background."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

IGNORED = "import signal\nfor name in NAMES: signal.signal(getattr(signal, name), signal.SIG_IGN)\n"
CHILD = (
    "import signal, subprocess, sys\n"
    "program = 'import signal; print([signal.getsignal(getattr(signal, n)).name for n in NAMES])'\n"
    "subprocess.run([sys.executable, '-Sc', program.replace('NAMES', repr(NAMES))], check=True)\n"
)
NAMES = ["SIGQUIT", "SIGHUP", "SIGTERM"]


def said(program: str) -> str:
    """Return what a program prints whose process was started to ignore the signals."""
    return subprocess.run(
        [sys.executable, "-c", f"NAMES = {NAMES}\n{IGNORED}{program}"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
@pytest.mark.parametrize("taken", [True, False])
def test_a_program_that_is_started_can_be_ended(taken: bool) -> None:
    """Without the change it ignores what the tests' own process was started to ignore."""
    change = "import dispositions; dispositions.let_programs_be_signalled()\n" if taken else ""
    assert said(change + CHILD) == f"{['SIG_DFL' if taken else 'SIG_IGN'] * 3}\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
def test_the_tests_ignore_what_they_were_started_to_ignore() -> None:
    """A hangup still does not end them under nohup."""
    end = "import os, signal, dispositions as d; d.let_programs_be_signalled()\n"
    end += "os.kill(os.getpid(), signal.SIGHUP); print('on')\n"
    assert said(end) == "on\n"
