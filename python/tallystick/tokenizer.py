# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: values and columns of one format, under one key and namespace."""

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
"""What to do with an invalid value: raise an error, replace it by a null, or keep it."""

MAX_NAMESPACE = 256
"""The largest size of a namespace in UTF-8, in bytes."""

_FINGERPRINT = b"tallystick key fingerprint 1"

SLICE_ROWS = 1 << 16
"""The number of rows that one thread handles at a time."""

ONLY_PROTECTS = "it can only protect: it was made with reveal=False"
"""The message of a handle that must not reveal."""

Value = TypeVar("Value", str, int, date)


@dataclass(slots=True)
class Counts:
    """Counts of a column's rows.

    Attributes
    ----------
    rows, nulls : int
        All rows, and the rows that were null and stayed null.
    invalid : collections.Counter of Reason
        The invalid rows that became null or were kept, by reason.
    small : int
        The rows of a small domain (fewer than a million values), whose tokens can be listed.
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
    """Protect and reveal values of one format, under one key and namespace.

    Parameters
    ----------
    form : Format
        The format of the values; see `tallystick.formats`.
    key : bytes-like or None
        A data key of 16, 24 or 32 bytes. None for a format without a key.
    namespace : str
        A name for the values, such as ``"person-id"``, of 1 to 256 bytes in UTF-8. Equal values
        have equal tokens if key, namespace and format are equal; otherwise tokens are unrelated.
    on_invalid : {"error", "null", "keep"}
        What to do with an invalid value: raise an error, replace it by a null, or keep it in
        clear.
    reveal : bool
        If False, the tokenizer can only protect, and `reveal` raises `TallyError`. This prevents
        mistakes; it does not stop anyone who has the key.

    Raises
    ------
    ParameterError
        The key has another size, is missing, or an option is invalid.

    Notes
    -----
    A tokenizer is thread-safe. `close` wipes the key.

    Examples
    --------
    >>> from tallystick import Tokenizer, formats
    >>> cards = Tokenizer(formats.card(keep_last=4), bytes(32), namespace="card")
    >>> cards.reveal(cards.protect("4111 1111 1111 1111"))
    '4111 1111 1111 1111'
    >>> cards.close()
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
            raise ParameterError("on_invalid must be 'error', 'null' or 'keep'")
        if form.keyed and key is None:
            raise ParameterError(f"format {form.label!r} needs a key")
        if not form.keyed <= len(_utf8(namespace, "a namespace")) <= MAX_NAMESPACE:
            raise ParameterError(f"a namespace must have 1 to {MAX_NAMESPACE} bytes in UTF-8")
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
        """Wipe the key. The tokenizer can't be used afterwards."""
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
        """Replace a value, or every value of a column, with its token.

        Parameters
        ----------
        values : str, int, datetime.date, pyarrow.Array or pyarrow.ChunkedArray
            A value, or a column of n rows, of a type that the format accepts. Nulls stay null.
        tweaks : str, bytes, int, or pyarrow.Array of n rows, optional
            Something public about each row, such as a customer number, as text, binary or integers.
            Equal values with different tweaks have unrelated tokens.
        threads : int, optional
            The number of threads for a `pyarrow.ChunkedArray` of more than `SLICE_ROWS` rows. By
            default one for each core that the process may use. All other work is done by the
            calling thread.

        Returns
        -------
        object
            The tokens, of the type and length of `values`. Chunks of more than `SLICE_ROWS`
            rows, or of very long values, are split, so that a signal can end the call soon.

        Raises
        ------
        InvalidValueError
            A value does not match its format, and `on_invalid` is ``"error"``.
        ParameterError
            The format does not accept the type, the number of tweaks is not n, or `threads` is
            below 1 or above `threads.MOST_THREADS`.
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
        """Return the values of tokens: the inverse of `protect`, with its parameters.

        Parameters
        ----------
        values : str, int, datetime.date, pyarrow.Array or pyarrow.ChunkedArray
            A token, or a column of n tokens. Nulls stay null.
        tweaks : str, bytes, int, or pyarrow.Array of n rows, optional
            The tweaks that `protect` was given.
        threads : int, optional
            As for `protect`.

        Returns
        -------
        object
            The values, of the type and length of the tokens.

        Raises
        ------
        InvalidValueError
            A value can't be a token of the format, and `on_invalid` is ``"error"``.
        ParameterError
            As for `protect`, or the format is one-way.
        TallyError
            The tokenizer can only protect.
        """
        return self._any(values, tweaks, threads, decrypt=True)

    def transform(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, decrypt: bool, counts: Counts
    ) -> pa.Array:
        """Protect or reveal one array, and add its rows to `counts`; see `protect`."""
        if pa.types.is_dictionary(values.type):
            plain = self.transform(without_layout(values), tweaks, decrypt=decrypt, counts=counts)
            try:
                return plain.dictionary_encode().cast(values.type)
            except pa.ArrowInvalid:
                raise ParameterError(
                    f"the type {values.type} can't number all tokens; decode the "
                    "dictionary column first"
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
        """Protect or reveal one array (no dictionary, no view); invalid values are unchanged."""
        self._check_direction(decrypt=decrypt)
        if not self.form.accepts(values.type):
            raise ParameterError(self.form.refusal(values.type))
        own = None if tweaks is None else _row_tweaks(tweaks, len(values))
        operation = Operation(self._ciphers, self._tweaks[tweaks is not None], own, decrypt)
        return self.form.transform(with_own_offsets(values), operation)

    def settle(self, outcome: Outcome, counts: Counts) -> pa.Array:
        """Handle invalid rows as `on_invalid` says, and count them.

        Raises
        ------
        InvalidValueError
            A row is invalid, and `on_invalid` is ``"error"``.
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
                f"values must be str, int, date or an Arrow array, not {type(values).__name__}"
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
        """Protect or reveal one text; a column of one row would take ten times as long."""
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
        """Return the Arrow type for a Python value; None: Arrow infers it."""
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        unsigned = self.form.accepts(pa.uint64()) and not self.form.accepts(pa.int64())
        return pa.uint64() if unsigned else pa.int64()

    def _lone(self, value: object, reason: Reason) -> object:
        """Handle an invalid single value as `on_invalid` says."""
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
    """Return chunks of a size that threads can share, each with its first row."""
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
    raise ParameterError(f"a tweak must be text, bytes or an integer, not {type(tweak).__name__}")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{what} must be text that UTF-8 can encode") from None


def _row_tweaks(tweaks: pa.Array, rows: int) -> pa.Array:
    """Check tweaks, and write integers in decimal."""
    if isinstance(tweaks, pa.ChunkedArray):
        tweaks = tweaks.combine_chunks()
    if not isinstance(tweaks, pa.Array) or len(tweaks) != rows:
        raise ParameterError("tweaks must be an Arrow array with one tweak for each value")
    kind = tweaks.type
    if pa.types.is_dictionary(kind):
        tweaks = without_layout(tweaks)
        kind = tweaks.type
    if pa.types.is_integer(kind):
        return tweaks.cast(pa.large_string())
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return without_layout(tweaks)
    if kind not in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        raise ParameterError(f"tweaks must be text, binary or integers, not {kind}")
    own = with_own_offsets(tweaks)
    Strings.of(own).ascending()
    return own
