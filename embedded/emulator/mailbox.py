# SPDX-License-Identifier: Apache-2.0
"""The firmware's mailbox (embedded/firmware/firmware.h), for whatever machine the image runs on."""

from __future__ import annotations

import struct
from enum import IntEnum

_HEADER = struct.Struct("<5I")
HEADER = _HEADER.size
KEY, DATA = 32, 64
SHARES = 2
KEY_AT = HEADER
DATA_AT = KEY_AT + SHARES * KEY


class Command(IntEnum):
    """Commands of the firmware."""

    SELF_TEST = 1
    SET_KEY = 2
    ENCRYPT_BLOCKS = 3
    DECRYPT_BLOCKS = 4
    SLICE = 5
    ENCRYPT_STATE = 6
    DECRYPT_STATE = 7
    UNSLICE = 8
    ENCRYPT_ONCE = 9
    DRAW_POOL = 10
    DRAW_SEQUENCE = 11
    ENCRYPT_WORD = 12
    DECRYPT_WORD = 13
    REFRESH = 14
    CTR = 15
    CMAC = 16


def header(command: Command, size: int = 0, count: int = 0) -> bytes:
    """Return the words of the mailbox before the key."""
    return _HEADER.pack(command, 0xFFFFFFFF, size, count, 0)


def answer(words: bytes) -> tuple[int, int, int]:
    """Return the status, `count` and `done` from the words before the key.

    Raises
    ------
    ValueError
        The command has not been done.
    """
    command, status, _, count, done = _HEADER.unpack(words)
    if command != 0:
        raise ValueError(f"the mailbox still has command {command}")
    return status, count, done
