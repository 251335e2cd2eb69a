# SPDX-License-Identifier: Apache-2.0
"""The image in Unicorn, asked by way of its mailbox."""

from __future__ import annotations

import random

from . import mailbox
from .elf import Image
from .emulator import Cost, Emulator
from .mailbox import Command


class BoardError(RuntimeError):
    """The firmware answered a command with an error; the message has its status."""


class Board:
    """A chip that has been switched on.

    Parameters
    ----------
    image
        The firmware.
    seed
        Of the chip's random words.
    counted
        As in `Emulator`.
    """

    def __init__(self, image: Image, seed: int = 1, *, counted: bool = True) -> None:
        source = random.Random(seed)  # noqa: S311 (a simulation)
        self.emulator = Emulator(image, iter(lambda: source.getrandbits(32), -1), counted=counted)
        self.emulator.reset("serve_mailbox")
        self._box = image.symbol("mailbox").address

    def ask(self, command: Command, size: int = 0, count: int = 0) -> tuple[Cost, int, int]:
        """Run a command; return its cost, and the mailbox's `count` and `done`.

        Raises
        ------
        BoardError
            The firmware returned another status than success.
        """
        self.emulator.write(self._box, mailbox.header(command, size, count))
        cost = self.emulator.call("do_command")
        words = self.emulator.read(self._box, mailbox.HEADER)
        status, counted, done = mailbox.answer(words)
        if status != 0:
            raise BoardError(f"{command.name} ended with status {status}")
        return cost, counted, done

    def set_key(self, key: bytes, mask: bytes) -> Cost:
        """Set a key of 16, 24 or 32 bytes; the mask, as long, is one share."""
        self._put(mailbox.KEY_AT, mailbox.KEY, key, mask)
        return self.ask(Command.SET_KEY, size=len(key))[0]

    def crypt(self, data: bytes, decrypt: bool = False) -> tuple[bytes, Cost]:
        """Encrypt or decrypt up to four blocks."""
        self.emulator.write(self._box + mailbox.DATA_AT, data)
        command = Command.DECRYPT_BLOCKS if decrypt else Command.ENCRYPT_BLOCKS
        cost = self.ask(command, count=len(data) // 16)[0]
        return self.emulator.read(self._box + mailbox.DATA_AT, len(data)), cost

    def crypt_once(self, key: bytes, mask: bytes, block: bytes) -> tuple[bytes, Cost]:
        """Encrypt a block under a key of 16 bytes that is used once."""
        self._put(mailbox.KEY_AT, mailbox.KEY, key, mask)
        self.emulator.write(self._box + mailbox.DATA_AT, block)
        cost = self.ask(Command.ENCRYPT_ONCE)[0]
        return self.emulator.read(self._box + mailbox.DATA_AT, 16), cost

    def refresh(self) -> Cost:
        """Give the key that is set new shares."""
        return self.ask(Command.REFRESH)[0]

    def ctr(self, counter: bytes, data: bytes) -> tuple[bytes, Cost]:
        """Encrypt up to 64 bytes in counter mode."""
        at = self._box + mailbox.DATA_AT
        self.emulator.write(at, data)
        self.emulator.write(at + mailbox.DATA, counter)
        cost = self.ask(Command.CTR, size=len(data))[0]
        return self.emulator.read(at, len(data)), cost

    def cmac(self, message: bytes) -> tuple[bytes, Cost]:
        """Return the CMAC of up to 64 bytes."""
        at = self._box + mailbox.DATA_AT
        self.emulator.write(at, message)
        cost = self.ask(Command.CMAC, size=len(message))[0]
        return self.emulator.read(at + mailbox.DATA, 16), cost

    def slice(self, data: bytes, mask: bytes) -> Cost:
        """Bit-slice up to two blocks, of which the mask is one share."""
        self._put(mailbox.DATA_AT, mailbox.DATA, data, mask)
        return self.ask(Command.SLICE, count=len(data) // 16)[0]

    def unslice(self, blocks: int) -> bytes:
        """Return the blocks whose shares the state has."""
        self.ask(Command.UNSLICE, count=blocks)
        at = self._box + mailbox.DATA_AT
        shares = (self.emulator.read(at + i * mailbox.DATA, 16 * blocks) for i in range(2))
        return bytes(a ^ b for a, b in zip(*shares, strict=True))

    def draw_pool(self) -> Cost:
        """Draw FAST's pool for radix 10 from the key that is set."""
        return self.ask(Command.DRAW_POOL)[0]

    def draw_sequence(self, length: int, tweak: bytes) -> Cost:
        """Draw the sequence for words of some symbols under a tweak of up to 64 bytes."""
        self.emulator.write(self._box + mailbox.DATA_AT + mailbox.DATA, tweak[: mailbox.DATA])
        return self.ask(Command.DRAW_SEQUENCE, size=len(tweak), count=length)[0]

    def crypt_word(self, word: bytes, decrypt: bool = False) -> tuple[bytes, Cost]:
        """Encrypt a word of the sequence's length, a symbol in each byte."""
        self.emulator.write(self._box + mailbox.DATA_AT, word[: mailbox.DATA])
        command = Command.DECRYPT_WORD if decrypt else Command.ENCRYPT_WORD
        cost = self.ask(command, count=len(word))[0]
        return self.emulator.read(self._box + mailbox.DATA_AT, len(word)), cost

    def _put(self, at: int, size: int, data: bytes, mask: bytes) -> None:
        masked = bytes(a ^ b for a, b in zip(data, mask, strict=True))
        self.emulator.write(self._box + at, masked)
        self.emulator.write(self._box + at + size, mask)
