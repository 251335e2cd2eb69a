# SPDX-License-Identifier: Apache-2.0
"""Sources as they are read: small ones whole, large ones watched for changes."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

from tallystick.errors import FileError


def read_small(path: Path, limit: int) -> bytes:
    """Read a file, or what is written into a pipe, until more than `limit` bytes are there.

    Raises `OSError`: the operating system says so, or it is a pipe into which nobody writes; with a
    plain `open` that would be waited for without end.
    """
    if not hasattr(os, "O_NONBLOCK"):  # pipes have no names there
        with path.open("rb") as file:
            return file.read(limit + 1)
    with open(path, "rb", opener=_without_waiting) as file:
        handle = file.fileno()
        os.set_blocking(handle, True)
        data = file.read(limit + 1)
        if not data and stat.S_ISFIFO(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is a pipe into which nobody writes")
        return data


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


@contextmanager
def unchanged(source: Path | BinaryIO) -> Iterator[None]:
    """Make sure that a file stays as it is until the block ends well.

    Its size, its time of change, and which file it is are compared. What is no file on a disk, as a
    pipe, is not looked at.

    Raises `FileError`: it was changed, cut short or replaced.
    """
    before = _state(source)
    yield
    if before is not None and _state(source) != before:
        name = source if isinstance(source, Path) else getattr(source, "name", "the source")
        raise FileError(
            f"{name}: was changed while it was read, so nothing was written; run it again when "
            "nobody writes to it, or on a copy"
        )


def _state(source: Path | BinaryIO) -> tuple[int, ...] | None:
    try:
        status = os.stat(source if isinstance(source, Path) else source.fileno())
    except (FileNotFoundError, UnsupportedOperation):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
