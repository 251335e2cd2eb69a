# SPDX-License-Identifier: Apache-2.0
"""A dispersed file: damaged shares that are not needed do no harm, and others give no other data.

The data are edits of three files, any two of which recover the file; an edit is an operation on one
of them, a place and an amount. Without an edit the data themselves are one of the files.
"""

import atheris

from harness import Folder, fuzz, refused, size_of
from tallystick import shares
from tallystick.shares import dispersal
from tallystick.shares.authentic import MAX_GIVEN

SIZE = 3 * (2 << 14) + 100  # bytes: three stripes, and a bit of a fourth
CONTENT = bytes(range(256)) * (SIZE // 256) + bytes(SIZE % 256)
dispersal.RECORDS_BYTES = 1 << 16  # so that there are several batches
folder = Folder()
source = folder.file("source", CONTENT)
paths = [folder.path / f"{number}.share" for number in range(3)]
shares.disperse(source, paths, threshold=2, label="fuzz")
whole = [path.read_bytes() for path in paths]
target = folder.path / "back"


def edited(share: bytes, typed: atheris.FuzzedDataProvider) -> bytes:
    """Change a share in one place."""
    part: bytes
    at, amount = typed.ConsumeIntInRange(0, len(share)), typed.ConsumeIntInRange(0, 20000)
    match typed.ConsumeIntInRange(0, 4):
        case 0:
            return share[:at]
        case 1:
            return share[:at] + share[at + amount :]
        case 2:
            part = typed.ConsumeBytes(amount % 64)
            return share[:at] + part + share[at:]
        case 3:
            part = typed.ConsumeBytes(amount % 64)
            return share[:at] + part + share[at + len(part) :]
        case _:
            return share[:at] + share[at : at + amount] + share[at:]


def one(data: bytes) -> None:
    """Recover from shares that were edited."""
    typed = atheris.FuzzedDataProvider(data)
    now = list(whole)
    for _ in range(typed.ConsumeIntInRange(0, 6)):
        which = typed.ConsumeIntInRange(0, 2)
        now[which] = edited(now[which], typed)
    if now == whole:
        now[0] = typed.ConsumeBytes(len(data))
    for path, content in zip(paths, now, strict=True):
        path.write_bytes(content)
    given = paths[typed.ConsumeIntInRange(0, 1) :]
    given += [given[0]] * size_of(typed, 2, MAX_GIVEN - len(given))
    target.unlink(missing_ok=True)
    failed = refused(lambda: shares.recover(given, target))
    assert target.exists() != failed, "a target without success"
    assert failed or target.read_bytes() == CONTENT, "other data"
    good = sum(path.read_bytes() in whole for path in set(given))
    assert not failed or good < 2, "two good shares are not enough"
    refused(lambda: shares.verify(given))
    left = folder.names() - {"source", "back", *(path.name for path in paths)}
    assert not left, "something is left behind"


if __name__ == "__main__":
    fuzz(one, flags=["-max_len=512"])
