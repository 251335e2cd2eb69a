# SPDX-License-Identifier: Apache-2.0
"""Policies between which tokens can rotate; new keys for a policy, as rules and as TOML text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tallystick._core import lib
from tallystick.errors import PolicyError
from tallystick.keyring import KeyId
from tallystick.policy.rules import ColumnRule, Policy

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

    `source`: what the messages call the text.
    Raises `PolicyError`: the text is no policy, or its keys are written in a way that can't be
    edited so.
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


def check_rotatable(old: Policy, new: Policy, names: tuple[str, str]) -> None:
    """Check that tokens of one policy can become tokens of another, without plaintext in the file.

    `names`: what the message calls the two.
    Raises `PolicyError`: they protect different columns, or differ in the CSV dialect, in what
    becomes of columns without a rule, or in a column whose format is one-way.
    """
    was, now = names
    before, after = ({rule.column: rule for rule in policy.rules} for policy in (old, new))
    for name in before.keys() ^ after.keys():
        has, lacks = (was, now) if name in before else (now, was)
        raise PolicyError(f"column {name!r} is protected by {has}, but not by {lacks}; {_MEND}")
    for name, rule in before.items():
        if rule.same_tokens(after[name]):
            continue
        for form in (rule.form, after[name].form):
            if form.one_way:
                raise PolicyError(
                    f"column {name!r}: format {form.label!r} is one-way, so a rotation can't come "
                    "from it or go to it; give the column the same key, format, namespace and "
                    "tweak in both policies, or protect the plaintext values again"
                )
        if after[name].form.cipher == "ff3-1":
            raise PolicyError(
                f"column {name!r}: {now} has cipher 'ff3-1', which reveals tokens and makes none; "
                "choose 'fast' or 'ff1'"
            )
    if old.csv != new.csv:
        raise PolicyError(f"[csv] differs between {was} and {now}; {_MEND}")
    if old.unlisted != new.unlisted:
        raise PolicyError(f"unlisted differs between {was} and {now}; {_MEND}")
    for name in set(old.keep) ^ set(new.keep):
        has, lacks = (was, now) if name in old.keep else (now, was)
        raise PolicyError(f"column {name!r} is in keep of {has}, but not of {lacks}; {_MEND}")


def check_keys(pairs: Sequence[tuple[ColumnRule, ColumnRule]]) -> None:
    """Check that no key of another standard (tweak_hex, ipcrypt) comes to serve something else.

    A policy refuses that among its own rules. `pairs`: each column's rule before and after.
    Raises `PolicyError`: new tokens would be under such a key.
    """
    rules = [rule for pair in pairs for rule in pair]
    for old, new in pairs:
        if new.key is None or old.same_tokens(new):
            continue
        algorithm = lib.tally_format_algorithm(new.form.native)
        for other in (rule for rule in rules if rule.key == new.key):
            if lib.tally_format_algorithm(other.form.native) != algorithm:
                raise PolicyError(
                    f"column {new.column!r} needs another key for its new tokens: {new.key} is "
                    f"that of column {other.column!r} in another of the policies, and a key of a "
                    "plain cipher (tweak_hex) or of format 'ipcrypt' serves nothing else"
                )


def changed_columns(old: Policy, new: Policy) -> dict[str, tuple[KeyId, KeyId]]:
    """Return the columns that get new tokens, with the key before and the key after."""
    after = {rule.column: rule for rule in new.rules}
    return {
        rule.column: (rule.key, key)
        for rule in old.rules
        if rule.key is not None
        and (key := after[rule.column].key) is not None
        and not rule.same_tokens(after[rule.column])
    }


_MEND = "a rotation changes tokens alone: for other changes, reveal the file and protect it again"
