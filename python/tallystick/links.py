# SPDX-License-Identifier: Apache-2.0
"""Links on the way to what is written: followed, unless anybody could have put them there."""

import os
import stat
from pathlib import Path

from tallystick.errors import FileError

_MOST = 40
"""Links that are followed; as many as Linux follows."""


def resolved(path: Path) -> Path:
    """Return a path without links, for what is to be written.

    As Linux does with ``fs.protected_symlinks``, but on every system that has users: a link in a
    sticky folder that anybody may write to, such as /tmp, is not followed unless it belongs to this
    process's user or to the folder's.

    Raises `FileError`: there is such a link, or links lead in a circle.
    """
    if not hasattr(os, "geteuid"):
        return Path(os.path.realpath(path))
    place = Path(path.anchor) if path.is_absolute() else Path.cwd()
    left = _parts(path)
    followed = 0
    while left:
        part = left.pop()
        if part == "..":
            place = place.parent
            continue
        here = place / part
        try:
            status = here.lstat()
        except OSError:  # it is not there, or opening it fails with the reason
            place = here
            continue
        if not stat.S_ISLNK(status.st_mode):
            place = here
            continue
        folder = place.stat()
        anybodys = stat.S_ISVTX | stat.S_IWOTH
        if (folder.st_mode & anybodys) == anybodys and status.st_uid not in (
            os.geteuid(),
            folder.st_uid,
        ):
            raise FileError(
                f"{path}: {here} is another user's link in a folder that anybody may write to, and "
                "is not followed; remove the link, or give another target"
            )
        followed += 1
        if followed > _MOST:
            raise FileError(f"{path}: links lead in a circle")
        to = Path(os.readlink(here))
        left += _parts(to)
        if to.is_absolute():
            place = Path(to.anchor)
    return place


def _parts(path: Path) -> list[str]:
    """Return the parts of a path behind its root, the last one first."""
    return [part for part in reversed(path.parts) if part != path.anchor]
