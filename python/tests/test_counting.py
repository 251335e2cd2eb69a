# SPDX-License-Identifier: Apache-2.0
"""Numbers in messages: one thing is one."""

from __future__ import annotations

import pytest

from tallystick.counting import counted


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12345, "12,345 rows")]
)
def test_plurals(number: int, text: str) -> None:
    assert counted(number, "row") == text
