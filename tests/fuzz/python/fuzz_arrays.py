# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays of every layout, sound or with offsets that lie, as columns and as tweaks.

Lying ones are refused. Of sound ones values come back, and neither slices nor chunks nor the width
of offsets nor dictionaries change a token.
"""

from datetime import date, datetime
from decimal import Decimal

import atheris
import numpy as np
import pyarrow as pa

from harness import KEY, fuzz, refused
from tables import FORMATS
from tallystick import Tokenizer, formats
from tallystick.formats import Format

SPECIAL: tuple[tuple[Format, pa.DataType], ...] = (
    (formats.integer(min=-999, max=1_000_000), pa.int32()),
    (formats.integer(min=0, max=200, allow_tiny_domain=True), pa.uint8()),
    (formats.integer(min=0, max=2**62), pa.uint64()),
    (formats.date(), pa.date32()),
    (formats.date(), pa.date64()),
    (formats.decimal(min="-10.00", max="99999.00", scale=2), pa.decimal128(12, 2)),
    (formats.timestamp(), pa.timestamp("ms", "UTC")),
    (formats.timestamp(resolution="us"), pa.timestamp("us")),
)
TEXT = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))
plain = [Tokenizer(form, KEY, namespace="d", on_invalid="null") for form in FORMATS]
keeping = [
    Tokenizer(form, KEY, namespace="d", on_invalid="error" if form == FORMATS[-1] else "keep")
    for form in FORMATS
]
special = [Tokenizer(form, KEY, namespace="d", on_invalid="keep") for form, _ in SPECIAL]


def lying(typed: atheris.FuzzedDataProvider) -> None:
    """Give an array whose offsets are whatever they are."""
    wide = typed.ConsumeBool()
    kind: np.dtype[np.signedinteger] = np.dtype(np.int64 if wide else np.int32)
    rows = typed.ConsumeIntInRange(0, 12)
    some = typed.ConsumeIntListInRange(rows + 1, -3, 40)
    if typed.ConsumeBool() and some:
        some[typed.ConsumeIntInRange(0, rows)] = typed.ConsumeInt(kind.itemsize)
    if typed.ConsumeBool():
        some.sort()
    info = np.iinfo(np.int64 if wide else np.int32)
    offsets = np.array([min(max(x, info.min), info.max) for x in some] or [0], kind)
    valid = pa.py_buffer(typed.ConsumeBytes(2).ljust(2, b"\xff")) if typed.ConsumeBool() else None
    values = typed.ConsumeBytes(typed.ConsumeIntInRange(0, 40))
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(values)]
    try:
        array = pa.Array.from_buffers(
            pa.large_string() if wide else pa.string(), len(offsets) - 1, buffers
        )
    except pa.ArrowInvalid:  # Arrow sees some lies by itself
        return
    start = typed.ConsumeIntInRange(0, len(array))
    array = array.slice(start, typed.ConsumeIntInRange(0, len(array)))
    tokenizer = plain[typed.ConsumeIntInRange(0, len(plain) - 1)]
    here = offsets[start : start + len(array) + 1]
    sound = here[0] >= 0 and here[-1] <= len(values) and bool((np.diff(here) >= 0).all())
    as_tweaks, decrypt = typed.ConsumeBool(), typed.ConsumeBool()
    call = tokenizer.reveal if decrypt else tokenizer.protect
    if as_tweaks:
        example = pa.array([tokenizer.form.examples[0]] * len(array), pa.string())
        failed = refused(lambda: call(example, array))
    else:
        failed = refused(lambda: call(array))
    if len(array):
        assert failed != sound, "offsets that lie are read, or others not"
    if not failed and not as_tweaks:
        made = call(array)
        assert made.type == array.type and len(made) == len(array)


def layouts(typed: atheris.FuzzedDataProvider) -> None:
    """Give the same text in several layouts."""
    which = typed.ConsumeIntInRange(0, len(keeping) - 1)
    tokenizer = keeping[which]
    rows: list[str | None] = []
    for _ in range(typed.ConsumeIntInRange(0, 20)):
        match typed.ConsumeIntInRange(0, 4):
            case 0:
                rows.append(None)
            case 1:
                rows.append(typed.ConsumeBytes(24).decode("utf-8", "replace"))
            case 2 if rows:
                rows.append(rows[typed.ConsumeIntInRange(0, len(rows) - 1)])
            case _:
                examples = tokenizer.form.examples
                rows.append(examples[typed.ConsumeIntInRange(0, len(examples) - 1)])
    array = pa.array(rows, pa.string())
    tweaks = (
        pa.array([str(row % 3) for row in range(len(rows))], pa.string())
        if typed.ConsumeBool()
        else None
    )
    if refused(lambda: tokenizer.protect(array, tweaks)):
        assert tokenizer.on_invalid == "error"
        return
    tokens = tokenizer.protect(array, tweaks)
    assert tokenizer.reveal(tokens, tweaks).equals(array), "values do not come back"
    kind = TEXT[typed.ConsumeIntInRange(0, len(TEXT) - 1)]
    if pa.types.is_dictionary(kind):
        other = array.dictionary_encode().cast(kind)
    else:
        other = array.cast(kind)
    again = tokenizer.protect(other, tweaks)
    assert again.type == kind
    assert again.cast(pa.string()).equals(tokens), "another layout, other tokens"
    start = typed.ConsumeIntInRange(0, len(rows))
    own = None if tweaks is None else tweaks.slice(start)
    assert tokenizer.protect(other.slice(start), own).cast(pa.string()).equals(tokens.slice(start))
    chunks = pa.chunked_array([array.slice(0, start), array.slice(start)])
    whole = tokenizer.protect(chunks, tweaks, threads=1 + which % 2)
    assert whole.combine_chunks().equals(tokens)


def numbers(typed: atheris.FuzzedDataProvider) -> None:
    """Give columns of numbers and times."""
    which = typed.ConsumeIntInRange(0, len(SPECIAL) - 1)
    tokenizer, kind = special[which], SPECIAL[which][1]
    rows: list[object] = []
    for _ in range(typed.ConsumeIntInRange(0, 20)):
        number = typed.ConsumeInt(8)
        if pa.types.is_integer(kind):
            bits = kind.bit_width
            number %= 1 << bits
            signed = pa.types.is_signed_integer(kind) and number >= 1 << (bits - 1)
            rows.append(number - (1 << bits) if signed else number)
        elif pa.types.is_date(kind):
            rows.append(date.fromordinal(1 + number % date.max.toordinal()))
        elif pa.types.is_decimal(kind):
            rows.append(Decimal(number % 10**12 - 10**11).scaleb(-2))
        else:
            rows.append(datetime.fromtimestamp(number % (1 << 33)))
        if typed.ConsumeIntInRange(0, 4) == 0:
            rows.append(None)
    array = pa.array(rows, kind)
    tokens = tokenizer.protect(array)
    assert tokens.type == kind
    tokens.validate(full=True)
    assert tokenizer.reveal(tokens).equals(array), "values do not come back"
    start = typed.ConsumeIntInRange(0, len(rows))
    assert tokenizer.protect(array.slice(start)).equals(tokens.slice(start))


def one(data: bytes) -> None:
    """Work on one of the three."""
    typed = atheris.FuzzedDataProvider(data)
    (lying, layouts, numbers)[typed.ConsumeIntInRange(0, 2)](typed)


if __name__ == "__main__":
    fuzz(one, [text for form in FORMATS for text in form.examples])
