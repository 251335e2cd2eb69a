# SPDX-License-Identifier: Apache-2.0
"""Writes core/formats/phone_plans.c: which national numbers there are behind each calling code.

From the metadata of libphonenumber, by the package `phonenumbers`, which only this tool needs::

    .venv/bin/python -m pip install phonenumbers==9.0.43
    .venv/bin/python tools/phone_plans.py > core/formats/phone_plans.c

Tokens depend on the table, so it is not made again, unless the format gets a new identity.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

import phonenumbers
from phonenumbers import PhoneMetadata

kinds: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

DEPTH = 6
"""Digits that say whether a number is one of the plan, at most."""

FREE = 2
"""Digits behind them, at least."""

FEWEST = 1000
"""Numbers of a class, at least."""

edges: list[dict[int, set[int]]] = []
empty: list[set[int]] = []


def _state() -> int:
    edges.append({})
    empty.append(set())
    return len(edges) - 1


def _build(parsed: Any, begin: int) -> int:  # noqa: ANN401
    """Add what a parsed expression accepts from a state on; return the state behind it."""
    for kind, value in parsed:
        if kind is kinds.LITERAL:
            end = _state()
            edges[begin].setdefault(value - 48, set()).add(end)
            begin = end
        elif kind is kinds.IN:
            end = _state()
            for what, one in value:
                if what is kinds.LITERAL:
                    digits = [one - 48]
                elif what is kinds.RANGE:
                    digits = list(range(one[0] - 48, one[1] - 47))
                else:
                    digits = list(range(10))
                for digit in digits:
                    edges[begin].setdefault(digit, set()).add(end)
            begin = end
        elif kind is kinds.SUBPATTERN:
            begin = _build(value[3], begin)
        elif kind is kinds.BRANCH:
            end = _state()
            for branch in value[1]:
                empty[_build(branch, begin)].add(end)
            begin = end
        elif kind is kinds.MAX_REPEAT:
            least, most, what = value
            for _ in range(least):
                begin = _build(what, begin)
            end = _state()
            empty[begin].add(end)
            for _ in range(min(most, 20) - least):
                begin = _build(what, begin)
                empty[begin].add(end)
            begin = end
        else:
            raise ValueError(kind)
    return begin


def _closure(states: set[int]) -> frozenset[int]:
    found, todo = set(states), list(states)
    while todo:
        for one in empty[todo.pop()]:
            if one not in found:
                found.add(one)
                todo.append(one)
    return frozenset(found)


@cache
def _machine(pattern: str) -> tuple[frozenset[int], int]:
    begin = _state()
    return _closure({begin}), _build(parser.parse(pattern), begin)


def _step(states: frozenset[int], digit: int) -> frozenset[int]:
    return _closure({end for one in states for end in edges[one].get(digit, ())})


TYPES = (
    *("fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number"),
    *("voip", "pager", "uan", "voicemail"),
)

Machines = tuple[tuple[frozenset[int], tuple[tuple[frozenset[int], int], ...], int], ...]


def _machines(metadata: list[Any], size: int) -> Machines:
    """Return, for each region, what its numbers of that size must match, and one of what."""
    found = []
    for one in metadata:
        general = one.general_desc
        if size not in general.possible_length:
            continue
        kinds_of = []
        for name in TYPES:
            desc = getattr(one, name)
            if desc is None or desc.national_number_pattern is None:
                continue
            if desc.possible_length and size not in desc.possible_length:
                continue
            kinds_of.append(_machine(desc.national_number_pattern))
        states, end = _machine(general.national_number_pattern)
        found.append((states, tuple(kinds_of), end))
    return tuple(found)


def _advance(now: Machines, digit: int) -> Machines:
    found = []
    for states, types, end in now:
        left = tuple((more, last) for s, last in types if (more := _step(s, digit)))
        general = _step(states, digit)
        if left and general:
            found.append((general, left, end))
    return tuple(found)


@cache
def _count(now: Machines, left: int) -> int:
    """Count the numbers of so many more digits that are valid."""
    if not now:
        return 0
    if left == 0:
        return int(any(e in s and any(last in t for t, last in types) for s, types, e in now))
    return sum(_count(_advance(now, digit), left - 1) for digit in range(10))


nodes: dict[tuple[int, ...], int] = {}


def _trie(now: Machines, left: int, depth: int) -> int:
    """Return 0 (no number of the plan), 1 (one), or 2 and more: the node of the next digit."""
    share = _count(now, left) / 10**left
    if share >= 0.97 or share == 0:
        return int(share > 0)
    if depth == 0:
        return int(share >= 0.5)
    children = tuple(_trie(_advance(now, d), left - 1, depth - 1) for d in range(10))
    return _consed(children)


def _consed(children: tuple[int, ...]) -> int:
    if len(set(children)) == 1 and children[0] < 2:
        return children[0]
    return nodes.setdefault(children, len(nodes) + 2)


def _without_zeros(node: int, zeros: int) -> int:
    """Return the same plan, but no number of it begins with so many zeros."""
    if zeros == 0:
        return 0
    children = by_number[node] if node > 1 else (node,) * 10
    made = _consed((_without_zeros(children[0], zeros - 1), *children[1:]))
    by_number.update({number: children for children, number in nodes.items()})
    return made


def _begins_with_zero(root: int) -> bool:
    made = _without_zeros(root, 2)
    return made == 1 or (made > 1 and _members(by_number[made][0], 9, 1) > 0)


def _members(node: int, left: int, which: int) -> int:
    if node < 2:
        return 10**left if node == which else 0
    return sum(_members(child, left - 1, which) for child in by_number[node])


by_number: dict[int, tuple[int, ...]] = {}


Plan = tuple[int, int, bool, int, int, int]
"""Calling code, digits, whether 0 may be first, root, numbers of both classes."""


def _main() -> None:
    plans: list[Plan] = []
    regions = []
    for code, names in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()):
        if names == ("001",):
            metadata: list[Any] = [PhoneMetadata.metadata_for_nongeo_region(code)]
        else:
            metadata = [PhoneMetadata.metadata_for_region(name) for name in names]
        sizes = sorted({n for m in metadata for n in m.general_desc.possible_length})
        main_sizes = metadata[0].general_desc.possible_length
        rows = []
        for size in sizes:
            if size not in main_sizes or size + len(str(code)) > 15:
                continue
            now = _machines(metadata, size)
            root = _trie(now, size, max(0, min(DEPTH, size - FREE)))
            rows.append((size, root))
        by_number.update({number: children for children, number in nodes.items()})
        # Some special numbers begin with 00; of interest is what begins with one 0.
        zero = any(_begins_with_zero(root) for _, root in rows)
        for size, root in rows:
            # Behind 00 comes a calling code. Elsewhere, 0 comes before national numbers.
            root = _without_zeros(root or 1, 2 if zero else 1)
            whole = 10**size - 10 ** (size - 2) if zero else 9 * 10 ** (size - 1)
            valid = _members(root, size, 1)
            other = whole - valid
            if valid < FEWEST or other < max(FEWEST, whole // 200):
                root = _without_zeros(1, 2 if zero else 1)
                valid, other = whole, 0
            if valid >= FEWEST:
                plans.append((code, size, zero, root, valid, other))
        lengths = {size for size, _ in rows}
        for name, one in zip(names, metadata, strict=True):
            if name == "001":
                continue
            trunk = one.national_prefix or ""
            if not trunk.isdigit():
                trunk = ""
            if zero and trunk.startswith("0"):
                trunk = ""
            if zero and one.national_prefix:
                print(name, "has no prefix", one.national_prefix, file=sys.stderr)
            both = any(n + len(trunk) in lengths for n in lengths)
            if trunk and not trunk.startswith("0") and both:
                print(name, "has no prefix", trunk, file=sys.stderr)
                trunk = ""
            regions.append((name, code, trunk))
    _write(plans, sorted(regions))


def _write(plans: list[Plan], regions: list[tuple[str, int, str]]) -> None:
    print(HEAD)
    # A node is named by where its row begins; a row more may be read by vectors.
    print(f"const uint16_t tally_phone_nodes[{(len(by_number) + 3) * 10}] = {{")
    for children in ((0,) * 10, (1,) * 10, *(by_number[n] for n in sorted(by_number)), (0,) * 10):
        print("    " + ", ".join(str(child * 10) for child in children) + ",")
    print("};\n")
    print("const tally_phone_plan tally_phone_plans[TALLY_PHONE_PLANS] = {")
    for code, size, zero, root, numbers, others in plans:
        print(f"    {{{code}, {size}, {int(zero)}, {root * 10}, {{{numbers}, {others}}}}},")
    print("};\n")
    print("const tally_phone_region tally_phone_regions[TALLY_PHONE_REGIONS] = {")
    for name, code, trunk in regions:
        print(f'    {{"{name}", "{trunk}", {code}}},')
    print("};")
    print(len(plans), "plans,", len(regions), "regions", file=sys.stderr)


HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * National numbers behind each calling code, from the metadata of libphonenumber (Apache-2.0):
 * written by tools/phone_plans.py. Tokens depend on these tables. */
#include "formats/phone_plans.h"

/* clang-format off */"""

if __name__ == "__main__":
    _main()
