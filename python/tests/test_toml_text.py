# SPDX-License-Identifier: Apache-2.0
"""How deep TOML may be nested; ``core/tests/test_policy_text.c`` has the same cases."""

from __future__ import annotations

import tracemalloc

import pytest

from tallystick.errors import PolicyError
from tallystick.policy import Policy

OPENED, CLOSED = "[" * 100, "]" * 100

DEEP = (
    "a = " + OPENED + CLOSED,
    "a = " + OPENED,
    "a = " + "{a=" * 100 + "}" * 9,
    "a." * 100 + "a = 1",
    "[" + "a . " * 100 + "a]",
    "[" + "'a'." * 100 + "a]",
    # What a string or a comment closes is not closed.
    "a = " + "[']'," * 100,
    "a = " + '["\\"]",' * 100,
    "a = " + "[#]\n" * 100,
    "a = " + "['''\n]'''," * 99,
    # And a string ends where the parser says.
    "a = 'x\\'" + OPENED,
    'a = ""' + OPENED,
    'a = """x"""""' + OPENED,
    "a = '''x''''" + OPENED,
    'a = """"""' + OPENED,
    "a = ''''''" + OPENED,
    "a = 'x\n" + OPENED,
    'a = "x\n' + OPENED,
)

FLAT = (
    "",
    "# " + OPENED,
    "a = '" + OPENED + "'",
    'a = "' + OPENED + '\\"' + OPENED,
    "a = '''\n" + OPENED + "''" + CLOSED,
    'a = """' + OPENED + '""' + CLOSED,
    "a = [[1.5, 2.5], {b.c = 1}]\n" * 100,
    "[[a.b]]\n" * 100,
    "'" + "a." * 100 + "' = 1",
    "a = [" + "1.5," * 100 + "]",
)


@pytest.mark.parametrize("text", DEEP)
def test_deep(text: str) -> None:
    with pytest.raises(PolicyError, match="nested too deep; the limit is 16 levels"):
        Policy.parse(text)


@pytest.mark.parametrize("text", FLAT)
def test_flat(text: str) -> None:
    with pytest.raises(PolicyError, match=r"^(?!.*nested too deep)"):
        Policy.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a." * 20_000 + "a = 1",
        "[" + "a." * 500_000 + "a]",
        "a = " + "[" * 1_000_000,
        "a = " + "{a=" * 300_000,
    ],
)
def test_a_deep_policy_takes_no_memory(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PolicyError, match=r"^the file: nested too deep; the limit is 16"):
            Policy.parse(text, "the file")
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text) + 100_000
    finally:
        tracemalloc.stop()
