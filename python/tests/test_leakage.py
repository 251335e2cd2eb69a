# SPDX-License-Identifier: Apache-2.0
"""Leakage: the statistics, and that both controls are caught within a few thousand traces.

A point counts where two runs with other masks agree, so that chance alone does not fail a test.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tools.circuit import __main__ as generator
from tools.circuit import circuits
from tools.cortex_m0 import campaign, cpa, document, evidence, images, ttest
from tools.cortex_m0.campaign import Work
from tools.cortex_m0.lanes import Leak
from tools.cortex_m0.ttest import Moments, PathError, Points

from cortex_m0_support import needs_gcc

LANES, BATCHES = 200, 3
TRACES = 2000


def moments_of(words: list[np.ndarray]) -> Points:
    """Of one point, with a batch of each array."""
    moments = Moments(LANES)
    for batch in words:
        moments.take(0x10, Leak.RESULT, batch)
        moments.end_batch()
    return moments.points()


def drawn(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 1 << 32, LANES, np.uint32) for _ in range(BATCHES)]


def classes(words: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    weights = np.stack([np.bitwise_count(batch) for batch in words]).astype(float)
    return weights[:, : LANES // 2].ravel(), weights[:, LANES // 2 :].ravel()


def welch(a: np.ndarray, b: np.ndarray) -> float:
    error = a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)
    return float((a.mean() - b.mean()) / np.sqrt(error))


def test_t_is_that_of_the_definition() -> None:
    for seed in range(5):
        words = drawn(seed)
        for batch in words:
            batch[: LANES // 2] &= np.uint32(0xFFFF00FF)
        points = moments_of(words)
        a, b = classes(words)
        assert points.first_order() == pytest.approx([welch(a, b)])
        second = welch((a - a.mean()) ** 2, (b - b.mean()) ** 2)
        assert points.second_order() == pytest.approx([second])


def test_t_of_constants() -> None:
    same = [np.full(LANES, 7, np.uint32)] * BATCHES
    assert moments_of(same).first_order().tolist() == [0.0]
    other = [np.repeat(np.array([7, 8], np.uint32), LANES // 2)] * BATCHES
    assert moments_of(other).first_order().tolist() == [np.inf]


def test_noise_at_the_moments_is_noise_on_the_traces() -> None:
    words = drawn(1)
    for batch in words:
        batch[: LANES // 2] &= np.uint32(0xFFFF00FF)
    points = moments_of(words)
    a, b = classes(words)
    rng = np.random.default_rng(2)
    noisy = np.array([
        [welch(x := a + rng.normal(size=len(a)) * 8, y := b + rng.normal(size=len(b)) * 8),
         welch((x - x.mean()) ** 2, (y - y.mean()) ** 2)]
        for _ in range(1500)
    ])  # fmt: skip
    ours = np.array([
        [points.first_order(8, seed)[0], points.second_order(8, seed)[0]] for seed in range(1500)
    ])  # fmt: skip
    assert ours.mean(0) == pytest.approx(noisy.mean(0), abs=0.15)
    assert ours.std(0) == pytest.approx(noisy.std(0), rel=0.1)


def test_batches_with_other_points_are_refused() -> None:
    moments = Moments(LANES)
    with pytest.raises(PathError, match="no batch"):
        moments.points()
    (words, *_) = drawn(0)
    moments.take(0, Leak.RESULT, words)
    moments.end_batch()
    moments.take(0, Leak.REGISTER, words)
    with pytest.raises(PathError, match="other points"):
        moments.end_batch()
    with pytest.raises(ValueError, match="even number"):
        Moments(5)


def test_the_s_box_is_that_of_the_circuit() -> None:
    circuit = circuits.read(generator.SBOX)
    for byte in range(256):
        bits = [byte >> i & 1 for i in range(8)]
        out = circuit.evaluate(bits)
        assert sum(bit << i for i, bit in enumerate(out)) == cpa.SBOX[byte]


@cache
def runs(variant: images.Variant, work: Work, masks: bool = True) -> tuple[Points, Points]:
    image = images.build(variant)
    one, two = (
        campaign.fixed_versus_random(image, work, TRACES, masks=masks, seed=seed, lanes=TRACES // 2)
        for seed in (1, 2)
    )
    return one, two


def leaking(variant: images.Variant, work: Work, leak: Leak, masks: bool = True) -> list[str]:
    """The functions of all points of a kind that leak."""
    one, two = runs(variant, work, masks)
    found = ttest.above(one, two) & (one.leaks == leak)
    image = images.build(variant)
    return [image.place(at).partition("+")[0] for at in one.addresses[found]]


SAFE = [pytest.param(images.SAFE, id="gcc", marks=needs_gcc), pytest.param(images.ZIG, id="zig")]
SHARED = [campaign.ENCRYPT, campaign.DECRYPT, campaign.EXPAND]


@pytest.mark.parametrize("variant", SAFE)
@pytest.mark.parametrize("work", SHARED, ids=lambda work: work.name)
def test_no_value_of_the_portable_code_leaks(variant: images.Variant, work: Work) -> None:
    assert leaking(variant, work, Leak.RESULT) == []


@needs_gcc
def test_changes_of_the_portable_code_leak() -> None:
    """Which C can't prevent, so that nobody takes it for what the assembly is to be."""
    for leak in (Leak.REGISTER, Leak.OPERAND_A, Leak.OPERAND_B, Leak.BUS):
        assert len(leaking(images.SAFE, campaign.ENCRYPT, leak)) > 50


@pytest.mark.parametrize("variant", SAFE)
def test_first_control_masks_off(variant: images.Variant) -> None:
    found = leaking(variant, campaign.ENCRYPT, Leak.RESULT, masks=False)
    assert len(found) > 1000


@needs_gcc
def test_second_control_a_compiler_that_joins_shares() -> None:
    found = leaking(images.UNSAFE, campaign.ENCRYPT, Leak.RESULT)
    assert len(found) > 20
    assert set(found) == {"sbox_order1"}


@needs_gcc
def test_what_leaks_of_blocks_is_public() -> None:
    found = leaking(images.SAFE, campaign.BLOCKS_TOO, Leak.RESULT)
    assert found
    assert set(found) <= {"share_bytes", "add", "crypt_blocks", "memcpy"}


@pytest.mark.parametrize("variant", SAFE)
def test_correlation_finds_the_key_with_masks_off_alone(variant: images.Variant) -> None:
    image = images.build(variant)
    some = (0, 5, 10, 15)
    off = cpa.attack(image, TRACES // 2, masks=False, bytes_of_key=some)
    assert all(one.found and one.margin > 0.1 for one in off)
    on = cpa.attack(image, TRACES // 2, masks=True, bytes_of_key=some)
    assert all(one.margin < 0.02 for one in on)
    assert max(one.correlations.max() for one in on) < min(one.correlations.max() for one in off)


@needs_gcc
def test_correlation_with_changes_finds_the_key_of_the_portable_code() -> None:
    (one,) = cpa.attack(images.build(images.SAFE), 2 * TRACES, leaks=tuple(Leak))
    assert one.found
    assert one.margin > 0.05


@needs_gcc
def test_the_document_says_what_was_found(tmp_path: Path) -> None:
    (points, _) = runs(images.UNSAFE, campaign.ENCRYPT)
    test = evidence.Test("unsafe", campaign.ENCRYPT, images.UNSAFE, True, points)
    image = images.build(images.SAFE)
    attacks = cpa.attack(image, 500, masks=False, bytes_of_key=(0, 1))
    found = evidence.Evidence(
        TRACES,
        evidence.costs([images.SAFE]),
        [test],
        [evidence.Attacks("masks off", attacks)],
    )
    page = tmp_path / "page.md"
    page.write_text(f"before\n{document.BEGIN}\nold\n{document.END}\nafter\n")
    document.put(page, document.of_leakage(found))
    text = page.read_text()
    values = test.above(1)[Leak.RESULT]
    assert f"| unsafe | {len(points.leaks):,} | {values} (0.1) |" in text
    assert f"| unsafe: `sbox_order1` | {values} |" in text
    assert "| masks off | 500 | 2 of 2 |" in text
    assert "old" not in text
    assert (text.startswith("before\n"), text.endswith("after\n")) == (True, True)
    cost = found.costs[images.SAFE, "one block"]
    assert f"| gcc -O2: one block | {cost.cycles:,} |" in document.of_costs(found)
    page.write_text("nothing")
    with pytest.raises(ValueError, match=r"page\.md has no place for figures"):
        document.put(page, "")
