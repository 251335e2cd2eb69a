# SPDX-License-Identifier: Apache-2.0
"""A file that remembers the newest state of a ring, so that an older copy put back is noticed.

It is worth something where whoever can replace the ring can't replace it too.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import KeyringError
from . import storage

_FORM = '{{"anchor":"tallystick keyring 1","ring":"{}","revision":{},"mac":"{}"}}\n'
_PATTERN = re.compile(
    r'\{"anchor":"tallystick keyring 1","ring":"([0-9a-f]{32})","revision":(0|[1-9][0-9]{0,9}),'
    r'"mac":"([0-9a-f]{64})"\}\n',
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class State:
    """What an anchor knows of a ring."""

    ring: str
    revision: int
    mac: str


def make(path: str | os.PathLike[str], state: State, *, overwrite: bool) -> None:
    """Write an anchor.

    Raises `KeyringError`: it exists and `overwrite` is false, or it is no anchor; or it can't be
    written.
    """
    where = Path(path)
    real = Path(os.path.realpath(where))  # a link stays, as one to a ring does
    try:
        with storage.locked(real) as directory:
            if os.path.lexists(real):
                _read(where)  # so that no other file is replaced
                if not overwrite:
                    raise KeyringError(
                        f"{where}: exists already; pass --overwrite to accept the key ring as it is"
                    )
            _write(real, state, directory)
    except OSError as error:
        raise _failed(where, error) from error


def follow(
    path: str | os.PathLike[str], now: State, ring: Path, again: Callable[[], State]
) -> None:
    """Refuse a ring that is older than the anchor knows, and let the anchor know a newer one.

    `again`: reads the ring again, for one that another process changed since it was read.
    Raises `KeyringError`: it is older, or another one; or the anchor can't be read or written.
    """
    where = Path(path)
    real = Path(os.path.realpath(where))
    try:
        with storage.locked(real) as directory:
            known = _read(where)
            if known.ring != now.ring:
                raise KeyringError(
                    f"{ring}: is another key ring than the one of the anchor {where}; restore the "
                    "right one, or pass the anchor of this one"
                )
            if now.revision < known.revision:
                now = again()
            if now.revision < known.revision:
                raise KeyringError(
                    f"{ring}: is an older copy: it has revision {now.revision}, and the anchor "
                    f"{where} knows {known.revision}; restore the newest copy"
                )
            if now.revision == known.revision and now.mac != known.mac:
                raise KeyringError(
                    f"{ring}: has the revision {now.revision} of the anchor {where}, but other "
                    "content: somebody changed an older copy; restore the newest copy"
                )
            if now.revision > known.revision:
                _write(real, now, directory)
    except OSError as error:
        raise _failed(where, error) from error


def _read(where: Path) -> State:
    try:
        text = storage.read(where, 4096)[0].decode("latin-1")
    except FileNotFoundError:
        raise KeyringError(
            f"{where}: no such anchor; check the path, or make one with `tallystick keyring anchor`"
        ) from None
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise KeyringError(f"{where}: not the anchor of a key ring; check the path")
    return State(found[1], int(found[2]), found[3])


def _write(real: Path, state: State, directory: int) -> None:
    storage.replace(real, _FORM.format(state.ring, state.revision, state.mac).encode())
    storage.flush_directory(directory)


def _failed(where: Path, error: OSError) -> KeyringError:
    return KeyringError(
        f"{where}: can't use the anchor: {error.strerror}; check its directory and the disk"
    )
