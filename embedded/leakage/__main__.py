# SPDX-License-Identifier: Apache-2.0
"""Write docs/explanation/leakage.md: `python -m embedded.leakage`, or `make leakage`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from embedded.emulator import images, tables

from . import document, evidence, plots


def main() -> None:
    """Measure everything, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=100_000, help="of each test")
    parser.add_argument(
        "--docs", type=Path, default=images.ROOT / "docs" / "explanation", help="where to write"
    )
    options = parser.parse_args()
    if options.traces < 1000:
        parser.error("--traces must be at least 1000")
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"leakage: {time.monotonic() - started:5.0f} s  {text}", flush=True)

    found = evidence.gather(options.traces, say)
    plots.draw(found, options.docs / "leakage")
    tables.put(options.docs / "leakage.md", "make leakage", document.of_leakage(found))
    say(f"{options.docs}/leakage.md and its plots are written")


if __name__ == "__main__":
    main()
