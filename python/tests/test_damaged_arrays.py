# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays from outside that lie: errors, not reads out of memory or exceptions of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tallystick import InvalidValueError, ParameterError, Tokenizer, formats
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
OFFSETS = {"descending": [0, 16, 8, 24], "far": [0, 8, FAR, 24], "negative": [0, 8, -FAR, 24]}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
each_damage = pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)


def tokenizer(form: Format, on_invalid: str = "error") -> Tokenizer:
    keyed = (KEY, "d") if form.keyed else (None, "")
    return Tokenizer(form, keyed[0], namespace=keyed[1], on_invalid=on_invalid)  # type: ignore[arg-type]


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
        with pytest.raises(ParameterError, match="damaged Arrow array"):
            tokenizer(form, "null").protect(part)


@pytest.mark.parametrize("form", [form for form in FORMS.values() if form.keyed])
@each_damage
@pytest.mark.parametrize("nulls", [False, True])
def test_offsets_of_tweaks(form: Format, offsets: list[int], nulls: bool) -> None:
    tweaks = array(offsets, nulls=nulls)
    values = pa.array([form.examples[0]] * len(tweaks))
    with pytest.raises(ParameterError, match="damaged Arrow array"):
        tokenizer(form).protect(values, tweaks)


def damaged_layouts() -> dict[str, pa.Array]:
    """Make arrays of other layouts that lead out of their memory."""
    words, far = pa.array(["12345678"] * 3), pa.array([0, None, FAR], pa.int32())
    views = np.array([20, 0, 0, 0, 20, 0, 0, FAR], np.int32)
    held = [None, pa.py_buffer(views), pa.py_buffer(b"12345678" * 4)]
    return {
        "a dictionary's offsets": pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 2], pa.int8()), array(OFFSETS["far"])
        ),
        "indices": pa.DictionaryArray.from_arrays(far, words, safe=False),
        "views": pa.Array.from_buffers(pa.string_view(), 2, held),
    }


@pytest.mark.parametrize("damage", damaged_layouts())
def test_layouts(damage: str) -> None:
    damaged = damaged_layouts()[damage]
    for part in (damaged, damaged.slice(1)):
        with pytest.raises(ParameterError, match="damaged"):
            tokenizer(formats.digits(), "null").protect(part)
        with pytest.raises(ParameterError, match="damaged"):
            tokenizer(formats.digits()).protect(pa.array(["12345678"] * len(part)), part)


@each_form
def test_bytes_that_are_no_utf_8_do_not_fit(form: Format) -> None:
    if form.one_way:
        return
    good = form.examples[0].encode()
    column = pa.array([good, b"\xff\x80\xc3", good + b"\xe0", None], pa.binary())
    damaged = pa.Array.from_buffers(pa.string(), 4, column.buffers())
    with pytest.raises(InvalidValueError, match="row 1"):
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


def text(rows: list[str | None], *, wide: bool) -> pa.Array:
    """Make a slice of an array whose offsets and bitmap can be written to."""
    array = pa.array([None, *rows, None, *rows], pa.large_string() if wide else pa.string())
    valid, offsets, values = array.buffers()
    held = [pa.py_buffer(bytearray(valid)), pa.py_buffer(bytearray(offsets)), values]
    return pa.Array.from_buffers(array.type, len(array), held).slice(len(rows) + 2)


def change(array: pa.Array) -> None:
    """Do what another thread may do: let offsets lie."""
    _, offsets, _ = array.buffers()
    np.frombuffer(offsets, np.uint8)[:] = 0x7F


@each_form
@pytest.mark.parametrize("wide", [False, True])
def test_arrays_that_change_after_they_were_checked(
    form: Format, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[str | None] = [form.examples[0], None, "", form.examples[-1], "none of any format"]
    own: list[str | None] = ["a", "b", None, "c", ""]
    for tweaks in (None, text(own, wide=wide)) if form.keyed else (None,):
        values = text(rows, wide=wide)
        expected = tokenizer(form, "keep").protect(values, tweaks)
        batches = Tokenizer._batches

        def changed(
            self: Tokenizer,
            given: pa.Array,
            own: pa.Array | None,
            values: pa.Array = values,
            tweaks: pa.Array | None = tweaks,
            batches: Callable[..., Any] = batches,
            **options: bool,
        ) -> Iterator[Any]:
            for part in batches(self, given, own, **options):
                change(values)
                if tweaks is not None:
                    change(tweaks)
                yield part

        with monkeypatch.context() as patch:
            patch.setattr(Tokenizer, "_batches", changed)
            made = tokenizer(form, "keep").protect(values, tweaks)
        made.validate(full=True)
        assert made.equals(expected)
        assert made.to_pylist()[1] is None
