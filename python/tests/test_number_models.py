# SPDX-License-Identifier: Apache-2.0
"""The vectors of formats that make values coarser are those of plain models."""

from __future__ import annotations

from number_models import shift, token
from vectors import load


def test_the_vectors_are_those_of_the_models() -> None:
    cases = load("tokens_coarser")
    assert {case["format"]["type"] for case in cases} == {"date_shift", "bucket", "truncate"}
    for case in cases:
        for row in case["tokens"]:
            assert token(case, row) == row["token"], (case["format"], row)


def test_entities_move_by_every_number_of_days_but_none() -> None:
    found = {shift(bytes(16), "n", 5, str(entity).encode()) for entity in range(500)}
    assert found == {*range(-5, 0), *range(1, 6)}
