# SPDX-License-Identifier: Apache-2.0
"""Homes of wrapping keys, a module for each scheme of ``--root``; docs/reference/root-keys.md."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import RootKeyError


@contextmanager
def library(scheme: str, extra: str) -> Iterator[None]:
    """Put a missing library of an optional dependency in words.

    Raises `RootKeyError`: it is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise RootKeyError(
            f"{scheme}: needs {error.name}, which is not installed; "
            f"run: pip install 'tallystick[{extra}]'"
        ) from error
