# SPDX-License-Identifier: Apache-2.0
"""A key ring's file: without its root key none but a ring as it was made is opened.

With the last byte odd the file is sealed anew with the root key, to see what is behind the seal;
with bit 1 set as well it is first written in the one spelling. With the last three bits 4 the ring
is one that was split among people, and the data are files of shares, and what is typed: it opens
with just those of which enough are good.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import atheris

from harness import RINGS, ROOT_KEY, Folder, fuzz, refusing
from rings import WORDS, sealed
from seeds import FOREIGN_SHARES, GOOD, ROOT_SHARES, Paper
from tallystick import shares
from tallystick.errors import KeyringError, ShareError
from tallystick.keyring import Keyring, RootKey, SharesRoot
from tallystick.shares import printed

made = {path.read_bytes() for path in RINGS.glob("*.keys")}
folder = Folder()
root = RootKey.parse("env:FUZZ_ROOT_KEY")
SPLIT = sealed(
    (RINGS / "shared.keys")
    .read_bytes()
    .replace(b"ab" * 16, shares.read(ROOT_SHARES[0]).set_id.encode()),
    spelled=False,
)
THRESHOLD = 2
SHARES = (*ROOT_SHARES, *FOREIGN_SHARES, GOOD[0], b"")
HIDDEN = (
    {ROOT_KEY.hex()}
    | {text for share in ROOT_SHARES for text in (share[-32:].hex(), repr(share[-32:])[2:-1])}
    | {
        line.partition(": ")[2]
        for share in ROOT_SHARES
        for line in printed.encode(share).splitlines()[3:-2]
    }
)


def damaged(typed: atheris.FuzzedDataProvider, data: bytes) -> bytes:
    """Change some bytes, or none."""
    changed = bytearray(data)
    match typed.ConsumeIntInRange(0, 5):
        case 0 if changed:
            changed[typed.ConsumeIntInRange(0, len(changed) - 1)] ^= typed.ConsumeIntInRange(1, 255)
        case 1:
            del changed[typed.ConsumeIntInRange(0, len(changed)) :]
        case 2:
            changed += typed.ConsumeBytes(20)
    return bytes(changed)


def share(typed: atheris.FuzzedDataProvider) -> bytes:
    """Return what a file of a share has: in each form, damaged before or after it was printed."""
    data = damaged(typed, SHARES[typed.ConsumeIntInRange(0, len(SHARES) - 1)])
    form = typed.ConsumeIntInRange(0, 3)
    if form and data:
        remarks = [typed.ConsumeUnicodeNoSurrogates(20)] if form == 2 else []
        if all(map(str.isprintable, remarks)):
            text = printed.encode(data, remarks)
            data = (printed.compact(text) if form == 3 else text).encode()
            data = damaged(typed, data)
    return data


def read(data: bytes) -> bytes | None:
    """Return the share that is in a file, good or not."""
    if data.startswith(b"TSSH"):
        return data
    try:
        return printed.decode(data.decode("utf-8", "replace"))
    except ShareError:
        return None


def from_shares(typed: atheris.FuzzedDataProvider) -> None:
    """Open a ring with shares in files, in a folder, and typed."""
    folder.clear()
    ring = damaged(typed, SPLIT) if typed.ConsumeBool() else SPLIT
    path = folder.file("one.keys", ring)
    inside = folder.path / "shares"
    inside.mkdir()
    names, found = [str(inside)], set()
    for number in range(typed.ConsumeIntInRange(0, 6)):
        data = share(typed)
        found.add(read(data))
        where = "shares/" * typed.ConsumeBool() + f"{number}"
        place = folder.file(where, data)
        if "/" not in where:
            names.append(str(place))
    if typed.ConsumeBool():
        names.append(str(folder.path / "none"))
    reported: list[str] = []
    source: RootKey = RootKey.parse(f"shares:{','.join(names)}", tell=reported.append)
    types = typed.ConsumeBool()
    if types:
        pages = [share(typed).decode("latin-1") for _ in range(typed.ConsumeIntInRange(1, 3))]
        text = "\n".join(pages)

        @contextmanager
        def terminal() -> Iterator[Paper]:
            yield Paper(text)

        source = SharesRoot(tuple(names), typed=True, tell=reported.append, terminal=terminal)
    enough = ring == SPLIT and len(found & {*ROOT_SHARES}) >= THRESHOLD
    opened = None
    with refusing(HIDDEN):
        try:
            opened = Keyring.open(path, source)
        except KeyringError:
            assert not enough, "enough good shares do not open the ring"
            raise
        except Exception as error:
            raise AssertionError("not the error of a key ring") from error
    assert not any(line in one for one in reported for line in HIDDEN), "a share is shown"
    if opened is not None:
        assert ring == SPLIT, "a ring that nobody made is authentic"
        assert enough or types, "a ring opens with too few shares"
        assert len(opened.key("people:1")) == 32


def one(data: bytes) -> None:
    """Open a ring, and take its keys out; or gather shares."""
    mode = data[-1] if data else 0
    own = data[:-1]
    if mode & 7 == 4:
        from_shares(atheris.FuzzedDataProvider(own))
        return
    if mode & 1:
        own = sealed(own, spelled=bool(mode & 2))
    path = folder.file("one.keys", own)
    with refusing():
        ring = Keyring.open(path, root)
        if not mode & 1 and own not in made:
            raise AssertionError("a ring that nobody made is authentic")
        for info in ring.keys():  # noqa: SIM118 (a method of ours)
            try:
                key = ring.key(info.id)
            except KeyringError:
                if not mode & 1:
                    raise AssertionError("a key of an authentic ring can't be had") from None
            else:
                assert len(key) == info.size
        ring.add("more")
        again = Keyring.open(path, root)
        assert again.keys() == ring.keys()


if __name__ == "__main__":
    fuzz(one, WORDS)
