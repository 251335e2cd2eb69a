# SPDX-License-Identifier: Apache-2.0
"""A policy and the columns of a table: which rules apply, and what passes in clear."""

import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tallystick.counting import counted
from tallystick.errors import NotProtectedWarning, ParameterError, PolicyError
from tallystick.paths import has_steps, is_inside
from tallystick.policy.rules import ColumnRule, Policy

_SHOWN = 40
"""Names that a message lists, at most."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """Columns that pass in clear, in the order of the table."""

    unlisted: tuple[str, ...] = ()
    """Columns that the policy does not name, and the columns of `twice`."""
    kept: tuple[str, ...] = ()
    """Columns that the policy names in `keep` or as a tweak, and the columns inside them."""
    twice: tuple[str, ...] = ()
    """Names in `keep` that several columns have, so that the policy is ambiguous."""

    @property
    def all(self) -> tuple[str, ...]:
        """All columns in clear: first those that the policy does not name."""
        return self.unlisted + self.kept


def untouched_columns(
    policy: Policy, names: Iterable[str], protected: Collection[str] = ()
) -> Untouched:
    """Return the columns of a table that a policy leaves in clear.

    `names`: the columns of the table.
    `protected`: columns that another policy has protected already.
    """
    ruled = {rule.column for rule in policy.rules}.union(protected)
    named = {rule.tweak for rule in policy.rules if rule.tweak is not None}.union(policy.keep)
    passing = Counter(name for name in names if name not in ruled)
    # A column with others inside is not among the names itself, so what begins like one that is
    # there is not inside it: `user.email` beside `user`.
    outer = [name for name in policy.keep if name not in passing]
    listed = {name for name in passing if name in named or _is_within(name, outer)}
    kept = tuple(name for name, count in passing.items() if name in listed and count == 1)
    twice = tuple(name for name, count in passing.items() if name in listed and count > 1)
    return Untouched(tuple(name for name in passing if name not in kept), kept, twice)


def _is_within(name: object, kept: Iterable[str]) -> bool:
    if not isinstance(name, str) or not has_steps(name):
        return False
    return any(is_inside(name, outer) for outer in kept)


def check_listed(policy: Policy, columns: Untouched, source: object = None) -> None:
    """Refuse columns that a policy does not name if it says ``unlisted = "error"``.

    `source`: what the message begins with, such as the file.
    Raises `PolicyError`: there are such columns.
    """
    if policy.unlisted == "error" and columns.unlisted:
        where = "" if source is None else f"{source}: "
        if columns.twice:
            raise PolicyError(f"{where}{several(columns)}")
        raise PolicyError(
            f'{where}the policy says unlisted = "error" and does not name '
            f"{counted_names(columns.unlisted)}; protect each column, or add it to "
            "keep to let it pass in clear"
        )


def several(columns: Untouched) -> str:
    """Say that names are not unique, and how to mend it."""
    return (
        f"several columns are called {counted_names(columns.twice)}, so keep is "
        "ambiguous; give each column its own name"
    )


def counted_names(names: Sequence[str], what: str = "column") -> str:
    """Return names for a message, and how many there are: ``'a', 'b' (2 columns)``."""
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{shown}{more} ({counted(len(names), what)})"


Missing = Literal["error", "ignore"]
"""What to do if the data lacks columns of the policy."""


def rules_for(
    policy: Policy, names: Sequence[str], missing: Missing, *, decrypt: bool
) -> list[ColumnRule]:
    """Return the rules of a policy for data of columns of these names, to reveal those that can be.

    Raises `ParameterError`: `missing` is none of its values; or a column is there twice, or missing
    where that is not allowed, or a tweak's column is.
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

    Raises `PolicyError`: there are some, and the policy says ``unlisted = "error"``.
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

    Raises `ParameterError`: it has another value.
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
