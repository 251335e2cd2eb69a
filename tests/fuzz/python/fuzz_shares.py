# SPDX-License-Identifier: Apache-2.0
"""Shares of a secret, binary, printed and typed: refused, or good; bad ones do no harm.

And raw ones, which have nothing that tells: those of one split combine in any order, and whatever
else is combined is refused or gives as many bytes as there should be.
"""

from contextlib import suppress

import atheris

from harness import Folder, fuzz, refusing, size_of
from seeds import GOOD, SECRET, Paper
from tallystick import shares
from tallystick.errors import NotEnoughSharesError, ParameterError, ShareError
from tallystick.hazmat import shamir
from tallystick.shares import authentic, printed
from tallystick.shares.found import load
from tallystick.shares.typed import read_share

folder = Folder()


def raw(typed: atheris.FuzzedDataProvider) -> None:
    """Combine raw shares of any sizes and coordinates, and those of a secret that was split."""
    field = (0x11B, 0x11D, typed.ConsumeIntInRange(0, 1 << 40))[typed.ConsumeIntInRange(0, 2)]
    size = typed.ConsumeIntInRange(0, 40)
    if typed.ConsumeBool():
        given: list[bytes] = []
        for _ in range(typed.ConsumeIntInRange(0, 260)):
            other = size if typed.ConsumeIntInRange(0, 31) else typed.ConsumeIntInRange(0, 9)
            body = typed.ConsumeBytes(other).ljust(other, b"\1")
            # Without more data, coordinates that are good.
            x = b"" if typed.remaining_bytes() else bytes([len(given) % 255 + 1])
            given.append(body[: other - len(x)] + x)
        lengths, last = {len(share) for share in given}, [share[-1:] for share in given]
        fits = (
            field in (0x11B, 0x11D)
            and 2 <= len(given) <= 255
            and len(lengths) == 1
            and min(lengths) >= 2
            and len(set(last)) == len(given)
            and b"\0" not in last
        )
        try:
            made = shamir.combine(given, field)
        except ParameterError as error:
            assert str(error)
            assert not fits, "shares that fit are refused"
        else:
            assert fits, "shares that do not fit are combined"
            assert len(made) == min(lengths) - 1
        return
    secret = typed.ConsumeBytes(size)
    count, threshold = typed.ConsumeIntInRange(0, 260), typed.ConsumeIntInRange(0, 260)
    fits = field in (0x11B, 0x11D) and bool(secret) and 2 <= threshold <= count <= 255
    try:
        parts = shamir.split(secret, count, threshold, field)
    except ParameterError as error:
        assert str(error)
        assert not fits, "what can be split is refused"
        return
    assert fits, "what can't be split is"
    first = typed.ConsumeIntInRange(0, count - threshold)
    chosen = parts[first : first + threshold + typed.ConsumeIntInRange(0, 3)]
    if typed.ConsumeBool():
        chosen.reverse()
    assert shamir.combine(chosen, field) == secret, "another secret"


def sets(typed: atheris.FuzzedDataProvider) -> None:
    """Split secrets of any size, and give any number of copies of the shares."""
    count = 2 + size_of(typed, 6, authentic.MAX_SHARES - 2)
    threshold = typed.ConsumeIntInRange(2, min(count, 20))  # more take seconds
    label = "l" * size_of(typed, 30, authentic.MAX_LABEL)
    secret = typed.ConsumeBytes(1 + size_of(typed, 60, authentic.MAX_SECRET - 1)) or b"s"
    secret = secret.ljust(1 + size_of(typed, len(secret) - 1, authentic.MAX_SECRET - 1), b"s")
    made = authentic.split(secret, shares=count, threshold=threshold, label=label)
    given = [
        made[typed.ConsumeIntInRange(0, count - 1)]
        for _ in range(size_of(typed, 12, authentic.MAX_GIVEN))
    ]
    different = len(set(given))
    try:
        found = authentic.combine(given)
    except NotEnoughSharesError as error:
        assert different < threshold, "enough shares are too few"
        assert error.good == different
        return
    assert different >= threshold, "too few shares are enough"
    assert found.good == different
    assert found.secret == secret, "another secret"
    assert found.share is not None
    assert found.share.label == label


def one(data: bytes) -> None:
    """Give the data to a reader; the last byte says which, and 0xf0 and more that they are raw."""
    mode = data[-1] % 6 if data else 0
    own = data[:-1]
    text = own.decode("utf-8", "replace")
    if data and data[-1] >= 0xF0:
        raw(atheris.FuzzedDataProvider(own))
    elif data and data[-1] >= 0xE0:
        sets(atheris.FuzzedDataProvider(own))
    elif mode == 0:
        with refusing():
            read = printed.decode(text)
            again = printed.encode(read)
            assert printed.decode(again) == printed.decode(printed.compact(text)) == read
    elif mode == 1:
        with refusing():
            first, _, rest = text.partition("\0")
            printed.is_framed(text)
            line = printed.check_line(len(first) % 70, rest, first or None)
            printed.line_count(first)
            assert "\n" not in line
    elif mode == 2:
        with suppress(EOFError):
            read_share(Paper(text))
    elif mode == 3:
        parts = [bytes(part) for part in own.split(b"\0\xff\0")]
        with refusing():
            shares.combine(parts)
        try:
            found = shares.combine([*parts, *GOOD[1:]], set_id=shares.read(GOOD[0]).set_id)
        except ShareError as error:
            raise AssertionError("bad shares do harm") from error
        assert found.secret == SECRET
    elif mode == 4:
        paths = [folder.file(f"{i}", part) for i, part in enumerate(own.split(b"\0\xff\0")[:5])]
        given = load(paths)
        assert len(given.data) == len(given.problems) == len(paths)
        with refusing():
            shares.check(given.data)
    else:
        typed = atheris.FuzzedDataProvider(own)
        size = typed.ConsumeIntInRange(1, 2000)
        secret = typed.ConsumeBytes(size) or b"\0"
        page = printed.encode(secret)
        assert printed.decode(page) == secret
        at, mark = typed.ConsumeIntInRange(0, len(page) - 1), typed.ConsumeUnicodeNoSurrogates(1)
        try:
            found_secret = printed.decode(page[:at] + mark + page[at + 1 :])
        except ShareError:
            return
        assert found_secret == secret, "a typing error of one character is not seen"


if __name__ == "__main__":
    fuzz(one, ["TALLYSTICK SHARE 1", "END", "TALLYSTICK SHARE 1:", "1: ", "# ", "\0", "TSSH"])
