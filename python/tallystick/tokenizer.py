# SPDX-License-Identifier: Apache-2.0
"""Values and columns of one format under one key and namespace, to tokens and back."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeVar, overload

import numpy as np
import pyarrow as pa

from tallystick.ciphers import Ciphers
from tallystick.errors import InvalidValueError, ParameterError, TallyError, with_fault
from tallystick.formats.base import REASONS, Format, Outcome, Reason, is_text
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings, with_own_offsets, without_layout
from tallystick.formats.text import TextFormat
from tallystick.memory import HoldsKeys
from tallystick.threads import at_once, thread_count

OnInvalid = Literal["error", "null", "keep"]
"""What becomes of a value that does not fit its format: an error, a null, or nothing at all."""

MAX_NAMESPACE = 256
"""Bytes of a namespace's name in UTF-8, at most."""

_FINGERPRINT = b"tallystick key fingerprint 1"

SLICE_ROWS = 1 << 16
"""Rows of a chunk that one thread works on at once."""

ONLY_PROTECTS = "it can only protect: it was made with reveal=False"
"""What an error says of a handle that must not reveal."""

Value = TypeVar("Value", str, int, date)


@dataclass(slots=True)
class Counts:
    """What happened to the rows of a column.

    Attributes
    ----------
    rows, nulls : int
        All rows, and those that were null and stayed so.
    invalid : collections.Counter of Reason
        Rows that did not fit and became null or were kept, by reason.
    small : int
        Rows whose tokens can be listed: of a domain of less than a million values.
    """

    rows: int = 0
    nulls: int = 0
    invalid: Counter[Reason] = field(default_factory=Counter)
    small: int = 0

    def add(self, other: Counts) -> None:
        """Add the counts of other rows."""
        self.rows += other.rows
        self.nulls += other.nulls
        self.invalid += other.invalid
        self.small += other.small


class Tokenizer(HoldsKeys):
    """One format under one key and namespace.

    Parameters
    ----------
    form : Format
        What values look like; see `tallystick.formats`.
    key : bytes-like or None
        A data key of 16, 24 or 32 bytes. None: the format needs none.
    namespace : str
        What the values are, such as ``"person-id"``. Tokens of equal values are equal wherever
        key, namespace and format are, and unrelated otherwise.
    on_invalid : {"error", "null", "keep"}
        What becomes of values that do not fit the format.
    reveal : bool
        False: it can only protect, and `reveal` raises an error. That guards against mistakes;
        whoever has the key can always reveal.

    Raises
    ------
    ParameterError
        If the key has another size, or the format needs one.

    Notes
    -----
    Any number of threads may use one tokenizer at once.
    """

    __slots__ = ("_ciphers", "_reveals", "_tweaks", "form", "namespace", "on_invalid")

    def __init__(
        self,
        form: Format,
        key: bytes | bytearray | None,
        *,
        namespace: str,
        on_invalid: OnInvalid = "error",
        reveal: bool = True,
    ) -> None:
        if on_invalid not in ("error", "null", "keep"):
            raise ParameterError("on_invalid is 'error', 'null' or 'keep'")
        if form.keyed and key is None:
            raise ParameterError(f"format {form.label!r} needs a key")
        if not form.keyed <= len(_utf8(namespace, "a namespace")) <= MAX_NAMESPACE:
            raise ParameterError(f"a namespace has 1 to {MAX_NAMESPACE} bytes in UTF-8")
        if on_invalid == "keep" and isinstance(form, TextFormat) and form.luhn == "invalid":
            raise ParameterError(
                "on_invalid 'keep' can't go with luhn 'invalid': a value kept because its check "
                "digit is wrong could be taken for a token; use 'error' or 'null'"
            )
        self.form = form
        self.namespace = namespace
        self.on_invalid = on_invalid
        self._reveals = reveal
        self._ciphers = Ciphers(key)
        self._tweaks = tuple(tweak_of(form, namespace, rows=rows) for rows in (False, True))

    def __repr__(self) -> str:
        return (
            f"Tokenizer({self.form!r}, namespace={self.namespace!r}, "
            f"on_invalid={self.on_invalid!r})"
        )

    def key_fingerprint(self) -> bytes:
        """Return 32 public bytes that identify the key.

        ``docs/explanation/what-a-token-reveals.md`` has their consequences.
        """
        nothing = np.zeros(2, np.int64)
        return self._ciphers.tags(_FINGERPRINT, b"", np.zeros(0, np.uint8), nothing).tobytes()

    def close(self) -> None:
        """Wipe the key; the tokenizer can't be used any more."""
        self._ciphers.close()

    @overload
    def protect(
        self, values: Value, tweaks: str | bytes | int | None = None, *, threads: int | None = None
    ) -> Value: ...
    @overload
    def protect(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, threads: int | None = None
    ) -> pa.Array: ...

    def protect(
        self, values: object, tweaks: object = None, *, threads: int | None = None
    ) -> object:
        """Replace a value, or every value of a column, by its token.

        Parameters
        ----------
        values : str, int, datetime.date, pyarrow.Array or pyarrow.ChunkedArray
            Of a type that the format accepts. Nulls stay null.
        tweaks : str, bytes, int, or pyarrow.Array of the same length, optional
            For each row something public, such as a customer number, that makes its token
            incomparable with those of other rows. Text, binary or integers.
        threads : int, optional
            How many work on a `pyarrow.ChunkedArray` of more than `SLICE_ROWS` rows, by default one
            for each core that the process may use. Everything else is done by the caller's.

        Returns
        -------
        object
            Of the type and length of `values`. Chunks of more than `SLICE_ROWS` rows are split, and
            so are those of very long values, so that a signal ends the call soon.

        Raises
        ------
        InvalidValueError
            If a value does not fit its format and `on_invalid` is ``"error"``.
        ParameterError
            If the type is not one of the format's, tweaks are not as many as values, or `threads`
            is below 1 or above `threads.MOST_THREADS`.
        """
        return self._any(values, tweaks, threads, decrypt=False)

    @overload
    def reveal(
        self, values: Value, tweaks: str | bytes | int | None = None, *, threads: int | None = None
    ) -> Value: ...
    @overload
    def reveal(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, threads: int | None = None
    ) -> pa.Array: ...

    def reveal(
        self, values: object, tweaks: object = None, *, threads: int | None = None
    ) -> object:
        """Give the values of tokens back: the inverse of `protect`, its arguments and errors.

        Raises
        ------
        ParameterError
            Also if the format is one-way.
        TallyError
            The tokenizer can only protect.
        """
        return self._any(values, tweaks, threads, decrypt=True)

    def transform(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, decrypt: bool, counts: Counts
    ) -> pa.Array:
        """Protect or reveal one array, and add what happened to `counts`; see `protect`."""
        if pa.types.is_dictionary(values.type):
            plain = self.transform(without_layout(values), tweaks, decrypt=decrypt, counts=counts)
            try:
                return plain.dictionary_encode().cast(values.type)
            except pa.ArrowInvalid:
                raise ParameterError(
                    f"the tokens are more than {values.type} can number; decode the column first"
                ) from None
        if pa.types.is_string_view(values.type):
            plain = self.transform(without_layout(values), tweaks, decrypt=decrypt, counts=counts)
            return plain.cast(values.type)
        counts.rows += len(values)
        if pa.types.is_null(values.type):  # what libraries make of columns without a value
            counts.nulls += len(values)
            return values
        outcome = self.outcome(values, tweaks, decrypt=decrypt)
        counts.nulls += values.null_count
        counts.small += outcome.small
        return self.settle(outcome, counts)

    def outcome(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, decrypt: bool
    ) -> Outcome:
        """Protect or reveal one array, no dictionary and no view; leave alone what does not fit."""
        self._check_direction(decrypt=decrypt)
        if not self.form.accepts(values.type):
            raise ParameterError(self.form.refusal(values.type))
        own = None if tweaks is None else _row_tweaks(tweaks, len(values))
        operation = Operation(self._ciphers, self._tweaks[tweaks is not None], own, decrypt)
        return self.form.transform(with_own_offsets(values), operation)

    def settle(self, outcome: Outcome, counts: Counts) -> pa.Array:
        """Do with the rows that do not fit what is to be done with them, and count them.

        Raises
        ------
        InvalidValueError
            If there is one and `on_invalid` is ``"error"``.
        """
        if not outcome.status.any():
            return outcome.array
        invalid = outcome.status != 0
        if self.on_invalid == "error":
            row = int(np.argmax(invalid))
            reason = REASONS[outcome.status[row]]
            assert reason is not None  # noqa: S101  # for the type checker
            raise self._invalid(row, reason, outcome.array[row])
        for code, count in enumerate(np.bincount(outcome.status)):
            counted = REASONS[code]
            if counted is not None and count:
                counts.invalid[counted] += int(count)
        if self.on_invalid == "keep":
            return outcome.array
        # Not if_else, which leaves the bytes of the value under the null.
        rows = pa.array(np.arange(len(invalid)), mask=invalid)
        return outcome.array.take(rows)

    def _check_direction(self, *, decrypt: bool) -> None:
        if decrypt and not self._reveals:
            raise TallyError(ONLY_PROTECTS)

    def _any(self, values: object, tweaks: object, threads: int | None, *, decrypt: bool) -> object:
        self._check_direction(decrypt=decrypt)
        thread_count(threads)
        if isinstance(values, pa.Array):
            return self.transform(values, tweaks, decrypt=decrypt, counts=Counts())
        if isinstance(values, pa.ChunkedArray):
            return self._chunks(values, tweaks, threads, decrypt=decrypt)
        if not isinstance(values, str | int | date):
            raise ParameterError(
                f"values are str, int, date or an Arrow array, not {type(values).__name__}"
            )
        if isinstance(values, str) and isinstance(self.form, TextFormat):
            return self._text(self.form, values, tweaks, decrypt=decrypt)
        try:
            column = pa.array([values], self.type_for(values))
        except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
            # No format has a value that Arrow can't hold.
            return self._lone(values, Reason.RANGE if isinstance(values, int) else Reason.FOREIGN)
        result = self.transform(
            column,
            None if tweaks is None else pa.array([_tweak_bytes(tweaks)]),
            decrypt=decrypt,
            counts=Counts(),
        )
        return result[0].as_py()

    def _text(self, form: TextFormat, value: str, tweak: object, *, decrypt: bool) -> object:
        """Protect or reveal one text; a column of one would take ten times as long."""
        try:
            given = value.encode()
        except UnicodeEncodeError:
            return self._lone(value, Reason.FOREIGN)
        result, status = form.transform_value(
            self._ciphers,
            given,
            self._tweaks[tweak is not None],
            None if tweak is None else _tweak_bytes(tweak),
            decrypt=decrypt,
        )
        reason = REASONS[status]
        return result.decode() if reason is None else self._lone(value, reason)

    def type_for(self, value: object) -> pa.DataType | None:
        """Return the Arrow type for a value of Python's; None: Arrow knows."""
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        unsigned = self.form.accepts(pa.uint64()) and not self.form.accepts(pa.int64())
        return pa.uint64() if unsigned else pa.int64()

    def _lone(self, value: object, reason: Reason) -> object:
        """Do with a single value that does not fit what is to be done with it."""
        if self.on_invalid == "error":
            raise self._invalid(0, reason, value) from None
        return value if self.on_invalid == "keep" else None

    def _invalid(self, row: int, reason: Reason, value: object) -> InvalidValueError:
        fault = self.form.fault(value, reason)
        return InvalidValueError(
            f"row {row}: {with_fault(reason, fault)}", reason=str(reason), row=row, fault=fault
        )

    def _chunks(
        self, values: pa.ChunkedArray, tweaks: object, threads: int | None, *, decrypt: bool
    ) -> pa.ChunkedArray:
        all_tweaks = None if tweaks is None else _row_tweaks(tweaks, len(values))

        def transform(part: tuple[int, pa.Array]) -> pa.Array:
            start, chunk = part
            own = None if all_tweaks is None else all_tweaks.slice(start, len(chunk))
            try:
                return self.transform(chunk, own, decrypt=decrypt, counts=Counts())
            except InvalidValueError as error:
                row = start + error.row
                raise error.moved(f"row {row}", row) from None

        if len(values) <= SLICE_ROWS:
            threads = 1  # starting others would take longer
        return pa.chunked_array(at_once(transform, _slices(values), threads), values.type)


def _slices(values: pa.ChunkedArray) -> list[tuple[int, pa.Array]]:
    """Return chunks of a size that threads may share, each with the row it begins at."""
    slices: list[tuple[int, pa.Array]] = []
    start = 0
    for chunk in values.chunks:
        # A dictionary's chunk stays whole: each slice's tokens would have one of their own.
        most = max(1, len(chunk)) if pa.types.is_dictionary(values.type) else SLICE_ROWS
        for first in range(0, max(1, len(chunk)), most):
            part = chunk.slice(first, most)
            batches = Strings.of(part).batches() if is_text(part.type) else [(0, len(part))]
            slices += ((start + first + row, part.slice(row, rows)) for row, rows in batches)
        start += len(chunk)
    return slices


def tweak_of(form: Format, namespace: str, *, rows: bool) -> bytes:
    """Encode what the tokens of a column depend on; ``docs/reference/tokens.md`` has the bytes.

    Parameters
    ----------
    form, namespace
        As for `Tokenizer`.
    rows : bool
        Whether a tweak of each row's own follows.
    """
    identity = json.dumps(form.identity, separators=(",", ":"), ensure_ascii=True)
    parts = (b"tallystick 1", namespace.encode(), identity.encode(), b"rows" if rows else b"column")
    encoded = len(parts).to_bytes(4, "big")
    for part in parts:
        encoded += len(part).to_bytes(4, "big") + part
    return encoded


def _tweak_bytes(tweak: object) -> bytes:
    """Return the bytes of a single tweak: text in UTF-8, an integer in decimal."""
    if isinstance(tweak, bytes):
        return tweak
    if isinstance(tweak, str | int) and not isinstance(tweak, bool):
        return _utf8(str(tweak), "a tweak")
    raise ParameterError(f"a tweak is text, bytes or an integer, not {type(tweak).__name__}")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{what} must be text that UTF-8 can hold") from None


def _row_tweaks(tweaks: pa.Array, rows: int) -> pa.Array:
    """Check tweaks, and write integers in decimal."""
    if isinstance(tweaks, pa.ChunkedArray):
        tweaks = tweaks.combine_chunks()
    if not isinstance(tweaks, pa.Array) or len(tweaks) != rows:
        raise ParameterError("there must be as many tweaks as values, in an Arrow array")
    kind = tweaks.type
    if pa.types.is_dictionary(kind):
        tweaks = without_layout(tweaks)
        kind = tweaks.type
    if pa.types.is_integer(kind):
        return tweaks.cast(pa.large_string())
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return without_layout(tweaks)
    if kind not in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        raise ParameterError(f"tweaks are text, binary or integers, not {kind}")
    own = with_own_offsets(tweaks)
    Strings.of(own).ascending()
    return own
