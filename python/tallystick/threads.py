# SPDX-License-Identifier: Apache-2.0
"""How many threads are used, and the same work on several things at once."""

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from tallystick.errors import ParameterError

Part = TypeVar("Part")
Result = TypeVar("Result")

MOST_THREADS = 1024
"""More than one machine's cores; far more can't be begun."""


def thread_count(threads: int | None) -> int:
    """Return how many threads are meant: as many as given, or the cores this process may use.

    Raises `ParameterError`: if the number is below 1 or above `MOST_THREADS`.
    """
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return min(len(os.sched_getaffinity(0)), MOST_THREADS)
        return min(os.cpu_count() or 1, MOST_THREADS)
    if not 1 <= threads <= MOST_THREADS:
        raise ParameterError(f"threads must be 1 to {MOST_THREADS}, not {threads}")
    return threads


def at_once(
    work: Callable[[Part], Result], parts: Sequence[Part], threads: int | None
) -> list[Result]:
    """Return the results of `work` for every part, by as many threads as are meant.

    Raises `Exception`: what the first part in their order raises that raises anything. No thread is
    left. `ParameterError`: if the number of threads is below 1 or above `MOST_THREADS`.
    """
    used = min(thread_count(threads), len(parts))
    if used <= 1:
        return [work(part) for part in parts]
    from concurrent.futures import (
        ThreadPoolExecutor,  # takes longer to load than all of this module
    )

    with ThreadPoolExecutor(used, "tallystick") as pool:
        return list(pool.map(work, parts))
