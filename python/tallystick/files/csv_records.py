# SPDX-License-Identifier: Apache-2.0
"""CSV records in a buffer, by the core's scanner: columns out as Arrow arrays, and in again.

Here the C functions of csv.h meet pyarrow's buffers; what is read and written is csv.py's matter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.counting import counted
from tallystick.files.options import CsvOptions

_NEW = ffi.new_allocator(should_clear_after_alloc=False)
_NOTHING = ffi.new("uint8_t[1]")


class BadRecordError(Exception):
    """A record that is not valid CSV, or can't be written as CSV.

    Attributes
    ----------
    reason : str
        The reason.
    record : int
        The record's number in the bytes that were scanned, from 0.
    at : int
        The position of its beginning in these bytes.
    """

    def __init__(self, reason: str, record: int, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.record = record
        self.at = at


class Records:
    """The complete records at the beginning of a run of bytes.

    `options`: the dialect.
    `columns`: the fields of each record; 0: the first record says it, and `wanted` is empty.
    `wanted`: the columns whose fields are to be found, ascending.
    `most`: the records to take at most in one scan.
    """

    def __init__(self, options: CsvOptions, columns: int, wanted: Sequence[int], most: int) -> None:
        self._dialect = ffi.new("tally_csv_dialect *")
        self._dialect.struct_size = ffi.sizeof("tally_csv_dialect")
        self._dialect.delimiter = ord(options.delimiter or ",")
        self._dialect.quote = 0 if options.quote is None else ord(options.quote)
        self._dialect.skip_initial_space = int(options.skip_initial_space)
        self._wanted = ffi.new("uint32_t[]", list(wanted))
        self._columns = columns
        self._most = most
        self._fields = _NEW("tally_csv_field[]", max(1, most * len(wanted)))
        self._scan = ffi.new("tally_csv_scan *")
        self._buffer = bytearray()
        self._held: Any = ffi.NULL
        self._bytes: Any = ffi.NULL
        self._start = self._size = 0
        self._out: Any = _NOTHING

    def scan(self, buffer: bytearray, start: int, end: int, *, last: bool) -> BadRecordError | None:
        """Find records in bytes that must stay as they are until the records are done with.

        `buffer`: has the bytes, from `start` to `end`.
        `last`: whether no bytes follow them.

        Returns
        -------
        BadRecordError or None
            What is wrong with the record after those that were found.
        """
        # Held as the buffer and a place: some interpreters' garbage collectors can't take apart a
        # cycle (such as that of an error) with a memoryview that C uses (CPython before 3.11.9).
        self._buffer, self._start, self._size = buffer, start, end - start
        self._held = ffi.from_buffer("uint8_t[]", buffer)
        self._bytes = self._held + start
        _check(
            lib.tally_csv_scan_records(
                self._dialect,
                self._bytes,
                self._size,
                last,
                self._columns,
                self._wanted,
                len(self._wanted),
                self._fields,
                self._most,
                self._scan,
            )
        )
        if self._scan.error == lib.TALLY_CSV_OK:
            return None
        fields = int(self._scan.fields)
        reason = {
            lib.TALLY_CSV_FIELDS: f"{counted(fields, 'field')}, not {self._columns}",
            lib.TALLY_CSV_OPEN: "a quote is never closed",
            lib.TALLY_CSV_QUOTE: "text between a closing quote and the delimiter",
            lib.TALLY_CSV_TOO_LARGE: "a field of 2 GiB or more",
        }[self._scan.error]
        return BadRecordError(reason, self.count, int(self._scan.error_at))

    @property
    def count(self) -> int:
        """The records found."""
        return int(self._scan.records)

    @property
    def consumed(self) -> int:
        """The bytes of the records, and of empty lines before and between them."""
        return int(self._scan.consumed)

    @property
    def columns(self) -> int:
        """The fields of a record."""
        return int(self._scan.fields)

    def at(self, record: int, index: int) -> int:
        """Return where the field of a record in wanted column `index` begins."""
        return int(self._fields[record * len(self._wanted) + index].start)

    def gather(self, index: int) -> tuple[pa.StringArray, bool]:
        """Return wanted column `index`: unescaped copies; empty fields are null.

        Also whether all values are ASCII; if not they may not be UTF-8: ``validate(full=True)``
        tells.
        """
        count, width = self.count, len(self._wanted)
        capacity = lib.tally_csv_gather_capacity(self._fields, count, width, index)
        offsets = pa.allocate_buffer(4 * (count + 1))
        values = pa.allocate_buffer(capacity)
        validity = pa.allocate_buffer((count + 7) // 8)
        nulls, ascii_only = ffi.new("uint64_t *"), ffi.new("uint8_t *")
        _check(
            lib.tally_csv_gather(
                self._bytes,
                self._size,
                self._dialect.quote,
                self._fields,
                count,
                width,
                index,
                ffi.cast("int32_t *", offsets.address),
                ffi.cast("uint8_t *", values.address),
                capacity,
                ffi.cast("uint8_t *", validity.address),
                nulls,
                ascii_only,
            )
        )
        column = pa.StringArray.from_buffers(
            count, offsets, values, validity if nulls[0] > 0 else None, int(nulls[0])
        )
        return column, bool(ascii_only[0])

    def splice(self, new: Mapping[int, pa.StringArray]) -> memoryview:
        """Return the records' bytes with wanted columns replaced: `new` has their indices as keys.

        Where the new values fit, the scanned bytes themselves are changed and returned. The result
        is valid until they, or the memory of this object, are used again.

        Raises `BadRecordError`: a value can't be written without quotes, and the dialect has none.
        """
        width = len(self._wanted)
        columns = ffi.new("tally_csv_column[]", max(1, width))
        for index, array in new.items():
            validity, offsets, values = array.buffers()
            columns[index].offsets = ffi.cast("int32_t *", offsets.address) + array.offset
            columns[index].values = _address(values)
            if validity is not None:
                columns[index].validity = _address(validity)
                columns[index].validity_start = array.offset
        left = ffi.new("uint64_t *")
        _check(
            lib.tally_csv_overwrite(
                self._dialect, self._bytes, self._fields, self.count, columns, width, left
            )
        )
        if left[0] == 0:
            return memoryview(self._buffer)[self._start : self._start + self.consumed]
        capacity = lib.tally_csv_splice_capacity(self.consumed, columns, width, self.count)
        if len(self._out) < capacity:
            self._out = _NEW("uint8_t[]", capacity + capacity // 8)
        result = ffi.new("tally_csv_splice_result *")
        _check(
            lib.tally_csv_splice(
                self._dialect,
                self._bytes,
                self.consumed,
                self._fields,
                self.count,
                columns,
                width,
                self._out,
                len(self._out),
                result,
            )
        )
        if result.error != lib.TALLY_CSV_OK:
            record = int(result.error_record)
            raise BadRecordError(
                "a new value needs quotes, and the file has none",
                record,
                self.at(record, result.error_column),
            )
        return memoryview(ffi.buffer(self._out))[: result.size]


def _address(buffer: pa.Buffer | None) -> Any:  # noqa: ANN401, cffi's pointers have no type
    return _NOTHING if buffer is None else ffi.cast("uint8_t *", buffer.address)


def _check(status: int) -> None:
    if status != lib.TALLY_OK:
        raise AssertionError(f"csv.h was called with an argument outside its range ({status})")
