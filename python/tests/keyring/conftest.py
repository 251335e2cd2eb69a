# SPDX-License-Identifier: Apache-2.0
"""A root key in a file, and a ring of three keys under it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tallystick.keyring import FileRoot, Keyring, RootKey


@pytest.fixture
def root(tmp_path: Path) -> FileRoot:
    return RootKey.generate_file(tmp_path / "root.key")


@pytest.fixture
def ring(tmp_path: Path, root: FileRoot) -> Keyring:
    ring = Keyring.create(tmp_path / "a.ring", root)
    ring.add("people")
    ring.add("cards", 16)
    ring.add("people", 24)
    return ring
