# SPDX-License-Identifier: Apache-2.0
"""Leakage: the statistics, that the assembly shows nothing in a few thousand traces, and that all
controls do.

A point counts where two runs with other masks agree, so that chance alone does not fail a test.
"""

from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits, search
from embedded.circuit.thumb import LeakError
from embedded.emulator import costs, images, tables
from embedded.emulator.costs import KEY
from embedded.emulator.images import Variant
from embedded.emulator.leaks import CHIP, ELMO, EVERY, OTHERS, REMOVED, Leak
from embedded.leakage import campaign, cpa, document, evidence, ttest
from embedded.leakage.campaign import Work
from embedded.leakage.public import are_public
from embedded.leakage.ttest import Moments, PathError, Points

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


def test_thresholds_are_corrected_for_the_number_of_points() -> None:
    assert [round(ttest.corrected(n), 2) for n in (1, 100, 160_000)] == [4.5, 4.5, 5.81]
    # By simulation: how often the largest of so many points that do not leak is above it.
    rng = np.random.default_rng(4)
    worst = np.abs(rng.standard_normal((4000, 5000), np.float32)).max(1)
    assert (worst > ttest.corrected(5000)).mean() == pytest.approx(ttest.FALSE_ALARM, abs=0.0015)


def test_runs_agree_where_signs_do() -> None:
    one = np.array([5.0, 5.0, 4.0, -5.0, np.inf])
    other = np.array([5.0, -5.0, 9.0, -4.6, np.inf])
    assert ttest.agree(one, other).tolist() == [True, False, False, True, True]


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
def runs(
    variant: Variant, work: Work, masks: bool, kinds: frozenset[Leak]
) -> tuple[Points, Points]:
    image = images.build(variant)
    one, two = campaign.runs(image, work, TRACES, masks=masks, seed=1, kinds=kinds)
    return one, two


def leaking(
    variant: Variant, work: Work, masks: bool = True, kinds: frozenset[Leak] = REMOVED
) -> Counter[tuple[str, Leak]]:
    """The functions of all points that leak, and what leaks there."""
    one, two = runs(variant, work, masks, kinds)
    found = ttest.above(one, two)
    image = images.build(variant)
    places = (image.place(at).partition("+")[0] for at in one.addresses[found])
    return Counter(zip(places, (Leak(leak) for leak in one.leaks[found]), strict=True))


ASSEMBLY = [
    pytest.param(images.REGISTER, id="register", marks=needs_gcc),
    pytest.param(images.SAFE, id="callback", marks=needs_gcc),
    pytest.param(images.ZIG, id="zig"),
]
EVALUATED = [*ASSEMBLY, pytest.param(images.SMALL, id="small", marks=needs_gcc)]
WITH_PUBLIC = [campaign.OF_BLOCKS, campaign.ONCE, campaign.CTR]


def name_of(work: Work) -> str:
    return work.name


@pytest.mark.parametrize("variant", EVALUATED)
@pytest.mark.parametrize("work", campaign.SECRET, ids=name_of)
def test_nothing_leaks_where_nothing_is_public(variant: Variant, work: Work) -> None:
    assert leaking(variant, work) == Counter()


# Where plaintexts are shared, and ciphertexts put together, copied and wiped.
BY_GCC = {
    campaign.OF_BLOCKS: {
        *("tally_masked_add", "memcpy", "memset", "copy_up"),
        "tally_masked_crypt_blocks",
    },
    campaign.ONCE: {"tally_masked_add", "memcpy", "memset", "copy_up", "tally_wipe"},
    campaign.CTR: {"copy_up"},
}
BY_CLANG = {
    campaign.OF_BLOCKS: {
        *("__aeabi_memcpy", "__aeabi_memclr"),
        *("tally_masked_share_bytes", "tally_masked_crypt_blocks"),
    },
    campaign.ONCE: {
        *("__aeabi_memcpy", "__aeabi_memclr"),
        *("tally_masked_encrypt_once", "tally_masked_cortex_m0_copy", "tally_wipe"),
    },
    campaign.CTR: {"__aeabi_memcpy"},
}


@pytest.mark.parametrize("variant", EVALUATED)
@pytest.mark.parametrize("work", WITH_PUBLIC, ids=name_of)
def test_what_leaks_of_blocks_is_public(variant: Variant, work: Work) -> None:
    public = BY_CLANG if variant.compiler == "zig" else BY_GCC
    assert {name for name, _ in leaking(variant, work)} == public[work]
    one, two = runs(variant, work, True, REMOVED)
    found = ttest.above(one, two)
    assert are_public(images.build(variant), work, one, found).tolist() == found.tolist()


@needs_gcc
def test_points_that_are_not_public_are_reported() -> None:
    """Of C without barriers, the wrapper's points are public, and those of S-boxes are not."""
    image = images.build(images.UNSAFE)
    one, two = runs(images.UNSAFE, campaign.OF_BLOCKS, True, REMOVED)
    found = ttest.above(one, two)
    public = are_public(image, campaign.OF_BLOCKS, one, found)
    places = [image.place(at).partition("+")[0] for at in one.addresses.tolist()]
    of_sboxes = np.array([place == "masked_c32_sbox_order1" for place in places])
    of_wrapper = np.array([place in ("tally_masked_add", "memcpy") for place in places])
    assert (found & of_sboxes).sum() > 500
    assert not (public & of_sboxes).any()
    assert (public & of_wrapper).sum() == (found & of_wrapper).sum() > 50


@pytest.mark.parametrize("variant", ASSEMBLY)
def test_first_control_masks_off(variant: Variant) -> None:
    found = leaking(variant, campaign.ENCRYPT, masks=False)
    assert all(found["sub_bytes", leak] > 300 for leak in REMOVED)


@needs_gcc
def test_kinds_that_the_assembly_has_are_those_that_are_named() -> None:
    """So that words about them stay true: crossed ports and ghost reads, in S-boxes alone."""
    found = leaking(images.REGISTER, campaign.ENCRYPT, kinds=OTHERS)
    assert {leak for _, leak in found} == OTHERS
    assert {name for name, _ in found} == {"sub_bytes"}


@needs_gcc
def test_second_control_a_compiler_that_joins_shares() -> None:
    found = leaking(images.UNSAFE, campaign.ENCRYPT)
    assert found["masked_c32_sbox_order1", Leak.RESULT] > 20
    assert {name for name, leak in found if leak == Leak.RESULT} == {"masked_c32_sbox_order1"}


@needs_gcc
def test_third_control_changes_of_the_portable_code() -> None:
    """Its values do not leak; that their changes do is what C can't prevent."""
    found = leaking(images.PORTABLE, campaign.ENCRYPT)
    assert {leak for _, leak in found} == REMOVED - {Leak.RESULT}
    for leak in CHIP - {Leak.RESULT, Leak.CELL, Leak.FLAG} | ELMO | {Leak.LAST_ALU}:
        assert found["masked_c32_sbox_order1", leak] > 50


@pytest.mark.parametrize("variant", [ASSEMBLY[0], ASSEMBLY[-1]])
def test_correlation_finds_the_key_with_masks_off_alone(variant: Variant) -> None:
    image = images.build(variant)
    some, everything = (0, 10), tuple(Leak)
    off = cpa.attack(image, TRACES, masks=False, leaks=everything, bytes_of_key=some)
    assert all(one.found and one.margin > 0.1 for one in off)
    on = cpa.attack(image, TRACES, masks=True, leaks=everything, bytes_of_key=some)
    assert all(one.margin < 0.02 for one in on)
    assert max(one.correlations.max() for one in on) < min(one.correlations.max() for one in off)


@needs_gcc
def test_correlation_with_changes_finds_the_key_of_the_portable_code() -> None:
    (one,) = cpa.attack(images.build(images.PORTABLE), 2 * TRACES, leaks=tuple(Leak))
    assert one.found
    assert one.margin > 0.05


def test_shares_without_masks_are_shares_of_the_s_box() -> None:
    first, second = np.split(cpa.shares_without_masks(), 2, axis=1)
    assert (np.packbits(first ^ second, axis=1, bitorder="little")[:, 0] == cpa.SBOX).all()


def test_correlations_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    lanes, points, byte = 300, 5, 2
    values = rng.integers(0, 256, (lanes, 2), np.uint8)
    x = rng.integers(0, 33, (points, lanes)).astype(np.float32) - 16
    x[1] += cpa.SBOX[values[:, 0] ^ KEY[byte]] >> 3 & 1
    sums = cpa.Sums(cpa.results())
    for part in (slice(0, 100), slice(100, lanes)):
        sums.add(x[:, part], values[part])
    expected = np.zeros(256)
    for guess in range(256):
        outputs = cpa.SBOX[values ^ guess]
        for bit in range(8):
            predicted = (outputs >> bit & 1).sum(1)
            found = [abs(np.corrcoef(row, predicted)[0, 1]) for row in x]
            expected[guess] = max(expected[guess], *found)
    assert sums.correlations() == pytest.approx(expected)


@needs_gcc
def test_the_document_says_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The search takes a minute, and test_thumb.py checks what it finds.
    def without(name: str, kinds: frozenset[Leak], _: int) -> SimpleNamespace:
        if (name, kinds) == ("inverse_sub_bytes", EVERY):
            raise LeakError("too short")
        return SimpleNamespace(cycles=12_345)

    monkeypatch.setattr(search, "without", without)
    image = images.build(images.REGISTER)
    once = evidence.test(images.REGISTER, campaign.ONCE, TRACES)
    unsafe = evidence.test(images.UNSAFE, campaign.ENCRYPT, TRACES)
    attacks = cpa.attack(image, 500, masks=False, bytes_of_key=(0, 1))
    found = evidence.Evidence(TRACES, [once], [unsafe], [evidence.Attacks("masks off", attacks)])
    page = tmp_path / "page.md"
    page.write_text(f"before\n{tables.BEGIN.format('us')}\nold\n{tables.END}\nafter\n")
    tables.put(page, "us", document.of_leakage(found))
    text = page.read_text()
    public, above = once.public.sum(), once.above().sum()
    assert 50 < public <= above
    name = "gcc, masks from a register: one block and its key"
    traces, points = f"{2 * once.points.traces:,}", f"{len(once.public):,}"
    chance = f"{(len(once.public) - public) * evidence.CHANCE:.1f}"
    assert f"| {name} | {traces} | {points} | {chance} | {above} | {public} | 0 |" in text
    assert "and ELMO*" in text
    assert f"| {name} | `tally_masked_add` " in text
    values = unsafe.count(unsafe.above(), [Leak.RESULT])
    assert values > 20
    assert f"C without barriers: encryption | {len(unsafe.public):,} | {values} |" in text
    assert "| masks off | 500 | 2 of 2 |" in text
    assert text.count("| 12,345 | 12,345 | 12,345 |") == 1
    assert "| 12,345 | 12,345 | not found in 12,000 tries |" in text
    assert "\nold\n" not in text
    assert (text.startswith("before\n"), text.endswith("after\n")) == (True, True)
    page.write_text("nothing")
    with pytest.raises(ValueError, match=r"page\.md has no place for figures"):
        tables.put(page, "us", "")


def test_a_point_that_one_run_alone_has_is_listed() -> None:
    """With t of both runs."""
    others, second = drawn(3), drawn(2)

    def points(batches: list[np.ndarray]) -> Points:
        moments = Moments(LANES)
        for batch, other in zip(batches, others, strict=True):
            moments.take(0x10, Leak.LAST_MOVED, batch)
            for at in range(5000):  # so that the corrected threshold is above 4.5
                moments.take(0x20 + at, Leak.RESULT, other)
            moments.end_batch()
        return moments.points()

    def biased(lanes: int) -> list[np.ndarray]:
        first = drawn(1)
        for batch in first:
            batch[:lanes] &= 0xFFFF00FF
        return first

    lanes = next(n for n in range(LANES // 2) if abs(moments_of(biased(n)).first_order()[0]) > 4.5)
    one, two = points(biased(lanes)), points(second)
    none = np.zeros(5001, np.bool_)
    found = evidence.Test(campaign.ENCRYPT, images.ZIG, True, one, two, none)
    t, again = one.first_order()[0], two.first_order()[0]
    assert 4.5 < abs(t) < found.limit
    row = f"| last moved 1 | `0x10` 1 | {t:.2f} | {again:.2f} |\n"
    text = tables.table(("", "", "", "", ""), document.unconfirmed(found))
    assert text.endswith(f"| clang, masks by callback: encryption {row}")
    same = evidence.Test(campaign.ENCRYPT, images.ZIG, True, one, one, none)
    assert document.unconfirmed(same) == []


def test_a_point_that_leaks_is_confirmed_by_a_second_run() -> None:
    """One that leaks by chance is not."""
    words = drawn(1)
    joined = [batch & np.repeat(np.array([0xFF, 0xFFFF], np.uint32), LANES // 2) for batch in words]
    runs_of = [moments_of(joined), moments_of(drawn(2))]
    none = np.zeros(1, np.bool_)
    for again, expected in ((runs_of[0], True), (runs_of[1], False), (None, False)):
        test = evidence.Test(campaign.ENCRYPT, images.ZIG, True, runs_of[0], again, none)
        assert (test.above()[0], test.confirmed()[0]) == (True, expected)
        # One point in one run is enough above the corrected threshold.
        assert test.leaking()[0] == (abs(test.t()[0]) > test.limit)
        assert test.leaking()[0]
    turned = evidence.Test(
        campaign.ENCRYPT, images.ZIG, True, runs_of[0], moments_of(swapped(joined)), none
    )
    assert (turned.above()[0], turned.confirmed()[0]) == (True, False)
    public = evidence.Test(campaign.ENCRYPT, images.ZIG, True, runs_of[0], runs_of[0], ~none)
    assert not public.confirmed()[0]
    assert not public.leaking()[0]


def swapped(words: list[np.ndarray]) -> list[np.ndarray]:
    """With one class in the place of the other."""
    return [np.roll(batch, LANES // 2) for batch in words]


@pytest.mark.parametrize("variant", [ASSEMBLY[-1]])
def test_costs_are_those_that_the_documents_state(variant: Variant) -> None:
    found = costs.costs(variant)
    once = found["one block and its key"]
    text = costs.of_costs([variant])
    for figure in (once.cycles, once.stack, once.random_words):
        assert f"| one block and its key | {figure:,} |\n" in text
    ((_, *sizes),) = costs.sizes([variant])
    encryption, everything, assembly, c = (int(size.replace(",", "")) for size in sizes)
    image = images.build(variant)
    functions = [f for f in image.functions() if f.name in {"sub_bytes", "inverse_sub_bytes"}]
    assert sum(f.size for f in functions) < assembly < 17_000
    assert max(cost.code(image) for cost in found.values()) < encryption < everything
    assert everything < assembly + c + 2000


@pytest.mark.parametrize("variant", ASSEMBLY)
def test_costs_are_as_low_as_they_are_to_be(variant: Variant) -> None:
    """A masked block with its key schedule, two blocks, and what memory they need. The expansion
    of a key before them is within its limit with masks from a register alone."""
    found = costs.costs(variant)
    with_key = found["two blocks"].cycles + found["key expansion"].cycles
    assert found["one block and its key"].cycles <= 25_000
    assert found["two blocks"].cycles <= 24_000
    assert found["two blocks, decrypted"].cycles <= 27_500
    assert with_key <= (40_000 if variant.register else 44_000)
    image = images.build(variant)
    assert all(cost.stack < 1.2 * 1024 for cost in found.values())
    limit = 8 if variant.compiler == "gcc" else 10
    assert all(cost.code(image) < limit * 1024 for cost in found.values())
