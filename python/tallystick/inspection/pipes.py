# SPDX-License-Identifier: Apache-2.0
"""Sources that can be read once only."""

from __future__ import annotations

from pathlib import Path

from tallystick.errors import FileError
from tallystick.files import Stored


def refuse_pipe(source: Stored) -> None:
    """Refuse a pipe, because the beginning of a file is read several times.

    Raises
    ------
    FileError
        The source is a pipe.
    """
    if isinstance(source, Path) and source.is_fifo():
        raise FileError(
            f"{source}: is a pipe, but the command reads it several times; save it to a file first"
        )
