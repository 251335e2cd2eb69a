# SPDX-License-Identifier: Apache-2.0
"""Costs of FAST with radix 10 in the emulator: a table of docs/reference/masked-aes.md."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from . import images
from .board import Board
from .costs import KEY
from .emulator import Cost
from .images import Variant
from .tables import table

LENGTH = 16
HEAD = ("FAST, radix 10", "cycles", "stack, bytes", "random words")


@cache
def costs(variant: Variant) -> dict[str, Cost]:
    """Return the costs of pool, sequence and words, the firmware's mailbox included."""
    board = Board(images.build(variant))
    board.set_key(KEY, bytes(16))
    found = {
        "pool": board.draw_pool(),
        f"sequence, {LENGTH} digits, tweak of 16 bytes": board.draw_sequence(LENGTH, bytes(16)),
    }
    word, found[f"a word of {LENGTH} digits"] = board.crypt_word(bytes(LENGTH))
    _, found["such a word, decrypted"] = board.crypt_word(word, decrypt=True)
    return found


def of_costs(costs_of: Mapping[str, Mapping[str, Cost]]) -> str:
    """Return the table of costs by the title of a build."""
    return table(
        HEAD,
        [
            (f"{title}: {work}", f"{cost.cycles:,}", f"{cost.stack:,}", f"{cost.random_words:,}")
            for title, of in costs_of.items()
            for work, cost in of.items()
        ],
    )
