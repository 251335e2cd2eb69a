# SPDX-License-Identifier: Apache-2.0
"""Raw Shamir shares from Python; core/tests/test_shamir.c has the statistics and all subsets."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends import Backend, each
from tallystick.errors import ParameterError
from tallystick.hazmat import shamir
from tallystick.memory import wipe
from vectors import load


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("shamir_vault", 0x11B),
        ("shamir_0x11d", 0x11D),
        ("spec_shamir", 0x11B),
        ("spec_shamir_0x11d", 0x11D),
    ],
)
@each
def test_shares_of_other_tools_and_of_the_specification(
    name: str, field: int, backend: Backend
) -> None:
    for case in load(name):
        shares = [bytes.fromhex(share) for share in case["Shares"]]
        chosen = random.Random(1).sample(shares, case["Threshold"])  # noqa: S311
        with backend():
            assert shamir.combine(chosen, field) == bytes.fromhex(case["Secret"])


@given(
    secret=st.binary(min_size=1, max_size=100),
    sizes=st.integers(2, 255).flatmap(lambda n: st.tuples(st.just(n), st.integers(2, n))),
    field=st.sampled_from([0x11B, 0x11D]),
    chance=st.randoms(),
)
def test_any_enough_shares(
    secret: bytes, sizes: tuple[int, int], field: int, chance: random.Random
) -> None:
    shares, threshold = sizes
    made = shamir.split(bytearray(secret), shares, threshold, field)
    assert {len(share) for share in made} == {len(secret) + 1}
    assert len({share[-1] for share in made} - {0}) == shares
    assert shamir.combine(chance.sample(made, threshold), field) == secret
    assert shamir.combine(made, field) == secret


@pytest.mark.parametrize(
    ("shares", "threshold"), [(3, 1), (3, 0), (3, 4), (1, 1), (256, 2), (256, 256), (2, -1), (0, 0)]
)
def test_parameters_outside_their_range(shares: int, threshold: int) -> None:
    with pytest.raises(ParameterError, match=f"threshold {threshold} of {shares}"):
        shamir.split(b"secret", shares, threshold)


def test_what_can_not_be_split_or_combined() -> None:
    with pytest.raises(ParameterError, match="empty"):
        shamir.split(b"", 3, 2)
    with pytest.raises(ParameterError, match="0x11c"):
        shamir.split(b"secret", 3, 2, 0x11C)
    made = shamir.split(b"secret", 3, 2)
    with pytest.raises(ParameterError, match="0x11c"):
        shamir.combine(made, 0x11C)
    for few in ([], made[:1], made * 100):
        with pytest.raises(ParameterError, match=f"{len(few)} shares"):
            shamir.combine(few)
    with pytest.raises(ParameterError, match=r"\[6, 7\]"):
        shamir.combine([made[0], made[1][1:]])
    with pytest.raises(ParameterError, match="2 bytes or more"):
        shamir.combine([b"\1", b"\2"])
    with pytest.raises(
        ParameterError, match=r"share 2 has the x coordinate 0: .* the secret itself"
    ):
        shamir.combine([made[0], made[1][:-1] + b"\0"])
    with pytest.raises(ParameterError, match="shares 1 and 3 have the same x"):
        shamir.combine([made[0], made[1], made[0]])


def test_too_few_shares_give_another_secret() -> None:
    secret = bytes(32)
    made = shamir.split(secret, 5, 3)
    assert shamir.combine(made[:2]) != secret
    assert shamir.combine(made, 0x11D) != secret


def test_what_is_only_on_the_way_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    wiped: list[bytearray] = []
    before: list[bytes] = []

    def record(held: bytearray) -> None:
        wiped.append(held)
        before.append(bytes(held))
        wipe(held)

    monkeypatch.setattr(shamir, "wipe", record)
    made = shamir.split(b"secret", 3, 2)
    assert before == made
    assert shamir.combine(made) == b"secret"
    assert before == [*made, b"secret"]
    assert not any(map(any, wiped))
