# SPDX-License-Identifier: Apache-2.0
"""Runs the command line in a fork for each line of its input, so that a run takes little time.

The process is started by `program.py` with `shim.c` before the C library. A line is the JSON of a
`Request`, the answer one of how the runs ended. What the program imports late is imported here, so
that a run as another user needs no file of this folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from types import FrameType
from typing import Any

import pyarrow.parquet
import segno

import tallystick.report
import tallystick.shares.qr
import tallystick.shares.typed
from tallystick.cli.main import main, run

LATE = (pyarrow.parquet, segno, tallystick.report, tallystick.shares.qr, tallystick.shares.typed)


class State(ctypes.Structure):
    """`struct fault_state` of the shim."""

    _fields_ = [
        ("folder", ctypes.c_char * 1024),
        ("hit", ctypes.c_char * 64),
        ("groups", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("error", ctypes.c_int),
        ("at", ctypes.c_int),
        ("calls", ctypes.c_int),
        ("clock", ctypes.c_longlong),
    ]


def signal_at_line(number: int, at: int, again: int) -> None:
    """Raise a signal before the nth line of Python that the main thread runs, and once more later.

    Lines of the program and of what it uses count from when its arguments have been read.
    """
    lines = 0

    def local(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401
        nonlocal lines
        if event == "line":
            lines += 1
            if lines in (at, at + again):
                signal.raise_signal(number)
        return local

    def trace(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401
        name = frame.f_code.co_filename
        return local if "/tallystick/" in name or name.endswith("contextlib.py") else None

    threading.settrace(None)
    sys.settrace(trace)


def child(request: dict[str, Any]) -> None:
    """Be the program."""
    os.setsid()
    for number, path in enumerate((request["stdin"], request["stdout"], request["stderr"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(path, flags, 0o666)
        os.dup2(handle, number)
        os.close(handle)
    os.umask(0o022)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    if request["user"]:
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
    sys.argv = ["tallystick", *request["arguments"]]
    if request["line"]:
        signal_at_line(request["signal"], request["line"], request["again"])
    main()


def start(request: dict[str, Any]) -> int:
    """Start a run, and return its process."""
    pid = os.fork()
    if pid:
        return pid
    code = 99  # what no program ends with
    try:
        child(request)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    except BaseException:
        traceback.print_exc()
    sys.settrace(None)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120  # as Python ends then
    os._exit(code)


def wait(seconds: float, pids: list[int]) -> None:
    """Wait so long, or until all have ended, and leave these to be waited for."""
    end = time.perf_counter() + seconds
    if seconds < 1:
        time.sleep(seconds)
    while time.perf_counter() < end:
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if all(os.waitid(os.P_PID, pid, flags) is not None for pid in pids):
            return
        time.sleep(0.01)


def serve(state: State) -> None:
    """Answer requests until there are none."""
    for line in sys.stdin:
        request = json.loads(line)
        fault = request["fault"]
        state.hit, state.calls = b"", 0
        state.groups, state.kind = fault["groups"], fault["kind"]
        state.error, state.at, state.clock = fault["error"], fault["at"], fault["clock"]
        state.folder = os.fsencode(request["folder"]) if fault["groups"] else b""
        started = time.perf_counter()
        pids = [start(request) for _ in range(request["copies"])]
        for delay, number in request["kills"]:
            wait(delay, pids)
            for pid in pids[: request["killed"]]:
                os.kill(pid, number)  # one that has ended is there until it is waited for
        ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        answer = {
            "codes": ends,
            "calls": state.calls,
            "hit": state.hit.decode(),
            "seconds": time.perf_counter() - started,
        }
        state.folder = b""
        print(json.dumps(answer), flush=True)


def warm_up() -> None:
    """Import what commands import when they run, by running some."""
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        source, ring, policy, root, target, page = (
            os.path.join(folder, name) for name in ("a.csv", "r", "a.toml", "k", "b.csv", "page")
        )
        with open(source, "w") as file:
            file.write("ssn,name,born\n078-05-1120,Ann,1970-01-31\n")
        keys = ["--keyring", ring, "--root", f"file:{root}", "--policy", policy]
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            for arguments in (
                ["--help"],
                ["inspect", source, "--write-policy", policy],
                ["formats"],
                ["keyring", "new", ring, "--root", f"file:{root}"],
                ["keyring", "add", ring, "data", "--root", f"file:{root}"],
                ["protect", source, target, *keys, "--report", page],
            ):
                with contextlib.suppress(SystemExit):
                    run(arguments)


if __name__ == "__main__":
    warm_up()
    shim = ctypes.CDLL(None)
    serve(ctypes.POINTER(State).in_dll(shim, "fault_state").contents)
