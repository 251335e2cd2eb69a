# SPDX-License-Identifier: Apache-2.0
"""Files beside a target that are not complete yet: locked by who writes them, removed when dead.

A process that is killed outright leaves its file, but no lock. The next run to that target takes
the lock, and removes the file. Another such file, of a fixed name, is there while one target's
files get their names.
"""

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tallystick.errors import FileError

try:
    import fcntl
except ImportError:  # no such locks there, so nothing is removed either
    fcntl = None  # type: ignore[assignment]

_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)

_WAIT = 30.0
"""Seconds that another run may take to give files their names."""


def name_beside(place: Path) -> Path:
    """Return a new name beside a target, for what is not complete."""
    return place.with_name(f"{_prefix(place)}{secrets.token_hex(8)}.part")


def open_locked(path: Path, mode: int) -> int:
    """Make a file, locked for as long as its handle or a copy of that is open.

    Raises `FileExistsError`: another process took it for a dead one's in that moment. `OSError`:
    the system can't make it. A file system without locks is no error.
    """
    handle = os.open(path, _FLAGS, mode)
    if fcntl is None:
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise FileExistsError(None, "was removed by another process; try again") from None
    except OSError:
        pass
    else:
        if os.fstat(handle).st_nlink == 0:
            os.close(handle)
            raise FileExistsError(None, "was removed by another process; try again")
    return handle


def remove_dead(place: Path) -> list[Path]:
    """Remove what killed processes of this user left beside a target, and return it."""
    if fcntl is None:
        return []
    wanted = re.compile(re.escape(_prefix(place)) + r"[0-9a-f]{16}\.part")
    found: list[Path] = []
    with suppress(OSError):  # a folder that can't be listed
        found = [
            place.with_name(name) for name in os.listdir(place.parent) if wanted.fullmatch(name)
        ]
    return [path for path in found if _removed(path)]


@contextmanager
def sole(place: Path) -> Iterator[None]:
    """Let no other run give the target's files their names meanwhile, so that they go together.

    Raises `FileError`: another run does not end. `OSError`: the system can't make the lock's file.
    A file system without locks is no error.
    """
    if fcntl is None:
        yield
        return
    path = place.with_name(f"{_prefix(place)}{'0' * 16}.part")  # removed like others if we die
    handle = _waited_for(path)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(handle)


def _waited_for(path: Path) -> int:
    """Return the handle of a file that is there, with its lock."""
    end = time.monotonic() + _WAIT
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    while time.monotonic() < end:
        handle = None
        try:
            try:
                handle = os.open(path, flags)  # in /tmp, another user's can't be opened to be made
            except FileNotFoundError:
                handle = os.open(path, flags | os.O_CREAT, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), path.lstat()):
                return handle
        except (BlockingIOError, FileNotFoundError, PermissionError):
            pass
        except OSError:
            if handle is None:
                raise
            return handle  # no locks here
        if handle is not None:
            os.close(handle)
        time.sleep(0.005)
    raise FileError(
        f"{path}: another run holds it for more than {_WAIT:.0f} seconds, so nothing was written; "
        "end that run; if there is none, delete the file"
    )


def _prefix(place: Path) -> str:
    return f".{place.name[:200]}."


def _removed(path: Path) -> bool:
    """Remove a file if it is this user's and nobody holds its lock."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                return False
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(status, path.lstat()):
                return False  # it got its name meanwhile
            path.unlink()
            return True
        finally:
            os.close(handle)
    return False
