# SPDX-License-Identifier: Apache-2.0
"""Homes of wrapping keys, a module for each scheme of ``--root``; docs/reference/root-keys.md."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import RootKeyDeniedError, RootKeyError, RootKeyLostError


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


def printable(said: object) -> str:
    """Return what a home said, in brackets: one line, and not long. Empty: it said nothing."""
    text = "".join(c if c.isprintable() else " " for c in str(said or "")[:300])
    return f" ({text})" if text.strip() else ""


def lost(name: str, said: object = "") -> RootKeyLostError:
    """Return the error that a wrapping key is not in its home."""
    return RootKeyLostError(
        f"{name}: there is no such key{printable(said)}; check the name; if the key was deleted, "
        "open the ring with another of its roots, or restore the key in its home"
    )


def denied(name: str, said: object, needed: str) -> RootKeyDeniedError:
    """Return the error that a home refuses, and what it wants."""
    return RootKeyDeniedError(f"{name}: the use of the key is denied{printable(said)}; {needed}")


def changed(name: str, said: object = "") -> RootKeyError:
    """Return the error that a key does not decrypt the ring's record."""
    return RootKeyError(
        f"{name}: the key does not decrypt the ring's record{printable(said)}: it is another key "
        "of that name, or the record was changed; restore the ring, or the key"
    )
