# SPDX-License-Identifier: Apache-2.0
"""Authentic shares: beside a second implementation, and what is said of bad ones."""

from __future__ import annotations

import hashlib
import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shares_model as model
from backends import Backend, each
from tallystick import shares
from tallystick._core import lib
from tallystick.errors import NotEnoughSharesError, ParameterError, ShareError
from tallystick.memory import wipe
from tallystick.shares import Verdict, authentic
from vectors import load

SECRET = bytes(range(32))


def made(label: str = "customers root key") -> list[bytes]:
    return shares.split(SECRET, shares=5, threshold=3, label=label)


def altered(share: bytes, at: int = -1) -> bytes:
    changed = bytearray(share)
    changed[at] ^= 1
    return bytes(changed)


@each
def test_the_model_and_the_vectors_agree(backend: Backend) -> None:
    for case in load("authentic_shares"):
        secret, salt, label = (bytes.fromhex(case[key]) for key in ("secret", "salt", "label"))
        if case["threshold"] * case["count"] * len(secret) > 40_000:
            continue  # the model is slow; test_shares.c reads them all
        ours = model.split(secret, case["threshold"], case["count"], label, salt, case["kind"])
        assert hashlib.sha256(b"".join(ours)).hexdigest() == case["digest"]
        assert not case["shares"] or [share.hex() for share in ours] == case["shares"]
        with backend():
            found = authentic.recovered(ours[-case["threshold"] :], None)
        assert found.secret == secret
        assert found.share is not None
        assert found.share.label == label.decode()


@given(
    secret=st.binary(min_size=1, max_size=300),
    sizes=st.integers(2, 20).flatmap(lambda n: st.tuples(st.just(n), st.integers(2, n))),
    label=st.text(
        st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=40
    ),
    chance=st.randoms(),
)
def test_any_enough_shares(
    secret: bytes, sizes: tuple[int, int], label: str, chance: random.Random
) -> None:
    count, threshold = sizes
    split = shares.split(bytearray(secret), shares=count, threshold=threshold, label=label)
    for index, share in enumerate(split, 1):
        read = shares.read(share)
        assert (read.index, read.threshold, read.count) == (index, threshold, count)
        assert (read.label, read.kind, read.size) == (label, "secret", len(share))
    found = shares.combine(chance.sample(split, threshold))
    assert found.secret == secret
    with pytest.raises(NotEnoughSharesError):
        shares.combine(chance.sample(split, threshold - 1))


def test_every_subset_says_how_many_are_missing() -> None:
    split = made()
    for size in range(6):
        for some in combinations(split, size):
            found, error = shares.check(some)
            assert found.secret == b""
            assert found.good == size
            if size >= 3:
                assert error is None
                assert shares.combine(some).secret == SECRET
                continue
            assert isinstance(error, NotEnoughSharesError)
            assert (error.good, error.threshold) == (size, 3 if size else None)
            assert ("no share is good" if size == 0 else f"{3 - size} more") in str(error)


def test_bad_shares_are_named_and_recovery_goes_on() -> None:
    split, other = made(), made()
    given = [
        *(altered(split[0]), b"no share", split[3][:-1], other[1], split[1], split[1]),
        *(split[4], split[0]),
    ]
    found = shares.combine(given)
    assert found.secret == SECRET
    assert found.good == 3
    assert found.verdicts == (
        *(Verdict.DAMAGED, Verdict.MALFORMED, Verdict.MALFORMED, Verdict.FOREIGN),
        *(Verdict.GOOD, Verdict.REPEATED, Verdict.GOOD, Verdict.GOOD),
    )


@pytest.mark.parametrize("copies", [255, 256, 257, 512, 513, 1022])
def test_any_number_of_copies_is_one_share(copies: int) -> None:
    first, second, third, *_ = made()
    found = shares.combine([second, *[first] * copies, third])
    assert found.secret == SECRET
    assert found.good == 3
    good, repeated = Verdict.GOOD, Verdict.REPEATED
    assert found.verdicts == (good, good, *[repeated] * (copies - 1), good)
    with pytest.raises(NotEnoughSharesError, match="2 good shares"):
        shares.combine([second, *[first] * copies])


def test_shares_that_change_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [bytearray(share) for share in made()]

    class Changing:
        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            if name == "tally_shares_recover":
                for share in given:  # as another thread may do after the call has begun
                    share[:] = b"\xff" * len(share)
            return getattr(lib, name)

    monkeypatch.setattr(authentic, "lib", Changing())
    found = shares.combine(given)
    assert found.secret == SECRET
    assert found.share is not None
    assert found.share.label == "customers root key"


def test_the_largest_set() -> None:
    secret, label = bytes(range(256)) * (shares.MAX_SECRET // 256), "l" * authentic.MAX_LABEL
    split = shares.split(secret, shares=authentic.MAX_SHARES, threshold=2, label=label)
    found = shares.combine((split * 5)[: authentic.MAX_GIVEN])
    assert found.secret == secret
    assert found.good == authentic.MAX_SHARES
    assert found.share is not None
    assert found.share.label == label


def test_shares_of_two_sets() -> None:
    one, two = made(), made()
    with pytest.raises(ShareError, match="more than one set"):
        shares.combine(one + two)
    wanted = shares.read(two[0]).set_id
    found = shares.combine(one + two, set_id=wanted)
    assert found.verdicts == (Verdict.FOREIGN,) * 5 + (Verdict.GOOD,) * 5
    with pytest.raises(NotEnoughSharesError):
        shares.combine(one, set_id=wanted)
    for wrong in ("", "00", "x" * 32, "0" * 31):
        with pytest.raises(ParameterError, match="32 hexadecimal"):
            shares.combine(one, set_id=wrong)


def test_every_changed_field_is_caught() -> None:
    split = made()
    for at in range(len(split[0])):
        with pytest.raises(ShareError, match=r"damaged|not a share"):
            shares.read(altered(split[0], at))
        with pytest.raises(NotEnoughSharesError, match="2 good"):
            shares.combine([altered(split[0], at), split[1], split[2]])


@pytest.mark.parametrize(
    ("count", "threshold"), [(3, 1), (3, 4), (256, 2), (2, 0), (1, 1), (256, 256)]
)
def test_parameters_outside_their_range(count: int, threshold: int) -> None:
    with pytest.raises(ParameterError, match=f"threshold {threshold} of {count}"):
        shares.split(SECRET, shares=count, threshold=threshold)


def test_secrets_and_labels_outside_their_range() -> None:
    for size in (0, shares.MAX_SECRET + 1):
        with pytest.raises(ParameterError, match=f"this one {size}"):
            shares.split(bytes(size), shares=3, threshold=2)
    assert len(shares.split(bytes(shares.MAX_SECRET), shares=3, threshold=2)) == 3
    with pytest.raises(ParameterError, match="one line"):
        shares.split(SECRET, shares=3, threshold=2, label="two\nlines")
    with pytest.raises(ParameterError, match="at most 255 bytes, not 256"):
        shares.split(SECRET, shares=3, threshold=2, label="ü" * 128)
    with pytest.raises(ParameterError, match="1025 shares"):
        shares.combine([b""] * 1025)


def test_no_secret_is_shown() -> None:
    found = shares.combine(made())
    assert "secret=" not in repr(found)
    assert SECRET.hex() not in repr(found)


def test_what_shares_are_made_in_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    wiped: list[bytearray] = []
    before: list[bytes] = []

    def record(held: bytearray) -> None:
        wiped.append(held)
        before.append(bytes(held))
        wipe(held)

    monkeypatch.setattr(authentic, "wipe", record)
    assert shares.split(b"secret", shares=3, threshold=2) == before
    assert len(wiped) == 3
    assert not any(map(any, wiped))
