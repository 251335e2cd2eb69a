# SPDX-License-Identifier: Apache-2.0
"""The corpora in the repository: one compressed archive for each fuzz target.

`tests/fuzz/corpus/NAME.tar.xz` has the inputs, a file each. Names are sorted, and times, owners and
modes are fixed. So the same inputs give the same archive, and a change of an archive is a change of
inputs.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "corpus"
MOST_INPUTS = 30
MOST_BYTES = 2048
"""`merge` fills a corpus to so many inputs, of at most so many bytes; `add` has no limit."""


class CorpusError(ValueError):
    """An input cannot be added; the message says why."""


def archive(name: str) -> Path:
    """Return the path of a target's archive."""
    return FOLDER / f"{name}.tar.xz"


def read(name: str) -> dict[str, bytes]:
    """Return a target's inputs by name; none if it has no archive."""
    path = archive(name)
    if not path.exists():
        return {}
    inputs = {}
    with tarfile.open(path, "r:xz") as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is None or "/" in member.name:
                raise CorpusError(f"{path.name} holds {member.name}, which is not a plain file")
            inputs[member.name] = file.read()
    return inputs


def packed(inputs: Mapping[str, bytes]) -> bytes:
    """Return the archive of some inputs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz", format=tarfile.USTAR_FORMAT, preset=9) as opened:
        for name, data in sorted(inputs.items()):
            member = tarfile.TarInfo(name)  # its time and owner are zero
            member.size, member.mode = len(data), 0o644
            opened.addfile(member, io.BytesIO(data))
    return out.getvalue()


def write(name: str, inputs: Mapping[str, bytes]) -> None:
    """Replace a target's archive."""
    path = archive(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_bytes(packed(inputs))
    new.replace(path)


def unpack(name: str, folder: Path) -> Path:
    """Write a target's inputs into a folder, which is emptied before, and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, data in read(name).items():
        (folder / file).write_bytes(data)
    return folder


def add(name: str, new: Mapping[str, bytes]) -> int:
    """Add inputs to a target's archive, and return how many it did not have.

    Raises
    ------
    CorpusError
        Another input has the name. Nothing is written.
    """
    inputs = read(name)
    held = set(inputs.values())
    count = len(inputs)
    for file, data in new.items():
        if data in held:
            continue
        if file in inputs:
            raise CorpusError(f"{name} has another input with the name {file}; rename the file")
        inputs[file] = data
        held.add(data)
    if len(inputs) > count:
        write(name, inputs)
    return len(inputs) - count
