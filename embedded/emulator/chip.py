# SPDX-License-Identifier: Apache-2.0
"""The chip that the firmware is linked for: its memory, and its generator of random words."""

from __future__ import annotations

FLASH, FLASH_SIZE = 0x0000_0000, 64 << 10
RAM, RAM_SIZE = 0x2000_0000, 8 << 10
STACK_TOP = RAM + RAM_SIZE
RANDOM_REGISTER = 0x4000_0000
"""Each load of this word gives another random one."""

RETURN = 0x0F00_0000
"""The return address of a called function: no memory is there, so a jump to it ends the call."""


class ChipError(RuntimeError):
    """The program did something impossible on the chip, or did not end; the message says where."""
