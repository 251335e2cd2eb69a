# SPDX-License-Identifier: Apache-2.0
"""The vectors that every language's tests read: the JSON files of vectors/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


def load(name: str) -> list[dict[str, Any]]:
    """Read ``vectors/<name>.json``; a file without a vector is a mistake."""
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    assert found, name
    return found
