# SPDX-License-Identifier: Apache-2.0
"""The installed program, on a terminal too; the JSON of a command, and what it takes by default."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from results import read
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run

PROGRAM = Path(sys.executable).with_name("tallystick")

_TAKE_TERMINAL = (
    "import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"
)


CONTROL_D = "\x04"


def set_defaults(
    monkeypatch: pytest.MonkeyPatch, policy: str, keyring: str, root: str = "file:root.key"
) -> None:
    """Let commands take a policy, a key ring and a root key that they are not given."""
    for name, value in (("POLICY", policy), ("KEYRING", keyring), ("ROOT", root)):
        monkeypatch.setenv(f"TALLYSTICK_{name}", value)


def json_of(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = ExitCode.OK
) -> dict[str, Any]:
    """Run a command, and return its JSON result: one line of the documented shape, and no more."""
    assert run([*arguments, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    assert out.endswith("\n")
    assert out.count("\n") == 1
    assert out.isascii()
    read(out)  # of the documented shape
    result = json.loads(out)
    assert isinstance(result, dict)
    return result


NO_ROOM = b"error: standard output: No space left on device\n"


def into_full_device(*arguments: str) -> bytes:
    """Return what the program says when its standard output is full, an error of files."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert done.returncode == ExitCode.FILE
    return done.stderr


def on_terminal(
    arguments: Sequence[str],
    answers: Sequence[str] = (),
    *,
    prompt: str = ": ",
    program: str | Path = PROGRAM,
) -> tuple[int, str]:
    """Run the program on a terminal of its own; return its exit code and what appeared there.

    Each answer is given after one more `prompt` (a regular expression) has appeared, with a newline
    unless it is CONTROL_D.
    """
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, os.ttyname(theirs), program, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown, left = b"", list(answers)
    with suppress(OSError):  # that is how a terminal ends
        while data := os.read(ours, 4096):
            shown += data
            if left and len(re.findall(prompt.encode(), shown)) > len(answers) - len(left):
                answer = left.pop(0)
                os.write(ours, os.fsencode(answer) + b"\n" * (answer != CONTROL_D))
    os.close(ours)
    return process.wait(timeout=60), shown.decode()
