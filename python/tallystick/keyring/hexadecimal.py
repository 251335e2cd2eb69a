# SPDX-License-Identifier: Apache-2.0
"""Keys as hexadecimal digits, in a file of their user's own or in an environment variable."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import ParameterError, RootKeyError
from ..mistaken import hint
from . import storage
from .credentials import check_private

ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SOURCE = "a key's source is written file:PATH or env:NAME (the name of an environment variable)"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a key is called in messages, and its digits."""

    name: str
    pattern: re.Pattern[str]
    digits: str

    def pasted(self, text: str) -> bool:
        """Return whether a text is a key, or more digits than one, and no name of a file."""
        digits = "".join(text.split()).lower().removeprefix("0x")
        return bool(self.pattern.fullmatch(digits) or re.fullmatch("[0-9a-f]{64,}", digits))

    def read(self, text: str, where: str, path: str | None = None) -> bytes:
        """Return the bytes of a text with at most one newline; `path`: of the file that has it."""
        digits = text.removesuffix("\n")
        if not self.pattern.fullmatch(digits):
            article = "an" if self.name[0].lower() in "aeiou" else "a"
            instead = "" if path is None else hint(path, f"a {self.name}")
            raise RootKeyError(
                f"{where}: not {article} {self.name}, which is {self.digits} hexadecimal digits "
                f"and at most one newline{instead}"
            )
        return bytes.fromhex(digits)


ROOT_KEY = Kind("root key", re.compile(r"[0-9a-fA-F]{64}"), "64")
DATA_KEY = Kind("AES key", re.compile(r"(?:[0-9a-fA-F]{16}){2,4}"), "32, 48 or 64")


def is_key(text: str) -> bool:
    """Return whether a text is a root key, or has an identity of age, whole or not."""
    return ROOT_KEY.pasted(text) or "age-secret-key-1" in text.lower()


def hexadecimal_file(path: str, kind: Kind) -> bytes:
    """Read a key from a file that belongs to the user, and that nobody else may access.

    Raises `FileNotFoundError`: there is no such file. `RootKeyError`: it can't be read, is no key,
    or others may use it.
    """
    try:
        data, status = storage.read(Path(path), limit=4096)
    except FileNotFoundError:
        raise
    except OSError as error:
        instead = hint(path, f"a {kind.name}")
        raise RootKeyError(
            f"{path}: can't read the {kind.name} file: {error.strerror}{instead}"
        ) from error
    key = kind.read(data.decode("latin-1"), path, path)
    check_private(path, status, kind.name)
    return key


def hexadecimal_variable(name: str, kind: Kind) -> bytes:
    """Read a key from an environment variable.

    Raises `RootKeyError`: it is not set, or no key.
    """
    text = os.environ.get(name)
    if text is None:
        raise RootKeyError(
            f"environment variable {name}: not set; export it with the {kind.name} in it"
        )
    return kind.read(text, f"environment variable {name}")


def data_key(source: str) -> bytes:
    """Read a data key that another program has: 16, 24 or 32 bytes; see `hexadecimal_source`."""
    return hexadecimal_source(source, DATA_KEY)


def hexadecimal_source(source: str, kind: Kind) -> bytes:
    """Read a key from where a text says.

    `source`: ``file:PATH`` or ``env:NAME``.
    Raises `ParameterError`: the text has another form. The message does not repeat it, in case it
    is a key. `RootKeyError`: the source can't be read, or has no key.
    """
    scheme, _, rest = source.partition(":")
    if not kind.pasted(rest):
        if scheme == "file" and rest and "\0" not in rest:
            try:
                return hexadecimal_file(rest, kind)
            except FileNotFoundError:
                raise RootKeyError(f"{rest}: no such key file; check the path") from None
        if scheme == "env" and ENVIRONMENT_NAME.fullmatch(rest):
            return hexadecimal_variable(rest, kind)
    raise ParameterError(f"{_SOURCE}; never write the key itself")
