# SPDX-License-Identifier: Apache-2.0
"""Numbers of things, and texts of others, in messages."""


def counted(number: int, what: str) -> str:
    """Write how many there are of something, such as ``1 row`` and ``1,000 rows``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def plain(text: str) -> str:
    """Escape what is not printable: a value or a path must not speak to a terminal or a reader."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
