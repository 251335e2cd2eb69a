# SPDX-License-Identifier: Apache-2.0
"""What compilers make of the masked S-box's C code, on x86-64: read back, and checked like it."""

import platform
import random
import shutil
import subprocess

import pytest
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits, masking, probing, x86
from embedded.circuit.masking import Program

CORE = generator.ROOT / "core"
SBOX = circuits.read(generator.SBOX)
CLANG = "clang-16" if shutil.which("clang-16") else "clang"

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86-64 assembly")


def compiled(compiler: str, level: str, bits: int, order: int, *options: str) -> Program:
    """Compile, and read back. Without vectors of several planes, which can't be followed."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} not installed")
    command = [
        *(compiler, "-std=c11", level, "-fno-tree-slp-vectorize", *options),
        *("-fno-asynchronous-unwind-tables", f"-I{CORE}", f"-I{CORE / 'include'}"),
        *("-S", str(CORE / "masked" / f"c{bits}.c"), "-o", "-"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    program = masking.masked(SBOX, order)
    return x86.followed(done.stdout, f"masked_c{bits}_sbox_order{order}", program, bits // 8)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("compiler", ["gcc", CLANG])
def test_no_result_of_an_instruction_leaks(
    compiler: str, level: str, bits: int, order: int
) -> None:
    program = compiled(compiler, level, bits, order)
    source = random.Random(bits)  # noqa: S311
    wires = [*program.randoms, *(wire for wires in program.inputs for wire in wires)]
    values = {wire: source.getrandbits(256) for wire in wires}
    meant = masking.masked(SBOX, order)
    expected = meant.evaluate(values, (1 << 256) - 1)
    results = program.evaluate(values, (1 << 256) - 1)
    for outputs, others in zip(program.outputs, meant.outputs, strict=True):
        assert [results[wire] for wire in outputs] == [expected[wire] for wire in others]
    assert list(probing.leaks(program, 1)) == []


def test_without_opaque_sums_gcc_brings_shares_together() -> None:
    program = compiled("gcc", "-O2", 64, 1, "-U__GNUC__")
    assert any("xor" in leak.wires[0] for leak in probing.leaks(program, 1))


def test_what_cannot_be_followed_is_said() -> None:
    program = masking.masked(SBOX, 1)
    for code, message in [
        ("\tjne .L1", "unknown instruction jne"),
        ("\txorq %rdi, %rsi", "not on words"),
    ]:
        with pytest.raises(x86.AssemblyError, match=message):
            x86.followed(f"\nsbox:\n{code}\n", "sbox", program, 8)
