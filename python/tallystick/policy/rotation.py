# SPDX-License-Identifier: Apache-2.0
"""Policies that differ in keys alone: made from one another, as rules and as TOML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tallystick.errors import PolicyError
from tallystick.keyring import KeyId
from tallystick.policy.rules import Policy

_TOKEN = re.compile(
    r"""
    \#[^\n]*+                                         # a comment
    | "{3} (?: [^\\"]++ | \\. | "{1,2}+(?!") )*+ "{0,5}  # a string of several lines
    | '{3} (?: [^']++ | '{1,2}+(?!') )*+ '{0,5}
    | " (?P<basic> (?: [^\\"\n]++ | \\. )*+ ) "?      # a string of one line
    | ' (?P<literal> [^'\n]*+ ) '?
    """,
    re.VERBOSE | re.DOTALL,
)
"""Comments and strings of TOML. A string without an end ends where a parser would stop."""
_BEFORE_KEY = re.compile(r"""(?<![\w-])(?:key|"key"|'key')[ \t]*=[ \t]*\Z""")


def with_keys(policy: Policy, keys: Mapping[KeyId, KeyId]) -> Policy:
    """Return a policy whose rules have other keys: those that `keys` gives for them, if any."""
    rules = (
        rule if rule.key is None else replace(rule, key=keys.get(rule.key, rule.key))
        for rule in policy.rules
    )
    return replace(policy, rules=tuple(rules))


def text_with_keys(text: str, keys: Mapping[KeyId, KeyId], source: str) -> str:
    """Return a policy's TOML text with other keys, and every other character as it is.

    Parameters
    ----------
    source : str
        What the messages call the text.

    Raises
    ------
    PolicyError
        The text is no policy, or its keys are written in a way that can't be edited so.
    """
    names = {str(old): str(new) for old, new in keys.items()}
    parts, end = [], 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        # A line's beginning is as far as a key and its value can be apart.
        line = text[text.rfind("\n", 0, token.start()) + 1 : token.start()]
        if kind and token[kind] in names and _BEFORE_KEY.search(line):
            parts += [text[end : token.start(kind)], names[token[kind]]]
            end = token.end(kind)
    new = "".join(parts) + text[end:]
    if Policy.parse(new, source) != with_keys(Policy.parse(text, source), keys):
        raise PolicyError(
            f'{source}: its keys can\'t be edited: write each as key = "name:version" '
            "on one line, or write the new policy yourself and pass it (--to)"
        )
    return new


def check_same_but_keys(old: Policy, new: Policy, names: tuple[str, str]) -> None:
    """Check that two policies protect the same columns in the same way, whatever their keys.

    Parameters
    ----------
    names : tuple of str
        What the message calls the two.

    Raises
    ------
    PolicyError
        They differ in a column, or in what is said of it, in the CSV dialect, or in what becomes of
        columns without a rule. `mixed_formats` may differ: new keys may need it, or no longer.
    """
    was, now = names
    before, after = ({rule.column: rule for rule in policy.rules} for policy in (old, new))
    for name in before.keys() ^ after.keys():
        has, lacks = (was, now) if name in before else (now, was)
        raise PolicyError(f"column {name!r} is protected by {has}, but not by {lacks}; {_MEND}")
    for name, rule in before.items():
        for what in ("form", "namespace", "tweak", "on_invalid"):
            if getattr(rule, what) != getattr(after[name], what):
                raise PolicyError(
                    f"column {name!r}: {_CALLED.get(what, what)} differs between {was} "
                    f"and {now}; {_MEND}"
                )
    if old.csv != new.csv:
        raise PolicyError(f"[csv] differs between {was} and {now}; {_MEND}")
    if old.unlisted != new.unlisted:
        raise PolicyError(f"unlisted differs between {was} and {now}; {_MEND}")
    for name in set(old.keep) ^ set(new.keep):
        has, lacks = (was, now) if name in old.keep else (now, was)
        raise PolicyError(f"column {name!r} is in keep of {has}, but not of {lacks}; {_MEND}")


def changed_columns(old: Policy, new: Policy) -> dict[str, tuple[KeyId, KeyId]]:
    """Return the columns whose key changes, with the one before and the one after."""
    after = {rule.column: rule.key for rule in new.rules}
    keys = {rule.column: (rule.key, after[rule.column]) for rule in old.rules}
    return {
        column: (key, other)
        for column, (key, other) in keys.items()
        if key is not None and other is not None and key != other
    }


_CALLED = {"form": "format"}
_MEND = "a rotation changes keys only: for other changes, reveal the file and protect it again"
