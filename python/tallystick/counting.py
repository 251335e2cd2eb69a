# SPDX-License-Identifier: Apache-2.0
"""Numbers of things in messages."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Write how many there are of something, such as ``1 row`` and ``1,000 rows``."""
    return f"{number:,} {what}{'s' * (number != 1)}"
