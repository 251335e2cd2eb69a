# SPDX-License-Identifier: Apache-2.0
"""Archives with fixed order, times and modes: equal files give equal bytes."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import zipfile
from pathlib import Path


def rewrite_tar(old: Path, new: Path, moment: int) -> None:
    """Write a .tar.gz again, of files alone: folders come by themselves."""
    with tarfile.open(old) as source, new.open("wb") as raw:
        members = sorted(filter(tarfile.TarInfo.isfile, source), key=lambda member: member.name)
        # The name that gzip would note, and the time, are left out.
        with (
            gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as target,
        ):
            for member in members:
                entry = tarfile.TarInfo(member.name)
                entry.size, entry.mtime = member.size, moment
                entry.mode = 0o755 if member.mode & 0o100 else 0o644
                target.addfile(entry, source.extractfile(member) or io.BytesIO())


def rewrite_zip(old: Path, new: Path, moment: int) -> None:
    """Write a wheel again. What its RECORD says of contents stays true."""
    date = time.gmtime(max(moment, 315532800))[:6]  # a zip archive begins with 1980
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w") as target:
        # As the format of wheels wants it: the folder dist-info comes last.
        names = (name for name in source.namelist() if not name.endswith("/"))
        for name in sorted(names, key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # Unix
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name), compresslevel=9)
