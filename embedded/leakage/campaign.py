# SPDX-License-Identifier: Apache-2.0
"""Traces of the firmware's masked AES-128, with masks on or off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from embedded.emulator import mailbox
from embedded.emulator.costs import KEY
from embedded.emulator.elf import Image
from embedded.emulator.lanes import Machine, Probe
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.mailbox import Command
from embedded.emulator.values import Lanes, Word

from .ttest import Moments, Points

KEY_SIZE, BLOCK, BLOCKS = 16, 16, 2

KEPT = 1
"""The seed of the shares that a kept key has in all batches."""

FIXED = bytes.fromhex("da39a3ee5e6b4b0d3255bfef95601890")


@dataclass(frozen=True, slots=True)
class Work:
    """The observed operation: a command, within a function that it calls."""

    name: str
    command: Command
    within: str
    varies: str
    """`data` or `key`: the part that is fixed or random. The other one is the
    same in all traces if it is the key, and random if it is data."""
    kept: bool = False
    """Whether all traces have one set of round-key shares, as of a key that was set once; of works
    that vary in data."""

    @property
    def is_public(self) -> bool:
        """Whether the data are plaintexts and ciphertexts; else they are shares."""
        return self.command in (Command.ENCRYPT_BLOCKS, Command.ENCRYPT_ONCE, Command.CTR)


_BLOCKS = (Command.ENCRYPT_BLOCKS, "tally_masked_encrypt_blocks")
_ONCE = (Command.ENCRYPT_ONCE, "tally_masked_encrypt_once")
ENCRYPT = Work("encryption", Command.ENCRYPT_STATE, "tally_masked_encrypt_state", "data")
DECRYPT = Work("decryption", Command.DECRYPT_STATE, "tally_masked_decrypt_state", "data")
EXPAND = Work("key expansion", Command.SET_KEY, "tally_masked_key_init_shares", "key")
OF_BLOCKS = Work("encryption of blocks", *_BLOCKS, "data")
ONCE = Work("one block and its key", *_ONCE, "data")
KEY_OF_BLOCKS = Work("encryption of blocks, by key", *_BLOCKS, "key")
KEY_OF_ONCE = Work("one block and its key, by key", *_ONCE, "key")
OF_KEPT = (
    Work("encryption, key kept", ENCRYPT.command, ENCRYPT.within, "data", kept=True),
    Work("decryption, key kept", DECRYPT.command, DECRYPT.within, "data", kept=True),
)
REFRESH = Work("refresh of a key", Command.REFRESH, "tally_masked_refresh", "key")
"""Of a key that is set before."""
CMAC = Work("CMAC, by key", Command.CMAC, "tally_masked_cmac", "key")
CTR = Work("counter mode, by key", Command.CTR, "tally_masked_ctr", "key")
"""From the same counter in all traces, so a fixed key has a fixed keystream: the sum of plaintext
and ciphertext, which are public."""
SECRET = (ENCRYPT, DECRYPT, EXPAND, KEY_OF_BLOCKS, KEY_OF_ONCE, *OF_KEPT, REFRESH, CMAC)
"""Works in which nothing that varies is public, so that no point may leak."""
WORKS = (*SECRET[:3], OF_BLOCKS, ONCE, *SECRET[3:], CTR)


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
    kept
        Whether all traces have the same shares of the round keys, as of a key that was set once.
        The key must be the same in all of them.
    kinds
        The kinds of leaks that a probe gets.
    """

    def __init__(
        self,
        image: Image,
        lanes: int,
        rng: np.random.Generator,
        masks: bool = True,
        kept: bool = False,
        kinds: frozenset[Leak] = REMOVED,
    ) -> None:
        self._lanes, self._rng, self._masks, self._kept = lanes, rng, masks, kept
        self._same: np.random.Generator | None = None
        self.machine = Machine(image, self._mask, kinds)
        self.machine.reset("serve_mailbox")
        self._box = image.symbol("mailbox").address

    def random(self) -> Lanes:
        """Return a random word for each lane."""
        return self._rng.integers(0, 1 << 32, self._lanes, np.uint32)

    def _mask(self) -> Word:
        if self._same is not None:
            return int(self._same.integers(0, 1 << 32, dtype=np.uint32))
        return self.random() if self._masks else 0

    def set_key(self, key: Sequence[Word]) -> None:
        """Set a key of four words, each the same in all lanes or not."""
        if self._kept:
            self._same = np.random.default_rng(KEPT)
        self.share_key(key)
        self.ask(Command.SET_KEY)
        self._same = None

    def share_key(self, key: Sequence[Word]) -> None:
        """Put shares of a key where a command finds them."""
        self._share(mailbox.KEY_AT, mailbox.KEY, key)

    def slice(self, data: Sequence[Word]) -> None:
        """Bit-slice blocks of four words each."""
        self._share(mailbox.DATA_AT, mailbox.DATA, data)
        self.ask(Command.SLICE)

    def put(self, data: Sequence[Word]) -> None:
        """Put blocks where they are encrypted, not shared."""
        self.machine.write_words(self._box + mailbox.DATA_AT, data)

    def take(self) -> list[Word]:
        """Return the words of both blocks, encrypted."""
        return self.machine.read_words(self._box + mailbox.DATA_AT, 4 * BLOCKS)

    def ask(self, command: Command, probe: Probe | None = None, within: str | None = None) -> None:
        """Have a command done, in which a probe watches a function."""
        size = BLOCK * BLOCKS if command == Command.CTR else KEY_SIZE
        words = mailbox.header(command, size, BLOCKS)
        self.machine.write_words(self._box, as_words(words))
        self.machine.call("do_command", probe=probe, within=within)

    def do(self, work: Work, key: Sequence[Word], data: Sequence[Word], probe: Probe) -> None:
        """Run an operation; a probe sees its observed part."""
        if work.command in (Command.SET_KEY, Command.ENCRYPT_ONCE):
            self.share_key(key)
        else:
            self.set_key(key)
        if work.is_public or work.command == Command.CMAC:
            self.put(data)
            self.machine.write_words(self._box + mailbox.DATA_AT + mailbox.DATA, as_words(FIXED))
        elif work.varies == "data":
            self.slice(data)
        self.ask(work.command, probe, work.within)

    def _share(self, at: int, size: int, words: Sequence[Word]) -> None:
        masks = [self._mask() for _ in words]
        masked = [word ^ mask for word, mask in zip(words, masks, strict=True)]
        self.machine.write_words(self._box + at, masked)
        self.machine.write_words(self._box + at + size, masks)


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
    kinds: frozenset[Leak] = REMOVED,
) -> Points:
    """Return the moments of traces, half of which have a fixed input.

    Parameters
    ----------
    image
        The firmware.
    work
        The observed operation.
    traces
        How many; rounded up to a whole number of batches.
    masks
        Whether there are any.
    seed
        Of masks and random inputs.
    lanes
        Traces of a batch.
    kinds
        The kinds of leaks that are evaluated.
    """
    (points,) = runs(image, work, traces, 1, masks=masks, seed=seed, lanes=lanes, kinds=kinds)
    return points


def runs(
    image: Image,
    work: Work,
    traces: int,
    count: int = 2,
    *,
    masks: bool = True,
    seed: int = 0,
    lanes: int = 4096,
    kinds: frozenset[Leak] = REMOVED,
) -> list[Points]:
    """Return the same of several runs at once, each of so many traces, masks and inputs of its own.

    Each instruction is interpreted once for all of them.
    """
    rng = np.random.default_rng(seed)
    lanes = min(lanes, traces + traces % 2)
    moments = Moments(lanes, count)

    def half(fixed: Word, words: Lanes) -> Lanes:
        words.reshape(count, 2, -1)[:, 0] = fixed
        return words

    for _ in range(0, traces, lanes):
        batch = Batch(image, count * lanes, rng, masks, work.kept, kinds)
        if work.varies == "key":
            key: list[Word] = [half(word, batch.random()) for word in as_words(FIXED)]
            data: list[Word] = [batch.random() for _ in range(4 * BLOCKS)]
        else:
            key = as_words(KEY)
            data = [half(word, batch.random()) for word in as_words(FIXED) * BLOCKS]
        batch.do(work, key, data, moments)
        moments.end_batch()
    return [moments.points(run) for run in range(count)]
