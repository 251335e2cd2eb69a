# SPDX-License-Identifier: Apache-2.0
"""Limits on decoded bytes: without them, a small hostile file can exhaust memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from tallystick.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the data that is decoded from files of typed columns."""

    value: int = 64 << 20
    """Bytes of one value, at most."""
    batch: int = 512 << 20
    """Bytes that are decoded at once, at most."""

    def __post_init__(self) -> None:
        """Refuse limits that are not positive, or a batch below a value."""
        if self.value < 1 or self.batch < self.value:
            raise ParameterError(
                "the value limit must be positive, and the batch limit at least as large"
            )


_current: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039, it is frozen


def limits() -> Limits:
    """Return the limits in force."""
    return _current.get()


@contextmanager
def limited(to: Limits) -> Iterator[None]:
    """Apply limits to the runs that this thread begins within the block."""
    token = _current.set(to)
    try:
        yield
    finally:
        _current.reset(token)
