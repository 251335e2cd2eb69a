# SPDX-License-Identifier: Apache-2.0
"""The policies that every language reads: ``vectors/policies.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick.errors import PolicyError
from tallystick.formats import PRESETS
from tallystick.policy import Policy

VECTORS = Path(__file__).parents[2] / "vectors" / "policies.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))


def check_refused(case: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.parse(case["toml"], "SOURCE")
    place = f"{case['place']}: " if case["place"] else ""
    message = case["message"].replace("{formats}", ", ".join(PRESETS))
    assert str(caught.value) == f"SOURCE: {place}{message}"


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_policies(case: dict[str, Any]) -> None:
    if case["result"] == "refused":
        check_refused(case)
        return
    policy = Policy.parse(case["toml"])
    rules = policy.rules
    assert [rule.column for rule in rules] == case["columns"]
    assert ["" if rule.key is None else str(rule.key) for rule in rules] == case["keys"]
    assert [rule.namespace for rule in rules] == case["namespaces"]
    assert ["-" if rule.tweak is None else f"={rule.tweak}" for rule in rules] == case["tweaks"]
    assert [rule.on_invalid for rule in rules] == case["on_invalid"]
    assert (policy.unlisted or "") == case["unlisted"]
    assert list(policy.keep) == case["keep"]
    assert list(policy.mixed_formats) == case["mixed_formats"]
    assert (policy.csv is None) == ("csv" not in case)
    if policy.csv is not None:
        csv = policy.csv
        flags = [str(csv.skip_initial_space).lower(), str(csv.header).lower()]
        assert [csv.delimiter or "", csv.quote or "", *flags, csv.encoding or ""] == case["csv"]
