# SPDX-License-Identifier: Apache-2.0
"""Runs every part of the tests, and sums them up: what `make test` does.

tests/parts.py lists the parts. One more runs at once than there are cores, or TALLY_JOBS. All
output goes to build/test-logs/. The exit code is 1 if anything failed, or was skipped where
CI=true. Arguments choose parts by how their names begin; --quick chooses the parts of `make quick`.
--install first installs the packages that all parts need.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# So that it can be started from any folder, and as a script.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.counts import Result
from tests.parts import LAUNCHER, PACKAGES, PARTS, QUICK, ROOT, Part
from tests.schedule import LOGS, Schedule


def use_ccache() -> None:
    """Let compilers take from build/ccache what they compiled before, if ccache is installed."""
    if shutil.which("ccache"):
        os.environ.setdefault(LAUNCHER, "ccache")
        os.environ.setdefault("CCACHE_DIR", str(ROOT / "build" / "ccache"))
        os.environ.setdefault("CCACHE_DEPEND", "1")  # what is new is not preprocessed twice
        use_ccache_in_go()


def use_ccache_in_go() -> None:
    """Let Go compile C by ccache: for race detection, fuzzing and a vendor folder it does so again.

    The setting is in a file of Go's, since other programs would read the variable CC. ccache looks
    neither at the name of Go's work folder, which is new each time and in debug data alone, nor at
    the seed of the names that a compiler makes up.
    """
    if "CC" in os.environ or shutil.which("go") is None:
        return
    # The environment as os.environ has it: a test replaces that, and a child would not see it.
    command = ("go", "env", "GOENV")
    own = Path(subprocess.check_output(command, env={**os.environ}, text=True).strip())
    given = own.read_text("utf-8") if own.is_file() else ""
    if not re.search(r"^CC=", given, re.MULTILINE):
        # By a link named after the compiler: with "ccache gcc" Go's linker would try its options on
        # ccache alone, and not find out that gcc takes -no-pie.
        compiler = ROOT / "build" / "compilers" / "gcc"
        compiler.parent.mkdir(parents=True, exist_ok=True)
        compiler.unlink(missing_ok=True)
        compiler.symlink_to(str(shutil.which("ccache")))
        settings = ROOT / "build" / "go.env"
        settings.write_text(f"{given.rstrip()}\nCC={compiler}\n".lstrip(), "utf-8")
        os.environ["GOENV"] = str(settings)
        os.environ.setdefault("CCACHE_IGNOREOPTIONS", "-ffile-prefix-map=* -frandom-seed=*")
        os.environ.setdefault("CCACHE_NOHASHDIR", "1")


def at_once() -> int:
    """Return how many parts may run at once.

    One more than the cores that this process may use: servers and disks keep some waiting.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    there = len(affinity(0)) if affinity else os.cpu_count() or 1
    return int(os.environ.get("TALLY_JOBS") or there + 1)


def print_summary(parts: Sequence[Part], results: dict[str, Result]) -> None:
    """Print what was skipped, and a line for each part."""
    print()
    for part in parts:
        for skip in results[part.name].skips:
            print(f"skipped: {part.name}: {skip}")
    for part in parts:
        result = results[part.name]
        counts = f"{result.passed:6} passed, {result.failed} failed, {len(result.skips)} skipped"
        times = f"{result.seconds:7.1f} s {result.processor:8.1f} s of processors"
        print(f"{part.name:24}{counts:38}{times}")


def main() -> int:
    """Run the chosen parts, print the summary, and return the exit code."""
    begins = tuple(word for word in sys.argv[1:] if word not in {"--quick", "--install"})
    there = QUICK if "--quick" in sys.argv[1:] else PARTS
    chosen = [part for part in there if part.name.startswith(begins or "")]
    if "--install" in sys.argv[1:]:
        chosen.insert(0, PACKAGES)
    if not chosen:
        print("no such part; there are:", *(part.name for part in there), sep="\n  ")
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it each start compiles all modules anew
    use_ccache()
    started = time.monotonic()
    results = Schedule(list(chosen), at_once()).run()
    print_summary(chosen, results)
    all_results = results.values()
    passed = sum(result.passed for result in all_results)
    failed = sum(result.failed for result in all_results)
    skipped = sum(len(result.skips) for result in all_results)
    needed = [part.name for part in chosen if not part.optional and results[part.name].skips]
    in_ci = os.environ.get("CI") == "true"
    if needed and in_ci:
        print("CI allows no skipped test of", *needed, "- make setup must install what is missing")
    processor = sum(result.processor for result in all_results)
    elapsed = time.monotonic() - started
    print(f"{elapsed:.0f} s, {processor:.0f} s of processors, {at_once()} at once")
    print(f"total: {passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0 or (in_ci and bool(needed)))


if __name__ == "__main__":
    sys.exit(main())
