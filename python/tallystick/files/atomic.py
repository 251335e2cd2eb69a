# SPDX-License-Identifier: Apache-2.0
"""A file that appears only when it is complete: written beside its place, then renamed."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from threading import Lock, Thread

from tallystick.errors import FileError

_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


SYNC_BYTES = 32 << 20
"""Bytes that are worth a request to the disk."""
SYNC_SECONDS = 0.02
"""How often it is seen whether there are as many."""

_data_sync = getattr(os, "fdatasync", os.fsync)


@contextmanager
def complete_file(
    path: Path, *, private: bool, overwrite: bool = False
) -> Iterator[BufferedWriter]:
    """Give a stream whose content becomes the file at `path` when the block ends well.

    If it does not end well, nothing remains, and a file that was there stays. The content is on
    the disk before the name is, so a power failure leaves the old file or the new one.

    Parameters
    ----------
    path : pathlib.Path
        Where the file is to be; a link is followed.
    private : bool
        Whether only the owner may read it (mode 0600). Otherwise a new file gets what the umask
        leaves. A file that replaces another never gets a permission that the other had not.
    overwrite : bool
        Whether a file that exists may be replaced.

    Yields
    ------
    io.BufferedWriter
        Empty, at its beginning.

    Raises
    ------
    FileError
        The file exists, also if it came up meanwhile, or is not a regular file.
    OSError
        What the operating system says.
    """
    path = Path(os.path.realpath(path))
    mode = 0o600 if private else 0o666
    replaced = check_target(path, overwrite=overwrite)
    if replaced is not None:
        mode &= replaced
    beside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}.part")
    # Opened inside, so that a signal between the opening and what follows leaves nothing either.
    try:
        with _open(beside, mode, path) as stream:
            if replaced is not None and hasattr(os, "fchmod"):
                os.fchmod(stream.fileno(), mode)  # the umask may have taken too much
            with _synced_meanwhile(stream.fileno()):
                yield stream
            stream.flush()
            os.fsync(stream.fileno())
        _rename(beside, path, overwrite=overwrite)
    except BaseException:
        with suppress(FileNotFoundError):
            beside.unlink()
        raise
    _sync_directory(path.parent)


def check_target(path: Path, *, overwrite: bool) -> int | None:
    """Check that a file may be written, and return the mode of the one that it replaces, if any.

    Raises
    ------
    FileError
        It exists, or is not a regular file.
    """
    replaced = _mode_of(path)
    if replaced is not None and not overwrite:
        raise _exists(path)
    return replaced


@contextmanager
def file_errors(path: Path | str) -> Iterator[None]:
    """Turn what the operating system says of a file into a `FileError` that names it."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{error.filename or path}: {error.strerror or error}") from error


def _open(beside: Path, mode: int, path: Path) -> BufferedWriter:
    try:
        return os.fdopen(os.open(beside, _FLAGS, mode), "wb")
    except OSError as error:
        raise FileError(f"{path}: can't write to its folder: {error.strerror}") from error


@contextmanager
def _synced_meanwhile(handle: int) -> Iterator[None]:
    """Have a file's content put on the disk while it is written, so that little is left to do.

    Raises
    ------
    OSError
        The disk could not take it: told only once by the system, so not to be overlooked.
    """
    ended, failed = Lock(), list[OSError]()

    def sync() -> None:
        done = 0
        while not ended.acquire(timeout=SYNC_SECONDS):
            try:
                size = os.fstat(handle).st_size
                if size - done >= SYNC_BYTES:
                    _data_sync(handle)
                    done = size
            except OSError as error:
                failed.append(error)
                return

    ended.acquire()
    thread = Thread(target=sync, name="tallystick sync", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.release()
        thread.join()
    if failed:
        raise failed[0]


def _exists(path: Path) -> FileError:
    return FileError(
        f"{path} exists; give another output, or allow it to be replaced (--overwrite)"
    )


def _mode_of(path: Path) -> int | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path} is not a regular file; the output must be one")
    return stat.S_IMODE(status.st_mode)


def _rename(beside: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        beside.replace(path)
        return
    # A link, unlike a rename, refuses a name that has come into use. Not every file system has it.
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:
        if path.exists():
            raise _exists(path) from None
        beside.rename(path)
    else:
        beside.unlink()


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems can't; the rename itself has been done
            os.fsync(handle)
    finally:
        os.close(handle)
