# SPDX-License-Identifier: Apache-2.0
"""Arrow by itself on files that may break it, in processes that may die of that.

They come from a process that was forked before fuzzing began: under libFuzzer a C++ exception that
Arrow lets out would be taken for a finding, and here it ends the child.
"""

from __future__ import annotations

import os
import resource
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq

SECONDS = 10
MEMORY = 3 << 30


class Arrow:
    """Says of Parquet files whether Arrow survives them; `died` counts how it did not."""

    def __init__(self) -> None:
        requests, self._to = os.pipe()
        self._from, answers = os.pipe()
        self.died: Counter[str] = Counter()
        if os.fork() == 0:
            os.close(self._to)
            os.close(self._from)
            _serve(requests, answers)
        os.close(requests)
        os.close(answers)

    def survives(self, path: Path) -> bool:
        """Read a file with Arrow alone, in each way that Tallystick does."""
        os.write(self._to, os.fsencode(path) + b"\n")
        number = os.read(self._from, 1)[0]
        if number:
            name = signal.Signals(number).name
            self.died[name] += 1
            if self.died[name] == 1:
                print(f"Arrow alone died of {name}; such files are left out", flush=True)
        return number == 0


def _serve(requests: int, answers: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    with os.fdopen(requests, "rb") as lines:
        for line in lines:
            child = os.fork()
            if child == 0:
                signal.alarm(SECONDS)
                with suppress(Exception):
                    _read(line.decode().rstrip("\n"))
                os._exit(0)
            _, status = os.waitpid(child, 0)
            os.write(answers, bytes([os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0]))
    os._exit(0)


def _read(path: str) -> None:
    for unit in ("ns", "us"):
        file = pq.ParquetFile(path, coerce_int96_timestamp_unit=unit, pre_buffer=False)
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            for column in range(group.num_columns):
                str(group.column(column))
        with suppress(Exception):
            list(file.iter_batches(64, use_threads=False))
        for number in range(file.metadata.num_row_groups):
            with suppress(Exception):
                file.read_row_group(number, use_threads=False)
