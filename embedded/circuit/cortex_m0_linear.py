# SPDX-License-Identifier: Apache-2.0
"""The linear parts of masked AES on a Cortex-M0+, share by share, as Thumb code.

Each function gives the instructions of one; core/masked/cortex_m0.S calls them. All but
those between words and planes find a share's planes at r7, and a round key's at r6, behind which r6
is afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

PLANES = range(8)
PAIRS = range(4)

# Two blocks: r7 has the planes of a share, r6 a round key's, of which it takes the next.


def add_in() -> Iterator[str]:
    """Add a round key to planes at r3, which come to r7."""
    for p in PLANES:
        yield from ("ldmia r3!, {r0}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, [r7, #{4 * p}]")


def add_out() -> Iterator[str]:
    """Add a round key, and store the planes at r5."""
    for p in PLANES:
        yield from (f"ldr r0, [r7, #{4 * p}]", "ldmia r6!, {r1}", "eors r0, r1", "stmia r5!, {r0}")


def add_key() -> Iterator[str]:
    """Add a round key."""
    for p in PLANES:
        at = f"[r7, #{4 * p}]"
        yield from (f"ldr r0, {at}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, {at}")


def _turn(mask: str) -> list[str]:
    """Turn rows 2 and 3 of r0 by two columns; r1 is spoilt."""
    return [
        *("lsrs r1, r0, #4", "eors r1, r0", f"ands r1, {mask}"),
        *("eors r0, r1", "lsls r1, r1, #4", "eors r0, r1"),
    ]


def _turn_rows(most: str, most_mask: str, rest: str, rest_mask: str) -> Iterator[str]:
    """Turn rows 2 and 3 by two columns, then rows 1 and 3 by one: by two shifts of their bits."""
    yield from ("ldr r3, =0x0f0f0000", f"ldr r4, ={most_mask}")
    yield from (f"ldr r5, ={rest_mask}", "ldr r6, =0x00ff00ff")
    for p in PLANES:
        yield f"ldr r0, [r7, #{4 * p}]"
        yield from _turn("r3")
        yield from (f"{most} r1, r0, #2", f"{rest} r2, r0, #6", "ands r1, r4", "ands r2, r5")
        yield from ("ands r0, r6", "eors r0, r1", "eors r0, r2", f"str r0, [r7, #{4 * p}]")


def shift_rows() -> Iterator[str]:
    """Turn row r, which is byte r; two blocks of column c are its bits 2 c and 2 c + 1."""
    return _turn_rows("lsrs", "0x3f003f00", "lsls", "0xc000c000")


def inverse_shift_rows() -> Iterator[str]:
    """Turn rows back."""
    return _turn_rows("lsls", "0xfc00fc00", "lsrs", "0x03000300")


def mix_columns() -> Iterator[str]:
    """Mix columns, and add a round key.

    With d = a row + the row below it, a row becomes the row below + d of the opposite row + 2 d.
    Doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4.
    """
    yield from ("movs r4, #8", "movs r5, #16", "ldr r2, [r7, #28]")
    yield from ("mov r1, r2", "rors r1, r4", "eors r2, r1", "mov r3, r2")
    new, old = "r0", "r2"  # d of this plane, and of the one before
    for p in range(7):
        yield from (f"ldr {new}, [r7, #{4 * p}]", f"mov r1, {new}", "rors r1, r4")
        yield from (f"eors {new}, r1", f"eors {old}, r1", f"mov r1, {new}", "rors r1, r5")
        yield f"eors r1, {old}"
        if p in (1, 3, 4):
            yield "eors r1, r3"
        yield from (f"ldmia r6!, {{{old}}}", f"eors r1, {old}", f"str r1, [r7, #{4 * p}]")
        new, old = old, new
    # The last plane + its d is the row below.
    yield from ("ldr r1, [r7, #28]", "eors r1, r3", f"eors r1, {old}", "rors r3, r5")
    yield from ("eors r1, r3", "ldmia r6!, {r0}", "eors r1, r0", "str r1, [r7, #28]")


def before_mix_columns() -> Iterator[str]:
    """Add four times the sum of a row and its opposite: then MixColumns is its inverse."""
    yield "movs r5, #16"
    for register, p in (("r3", 6), ("r4", 7)):
        yield from (f"ldr r0, [r7, #{4 * p}]", f"mov {register}, r0")
        yield from (f"rors {register}, r5", f"eors {register}, r0")
    terms = {0: ("r3",), 1: ("r3", "r4"), 2: ("r4",), 3: ("r3",), 4: ("r3", "r4"), 5: ("r4",)}
    doubled = ["r1", "r2", "r6"]
    for p in PLANES:
        d, older = doubled[p % 3], doubled[(p + 1) % 3]  # of this plane, of two planes before
        yield f"ldr r0, [r7, #{4 * p}]"
        if p < 6:
            yield from (f"mov {d}, r0", f"rors {d}, r5", f"eors {d}, r0")
        yield from (f"eors r0, {register}" for register in terms.get(p, ()))
        if p >= 2:
            yield f"eors r0, {older}"
        yield f"str r0, [r7, #{4 * p}]"


def turn() -> Iterator[str]:
    """Copy planes from r6 to r5, and rotate each byte to the right by what r4 says.

    A byte has a row: so columns, and both blocks, come into another order. Bytes are doubled to 16
    bits, so that rotated words have rotated bytes. A mask for each order would take less, but show
    it by its weight. Here only changes do, and only whether the amount is 8: the identity.
    """
    yield "ldr r3, =0x00ff00ff"
    for _ in PLANES:
        yield from ("ldmia r6!, {r0}", "mov r1, r0", "ands r0, r3", "eors r1, r0")
        yield from ("lsls r2, r0, #8", "eors r0, r2", "lsrs r2, r1, #8", "eors r1, r2")
        yield from ("rors r0, r4", "rors r1, r4", "ands r0, r3", "ands r1, r3")
        yield from ("lsls r1, r1, #8", "eors r0, r1", "stmia r5!, {r0}")
    yield "movs r4, #0"


# Three shares have one S-box, so its inverse is that between two inverses of the affine map.


def inverse_affine() -> Iterator[str]:
    """Undo the affine map of the S-box: bit i becomes the sum of bits i + 2, i + 5 and i + 7.

    Bits 0 and 2 are inverted too. All three shares are, which inverts their sum.
    """
    yield from ("ldmia r7!, {r0-r6}", "subs r7, #28")
    yield from ("eors r0, r3", "eors r0, r5", "str r0, [r7, #24]", "ldr r0, [r7, #28]")
    yield from ("eors r5, r2", "eors r3, r6", "eors r6, r4", "eors r6, r1", "str r6, [r7, #28]")
    yield from ("eors r4, r0", "eors r0, r5", "mvns r0, r0", "ldr r6, [r7]", "str r0, [r7]")
    yield from ("eors r5, r6", "str r5, [r7, #12]", "eors r6, r3", "str r6, [r7, #4]")
    yield from ("eors r3, r1", "str r3, [r7, #16]", "eors r1, r4", "mvns r1, r1")
    yield from ("str r1, [r7, #8]", "eors r2, r4", "str r2, [r7, #20]")


# The key schedule of AES-128: r7 has a round key's planes after the S-box.


def copy_key() -> Iterator[str]:
    """Copy planes from r3 to r7 and to r6."""
    for p in PLANES:
        yield from ("ldmia r3!, {r0}", "stmia r6!, {r0}", f"str r0, [r7, #{4 * p}]")


def _sums_of_columns(key: str, spare: str) -> list[str]:
    """Sum up the columns of a key, each with those before it; masks are in r4 and r5."""
    return [
        *(f"lsls {spare}, {key}, #2", f"ands {spare}, r4", f"eors {key}, {spare}"),
        *(f"lsls {spare}, {key}, #4", f"ands {spare}, r5", f"eors {key}, {spare}"),
    ]


def next_key(shares: int = 2) -> Iterator[str]:
    """Store the next round key behind all shares of that at r6, and at r7 too."""
    yield from ("ldr r2, =0x03030303", "movs r3, #8", "ldr r4, =0xfcfcfcfc", "ldr r5, =0xf0f0f0f0")
    for p in PLANES:
        yield from (f"ldr r0, [r7, #{4 * p}]", "lsrs r0, r0, #6", "ands r0, r2", "rors r0, r3")
        yield from (f"ldr r1, [r6, #{4 * p}]", "eors r0, r1")
        yield from _sums_of_columns("r0", "r1")
        yield from (f"str r0, [r7, #{4 * p}]", f"str r0, [r6, #{32 * shares + 4 * p}]")


# One block, and the key schedule on the way. In a plane of the state the block's bits are the even
# ones, and the last column of its round key has odd ones. Linear parts go by pairs of
# planes, p in even bits and p + 4 in odd ones. The round key is stored so too, behind the planes.


def _planes_of(j: int, pair: str, key: str, a: str, b: str) -> list[str]:
    """Store a pair as two planes, with the round key's last column; masks are in r5 and r6."""
    return [
        *(f"lsrs {a}, {pair}, #1", f"ands {a}, r5", f"ands {pair}, r5", f"lsls {b}, {key}, #1"),
        *(f"ands {b}, r6", f"eors {pair}, {b}", f"str {pair}, [r7, #{4 * j}]"),
        *(f"ands {key}, r6", f"eors {a}, {key}", f"str {a}, [r7, #{4 * j + 16}]"),
    ]


def begin() -> Iterator[str]:
    """Add the planes at r3: a block in even bits, and its key in odd ones."""
    yield from ("ldr r5, =0x55555555", "ldr r6, =0x80808080")
    for j in PAIRS:
        yield from (f"ldr r0, [r3, #{4 * j}]", f"ldr r1, [r3, #{4 * j + 16}]")
        yield from ("lsrs r2, r0, #1", "ands r2, r5", "mov r4, r1", "bics r4, r5", "eors r2, r4")
        yield from ("ands r0, r5", "ands r1, r5", "lsls r1, r1, #1", "eors r0, r1", "eors r0, r2")
        yield f"str r2, [r7, #{32 + 4 * j}]"
        yield from _planes_of(j, "r0", "r2", "r1", "r4")


def pair_constant() -> Iterator[str]:
    """Add a round constant to the round key's pairs."""
    for j in PAIRS:
        at = f"[r7, #{32 + 4 * j}]"
        yield from (f"ldr r0, {at}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, {at}")


def pair_constants() -> Iterator[str]:
    """Give the table of round constants, as pairs."""
    constant = 1
    for _ in range(10):
        words = [constant >> j & 1 | (constant >> j + 4 & 1) << 1 for j in PAIRS]
        yield f".word {', '.join(map(str, words))}"
        constant = constant << 1 ^ 0x11B * (constant >> 7)


def pair_key() -> Iterator[str]:
    """Make the next round key, of its last column after the S-box."""
    yield from ("ldr r2, =0x01010101", "lsls r3, r2, #1", "ldr r4, =0xfcfcfcfc")
    yield from ("ldr r5, =0xf0f0f0f0", "movs r6, #8")
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", "lsrs r0, r0, #7", "ands r0, r2")
        yield from (f"ldr r1, [r7, #{4 * j + 16}]", "lsrs r1, r1, #6", "ands r1, r3")
        yield from ("eors r0, r1", "rors r0, r6", f"ldr r1, [r7, #{32 + 4 * j}]", "eors r0, r1")
        yield from _sums_of_columns("r0", "r1")
        yield f"str r0, [r7, #{32 + 4 * j}]"


def pair_shift_rows() -> Iterator[str]:
    """Make pairs of planes, and rotate their rows."""
    yield from ("ldr r3, =0x0f0f0000", "ldr r4, =0x55555555")
    yield from ("ldr r5, =0x3f003f00", "ldr r6, =0xc000c000")
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", f"ldr r1, [r7, #{4 * j + 16}]")
        yield from ("ands r0, r4", "ands r1, r4", "lsls r1, r1, #1", "eors r0, r1")
        yield from _turn("r3")
        yield from ("lsrs r1, r0, #2", "eors r1, r0", "ands r1, r5")
        yield from ("lsls r2, r0, #6", "eors r2, r0", "ands r2, r6")
        yield from ("eors r0, r1", "eors r0, r2", f"str r0, [r7, #{4 * j}]")


def pair_mix_columns() -> Iterator[str]:
    """As `mix_columns`; before the first pair is the last one, its planes exchanged."""
    yield from ("movs r4, #8", "ldr r5, =0x55555555", "ldr r6, =0x80808080", "ldr r0, [r7, #12]")
    yield from ("mov r1, r0", "rors r1, r4", "eors r0, r1", "lsrs r3, r0, #1", "ands r3, r5")
    yield from ("mov r12, r3", "ands r0, r5", "lsls r2, r0, #1", "eors r2, r3")
    new, old = "r0", "r2"
    for j in PAIRS:
        yield from (f"ldr {new}, [r7, #{4 * j}]", f"mov r1, {new}", "rors r1, r4")
        yield from (f"eors {new}, r1", f"eors {old}, r1", f"mov r1, {new}", "rors r1, r4")
        yield from ("rors r1, r4", f"eors r1, {old}")
        if j != 2:  # the top plane goes to plane 4, an odd one of its pair, and to planes 1 and 3
            yield "mov r3, r12"
            if j == 0:
                yield "lsls r3, r3, #1"
            yield "eors r1, r3"
        yield from (f"ldr {old}, [r7, #{32 + 4 * j}]", f"eors r1, {old}")
        yield from _planes_of(j, "r1", old, "r3", "r4")
        if j != PAIRS[-1]:
            yield "movs r4, #8"
        new, old = old, new
    yield from ("movs r4, #0", "mov r12, r4")


def pair_out() -> Iterator[str]:
    """Add the last round key, and store the block's planes at r5."""
    yield "ldr r4, =0x55555555"
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", f"ldr r1, [r7, #{32 + 4 * j}]", "eors r0, r1")
        yield from ("mov r1, r0", "ands r1, r4", f"str r1, [r5, #{4 * j}]")
        yield from ("lsrs r0, r0, #1", "ands r0, r4", f"str r0, [r5, #{4 * j + 16}]")


# Bytes to planes. Word c of block b has column c, a row in each byte; bit p of its bytes belongs to
# plane p, in bits 2 c + b of bytes: eight by eight bits are transposed.


def _exchange(a: str, b: str, spare: str, shift: int, mask: str) -> list[str]:
    return [
        *(f"lsrs {spare}, {a}, #{shift}", f"eors {spare}, {b}", f"ands {spare}, {mask}"),
        *(f"eors {b}, {spare}", f"lsls {spare}, {spare}, #{shift}", f"eors {a}, {spare}"),
    ]


def _quad() -> Iterator[str]:
    """Transpose within the words in r2 to r5; masks are in r6 and r7."""
    for a, b, shift, mask in (
        *(("r2", "r3", 1, "r6"), ("r4", "r5", 1, "r6")),
        *(("r2", "r4", 2, "r7"), ("r3", "r5", 2, "r7")),
    ):
        yield from _exchange(a, b, "r0", shift, mask)


_BYTES = [4 * (4 * b + c) for c in range(4) for b in (0, 1)]  # of word 2 c + b
_MASKS = ["ldr r6, =0x55555555", "ldr r7, =0x33333333"]
_CLEAN = [
    *("movs r0, #0", "movs r2, #0", "movs r3, #0", "movs r4, #0", "movs r5, #0"),
    *("tst r0, r0", "push {r0}", "pop {r0}"),
]


def slice_share() -> Iterator[str]:
    """Go from words at r0 to planes at r1."""
    yield "push {r4-r7, lr}"
    yield "ldr r6, =0x0f0f0f0f"
    for i in PAIRS:
        yield from (f"ldr r2, [r0, #{_BYTES[i]}]", f"ldr r3, [r0, #{_BYTES[i + 4]}]")
        yield from _exchange("r2", "r3", "r4", 4, "r6")
        yield from (f"str r2, [r1, #{4 * i}]", f"str r3, [r1, #{4 * i + 16}]")
    yield from _MASKS
    for _ in (0, 1):
        yield "ldmia r1!, {r2-r5}"
        yield from _quad()
        yield from ("subs r1, #16", "stmia r1!, {r2-r5}")
    yield from (*_CLEAN, "pop {r4-r7, pc}")


def unslice_share() -> Iterator[str]:
    """Go from planes at r0 to words at r1."""
    yield "push {r4-r7, lr}"
    yield "ldr r6, =0x0f0f0f0f"
    for i in PAIRS:
        yield from (f"ldr r2, [r0, #{4 * i}]", f"ldr r3, [r0, #{4 * i + 16}]")
        yield from _exchange("r2", "r3", "r4", 4, "r6")
        yield from (f"str r2, [r1, #{_BYTES[i]}]", f"str r3, [r1, #{_BYTES[i + 4]}]")
    yield from _MASKS
    for at in (0, 4):
        places = list(zip(("r2", "r3", "r4", "r5"), _BYTES[at : at + 4], strict=True))
        yield from (f"ldr {register}, [r1, #{place}]" for register, place in places)
        yield from _quad()
        yield from (f"str {register}, [r1, #{place}]" for register, place in places)
    yield from (*_CLEAN, "pop {r4-r7, pc}")
