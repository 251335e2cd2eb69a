# SPDX-License-Identifier: Apache-2.0
"""A CSV file in blocks of whole records, each in memory of its own that is used again and again."""

from collections.abc import Callable, Iterator

from tallystick.files.csv_records import BadRecordError, Records
from tallystick.files.encodings import Input

BLOCK = 1 << 20
"""Bytes read at once: as much as stays in a core's cache with what is made of it."""
MOST_RECORDS = 1 << 17
"""Records of a block, at most."""
LARGEST_RECORD = 256 << 20
"""Bytes of one record, at most: it must fit in memory."""


class RecordSizeError(Exception):
    """A record has more than `LARGEST_RECORD` bytes."""


class Window:
    """The part of a file that is in memory.

    Attributes
    ----------
    buffer : bytearray
        Has it, from `start` to `end`.
    at : int
        Where it begins in the file.
    ended : bool
        Whether the file ends with it.
    """

    def __init__(self, stream: Input) -> None:
        self._stream = stream
        self.buffer = bytearray(BLOCK)
        self.start = 0
        self.end = 0
        self.at = 0
        self.ended = False

    @property
    def data(self) -> memoryview:
        """What is in the window."""
        return memoryview(self.buffer)[self.start : self.end]

    def scan(self, records: Records) -> BadRecordError | None:
        """Find records in the window."""
        return records.scan(self.buffer, self.start, self.end, last=self.ended)

    def advance(self, size: int) -> None:
        """Let the window begin so many bytes later."""
        self.start += size
        self.at += size

    def fill(self) -> None:
        """Read on: to a whole block, or to twice what is there if that is much of a block already.

        Raises `RecordSizeError`: if the window has reached the size of the largest record.
        """
        if self.end - self.start >= LARGEST_RECORD:
            raise RecordSizeError(f"a record of more than {LARGEST_RECORD >> 20} MiB")
        self._move(self.buffer)
        rest = self.end
        room = BLOCK if rest <= BLOCK // 2 else min(2 * rest, LARGEST_RECORD)
        if len(self.buffer) < room:
            self._move(bytearray(room))
        view = memoryview(self.buffer)
        while self.end < room and not self.ended:
            count = self._stream.readinto(view[self.end : room])
            self.end += count or 0
            self.ended = not count

    def pass_on(self, size: int, other: bytearray) -> bytearray:
        """Give the buffer away when its first `size` bytes are dealt with, and go on in another."""
        given = self.buffer
        self.advance(size)
        self._move(other if len(other) >= self.end - self.start else bytearray(len(given)))
        return given

    def _move(self, to: bytearray) -> None:
        size = self.end - self.start
        if to is not self.buffer or self.start > 0:
            to[:size] = bytes(self.data)
        self.buffer, self.start, self.end = to, 0, size


class Block:
    """Whole records of a file, and the memory that is theirs.

    Attributes
    ----------
    records : Records
        What was found.
    error : BadRecordError or None
        What is wrong with the record after those.
    row : int
        The first record's number in the file, from 0.
    at : int
        Where the block begins in the file.
    """

    def __init__(self, records: Records) -> None:
        self.records = records
        self.error: BadRecordError | None = None
        self.row = 0
        self.at = 0
        self.buffer = bytearray(BLOCK)


class Blocks:
    """The blocks of a file from the window's beginning on.

    `window`: stands at the first record.
    `records`: makes what finds records, with memory for the most that are given.

    Attributes
    ----------
    rows : int
        The records of all blocks that were given.
    """

    def __init__(self, window: Window, records: Callable[[int], Records]) -> None:
        self._window = window
        self._records = records
        self._spare: list[Block] = []
        self.rows = 0

    def __iter__(self) -> Iterator[Block]:
        """Give blocks one after another; the last one may have an error."""
        window = self._window
        while True:
            block = self._spare.pop() if self._spare else Block(self._records(MOST_RECORDS))
            records = block.records
            block.error = window.scan(records)
            block.row, block.at = self.rows, window.at
            count, consumed, failed = records.count, records.consumed, block.error is not None
            self.rows += count
            if consumed > 0 or failed:
                block.buffer = window.pass_on(consumed, block.buffer)
                yield block
            else:
                self._spare.append(block)
            if failed:
                return
            if count == MOST_RECORDS:
                continue  # there may be more of them
            if window.ended:
                return
            window.fill()

    def release(self, block: Block) -> None:
        """Take a block back that has been dealt with."""
        if len(block.buffer) > BLOCK:
            block.buffer = bytearray(BLOCK)  # the memory of an unusually large record
        self._spare.append(block)
