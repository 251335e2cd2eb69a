# SPDX-License-Identifier: Apache-2.0
"""Where a ring's root key comes from: ``file:PATH``, ``env:NAME`` or ``prompt``.

A source either holds the 32 bytes themselves (the ring then records nothing of it, and any such
source may open it) or makes them from something else with a record in the ring (salt and costs).
A further source, such as shares of a split key, is one more subclass and one line in `parse`.
"""

from __future__ import annotations

import getpass
import os
import re
import secrets
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ParameterError, RootKeyError
from . import passphrase, storage
from .document import PlainRoot, RootRecord, ScryptRoot
from .seal import ROOT_SIZE

Ask = Callable[[str], str]

_KEY_TEXT = re.compile(r"[0-9a-fA-F]{64}")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ask_terminal(prompt: str) -> str:
    """Ask at the terminal without echo; never from a pipe, where it could not be hidden."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except (getpass.GetPassWarning, EOFError):
            raise RootKeyError(
                "no terminal to ask for the passphrase at; "
                "run it in a terminal, or use a ring whose root key is file:PATH or env:NAME"
            ) from None


class RootKey(ABC):
    """A source of a root key. It reads nothing until a ring is created or opened."""

    @staticmethod
    def parse(text: str, *, ask: Ask = ask_terminal) -> RootKey:
        """Read a source from its text.

        Parameters
        ----------
        text : str
            ``file:PATH``, ``env:NAME`` or ``prompt``.
        ask : callable
            Given a prompt, returns a passphrase; used by ``prompt`` only.

        Raises
        ------
        ParameterError
            If it is none of these. The text is not repeated, in case a key was pasted.
        """
        scheme, colon, rest = text.partition(":")
        if not _KEY_TEXT.fullmatch(rest):
            if scheme == "file" and rest and "\0" not in rest:
                return FileRoot(rest)
            if scheme == "env" and _ENVIRONMENT_NAME.fullmatch(rest):
                return EnvironmentRoot(rest)
            if scheme == "prompt" and not colon:
                return PassphraseRoot(ask)
        raise ParameterError(
            "a root key's source is written file:PATH, env:NAME (the name of an environment "
            "variable) or prompt; never write the key itself"
        )

    @staticmethod
    def generate_file(path: str | os.PathLike[str]) -> FileRoot:
        """Make a file with a fresh root key, mode 0600, and return it as a source.

        Raises
        ------
        RootKeyError
            If it exists already, or can't be written; no file is left then.
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
    def establish(self, ring: Path) -> tuple[bytes, RootRecord]:
        """Return 32 bytes for a new ring, and what the ring must record to get them again."""

    @abstractmethod
    def recover(self, ring: Path, record: RootRecord) -> bytes:
        """Return the 32 bytes for the ring whose record this is; `ring` is its path."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the text that `parse` reads."""


class _KeptRoot(RootKey):
    """A source that holds the 32 bytes themselves."""

    def establish(self, ring: Path) -> tuple[bytes, RootRecord]:
        return self._fetch(), PlainRoot()

    def recover(self, ring: Path, record: RootRecord) -> bytes:
        if not isinstance(record, PlainRoot):
            raise RootKeyError(
                f"{ring}: the root key comes from a passphrase, not from {self}; use prompt"
            )
        return self._fetch()

    @abstractmethod
    def _fetch(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class FileRoot(_KeptRoot):
    """A root key in a file: 64 hexadecimal digits and at most one newline.

    The file must be ours, and give nobody else any right (mode 0600, or 0400).
    """

    path: str

    def _fetch(self) -> bytes:
        try:
            data, status = storage.read(Path(self.path), limit=4096)
        except FileNotFoundError:
            raise RootKeyError(
                f"{self.path}: no such root key file; "
                "check the path, or restore it from a backup: no new one can replace it"
            ) from None
        except OSError as error:
            raise RootKeyError(
                f"{self.path}: can't read the root key file: {error.strerror}"
            ) from error
        if status.st_uid != os.geteuid():
            raise RootKeyError(
                f"{self.path}: the root key file belongs to another user; "
                "run as its owner, or make it yours with chown"
            )
        if status.st_mode & 0o077:
            raise RootKeyError(
                f"{self.path}: others may use the root key file (mode "
                f"{status.st_mode & 0o7777:04o}); run chmod 600 on it, and think of who may "
                "have read it"
            )
        return _key(data.decode("latin-1"), self.path)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"file:{self.path}"


@dataclass(frozen=True, slots=True)
class EnvironmentRoot(_KeptRoot):
    """A root key in an environment variable: 64 hexadecimal digits and at most one newline."""

    name: str

    def _fetch(self) -> bytes:
        text = os.environ.get(self.name)
        if text is None:
            raise RootKeyError(
                f"environment variable {self.name}: not set; export it with the root key in it"
            )
        return _key(text, f"environment variable {self.name}")

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"env:{self.name}"


@dataclass(frozen=True, slots=True)
class PassphraseRoot(RootKey):
    """A root key derived from a passphrase, which is asked twice for a new ring, then once.

    Parameters
    ----------
    ask : callable
        Given a prompt, returns a passphrase.
    n : int
        scrypt's cost for a new ring: a power of two from 2**14 to 2**18.
    """

    ask: Ask = field(default=ask_terminal, repr=False)
    n: int = passphrase.DEFAULT_N

    def __post_init__(self) -> None:
        """Refuse a cost that opening would refuse."""
        if self.n not in {1 << bits for bits in range(14, 19)}:
            raise ParameterError("scrypt's cost n is a power of two from 2**14 to 2**18")

    def establish(self, ring: Path) -> tuple[bytes, RootRecord]:
        """Ask twice, and derive with a fresh salt."""
        given = self.ask(f"New passphrase for {ring}: ")
        if len(given) < passphrase.MIN_LENGTH:
            raise RootKeyError(
                f"{ring}: the passphrase is shorter than {passphrase.MIN_LENGTH} characters; "
                "use several words"
            )
        if self.ask("The same again: ") != given:
            raise RootKeyError(f"{ring}: the two passphrases differ; try again")
        record = passphrase.new_record(self.n)
        return passphrase.derive(given, record), record

    def recover(self, ring: Path, record: RootRecord) -> bytes:
        """Ask once, and derive with the ring's salt and costs."""
        if not isinstance(record, ScryptRoot):
            raise RootKeyError(
                f"{ring}: the root key is a kept key, not a passphrase; use file:PATH or env:NAME"
            )
        return passphrase.derive(self.ask(f"Passphrase for {ring}: "), record)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return "prompt"


def _key(text: str, where: str) -> bytes:
    digits = text.removesuffix("\n")
    if not _KEY_TEXT.fullmatch(digits):
        raise RootKeyError(
            f"{where}: not a root key, which is 64 hexadecimal digits and at most one newline"
        )
    return bytes.fromhex(digits)
