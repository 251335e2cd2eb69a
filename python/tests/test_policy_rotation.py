# SPDX-License-Identifier: Apache-2.0
"""Policies with other keys: as text nothing else changes, whatever else looks like a key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tallystick.errors import PolicyError
from tallystick.keyring import KeyId
from tallystick.policy import Policy
from tallystick.policy.rotation import changed_columns, check_rotatable, text_with_keys, with_keys

KEYS = {KeyId("a", 1): KeyId("a", 2), KeyId("b", 7): KeyId("a", 1)}

RULES = """\
# key = "a:1", 'a:1'\r
[columns]
one = { format = "digits", key = "FIRST", namespace = "a:1" } # key = "a:1"
two = { format = "digits", 'key'='SECOND' , namespace = 'key = "a:1"' }
"x.key".key = "FIRST"
"x.key"."format" = "digits"
"x.key".namespace = "key = \\"a:1\\" # "

[columns.key]
format = "digits"
namespace = \"\"\"
key = "a:1" \\\"\"\" ''\"\"\"
\t"key"\t=  "a:11"
[columns.last]
namespace = '''
key = 'a:1'
'''
format = { type = "digits", separators = "#'" }
key = "FIRST"   # the end"""
TEXT = RULES.replace("FIRST", "a:1").replace("SECOND", "b:7")
NEW = RULES.replace("FIRST", "a:2").replace("SECOND", "a:1")


def test_the_text_of_a_policy_changes_in_its_keys_alone() -> None:
    assert text_with_keys(TEXT, KEYS, "p.toml") == NEW
    old, new = Policy.parse(TEXT), Policy.parse(NEW)
    assert with_keys(old, KEYS) == new
    assert changed_columns(old, new) == {
        "one": (KeyId("a", 1), KeyId("a", 2)),
        "two": (KeyId("b", 7), KeyId("a", 1)),
        "x.key": (KeyId("a", 1), KeyId("a", 2)),
        "last": (KeyId("a", 1), KeyId("a", 2)),
    }
    check_rotatable(old, new, ("p.toml", "q.toml"))


@pytest.mark.parametrize("key", ['"a\\u003a1"', '"""a:1"""', "'''a:1'''", '"\\u0061:1"'])
def test_keys_that_can_not_be_found_are_an_error(key: str) -> None:
    text = f'columns.x = {{ format = "digits", namespace = "d", key = {key} }}'
    assert Policy.parse(text).rules[0].key == KeyId("a", 1)
    with pytest.raises(
        PolicyError, match=r'p\.toml: its keys can.t be edited.*key = "name:version"'
    ):
        text_with_keys(text, KEYS, "p.toml")


def test_text_that_is_no_policy_is_an_error() -> None:
    with pytest.raises(PolicyError, match=r"p\.toml: not valid TOML"):
        text_with_keys('key = "a:1', KEYS, "p.toml")


def test_what_differs_is_named_with_its_files() -> None:
    old = Policy.parse('columns.x = { format = "digits", namespace = "d", key = "a:1" }')
    new = Policy.parse('columns.y = { format = "digits", namespace = "d", key = "a:1" }')
    both = Policy((*old.rules, *new.rules))
    with pytest.raises(PolicyError, match=r"'y' is protected by q\.toml, but not by p\.toml"):
        check_rotatable(old, both, ("p.toml", "q.toml"))
    with pytest.raises(PolicyError, match=r"'x' is protected by p\.toml, but not by q\.toml"):
        check_rotatable(both, new, ("p.toml", "q.toml"))


def test_a_rotation_keeps_what_passes_in_clear() -> None:
    rule = 'columns.x = { format = "digits", namespace = "d", key = "a:1" }'
    text = f'unlisted = "error" # "a:1"\nkeep = ["a:1"]\nmixed_formats = ["d"]\n{rule}\n'
    written = text_with_keys(text, KEYS, "p.toml")
    assert written == text.replace('key = "a:1"', 'key = "a:2"')
    old, new = Policy.parse(text), Policy.parse(written)
    assert (new.unlisted, new.keep, new.mixed_formats) == ("error", ("a:1",), ("d",))
    names = ("p.toml", "q.toml")
    check_rotatable(old, replace(new, mixed_formats=()), names)
    with pytest.raises(PolicyError, match=r"unlisted differs between p\.toml and q\.toml"):
        check_rotatable(old, replace(new, unlisted="keep"), names)
    with pytest.raises(PolicyError, match=r"'y' is in keep of q\.toml, but not of p\.toml"):
        check_rotatable(old, replace(new, keep=("a:1", "y")), names)


def test_rules_that_contradict_each_other_are_no_policy() -> None:
    text = 'columns.x = {{ format = "digits", namespace = "d", key = "a:1"{} }}'
    plain, tweaked = (Policy.parse(text.format(more)) for more in ("", ', tweak = "y"'))
    other = Policy.parse(text.format("").replace(".x", ".y"))
    with pytest.raises(PolicyError, match="column 'x' has 2 rules"):
        Policy((*plain.rules, *plain.rules))
    with pytest.raises(PolicyError, match="tweak of column 'x': column 'y' is protected too"):
        Policy((*other.rules, *tweaked.rules))
