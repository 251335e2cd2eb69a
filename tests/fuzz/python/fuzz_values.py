# SPDX-License-Identifier: Apache-2.0
"""One value and a column, protected and revealed under any key, namespace and tweak: the same."""

from datetime import date

import atheris
import numpy as np
import pyarrow as pa

from harness import KEY, fuzz, size_of
from tables import FORMATS
from tallystick import FastCipher, InvalidValueError, ParameterError, Tokenizer, formats
from tallystick.errors import FormatError

ALL = (
    *FORMATS,
    formats.phone(),
    formats.ssn(),
    formats.uuid(),
    formats.imei(),
    formats.hex(),
    formats.email(part="all", case="mixed", kept_as_tweak=False, allow_tiny_domain=True),
    formats.digits(keep_first=2, keep_last=1, kept_as_tweak=False, allow_tiny_domain=True),
    formats.unicode(script="devanagari"),
    formats.unicode(script="hangul", keep_first=1),
    formats.mask(keep_last=2),
    formats.pseudonym(),
)
LONGEST = 65_536
"""Symbols of a word, at most."""
MANY_TOGETHER = 1000
tokenizers = [
    Tokenizer(form, KEY if form.keyed else None, namespace="d" * form.keyed) for form in ALL
]


def outcome(tokenizer: Tokenizer, value: object, tweak: object, *, decrypt: bool) -> object:
    """Return a value's token or its error."""
    call = tokenizer.reveal if decrypt else tokenizer.protect
    try:
        return call(value, tweak)
    except InvalidValueError as error:
        if isinstance(value, str) and len(value) > 8 and value in str(error):
            raise AssertionError("a value in a message") from error
        return "invalid", error.reason
    except ParameterError as error:
        return "parameter", str(error)


def type_for(tokenizer: Tokenizer, value: object) -> pa.DataType | None:
    """Return the type of a column of a value; None: Arrow infers it."""
    if not isinstance(value, int):
        return None
    unsigned = tokenizer.form.accepts(pa.uint64()) and not tokenizer.form.accepts(pa.int64())
    return pa.uint64() if unsigned else pa.int64()


def values(typed: atheris.FuzzedDataProvider) -> None:
    """Compare a value by itself with a column that has it in the middle."""
    tokenizer = tokenizers[typed.ConsumeIntInRange(0, len(tokenizers) - 1)]
    tweak: object = (None, typed.ConsumeUnicodeNoSurrogates(12), typed.ConsumeIntInRange(-9, 9))[
        typed.ConsumeIntInRange(0, 2)
    ]
    decrypt = typed.ConsumeBool()
    value: object
    match typed.ConsumeIntInRange(0, 5):
        case 0:
            value = typed.ConsumeInt(9)
        case 1:
            value = date.fromordinal(typed.ConsumeIntInRange(1, date.max.toordinal()))
        case 2:
            value = typed.ConsumeUnicode(100)  # surrogates too
        case _:
            text: str = typed.ConsumeBytes(200).decode("utf-8", "replace")
            value = text * size_of(typed, 1, LONGEST // max(len(text), 1))
    single = outcome(tokenizer, value, tweak, decrypt=decrypt)
    if single is None or (isinstance(single, tuple) and single[0] == "parameter"):
        return
    try:
        column = pa.array([None, value, value, None], type_for(tokenizer, value))
    except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
        assert isinstance(single, tuple)
        return
    tweaks = None if tweak is None else pa.array([tweak] * 4)
    try:
        call = tokenizer.reveal if decrypt else tokenizer.protect
        made = call(column.slice(1), None if tweaks is None else tweaks.slice(1))
    except InvalidValueError as error:
        assert single == ("invalid", error.reason), "a column differs from a value"
        return
    assert made.to_pylist() == [single, single, None], "a column differs from a value"
    if not tokenizer.form.one_way:
        back = outcome(tokenizer, single, tweak, decrypt=not decrypt)
        # Not every text that looks like a token is one, but whatever was made is.
        assert back == value, "a value does not come back"


def words(typed: atheris.FuzzedDataProvider) -> None:
    """Compare a word by itself with words side by side."""
    key = typed.ConsumeBytes(
        (16, 24, 32, typed.ConsumeIntInRange(0, 40))[typed.ConsumeIntInRange(0, 3)]
    )
    radix = typed.ConsumeIntInRange(0, 260)
    tweak = typed.ConsumeBytes(typed.ConsumeIntInRange(0, 1100))
    count, length = typed.ConsumeIntInRange(1, 70), size_of(typed, 70, LONGEST)
    count = 1 if length > MANY_TOGETHER else count  # the longest take seconds
    try:
        cipher = FastCipher(key, radix)
    except (ParameterError, FormatError):
        return
    given = np.frombuffer(typed.ConsumeBytes(count * length).ljust(count * length, b"\0"), np.uint8)
    if radix < 256 and typed.ConsumeBool():
        given = given % radix
    many = given.reshape(count, length)
    try:
        made = cipher.encrypt_words(many, tweak)
    except ParameterError:
        made = None
    for number in {0, count // 2, count - 1}:
        try:
            one_word = cipher.encrypt(many[number].tobytes(), tweak)
        except ParameterError:
            assert made is None
            continue
        assert made is None or one_word == made[number].tobytes(), "words differ"
    if made is not None:
        assert int(made.max(initial=0)) < radix
        assert (cipher.decrypt_words(made, tweak) == many).all(), "words do not come back"
    cipher.close()


def one(data: bytes) -> None:
    """Work on values, or on words."""
    typed = atheris.FuzzedDataProvider(data)
    (words if typed.ConsumeIntInRange(0, 3) == 0 else values)(typed)


if __name__ == "__main__":
    examples = [text for form in ALL for text in form.examples]
    fuzz(one, examples)
