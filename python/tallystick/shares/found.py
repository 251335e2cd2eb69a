# SPDX-License-Identifier: Apache-2.0
"""Shares in files, printed or not, as they are found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tallystick.errors import FileError, ShareError, ShareTextError
from tallystick.memory import HoldsKeys
from tallystick.reading import read_small
from tallystick.shares import printed
from tallystick.shares.authentic import MAX_GIVEN, Share, read

BINARY = b"TSSH"
"""How a share begins that is not printed."""


NO_SHARE = f"it is not a share, or its line {printed.FIRST} is missing and it has typing errors"


@dataclass(slots=True)
class Given(HoldsKeys):
    """Shares that were given; all lists go together."""

    paths: list[Path] = field(default_factory=list)
    """Where they come from."""
    data: list[bytes] = field(default_factory=list, repr=False)
    """The share, or the beginning of a dispersed file's; empty if it can't be read."""
    shares: list[Share | None] = field(default_factory=list)
    """What they say, if they are intact."""
    problems: list[str] = field(default_factory=list)
    """Why not; empty if there is nothing to say beyond a verdict."""

    def add(self, path: Path, data: bytes, share: Share | None, problem: str) -> None:
        """Put one with the others."""
        self.paths.append(path)
        self.data.append(data)
        self.shares.append(share)
        self.problems.append(problem)

    def has(self, share: Share) -> bool:
        """Whether it is there already."""
        return any(
            s is not None and (s.set_id, s.index) == (share.set_id, share.index)
            for s in self.shares
        )


def load(paths: Sequence[Path]) -> Given:
    """Read shares from files.

    Raises `FileError`: a file can't be read, or there are too many.
    """
    if len(paths) > MAX_GIVEN:
        raise FileError(f"{len(paths)} shares are too many: give at most {MAX_GIVEN}")
    given = Given()
    for path in paths:
        try:
            data = read_small(path, printed.MAX_CHARACTERS)
        except OSError as error:
            raise FileError(f"{path}: can't be read: {error.strerror}") from error
        try:
            if not data.startswith(BINARY):
                data = printed.decode(data.decode("utf-8", "replace"))
            given.add(path, data, read(data), "")
        except ShareTextError as error:
            text = data.decode("utf-8", "replace")
            given.add(path, b"", None, str(error) if printed.is_framed(text) else NO_SHARE)
        except ShareError as error:
            given.add(path, data, None, str(error))
    return given
