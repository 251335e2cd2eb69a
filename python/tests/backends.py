# SPDX-License-Identifier: Apache-2.0
"""AES back ends: the portable one, on a machine that would use another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tallystick._core import lib

ALL = 2**32 - 1


@contextmanager
def portable() -> Iterator[None]:
    """Leave no CPU feature to keys that are set up meanwhile."""
    try:
        assert lib.tally_cpu_lower(0) == 0 == lib.tally_cpu_features()
        yield
    finally:
        lib.tally_cpu_lower(ALL)
