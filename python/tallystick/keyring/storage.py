# SPDX-License-Identifier: Apache-2.0
"""Small private files on POSIX: read whole, made new, and replaced atomically under a lock.

Everything here raises OSError, and its callers put it in words. The lock is flock(2) on a file of
mode 0600 beside the one that is replaced: a lock on the file itself would be left behind by the
rename, and one on the directory can be held by every user who may read it. The lock file is never
removed: a process that waits for it would then lock another file than one that comes later. A
file's temporary ones exist only under its lock, so whoever holds it may remove one that a killed
process left.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

LOCK_TIMEOUT = 30.0  # seconds
_LOCK_POLL = 0.01  # seconds


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
        _flush_name(path)
    except BaseException:
        _remove(path)
        raise


def make_directory(path: Path) -> None:
    """Make a directory that does not exist yet, mode 0700 whatever the umask; durable."""
    path.mkdir(mode=0o700)
    try:
        path.chmod(0o700)
        _flush_name(path)
    except BaseException:
        path.rmdir()
        raise


def replace(path: Path, data: bytes) -> None:
    """Put a new file in the place of `path`, atomically; the caller holds its lock."""
    # Other rings of the directory have locks and temporary files of their own.
    begin = f".tallystick-keyring-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}-"
    for left in path.parent.iterdir():
        if left.name.startswith(begin):
            with contextlib.suppress(OSError):  # another user's, in a shared directory
                _remove(left)
    temporary = path.parent / f"{begin}{secrets.token_hex(8)}.tmp"
    try:
        write_new(temporary, data)
        temporary.replace(path)
    except BaseException:
        _remove(temporary)
        raise


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock of the file `path`, and give the descriptor of its directory.

    Raises `TimeoutError`: if another process holds it for `LOCK_TIMEOUT` seconds.
    """
    lock = path.parent / f".{path.name}.lock"  # hidden: a folder of shares may be this one
    with contextlib.ExitStack() as stack:
        directory = _open_directory(path)
        stack.callback(os.close, directory)
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            fd = _open_lock(lock)
            try:
                held = _try_lock(fd) and _is_still(lock, fd)
            except BaseException:
                os.close(fd)
                raise
            if held:
                stack.callback(_close_lock, fd)
                break
            _close_lock(fd)
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, f"another process holds {lock.name}")
            time.sleep(_LOCK_POLL)
        yield directory


def _open_lock(lock: Path) -> int:
    """Open a lock file, or make it; nobody else may open it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        fd = os.open(lock, flags, 0o600)
    except OSError as error:
        raise OSError(error.errno, f"{lock.name}: {error.strerror}") from error
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise OSError(errno.EINVAL, f"{lock.name} is no lock file")
        if status.st_uid != os.geteuid():
            raise OSError(errno.EPERM, f"{lock.name} belongs to another user")
        if stat.S_IMODE(status.st_mode) != 0o600:
            os.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _close_lock(fd: int) -> None:
    with contextlib.suppress(OSError):  # nothing was written, and the lock is gone in any case
        os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise OSError(error.errno, "this file system has no locks; use a local one") from error
    return True


def _is_still(lock: Path, fd: int) -> bool:
    """Say whether the file is the one that others find; somebody may have removed it."""
    try:
        return os.path.samestat(os.stat(lock, follow_symlinks=False), os.fstat(fd))
    except FileNotFoundError:
        return False


def flush_directory(fd: int) -> None:
    """Make a rename or a new name durable; some file systems do it anyway and refuse the call."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _flush_name(path: Path) -> None:
    """Make the name of a new file durable."""
    fd = _open_directory(path)
    try:
        flush_directory(fd)
    finally:
        os.close(fd)


def _open_directory(path: Path) -> int:
    return os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
