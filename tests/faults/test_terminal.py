# SPDX-License-Identifier: Apache-2.0
"""A terminal whose prompt is interrupted: its echo is back, and nothing is made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.faults.commands import World, clean, contents

PROGRAM = Path(sys.executable).with_name("tallystick")
_TAKE_TERMINAL = (
    "import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"
)
PROMPTS = {
    "keyring new new.keys --root prompt": b"New passphrase",
    "share split --prompt --shares 3 --threshold 2": b"Secret: ",
    "share combine --to new": b"line 1: ",
    "keyring list split.keys --root shares": b"line 1",
}
HIDDEN = ("prompt", "--prompt")
CODES = {"\x03": 130, "SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


def echoes(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("how", CODES)
@pytest.mark.parametrize("arguments", PROMPTS)
def test_an_interrupted_prompt(world: World, arguments: str, how: str) -> None:
    """By Ctrl-C, and by signals; something has been typed already."""
    place = world.place(world.cases["keyring reshare"], "place")
    before = contents(place)
    ours, theirs = os.openpty()
    os.set_blocking(ours, False)
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, os.ttyname(theirs), PROGRAM, *arguments.split()],
        cwd=place,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    shown = bytearray()

    def seen() -> bool:
        with suppress(BlockingIOError):
            shown.extend(os.read(ours, 4096))
        return PROMPTS[arguments] in shown

    try:
        assert echoes(theirs)
        until(seen)
        hidden = any(word in arguments.split() for word in HIDDEN)
        if hidden:
            until(lambda: not echoes(theirs))
        os.write(ours, b"half of a passphrase")
        time.sleep(0.1)
        if how.startswith("SIG"):
            process.send_signal(signal.Signals[how])
        else:
            os.write(ours, how.encode())
        assert process.wait(timeout=30) == CODES[how], shown
        assert echoes(theirs)
        seen()
        assert b"Traceback" not in shown
        assert b"error: stopped by SIG" in shown
        assert not hidden or b"half of" not in shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
    assert contents(place) == before
    clean(place)
