# SPDX-License-Identifier: Apache-2.0
"""Tokens, PINs and passphrases: from the environment or private files, never from arguments."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import RootKeyError
from . import storage

_LIMIT = 1 << 16  # bytes


def check_private(path: str | os.PathLike[str], status: os.stat_result, what: str) -> None:
    """Refuse a file that is not ours, or that others may use.

    `status`: of the very file that was read.
    `what`: what the file has, in messages.
    Raises `RootKeyError`: it belongs to another user, or others may use it.
    """
    if status.st_uid != os.geteuid():
        raise RootKeyError(
            f"{path}: the {what} file belongs to another user; "
            "run as its owner, or make it yours with chown"
        )
    if status.st_mode & 0o077:
        raise RootKeyError(
            f"{path}: others may use the {what} file (mode {status.st_mode & 0o7777:04o}); run "
            "chmod 600 on it, and think of who may have read it"
        )


def private_file(path: str | os.PathLike[str], what: str) -> str:
    """Read a secret from a file that is ours, and that nobody else may use.

    `what`: the secret's name in messages.
    Raises `RootKeyError`: it can't be read, or others may use it.
    """
    try:
        data, status = storage.read(Path(path), _LIMIT)
        text = data.decode("utf-8")
    except OSError as error:
        raise RootKeyError(
            f"{path}: can't read the {what} file: {error.strerror}; check the path"
        ) from error
    except UnicodeDecodeError:
        raise RootKeyError(f"{path}: the {what} file is not text; check the path") from None
    check_private(path, status, what)
    return text


def secret(names: Sequence[str], what: str) -> str | None:
    """Return the first secret that is set: in a variable, or in the file that ``NAME_FILE`` names.

    Newlines at the end are dropped. None: no such variable is set.
    Raises `RootKeyError`: it can't be read, or is not UTF-8.
    """
    for name in names:
        if text := os.environ.get(name):
            try:
                text.encode()
            except UnicodeEncodeError:  # not chained: it holds the secret
                raise RootKeyError(
                    f"environment variable {name}: the {what} is not UTF-8; set it again"
                ) from None
            return text.rstrip("\r\n")
        if path := os.environ.get(f"{name}_FILE"):
            return private_file(path, what).rstrip("\r\n")
    return None


def needed(names: Sequence[str], what: str) -> str:
    """Return the first secret that is set, as `secret` does.

    Raises `RootKeyError`: none is.
    """
    found = secret(names, what)
    if not found:
        raise RootKeyError(
            f"no {what}: set {' or '.join(names)} in the environment, or {names[0]}_FILE to the "
            "path of a file of mode 0600 that has it"
        )
    return found
