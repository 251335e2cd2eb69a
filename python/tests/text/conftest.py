# SPDX-License-Identifier: Apache-2.0
"""A key ring and policies for text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tallystick.keyring import Keyring, RootKey
from tallystick.text import TextPolicy, TextProtector
from text_support import POLICY, Make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root.key"
    made.write_text("6b" * 32)
    made.chmod(0o600)
    return made


@pytest.fixture
def ring(tmp_path: Path, root: Path) -> Keyring:
    made = Keyring.create(tmp_path / "text.keys", RootKey.parse(f"file:{root}"))
    made.add("people")
    made.add("cards")
    return made


@pytest.fixture
def make(ring: Keyring) -> Make:
    """Make a protector by the policy above."""

    def made(frame: str = "unicode", **options: object) -> TextProtector:
        policy = TextPolicy.parse(POLICY.replace("FRAME", frame))
        return TextProtector(policy, ring, **options)  # type: ignore[arg-type]

    return made
