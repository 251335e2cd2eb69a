# SPDX-License-Identifier: Apache-2.0
"""Traces of the firmware's masked AES-128, with masks on or off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import mailbox
from .elf import Image
from .lanes import Machine, Probe
from .mailbox import Command
from .ttest import Moments, Points
from .values import Lanes, Word

KEY_SIZE, BLOCK, BLOCKS = 16, 16, 2
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
FIXED = bytes.fromhex("da39a3ee5e6b4b0d3255bfef95601890")


@dataclass(frozen=True, slots=True)
class Work:
    """What is watched: a command, within a function that it calls."""

    name: str
    command: Command
    within: str | None
    varies: str
    """`data` or `key`: what is fixed or random."""


ENCRYPT = Work("encryption", Command.ENCRYPT_STATE, "tally_masked_encrypt_state", "data")
DECRYPT = Work("decryption", Command.DECRYPT_STATE, "tally_masked_decrypt_state", "data")
EXPAND = Work("key expansion", Command.SET_KEY, "tally_masked_set_key_shares", "key")
BLOCKS_TOO = Work(
    "encryption of blocks", Command.ENCRYPT_BLOCKS, "tally_masked_encrypt_blocks", "data"
)
"""With the sharing of plaintexts and the joining of ciphertexts, both of which are public."""
ONCE = Work("one block and its key", Command.ENCRYPT_ONCE, "tally_masked_encrypt_once", "data")
"""Likewise; the key is expanded on the way."""
WORKS = (ENCRYPT, DECRYPT, EXPAND, BLOCKS_TOO, ONCE)


class Batch:
    """A chip for each trace, with keys and blocks shared by fresh masks.

    Parameters
    ----------
    image
        The firmware.
    lanes
        Traces.
    rng
        Of masks and random inputs.
    masks
        Whether there are any; else the random source and all second shares are zero.
    """

    def __init__(
        self, image: Image, lanes: int, rng: np.random.Generator, masks: bool = True
    ) -> None:
        self._lanes, self._rng, self._masks = lanes, rng, masks
        self.machine = Machine(image, self._mask)
        self.machine.reset("serve_mailbox")
        self._box = image.symbol("mailbox").address

    def random(self) -> Lanes:
        """Return a random word for each lane."""
        return self._rng.integers(0, 1 << 32, self._lanes, np.uint32)

    def _mask(self) -> Word:
        return self.random() if self._masks else 0

    def set_key(self, key: Sequence[Word], probe: Probe | None = None) -> None:
        """Set a key of four words, each the same in all lanes or not."""
        self.share_key(key)
        within = EXPAND.within if probe is not None else None
        self.ask(Command.SET_KEY, KEY_SIZE, 0, probe, within)

    def share_key(self, key: Sequence[Word]) -> None:
        """Put shares of a key where a command finds them."""
        self._share(mailbox.KEY_AT, mailbox.KEY, key)

    def slice(self, data: Sequence[Word]) -> None:
        """Bit-slice blocks of four words each."""
        self._share(mailbox.DATA_AT, mailbox.DATA, data)
        self.ask(Command.SLICE, 0, len(data) // 4)

    def put(self, data: Sequence[Word]) -> None:
        """Put blocks where they are encrypted, not shared."""
        self.machine.write_words(self._box + mailbox.DATA_AT, data)

    def ask(
        self,
        command: Command,
        key_size: int = 0,
        count: int = 0,
        probe: Probe | None = None,
        within: str | None = None,
    ) -> None:
        """Have a command done, in which a probe watches a function."""
        words = mailbox.header(command, key_size, count)
        self.machine.write_words(self._box, as_words(words))
        self.machine.call("do_command", probe=probe, within=within)

    def _share(self, at: int, room: int, words: Sequence[Word]) -> None:
        masks = [self._mask() for _ in words]
        masked = [word ^ mask for word, mask in zip(words, masks, strict=True)]
        self.machine.write_words(self._box + at, masked)
        self.machine.write_words(self._box + at + room, masks)


def as_words(data: bytes) -> list[Word]:
    """Return little-endian words."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def fixed_versus_random(
    image: Image,
    work: Work,
    traces: int,
    *,
    masks: bool = True,
    seed: int = 0,
    lanes: int = 4096,
    progress: Callable[[int], None] | None = None,
) -> Points:
    """Return the moments of traces, half of which have a fixed input.

    Parameters
    ----------
    image
        The firmware.
    work
        What is watched.
    traces
        How many; rounded up to a whole number of batches.
    masks
        Whether there are any.
    seed
        Of masks and random inputs.
    lanes
        Traces of a batch.
    progress
        Is called with the traces so far.
    """
    rng = np.random.default_rng(seed)
    lanes = min(lanes, traces + traces % 2)
    moments = Moments(lanes)
    for done in range(0, traces, lanes):
        batch = Batch(image, lanes, rng, masks)
        fixed = as_words(FIXED) * (1 if work.varies == "key" else BLOCKS)
        varied = [_half(word, batch.random()) for word in fixed]
        if work.varies == "key":
            batch.set_key(varied, moments)
        else:
            if work.command == Command.ENCRYPT_ONCE:
                batch.share_key(as_words(KEY))
            else:
                batch.set_key(as_words(KEY))
            if work.command in (Command.ENCRYPT_BLOCKS, Command.ENCRYPT_ONCE):
                batch.put(varied)
            else:
                batch.slice(varied)
            batch.ask(work.command, 0, BLOCKS, moments, work.within)
        moments.end_batch()
        if progress is not None:
            progress(done + lanes)
    return moments.points()


def _half(fixed: Word, words: Lanes) -> Lanes:
    words[: len(words) // 2] = fixed
    return words
