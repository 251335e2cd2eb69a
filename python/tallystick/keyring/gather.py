# SPDX-License-Identifier: Apache-2.0
"""Shares of a ring's root key as they come in, from files or typed, until there are enough.

Each is judged by itself: a bad one is named, and gathering goes on with the others.
"""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ..errors import RootKeyError, ShareError, ShareTextError
from ..memory import HoldsKeys
from ..shares import Share, combine, printed, read
from ..shares.found import BINARY, NO_SHARE
from ..shares.typed import Terminal, read_share
from . import storage
from .document import SharedRoot
from .seal import ROOT_SIZE

MAX_FILES = 1000
"""Files that are looked at in one directory."""

_NAMED = 8  # bad shares that a message tells; more are only counted
LABEL = "tallystick keyring "
"""How the label of a ring's shares begins; the ring's id follows."""
_REMARK = re.compile(r"^# share ([1-9][0-9]{0,2}) of [0-9]{1,3}, for ", re.MULTILINE)


def label(ring_id: str) -> str:
    """Return the label of the shares of a ring's root key."""
    return LABEL + ring_id


def remark(index: int, record: SharedRoot) -> str:
    """Return the line for people that says which share it is; nothing protects it."""
    return (
        f"share {index} of {record.count}, for {record.holders[index - 1]}; "
        f"any {record.threshold} of them open the key ring"
    )


class Gathering(HoldsKeys):
    """The good shares that were given so far.

    `record`: of the ring. It need not be authentic yet: with another one, good shares are refused.
    `ring_id`: the ring's id.
    """

    def __init__(self, record: SharedRoot, ring_id: str) -> None:
        self._record = record
        self._ring_id = ring_id
        self._good: dict[int, bytes] = {}

    @property
    def more(self) -> int:
        """How many more shares are needed."""
        return max(0, self._record.threshold - len(self._good))

    def offer(self, data: bytes) -> str:
        """Take a share in, and return which one it is and whose.

        Raises `ShareError`: it is of no use; the message says which it is, and why.
        """
        try:
            share = read(data)
        except ShareError as error:
            if error.index is None:
                raise ShareError(
                    "it is not a share, or it is cut short; find a good copy of it"
                ) from None
            raise ShareError(
                f"{self._whose(error.index)}: it is damaged or altered; find a good copy of it"
            ) from None
        self._refuse_foreign(share)
        whose = self._whose(share.index)
        if share.index in self._good:
            raise ShareError(f"{whose} was given already")
        self._good[share.index] = data
        return whose

    def read(self, text: str) -> bytes:
        """Read a printed share.

        Raises `ShareTextError`: as of `printed.decode`; the message says which share it is, if a
        remark in it does, or that the text may be no share at all.
        """
        try:
            return printed.decode(text)
        except ShareTextError as error:
            found = _REMARK.search(text)
            if not found and not printed.is_framed(text):
                raise ShareTextError(NO_SHARE) from None
            whose = f"{self._whose(int(found[1]))}: " if found else ""
            raise ShareTextError(f"{whose}{error}") from None

    def root(self) -> bytearray:
        """Recover the root key, once there are enough shares; the caller wipes it.

        Raises `ShareError`: they were not made by a splitting.
        """
        return combine(list(self._good.values()), set_id=self._record.set).secret

    def missing(self) -> str:
        """Say how many good shares there are, and who has more."""
        given, needed = len(self._good), self._record.threshold
        held = ", ".join(self._whose(index) for index in sorted(self._good))
        others = [n for n in range(1, self._record.count + 1) if n not in self._good]
        names = ", ".join(self._whose(index) for index in others[:_NAMED])
        rest = f" and {len(others) - _NAMED} others" if len(others) > _NAMED else ""
        return (
            f"{given} good {'share' if given == 1 else 'shares'}{f' ({held})' if held else ''}, "
            f"and {needed} are needed: {self.more} more of {names}{rest}"
        )

    def _whose(self, index: int) -> str:
        if not 1 <= index <= self._record.count:
            return f"share {index}"
        return f"share {index} ({self._record.holders[index - 1]})"

    def _refuse_foreign(self, share: Share) -> None:
        theirs, ours = share.set_id[:8], self._record.set[:8]
        if not share.label.startswith(LABEL):
            what = f", {share.label[:80]!r}" if share.label else ""
            raise ShareError(
                f"it is share {share.index} of something else{what}; give a share of this key ring"
            )
        if share.label != label(self._ring_id):
            raise ShareError(
                f"it is share {share.index} of another key ring, "
                f"{share.label.removeprefix(LABEL)[:32]!r}; this one is {self._ring_id!r}"
            )
        if share.set_id != self._record.set or share.secret_size != ROOT_SIZE:
            raise ShareError(
                f"it is share {share.index} of set {theirs}, from another split; this key ring "
                f"opens with set {ours}: find the share of that set"
            )


def take_files(gathering: Gathering, places: Sequence[str]) -> list[str]:
    """Offer the shares in files, and in the files of directories; return what is bad of them.

    Raises `RootKeyError`: a directory can't be read, or has too many files.
    """
    problems = []
    for path in _files(places):
        try:
            data, _ = storage.read(path, printed.MAX_CHARACTERS)
            if not data.startswith(BINARY):
                data = gathering.read(data.decode("utf-8", "replace"))
            gathering.offer(data)
        except ShareError as error:
            problems.append(f"{path}: {error}")
        except OSError as error:
            problems.append(f"{path}: can't read it: {error.strerror}")
    return problems


def list_problems(problems: Sequence[str]) -> str:
    """Return problems as a text for the end of a message; empty if there are none."""
    if not problems:
        return ""
    more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
    return f". Of no use: {'; '.join(problems[:_NAMED])}{more}"


def take_typed(gathering: Gathering, terminal: Terminal) -> None:
    """Ask for shares until there are enough; Ctrl-D ends it with fewer."""
    while gathering.more:
        are = "1 more share is" if gathering.more == 1 else f"{gathering.more} more shares are"
        terminal.tell(f"{are} needed; type one as it is printed, line by line (Ctrl-D ends it)")
        try:
            data = read_share(terminal)
        except EOFError:
            return
        try:
            terminal.tell(f"{gathering.offer(data)} is good")
        except ShareError as error:
            terminal.tell(f"refused: {error}")


def _files(places: Sequence[str]) -> Iterator[Path]:
    """Yield the files; of a directory all but hidden ones and images."""
    for place in map(Path, places):
        if not os.path.isdir(place):  # which is also an answer where the system refuses one
            yield place
            continue
        try:
            inside = list(islice(place.iterdir(), MAX_FILES + 1))
        except OSError as error:
            raise RootKeyError(f"{place}: can't list the directory: {error.strerror}") from error
        if len(inside) > MAX_FILES:
            raise RootKeyError(
                f"{place}: has more than {MAX_FILES} files; name the share files themselves"
            )
        for path in sorted(inside):
            if os.path.isfile(path) and path.name[0] != "." and path.suffix.lower() != ".png":
                yield path
