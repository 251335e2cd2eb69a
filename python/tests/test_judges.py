# SPDX-License-Identifier: Apache-2.0
"""Libraries that validate values accept tokens as often as the reference says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from judges import NATIONAL, VERDICTS, Verdict

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats" / "index.md"

TOLERANCE = 1.5
"""Percentage points: newer releases of the libraries have other examples."""


@cache
def table() -> dict[tuple[str, str], float]:
    """Read the shares of the page."""
    section = _PAGE.read_text("utf-8").partition("## Do other libraries accept tokens?")[2]
    rows = re.findall(r"^\| (`.*) \| (.*) \| ([0-9.]+) % \|$", section, re.MULTILINE)
    return {(form, judge): float(share) for form, judge, share in rows}


def test_the_table_has_all_rows() -> None:
    written = [(verdict.written, verdict.judge) for verdict in VERDICTS]
    assert sorted(table()) == sorted([*written, ("`national_id`", "python-stdnum")])


@pytest.mark.slow
@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda one: f"{one.written}, {one.judge}")
def test_shares(verdict: Verdict) -> None:
    expected = table()[verdict.written, verdict.judge]
    assert verdict.share() == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("verdict", NATIONAL, ids=lambda one: one.judge)
def test_national_identifiers(verdict: Verdict) -> None:
    assert verdict.share(100) == table()["`national_id`", "python-stdnum"] == 100
