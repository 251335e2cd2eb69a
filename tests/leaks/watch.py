# SPDX-License-Identifier: Apache-2.0
"""A run of a program, with all that others may see of it: output, arguments, environment."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Watched:
    """What was seen of a run.

    Attributes
    ----------
    code : int
        Its exit code.
    out, err : bytes
        What it printed.
    arguments, environment : set of bytes
        Of the process, as /proc had them meanwhile; no environment where that may not be read.
    children : set of str
        Processes that it started.
    """

    code: int = 0
    out: bytes = b""
    err: bytes = b""
    arguments: set[bytes] = field(default_factory=set)
    environment: set[bytes] = field(default_factory=set)
    children: set[str] = field(default_factory=set)


def watched(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str], stdin: bytes = b""
) -> Watched:
    """Run a command, and look at its process every few milliseconds."""
    result = Watched()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        ended = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, ended, result))
        watcher.start()
        try:
            result.out, result.err = process.communicate(stdin, timeout=120)
        finally:
            ended.set()
            watcher.join()
        result.code = process.returncode
    return result


def _watch(pid: int, ended: threading.Event, result: Watched) -> None:
    place = Path(f"/proc/{pid}")
    while not ended.wait(0.003):
        with suppress(OSError):
            result.arguments.add((place / "cmdline").read_bytes())
            for task in os.listdir(place / "task"):
                result.children.update((place / "task" / task / "children").read_text().split())
            result.environment.add((place / "environ").read_bytes())
