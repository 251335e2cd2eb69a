# SPDX-License-Identifier: Apache-2.0
"""A log of reveals: lines of JSON in a chain of hashes; ``docs/reference/reveal-log.md``.

Each line has the hash of itself and of the hash before, so an edit breaks the chain. A line is on
the disk before anything is revealed: without a log nothing is.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import pwd
import re
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from .errors import FileError
from .keyring import storage

_START = b"tallystick reveals 1"
_LINE = re.compile(rb'(\{"line":([1-9][0-9]{0,15}),.*),"hash":"([0-9a-f]{64})"\}\n')
_LINE_MAX = 1 << 20  # bytes
_ANCHOR = re.compile(
    r'\{"log":"tallystick reveals 1","lines":([1-9][0-9]{0,15}),"hash":"([0-9a-f]{64})"\}\n'
)
_WAIT = 30.0  # seconds for the lock

Event = Literal["begin", "end", "failed", "reveal"]


@dataclass(frozen=True, slots=True)
class Reveal:
    """What a hook of a `tallystick.Protector` gets before values are revealed."""

    columns: tuple[str, ...]
    """The columns of the policy."""
    rows: int
    """How many rows, or values."""
    ring: str
    """The id of the key ring."""
    revision: int
    """The revision of the key ring when it was opened."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a log, to compare a later one with."""

    lines: int
    """How many lines it has."""
    hash: str
    """The hash of the last line; empty for an empty log."""


class RevealLog:
    """A log of reveals in a file, which is made if there is none (mode 0600).

    It can be a hook: ``Protector.open(..., on_reveal=RevealLog("reveals.log"))``.

    Parameters
    ----------
    path : path
        The file. It must be a regular one, ours, and give nobody else any right.
    who : str, optional
        Who reveals. By default the user of this process.
    """

    def __init__(self, path: str | os.PathLike[str], who: str | None = None) -> None:
        self.path = Path(path)
        self.who = _user() if who is None else who
        self._lock = threading.Lock()

    def __call__(self, reveal: Reveal) -> None:
        """Write that values are about to be revealed; see `append`."""
        self.append("reveal", reveal.columns, reveal.rows, reveal.ring, reveal.revision)

    def append(
        self,
        event: Event,
        columns: Sequence[str],
        rows: int | None,
        ring: str,
        revision: int,
        **more: str,
    ) -> Head:
        """Write a line, and wait until it is on the disk.

        Parameters
        ----------
        event : {"reveal", "begin", "end", "failed"}
            What happens: values of a service; or a file, before and after.
        columns : sequence of str
            The columns.
        rows : int or None
            How many rows; None: not known yet.
        ring : str
            The id of the key ring.
        revision : int
            Its revision.
        **more : str
            More to remember. Never values.

        Returns
        -------
        Head
            The log's end, with this line.

        Raises
        ------
        FileError
            The line can't be written, so nothing may be revealed.
        """
        try:
            with self._lock, _locked(self.path) as handle:
                size = os.fstat(handle).st_size
                before = _last(handle, size)
                text = json.dumps(
                    {
                        "line": before.lines + 1,
                        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                        "who": self.who,
                        "event": event,
                        "columns": list(columns),
                        "rows": rows,
                        "ring": ring,
                        "revision": revision,
                        **more,
                    },
                    separators=(",", ":"),
                )
                body = text[:-1].encode()
                made = Head(before.lines + 1, _hash(before.hash, body))
                line = body + b',"hash":"' + made.hash.encode() + b'"}\n'
                if len(line) > _LINE_MAX:
                    raise OSError(errno.EMSGSIZE, f"a line has at most {_LINE_MAX} bytes")
                _write(handle, line, size)
                return made
        except OSError as error:
            raise FileError(
                f"{self.path}: can't write the log of reveals: {error.strerror}; nothing is "
                "revealed without it"
            ) from error


def verify(path: str | os.PathLike[str], anchor: str | os.PathLike[str] | None = None) -> Head:
    """Verify a log from its first line to its last.

    Parameters
    ----------
    path : path
        The log.
    anchor : path, optional
        A file with the end of the log when it was verified last. The log must still have that line.
        The file then gets today's end; it is made if there is none.

    Returns
    -------
    Head
        The log's end.

    Raises
    ------
    FileError
        A line is broken or missing. The message has the number of the first one.
    """
    if anchor is None:
        return _verify(path)
    while True:  # until no other verification has moved the anchor meanwhile
        known = _read_anchor(Path(anchor))
        head = _verify(path, known, anchor)
        if head == known or not head.lines or _move_anchor(Path(anchor), known, head):
            return head


def _verify(
    path: str | os.PathLike[str],
    known: Head | None = None,
    anchor: str | os.PathLike[str] | None = None,
) -> Head:
    """Verify a log, which must have the line that its anchor knows."""
    head, met = Head(0, ""), known is None
    try:
        with open(path, "rb") as file:
            while line := file.readline(_LINE_MAX + 1):
                head = _follow(head, line, f"{path}: line {head.lines + 1}")
                if head == known:
                    met = True
    except OSError as error:
        raise FileError(f"{path}: can't read the log of reveals: {error.strerror}") from error
    if not met and known is not None:
        what = "differs from" if head.lines >= known.lines else "is missing, which is in"
        raise FileError(
            f"{path}: line {known.lines} {what} the anchor {anchor}: the log was cut or replaced"
        )
    return head


def _follow(before: Head, line: bytes, where: str) -> Head:
    found = _LINE.fullmatch(line)
    if found is None:
        what = "is not complete" if not line.endswith(b"\n") else "is not a line of a log"
        raise FileError(f"{where}: {what}")
    if int(found[2]) != before.lines + 1:
        raise FileError(
            f"{where}: has the number {int(found[2])}: lines are missing, or were added"
        )
    if _hash(before.hash, found[1]) != found[3].decode():
        raise FileError(f"{where}: its hash is wrong: it, or the line before it, was changed")
    return Head(before.lines + 1, found[3].decode())


def _hash(before: str, body: bytes) -> str:
    return hashlib.sha256((before.encode() or _START) + b"\n" + body).hexdigest()


def _user() -> str:
    uid = os.getuid()
    try:
        return f"{pwd.getpwuid(uid).pw_name} ({uid})"
    except KeyError:
        return str(uid)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a log to append, as the only one who does."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    handle = os.open(path, flags, 0o600)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if status.st_uid != os.geteuid():
            raise OSError(errno.EPERM, "the file belongs to another user")
        if status.st_mode & 0o077:
            raise OSError(errno.EPERM, "others may use the file; run chmod 600 on it")
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(errno.ETIMEDOUT, "another process holds its lock") from None
                time.sleep(0.005)
        if not status.st_size:
            _flush_name(path)
        yield handle
    finally:
        os.close(handle)


def _last(handle: int, size: int) -> Head:
    """Return the end of the log that there is."""
    if not size:
        return Head(0, "")
    tail = os.pread(handle, _LINE_MAX, max(0, size - _LINE_MAX))
    begin = tail.rfind(b"\n", 0, -1) + 1
    found = _LINE.fullmatch(tail[begin:])
    if found is None:
        raise OSError(
            errno.EINVAL,
            "its last line is not complete; keep the file as it is, and begin another log",
        )
    return Head(int(found[2]), found[3].decode())


def _write(handle: int, line: bytes, size: int) -> None:
    """Append a whole line, or nothing."""
    try:
        if os.write(handle, line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _flush_name(path: Path) -> None:
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        storage.flush_directory(directory)
    finally:
        os.close(directory)


def _read_anchor(path: Path) -> Head | None:
    try:
        text = storage.read(path, 4096)[0].decode("latin-1")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path}: can't read the anchor: {error.strerror}") from error
    found = _ANCHOR.fullmatch(text)
    if found is None:
        raise FileError(f"{path}: not the anchor of a log of reveals; check the path")
    return Head(int(found[1]), found[2])


def _move_anchor(path: Path, known: Head | None, head: Head) -> bool:
    """Let an anchor know a later end of the log, if it still knows `known`; return whether."""
    text = f'{{"log":"tallystick reveals 1","lines":{head.lines},"hash":"{head.hash}"}}\n'
    real = Path(os.path.realpath(path))  # a link stays
    try:
        with storage.locked(real) as directory:
            if _read_anchor(path) != known:
                return False
            storage.replace(real, text.encode())
            storage.flush_directory(directory)
            return True
    except OSError as error:
        raise FileError(f"{path}: can't write the anchor: {error.strerror}") from error
