# SPDX-License-Identifier: Apache-2.0
"""One format for all columns of a namespace, so that their tokens join; else a namespace each."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tallystick.inspection.choice import Choice
from tallystick.inspection.column import Column
from tallystick.inspection.finding import Finding, found_of
from tallystick.inspection.rules import choices
from tallystick.inspection.score import LIKELY, weigh

_UNLIKE = {"money", "age", "category", "secret", "free text"}
"""Kinds whose columns are not joined by value: each gets the format that suits it best."""
_LESS = 0.005
"""The share of values that may fit less, for a format that columns have in common."""


@dataclass
class Looked:
    """A finding, with the column that it is of and the numbers of its rows, if it has one."""

    found: Finding
    column: Column | None = None
    rows: npt.NDArray[np.int64] | None = None

    @property
    def identity(self) -> str:
        """What its tokens depend on, as text."""
        return "" if self.found.form is None else json.dumps(self.found.form.identity)


def with_namespaces(looked: Sequence[Looked]) -> list[Finding]:
    """Return the findings with a namespace each; columns of one namespace have one format.

    Columns of one kind get the format that fits all of them. Where none does, those of another
    format have a namespace of their own: one key and namespace with two formats is no policy.
    """
    groups: dict[str, list[Looked]] = defaultdict(list)
    for one in looked:
        choice = one.found.choice
        if one.found.sensitive and choice is not None:
            groups[_namespace(choice)].append(one)
    for namespace, group in groups.items():
        if namespace not in _UNLIKE and len({one.identity for one in group}) > 1:
            _unite(group)
        by_identity: dict[str, list[Looked]] = defaultdict(list)
        for one in group:
            by_identity[one.identity].append(one)
        parts = sorted(by_identity.values(), key=len, reverse=True)
        for number, part in enumerate(parts):
            name = namespace if number == 0 else f"{namespace} {part[0].found.column}"
            for one in part:
                one.found = replace(one.found, namespace=name)
    return [one.found for one in looked]


def _namespace(choice: Choice) -> str:
    """Return what a draft calls the values of a kind; kinds of several formats differ."""
    if choice.type == "national_id":
        return f"national id {choice.options['kind']}"
    return choice.type if choice.kind == "ip" else choice.kind


def _unite(group: list[Looked]) -> None:
    """Give as many columns of a group as possible one format."""
    left = group
    while len(left) > 1:
        candidates: dict[tuple[str, str], Choice] = {}
        for one in left:
            own = one.found.choice
            for choice in (*([own] if own else []), *_choices(one)):
                if own is not None and choice.kind == own.kind:
                    candidates.setdefault((choice.type, repr(choice.options)), choice)
        best: list[tuple[Looked, Finding]] = []
        score = 0.0
        for choice in candidates.values():
            adopted = [(one, new) for one in left if (new := _adopted(one, choice))]
            total = sum(new.score for _, new in adopted)
            if (len(adopted), total) > (len(best), score):
                best, score = adopted, total
        if len(best) < 2:
            return
        for one, new in best:
            one.found = new
        done = {id(one) for one, _ in best}
        left = [one for one in left if id(one) not in done]


def _choices(one: Looked) -> list[Choice]:
    if one.column is None or one.found.by_name:
        return []
    return [choice for choice in choices(one.column) if choice.type != "mask"]


def _adopted(one: Looked, choice: Choice) -> Finding | None:
    """Return a finding with another choice; None: the column's values do not have that format."""
    found, column, rows = one.found, one.column, one.rows
    if column is None or rows is None or found.choice is None:
        return None
    if (choice.type, choice.options) == (found.choice.type, found.choice.options):
        return found
    if found.by_name:
        form = choice.form()
        if not all(map(form.accepts, column.kinds)):
            return None
        changed = replace(found.choice, type=choice.type, options=choice.options)
        return replace(found, choice=changed, form=form)
    if column.is_integer and not all(map(choice.form().accepts, column.kinds)):
        return None
    weighed = weigh(column, choice)
    if weighed is None or weighed.score < LIKELY or weighed.fit < found.fit - _LESS:
        return None
    return found_of(found, column, weighed, rows)
