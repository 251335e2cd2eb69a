# SPDX-License-Identifier: Apache-2.0
"""Back ends: the portable ones, on a machine that would use others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import pytest

from tallystick._core import lib

ALL = 2**32 - 1

Backend = Callable[[], AbstractContextManager[None]]
"""Leaves some CPU features, or all, as long as what it returns is entered."""


@contextmanager
def portable() -> Iterator[None]:
    """Leave no CPU feature to keys that are set up, and to sharing and hashes, meanwhile."""
    try:
        assert lib.tally_cpu_lower(0) == 0 == lib.tally_cpu_features()
        yield
    finally:
        lib.tally_cpu_lower(ALL)


each = pytest.mark.parametrize("backend", [nullcontext, portable], ids=["best", "portable"])
"""Runs a test with `backend`, a context: what the machine has, and the portable code."""
