# SPDX-License-Identifier: Apache-2.0
"""Protectors: a policy with its keys, for data frames, SQL and clusters."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from tallystick.capsules import ArrowData as ArrowData
from tallystick.errors import KeyringError, ParameterError, TallyError
from tallystick.in_memory import (
    ArrowBatch,
    ArrowStream,
    ArrowTable,
    Call,
    OfArrow,
    PandasData,
    PyarrowData,
    PyarrowDataset,
)
from tallystick.keyring import Keyring, Root, RootKey
from tallystick.keyring.names import Rights
from tallystick.memory import ClosesKeys
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.marker import MarkerEntry, entry_of
from tallystick.policy.tables import (
    Missing,
    Untouched,
    check_columns,
    check_missing,
    rules_for,
    untouched_columns,
    warn_unlisted,
)
from tallystick.reveal_log import Reveal
from tallystick.tokenizer import ONLY_PROTECTS, Tokenizer

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa

    Frame = TypeVar(
        "Frame",
        bound=pl.DataFrame
        | pl.LazyFrame
        | pl.Series
        | duckdb.DuckDBPyRelation
        | PandasData
        | PyarrowData
        | OfArrow,
    )


class Protector(ClosesKeys):
    """Protect and reveal the columns of a policy in memory.

    Parameters
    ----------
    policy : Policy
        The policy: columns, formats and keys.
    keyring : Keyring
        The key ring with the keys that the policy names.
    missing : {"error", "ignore"}
        What to do if the data lacks columns of the policy: raise an error, or skip them.
    reveal : bool
        If False, the protector and its tokenizers can only protect, and revealing raises
        `TallyError`. This prevents mistakes; it does not stop anyone who has the key ring.
    ignore_marker : bool
        Whether markers of Arrow data are ignored; see docs/reference/markers.md.
    on_reveal : callable, optional
        Called with a `Reveal` before values are revealed: once for each column and array, or for a
        single value. If it raises an error, nothing is revealed. `RevealLog` is one.

    Raises
    ------
    KeyringError
        The key ring lacks a key.
    PolicyError
        The key ring demands a signed policy, and this one is not.
    ParameterError
        `missing` has another value.

    Notes
    -----
    A protector is thread-safe. Its tokens equal the tokens in files (`tallystick.protection`).
    `close`, or the end of a ``with`` block, wipes the keys.
    """

    def __init__(
        self,
        policy: Policy,
        keyring: Keyring,
        *,
        missing: Missing = "error",
        reveal: bool = True,
        ignore_marker: bool = False,
        on_reveal: Callable[[Reveal], None] | None = None,
    ) -> None:
        check_missing(missing)
        if keyring.signers:
            policy.check_signed(keyring.signers, keyring.path)
        self.policy = policy
        self.missing = missing
        self.reveals = reveal
        self.ignore_marker = ignore_marker
        self._warned: set[tuple[str, ...]] = set()
        self._entries: dict[str, MarkerEntry] = {}
        # They are not closed with the protector's last reference: SQL functions and the results of
        # `tokenizer` still use them.
        self._tokenizers: dict[str, Tokenizer] | None = {}
        try:
            for rule in policy.rules:
                self._tokenizers[rule.column] = _opened(rule, keyring, reveal, on_reveal)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        policy: Policy | str | os.PathLike[str] | None = None,
        keyring: Keyring | str | os.PathLike[str] | None = None,
        root: RootKey | Root | str | None = None,
        *,
        anchor: str | os.PathLike[str] | None = None,
        missing: Missing = "error",
        reveal: bool = True,
        ignore_marker: bool = False,
        on_reveal: Callable[[Reveal], None] | None = None,
    ) -> Self:
        """Read a policy and open its key ring.

        Parameters
        ----------
        policy : Policy or path, optional
            By default the path in the environment variable ``TALLYSTICK_POLICY``.
        keyring : Keyring or path, optional
            By default the path in ``TALLYSTICK_KEYRING``.
        root : RootKey, Root or str, optional
            The source of the root key, as `RootKey.parse` reads it. By default the text in
            ``TALLYSTICK_ROOT``. Ignored if `keyring` is an open key ring.
        anchor : path, optional
            The key ring's anchor; see `Keyring.open`. By default the path in ``TALLYSTICK_ANCHOR``,
            if there is one. Ignored like `root`.
        missing : {"error", "ignore"}
            See `Protector`.
        reveal, ignore_marker : bool
            See `Protector`.
        on_reveal : callable, optional
            See `Protector`.

        Returns
        -------
        Protector
            An open protector; close it, or use it in a ``with`` statement.

        Raises
        ------
        PolicyError, KeyringError, RootKeyError
            As for `Policy.load` and `Keyring.open`.
        ParameterError
            An argument is missing, and its environment variable is not set.
        """
        rules = policy if isinstance(policy, Policy) else Policy.load(given(policy, "policy"))
        return cls(
            *(rules, ring_of(keyring, root, anchor)),
            missing=missing,
            reveal=reveal,
            ignore_marker=ignore_marker,
            on_reveal=on_reveal,
        )

    @classmethod
    def of_columns(cls, policy: Policy, keyring: Keyring, columns: Collection[str]) -> Self:
        """Return the protector of some columns of a policy: only their keys are opened."""
        rules = tuple(rule for rule in policy.rules if rule.column in columns)
        return cls(replace(policy, rules=rules), keyring)

    @classmethod
    def in_direction(cls, policy: Policy, keyring: Keyring, *, decrypt: bool) -> Self:
        """Return the protector of the columns that can be protected, or revealed.

        Raises
        ------
        PolicyError
            No column can be revealed.
        KeyringError
            The key ring lacks a key, or a key may not be used so.
        """
        rules = policy.to_reveal() if decrypt else policy.rules
        made = cls.of_columns(policy, keyring, {rule.column for rule in rules})
        try:
            check_rights(keyring, rules, "reveal" if decrypt else "protect")
        except BaseException:
            made.close()
            raise
        return made

    def __repr__(self) -> str:
        return f"Protector(columns={list(self.columns)!r})"

    def close(self) -> None:
        """Wipe the keys. The protector can't be used afterwards."""
        tokenizers, self._tokenizers = self._tokenizers, None
        for tokenizer in (tokenizers or {}).values():
            tokenizer.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the protected columns, in the order of the policy."""
        return tuple(rule.column for rule in self.policy.rules)

    @cached_property
    def rules(self) -> Mapping[str, ColumnRule]:
        """The rule of each column."""
        return MappingProxyType({rule.column: rule for rule in self.policy.rules})

    def untouched(self, columns: Sequence[str]) -> Untouched:
        """Return the columns of a table that `protect` leaves in clear."""
        return untouched_columns(self.policy, columns)

    def tokenizer(self, column: str) -> Tokenizer:
        """Return the tokenizer of a column. The protector closes it.

        Parameters
        ----------
        column : str
            A column of the policy.

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
            raise ParameterError(
                f"the policy has no column {column!r}; its columns are: {known}"
            ) from None

    def protect_column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None = None,
        threads: int | None = None,
    ) -> pa.Array:
        """Replace the values of one column with tokens.

        Parameters
        ----------
        name : str
            A column of the policy.
        values : pyarrow.Array or pyarrow.ChunkedArray
            n values, of a type that the column's format accepts. Nulls stay null. A series, and a
            column of another library, is taken as by `Tokenizer.protect`.
        tweaks : pyarrow.Array or pyarrow.ChunkedArray, optional
            n values of the rule's tweak column. Required if the rule names a tweak column, else
            refused.
        threads : int, optional
            As for `Tokenizer.protect`.

        Returns
        -------
        pyarrow.Array or pyarrow.ChunkedArray
            n tokens, of the type of `values`.

        Raises
        ------
        InvalidValueError
            A value is invalid. The message names column and row, counted from 0.
        PolicyError
            The format does not accept the type of the column or of the tweaks.
        ParameterError
            The policy has no such column, or tweaks are missing or not wanted.
        """
        return Call(self, threads, decrypt=False).column(name, values, tweaks)

    def reveal_column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None = None,
        threads: int | None = None,
    ) -> pa.Array:
        """Return the values of a column's tokens: the inverse of `protect_column`."""
        return Call(self, threads, decrypt=True).column(name, values, tweaks)

    @overload
    def protect(self, data: Frame, *, threads: int | None = None) -> Frame: ...  # type: ignore[overload-overlap]
    @overload
    def protect(
        self, data: PyarrowDataset, *, threads: int | None = None
    ) -> pa.RecordBatchReader: ...
    @overload
    def protect(self, data: ArrowTable, *, threads: int | None = None) -> pa.Table: ...
    @overload
    def protect(self, data: ArrowStream, *, threads: int | None = None) -> ArrowData: ...
    @overload
    def protect(self, data: ArrowBatch, *, threads: int | None = None) -> pa.RecordBatch: ...

    def protect(self, data: Any, *, threads: int | None = None) -> Any:
        """Replace the values of the policy's columns with tokens. Other columns are unchanged.

        Parameters
        ----------
        data : object
            Data with the policy's columns, and their tweak columns: a DataFrame or Series of
            pandas, a DataFrame, LazyFrame or Series of Polars, a relation of DuckDB, a Table,
            RecordBatch, RecordBatchReader or dataset of pyarrow, or another object with
            ``__arrow_c_stream__`` or, as one batch, ``__arrow_c_array__``. A series is the column
            of its name.
        threads : int, optional
            As for `Tokenizer.protect`.

        Returns
        -------
        object
            Data of the same type and schema; Arrow data has a marker in the schema's metadata. A
            reader yields batches on demand. A dataset becomes such a reader, which
            `tallystick.frames.dataset` can write. A relation is read at once
            (`tallystick.sql.duckdb.protect` streams); columns of the policy get the types that
            Arrow has for them, so tokens of a UUID are VARCHAR. Of nanoarrow, and of classes with a
            class method ``from_arrow``, the result is of the same class. Of others it is an
            `ArrowData`, a table of pyarrow if the data has a length, or a RecordBatch if it is one
            batch.

        Raises
        ------
        InvalidValueError
            As for `protect_column`. A reader raises it when the batch is read.
        PolicyError
            A column's format does not accept its type, or the marker contradicts the policy.
        ParameterError
            A column is missing or occurs twice, or `data` has another type.
        """
        return Call(self, threads, decrypt=False).data(data)

    @overload
    def reveal(self, data: Frame, *, threads: int | None = None) -> Frame: ...  # type: ignore[overload-overlap]
    @overload
    def reveal(
        self, data: PyarrowDataset, *, threads: int | None = None
    ) -> pa.RecordBatchReader: ...
    @overload
    def reveal(self, data: ArrowTable, *, threads: int | None = None) -> pa.Table: ...
    @overload
    def reveal(self, data: ArrowStream, *, threads: int | None = None) -> ArrowData: ...
    @overload
    def reveal(self, data: ArrowBatch, *, threads: int | None = None) -> pa.RecordBatch: ...

    def reveal(self, data: Any, *, threads: int | None = None) -> Any:
        """Return the values of the policy's columns of tokens: the inverse of `protect`.

        Columns of one-way formats are unchanged. Parameters and errors are those of `protect`.

        Raises
        ------
        TallyError
            The protector was made with ``reveal=False``.
        """
        return Call(self, threads, decrypt=True).data(data)

    def marker_entry(self, column: str) -> MarkerEntry:
        """Return what markers record of a column of the policy."""
        if column not in self._entries:
            self._entries[column] = entry_of(self.rules[column], self.tokenizer(column))
        return self._entries[column]

    def rules_for(
        self,
        names: list[str],
        *,
        decrypt: bool = False,
        protected: Collection[str] = (),
        levels: Collection[str] = (),
    ) -> list[ColumnRule]:
        """Return the rules for data with columns of these names.

        Columns that would pass in clear, and that the policy does not name, are refused if the
        policy says ``unlisted = "error"``. Otherwise they get a `NotProtectedWarning`, once for
        each set of columns, unless the policy says ``unlisted = "keep"``.

        Parameters
        ----------
        names : list of str
            All columns of the data; of one that the policy looks into, the columns inside it.
        decrypt : bool
            Whether the data is to be revealed.
        protected : collection of str
            Columns that another policy has protected.
        levels : collection of str
            Names of the data's index, which passes in clear as columns do.

        Raises
        ------
        ParameterError
            A column occurs twice; or a column, or a tweak column, is missing.
        PolicyError
            The policy does not name a column, and says ``unlisted = "error"``.
        TallyError
            The protector can only protect.
        """
        if decrypt and not self.reveals:
            raise TallyError(f"the protector: {ONLY_PROTECTS}")
        rules = rules_for(self.policy, names, self.missing, decrypt=decrypt)
        if not decrypt:
            unlisted = check_columns(self.policy, [*names, *levels], protected)
            if unlisted and unlisted not in self._warned:
                self._warned.add(unlisted)
                warn_unlisted(unlisted)
        return rules


def given(value: Any, name: str) -> Any:  # noqa: ANN401
    """Return the argument, or else the environment variable's value."""
    if value is not None:
        return value
    variable = f"TALLYSTICK_{name.upper()}"
    found = os.environ.get(variable)
    if not found:
        raise ParameterError(f"no {name}: pass it, or set {variable} in the environment")
    return found


def ring_of(
    keyring: Keyring | str | os.PathLike[str] | None,
    root: RootKey | Root | str | None,
    anchor: str | os.PathLike[str] | None,
) -> Keyring:
    """Return a key ring, opened unless it is; what is not given is taken from the environment."""
    if isinstance(keyring, Keyring):
        return keyring
    path, source = given(keyring, "keyring"), given(root, "root")
    return Keyring.open(
        path,
        RootKey.parse(source) if isinstance(source, str) else source,
        anchor=anchor or os.environ.get("TALLYSTICK_ANCHOR") or None,
    )


def check_rights(keyring: Keyring, rules: Iterable[ColumnRule], right: Rights) -> None:
    """Refuse rules whose keys may not be used so, before a run begins.

    Raises
    ------
    KeyringError
        A key, or the root that opened the ring, lacks the right.
    """
    for rule in rules:
        if rule.key is not None:
            keyring.check_rights(rule.key, right, right)


def _opened(
    rule: ColumnRule,
    keyring: Keyring,
    reveal: bool,
    on_reveal: Callable[[Reveal], None] | None,
) -> Tokenizer:
    """Make a rule's tokenizer. By itself, since whoever waits for the end would hold the key."""
    try:
        key, protect = None, True
        if rule.key is not None:
            key = keyring.tokenizer_key(rule.key)
            rights = (keyring.rights(rule.key) or "").split()
            reveal = reveal and "reveal" in rights
            protect = "protect" in rights
    except KeyringError as error:
        raise type(error)(
            f"column {rule.column!r}: its key in the policy, {rule.key}: {error}"
        ) from None
    return Tokenizer(
        rule.form,
        key,
        namespace=rule.namespace,
        on_invalid=rule.on_invalid,
        reveal=reveal,
        protect=protect,
        on_reveal=None if on_reveal is None else _hooked(on_reveal, rule.column, keyring),
    )


def _hooked(
    on_reveal: Callable[[Reveal], None], column: str, keyring: Keyring
) -> Callable[[int], None]:
    ring, revision = keyring.id, keyring.revision
    return lambda rows: on_reveal(Reveal((column,), rows, ring, revision))
