# SPDX-License-Identifier: Apache-2.0
"""Where data comes from and where it goes: files, servers, standard input, standard output."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from tallystick.errors import FileError, ParameterError

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files; the suffix before stands for the kind of their content."""


@dataclass(frozen=True, slots=True)
class Standard:
    """A standard stream of the process; `STDIN` and `STDOUT` are the only ones."""

    name: str
    """The name in messages."""

    def __str__(self) -> str:
        """Return the name."""
        return self.name


STDIN = Standard("standard input")
"""Standard input as a source."""
STDOUT = Standard("standard output")
"""Standard output as a target."""


@dataclass(frozen=True, slots=True)
class Address:
    """Data on a server, such as `s3://bucket/key.csv`."""

    text: str
    """The address as it was given. It has no credentials, so messages may show it."""
    scheme: str
    """The part before ``://``, in lower case."""
    path: str
    """The part after ``://``, without `options`; for S3 the bucket and the key."""
    options: tuple[tuple[str, str], ...] = ()
    """The part after ``?``; only S3 has options, those of `S3_OPTIONS`."""

    def __str__(self) -> str:
        """Return the address as it was given."""
        return self.text

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def beside(self, suffix: str) -> "Address":
        """Return the same address with a suffix after the name."""
        _, mark, query = self.text.partition("?")
        text = f"{self.scheme}://{self.path}{suffix}{mark}{query}"
        return replace(self, text=text, path=self.path + suffix)


Place: TypeAlias = Path | Address | Standard
"""Where data comes from or goes to."""

Stored: TypeAlias = Path | Address
"""A place that can be read several times."""

Readable: TypeAlias = str | os.PathLike[str] | Address
"""Arguments that stand for a place that can be read several times."""

MARKER_SUFFIX = ".tallystick.json"
"""The marker's file has the name of the file beside it, and this suffix."""

S3_OPTIONS = ("endpoint_override", "region", "scheme")
"""Options that an S3 address may have after its ``?``."""


def stored_of(given: Readable) -> Stored:
    """Return the address or the path that a caller gave; a text may be either.

    Raises
    ------
    ParameterError
        The address names no object, or may have credentials. The message does not show them.
    """
    if isinstance(given, Address):
        return given
    text = given if isinstance(given, str) else ""
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.:-]*)://(.*)", text, re.DOTALL)
    if found is None:
        return Path(given)
    scheme, rest = found[1].lower(), found[2]
    shown = f"an address {scheme}://..."
    path, mark, query = rest.partition("?")
    if scheme in ("file", "local"):
        raise ParameterError(f"{shown}: a file is given by its path alone")
    if "@" in path.partition("/")[0]:
        raise ParameterError(
            f"{shown} must not have a user or a password, because others can see it; "
            "remove it, and set credentials in the environment "
            "(docs/how-to/use-cloud-storage.md)"
        )
    if "::" in text:
        raise ParameterError(f"{shown} must be a single address, not a chain with ::")
    options = tuple(_option(scheme, shown, part) for part in query.split("&") if part)
    if mark and not options:
        raise ParameterError(f"{shown} has no options after ?; remove the ?")
    bucket, _, key = path.partition("/")
    if not bucket or not key or key.endswith("/"):
        raise ParameterError(
            f"{shown} must name one object, for example s3://bucket/folder/name.csv"
        )
    return Address(text, scheme, path, options)


def _option(scheme: str, shown: str, part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    if scheme != "s3" or name not in S3_OPTIONS or "@" in value:
        known = f" takes only {', '.join(S3_OPTIONS)} behind ?" if scheme == "s3" else " takes no ?"
        raise ParameterError(
            f"{shown}{known}; credentials come from the environment "
            "(docs/how-to/use-cloud-storage.md); never "
            "write them in an address"
        )
    return name, value


Given: TypeAlias = Readable | Standard
"""Arguments that stand for a place."""


def place_of(given: Given) -> Place:
    """Return the place that a caller gave; errors are those of `stored_of`."""
    return given if isinstance(given, Standard) else stored_of(given)


def suffix_of(place: Place) -> str:
    """Return the suffix for the kind of data, in lower case, without a compression's suffix."""
    if isinstance(place, Standard):
        return ""
    suffixes = [suffix.lower() for suffix in Path(place.name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def compression_of(place: Place) -> str | None:
    """Return the suffix of `COMPRESSIONS` that a name ends in, or None."""
    if isinstance(place, Standard):
        return None
    suffix = Path(place.name).suffix.lower()
    return suffix if suffix in COMPRESSIONS else None


def refuse_pipe(source: Stored) -> None:
    """Refuse a pipe, because the beginning of a file is read several times.

    Raises `FileError`: the source is a pipe.
    """
    if isinstance(source, Path) and source.is_fifo():
        raise FileError(
            f"{source}: is a pipe, but the command reads it several times; save it to a file first"
        )


def check_apart(written: Sequence[tuple[str, Place]], others: Sequence[tuple[str, Place]]) -> None:
    """Refuse to write over another file of a run.

    Parameters
    ----------
    written : sequence of pairs
        What is written, in messages, and where.
    others : sequence of pairs
        Files that are needed, in the same way.

    Raises
    ------
    FileError
        One that is written is one of the others, or one that is written before it, or has the name
        of a marker.
    """
    taken: dict[str, str] = {}
    for what, path in others:
        if isinstance(path, Path):
            taken.setdefault(os.path.realpath(path), what)
    for what, path in written:
        if isinstance(path, Path):
            place = os.path.realpath(path)
            check_no_marker(place, path)
            if place in taken:
                raise FileError(
                    f"{path}: the {what} would replace the {taken[place]}; choose another name"
                )
            taken[place] = what


def check_no_marker(name: str, path: Path) -> None:
    """Refuse the name of a marker for anything else.

    Raises `FileError`: it is one.
    """
    if name.endswith(MARKER_SUFFIX):
        raise FileError(
            f"{path}: names that end in {MARKER_SUFFIX} are for markers; choose another name"
        )
