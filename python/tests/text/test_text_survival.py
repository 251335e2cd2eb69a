# SPDX-License-Identifier: Apache-2.0
"""What tokens survive, and that a restorer leaves everything else alone."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from bench.text_tokens import SURVIVED, rates
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick.text import TextProtector
from tallystick.text.policy import FRAMES
from text_support import Make

FAST = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FRAGMENTS = st.sampled_from(
    [
        *("tly-", "tl", "t", "\u27e6", "\u27e7", "email", ":", "-", "&", "&#", "&#x", "&#10214;"),
        *("&amp;", "\\", "\\u", "\\u27e6", "\\n", "\\t", "%E2", "%9F%A6", "%", "=", "=E2", "=\n"),
        *("\n>", "00f", "000", "\u00ad", "\u200b", "<br", "<wbr>", "\ud800"),
    ]
)
NOISE = st.lists(st.one_of(FRAGMENTS, st.text(max_size=5)), max_size=12).map("".join)


@pytest.mark.parametrize("name", SURVIVED)
def test_every_token_survives(name: str) -> None:
    assert rates(SURVIVED[name]) == [1.0, 1.0, 1.0]


def pieces(text: str, cuts: list[int]) -> list[bytes]:
    data = text.encode("utf-8", "surrogatepass")
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(places)]


def in_pieces(text: TextProtector, given: str, cuts: list[int]) -> str:
    restorer = text.restorer()
    parts = [restorer.feed(part) for part in pieces(given, cuts)]
    return b"".join([*parts, restorer.finish()]).decode("utf-8", "surrogatepass")


@FAST
@given(NOISE, st.lists(st.integers(0, 500), max_size=6))
def test_other_text_stays_as_it_is(make: Make, noise: str, cuts: list[int]) -> None:
    assert in_pieces(make(), noise, cuts) == noise


@FAST
@given(
    st.lists(st.tuples(NOISE, st.text(st.characters(exclude_categories=["Cs"]), min_size=1))),
    st.sampled_from([*FRAMES]),
    st.lists(st.integers(0, 3000), max_size=9),
)
def test_tokens_are_found_in_any_noise(
    make: Make, parts: list[tuple[str, str]], frame: str, cuts: list[int]
) -> None:
    text = make(frame)
    # A backslash, % or the like before a token can make another character of its first one.
    tokens = "".join(f"{noise} {text.token(value, 'name')} " for noise, value in parts)
    values = "".join(f"{noise} {value} " for noise, value in parts)
    assert in_pieces(text, tokens, cuts) == values
    assert text.reveal(tokens) == values


def test_the_same_whatever_the_chunks(make: Make) -> None:
    draw = random.Random(7)  # noqa: S311 (the same each time)
    for frame in FRAMES:
        text = make(frame)
        token = text.token("jane@example.org", "email")
        changed = [change(f"a {token} b", draw) for change in SURVIVED.values()]
        for given_text in changed:
            whole = text.reveal(given_text)
            for cut in range(len(given_text.encode()) + 1):
                assert in_pieces(text, given_text, [cut]) == whole


def test_it_emits_as_early_as_it_can(make: Make) -> None:
    text = make()
    token = text.token("jane@example.org", "email")
    restorer = text.restorer()
    assert restorer.feed("Hello ") == "Hello "
    assert restorer.feed(token[:20]) == ""
    assert restorer.feed(token[20:]) == "jane@example.org"
    ascii_token = make("ascii").token("jane@example.org", "email")
    assert restorer.feed(ascii_token) == "jane@example.org"
    assert restorer.feed("⟦no token") == ""
    assert restorer.feed(", as a comma shows") == "⟦no token, as a comma shows"


def test_time_is_linear(make: Make) -> None:
    restorer = make().restorer()
    for hostile in ("tly-", "⟦", "tly-a-3zz", "⟦a:3zz7", "tly-a-3zz" + "7 " * 3000, "&amp;", "\\"):
        took = []
        for size in (1 << 17, 1 << 20):
            data = (hostile * (size // len(hostile))).encode()
            best = min(_timed(restorer.finish, data) for _ in range(3))
            took.append(best / len(data))
        assert took[1] < 4 * took[0] + 2e-9, hostile  # for a byte
        assert took[1] < 1e-6, hostile


def _timed(call: object, data: bytes) -> float:
    start = time.process_time()
    assert call(data) == data  # type: ignore[operator]
    return time.process_time() - start
