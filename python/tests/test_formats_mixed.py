# SPDX-License-Identifier: Apache-2.0
"""What all formats with layouts share: tokens to the byte, columns, tweaks, faults."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

import mixed_model
import vectors
from models.national_kinds import KINDS
from tallystick import Counts, InvalidValueError, ParameterError, TallyError, Tokenizer, formats
from tallystick import tokenizer as tokenizer_module
from tallystick.formats import Format, Reason

KEY = bytes(range(16))
DUTCH_PLATE = formats.pattern(pattern="AA-999-A")
BRITISH_CODE = formats.pattern(pattern="A(A)9(X)( )9AA")

FORMS: dict[str, Format] = {
    "plate": DUTCH_PLATE,
    "post code": BRITISH_CODE,
    "long": formats.pattern(pattern="X" * 45),
    "iban": formats.iban(),
    "cpf": formats.national_id(kind="br.cpf"),
    "idnr": formats.national_id(kind="de.idnr"),
    "codice": formats.national_id(kind="it.codicefiscale"),
}

each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def tokenizer(form: Format, on_invalid: tokenizer_module.OnInvalid = "error") -> Tokenizer:
    return Tokenizer(form, KEY, namespace="test", on_invalid=on_invalid)


@each_form
def test_tokens_are_those_of_the_document(form: Format) -> None:
    values = mixed_model.drawn(form, 40)
    tokens = tokenizer(form).protect(pa.array(values))
    assert tokens.to_pylist() == [mixed_model.token(form, KEY, "test", value) for value in values]
    tweaks = [b"customer %d" % (row % 7) for row in range(len(values))]
    own = tokenizer(form).protect(pa.array(values), pa.array(tweaks))
    assert own.to_pylist() == [
        mixed_model.token(form, KEY, "test", value, tweak)
        for value, tweak in zip(values, tweaks, strict=True)
    ]


@pytest.mark.parametrize("vector", vectors.load("tokens_mixed"), ids=lambda one: one["about"])
def test_vectors(vector: dict[str, object]) -> None:
    options = dict(vector["format"])  # type: ignore[call-overload]
    form = formats.PRESETS[options.pop("type")](**options)
    tool = Tokenizer(form, bytes.fromhex(str(vector["key"])), namespace=str(vector["namespace"]))
    tweak = vector.get("tweak")
    assert tweak is None or isinstance(tweak, str)
    assert tool.protect(str(vector["value"]), tweak) == vector["token"]
    assert tool.reveal(str(vector["token"]), tweak) == vector["value"]


def test_each_kind_of_identifier_has_a_vector() -> None:
    found = {one["format"].get("kind") for one in vectors.load("tokens_mixed")}
    assert found - {None} == set(KINDS)


@each_form
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_columns_of_every_form(
    form: Format, kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: list[str | None] = list(mixed_model.drawn(form, 50))
    values[3] = values[30] = None
    values[7] = values[9]
    tool = tokenizer(form)
    column = pa.array(values, kind)
    tokens = tool.protect(column)
    assert tokens.type == kind and tokens.null_count == 2
    assert tokens[7] == tokens[9]
    tokens.validate(full=True)
    assert tool.reveal(tokens).to_pylist() == values
    for start, stop in ((0, 0), (2, 5), (9, 50)):
        part = tool.protect(column.slice(start, stop - start))
        assert part.to_pylist() == tokens.to_pylist()[start:stop]
    monkeypatch.setattr(tokenizer_module, "SLICE_ROWS", 7)
    chunked = pa.chunked_array([column[:20], column[20:]])
    for threads in (1, 3):
        assert tool.protect(chunked, threads=threads).to_pylist() == tokens.to_pylist()
    coded = tool.protect(column.dictionary_encode())
    assert pa.types.is_dictionary(coded.type)
    assert coded.dictionary_decode().to_pylist() == tokens.to_pylist()
    for value, token in zip(values[:3], tokens.to_pylist(), strict=False):
        assert tool.protect(value) == token


@each_form
def test_tweaks_of_rows(form: Format) -> None:
    values = mixed_model.drawn(form, 1) * 60
    tool = tokenizer(form, "null")
    tweaks = pa.array([str(row) for row in range(59)] + [None])
    tokens = tool.protect(pa.array(values), tweaks)
    assert tokens.to_pylist()[59] is None
    assert len(set(tokens.to_pylist()[:59])) > 50
    assert tool.reveal(tokens, tweaks).to_pylist() == [*values[:59], None]
    counts = Counts()
    too_long = pa.array(["x" * 2000, "x" * 100])
    tool.transform(pa.array(values[:2]), too_long, decrypt=False, counts=counts)
    assert counts.invalid == {Reason.TWEAK: 1}


def test_the_longest_tweak_that_fits_does() -> None:
    for length in range(850, 1024):
        tool = tokenizer(DUTCH_PLATE)
        try:
            token = tool.protect("AB-123-C", "x" * length)
        except InvalidValueError as error:
            assert error.reason == Reason.TWEAK and length > 850
            return
        assert tool.reveal(token, "x" * length) == "AB-123-C"
    raise AssertionError("never too long")


def test_a_small_domain_is_permuted() -> None:
    form = formats.pattern(pattern="9[A-Ca]( )9")
    values = [
        f"{a}{b}{s}{c}" for a in range(10) for b in "ABCa" for c in range(10) for s in ("", " ")
    ]
    tool, counts = tokenizer(form), Counts()
    tokens = tool.transform(pa.array(values), decrypt=False, counts=counts)
    assert counts.small == len(values) == 800
    assert sorted(tokens.to_pylist()) == sorted(values)
    assert tokens.to_pylist() != values
    assert tool.reveal(tokens).to_pylist() == values


CPF = formats.national_id(kind="br.cpf")
INVALID = [
    (DUTCH_PLATE, Reason.NOTATION, ["", "AB-123-", "AB-123-CD", "AB 123-C", "AB-12C-C"]),
    (DUTCH_PLATE, Reason.NOTATION, ["Ab-123-C", "AB-123-\u00e9"]),
    (formats.iban(), Reason.NOTATION, ["XX89370400440532013000", "DE8937040044053201300"]),
    (formats.iban(), Reason.NOTATION, ["de89370400440532013000", "DE89 370400440532013000"]),
    (formats.iban(), Reason.CHECK, ["DE88370400440532013000"]),
    (CPF, Reason.CHECK, ["390.533.447-06"]),
    (CPF, Reason.RANGE, ["000.000.000-00"]),
    (CPF, Reason.NOTATION, ["390 533 447 05"]),
    (formats.national_id(kind="pl.pesel"), Reason.NOTATION, ["44053201359"]),
]


@pytest.mark.parametrize(
    ("form", "value", "reason"),
    [(form, value, reason) for form, reason, values in INVALID for value in values],
)
def test_values_that_do_not_fit(form: Format, value: str, reason: Reason) -> None:
    fits = mixed_model.drawn(form, 2)
    column = pa.array([fits[0], value, fits[1]])
    for function in (tokenizer(form).protect, tokenizer(form).reveal):
        with pytest.raises(InvalidValueError, match=r"^row 1: ") as caught:
            function(column)
        assert caught.value.reason == reason
        text = "".join(traceback.format_exception(caught.value))
        assert not value or value not in text
    tokens = tokenizer(form, "keep").protect(column).to_pylist()
    assert tokens[1] == value and tokens[0] != fits[0]
    assert tokenizer(form, "null").protect(column).to_pylist()[1] is None


@each_form
def test_no_byte_of_a_null_is_left(form: Format) -> None:
    value = mixed_model.drawn(form, 1)[0].encode()
    offsets = np.array([0, len(value), 2 * len(value)], np.int32)
    buffers = [pa.py_buffer(b"\x02"), pa.py_buffer(offsets), pa.py_buffer(value * 2)]
    column = pa.Array.from_buffers(pa.string(), 2, buffers)
    tokens = tokenizer(form).protect(column)
    assert tokens.buffers()[2].to_pybytes()[: len(value)] == bytes(len(value))


@pytest.mark.parametrize(
    "make", [lambda: pa.array([5]), lambda: pa.array([b"AB-123-C"], pa.binary(8))]
)
def test_columns_that_are_no_text(make: Callable[[], pa.Array]) -> None:
    with pytest.raises(ParameterError, match="pattern"):
        tokenizer(DUTCH_PLATE).protect(make())


def test_closed() -> None:
    tool = tokenizer(BRITISH_CODE)
    tool.protect("SW1A 1AA")
    tool.close()
    with pytest.raises(TallyError, match="closed"):
        tool.protect("SW1A 1AA")
