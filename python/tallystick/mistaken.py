# SPDX-License-Identifier: Apache-2.0
"""What a file is that was given in the place of another, for messages that say how to mend it."""

import os
from contextlib import suppress
from pathlib import Path

from tallystick.reading import read_small

_SUFFIXES = {
    ".toml": "a policy",
    ".keys": "a key ring",
    **dict.fromkeys((".csv", ".tsv", ".ndjson", ".json", ".parquet", ".orc"), "a data file"),
}
_BEGINNINGS = {
    b'{\n  "format": "tallystick-keyring"': "a key ring",
    b"PAR1": "a data file",
    b"TALLYSTICK SHARE": "a share",
}
_PLACES = {
    "a policy": "a policy goes to --policy",
    "a key ring": "a key ring goes to --keyring",
    "a data file": "data goes to SOURCE",
    "a share": "shares go to --root shares:FILE,FILE,...",
    "a folder": "give a file in it",
}


def hint(path: str | os.PathLike[str], wanted: str) -> str:
    """Return the end of a message about a file that is not what is wanted; "" if nobody knows.

    `path`: the file. Only its name and first bytes are looked at, and none of them is repeated.
    `wanted`: what it should be: "a policy", "a key ring", "a data file" or "a root key".
    """
    found = _looks_like(Path(path))
    if found is None or found == wanted:
        return ""
    return f"; it {'is' if found == 'a folder' else 'looks like'} {found}: {_PLACES[found]}"


def _looks_like(path: Path) -> str | None:
    if os.path.isdir(path):
        return "a folder"
    with suppress(OSError, ValueError):
        start = (
            read_small(path, 64) if path.is_file() else b""
        )  # what a pipe has can't be had twice
        for beginning, found in _BEGINNINGS.items():
            if start.startswith(beginning):
                return found
    return _SUFFIXES.get(path.suffix.lower())
