# SPDX-License-Identifier: Apache-2.0
"""Costs of AES-128 in the emulator: the tables of docs/reference/masked-aes.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from . import elf, images
from .board import Board
from .emulator import Cost
from .images import Variant
from .mailbox import Command
from .tables import table

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
COSTS_OF = (*images.ASSEMBLY, images.PORTABLE)
_ENCRYPTION = ("one block and its key", "key expansion", "one block", "two blocks")


@cache
def costs(variant: Variant) -> dict[str, Cost]:
    """Return the cost of each operation, the firmware's mailbox included."""
    board = Board(images.build(variant))
    found = {
        "one block and its key": board.crypt_once(KEY, bytes(16), bytes(16))[1],
        "key expansion": board.set_key(KEY, bytes(16)),
        "one block": board.crypt(bytes(16))[1],
        "two blocks": board.crypt(bytes(32))[1],
        "two blocks, decrypted": board.crypt(bytes(32), decrypt=True)[1],
    }
    board.slice(bytes(32), bytes(32))
    found["a shared state of two blocks"] = board.ask(Command.ENCRYPT_STATE)[0]
    found["such a state, decrypted"] = board.ask(Command.DECRYPT_STATE)[0]
    return found


def by_work(figure: Callable[[Cost], int], variants: Sequence[Variant]) -> list[tuple[str, ...]]:
    """Return a table's rows: for each work a figure of each build."""
    found = [costs(variant) for variant in variants]
    return [(work, *(f"{figure(each[work]):,}" for each in found)) for work in found[0]]


SIZES = (
    "bytes of code",
    *("runs: encryption and keys", "runs: decryption too"),
    *("assembly, in all", "C of core/masked, in all"),
)


def sizes(variants: Sequence[Variant]) -> list[tuple[str, ...]]:
    """Return the table of code sizes: functions that run, and linked code of core/masked."""
    found = []
    for variant in variants:
        image, all_costs = images.build(variant), costs(variant)
        encryption = _together([all_costs[work] for work in _ENCRYPTION], image)
        everything = _together(list(all_costs.values()), image)
        linked = [_linked(variant, image, suffix) for suffix in (".S.o", ".c.o")]
        figures = (encryption, everything, *linked)
        found.append((variant.title, *(f"{size:,}" for size in figures)))
    return found


def _together(some: Sequence[Cost], image: elf.Image) -> int:
    visited = set().union(*(cost.visited for cost in some))
    return Cost(visited=visited).code(image)


def _linked(variant: Variant, image: elf.Image, suffix: str) -> int:
    """Return the bytes of core/masked's functions and constants in the image."""
    names = set()
    for path in (images.folder(variant) / "core" / "masked").glob(f"*{suffix}"):
        names |= {name for name, symbol in elf.read(path).symbols.items() if symbol.size}
    return sum(image.symbols[name].size for name in names if name in image.symbols)


def of_costs(variants: Sequence[Variant] = COSTS_OF) -> str:
    """Return the tables of docs/reference/masked-aes.md."""
    titles = [variant.title for variant in variants]
    figures = {
        "cycles, AES-128": lambda cost: cost.cycles,
        "stack, bytes": lambda cost: cost.stack,
        "random words": lambda cost: cost.random_words,
    }
    parts = [table((name, *titles), by_work(figure, variants)) for name, figure in figures.items()]
    return "\n".join([*parts, table(SIZES, sizes(variants))])
