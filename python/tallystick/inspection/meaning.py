# SPDX-License-Identifier: Apache-2.0
"""Sentences about the meaning of a column's figures for its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallystick.counting import counted
from tallystick.formats.format import LARGEST_DOMAIN, SMALL_DOMAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallystick.formats.format import Reason
    from tallystick.inspection.check import ColumnCheck
    from tallystick.inspection.distinct import Number
    from tallystick.inspection.finding import Finding
    from tallystick.inspection.inspect import InspectedFile

FEW = 0.1
"""With fewer different values for each row, a message warns about frequencies."""

_ENOUGH_ROWS = 100


def meaning_of(check: ColumnCheck) -> list[str]:
    """Return sentences about a column's figures; no sentence has a value."""
    if check.problem is not None:
        return []
    return [*_domain(check), *_frequencies(check), *_fate(check), *_way(check)]


def size_text(size: int) -> str:
    """Return a number of values as short text."""
    if size < SMALL_DOMAIN:
        return f"{size:,}"
    if size == LARGEST_DOMAIN:
        return "over 10^19"
    digits = len(str(size)) - 1
    if size == 10**digits:
        return f"10^{digits}"
    tenths = round(size / 10 ** (digits - 1))
    return f"{tenths / 10:.1f} x 10^{digits}" if tenths < 100 else f"10^{digits + 1}"


def number_text(number: Number) -> str:
    """Return a number of different values as text."""
    return f"{number.count:,}" if number.exact else f"about {number.count:,}"


def sample_text(found: InspectedFile) -> str:
    """Return the rows of a sample as text."""
    rows = counted(found.rows, "row")
    if found.rows == found.seen == 1:
        return "the only row"
    if found.whole:
        return f"all {rows}" if found.rows == found.seen else f"{rows} of {found.seen:,}"
    return f"{rows} from all parts"


def invalid_text(found: Finding, reason: Reason, count: int, first: Sequence[int]) -> str:
    """Return how many values of the sample are invalid for a reason, and the first rows."""
    text = f"{count:,} of {counted(found.filled, 'value')} of the sample"
    numbers = ", ".join(f"{row + 1:,}" for row in first)
    more = ", ..." * (count > len(first))
    rows = f"; row{'s' * (count != 1)} {numbers}{more}" if first else ""
    return f"{text} {'is' if count == 1 else 'are'} invalid: {reason}{rows}"


def _domain(check: ColumnCheck) -> list[str]:
    size = check.smallest
    if size is None or size >= SMALL_DOMAIN:
        return []
    fitting = check.rows - check.nulls - check.invalid
    rows = f"{counted(check.small, 'row')} {'has' if check.small == 1 else 'have'}"
    rows = rows if check.small < fitting else "all valid rows have"
    return [
        (
            f"{rows} a small domain (fewer than {SMALL_DOMAIN:,} values; smallest "
            f"{size_text(size)}): anyone who can protect values can list all its tokens"
        )
    ]


def _frequencies(check: ColumnCheck) -> list[str]:
    filled = check.rows - check.nulls
    few = filled >= _ENOUGH_ROWS and check.distinct.count <= filled * FEW
    if not few or check.rule.tweak is not None or not check.rule.form.keyed:
        return []
    different = f"distinct value{'s' * (check.distinct.count != 1)}"
    return [
        (
            f"{number_text(check.distinct)} {different} in {filled:,} rows: "
            "equal values have equal tokens, so frequencies show, and anyone who knows the "
            "frequencies of values can match some; a tweak column hides frequencies, and prevents "
            "joins"
        )
    ]


def _fate(check: ColumnCheck) -> list[str]:
    if not check.invalid:
        return []
    what = {
        "error": (
            "a run fails at the first invalid value; correct the values, change the "
            "format's options, or set on_invalid = 'null' or 'keep'"
        ),
        "null": (
            f"on_invalid = 'null': {counted(check.invalid, 'invalid value')} will be "
            "erased and can't be revealed"
        ),
        "keep": (
            f"on_invalid = 'keep': {counted(check.invalid, 'invalid value')} will stay in clear"
        ),
    }
    return [what[check.rule.on_invalid]]


def _way(check: ColumnCheck) -> list[str]:
    if check.rows and check.nulls == check.rows:
        return ["all rows are null: there is nothing to protect, and nothing was checked"]
    return ["one-way: the values can't be revealed"] if check.rule.form.one_way else []
