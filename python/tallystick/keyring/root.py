# SPDX-License-Identifier: Apache-2.0
"""Where a ring's root key comes from: ``file:PATH``, ``env:NAME``, ``prompt`` or ``shares``.

A source either holds the 32 bytes themselves (the ring then records nothing of it, and any such
source may open it) or makes them from something else with a record in the ring (salt and costs,
which set of shares it is and who holds them, or the bytes that a wrapping key made of them, which
`wrapping` has).
"""

import logging
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ParameterError, RootKeyError, ShareError
from ..memory import HoldsKeys
from ..prompt import ask_hidden
from ..shares import printed
from ..shares.typed import Terminal, controlling_terminal
from . import passphrase, storage
from .document import PlainRoot, RootRecord, ScryptRoot, SharedRoot, WrappedRoot
from .gather import Gathering, list_problems, take_files, take_typed
from .hexadecimal import (
    ENVIRONMENT_NAME,
    ROOT_KEY,
    hexadecimal_file,
    hexadecimal_variable,
    is_key,
)
from .seal import ROOT_SIZE

Ask = Callable[[str], str]
Tell = Callable[[str], None]
TYPED = "-"
"""Among files of shares: the shares that are still missing are typed."""


def log(text: str) -> None:
    """Tell of something that is wrong, and does no harm, in the program's log."""
    logging.getLogger("tallystick.keyring").warning("%s", text)


def ask_terminal(prompt: str) -> str:
    """Ask at the terminal without echo; never from a pipe, where it could not be hidden."""
    try:
        return ask_hidden(prompt)
    except EOFError:
        raise RootKeyError(
            "there is no terminal to ask for the passphrase; "
            "run the command in a terminal, or use a ring whose root key is file:PATH or env:NAME"
        ) from None


class RootKey(ABC):
    """The source of a root key. It is read only when a ring is created or opened."""

    @staticmethod
    def parse(text: str, *, ask: Ask = ask_terminal, tell: Tell = log) -> "RootKey":
        """Read a source from its text.

        Parameters
        ----------
        text : str
            ``file:PATH``, ``env:NAME``, ``prompt``, ``shares`` (all typed), or ``shares:`` and,
            separated by commas, files or directories of shares, and ``-`` for typed shares. Or the
            name of a wrapping key, such as ``transit:MOUNT/KEY``; docs/reference/root-keys.md.
        ask : callable
            Returns a passphrase for a prompt. Used by ``prompt`` and ``age:passphrase``.
        tell : callable
            Called with a message about unusable shares in files, if there are enough others.

        Raises
        ------
        ParameterError
            The text has another form. The message does not repeat it, in case it is a key.
        """
        scheme, colon, rest = text.partition(":")
        if not ROOT_KEY.pasted(rest):
            written = is_key(rest) or _is_share(rest)
            if scheme == "file" and rest and "\0" not in rest and not written:
                return FileRoot(rest)
            if scheme == "env" and ENVIRONMENT_NAME.fullmatch(rest):
                return EnvironmentRoot(rest)
            if scheme == "prompt" and not colon:
                return PassphraseRoot(ask)
            if scheme == "shares":
                places = rest.split(",") if colon else [TYPED]
                if all(map(_may_be_path, places)):
                    files = tuple(place for place in places if place != TYPED)
                    return SharesRoot(files, typed=TYPED in places, tell=tell)
            from .wrapping import parse_root

            if wrapping := parse_root(text, ask):
                return wrapping
        there = ""
        if _may_be_path(text) and os.path.exists(text):
            prefix = "shares:" if os.path.isdir(text) else "file:"
            there = f"; there is a file of that name, so write {prefix} before it"
        raise ParameterError(
            "a root key's source is written file:PATH, env:NAME (the name of an environment "
            "variable), prompt, shares:FILE,FILE,..., shares:DIRECTORY or shares (typed), or names "
            f"a wrapping key: {_schemes()}; "
            f"never write the key itself, nor a share{there}"
        )

    @staticmethod
    def generate_file(path: str | os.PathLike[str]) -> "FileRoot":
        """Create a file with a fresh root key (mode 0600), and return it as a source.

        Raises
        ------
        RootKeyError
            The file exists, or can't be written. No file remains then.
        """
        try:
            storage.create(Path.cwd() / path, secrets.token_hex(ROOT_SIZE).encode() + b"\n")
        except FileExistsError:
            raise RootKeyError(
                f"{path}: exists already, and is not overwritten because key rings may need it; "
                "choose another path"
            ) from None
        except OSError as error:
            raise RootKeyError(f"{path}: can't make the root key file: {error.strerror}") from error
        return FileRoot(os.fspath(path))

    @abstractmethod
    def opens(self, record: RootRecord) -> bool:
        """Return whether this is a source of the kind that a ring records."""

    def choose(self, ring: Path, records: Sequence[RootRecord]) -> RootRecord:
        """Return the record of a ring that this source opens it with.

        Raises
        ------
        RootKeyError
            There is none.
        """
        for record in records:
            if self.opens(record):
                return record
        raise _other_kind(ring, records, self)

    @abstractmethod
    def establish(
        self, ring: Path, ring_id: str, key: bytes | None = None
    ) -> tuple[bytes, RootRecord]:
        """Return 32 bytes for a new ring, and the record that the ring needs to get them again.

        Parameters
        ----------
        ring : path
            The ring's path, for messages.
        ring_id : str
            The ring's id.
        key : bytes, optional
            The 32 bytes, if another source of the same ring has given them.
        """

    @abstractmethod
    def recover(self, ring: Path, record: RootRecord, ring_id: str) -> bytes | bytearray:
        """Return the 32 bytes for an existing ring.

        If they are in a bytearray, the caller wipes it.

        Parameters
        ----------
        ring : path
            The ring's path, for messages.
        record : RootRecord
            The ring's record of its root key.
        ring_id : str
            The ring's id.
        """

    @abstractmethod
    def __str__(self) -> str:
        """Return the text that `parse` reads."""


class _KeptRoot(RootKey):
    """A source that contains the 32 bytes themselves."""

    def opens(self, record: RootRecord) -> bool:
        return isinstance(record, PlainRoot)

    def establish(
        self, ring: Path, ring_id: str, key: bytes | None = None
    ) -> tuple[bytes, RootRecord]:
        return self._fetch(), PlainRoot()

    def recover(self, ring: Path, record: RootRecord, ring_id: str) -> bytes:
        return self._fetch()

    @abstractmethod
    def _fetch(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class FileRoot(_KeptRoot):
    """A root key in a file: 64 hexadecimal digits and at most one newline.

    The file must belong to the user, and must not be accessible by others (mode 0600 or 0400).
    """

    path: str

    def _fetch(self) -> bytes:
        try:
            return hexadecimal_file(self.path, ROOT_KEY)
        except FileNotFoundError:
            raise RootKeyError(
                f"{self.path}: no such root key file; "
                "check the path, or restore it from a backup: no new one can replace it"
            ) from None

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"file:{self.path}"


@dataclass(frozen=True, slots=True)
class EnvironmentRoot(_KeptRoot):
    """A root key in an environment variable: 64 hexadecimal digits and at most one newline."""

    name: str

    def _fetch(self) -> bytes:
        return hexadecimal_variable(self.name, ROOT_KEY)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"env:{self.name}"


@dataclass(frozen=True, slots=True)
class PassphraseRoot(HoldsKeys, RootKey):
    """A root key derived from a passphrase. It asks twice for a new ring, else once.

    Parameters
    ----------
    ask : callable
        Returns a passphrase for a prompt.
    n : int
        scrypt's cost for a new ring: a power of two from 2**14 to 2**18.
    """

    ask: Ask = field(default=ask_terminal, repr=False)
    n: int = passphrase.DEFAULT_N

    def __post_init__(self) -> None:
        """Refuse a cost that opening would refuse."""
        if self.n not in {1 << bits for bits in range(14, 19)}:
            raise ParameterError("scrypt's cost n is a power of two from 2**14 to 2**18")

    def opens(self, record: RootRecord) -> bool:
        """Return whether the record is of a passphrase."""
        return isinstance(record, ScryptRoot)

    def establish(
        self, ring: Path, ring_id: str, key: bytes | None = None
    ) -> tuple[bytes, RootRecord]:
        """Ask twice, and derive with a fresh salt."""
        given = self.ask(f"New passphrase for {ring}: ")
        if weak := passphrase.weakness(given):
            raise RootKeyError(f"{ring}: the passphrase {weak}")
        if self.ask("The same again: ") != given:
            raise RootKeyError(f"{ring}: the two passphrases differ; try again")
        record = passphrase.new_record(self.n)
        return passphrase.derive(given, record), record

    def recover(self, ring: Path, record: RootRecord, ring_id: str) -> bytes:
        """Ask once, and derive with the ring's salt and costs."""
        assert isinstance(record, ScryptRoot)  # noqa: S101 (`opens` said so)
        return passphrase.derive(self.ask(f"Passphrase for {ring}: "), record)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return "prompt"


@dataclass(frozen=True, slots=True)
class SharesRoot(RootKey):
    """A root key that is split: recovered from the shares of enough holders.

    Parameters
    ----------
    places : tuple of str
        Files of shares, printed or binary, and directories of such files. All are read. Bad shares
        do no harm if there are enough good ones.
    typed : bool
        Whether missing shares are typed at the terminal.
    tell : callable
        Called with a message about unusable shares in files, if there are enough others.
    """

    places: tuple[str, ...]
    typed: bool = False
    tell: Tell = field(default=log, repr=False)
    terminal: Callable[[], AbstractContextManager[Terminal]] = field(
        default=controlling_terminal, repr=False
    )

    def opens(self, record: RootRecord) -> bool:
        """Return whether the record is of shares."""
        return isinstance(record, SharedRoot)

    def establish(
        self, ring: Path, ring_id: str, key: bytes | None = None
    ) -> tuple[bytes, RootRecord]:
        """Refuse: there are no shares yet."""
        raise RootKeyError(
            f"{ring}: a new key ring has no shares; make it with file:PATH, env:NAME or prompt, "
            "and then split that root key with `tallystick keyring split`"
        )

    def recover(self, ring: Path, record: RootRecord, ring_id: str) -> bytearray:
        """Gather the shares, and recover the root key from them, in memory only."""
        assert isinstance(record, SharedRoot)  # noqa: S101 (`opens` said so)
        gathering = Gathering(record, ring_id)
        problems = take_files(gathering, self.places)
        try:
            if gathering.more and self.typed:
                self._say(problems)
                problems = []
                with self.terminal() as terminal:
                    take_typed(gathering, terminal)
            if not gathering.more:
                self._say(problems)
                return gathering.root()
        except ShareError as error:
            raise RootKeyError(f"{ring}: {error}") from None
        raise RootKeyError(f"{ring}: {gathering.missing()}{list_problems(problems)}")

    def _say(self, problems: Sequence[str]) -> None:
        for problem in problems:
            self.tell(problem)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        places = (*self.places, TYPED) if self.typed else self.places
        return "shares" if places == (TYPED,) else f"shares:{','.join(places)}"


def _other_kind(ring: Path, records: Sequence[RootRecord], source: RootKey) -> RootKeyError:
    """Return the error that a ring's root key does not come from such a source."""
    what, use = zip(*map(_described, records), strict=True)
    return RootKeyError(
        f"{ring}: the root key comes from {' or '.join(what)}, not from {source}; "
        f"use {' or '.join(use)}"
    )


def _described(record: RootRecord) -> tuple[str, str]:
    """Return where a root key comes from, and what opens it."""
    match record:
        case PlainRoot():
            return "a file or a variable", "file:PATH or env:NAME"
        case ScryptRoot():
            return "a passphrase", "prompt"
        case SharedRoot():
            return (
                f"{record.threshold} of {record.count} shares",
                "shares:FILE,FILE,..., shares:DIRECTORY or shares (typed)",
            )
        case WrappedRoot():
            return "a wrapping key", record.by


def _schemes() -> str:
    from .wrapping import SCHEMES

    return ", ".join(f"{scheme}:..." for scheme in SCHEMES)


def _may_be_path(text: str) -> bool:
    """Return whether this is no share that was pasted."""
    long = any(len(part) > 255 for part in text.split("/"))
    return bool(text) and "\0" not in text and not long and not _is_share(text)


def _is_share(text: str) -> bool:
    return printed.is_pasted(text) and not os.path.exists(text)
