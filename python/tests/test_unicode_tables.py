# SPDX-License-Identifier: Apache-2.0
"""The core's tables of Unicode, and their vectors, are what their generator makes."""

from __future__ import annotations

import unicodedata

import pytest
from tools import unicode_tables


@pytest.mark.slow
@pytest.mark.skipif(
    unicodedata.unidata_version != unicode_tables.VERSION, reason="another version of Unicode"
)
@pytest.mark.parametrize("part", ["tables", "vectors"])
def test_generated(part: str) -> None:
    """If it fails, run ``python tools/unicode_tables.py``."""
    path, made = {
        "tables": (unicode_tables.TABLES, unicode_tables.tables),
        "vectors": (unicode_tables.VECTORS, unicode_tables.vectors),
    }[part]
    assert path.read_text("utf-8") == made()
