# SPDX-License-Identifier: Apache-2.0
"""Files that appear only when they are complete: written beside their places, then renamed."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from io import BufferedWriter
from pathlib import Path
from threading import Lock, Thread
from typing import NamedTuple

from tallystick.errors import FileError
from tallystick.leftovers import name_beside, open_locked, remove_dead, sole
from tallystick.links import resolved

SYNC_BYTES = 32 << 20
"""Bytes that are worth a request to the disk."""
SYNC_SECONDS = 0.02
"""How often it is seen whether there are as many."""

_data_sync = getattr(os, "fdatasync", os.fsync)


class InPlaceError(FileError):
    """What was written is complete and has its name, but may not outlast a power cut."""


@contextmanager
def complete_file(
    path: Path, *, private: bool, overwrite: bool = False
) -> Iterator[BufferedWriter]:
    """Give a stream whose content becomes the file at `path` when the block ends well.

    If it does not end well, nothing remains, and a file that was there stays. What a killed process
    left beside it is removed first, with a warning of the logger ``tallystick``. The content
    is on the disk before the name is, so a power failure leaves the old file or the new one.

    `path`: where the file is to be; a link is followed, but see `tallystick.links.resolved`.
    `private`: whether only the owner may read it (mode 0600). Otherwise a new file gets what the
    umask leaves. A file that replaces another never gets a permission that the other had not.
    `overwrite`: whether a file that exists may be replaced.
    Raises `InPlaceError`: it is there, but the disk fails to keep its name. `FileError`: the file
    exists, also if it came up meanwhile, or is not a regular file; or after another error what was
    written can't be removed. `OSError`: what the operating system says.

    Yields
    ------
    io.BufferedWriter
        Empty, at its beginning.
    """
    with complete_files([path], private=private, overwrite=overwrite) as (stream,):
        yield stream


@contextmanager
def complete_files(
    paths: Sequence[Path],
    *,
    private: bool,
    overwrite: bool = False,
    stale: Sequence[Path] = (),
) -> Iterator[list[BufferedWriter]]:
    """Give streams whose contents become files when the block ends well: all of them, or none.

    The contents of all are on the disk before the first one appears, so that a full disk leaves
    none. If one can't appear after all, those that did are removed again, but for files that
    replaced others. Of runs to the same first path, one at a time gives its files their names.

    `paths`: where the files are to be.
    `private`, `overwrite`: as of `complete_file`.
    `stale`: files that are removed right before the first one appears: they say something of what
    was there before. They may be among `paths`.
    Raises `InPlaceError`, `FileError`, `OSError`: as of `complete_file`.

    Yields
    ------
    list of io.BufferedWriter
        One for each path.
    """
    with (
        ExitStack() as locked,  # until the files have their names
        _appearing(paths, private=private, overwrite=overwrite, stale=stale) as unfinished,
        ExitStack() as opened,
    ):
        with ExitStack() as synced:
            streams = []
            for one in unfinished:
                stream = opened.enter_context(_open(one))
                locked.callback(_let_go, os.dup(stream.fileno()))
                synced.enter_context(_synced_meanwhile(stream.fileno()))
                streams.append(stream)
            yield streams
        for stream in streams:
            stream.flush()
            os.fsync(stream.fileno())


def write_files(
    paths: Sequence[Path], contents: Iterable[bytes], *, private: bool, overwrite: bool = False
) -> None:
    """Make files of some contents: all of them, or none.

    One file is open at a time, so there may be more of them than a process may have open. Of two
    runs to the same paths at once, one may fail.

    `paths`, `private`, `overwrite`: as of `complete_files`.
    `contents`: that of each file.
    Raises `InPlaceError`, `FileError`, `OSError`: as of `complete_file`.
    """
    with _appearing(paths, private=private, overwrite=overwrite) as unfinished:
        for one, content in zip(unfinished, contents, strict=True):
            with _open(one) as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())


class _Unfinished(NamedTuple):
    """A file that has no name yet."""

    beside: Path
    """Where it is."""
    place: Path
    """Where it is to be."""
    mode: int
    replaces: bool
    """Whether there is a file already."""


@contextmanager
def _appearing(
    paths: Sequence[Path], *, private: bool, overwrite: bool, stale: Sequence[Path] = ()
) -> Iterator[list[_Unfinished]]:
    """Give files to write, which get their names when the block ends well; see `complete_files`."""
    files = []
    for place in map(resolved, paths):
        mode, replaces = _mode_to_be(place, private=private, overwrite=overwrite)
        files.append(_Unfinished(name_beside(place), place, mode, replaces))
    for file in files:
        _remove_dead(file.place)
    appeared: list[Path] = []
    replaced: list[Path] = []
    # Opened inside, so that a signal right after the opening leaves nothing either.
    try:
        yield files
        with sole(files[0].place) if len(files) + len(stale) > 1 else nullcontext():
            _remove(stale)
            for file in files:
                _rename(
                    *(file.beside, file.place, replaced if file.replaces else appeared),
                    overwrite=overwrite,
                )
    except BaseException as error:
        left = _not_removed([*(file.beside for file in files), *appeared])
        if replaced and isinstance(error, FileError | OSError):
            text = str(error) if isinstance(error, FileError) else _message(error, files[0].place)
            there = ", ".join(map(str, replaced))
            also = f"; can't be removed, so delete: {', '.join(left)}" if left else ""
            raise FileError(f"{text}; but {there} is complete and in place{also}") from error
        if left and isinstance(error, FileError | OSError):
            text = str(error) if isinstance(error, FileError) else _message(error, files[0].place)
            raise FileError(
                f"{text}; and can't be removed, so delete: {', '.join(left)}"
            ) from error
        raise
    for directory in dict.fromkeys(file.place.parent for file in files):
        _sync_directory(directory)


def _remove_dead(place: Path) -> None:
    """Remove what killed runs left beside a target, and tell."""
    removed = remove_dead(place)
    if removed:
        import logging  # which takes time to load

        for path in removed:
            logging.getLogger("tallystick").warning(
                "removed %r, which a run that was killed had left", str(path)
            )


def _remove(paths: Sequence[Path]) -> None:
    """Remove files, those that are there, so that they do not come back after a power cut."""
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        with suppress(InPlaceError):  # the sync after the renames tells
            _sync_directory(path.parent)


def check_target(path: Path, *, overwrite: bool) -> int | None:
    """Check that a file may be written, and return the mode of the one that it replaces, if any.

    Raises `FileError`: it exists, is not a regular file, or the operating system can't say.
    """
    with file_errors(path):
        replaced = _mode_of(path)
    if replaced is not None and not overwrite:
        raise _exists(path)
    return replaced


def check_targets(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse what can't be written before anybody types a secret or waits for it in vain.

    Raises `FileError`: as by `check_target`, or no file can be made in a folder.
    """
    for path in paths:
        check_target(path, overwrite=overwrite)
        if not os.access(path.parent, os.W_OK):
            raise FileError(f"{path}: can't write to its folder; make it, or give another one")


@contextmanager
def file_errors(path: object) -> Iterator[None]:
    """Turn what the operating system says of a file into a `FileError` that names it.

    That nobody reads a pipe any more is no error of a file, and passes.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(_message(error, path)) from error


def _message(error: OSError, path: object) -> str:
    return f"{error.filename or path}: {why(error)}"


def why(error: OSError) -> str:
    """Return what the operating system says, and if it is too little of something, what to do."""
    mend = {
        **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "; free some space, or choose another disk"),
        errno.EMFILE: "; raise the limit of open files (ulimit -n)",
    }
    return f"{error.strerror or error}{mend.get(error.errno or 0, '')}"


def _mode_to_be(path: Path, *, private: bool, overwrite: bool) -> tuple[int, bool]:
    """Return the mode of a file that is to be written, and whether it replaces another."""
    mode = 0o600 if private else 0o666
    replaced = check_target(path, overwrite=overwrite)
    return (mode, False) if replaced is None else (mode & replaced, True)


@contextmanager
def _open(file: _Unfinished) -> Iterator[BufferedWriter]:
    try:
        stream = os.fdopen(open_locked(file.beside, file.mode), "wb")
    except OSError as error:
        raise FileError(f"{file.place}: can't write to its folder: {why(error)}") from error
    try:
        if file.replaces and hasattr(os, "fchmod"):
            os.fchmod(stream.fileno(), file.mode)  # the umask may have taken too much
        yield stream
    except BaseException:
        with suppress(OSError):  # the first error tells more
            stream.close()
        raise
    stream.close()


def _let_go(handle: int) -> None:
    """Give up a file's lock; what was written is on the disk by then, so an error tells nothing."""
    with suppress(OSError):
        os.close(handle)


@contextmanager
def _synced_meanwhile(handle: int) -> Iterator[None]:
    """Have a file's content put on the disk while it is written, so that little is left to do.

    Raises `OSError`: the disk could not take it. The system reports this only once, so it must not
    be overlooked.
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


def _rename(beside: Path, path: Path, appeared: list[Path], *, overwrite: bool) -> None:
    """Give a file its name, and add that to `appeared` as soon as it is there."""
    if overwrite:
        beside.replace(path)
        appeared.append(path)
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
        appeared.append(path)
    else:
        appeared.append(path)
        beside.unlink()


def _not_removed(paths: Sequence[Path]) -> list[str]:
    """Remove files as far as the system lets us, and return the others."""
    left = []
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            left.append(str(path))
    return left


def _sync_directory(directory: Path) -> None:
    """Have the disk keep the names in a directory, where the system can be asked to.

    Raises `InPlaceError`: the disk fails to.
    """
    if os.name != "posix":
        return
    try:
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        # Of a directory that may not be read, and on some file systems, it can't be asked to.
        if error.errno not in (errno.EACCES, errno.EINVAL, errno.ENOTSUP):
            raise InPlaceError(
                f"{directory}: what was written is complete and in place, but may not outlast a "
                f"power cut: {error.strerror}; check the disk"
            ) from error
