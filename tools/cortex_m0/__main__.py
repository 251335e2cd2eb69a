# SPDX-License-Identifier: Apache-2.0
"""Write docs/leakage.md's figures and plots: `python -m tools.cortex_m0`, or `make leakage`."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import document, evidence, fast, images, plots


def main() -> None:
    """Measure everything, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=100_000, help="of each test")
    parser.add_argument("--docs", type=Path, default=images.ROOT / "docs", help="where to write")
    options = parser.parse_args()
    if options.traces < 1000:
        parser.error("--traces must be at least 1000")
    found = evidence.gather(options.traces, lambda text: print(f"leakage: {text}", flush=True))
    plots.draw(found, options.docs / "leakage")
    document.put(options.docs / "leakage.md", document.of_leakage(found))
    of_fast = fast.of_costs(
        {document.TITLES[variant]: fast.costs(variant) for variant in (images.SAFE, images.ZIG)}
    )
    document.put(options.docs / "masked-aes.md", f"{document.of_costs(found)}\n{of_fast}")
    print(f"leakage: {options.docs}/leakage.md, its plots and masked-aes.md are written")


if __name__ == "__main__":
    main()
