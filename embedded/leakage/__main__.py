# SPDX-License-Identifier: Apache-2.0
"""Write docs/explanation/leakage.md: `python -m embedded.leakage`, or `make leakage`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from embedded.emulator import images, tables

from . import document, evidence, order2, plots, shuffle

SECOND_ORDER = "make leakage, pairs"
OF_SHUFFLE = "make leakage, shuffled"


def main() -> None:
    """Measure everything, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=100_000, help="of each test")
    parser.add_argument(
        "--docs", type=Path, default=images.ROOT / "docs" / "explanation", help="where to write"
    )
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--first-order-alone", action="store_true")
    parts.add_argument("--second-order-alone", action="store_true")
    parts.add_argument("--shuffled-alone", action="store_true", help="the option to shuffle")
    options = parser.parse_args()
    if options.traces < 1000:
        parser.error("--traces must be at least 1000")
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"leakage: {time.monotonic() - started:5.0f} s  {text}", flush=True)

    page = options.docs / "leakage.md"
    in_all = not (options.first_order_alone or options.second_order_alone or options.shuffled_alone)
    if in_all or options.shuffled_alone:
        tables.put(page, OF_SHUFFLE, shuffle.of_shuffle(shuffle.gather(options.traces, say)))
    if in_all or options.second_order_alone:
        pairs = order2.gather(min(options.traces, order2.TRACES), say)
        tables.put(page, SECOND_ORDER, order2.of_order2(*pairs))
    if not in_all and not options.first_order_alone:
        return
    found = evidence.gather(options.traces, say)
    plots.draw(found, options.docs / "leakage")
    tables.put(page, "make leakage", document.of_leakage(found))
    say(f"{page} and its plots are written")


if __name__ == "__main__":
    main()
