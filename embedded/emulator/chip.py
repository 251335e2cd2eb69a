# SPDX-License-Identifier: Apache-2.0
"""The chip that the firmware is linked for: its memory, and its generator of random words."""

from __future__ import annotations

FLASH, FLASH_SIZE = 0x0000_0000, 64 << 10
RAM, RAM_SIZE = 0x2000_0000, 8 << 10
STACK_TOP = RAM + RAM_SIZE
RANDOM_REGISTER = 0x4000_0000
"""Each load of this word gives another random one."""

RETURN = 0x0F00_0000
"""Where a called function returns to: no memory, so what gets there has ended."""


class ChipError(RuntimeError):
    """The program did what the chip can't do, or did not end; the message says what and where."""
