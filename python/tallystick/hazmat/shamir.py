# SPDX-License-Identifier: Apache-2.0
"""Hazardous: raw Shamir secret sharing, for shares of other tools.

A raw share has no integrity. A wrong, altered or foreign share, or one too few, gives a wrong
secret without an error; `tallystick.shares` has shares that defend themselves. This module is for
people who come from HashiCorp Vault or OpenBao (field 0x11B) or Go-Shamir (0x11D), whose layout it
has: a byte for each byte of the secret, then the share's x coordinate, 1..255.

The first Go-Shamir makes shares with the x coordinate 0 as well, since its SplitWithRandomizer
draws from all 256. Such a share, without its last byte, is the secret in clear. `combine` refuses
it.

Shamir, "How to share a secret", Communications of the ACM 22 (1979). Coefficients are the stream of
AES-256-CTR under a key that each call takes from the operating system; every value of every
coefficient is equally likely, zero included.
"""

from collections.abc import Sequence

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError
from tallystick.memory import check, flat, wipe

AES_FIELD = 0x11B
"""The polynomial of Vault, OpenBao and all new shares: x^8 + x^4 + x^3 + x + 1."""
RS_FIELD = 0x11D
"""The polynomial of Go-Shamir and some older tools: x^8 + x^4 + x^3 + x^2 + 1."""


def split(
    secret: bytes | bytearray, shares: int, threshold: int, field: int = AES_FIELD
) -> list[bytes]:
    """Split a secret into raw shares.

    Parameters
    ----------
    secret : bytes-like
        1 byte or more.
    shares : int
        How many to make, at most 255.
    threshold : int
        How many shares reconstruct the secret: 2..shares.
    field : {0x11B, 0x11D}
        The field's polynomial.

    Returns
    -------
    list of bytes
        Each of ``len(secret) + 1`` bytes, under distinct random x coordinates.

    Raises
    ------
    ParameterError
        An argument is outside its range.
    """
    if field not in (AES_FIELD, RS_FIELD):
        raise ParameterError(f"field {field:#x} is unknown; pass 0x11B or 0x11D")
    given = flat(secret)
    if len(given) == 0:
        raise ParameterError("the secret is empty; pass 1 byte or more")
    if not 2 <= threshold <= shares <= 255:
        raise ParameterError(
            f"threshold {threshold} of {shares} shares: the threshold must be 2 or more and at "
            "most the number of shares; there are at most 255 shares"
        )
    made = [bytearray(len(given) + 1) for _ in range(shares)]
    views = [ffi.from_buffer(share, require_writable=True) for share in made]
    with ffi.from_buffer(given) as view:
        check(
            lib.tally_shamir_split(
                field, view, len(given), threshold, shares, ffi.new("uint8_t *[]", views)
            ),
            "split",
        )
    shares_made = [bytes(share) for share in made]
    for share in made:
        wipe(share)
    return shares_made


def combine(shares: Sequence[bytes | bytearray], field: int = AES_FIELD) -> bytes:
    """Reconstruct a secret from raw shares.

    All given shares are used. The caller must know the threshold and pass at least as many.

    Parameters
    ----------
    shares : sequence of bytes-like
        Shares of equal length, with distinct x coordinates.
    field : {0x11B, 0x11D}
        The field's polynomial.

    Returns
    -------
    bytes
        The secret, if the shares are right and enough; else other bytes of that length, without an
        error.

    Raises
    ------
    ParameterError
        There are fewer than 2 or more than 255 shares, their lengths differ or are below 2, an x
        coordinate is 0 or occurs twice, or the field is unknown.
    """
    if field not in (AES_FIELD, RS_FIELD):
        raise ParameterError(f"field {field:#x} is unknown; pass 0x11B or 0x11D")
    if not 2 <= len(shares) <= 255:
        raise ParameterError(f"{len(shares)} shares can't be combined; pass 2 to 255")
    given = [flat(share) for share in shares]
    sizes = sorted({len(share) for share in given})
    if len(sizes) > 1:
        raise ParameterError(
            f"shares of one secret have equal lengths, but these have {sizes} bytes; leave out "
            "shares of other secrets"
        )
    if sizes[0] < 2:
        raise ParameterError("a share has 2 bytes or more: one for each byte of the secret, then x")
    coordinates = [share[-1] for share in given]
    if 0 in coordinates:
        raise ParameterError(
            f"share {coordinates.index(0) + 1} has the x coordinate 0: if Go-Shamir made it, the "
            "share without its last byte is the secret itself; replace that secret and split the "
            "new one"
        )
    for place, x in enumerate(coordinates):
        if x in coordinates[:place]:
            first = coordinates.index(x)
            raise ParameterError(
                f"shares {first + 1} and {place + 1} have the same x coordinate, {x}; leave one out"
            )
    secret = bytearray(sizes[0] - 1)
    views = [ffi.from_buffer(share) for share in given]
    with ffi.from_buffer(secret, require_writable=True) as out:
        check(
            lib.tally_shamir_recover(
                field, ffi.new("uint8_t *[]", views), len(shares), sizes[0], out
            ),
            "combine",
        )
    result = bytes(secret)
    wipe(secret)
    return result
