# SPDX-License-Identifier: Apache-2.0
"""A policy with its keys opened: what data frames, SQL and clusters protect and reveal with."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Self

import pyarrow as pa

from tallystick.errors import (
    InvalidValueError,
    NotProtectedWarning,
    ParameterError,
    PolicyError,
    TallyError,
)
from tallystick.files.marker import marker_of, with_marker
from tallystick.keyring import Keyring, RootKey
from tallystick.memory import HoldsKeys
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.marker import Mark, Marker, mark_of
from tallystick.policy.tokenizers import (
    TO_MEND_PROTECTING,
    TO_MEND_REVEALING,
    at_column,
    close_tokenizers,
    open_tokenizers,
)
from tallystick.policy.untouched import (
    Untouched,
    check_listed,
    counted_names,
    untouched_columns,
)
from tallystick.tokenizer import ONLY_PROTECTS, Tokenizer

Missing = Literal["error", "ignore"]
"""What becomes of columns of the policy that the data has not."""

_DATA = "the data"


class Protector(HoldsKeys):
    """The columns of a policy, ready to be protected and revealed in memory.

    Parameters
    ----------
    policy : Policy
        What to protect, and how.
    keyring : Keyring
        Has the keys that the policy names.
    missing : {"error", "ignore"}
        What becomes of columns of the policy that the data has not.
    reveal : bool
        False: it can only protect, and so do its tokenizers; to reveal raises `TallyError`. That
        guards against mistakes; whoever has the key ring can always reveal.
    ignore_marker : bool
        Whether markers of Arrow data are not checked; see docs/reference/markers.md.

    Raises
    ------
    KeyringError
        The ring lacks a key.
    ParameterError
        `missing` is neither.

    Notes
    -----
    Any number of threads may use one protector at once. Tokens are those that files get
    (`tallystick.protection`). Keys are wiped by `close`, or at the end of a ``with``.
    """

    def __init__(
        self,
        policy: Policy,
        keyring: Keyring,
        *,
        missing: Missing = "error",
        reveal: bool = True,
        ignore_marker: bool = False,
    ) -> None:
        _check_missing(missing)
        self.policy = policy
        self.missing = missing
        self.reveals = reveal
        self.ignore_marker = ignore_marker
        self._told: set[tuple[str, ...]] = set()
        self._marks: dict[str, Mark] = {}
        # No context manager: it would close them as soon as nothing refers to the protector, but
        # SQL functions and the results of `tokenizer` still use them.
        made = open_tokenizers(policy.rules, keyring, reveal=reveal)
        self._tokenizers: dict[str, Tokenizer] | None = {
            rule.column: tokenizer for rule, tokenizer in zip(policy.rules, made, strict=True)
        }

    @classmethod
    def open(
        cls,
        policy: Policy | str | os.PathLike[str] | None = None,
        keyring: Keyring | str | os.PathLike[str] | None = None,
        root: RootKey | str | None = None,
        *,
        missing: Missing = "error",
        reveal: bool = True,
        ignore_marker: bool = False,
    ) -> Self:
        """Read a policy and open its key ring.

        Parameters
        ----------
        policy : Policy or path, optional
            By default the path in ``TALLYSTICK_POLICY`` of the environment.
        keyring : Keyring or path, optional
            By default the path in ``TALLYSTICK_KEYRING``.
        root : RootKey or str, optional
            Where the ring's root key comes from, as `RootKey.parse` reads it; by default what
            ``TALLYSTICK_ROOT`` says. Not used if `keyring` is open already.
        missing : {"error", "ignore"}
            See `Protector`.
        reveal, ignore_marker : bool
            See `Protector`.

        Raises
        ------
        PolicyError, KeyringError, RootKeyError
            As `Policy.load` and `Keyring.open` do.
        ParameterError
            One is neither given nor in the environment.
        """
        rules = policy if isinstance(policy, Policy) else Policy.load(_given(policy, "policy"))
        if not isinstance(keyring, Keyring):
            path = _given(keyring, "keyring")
            source = root if isinstance(root, RootKey) else RootKey.parse(_given(root, "root"))
            keyring = Keyring.open(path, source)
        return cls(rules, keyring, missing=missing, reveal=reveal, ignore_marker=ignore_marker)

    def __repr__(self) -> str:
        return f"Protector(columns={list(self.columns)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wipe the keys; the protector can't be used any more."""
        tokenizers, self._tokenizers = self._tokenizers, None
        close_tokenizers((tokenizers or {}).values())

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the protected columns, in the order of the policy."""
        return tuple(rule.column for rule in self.policy.rules)

    @property
    def rules(self) -> Mapping[str, ColumnRule]:
        """The rule of each column."""
        return MappingProxyType({rule.column: rule for rule in self.policy.rules})

    def untouched(self, columns: Sequence[str]) -> Untouched:
        """Return which of a table's columns `protect` leaves in clear, on purpose or not."""
        return untouched_columns(self.policy, columns)

    def tokenizer(self, column: str) -> Tokenizer:
        """Return what protects a column; it is closed with the protector.

        Raises
        ------
        ParameterError
            The policy has no such column.
        TallyError
            The protector is closed.
        """
        if self._tokenizers is None:
            raise TallyError("the protector is closed")
        try:
            return self._tokenizers[column]
        except KeyError:
            known = ", ".join(map(repr, self.columns))
            raise ParameterError(f"the policy has no column {column!r}; it has: {known}") from None

    def protect_column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None = None,
        threads: int | None = None,
    ) -> pa.Array:
        """Replace the values of one column by tokens.

        Parameters
        ----------
        name : str
            A column of the policy.
        values : pyarrow.Array or pyarrow.ChunkedArray
            Of a type that the column's format accepts. Nulls stay null.
        tweaks : pyarrow.Array or pyarrow.ChunkedArray of the same length, optional
            The values of the rule's tweak column; needed if the rule names one, refused otherwise.
        threads : int, optional
            As of `Tokenizer.protect`.

        Returns
        -------
        pyarrow.Array or pyarrow.ChunkedArray
            Of the type and length of `values`.

        Raises
        ------
        InvalidValueError
            A value does not fit; the message names column and row, counted from 0.
        PolicyError
            The column's type, or that of the tweaks, is not one of the format's.
        ParameterError
            The policy has no such column, or tweaks are missing or too many.
        """
        return self._column(name, values, tweaks, threads, decrypt=False)

    def reveal_column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None = None,
        threads: int | None = None,
    ) -> pa.Array:
        """Give the values of tokens back: the inverse of `protect_column`, and like it."""
        return self._column(name, values, tweaks, threads, decrypt=True)

    def protect(self, data: Any, *, threads: int | None = None) -> Any:  # noqa: ANN401
        """Replace the values of the policy's columns by tokens; other columns stay.

        Parameters
        ----------
        data : pyarrow.Table, RecordBatch, RecordBatchReader or dataset.Dataset
            Has the policy's columns, and those of its tweaks, at the top level.
        threads : int, optional
            As of `Tokenizer.protect`.

        Returns
        -------
        object
            Of the kind of `data`, and of its schema, whose metadata has the marker. A reader gives
            batches as they are asked for, and so does the reader that a dataset becomes;
            `tallystick.frames.dataset` writes one.

        Raises
        ------
        InvalidValueError
            As of `protect_column`; of a reader when the batch is read.
        PolicyError
            A column can't have its format.
        ParameterError
            A column is missing or there twice, or `data` is nothing of the above.
        """
        return self._data(data, threads, decrypt=False)

    def reveal(self, data: Any, *, threads: int | None = None) -> Any:  # noqa: ANN401
        """Give the values of tokens back: the inverse of `protect`, and like it.

        Columns of one-way formats stay as they are.

        Raises
        ------
        TallyError
            The protector was made with ``reveal=False``.
        """
        return self._data(data, threads, decrypt=True)

    def _column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None,
        threads: int | None,
        first_row: int = 0,
        *,
        decrypt: bool,
    ) -> pa.Array:
        tokenizer = self.tokenizer(name)
        tweak = self.rules[name].tweak
        if (tweaks is None) != (tweak is None):
            wanted = "has no tweak" if tweak is None else f"needs the tweaks of {tweak!r}"
            raise ParameterError(f"column {name!r}: its rule in the policy {wanted}")
        act = tokenizer.reveal if decrypt else tokenizer.protect
        with at_column(None, name), _at_row(name, first_row, decrypt=decrypt):
            return act(values, tweaks, threads=threads)

    def _data(self, data: Any, threads: int | None, *, decrypt: bool) -> Any:  # noqa: ANN401
        if isinstance(data, pa.Table | pa.RecordBatch):
            schema, rules = self._begun(data.schema, decrypt=decrypt)
            new = self._replaced(data, rules, 0, threads, decrypt=decrypt)
            return new.replace_schema_metadata(schema.metadata)
        if isinstance(data, pa.RecordBatchReader):
            schema, rules = self._begun(data.schema, decrypt=decrypt)
            batches = (
                batch.replace_schema_metadata(schema.metadata)
                for batch in self._stream(data, rules, threads, decrypt=decrypt)
            )
            return pa.RecordBatchReader.from_batches(schema, batches)
        from pyarrow.dataset import Dataset  # not before it is needed: it takes its time

        if isinstance(data, Dataset):
            return self._data(data.scanner().to_reader(), threads, decrypt=decrypt)
        raise ParameterError(
            "data is a pyarrow Table, RecordBatch, RecordBatchReader or Dataset, not "
            f"{type(data).__name__}; a frame has frame.tally.protect(protector) after import "
            "tallystick.frames.pandas or tallystick.frames.polars"
        )

    def _begun(self, schema: pa.Schema, *, decrypt: bool) -> tuple[pa.Schema, list[ColumnRule]]:
        """Check Arrow data, and return the new schema, with its marker, and the rules for it."""
        found = None if self.ignore_marker else Marker.read(marker_of(schema), _DATA)
        protected = () if found is None else found.columns
        rules = self.rules_for(schema.names, decrypt=decrypt, protected=protected)
        marks = {rule.column: self._mark(rule) for rule in rules}
        if decrypt:
            new = None if found is None else found.revealed(_DATA, marks)
        else:
            new = (found or Marker()).protected(_DATA, marks)
        return with_marker(schema, None if new is None else new.write()), rules

    def _mark(self, rule: ColumnRule) -> Mark:
        if rule.column not in self._marks:
            self._marks[rule.column] = mark_of(rule, self.tokenizer(rule.column))
        return self._marks[rule.column]

    def rules_for(
        self, names: list[str], *, decrypt: bool = False, protected: Collection[str] = ()
    ) -> list[ColumnRule]:
        """Return the rules for data of columns of these names, to reveal those that can be.

        Columns that would pass in clear, and that the policy does not name, are refused if it says
        ``unlisted = "error"``. Otherwise they get a `NotProtectedWarning`, once for each set of
        them, unless the policy says ``unlisted = "keep"``.

        Parameters
        ----------
        names : list of str
            All columns of the data.
        decrypt : bool
            Whether they are to be revealed.
        protected : collection of str
            Columns that another policy has protected.

        Raises
        ------
        ParameterError
            A column is there twice, or missing where that is not allowed, or a tweak's column is.
        PolicyError
            The policy does not name a column, and says ``unlisted = "error"``.
        TallyError
            The protector must not reveal.
        """
        if decrypt and not self.reveals:
            raise TallyError(f"the protector: {ONLY_PROTECTS}")
        rules = rules_for(self.policy, names, self.missing, decrypt=decrypt)
        if not decrypt:
            unlisted = check_columns(self.policy, names, protected)
            if unlisted and unlisted not in self._told:
                self._told.add(unlisted)
                warn_unlisted(unlisted)
        return rules

    def _stream(
        self,
        reader: pa.RecordBatchReader,
        rules: list[ColumnRule],
        threads: int | None,
        *,
        decrypt: bool,
    ) -> Iterator[pa.RecordBatch]:
        first_row = 0
        for batch in reader:
            yield self._replaced(batch, rules, first_row, threads, decrypt=decrypt)
            first_row += len(batch)

    def _replaced(
        self,
        data: Any,  # noqa: ANN401
        rules: list[ColumnRule],
        first_row: int,
        threads: int | None,
        *,
        decrypt: bool,
    ) -> Any:  # noqa: ANN401
        for rule in rules:
            index = data.schema.get_field_index(rule.column)
            tweaks = None if rule.tweak is None else data.column(rule.tweak)
            new = self._column(
                rule.column, data.column(index), tweaks, threads, first_row, decrypt=decrypt
            )
            field = data.schema.field(index)
            if new.null_count and not field.nullable:
                raise PolicyError(
                    f"column {rule.column!r} must not have nulls, and a new value is null; let the "
                    "policy say on_invalid = 'error', or make the field nullable"
                )
            data = data.set_column(index, field, new)
        return data


def _given(value: Any, name: str) -> Any:  # noqa: ANN401
    """Return what was given, or else what the environment says."""
    if value is not None:
        return value
    variable = f"TALLYSTICK_{name.upper()}"
    found = os.environ.get(variable)
    if not found:
        raise ParameterError(f"no {name}: give it, or set {variable} in the environment")
    return found


def rules_for(
    policy: Policy, names: Sequence[str], missing: Missing, *, decrypt: bool
) -> list[ColumnRule]:
    """Return the rules of a policy for data of columns of these names, to reveal those that can be.

    Raises
    ------
    ParameterError
        `missing` is none of its values; or a column is there twice, or missing where that is not
        allowed, or a tweak's column is.
    """
    _check_missing(missing)
    found = []
    for rule in policy.to_reveal() if decrypt else policy.rules:
        if rule.column not in names and missing == "ignore":
            continue
        for name in filter(None, (rule.column, rule.tweak)):
            if names.count(name) != 1:
                raise _misplaced(name, rule, names)
        found.append(rule)
    return found


def check_columns(
    policy: Policy, names: Sequence[str], protected: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the columns that would pass in clear without a word of the policy.

    Raises
    ------
    PolicyError
        There are some, and the policy says ``unlisted = "error"``.
    """
    columns = untouched_columns(policy, names, protected)
    check_listed(policy, columns)
    return () if policy.unlisted == "keep" else columns.unlisted


def warn_unlisted(columns: Sequence[str]) -> None:
    """Warn of columns that pass in clear, in the name of the first caller outside this package."""
    warnings.warn(
        f"not protected, in clear: {counted_names(columns)}; protect them, or add them to keep of "
        'the policy, or let it say unlisted = "keep"',
        NotProtectedWarning,
        stacklevel=_outside(),
    )


def _outside() -> int:
    """Return the level of the first frame that is not of this package, as `warnings` counts."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tallystick"):
        frame, level = frame.f_back, level + 1
    return level


def _check_missing(missing: Missing) -> None:
    if missing not in ("error", "ignore"):
        raise ParameterError("missing is 'error' or 'ignore'")


def _misplaced(name: str, rule: ColumnRule, names: Sequence[str]) -> ParameterError:
    role = "" if name == rule.column else f", the tweak of {rule.column!r}"
    if name in names:
        return ParameterError(f"{names.count(name)} columns are named {name!r}{role}; rename them")
    known = ", ".join(map(repr, names)) or "none"
    ignoring = "" if role else ", unless missing='ignore'"
    return ParameterError(f"the data has no column {name!r}{role}{ignoring}; there are: {known}")


@contextmanager
def _at_row(name: str, first_row: int, *, decrypt: bool) -> Iterator[None]:
    """Name the column in the message about a value that does not fit, and how to mend it."""
    try:
        yield
    except InvalidValueError as error:
        row = first_row + error.row
        to_mend = TO_MEND_REVEALING if decrypt else TO_MEND_PROTECTING
        raise error.moved(f"column {name!r}, row {row}", row, to_mend=to_mend) from None
