# SPDX-License-Identifier: Apache-2.0
"""The processor time of a first `go build` with cgo: `python -m bench.go_build`.

Go's cache is a new folder, in which only the standard library is built before. The C compiler is
that of CC, or gcc. The time is of all processes together, user and system. Other programs on the
same machine make it longer, so the last line is the least of some runs (an argument; 3).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def seconds(*command: str, cache: str) -> float:
    """Run a command of Go; return the processor time of its processes."""
    before = os.times()
    # A compiler that remembers what it compiled, as ccache does, would not be measured.
    env = os.environ | {"GOCACHE": cache, "CGO_ENABLED": "1", "CCACHE_DISABLE": "1"}
    subprocess.run(["go", *command], cwd=ROOT, env=env, check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print the least time of some first builds."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache:
            seconds("build", "std", cache=cache)
            found.append(seconds("build", "./go/fast", cache=cache))
            print(f"go build ./go/fast: {found[-1]:.1f} s of processor time", flush=True)
    print(f"the least of {runs}: {min(found):.1f} s")


if __name__ == "__main__":
    main()
