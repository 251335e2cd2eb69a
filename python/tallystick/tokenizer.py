# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: values and columns of one format, under one key and namespace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Context, Decimal, Inexact
from sys import byteorder
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from tallystick._core import ffi, lib
from tallystick.adapters import series_to_arrow
from tallystick.arrow import (
    bound_of_sizes,
    column_like,
    column_of,
    exported,
    joined,
    to_pyarrow,
)
from tallystick.capsules import ArrowData, Data, Field, owned
from tallystick.errors import Fault, InvalidValueError, ParameterError, TallyError, with_fault
from tallystick.formats.format import REASONS, Format, Reason, fault_of, reason_of
from tallystick.memory import TOKENIZER, WORKER, HoldsKeys, flat, secret_memory, shared
from tallystick.memory import check as check_status
from tallystick.threads import at_once, thread_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

OnInvalid = Literal["error", "null", "keep"]
"""What to do with an invalid value: raise an error, replace it by a null, or keep it."""

SLICE_ROWS = 1 << 16
"""The number of rows that one thread handles at a time, at least."""
GROUPED_ROWS = 1 << 20
"""The same, at most: as many as the core groups by tweak together."""

ONLY_REVEALS = "it can only reveal: its key, or the root of its key ring, may not protect"
ONLY_PROTECTS = "it can only protect: it was made with reveal=False, or its key may not reveal"
"""The message of a handle that must not reveal."""

_WORK = 1 << 27
"""Layers of FAST between which signals are handled: half a second where values are long."""
_SHORT, _SHORT_WORK, _ALIKE_WORK, _AVX512_WORK = 64, 8, 16, 64
"""Bytes of values that run side by side, at most, and how many times as many layers are done
between signals: if each row has a tweak of its own, and if rows share one, where lanes are of
AVX-512 too. So few parts are joined, which copies them, and rows of equal tweaks meet.
"""
_MOST_ROWS = 1 << 24
"""Of a part: check characters and words to transform again take time that layers do not count."""
ON_INVALID: dict[OnInvalid, int] = {
    "error": lib.TALLY_INVALID_ERROR,
    "null": lib.TALLY_INVALID_NULL,
    "keep": lib.TALLY_INVALID_KEEP,
}
"""The numbers that the core has for these words."""
_TYPES = {
    **{b"ts": "int64_t", b"td": "int32_t", b"d:": "uint8_t[16]"},
    **{b"l": "int64_t", b"L": "uint64_t", b"b": "uint8_t"},
}
"""What stands for values of Arrow's types, by the first letters of their format strings."""
_NULL = ffi.NULL
_unpack = ffi.unpack
_wipe = lib.tally_wipe
_CLOSED = "the tokenizer is closed"
_TAKEN = "values must be str, int, date, Decimal, an Arrow array or a series"
_ROOM = 256  # bytes of a result, at first

Value = TypeVar("Value", str, int, date, Decimal)


@dataclass(slots=True)
class Counts:
    """Counts of a column's rows."""

    rows: int = 0
    """All rows."""
    nulls: int = 0
    """The rows that were null and stayed null."""
    invalid: Counter[Reason] = field(default_factory=Counter)
    """The invalid rows that became null or were kept, by reason."""
    small: int = 0
    """The rows of a small domain (fewer than a million values), whose tokens can be listed."""

    @classmethod
    def of(cls, found: Any) -> Counts:  # noqa: ANN401
        """Read a ``tally_counts``."""
        numbers = zip(REASONS, found.invalid, strict=False)
        invalid = {reason: number for reason, number in numbers if reason is not None and number}
        return cls(found.rows, found.nulls, Counter(invalid), found.small)

    def add(self, other: Counts) -> None:
        """Add the counts of other rows."""
        self.rows += other.rows
        self.nulls += other.nulls
        self.invalid += other.invalid
        self.small += other.small


@dataclass(frozen=True, slots=True)
class Outcome:
    """A transformed column of n rows.

    Attributes
    ----------
    array : pyarrow.Array
        n values, of the type of the input. Invalid rows keep their value.
    status : numpy.ndarray of uint8, shape (n,)
        For each row an index into `tallystick.formats.REASONS`. Null rows have 0.
    small : int
        The number of rows whose domain is smaller than `tallystick.formats.SMALL_DOMAIN`.
    """

    array: pa.Array
    status: npt.NDArray[np.uint8]
    small: int


class Worker:
    """A worker of the core, for one thread at a time, with room for a value's result."""

    __slots__ = ("fault", "fixed", "held", "native", "out", "problem", "room", "size", "text")

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401
        made = ffi.new("tally_worker **")
        if lib.tally_worker_new(tokenizer.object, made) != lib.TALLY_OK:
            raise MemoryError
        self.native = made[0]
        self.held = shared(self.native, WORKER, tokenizer)
        self.fault = ffi.new("tally_fault *")
        self.problem = ffi.new("tally_problem *")
        self.size = ffi.new("size_t *")
        self.fixed = {kind: ffi.new(ffi.getctype(name, "*")) for kind, name in _TYPES.items()}
        self.make_room(_ROOM)

    def make_room(self, size: int) -> Any:  # noqa: ANN401
        """Have room for a result of so many bytes."""
        self.out, self.room = secret_memory(size), size
        self.text = ffi.cast("char *", self.out)
        return self.out


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
    protect : bool
        The same for `protect`.

    Raises
    ------
    ParameterError
        The key has another size, is missing, or an option is invalid.

    Notes
    -----
    A tokenizer is thread-safe. `close` wipes the key; under calls at work in other threads, when
    the last of them ends.

    Examples
    --------
    >>> from tallystick import Tokenizer, formats
    >>> cards = Tokenizer(formats.card(keep_last=4), bytes(32), namespace="card")
    >>> cards.reveal(cards.protect("4111 1111 1111 1111"))
    '4111 1111 1111 1111'
    >>> cards.close()
    """

    __slots__ = (
        "_idle",
        "_native",
        "_on_reveal",
        "_protects",
        "_reveals",
        "form",
        "namespace",
        "on_invalid",
    )

    def __init__(
        self,
        form: Format,
        key: bytes | bytearray | None,
        *,
        namespace: str,
        on_invalid: OnInvalid = "error",
        reveal: bool = True,
        protect: bool = True,
        on_reveal: Callable[[int], None] | None = None,
    ) -> None:
        self.form = form
        self._on_reveal = on_reveal
        self._protects = protect
        self.namespace = namespace
        self.on_invalid = on_invalid
        self._reveals = reveal
        self._native: Any = _tokenizer(form, key, namespace, on_invalid)
        # Idle workers. No lock, which a fork could leave held: a list's methods are atomic.
        self._idle: list[Worker] = []

    def __repr__(self) -> str:
        return (
            f"Tokenizer({self.form!r}, namespace={self.namespace!r}, "
            f"on_invalid={self.on_invalid!r})"
        )

    def key_fingerprint(self) -> bytes:
        """Return 32 public bytes that identify the key.

        ``docs/explanation/what-a-token-reveals.md`` has their consequences.
        """
        out = ffi.new("uint8_t[]", lib.TALLY_FINGERPRINT)
        native = self._native
        if native is None:
            raise TallyError(_CLOSED)
        lib.tally_tokenizer_fingerprint(native.object, out)
        return bytes(ffi.buffer(out))

    def close(self) -> None:
        """Wipe the key. The tokenizer can't be used afterwards."""
        # Let go: whoever is at work holds them too, until the end.
        self._native = None
        self._idle.clear()

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
        values : str, int, datetime.date, Decimal, pyarrow.Array or pyarrow.ChunkedArray
            A value, or a column of n rows, of a type that the format accepts. Nulls stay null.
            The token of a `Decimal` has the format's scale. A series of pandas or Polars, and a
            column of another library with ``__arrow_c_array__`` or ``__arrow_c_stream__``, is
            taken too.
        tweaks : str, bytes, int, or a column of n rows, optional
            Something public about each row, such as a customer number, as text, binary or integers.
            Equal values with different tweaks have unrelated tokens.
        threads : int, optional
            The number of threads for a column of more than `SLICE_ROWS` rows that is a series, a
            `pyarrow.ChunkedArray` or a stream. By default one for each core that the process may
            use. All other work is done by the calling thread.

        Returns
        -------
        object
            The tokens, of the type and length of `values`. A column of another library is one of
            that library again if this is nanoarrow or its class has ``from_arrow``, else one of
            pyarrow. Chunks of more than `GROUPED_ROWS` rows are split, so that a signal can end the
            call soon. A single array that is not of pyarrow is never split.

        Raises
        ------
        InvalidValueError
            A value does not match its format, and `on_invalid` is ``"error"``.
        ParameterError
            The format does not accept the type, the number of tweaks is not n, or `threads` is
            below 1 or above `threads.MOST_THREADS`.
        """
        self._check_direction(decrypt=False)
        if type(values) is str and threads is None:
            return self._text(values, tweaks, decrypt=False)
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
        """Return the values of tokens: the inverse of `protect`, with its parameters and errors.

        Raises
        ------
        TallyError
            The tokenizer can only protect. A `ParameterError` also if the format is one-way.
        """
        self._check_direction(decrypt=True)
        if type(values) is str and threads is None:
            return self._text(values, tweaks, decrypt=True)
        return self._any(values, tweaks, threads, decrypt=True)

    def transform(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, decrypt: bool, counts: Counts
    ) -> pa.Array:
        """Protect or reveal one array, and add its rows to `counts`; see `protect`."""
        made = self._made(values, tweaks, decrypt=decrypt, counts=counts)
        return joined([to_pyarrow(array, values.type) for array in made])

    def _made(
        self,
        values: Data | pa.Array,
        tweaks: Data | pa.Array | None,
        *,
        decrypt: bool,
        counts: Counts,
        split: bool = True,
    ) -> list[Data]:
        """Protect or reveal one array, and add its rows to `counts`; see `_batches`."""
        act = lib.tally_reveal_array if decrypt else lib.tally_protect_array
        made = []
        for start, part, own in self._batches(values, tweaks, decrypt=decrypt, split=split):
            found, invalid = ffi.new("tally_counts *"), ffi.new("tally_invalid *")

            def run(*given: Any, found: Any = found, invalid: Any = invalid) -> int:  # noqa: ANN401
                *before, problem = given
                return int(act(*before, found, invalid, problem))

            new = self._run(run, part, own)
            if new is None:
                row = start + int(invalid.row)
                raise invalid_value(row, reason_of(invalid.fault), fault_of(invalid.fault))
            made.append(new)
            counts.add(Counts.of(found))
        return made

    def outcome(
        self, values: pa.Array, tweaks: pa.Array | None = None, *, decrypt: bool
    ) -> Outcome:
        """Protect or reveal one array (no dictionary); invalid values are unchanged."""
        import numpy as np

        status = np.empty(len(values), np.uint8)
        found, made = ffi.new("tally_counts *"), []
        call = lib.tally_reveal_rows if decrypt else lib.tally_protect_rows
        for start, part, own in self._batches(values, tweaks, decrypt=decrypt):
            reasons = ffi.from_buffer("uint8_t[]", status[start : start + len(part)])

            def run(worker: Any, *given: Any, reasons: Any = reasons) -> int:  # noqa: ANN401
                *before, problem = given
                return int(call(worker, *before, reasons, found, problem))

            new = self._run(run, part, own)
            assert new is not None  # noqa: S101  # no value ends such a call
            made.append(to_pyarrow(new, values.type))
        return Outcome(joined(made), status, int(found.small))

    def apply_on_invalid(self, outcome: Outcome, counts: Counts) -> pa.Array:
        """Handle invalid rows as `on_invalid` says, and count them.

        Raises
        ------
        InvalidValueError
            A row is invalid, and `on_invalid` is ``"error"``.
        """
        if not outcome.status.any():
            return outcome.array
        import numpy as np
        import pyarrow as pa

        invalid = outcome.status != 0
        if self.on_invalid == "error":
            row = int(np.argmax(invalid))
            reason = REASONS[outcome.status[row]]
            assert reason is not None  # noqa: S101  # for the type checker
            raise invalid_value(row, reason, self.form.fault(outcome.array[row], reason))
        for counted, count in zip(REASONS, np.bincount(outcome.status), strict=False):
            if counted is not None and count:
                counts.invalid[counted] += int(count)
        if self.on_invalid == "keep":
            return outcome.array
        # Not if_else, which leaves the bytes of the value under the null.
        return outcome.array.take(pa.array(np.arange(len(invalid)), mask=invalid))

    def about_to_reveal(self, values: int) -> None:
        """Let a hook know that so many values are about to be revealed; it may refuse."""
        if self._on_reveal is not None and not self.form.one_way:
            self._on_reveal(values)

    def _check_direction(self, *, decrypt: bool) -> None:
        if decrypt and not self._reveals:
            raise TallyError(ONLY_PROTECTS)
        if not decrypt and not self._protects:
            raise TallyError(ONLY_REVEALS)

    @contextmanager
    def worker(self, *, decrypt: bool) -> Iterator[Worker]:
        """Yield a worker of the core, which no other thread has."""
        self._check_direction(decrypt=decrypt)
        with self._borrowed() as worker:
            yield worker

    @contextmanager
    def _borrowed(self) -> Iterator[Worker]:
        worker = self._take()
        try:
            yield worker
        finally:
            self._give_back(worker)

    def _take(self) -> Worker:
        native = self._native
        if native is None:
            raise TallyError(_CLOSED)
        try:
            return self._idle.pop()
        except IndexError:
            return Worker(native)

    def _give_back(self, worker: Worker) -> None:
        self._idle.append(worker)
        if self._native is None:  # another thread closed meanwhile
            self._idle.clear()

    def _any(self, values: Any, tweaks: Any, threads: int | None, *, decrypt: bool) -> object:  # noqa: ANN401
        if threads is not None:
            thread_count(threads)
        if isinstance(values, _FIXED):
            return self._fixed(values, tweaks, decrypt=decrypt)
        if isinstance(values, Decimal):
            return self._decimal(values, tweaks, decrypt=decrypt)
        if hasattr(values, "_export_to_c"):  # an array of pyarrow
            return self.transform(values, tweaks, decrypt=decrypt, counts=Counts())
        if isinstance(values, str):
            return self._text(str(values), tweaks, decrypt=decrypt)
        series = series_to_arrow(values, tweaks)
        if series is not None:
            given, own, back = series
            return back(self._column(given, own, threads, decrypt=decrypt))
        if _is_column(values):
            return column_like(values, self._column(values, tweaks, threads, decrypt=decrypt))
        raise ParameterError(f"{_TAKEN}, not {type(values).__name__}")

    def _text(self, value: str, tweak: object, *, decrypt: bool) -> str | None:
        """Protect or reveal one text."""
        if self.form.no_text is not None:
            raise ParameterError(self.form.no_text)
        if decrypt:
            self.about_to_reveal(1)
        act = lib.tally_reveal_value if decrypt else lib.tally_protect_value
        try:
            given = value.encode()
        except UnicodeEncodeError:  # a lone surrogate is no character of any format
            alone: str | None = self._lone(
                value, Reason.FOREIGN, self.form.fault(value, Reason.FOREIGN)
            )
            return alone
        own: Any = _NULL if tweak is None else _tweak_bytes(tweak)
        size = 0 if tweak is None else len(own)
        worker = self._take()
        try:
            out, fault = worker.out, worker.fault
            status = act(
                worker.native, given, len(given), own, size, out, worker.room, worker.size, fault
            )
            while status == lib.TALLY_ERROR_CAPACITY:
                out = worker.make_room(worker.size[0])
                status = act(
                    *(worker.native, given, len(given), own, size),
                    *(out, worker.room, worker.size, fault),
                )
            if status:
                self.check(status)
            if not fault.reason:
                found = str(_unpack(worker.text, worker.size[0]), "utf-8")
                if decrypt:
                    _wipe(out, worker.size[0])
                return found
            _wipe(out, worker.size[0])  # the value as it was
            lone: str | None = self._lone(value, reason_of(fault), fault_of(fault))
            return lone
        finally:
            self._give_back(worker)

    def _decimal(self, value: Decimal, tweak: object, *, decrypt: bool) -> object:
        """Protect or reveal one decimal number, by the integer that it is at a scale."""
        scale = self._scale(value)
        kind = _decimal_type(scale)
        try:
            scaled = value.scaleb(scale, _EXACT)
            wrong = Reason.RANGE if scaled.adjusted() >= _DECIMAL_DIGITS and scaled else None
            number = 0 if wrong else int(scaled)
            if number != scaled:  # digits behind those of the scale
                wrong = wrong or Reason.NOTATION
        except (ArithmeticError, ValueError):  # more digits than _EXACT has; infinity; no number
            wrong = Reason.NOTATION
        if wrong is not None:
            refused = self.form.takes(kind.decode())
            if refused is not None:
                raise ParameterError(refused)
            return self._lone(value, wrong, None)
        made = self._run_fixed(number, kind, number, None, tweak, decrypt=decrypt)
        return None if made is None else Decimal(made).scaleb(-scale, _EXACT)

    def _scale(self, value: Decimal) -> int:
        """Return the format's scale, or the least from the number's own on that it takes."""
        found = self.form.options.get("scale")
        if found is not None:
            return int(found)
        exponent = value.as_tuple().exponent
        own = max(-exponent, 0) if isinstance(exponent, int) else 0
        scales = range(min(own, _DECIMAL_DIGITS), _DECIMAL_DIGITS + 1)
        return next((s for s in scales if self.form.takes(_decimal_type(s).decode()) is None), 0)

    def _fixed(self, value: int | date, tweak: object, *, decrypt: bool) -> Any:  # noqa: ANN401
        """Protect or reveal one integer, date or point in time."""
        back: Callable[[int], date] | None = None
        if type(value) is int:
            kind, number = self.form.integers, value
        elif isinstance(value, datetime):
            if value != value:  # NaT of pandas
                raise ParameterError(f"{_TAKEN}, not {type(value).__name__}")
            zoned = value.tzinfo is not None
            kind = b"tsu:UTC" if zoned else b"tsu:"
            if getattr(value, "nanosecond", 0):  # of pandas; microseconds would cut them
                refused = self.form.takes(kind.decode())
                if refused is not None:
                    raise ParameterError(refused)
                return self._lone(value, Reason.NOTATION, None)
            number = (value - _EPOCHS[zoned]) // _MICROSECOND
            back = _in_zone(value.tzinfo) if zoned else _naive
        elif isinstance(value, date):
            kind, number, back = b"tdD", value.toordinal() - _FIRST_DAY, _date
        elif isinstance(value, bool):
            kind, number = b"b", 0  # which no format accepts
        else:
            kind, number = self.form.integers, value
        return self._run_fixed(value, kind, number, back, tweak, decrypt=decrypt)

    def _run_fixed(
        self,
        value: int | date,
        kind: bytes,
        number: int,
        back: Callable[[int], date] | None,
        tweak: object,
        *,
        decrypt: bool,
    ) -> Any:  # noqa: ANN401
        """Protect or reveal a value that Arrow has as a number of a type; `back` is the inverse."""
        if decrypt:
            self.about_to_reveal(1)
        act = lib.tally_reveal_fixed if decrypt else lib.tally_protect_fixed
        own: Any = _NULL if tweak is None else _tweak_bytes(tweak)
        size = 0 if tweak is None else len(own)
        wide = kind.startswith(b"d:")
        worker = self._take()
        try:
            try:
                held = worker.fixed[kind[:2]]
                if wide:
                    held[0] = number.to_bytes(16, byteorder, signed=True)
                else:
                    held[0] = number
            except OverflowError:
                return self._lone(value, Reason.RANGE, None)
            fault = worker.fault
            status = act(worker.native, kind, held, own, size, held, fault, worker.problem)
            number = int.from_bytes(bytes(held[0]), byteorder, signed=True) if wide else held[0]
            held[0] = _NOTHING if wide else 0  # no value stays in a worker
            if status:
                self.check(status, worker.problem)
            if fault.reason:
                return self._lone(value, reason_of(fault), fault_of(fault))
            return number if back is None else back(number)
        finally:
            self._give_back(worker)

    def without_tweak(self, value: Any) -> Any:  # noqa: ANN401
        """Handle a value whose row lacks its tweak as `on_invalid` says.

        Raises
        ------
        InvalidValueError
            `on_invalid` is ``"error"``.
        """
        return self._lone(value, Reason.TWEAK, None)

    def _lone(self, value: Any, reason: Reason, fault: Fault | None) -> Any:  # noqa: ANN401
        """Handle an invalid single value as `on_invalid` says."""
        if self.on_invalid == "error":
            raise invalid_value(0, reason, fault) from None
        return value if self.on_invalid == "keep" else None

    def _batches(
        self,
        values: Data | pa.Array,
        tweaks: Data | pa.Array | None,
        *,
        decrypt: bool,
        split: bool = True,
    ) -> Iterator[tuple[int, Data, Data | None]]:
        """Yield parts between which signals are handled, each with its first row."""
        self._check_direction(decrypt=decrypt)
        if decrypt:
            self.about_to_reveal(len(values))
        given, whole = exported(values), _whole(tweaks)
        if whole is not None and len(whole) != len(given):
            raise ParameterError(_TWEAKS)
        rows = self.rows_at_once(given, tweaked=whole is not None) if split else len(given)
        for start in range(0, max(1, len(given)), max(1, rows)):
            own = None if whole is None else whole.slice(start, rows)
            yield start, given.slice(start, rows), own

    def rows_at_once(self, values: Data, *, tweaked: bool) -> int:
        """Return how many rows may be done between signals.

        Work is of an order above that of length. A single value is never split, and a dictionary
        is not where each of its values is protected once: each part would do all of them again.
        """
        if values.type.is_dictionary and not tweaked:
            return len(values)
        most = bound_of_sizes(values)
        work = int(lib.tally_format_work(self.form.native, most))
        limit = _WORK
        if most <= _SHORT:
            quick = lib.tally_cpu_features() & lib.TALLY_CPU_AVX512VBMI
            alike = _AVX512_WORK if quick else _ALIKE_WORK
            limit *= _SHORT_WORK if tweaked else alike
        return min(max(1, limit // work), _MOST_ROWS) if work else len(values)

    def _run(self, act: Callable[..., int], values: Data, tweaks: Data | None) -> Data | None:
        """Run an array that is sound; None: a value is invalid, and that is an error."""
        pointers = (_NULL, _NULL) if tweaks is None else (tweaks.type.native, tweaks.values)
        out, problem = owned("ArrowArray"), ffi.new("tally_problem *")
        with self._borrowed() as worker:
            kind = values.type
            status = act(worker.native, kind.native, values.values, *pointers, out, problem)
        if status == lib.TALLY_ERROR_INVALID:
            return None
        self.check(status, problem)
        return Data(kind, out)

    def check(self, status: int, problem: Any = None) -> None:  # noqa: ANN401
        """Raise the error that a call of the core ended with, if it is one."""
        if status == lib.TALLY_ERROR_ONE_WAY:
            raise ParameterError(f"format {self.form.label!r} is one-way: values can't be revealed")
        if status == lib.TALLY_ERROR_READ_ONLY:
            raise ParameterError(
                "cipher 'ff3-1' reveals tokens and makes none; use 'fast' or 'ff1' for new tokens"
            )
        if status == lib.TALLY_ERROR_MEMORY:
            raise MemoryError
        if status == lib.TALLY_ERROR_TWEAKS and not self.form.keyed:
            raise ParameterError(
                f"format {self.form.label!r} takes no tweak: its result depends on the value "
                "alone; remove the tweak"
            )
        if status and problem is not None and problem.text[0] != b"\0":
            raise ParameterError(ffi.string(problem.text).decode())
        if status == lib.TALLY_ERROR_ARGUMENT and problem is None:
            raise ParameterError(
                "a single value or tweak has at most 1 MiB; pass longer values in an Arrow array"
            )
        check_status(status, f"format {self.form.label}")

    def _column(
        self,
        values: Any,  # noqa: ANN401
        tweaks: Any,  # noqa: ANN401
        threads: int | None,
        *,
        decrypt: bool,
    ) -> ArrowData:
        """Protect or reveal a column of any library; only arrays of a stream are split."""
        if tweaks is not None and not _is_column(tweaks):
            raise ParameterError(_TWEAKS)
        split = hasattr(values, "__arrow_c_stream__")
        column, own = column_of(values), None if tweaks is None else column_of(tweaks)
        arrays, beside = column.whole(), None if own is None else own.whole()
        rows = sum(map(len, arrays))
        if beside is not None and sum(map(len, beside)) != rows:
            raise ParameterError(_TWEAKS)

        def transform(part: tuple[int, Any, Any]) -> list[Data]:
            start, *given = part
            try:
                return self._made(*given, decrypt=decrypt, counts=Counts(), split=split)
            except InvalidValueError as error:
                row = start + error.row
                raise error.moved(f"row {row}", row) from None

        threads = thread_count(threads) if rows > SLICE_ROWS else 1  # others would take longer
        most = share_of(rows, threads, [column.type]) if split else rows
        parts = list(slices(arrays, most, beside))
        if not split and len(parts) > 1:
            raise ParameterError("tweaks of a single array must be a single array, too")
        made = at_once(transform, parts, threads)
        return ArrowData(column.type, [array for some in made for array in some])


_FIXED = (int, date)
_FIRST_DAY = date(1970, 1, 1).toordinal()
_EPOCHS = (datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC))
_MICROSECOND = timedelta(microseconds=1)
_DECIMAL_DIGITS = 38  # of a single decimal number, at most: as many as Arrow has in 128 bits
_NOTHING = bytes(16)
_EXACT = Context(prec=64, traps=[Inexact])
_TWEAKS = "tweaks must be an Arrow array with one tweak for each value"


def _decimal_type(scale: int) -> bytes:
    return b"d:%d,%d" % (_DECIMAL_DIGITS, scale)


def _date(number: int) -> date:
    return date.fromordinal(number + _FIRST_DAY)


def _naive(number: int) -> datetime:
    return _EPOCHS[0] + number * _MICROSECOND


def _in_zone(zone: tzinfo | None) -> Callable[[int], datetime]:
    if zone is UTC:
        return lambda number: _EPOCHS[1] + number * _MICROSECOND
    return lambda number: (_EPOCHS[1] + number * _MICROSECOND).astimezone(zone)


def invalid_value(row: int, reason: str, fault: Fault | None, mend: str = "") -> InvalidValueError:
    """Make the error that a row is invalid; `mend` says what to do, if it is not the usual."""
    text = f"row {row}: {with_fault(reason, fault)}"
    return InvalidValueError(text, reason=str(reason), row=row, fault=fault, mend=mend)


def _tokenizer(
    form: Format, key: bytes | bytearray | None, namespace: str, on_invalid: OnInvalid
) -> Any:  # noqa: ANN401
    """Make the core's tokenizer, which is freed with what is returned."""
    named = _utf8(namespace, "a namespace")
    made, problem = ffi.new("tally_tokenizer **"), ffi.new("tally_problem *")
    given = flat(b"" if key is None else key)
    status = lib.tally_tokenizer_new(
        *(ffi.NULL, form.native),
        *(ffi.NULL if key is None else ffi.from_buffer(given), len(given)),
        *(named, len(named), ON_INVALID.get(on_invalid, len(ON_INVALID)), made, problem),
    )
    if status == lib.TALLY_ERROR_MEMORY:
        raise MemoryError
    if status:
        raise ParameterError(ffi.string(problem.text).decode())
    return shared(made[0], TOKENIZER, form.held)


def tweak_of(form: Format, namespace: str, *, rows: bool) -> bytes:
    """Encode what the tokens of a column depend on; ``docs/reference/tokens.md`` has the bytes.

    `form`, `namespace`: as for `Tokenizer`.
    `rows`: whether a tweak of each row's own follows.
    """
    any_key = bytes(range(form.key_size or 16))
    native = _tokenizer(form, any_key, namespace, "error")
    size = lib.tally_tokenizer_head(native.object, rows, ffi.NULL, 0)
    out = ffi.new("uint8_t[]", size)
    lib.tally_tokenizer_head(native.object, rows, out, size)
    return bytes(ffi.buffer(out))


def _tweak_bytes(tweak: object) -> bytes | None:
    """Return the bytes of a single tweak: text in UTF-8, an integer in decimal."""
    if tweak is None or isinstance(tweak, bytes):
        return tweak
    if isinstance(tweak, str | int) and not isinstance(tweak, bool):
        return _utf8(str(tweak), "a tweak")
    raise ParameterError(f"a tweak must be text, bytes or an integer, not {type(tweak).__name__}")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except (AttributeError, UnicodeEncodeError):
        raise ParameterError(f"{what} must be text that UTF-8 can encode") from None


def _is_column(given: object) -> bool:
    return hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__")


def _whole(tweaks: Any) -> Data | None:  # noqa: ANN401
    """Return tweaks as one array."""
    if tweaks is None or isinstance(tweaks, Data):
        return tweaks
    whole = tweaks.combine_chunks() if hasattr(tweaks, "combine_chunks") else tweaks
    if not _is_column(whole):
        raise ParameterError(_TWEAKS)
    arrays = column_of(whole).whole()
    if len(arrays) != 1:
        raise ParameterError(_TWEAKS)
    return exported(arrays[0])


def share_of(rows: int, threads: int, kinds: Iterable[Field]) -> int:
    """Return the rows of a slice of columns, so that threads can share so many.

    Slices are as large as can be: the core groups rows of equal tweaks within one. A dictionary
    stays whole: each slice's tokens would have one of their own.
    """
    if any(kind.is_dictionary for kind in kinds):
        return rows
    return max(SLICE_ROWS, min(GROUPED_ROWS, -(-rows // threads)))


def slices(
    arrays: Sequence[Any], most: int, beside: Sequence[Any] | None = None
) -> Iterator[tuple[int, Any, Any]]:
    """Yield parts of at most so many rows, each with its first row and what is beside it."""
    start = 0
    others = iter(beside or ())
    other, used = None, 0  # the array beside, and how many of its rows are behind
    for array in arrays:
        at = 0
        while True:
            while beside is not None and at < len(array) and (other is None or used == len(other)):
                other, used = next(others), 0
            rows = min(most, len(array) - at)
            if other is not None:
                rows = min(rows, len(other) - used)
            yield start, array.slice(at, rows), None if other is None else other.slice(used, rows)
            at, used, start = at + rows, used + rows, start + rows
            if at >= len(array):
                break
