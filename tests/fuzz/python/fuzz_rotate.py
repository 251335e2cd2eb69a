# SPDX-License-Identifier: Apache-2.0
"""A CSV file of tokens under other keys: what protecting the originals under those makes."""

from typing import Any

import atheris

from harness import fuzz, pieces
from tables import KEYS, NAMES, QUOTING, Runs, dialect, policy, protect
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions
from tallystick.rotation import rotate_file

run = Runs(".csv")
CHANGES = ({KEYS[0]: KEYS[2]}, {KEYS[1]: KEYS[0]}, {KEYS[0]: KEYS[1], KEYS[1]: KEYS[0]})


def rotate(source: Any, target: Any, pair: Any, keyring: Any, options: RunOptions) -> object:  # noqa: ANN401
    """Rotate by a pair of policies."""
    return rotate_file(source, target, [pair], keyring, options)


def one(data: bytes) -> None:
    """Rotate what may be a table of tokens, and one that is."""
    typed = atheris.FuzzedDataProvider(data[-16:])
    source = data[:-16]
    csv = dialect(typed)
    old = policy(typed, csv, ("error", "keep", "null"))
    new = with_keys(old, CHANGES[typed.ConsumeIntInRange(0, len(CHANGES) - 1)])
    threads = typed.ConsumeIntInRange(1, 2)
    run.begin(source)
    run.hidden = pieces(source, NAMES)
    if typed.ConsumeBool():
        run(rotate, (old, new), threads=threads)
        run.begin(source)
    tokens = run(protect, old, threads=threads)
    rotated = None if tokens is None else run(rotate, (old, new), threads=threads)
    run.begin(source)
    wanted = run(protect, new, threads=threads)
    quoting = any(rule.form == QUOTING for rule in old.rules)
    if quoting and csv.quote is None:
        return  # by the key, tokens need quotes or not, and this file has none
    assert (tokens is None) == (wanted is None), "one key fits and another does not"
    if wanted is None or old == new or quoting:
        return
    assert rotated == wanted, "not what protecting by the new policy makes"


if __name__ == "__main__":
    fuzz(one, ["a,b,t\n", '""', '"', "\r\n", "4111111111111111", "1234567", "jane@example.org"])
