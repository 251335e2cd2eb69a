# SPDX-License-Identifier: Apache-2.0
"""Arrow's types by the format strings of its C data interface, and columns of numbers."""

from __future__ import annotations

import pyarrow as pa

TYPES: dict[str, pa.DataType] = {
    "n": pa.null(),
    "b": pa.bool_(),
    "c": pa.int8(),
    "C": pa.uint8(),
    "s": pa.int16(),
    "S": pa.uint16(),
    "i": pa.int32(),
    "I": pa.uint32(),
    "l": pa.int64(),
    "L": pa.uint64(),
    "e": pa.float16(),
    "z": pa.binary(),
    "Z": pa.large_binary(),
    "vz": pa.binary_view(),
    "w:16": pa.binary(16),
    "u": pa.string(),
    "U": pa.large_string(),
    "vu": pa.string_view(),
    "d:3,2": pa.decimal128(3, 2),
    "d:9,0": pa.decimal128(9, 0),
    "d:9,2": pa.decimal128(9, 2),
    "d:10,-2": pa.decimal128(10, -2),
    "d:18,6": pa.decimal128(18, 6),
    "d:20,0": pa.decimal128(20, 0),
    "d:38,0": pa.decimal128(38, 0),
    "d:38,2": pa.decimal128(38, 2),
    "d:38,18": pa.decimal128(38, 18),
    "tdD": pa.date32(),
    "tdm": pa.date64(),
    "tts": pa.time32("s"),
    "ttu": pa.time64("us"),
    "tss:": pa.timestamp("s"),
    "tsm:": pa.timestamp("ms"),
    "tsu:": pa.timestamp("us"),
    "tsn:": pa.timestamp("ns"),
    "tss:UTC": pa.timestamp("s", "UTC"),
    "tsu:Europe/Berlin": pa.timestamp("us", "Europe/Berlin"),
    "tDs": pa.duration("s"),
}
"""Types by their format strings."""


def column(kind: str, numbers: list[int | None]) -> pa.Array:
    """Make a column of the numbers behind integers, dates, timestamps and decimals."""
    name = TYPES[kind]
    if pa.types.is_decimal(name):
        held = b"".join((one or 0).to_bytes(16, "little", signed=True) for one in numbers)
        valid = pa.array([one is not None for one in numbers]).buffers()[1]
        return pa.Array.from_buffers(name, len(numbers), [valid, pa.py_buffer(held)])
    if pa.types.is_integer(name):
        return pa.array(numbers, name)
    plain = pa.int32() if kind == "tdD" else pa.int64()
    return pa.array(numbers, plain).view(name)


def numbers_of(values: pa.Array) -> list[int | None]:
    """Return the numbers behind a column."""
    kind = values.type
    if pa.types.is_decimal(kind):
        held = values.buffers()[1].to_pybytes()[16 * values.offset :]
        return [
            int.from_bytes(held[16 * i : 16 * i + 16], "little", signed=True)
            if values[i].is_valid
            else None
            for i in range(len(values))
        ]
    if not pa.types.is_integer(kind):
        values = values.view(pa.int32() if kind == pa.date32() else pa.int64())
    found: list[int | None] = values.to_pylist()
    return found
