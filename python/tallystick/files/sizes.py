# SPDX-License-Identifier: Apache-2.0
"""How many bytes columns take, held against the limits in force."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FileError
from tallystick.files.limits import limits
from tallystick.files.places import Place


def check_value(size: int, place: Place, column: str) -> None:
    """Refuse a value of too many bytes.

    Raises `FileError`: it has more than the limit.
    """
    if size > limits().value:
        raise FileError(
            f"{place}: column {column!r}: a value of {_text(size)} is above the limit of "
            f"{_text(limits().value)}; if you trust the file, raise the limit (--max-value)"
        )


def check_batch(size: int, place: Place, what: str) -> None:
    """Refuse a part of a file that decodes to too many bytes at once.

    Raises `FileError`: it takes more than the limit.
    """
    if size > limits().batch:
        raise FileError(
            f"{place}: {what} decodes to {_text(size)}, above the limit of "
            f"{_text(limits().batch)}; if you trust the file, raise the limit (--max-batch), or "
            "write the file in smaller parts"
        )


def check_table(table: pa.Table, used: Sequence[str], place: Place, what: str) -> None:
    """Refuse a piece of a file if a value, or its `used` columns together, are too large.

    Raises `FileError`: a value or the piece is above its limit.
    """
    check_batch(table.nbytes, place, what)
    total = 0
    for name in dict.fromkeys(table.schema.names):
        for chunk in table.column(table.schema.get_all_field_indices(name)[0]).chunks:
            plain = not isinstance(chunk, pa.DictionaryArray)
            if plain and chunk.nbytes <= limits().value:  # then no value has more
                continue
            lengths = _lengths(chunk)
            if lengths is None or not len(lengths):
                continue
            check_value(pc.max(lengths).as_py() or 0, place, name)
            if name in used and not plain:
                total += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
    check_batch(total, place, what)


def decoded_bytes(array: pa.Array) -> int:
    """Return how many bytes an array takes without its dictionaries."""
    if isinstance(array, pa.DictionaryArray):
        lengths = _lengths(array)
        if lengths is None:
            return int(array.nbytes)
        return int(pc.sum(pc.take(lengths, array.indices)).as_py() or 0) + 4 * len(array)
    if isinstance(array, pa.StructArray):
        return sum(map(decoded_bytes, array.flatten()))
    if isinstance(array, pa.MapArray):  # which pyarrow does not flatten
        return decoded_bytes(array.keys) + decoded_bytes(array.items) + 4 * len(array)
    if isinstance(array, pa.ListArray | pa.LargeListArray):
        return decoded_bytes(array.flatten()) + 4 * len(array)
    return int(array.nbytes)


def longest(array: pa.Array) -> int:
    """Return the bytes of the longest value in the dictionaries of an array."""
    if isinstance(array, pa.DictionaryArray):
        lengths = _lengths(array)
        return 8 if lengths is None else int(pc.max(lengths).as_py() or 0)
    if isinstance(array, pa.StructArray):
        return max(map(longest, array.flatten()), default=0)
    if isinstance(array, pa.MapArray):
        return max(longest(array.keys), longest(array.items))
    if isinstance(array, pa.ListArray | pa.LargeListArray):
        return longest(array.flatten())
    return 0


def _lengths(array: pa.Array) -> pa.Array | None:
    """Return the lengths of text or bytes (of a dictionary's values), None for other types."""
    values = array.dictionary if isinstance(array, pa.DictionaryArray) else array
    kind = values.type
    text = pa.types.is_string(kind) or pa.types.is_binary(kind)
    if text or pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return pc.binary_length(values).cast(pa.int64())
    return None


def _text(size: int) -> str:
    return f"{size:,} bytes" if size < 1 << 20 else f"{size / (1 << 20):,.0f} MiB"
