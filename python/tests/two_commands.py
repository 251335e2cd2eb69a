# SPDX-License-Identifier: Apache-2.0
"""``tallystick`` in Go and the Python package's command, run on the same files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

KEYS = ("-p", "p.toml", "-k", "r.keys", "-r", "file:root.key")
ONE = """
[columns]
n = { format = { type = "integer", min = 0, max = 99999999 }, key = "people:1", namespace = "n" }
"""


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


def without_times(result: Result) -> Result:
    """Return a result without times."""
    out = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', result.out)
    return Result(result.code, out, re.sub(r"in [0-9.]+ s", "in T", result.err))


def both(go: Command, python: Command, names: tuple[str, ...], *arguments: str) -> Result:
    """Run both commands on the same files, and return what both say; they leave the same files."""
    made: list[dict[str, bytes]] = []
    results = []
    for command in (go, python):
        results.append(without_times(command(*arguments)))
        made.append({})
        for name in (one + end for one in names for end in ("", ".tallystick.json")):
            if os.path.exists(name):
                made[-1][name] = Path(name).read_bytes()
                mode = os.stat(name).st_mode & 0o777
                assert mode == (0o600 if arguments[0] == "reveal" else 0o666 & ~umask()), name
                os.remove(name)
    assert results[0] == results[1]
    assert made[0] == made[1]
    for name, data in made[0].items():
        Path(name).write_bytes(data)
    return results[0]


def umask() -> int:
    now = os.umask(0o77)
    os.umask(now)
    return now
