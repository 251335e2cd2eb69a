# SPDX-License-Identifier: Apache-2.0
"""Splitting a ring's root key among people: a new root key, a share file for each of them.

The shares are on the disk, and were read back and found to give the root key, before the ring is
changed; they are removed again if the ring was not.
"""

import contextlib
import hmac
import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tallystick.atomic import InPlaceError

from .. import shares
from ..errors import FileError, KeyringError, ParameterError, ShareError
from ..shares import printed
from ..shares.authentic import check_threshold
from . import document, storage
from .document import SharedRoot
from .gather import label, remark
from .names import MAX_HOLDER, holder_fits
from .opened import Opened
from .ring import Keyring
from .root import RootKey, log
from .seal import ROOT_SIZE, wipe
from .wrapping import Root, wrap_beside


@dataclass(frozen=True, slots=True)
class HeldShare:
    """A share that was written."""

    index: int
    """The share's number, from 1."""
    holder: str
    """The share's holder."""
    path: Path
    """The file with the share in printed form."""
    code: Path | None
    """The same share as a QR code, a PNG image."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """The result of `split_root`."""

    set_id: str
    """The id of the set of shares: 32 hexadecimal digits. The ring records it."""
    threshold: int
    """The number of shares that open the ring."""
    shares: tuple[HeldShare, ...]
    """The shares, in order of their indices."""


def split_root(
    ring: Keyring,
    holders: Sequence[str],
    threshold: int,
    into: str | os.PathLike[str] | None = None,
    *,
    codes: bool = False,
    beside: Sequence[RootKey | Root] = (),
) -> Splitting:
    """Replace the root key of a ring with a new one, split among people.

    The old root key, or the old shares, then open only older copies of the ring's file. `ring`
    itself uses the new root key.

    Parameters
    ----------
    ring : Keyring
        An open ring.
    holders : sequence of str
        The holders of shares: 2 to 255 different names of 1 to 64 printable characters.
    threshold : int
        The number of shares that open the ring: 2 to the number of holders.
    into : path, optional
        The directory for the share files, created with mode 0700 if it is missing. By default one
        beside the ring, named after ring and set. Files are never overwritten.
    codes : bool
        Whether to write each share as a QR code too.
    beside : sequence of Root or RootKey
        Keys that wrap the new root key, each of which opens the ring without any share.

    Returns
    -------
    Splitting
        The set of shares.

    Raises
    ------
    ParameterError
        Holders or threshold are invalid.
    KeyringError
        Something can't be read or written. The ring is then unchanged, and no share remains, unless
        the message says that the ring is in place.
    """
    _check(holders, threshold)
    root = bytearray(secrets.token_bytes(ROOT_SIZE))
    try:
        records = wrap_beside(bytes(root), beside, ring.path, ring.id)
        made = shares.split(root, shares=len(holders), threshold=threshold, label=label(ring.id))
        record = SharedRoot(
            set=shares.read(made[0]).set_id,
            threshold=threshold,
            count=len(holders),
            holders=tuple(holders),
        )
        default = ring.path.with_name(f"{ring.path.name}.shares-{record.set[:8]}")
        directory = default if into is None else Path.cwd() / into
        files = _Files(ring, record, directory)
        with _removed_unless_in_place(files):
            written = tuple(
                files.write(number, share, codes=codes) for number, share in enumerate(made, 1)
            )
            files.read_back(made, root)
            ring.rekey(root, (record, *records))
    finally:
        wipe(root)
    return Splitting(record.set, threshold, written)


def _check(holders: Sequence[str], threshold: int) -> None:
    if not all(map(holder_fits, holders)):
        raise ParameterError(
            f"a holder's name is 1 to {MAX_HOLDER} printable characters, without spaces at its ends"
        )
    for number, holder in enumerate(holders):
        if holder in holders[:number]:
            raise ParameterError(
                f"holder {holder!r} is named twice; give each holder a name of their own, for "
                f"example {holder + ' 2'!r}"
            )
    check_threshold(threshold, len(holders), "holders")


class _Files:
    """The share files of one splitting, as they are written."""

    def __init__(self, ring: Keyring, record: SharedRoot, directory: Path) -> None:
        self._ring, self._record, self.directory = ring, record, directory
        self._made: list[Path] = []
        self._texts: list[Path] = []
        self._made_directory = False
        self._made_on = f"{document.now():%Y-%m-%d}"

    def write(self, number: int, share: bytes, *, codes: bool) -> HeldShare:
        """Write the files of one share."""
        self._make_directory()
        holder = self._record.holders[number - 1]
        path = self.directory / f"share-{number}{_in_a_name(holder)}.txt"
        text = printed.encode(share, self._remarks(number))
        self._make(path, lambda: storage.create(path, text.encode()))
        self._texts.append(path)
        code = path.with_suffix(".png") if codes else None
        if code is not None:
            from ..shares import qr  # the only part that needs segno

            self._make(code, lambda: qr.write_png(text, code))
        return HeldShare(number, holder, path, code)

    def read_back(self, made: Sequence[bytes], root: bytearray) -> None:
        """Make sure that what is on the disk gives the root key."""
        try:
            found = [
                printed.decode(storage.read(path, printed.MAX_CHARACTERS)[0].decode())
                for path in self._texts
            ]
            combined = shares.combine(found, set_id=self._record.set)
        except (OSError, ShareError, UnicodeDecodeError):
            found, combined = [], None
        if combined is not None:
            right = hmac.compare_digest(combined.secret, root)
            wipe(combined.secret)
            if right and found == list(made):
                return
        raise KeyringError(
            f"{self.directory}: the written shares can't be read back correctly; the key ring is "
            "unchanged; check the disk"
        )

    def in_place(self) -> bool:
        """Return whether the ring may be one that opens with these shares."""
        try:
            data, _ = storage.read(self._ring.path, document.MAX_FILE)
            return self._record in Opened(data, self._ring.path).document.roots
        except (OSError, KeyringError):
            return True  # not known: shares too many do less harm than too few

    def remove(self) -> None:
        """Remove what was made, and nothing else."""
        for path in self._made:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        if self._made_directory:
            with contextlib.suppress(OSError):
                self.directory.rmdir()

    def _make_directory(self) -> None:
        if self._made_directory or os.path.isdir(self.directory):
            return
        self._made_directory = True
        try:
            storage.make_directory(self.directory)
        except OSError as error:
            self._made_directory = False
            raise KeyringError(
                f"{self.directory}: can't make the directory for the shares: {error.strerror}; "
                "the key ring is unchanged"
            ) from error

    def _make(self, path: Path, make: Callable[[], None]) -> None:
        """Make a file that is not there yet."""
        failed = f"{path}: can't write the share"
        as_it_was = "the key ring is unchanged"
        if os.path.lexists(path):
            raise KeyringError(
                f"{path}: exists already, and is not overwritten; {as_it_was}; "
                "give another directory"
            )
        self._made.append(path)
        try:
            make()
        except OSError as error:
            if isinstance(error, FileExistsError):
                self._made.remove(path)  # it came up meanwhile, and is not ours
            raise KeyringError(f"{failed}: {error.strerror}; {as_it_was}") from error
        except FileError as error:
            if not isinstance(error, InPlaceError):
                self._made.remove(path)  # nothing was made, or as above
            raise KeyringError(f"{failed}: {error}; {as_it_was}") from error

    def _remarks(self, number: int) -> list[str]:
        record, name = self._record, self._ring.path.name
        named = f"{name}, " if name.isprintable() else ""
        return [
            f"key ring {named}id {self._ring.id}",
            remark(number, record),
            f"set {record.set[:8]}, made {self._made_on}",
            "Secret. Keep it away from the key ring and from other shares.",
        ]


@contextlib.contextmanager
def _removed_unless_in_place(files: _Files) -> Iterator[None]:
    """Remove the shares if what is done with them fails, but never those that the ring needs."""
    try:
        yield
    except BaseException as error:
        if not files.in_place():
            files.remove()
            raise
        kept = (
            f"The new shares are in {files.directory}; keep them, and what opened the key ring "
            "before, until you have opened it"
        )
        if isinstance(error, KeyringError):
            raise KeyringError(f"{error}. {kept}") from error
        log(kept)  # what ends it, such as a Ctrl-C, says nothing of the ring
        raise


def _in_a_name(holder: str) -> str:
    """Return a holder's name as a part of a file's that every file system takes."""
    letters = unicodedata.normalize("NFKD", holder).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^A-Za-z0-9]+", "-", letters).strip("-")
    return f"-{kept}" if kept else ""
