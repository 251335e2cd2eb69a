# SPDX-License-Identifier: Apache-2.0
"""Phone numbers that stay in their country, and social security numbers that can be assigned."""

from __future__ import annotations

import re
from functools import cache
from math import prod
from pathlib import Path
from typing import NamedTuple

from models.common import InvalidError, Model, Reason, Tokens
from models.layouts import Layout, LayoutsModel, parse

_TABLES = Path(__file__).resolve().parents[3] / "core" / "formats" / "phone_plans.c"

_EXTENSION = re.compile(r";?(ext|x|#)[.:= ]*[0-9]{1,7}\Z", re.IGNORECASE | re.ASCII)
_SEPARATORS = " -()./"
_IN_PLAN = 10
_MOST = 18
"""Digits before an extension."""


class SsnModel(LayoutsModel):
    """US social security numbers: those that can be assigned, or the others."""

    def __init__(self, *, assignable: bool) -> None:
        self.assignable = assignable
        self.identity = ["ssn", assignable]
        patterns = ("999(-)99(-)9999", "999 99 9999")
        self.layouts = [Layout(parts, b"") for one in patterns for parts in parse(one)]

    def excludes(self, layout: Layout, numbers: list[int]) -> bool:
        """Say which numbers are not of the set."""
        area, group, serial = (
            int("".join(map(str, part))) for part in (numbers[:3], numbers[3:5], numbers[5:])
        )
        right = 0 < area < 900 and area != 666 and group > 0 and serial > 0
        return right is not self.assignable

    def domain(self, value: str) -> int:
        """Count the numbers of the set."""
        count = 898 * 99 * 9999
        return count if self.assignable else 10**9 - count


class Plan(NamedTuple):
    """The numbers of one size behind a calling code."""

    code: str
    size: int
    zero: bool
    root: int
    numbers: tuple[int, int]


@cache
def tables() -> tuple[list[int], dict[tuple[str, int], Plan], dict[str, tuple[str, str]]]:
    """Read the nodes, the plans by code and size, and the codes and prefixes of regions."""
    text = _TABLES.read_text("utf-8")
    nodes = re.search(r"nodes\[\d+\] = \{(.*?)\}", text, re.DOTALL)
    assert nodes is not None
    plans = {}
    for line in re.findall(r"^    \{([0-9].*)\},$", text, re.MULTILINE):
        code, size, zero, root, *rest = map(int, re.findall(r"\d+", line))
        plans[str(code), size] = Plan(str(code), size, bool(zero), root, (rest[0], rest[1]))
    regions = re.findall(r'^    \{"(\w\w)", "(\d*)", (\d+)\},$', text, re.MULTILINE)
    return (
        [*map(int, re.findall(r"\d+", nodes[1]))],
        plans,
        {name: (code, trunk) for name, trunk, code in regions},
    )


class PhoneModel(Model):
    """Phone numbers whose national digits change among those of the same plan."""

    def __init__(self, country: str) -> None:
        self.identity = ["phone", country]
        self.code, self.trunk = tables()[2].get(country, ("", ""))

    def _national(self, value: str) -> tuple[Plan, list[int]]:
        """Return the plan, and the places of the national digits."""
        places: list[int] = []
        international, zero = False, -1
        for place, one in enumerate(value):
            if one in "0123456789":
                if len(places) == _MOST:
                    raise InvalidError(Reason.FOREIGN)
                if value[place - 1 : place + 2] == "(0)" and place and zero < 0:
                    zero = len(places)
                places.append(place)
            elif one == "+" and not places and not international:
                international = True
            elif one not in _SEPARATORS:
                if not places or not _EXTENSION.match(value[place:]):
                    raise InvalidError(Reason.FOREIGN)
                break
        digits = "".join(value[place] for place in places)
        skip = self._skip(digits, zero, international=international)
        if skip is None:
            raise InvalidError(Reason.NOTATION)
        code, first = skip
        plan = tables()[1].get((code, len(digits) - first))
        own = digits[first:]
        if plan is None or (own[0] == "0" and (not plan.zero or own[1] == "0")):
            raise InvalidError(Reason.NOTATION)
        return plan, places[first:]

    def _skip(self, digits: str, zero: int, *, international: bool) -> tuple[str, int] | None:
        """Return the calling code, and how many digits come before the national ones."""
        plans = tables()[1]
        begin = -1
        if international:
            begin = 0
        elif digits.startswith("00") and len(digits) > 2:
            begin = 2
        elif self.code == "1" and digits.startswith("011") and len(digits) > 3:
            begin = 3
        if begin >= 0:
            codes = {code for code, _ in plans}
            end = next((begin + n for n in (1, 2, 3) if digits[begin : begin + n] in codes), None)
            if end is None:
                return None
            code = digits[begin:end]
            behind = plans.get((code, len(digits) - end - 1))
            return code, end + (zero == end and behind is not None and not behind.zero)
        if not self.code:
            return None
        size = len(digits) - len(self.trunk)
        trunk = self.trunk and digits.startswith(self.trunk) and (self.code, size) in plans
        return self.code, len(self.trunk) if trunk else 0

    @staticmethod
    def _lead(plan: Plan, digits: str) -> int | None:
        """Return the row to which digits lead; None: no number begins with them."""
        if digits[0] == "0" and (not plan.zero or digits[1] == "0"):
            return None
        nodes, node = tables()[0], plan.root
        for digit in digits:
            if node in (0, _IN_PLAN):
                break
            node = nodes[node + int(digit)]
        return node

    def _class(self, plan: Plan, digits: str) -> int | None:
        """Return 0 for a number of the plan, 1 for another one; None: it is of neither."""
        node = self._lead(plan, digits)
        return None if node is None else int(node != _IN_PLAN)

    def _choices(self, plan: Plan, which: int) -> list[list[str]]:
        """Return the choices of the first three digits together, and of each further one."""
        ends = {first: self._lead(plan, first) for first in (f"{n:03}" for n in range(1000))}
        first = [
            digits
            for digits, node in ends.items()
            if node is not None and (node > _IN_PLAN or node == (0 if which else _IN_PLAN))
        ]
        return [first] + [[*"0123456789"]] * (plan.size - 3)

    def domain(self, value: str) -> int:
        """Count the numbers of the plan, or those that are not."""
        plan, places = self._national(value)
        which = self._class(plan, "".join(value[place] for place in places))
        return plan.numbers[which or 0]

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the national digits."""
        plan, places = self._national(value)
        digits = "".join(value[place] for place in places)
        which = self._class(plan, digits)
        choices = self._choices(plan, which or 0)
        tweak = tokens.whole(self.identity_text, plan.code.encode())
        size, number = prod(map(len, choices)), 0
        for part, allowed in zip([digits[:3], *digits[3:]], choices, strict=True):
            number = number * len(allowed) + allowed.index(part)
        while True:
            number = tokens.number(number, size, tweak)
            if number >= size:
                continue
            rest, made = number, ""
            for allowed in reversed(choices):
                rest, choice = divmod(rest, len(allowed))
                made = allowed[choice] + made
            if self._class(plan, made) == which:
                text = list(value)
                for place, one in zip(places, made, strict=True):
                    text[place] = one
                return "".join(text)
