# SPDX-License-Identifier: Apache-2.0
"""What the tests of the key ring share."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tallystick.keyring import KeyInfo, Keyring, RootKey

PHRASE = "correct horse battery staple"
CHEAP = 1 << 14  # scrypt's least cost


class Answers:
    """Answers prompts in order, and keeps the prompts."""

    def __init__(self, *answers: str) -> None:
        self.left = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.left.pop(0)


def make_ring(path: Path, *names: str) -> Keyring:
    """Make a key ring, its root key beside it in ``root.key``, and data keys of these names."""
    ring = Keyring.create(path, RootKey.generate_file(path.with_name("root.key")))
    for name in names:
        ring.add(name)
    return ring


def infos(ring: Keyring) -> tuple[KeyInfo, ...]:
    return ring.keys()  # apart, because a linter takes `in ring.keys()` for a dictionary's


def modes(*paths: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in paths}


def listing(directory: Path) -> set[str]:
    """Return the names of all files but of locks, which are as they must be."""
    names = set()
    for entry in directory.iterdir():
        if entry.name.startswith(".") and entry.name.endswith(".lock"):
            assert (entry.read_bytes(), modes(entry)) == (b"", {0o600})
        else:
            names.add(entry.name)
    return names


def open_bytes(directory: Path, data: bytes, root: RootKey) -> Keyring:
    path = directory / "other.ring"
    path.unlink(missing_ok=True)  # a file system may flush one that is overwritten
    path.write_bytes(data)
    return Keyring.open(path, root)


def edited(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Change a ring's fields, in the one spelling, and leave its MAC."""
    fields = json.loads(data)
    change(fields)
    return json.dumps(fields, indent=2).encode() + b"\n"


def fail_fsync(monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    """Let the `failing`-th fsync fail as on a full disk."""
    calls = 0
    real = os.fsync

    def fsync(fd: int) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)


def run_python(script: str, *arguments: str) -> subprocess.Popen[str]:
    """Run a script without a terminal, with our import path."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
