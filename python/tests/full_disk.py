# SPDX-License-Identifier: Apache-2.0
"""A disk that is full from some file on."""

from __future__ import annotations

import errno
import os

import pytest


def fail_after(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many files be put on the disk, and refuse all others."""
    synced: list[int] = []
    fsync = os.fsync

    def refuse(handle: int) -> None:
        synced.append(handle)
        if len(synced) > files:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)
