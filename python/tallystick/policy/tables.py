# SPDX-License-Identifier: Apache-2.0
"""A policy and the columns of a table in memory: which rules apply, and what passes in clear."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Sequence
from typing import Literal

from tallystick.errors import NotProtectedWarning, ParameterError
from tallystick.policy.rules import ColumnRule, Policy
from tallystick.policy.untouched import check_listed, counted_names, untouched_columns

Missing = Literal["error", "ignore"]
"""What to do if the data lacks columns of the policy."""


def rules_for(
    policy: Policy, names: Sequence[str], missing: Missing, *, decrypt: bool
) -> list[ColumnRule]:
    """Return the rules of a policy for data of columns of these names, to reveal those that can be.

    Raises
    ------
    ParameterError
        `missing` is none of its values; or a column is there twice, or missing where that is not
        allowed, or a tweak's column is.
    """
    check_missing(missing)
    found = []
    for rule in policy.to_reveal() if decrypt else policy.rules:
        if rule.column not in names and missing == "ignore":
            continue
        for name in rule.names:
            if names.count(name) != 1:
                raise _misplaced(name, rule, names)
        found.append(rule)
    return found


def check_columns(
    policy: Policy, names: Sequence[str], protected: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the columns that would pass in clear without a word of the policy.

    Raises
    ------
    PolicyError
        There are some, and the policy says ``unlisted = "error"``.
    """
    columns = untouched_columns(policy, names, protected)
    check_listed(policy, columns)
    return () if policy.unlisted == "keep" else columns.unlisted


def warn_unlisted(columns: Sequence[str]) -> None:
    """Warn of columns that pass in clear, in the name of the first caller outside this package."""
    warnings.warn(
        f"not protected, in clear: {counted_names(columns)}; protect them, add them to "
        'keep in the policy, or set unlisted = "keep" there',
        NotProtectedWarning,
        stacklevel=_outside(),
    )


def _outside() -> int:
    """Return the level of the first frame that is not of this package, as `warnings` counts."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tallystick"):
        frame, level = frame.f_back, level + 1
    return level


def check_missing(missing: Missing) -> None:
    """Refuse what `missing` can't be.

    Raises
    ------
    ParameterError
        It has another value.
    """
    if missing not in ("error", "ignore"):
        raise ParameterError("missing must be 'error' or 'ignore'")


def _misplaced(name: str, rule: ColumnRule, names: Sequence[str]) -> ParameterError:
    role = "" if name == rule.column else f", the tweak of {rule.column!r}"
    if name in names:
        return ParameterError(f"{names.count(name)} columns are named {name!r}{role}; rename them")
    known = ", ".join(map(repr, names)) or "none"
    ignoring = "" if role else ", unless missing='ignore'"
    return ParameterError(
        f"the data has no column {name!r}{role}{ignoring}; its columns are: {known}"
    )
