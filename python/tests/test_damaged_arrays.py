# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays from outside that lie: errors, not reads out of memory or exceptions of others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick import ParameterError, Tokenizer, UnfitError, formats
from tallystick.formats import Format

KEY = bytes(range(16))
FAR = 2**31 - 1
FORMS: dict[str, Format] = {
    "digits": formats.digits(),
    "pattern": formats.pattern(pattern="A99999"),
    "iban": formats.iban(),
    "national_id": formats.national_id(kind="br.cpf"),
    "unicode": formats.unicode(),
    "devanagari": formats.unicode(script="devanagari"),
    "decimal": formats.decimal(min=0, max=9999, scale=2),
    "timestamp": formats.timestamp(),
    "date": formats.date(),
    "integer": formats.integer(min=0, max=9999),
    "ipv4": formats.ipv4(prefix=8),
    "ipv6": formats.ipv6(),
    "mask": formats.mask(),
    "pseudonym": formats.pseudonym(),
}
OFFSETS = {
    "descending": [0, 16, 8, 24],
    "far": [0, 8, FAR, 24],
    "negative": [0, 8, -FAR, 24],
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
each_damage = pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)


def tokenizer(form: Format, unfit: str = "error") -> Tokenizer:
    keyed = (KEY, "d") if form.keyed else (None, "")
    return Tokenizer(form, keyed[0], domain=keyed[1], unfit=unfit)  # type: ignore[arg-type]


def array(offsets: list[int], *, wide: bool = False, nulls: bool = False) -> pa.Array:
    held = pa.py_buffer(np.array(offsets, np.int64 if wide else np.int32))
    valid = pa.py_buffer(b"\x05") if nulls else None
    kind = pa.large_string() if wide else pa.string()
    return pa.Array.from_buffers(
        kind, len(offsets) - 1, [valid, held, pa.py_buffer(b"12345678" * 4)]
    )


@each_form
@each_damage
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("nulls", [False, True])
def test_offsets_of_values(form: Format, offsets: list[int], wide: bool, nulls: bool) -> None:
    values = array(offsets, wide=wide, nulls=nulls)
    for part in (values, values.slice(1)):
        if (np.diff(offsets[-len(part) - 1 :]) >= 0).all():
            continue
        with pytest.raises(ParameterError):
            tokenizer(form, "null").protect(part)


@pytest.mark.parametrize("form", [form for form in FORMS.values() if form.keyed])
@each_damage
@pytest.mark.parametrize("nulls", [False, True])
def test_offsets_of_tweaks(form: Format, offsets: list[int], nulls: bool) -> None:
    tweaks = array(offsets, nulls=nulls)
    values = pa.array([form.examples[0]] * len(tweaks))
    with pytest.raises(ParameterError):
        tokenizer(form).protect(values, tweaks)


@each_form
def test_bytes_that_are_no_utf_8_do_not_fit(form: Format) -> None:
    if form.one_way:
        return
    good = form.examples[0].encode()
    column = pa.array([good, b"\xff\x80\xc3", good + b"\xe0", None], pa.binary())
    damaged = pa.Array.from_buffers(pa.string(), 4, column.buffers())
    with pytest.raises(UnfitError, match="row 1"):
        tokenizer(form).protect(damaged)
    made = tokenizer(form, "keep").protect(damaged)
    back = tokenizer(form, "keep").reveal(made)
    assert back.cast(pa.binary()).equals(column)
    assert made.cast(pa.binary())[1:3].equals(column[1:3])


@each_form
def test_columns_without_a_value_may_have_no_type(form: Format) -> None:
    nulls = pa.nulls(3)
    assert tokenizer(form).protect(nulls).equals(nulls)
    chunks = pa.chunked_array([nulls, nulls])
    assert tokenizer(form).protect(chunks).equals(chunks)
