# SPDX-License-Identifier: Apache-2.0
"""Runs of the command line under a fault, through a server of forks that has the shim before it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum, IntFlag
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "faults"


class Calls(IntFlag):
    """Groups of calls of the system: those that write, that remove, and that read."""

    NONE = 0
    WRITES = 1
    UNLINKS = 2
    READS = 4


class Kind(IntEnum):
    """What happens at a call, as in the shim."""

    COUNT = 0
    FAIL = 1
    FAIL_ON = 2
    KILL_BEFORE = 3
    KILL_AFTER = 4
    KILL_AMID = 5
    SHORT = 6


@dataclass(frozen=True, slots=True)
class Fault:
    """What the shim does: at call `at` (from 1) of `groups`; `clock` is in seconds."""

    kind: Kind = Kind.COUNT
    groups: Calls = Calls.NONE
    at: int = 0
    error: int = 0
    clock: int = 0


NOTHING = Fault()


@dataclass(frozen=True, slots=True)
class Ended:
    """How runs ended.

    Attributes
    ----------
    codes : list of int
        Exit codes; of one that a signal ended -N.
    out, err : bytes
        What they printed.
    calls : int
        Calls of the groups of the fault.
    hit : str
        The call that was failed, or where it died; empty if it did not come so far.
    seconds : float
        How long it took.
    """

    codes: list[int]
    out: bytes
    err: bytes
    calls: int
    hit: str
    seconds: float

    @property
    def code(self) -> int:
        """Return the exit code of the only one."""
        (code,) = self.codes
        return code


@dataclass
class Server:
    """The process that forks; `folder` is for what runs print."""

    folder: Path
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        """Compile the shim, and start the process behind it."""
        BUILD.mkdir(parents=True, exist_ok=True)
        shim = BUILD / f"shim-{os.getpid()}.so"
        warnings = ("-Wall", "-Wextra", "-Werror")
        subprocess.run(
            [
                "gcc",
                "-std=gnu11",
                "-O1",
                *warnings,
                "-shared",
                "-fPIC",
                HERE / "shim.c",
                "-o",
                shim,
            ],
            check=True,
        )
        self.process = subprocess.Popen(
            [sys.executable, HERE / "server.py"],
            env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.shim = shim

    def __enter__(self) -> Server:
        """Give the server."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(timeout=60)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.shim.unlink()

    def run(
        self,
        folder: Path,
        arguments: Sequence[str],
        fault: Fault = NOTHING,
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Path = Path(os.devnull),
        stdout: Path | None = None,
        user: int = 0,
        copies: int = 1,
        kills: Sequence[tuple[float, signal.Signals]] = (),
        killed: int | None = None,
        line: int = 0,
        number: signal.Signals = signal.SIGTERM,
        again: int = 0,
    ) -> Ended:
        """Run a command in a folder, and wait for its end.

        Parameters
        ----------
        folder : pathlib.Path
            Where it runs; calls on files below it are those that fail.
        arguments : sequence of str
            Of the command line.
        fault : Fault
            What fails.
        environment : mapping of str to str
            On top of ours.
        stdin, stdout : pathlib.Path
            Where it reads, and where it prints if that is not to be returned.
        user : int
            Whose id it takes; 0: ours.
        copies : int
            How many run at once.
        kills : sequence of (float, signal)
            Signals to the first `killed` of them (all), each so many seconds after the one before.
        line, number, again
            A signal, and before which line of Python it is raised, and how many lines later again.
        """
        out, err = self.folder / "out", self.folder / "err"
        for path in (out, err):
            path.write_bytes(b"")
            path.chmod(0o666)
        request = {
            "folder": str(folder),
            "arguments": list(arguments),
            "fault": asdict(fault),
            "environment": dict(environment or {}),
            "stdin": str(stdin),
            "stdout": str(stdout or out),
            "stderr": str(err),
            "user": user,
            "copies": copies,
            "kills": list(kills),
            "killed": copies if killed is None else killed,
            "line": line,
            "signal": int(number),
            "again": again,
        }
        if self.process.stdin is None or self.process.stdout is None:
            raise AssertionError
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return Ended(out=out.read_bytes(), err=err.read_bytes(), **answer)
