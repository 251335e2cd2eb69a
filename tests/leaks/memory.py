# SPDX-License-Identifier: Apache-2.0
"""The memory of another process."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

HEADER = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) ")


@dataclass
class Mapping:
    """A piece of a process's memory: its content, and the flags that the kernel has for it."""

    content: bytes
    flags: set[str]


def memory(pid: int) -> list[Mapping]:
    """Return all memory of a process that can be written, or was."""
    found = []
    current: tuple[int, int] | None = None
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as all_of_it:
        for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
            if header := HEADER.match(line):
                start, end = (int(header[number], 16) for number in (1, 2))
                current = (start, end) if header[3].startswith("r") else None
            elif line.startswith("VmFlags:") and current:
                start, end = current
                try:
                    content = os.pread(all_of_it.fileno(), end - start, start)
                except OSError:  # the kernel's own
                    continue
                found.append(Mapping(content, set(line.split()[1:])))
    return found
