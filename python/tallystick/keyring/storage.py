# SPDX-License-Identifier: Apache-2.0
"""Small private files on POSIX: read whole, made new, and replaced atomically under a lock.

Everything here raises OSError, and its callers put it in words. The lock is flock(2) on the
directory, because a lock on the file itself would be left behind by the rename. Temporary files
exist only under that lock, so whoever holds it may remove one that a killed process left.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

LOCK_TIMEOUT = 30.0  # seconds
_LOCK_POLL = 0.01  # seconds
_TEMPORARY = re.compile(r"\.tallystick-keyring-[0-9a-f]{16}\.tmp")


def read(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Read a regular file of at most `limit` bytes, with the status of the very file read."""
    # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        with os.fdopen(fd, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    finally:
        os.close(fd)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit} bytes")
    return data, status


def write_new(path: Path, data: bytes) -> None:
    """Make a file that does not exist yet, mode 0600 whatever the umask; leave none on failure."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, 0o600)
            file.write(data)
            file.flush()
            os.fsync(fd)
    except BaseException:
        _remove(path)
        raise


def create(path: Path, data: bytes) -> None:
    """Make a file as `write_new` does, and make its name durable."""
    write_new(path, data)
    try:
        fd = _open_directory(path)
        try:
            flush_directory(fd)
        finally:
            os.close(fd)
    except BaseException:
        _remove(path)
        raise


def make_directory(path: Path) -> None:
    """Make a directory that does not exist yet, mode 0700 whatever the umask; durable."""
    path.mkdir(mode=0o700)
    try:
        path.chmod(0o700)
        fd = _open_directory(path)
        try:
            flush_directory(fd)
        finally:
            os.close(fd)
    except BaseException:
        path.rmdir()
        raise


def replace(path: Path, data: bytes) -> None:
    """Put a new file in the place of `path`, atomically; the caller holds the directory's lock."""
    for left in path.parent.iterdir():
        if _TEMPORARY.fullmatch(left.name):
            with contextlib.suppress(OSError):  # another user's, in a shared directory
                _remove(left)
    temporary = path.parent / f".tallystick-keyring-{secrets.token_hex(8)}.tmp"
    try:
        write_new(temporary, data)
        temporary.replace(path)
    except BaseException:
        _remove(temporary)
        raise


@contextlib.contextmanager
def locked_directory(path: Path) -> Iterator[int]:
    """Hold the lock of the directory that `path` is in, and give its descriptor.

    Raises
    ------
    TimeoutError
        If another process holds it for `LOCK_TIMEOUT` seconds.
    """
    fd = _open_directory(path)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        errno.ETIMEDOUT, "another process keeps the directory locked"
                    ) from None
                time.sleep(_LOCK_POLL)
            except OSError as error:  # NFS, for one
                raise OSError(
                    error.errno, "this file system can't lock a directory; use a local one"
                ) from error
        yield fd
    finally:
        os.close(fd)


def flush_directory(fd: int) -> None:
    """Make a rename or a new name durable; some file systems do it anyway and refuse to be told."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _open_directory(path: Path) -> int:
    return os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
