# SPDX-License-Identifier: Apache-2.0
"""Files that appear only when they are complete: written beside their places, then renamed."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
    with complete_files([path], private=private, overwrite=overwrite) as (stream,):
        yield stream


@contextmanager
def complete_files(
    paths: Sequence[Path], *, private: bool, overwrite: bool = False
) -> Iterator[list[BufferedWriter]]:
    """Give streams whose contents become files when the block ends well: all of them, or none.

    The contents of all are on the disk before the first one appears, so that a full disk leaves
    none. If one can't appear after all, those that did are removed again, but for files that
    replaced others.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        Where the files are to be.
    private, overwrite
        As of `complete_file`.

    Yields
    ------
    list of io.BufferedWriter
        One for each path.

    Raises
    ------
    FileError, OSError
        As of `complete_file`.
    """
    places = [Path(os.path.realpath(path)) for path in paths]
    modes = [_mode_to_be(place, private=private, overwrite=overwrite) for place in places]
    besides = [p.with_name(f".{p.name[:200]}.{secrets.token_hex(8)}.part") for p in places]
    appeared: list[Path] = []
    # Opened inside, so that a signal between the opening and what follows leaves nothing either.
    try:
        with ExitStack() as opened:
            with ExitStack() as synced:
                streams = []
                for place, beside, (mode, replaces) in zip(places, besides, modes, strict=True):
                    stream = opened.enter_context(_open(beside, mode, place))
                    if replaces and hasattr(os, "fchmod"):
                        os.fchmod(stream.fileno(), mode)  # the umask may have taken too much
                    synced.enter_context(_synced_meanwhile(stream.fileno()))
                    streams.append(stream)
                yield streams
            for stream in streams:
                stream.flush()
                os.fsync(stream.fileno())
        for place, beside, (_, replaces) in zip(places, besides, modes, strict=True):
            _rename(beside, place, overwrite=overwrite)
            if not replaces:
                appeared.append(place)
    except BaseException:
        for left in [*besides, *appeared]:
            with suppress(FileNotFoundError):
                left.unlink()
        raise
    for directory in dict.fromkeys(place.parent for place in places):
        _sync_directory(directory)


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


def _mode_to_be(path: Path, *, private: bool, overwrite: bool) -> tuple[int, bool]:
    """Return the mode of a file that is to be written, and whether it replaces another."""
    mode = 0o600 if private else 0o666
    replaced = check_target(path, overwrite=overwrite)
    return (mode, False) if replaced is None else (mode & replaced, True)


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
