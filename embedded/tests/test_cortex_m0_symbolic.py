# SPDX-License-Identifier: Apache-2.0
"""The exact check of machine code: that nothing leaks, and that it would be found."""

import pytest
from embedded.emulator import images
from embedded.emulator.leaks import Leak
from embedded.leakage import symbolic
from embedded.leakage.symbolic import Job

from cortex_m0_support import needs_gcc, sabotaged

BUILDS = [
    pytest.param(images.REGISTER, id="register", marks=needs_gcc),
    pytest.param(images.SAFE, id="callback", marks=needs_gcc),
    pytest.param(images.ZIG, id="zig"),
]
ENCRYPT, DECRYPT, EXPAND, ONCE = symbolic.JOBS


@pytest.mark.parametrize("variant", BUILDS)
@pytest.mark.parametrize("job", symbolic.JOBS, ids=lambda job: job.name)
def test_no_value_and_no_change_depends_on_a_secret(variant: images.Variant, job: Job) -> None:
    """From its begin to its end, the last round included."""
    found = symbolic.check(images.build(variant), job, fresh=True)
    assert found.is_safe
    assert found.ended
    assert found.checked > 300_000


@needs_gcc
@pytest.mark.parametrize("job", [ENCRYPT, EXPAND], ids=lambda job: job.name)
def test_a_round_of_one_sharing(job: Job) -> None:
    """The state is what key and block make it, not shared anew before the S-box."""
    found = symbolic.check(images.build(images.SAFE), job, fresh=False, rounds=1)
    assert found.is_safe
    assert not found.ended


@needs_gcc
@pytest.mark.parametrize("job", symbolic.JOBS, ids=lambda job: job.name)
def test_no_memory_tells_of_the_round_before(job: Job) -> None:
    found = symbolic.check(images.build(images.SAFE), job, fresh=False, leaks=[Leak.CELL])
    assert found.is_safe
    assert found.ended
    assert found.checked > 10_000


COPY = "tally_masked_cortex_m0_copy"


@pytest.mark.parametrize("variant", BUILDS)
@pytest.mark.parametrize("past", [0, 1])
@pytest.mark.parametrize("size", [4, 16, 32])
def test_shares_are_copied_one_after_the_other(
    variant: images.Variant, size: int, past: int
) -> None:
    found = symbolic.check_copies(images.build(variant), size, past)
    assert found.is_safe
    assert found.checked > 100 * size


COPY_NEEDS = [
    pytest.param([0x2300], Leak.READ, id="movs r3, #0"),
    pytest.param([0xB408, 0xBC08], Leak.WRITE, id="push {r3}"),
    pytest.param([0xBC08], Leak.READ, id="pop {r3}"),
]


@needs_gcc
@pytest.mark.parametrize(("codes", "leak"), COPY_NEEDS)
def test_what_is_put_between_copies_is_needed(codes: list[int], leak: Leak) -> None:
    """Of one word, whose shares follow each other on the buses."""
    broken = images.build(images.SAFE)
    for code in codes:
        broken = sabotaged(broken, COPY, code)
    assert leak in {kind for _, kind, _ in symbolic.check_copies(broken, 4, 0).leaks}


# Instructions that bring a constant between, and where.
NEEDED = [
    pytest.param(ENCRYPT, "sub_bytes", 0x423F, 0xFFFF, id="tst r7, r7"),
    pytest.param(ENCRYPT, "sub_bytes", 0x2000, 0xF8FF, id="movs r, #0"),
    pytest.param(ONCE, "pair_mix_columns", 0x46A4, 0xFFFF, id="mov r12, r4"),
]


@needs_gcc
@pytest.mark.parametrize(("job", "function", "code", "mask"), NEEDED)
def test_what_is_put_between_is_needed(job: Job, function: str, code: int, mask: int) -> None:
    image = images.build(images.REGISTER)
    broken = sabotaged(image, function, code, mask)
    assert not symbolic.check(broken, job, fresh=True, ends_early=True).is_safe


@needs_gcc
def test_leaks_of_compiled_code_are_found() -> None:
    """Those that C can't prevent; and values, where the compiler joined shares."""
    for variant, leak in ((images.PORTABLE, Leak.REGISTER), (images.UNSAFE, Leak.RESULT)):
        image = images.build(variant)
        found = symbolic.check(
            image,
            Job("masked_c32_encrypt_2", "masked_c32_sbox_order1"),
            fresh=False,
            leaks=[leak],
            ends_early=True,
        )
        assert found.leaks
