# SPDX-License-Identifier: Apache-2.0
"""Notations of dates, such as ``DD.MM.YYYY``. The core reads and writes what they say."""

from __future__ import annotations

import re

from tallystick._core import lib
from tallystick.errors import FormatError

PARTS = re.compile("YYYY|MM|DD")
"""What stands for digits in a notation."""


def check_notation(notation: str) -> None:
    """Refuse what is no notation.

    Raises
    ------
    FormatError
        If YYYY, MM and DD are not there once each, or another character is not printable ASCII, or
        there are too many.
    """
    if sorted(PARTS.findall(notation)) != ["DD", "MM", "YYYY"]:
        raise FormatError(
            "date: the notation must have YYYY, MM and DD once each, as in 'YYYY-MM-DD' or "
            "'DD.MM.YYYY'"
        )
    if any(not " " <= character <= "~" for character in notation):
        raise FormatError("date: the notation must be printable ASCII")
    if len(notation) > lib.TALLY_DATES_MAX_WIDTH:
        raise FormatError(
            f"date: the notation must have at most {lib.TALLY_DATES_MAX_WIDTH} characters"
        )
