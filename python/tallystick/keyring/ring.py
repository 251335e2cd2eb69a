# SPDX-License-Identifier: Apache-2.0
"""The key ring: opened only if authentic, changed only under a lock and atomically.

The core opens it, and data keys are unwrapped on demand. The root key itself is let go after the
subkeys are derived; Python has some for changes.
"""

import contextlib
import difflib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import msgspec

from ..counting import counted
from ..errors import KeyringError, ParameterError
from ..memory import HoldsKeys
from ..mistaken import hint
from . import anchor as anchors
from . import document as text
from . import storage
from .document import Document, Entry, RootRecord, SharedRoot, WrappedRoot
from .names import (
    ALL_RIGHTS,
    KEY_SIZES,
    MAX_VERSION,
    RIGHTS,
    KeyId,
    KeyInfo,
    KeySize,
    Rights,
)
from .opened import Opened
from .root import RootKey
from .seal import Subkeys, wipe
from .wrapping import Root, as_source, establish


class Keyring(HoldsKeys):
    """Named, versioned data keys in a file. Made by `create` or `open`.

    A ring has the state of its file when it was opened, and after each `add` or `rotate`. To see
    keys that another process has added since, open the file again.
    """

    __slots__ = ("_anchor", "_opened", "_path", "_rights", "_subkeys")

    def __init__(
        self, path: Path, opened: Opened, subkeys: Subkeys, rights: Rights = ALL_RIGHTS
    ) -> None:
        self._path = path
        self._anchor: Path | None = None
        self._opened = opened
        self._subkeys = subkeys
        self._rights = rights

    @property
    def _document(self) -> Document:
        return self._opened.document

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], root: RootKey | Root, *beside: RootKey | Root
    ) -> "Keyring":
        """Create a new, empty ring at `path` (mode 0600), with a lock file beside it, which stays.

        Parameters
        ----------
        path : path
            The file.
        root : RootKey or Root
            The source of the root key, or the key that wraps it.
        *beside : RootKey or Root
            More of them, each of which opens the ring alone. At most one is a root key itself
            (``file:``, ``env:`` or ``prompt``); the others wrap it.

        Raises
        ------
        KeyringError
            The file exists, or can't be written. No ring remains then.
        RootKeyError
            The root key is not available.
        """
        where = _absolute(path)
        _refuse_existing(where)  # before a passphrase is asked for, and again under the lock
        ring = secrets.token_hex(16)
        key, records = establish((root, *beside), where, ring)
        subkeys = Subkeys.derive(key, ring)
        document = Document(
            format=text.FORMAT,
            version=text.VERSION,
            ring=ring,
            created=text.now(),
            revision=0,
            roots=records,
            check=subkeys.check,
            signers=(),
            keys=(),
        )
        with _changing(where) as place:
            _refuse_existing(where)
            opened = place.save(document, subkeys, lambda made: made.unlock(key, root))
        return cls(where, opened, subkeys)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        root: RootKey | Root,
        *,
        anchor: str | os.PathLike[str] | None = None,
    ) -> "Keyring":
        """Open a ring and verify all of it. Data keys are unwrapped later, on demand.

        Parameters
        ----------
        path : path
            The file.
        root : RootKey or Root
            The source of the root key, or the key that wraps it.
        anchor : path, optional
            The file of `make_anchor`. A ring that is older than it knows is refused. It is written
            when the ring is newer.

        Raises
        ------
        KeyringError
            The file is missing, malformed, damaged or edited; or the anchor refuses it.
        RootKeyError
            The root key is not available, or is not the ring's.
        """
        where = _absolute(path)
        opened = Opened(_read(where, where), where)
        source = as_source(root)
        record = source.choose(where, opened.document.roots)
        key = source.recover(where, record, opened.document.ring)
        try:
            opened.unlock(key, source)
            subkeys = Subkeys.derive(key, opened.document.ring)
        finally:
            wipe(key)
        rights = record.rights if isinstance(record, WrappedRoot) else ALL_RIGHTS
        made = cls(where, opened, subkeys, rights)
        if anchor is not None:
            made._anchor = _absolute(anchor)
            made._follow_anchor()
        return made

    def make_anchor(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file that remembers this state of the ring, as the oldest that `open` takes.

        Parameters
        ----------
        path : path
            The file. Keep it where whoever can replace the ring can't replace it.
        overwrite : bool
            Whether an anchor that exists is replaced: to accept an older copy on purpose.

        Raises
        ------
        KeyringError
            It exists, or is another file than an anchor, or can't be written.
        """
        anchors.make(path, self._state, overwrite=overwrite)

    @property
    def _state(self) -> anchors.State:
        return anchors.State(self.id, self.revision, self._document.mac)

    def _follow_anchor(self) -> None:
        if self._anchor is not None:
            anchors.follow(self._anchor, self._state, self._path, self._read_again)

    def _move_anchor(self) -> None:
        """Let the anchor know the ring that was just saved; say so if only that fails."""
        try:
            self._follow_anchor()
        except KeyringError as error:
            raise KeyringError(
                f"{self._path}: the new key ring is in place, but the anchor was not updated: "
                f"{error}. Do not repeat the change: the next command that opens the key ring "
                "updates the anchor"
            ) from error

    def _read_again(self) -> anchors.State:
        self._opened = self._current(self._path)
        return self._state

    @property
    def path(self) -> Path:
        """The absolute path of the file."""
        return self._path

    @property
    def id(self) -> str:
        """The ring's id: 32 hexadecimal digits that never change."""
        return self._document.ring

    @property
    def sharing(self) -> SharedRoot | None:
        """The holders of shares of the root key, and the threshold. None if it is not split."""
        shared = (root for root in self._document.roots if isinstance(root, SharedRoot))
        return next(shared, None)

    @property
    def roots(self) -> tuple[str, ...]:
        """The names of the keys that wrap the root key."""
        roots = self._document.roots
        return tuple(root.by for root in roots if isinstance(root, WrappedRoot))

    @property
    def revision(self) -> int:
        """How often the ring was written. It only grows. 0 for a file of format 1."""
        return self._document.revision

    @property
    def signers(self) -> tuple[str, ...]:
        """The public keys whose signature a policy must have; without any, it needs none."""
        return self._document.signers

    def keys(self) -> tuple[KeyInfo, ...]:
        """Return the public facts about the keys, in the order in which they were added."""
        return tuple(
            KeyInfo(entry.name, entry.version, entry.size, entry.created, entry.rights)
            for entry in self._document.keys
        )

    def key(self, reference: KeyId | str) -> bytes:
        """Unwrap a data key. It needs all rights, since whoever has the key can do everything.

        `Protector` takes keys with fewer rights, and obeys those.

        Parameters
        ----------
        reference : KeyId or str
            The name and version, such as ``"people:1"``.

        Returns
        -------
        bytes
            The key: 16, 24 or 32 bytes.

        Raises
        ------
        ParameterError
            The reference is not a name and a version.
        KeyringError
            The ring has no such key, or the key or the root has fewer rights.
        """
        wanted = KeyId.parse(reference) if isinstance(reference, str) else reference
        self.check_rights(wanted, ALL_RIGHTS, "hand out the key")
        return self._opened.key(wanted)

    def tokenizer_key(self, reference: KeyId) -> bytes:
        """Unwrap a data key for who obeys its rights: Tallystick's own tokenizers."""
        return self._opened.key(reference)

    def rights(self, reference: KeyId | str) -> Rights | None:
        """Return what a key may be used for by whoever opened the ring as we did; None: nothing.

        Those are the rights of the key that the root has too. They prevent mistakes and keep duties
        apart in programs that obey them; they do not stop anyone who has the root key.

        Parameters
        ----------
        reference : KeyId or str
            The name and version. For a key that the ring lacks, the root's rights are returned.
        """
        wanted = KeyId.parse(reference) if isinstance(reference, str) else reference
        key = next((one.rights for one in self.keys() if one.id == wanted), ALL_RIGHTS)
        both = " ".join(word for word in key.split() if word in self._rights.split())
        return next((one for one in RIGHTS if one == both), None)

    def check_rights(self, reference: KeyId, wanted: Rights, what: str) -> None:
        """Refuse an operation that a key has no right for.

        Raises
        ------
        KeyringError
            It has none.
        """
        found = self.rights(reference)
        if not set(wanted.split()) <= set((found or "").split()):
            raise KeyringError(
                f"{self._path}: key {reference} may {_only(found)} here; to {what}, open the ring "
                "with a root that may do more, or change the rights: `tallystick keyring rights`"
            )

    def set_rights(self, reference: KeyId | str, rights: Rights) -> None:
        """Change what a key may be used for, and save the ring.

        Parameters
        ----------
        reference : KeyId or str
            The name and version.
        rights : {"protect reveal", "protect", "reveal"}
            The rights from now on.

        Raises
        ------
        ParameterError, KeyringError
            As for `add`; also if the ring has no such key.
        """
        wanted = KeyId.parse(reference) if isinstance(reference, str) else reference
        if rights not in RIGHTS:
            raise ParameterError(f"rights are one of {', '.join(map(repr, RIGHTS))}")
        self._opened.key(wanted)  # which says so if there is none
        with self._changed() as (place, current):
            keys = tuple(
                msgspec.structs.replace(entry, rights=rights)
                if KeyId(entry.name, entry.version) == wanted
                else entry
                for entry in current.document.keys
            )
            self._save(place, msgspec.structs.replace(current.document, keys=keys))

    def set_signers(self, signers: Collection[str]) -> None:
        """Demand that one of these has signed each policy, and save the ring; none: demand nothing.

        Parameters
        ----------
        signers : collection of str
            At most 16 public keys of Ed25519, each of 64 lower-case hexadecimal digits.

        Raises
        ------
        ParameterError, KeyringError
            As for `add`; also if a key has another form.
        """
        for one in signers:
            if not re.fullmatch(r"[0-9a-f]{64}", one, re.ASCII):
                raise ParameterError(
                    "a signer is a public key of 64 lower-case hexadecimal digits; "
                    "`tallystick policy key` prints it"
                )
        if len(signers) > text.SIGNERS_MOST or len(set(signers)) < len(signers):
            raise ParameterError(f"a key ring has at most {text.SIGNERS_MOST} different signers")
        with self._changed() as (place, current):
            changed = msgspec.structs.replace(current.document, signers=tuple(signers))
            self._save(place, changed)

    def add(self, name: str, size: int = 32, *, key: bytes | None = None) -> KeyId:
        """Add a fresh random key as the next version of `name`, and save the ring.

        The file is read again under a lock, so keys that other processes add meanwhile are kept.

        Parameters
        ----------
        name : str
            The key's name; see `KeyId`.
        size : int
            The key's size in bytes: 16, 24 or 32.
        key : bytes, optional
            A key that another program has, of one of these sizes, in place of a fresh one. Whoever
            has the other program's copy has it too.

        Returns
        -------
        KeyId
            The new key's name and version.

        Raises
        ------
        ParameterError
            The name or the size is invalid, or the ring has the given key already.
        KeyringError
            The file was damaged or replaced meanwhile, or can't be written. The ring and its file
            are then unchanged, unless the message says that the new key ring is in place.
        """
        KeyId(name, 1)
        if (size if key is None else len(key)) not in KEY_SIZES:
            raise ParameterError("a data key has 16, 24 or 32 bytes")
        with self._changed() as (place, current):
            if key is not None:
                self._refuse_known(current, key)
            fresh = secrets.token_bytes(size) if key is None else key
            return self._grow(place, current.document, name, fresh)

    def _refuse_known(self, current: Opened, key: bytes) -> None:
        """Refuse a key that the ring has: a key under two names would seem to be two."""
        for entry in current.document.keys:
            known = KeyId(entry.name, entry.version)
            if hmac.compare_digest(current.key(known), key):
                raise ParameterError(f"{self._path}: the ring has this key already: {known}")

    def rotate(self, name: str, size: int | None = None) -> KeyId:
        """Add the next version of an existing key, and save the ring; see `add`.

        Older versions stay in the ring, and so do tokens under them.

        Parameters
        ----------
        name : str
            The name of a key that has a version, in the ring or by now in its file.
        size : int, optional
            The key's size in bytes: 16, 24 or 32. By default the size of the newest version.

        Returns
        -------
        KeyId
            The new key's name and version.

        Raises
        ------
        ParameterError, KeyringError
            As for `add`. A `KeyringError` also if no key has the name.
        """
        KeyId(name, 1)
        if size is not None and size not in KEY_SIZES:
            raise ParameterError("a data key has 16, 24 or 32 bytes")
        with self._changed() as (place, opened):
            current = opened.document
            newest = _newest(current, name)
            if newest is None:
                known = sorted({entry.name for entry in current.keys})
                close = difflib.get_close_matches(name, known, n=1)
                raise KeyringError(
                    f"{self._path}: no key is called {name!r}; "
                    + (f"did you mean {close[0]!r}? If not, " if close else "")
                    + "the first version of a key is made by `add`"
                )
            fresh = secrets.token_bytes(newest.size if size is None else size)
            return self._grow(place, current, name, fresh)

    def _grow(self, place: "_Place", current: Document, name: str, key: bytes) -> KeyId:
        """Put a key behind those of the file, which is locked, and save."""
        newest = _newest(current, name)
        version = 1 if newest is None else newest.version + 1
        if version > MAX_VERSION:
            raise KeyringError(f"{self._path}: {name} has no version left; use another name")
        key_id = KeyId(name, version)
        entry = Entry(
            name=name,
            version=version,
            created=text.now(),
            size=cast("KeySize", len(key)),
            wrapped=self._subkeys.wrap(key, key_id),
        )
        self._save(place, msgspec.structs.replace(current, keys=(*current.keys, entry)))
        return key_id

    @contextlib.contextmanager
    def _changed(self) -> Iterator[tuple["_Place", Opened]]:
        """Hold the lock for a change, and give the state of the file."""
        if self._rights != ALL_RIGHTS:
            raise KeyringError(
                f"{self._path}: the root that opened the key ring may {_only(self._rights)}; to "
                "change the ring, open it with a root that has all rights"
            )
        with _changing(self._path) as place:
            yield place, self._current(place.real)

    def _save(self, place: "_Place", document: Document) -> None:
        self._opened = place.save(
            document, self._subkeys, lambda made: made.unlock_like(self._opened)
        )
        self._move_anchor()

    def wrap(self, root: RootKey | Root, *beside: RootKey | Root) -> None:
        """Replace the root key by one that these lead to, and save. Other roots open it no more.

        Older copies of the file stay as they were, and open with the older roots.

        Parameters
        ----------
        root : RootKey or Root
            As for `create`.
        *beside : RootKey or Root
            As for `create`.

        Raises
        ------
        KeyringError, RootKeyError
            As for `add` and `open`. The ring is unchanged, unless the message says that the new key
            ring is in place: only the new roots open it then.
        """
        key, records = establish((root, *beside), self._path, self.id)
        self.rekey(key, records)
        self._rights = ALL_RIGHTS

    def rekey(self, root: bytes | bytearray, records: tuple[RootRecord, ...]) -> None:
        """Wrap all data keys under another root key, and save: the old one opens the file no more.

        Older copies of the file stay as they were. The caller makes sure beforehand that the new
        root key can be had again.

        Parameters
        ----------
        root : bytes-like
            32 bytes.
        records : tuple of RootRecord
            What the ring keeps of where they come from.

        Raises
        ------
        KeyringError
            As of `add`; also if the root key was replaced since the ring was opened.
        """
        subkeys = Subkeys.derive(root, self._document.ring)
        with self._changed() as (place, current):
            ids = [KeyId(entry.name, entry.version) for entry in current.document.keys]

            def check(made: Opened) -> None:
                made.unlock(root, "memory")
                for key_id in ids:  # the file that holds the other wrappings is about to go
                    if made.key(key_id) != current.key(key_id):
                        raise KeyringError(
                            f"{self._path}: key {key_id} could not be wrapped again; the file is "
                            "unchanged; check this computer's memory"
                        )

            keys = tuple(
                msgspec.structs.replace(entry, wrapped=subkeys.wrap(current.key(key_id), key_id))
                for entry, key_id in zip(current.document.keys, ids, strict=True)
            )
            changed = msgspec.structs.replace(
                current.document, roots=records, check=subkeys.check, keys=keys
            )
            self._opened = place.save(changed, subkeys, check)
            self._subkeys = subkeys
            self._move_anchor()

    def _current(self, real: Path) -> Opened:
        """Read the file again, and make sure that it only grew.

        An older copy put back would make `add` give a version out twice, with two keys.
        """
        found = Opened(_read(real, self._path), self._path)
        found.unlock_like(self._opened)
        ours, theirs = self._document, found.document
        if theirs.revision < ours.revision or not _begins(theirs.keys, ours.keys):
            raise KeyringError(
                f"{self._path}: an older copy has replaced it, and some keys are missing; restore "
                "the newest copy, or open the key ring again to continue with the older one"
            )
        return found

    def __repr__(self) -> str:
        """Return the path and the number of keys, and none of them."""
        return f"Keyring({str(self._path)!r}, {counted(len(self._document.keys), 'key')})"


def _begins(longer: tuple[Entry, ...], shorter: tuple[Entry, ...]) -> bool:
    """Return whether the same keys come first; their rights may have changed."""
    return [(one.name, one.version, one.wrapped) for one in longer[: len(shorter)]] == [
        (one.name, one.version, one.wrapped) for one in shorter
    ]


def _only(rights: Rights | None) -> str:
    return "neither protect nor reveal" if rights is None else f"only {rights}"


def _newest(document: Document, name: str) -> Entry | None:
    versions = (entry for entry in document.keys if entry.name == name)
    return max(versions, key=lambda entry: entry.version, default=None)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a locked ring's file really is: behind symbolic links, resolved once."""

    where: Path
    real: Path
    directory: int

    def save(self, document: Document, subkeys: Subkeys, check: Callable[[Opened], None]) -> Opened:
        """Authenticate a document, `check` what was made, and put it in the place of the file."""
        document = msgspec.structs.replace(document, revision=document.revision + 1)
        body = text.encode(document)[: -text.TAIL]
        data = text.encode(msgspec.structs.replace(document, mac=subkeys.mac(body)))
        if len(data) > text.MAX_FILE:
            raise KeyringError(f"{self.where}: the key ring is full; begin another one")
        made = Opened(data, self.where)
        check(made)
        storage.replace(self.real, data)
        try:
            storage.flush_directory(self.directory)
        except OSError as error:
            raise KeyringError(
                f"{self.where}: the new key ring is in place, but may not outlast a power cut: "
                f"{error.strerror}; check the disk, then open the ring again"
            ) from error
        return made


@contextlib.contextmanager
def _changing(where: Path) -> Iterator[_Place]:
    """Hold the lock for a change of the ring's file, and put failures of the system in words."""
    try:
        real = Path(os.path.realpath(where))
        _refuse_anothers(real, where)
        with storage.locked(real) as directory:
            yield _Place(where, real, directory)
    except OSError as error:
        raise KeyringError(
            f"{where}: can't write the key ring: {error.strerror or 'input/output error'}; "
            "an existing key ring is unchanged; check the directory and the disk"
        ) from error


def _absolute(path: str | os.PathLike[str]) -> Path:
    """Make a path independent of later changes of directory, links and all."""
    return Path.cwd() / path


def _refuse_existing(where: Path) -> None:
    if os.path.lexists(os.path.realpath(where)):
        raise KeyringError(
            f"{where}: exists already, and is not overwritten; open it, or choose another path"
        )


def _refuse_anothers(path: Path, where: Path) -> None:
    """Refuse to change another user's ring.

    Its new file, and the lock file, would be ours, and shut the owner out.
    """
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_uid != os.geteuid():
            raise KeyringError(f"{where}: the key ring belongs to another user; run as its owner")


def _read(path: Path, where: Path) -> bytes:
    """Read a ring's file; `where` is its name in messages."""
    try:
        data, _ = storage.read(path, text.MAX_FILE)
    except FileNotFoundError:
        raise KeyringError(
            f"{where}: no such key ring; check the path, or make one with `tallystick keyring new`"
        ) from None
    except OSError as error:
        instead = hint(where, "a key ring")
        raise KeyringError(
            f"{where}: can't read the key ring: {error.strerror}{instead}"
        ) from error
    return data
