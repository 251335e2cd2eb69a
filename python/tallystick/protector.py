# SPDX-License-Identifier: Apache-2.0
"""Protectors: a policy with its keys, for data frames, SQL and clusters."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, overload

from tallystick.adapters import adapter_of
from tallystick.errors import (
    InvalidValueError,
    KeyringError,
    ParameterError,
    PolicyError,
    TallyError,
)
from tallystick.keyring import Keyring, RootKey
from tallystick.memory import HoldsKeys
from tallystick.nested import Inner, InnerValueError, transform_batch
from tallystick.paths import find, has_steps, is_inside, opened, quoted
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.marker import Mark, Marker, mark_of
from tallystick.policy.tables import (
    Missing,
    check_columns,
    check_missing,
    rules_for,
    warn_unlisted,
)
from tallystick.policy.untouched import Untouched, untouched_columns
from tallystick.tokenizer import ONLY_PROTECTS, Tokenizer

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    Polars = TypeVar("Polars", pl.DataFrame, pl.LazyFrame, pl.Series)

Foreign = Any
"""A frame, series or table of another library."""

_DATA = "the data"


class ArrowStream(Protocol):
    """Data that gives itself as a stream of Arrow tables."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream in a PyCapsule."""


class ArrowData:
    """Arrow tables that are protected or revealed as they are read, once.

    Any library with Arrow's PyCapsule interface can take them: `pyarrow.table`, `polars.DataFrame`,
    DuckDB's replacement scans, `nanoarrow.ArrayStream`.
    """

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream in a PyCapsule."""
        return self._reader.__arrow_c_stream__(requested_schema)


class Protector(HoldsKeys):
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

    Raises
    ------
    KeyringError
        The key ring lacks a key.
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
    ) -> None:
        check_missing(missing)
        self.policy = policy
        self.missing = missing
        self.reveals = reveal
        self.ignore_marker = ignore_marker
        self._told: set[tuple[str, ...]] = set()
        self._marks: dict[str, Mark] = {}
        # They are not closed with the protector's last reference: SQL functions and the results of
        # `tokenizer` still use them.
        self._tokenizers: dict[str, Tokenizer] | None = {}
        try:
            for rule in policy.rules:
                self._tokenizers[rule.column] = _opened(rule, keyring, reveal)
        except BaseException:
            self.close()
            raise

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
            By default the path in the environment variable ``TALLYSTICK_POLICY``.
        keyring : Keyring or path, optional
            By default the path in ``TALLYSTICK_KEYRING``.
        root : RootKey or str, optional
            The source of the root key, as `RootKey.parse` reads it. By default the text in
            ``TALLYSTICK_ROOT``. Ignored if `keyring` is an open key ring.
        missing : {"error", "ignore"}
            See `Protector`.
        reveal, ignore_marker : bool
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
        rules = policy if isinstance(policy, Policy) else Policy.load(_given(policy, "policy"))
        if not isinstance(keyring, Keyring):
            path = _given(keyring, "keyring")
            source = root if isinstance(root, RootKey) else RootKey.parse(_given(root, "root"))
            keyring = Keyring.open(path, source)
        return cls(rules, keyring, missing=missing, reveal=reveal, ignore_marker=ignore_marker)

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
        """
        rules = policy.to_reveal() if decrypt else policy.rules
        return cls.of_columns(policy, keyring, [rule.column for rule in rules])

    def __repr__(self) -> str:
        return f"Protector(columns={list(self.columns)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wipe the keys. The protector can't be used afterwards."""
        tokenizers, self._tokenizers = self._tokenizers, None
        for tokenizer in (tokenizers or {}).values():
            tokenizer.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the protected columns, in the order of the policy."""
        return tuple(rule.column for rule in self.policy.rules)

    @property
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

        Returns
        -------
        Tokenizer
            The tokenizer of the column's rule.

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
            n values, of a type that the column's format accepts. Nulls stay null.
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
        return self._column(name, values, tweaks, threads, decrypt=False)

    def reveal_column(
        self,
        name: str,
        values: pa.Array,
        tweaks: pa.Array | None = None,
        threads: int | None = None,
    ) -> pa.Array:
        """Return the values of a column's tokens: the inverse of `protect_column`."""
        return self._column(name, values, tweaks, threads, decrypt=True)

    @overload
    def protect(self, data: Polars, *, threads: int | None = None) -> Polars: ...
    @overload
    def protect(self, data: ArrowStream, *, threads: int | None = None) -> Any: ...  # noqa: ANN401
    @overload
    def protect(self, data: Any, *, threads: int | None = None) -> Any: ...  # noqa: ANN401

    def protect(self, data: Any, *, threads: int | None = None) -> Any:
        """Replace the values of the policy's columns with tokens. Other columns are unchanged.

        Parameters
        ----------
        data : object
            Data with the policy's columns, and their tweak columns: a DataFrame or Series of
            pandas, a DataFrame, LazyFrame or Series of Polars, a relation of DuckDB, a Table,
            RecordBatch, RecordBatchReader or dataset of pyarrow, or another object with
            ``__arrow_c_stream__``. A series is the column of its name.
        threads : int, optional
            As for `Tokenizer.protect`.

        Returns
        -------
        object
            Data of the same type and schema; Arrow data has a marker in the schema's metadata. A
            reader yields batches on demand. A dataset becomes such a reader, which
            `tallystick.frames.dataset` can write. A relation is read at once
            (`tallystick.sql.duckdb.protect` streams). Of a library that is not in this list the
            result is an `ArrowData`.

        Raises
        ------
        InvalidValueError
            As for `protect_column`. A reader raises it when the batch is read.
        PolicyError
            A column's format does not accept its type, or the marker contradicts the policy.
        ParameterError
            A column is missing or occurs twice, or `data` has another type.
        """
        return self._data(data, threads, decrypt=False)

    @overload
    def reveal(self, data: Polars, *, threads: int | None = None) -> Polars: ...
    @overload
    def reveal(self, data: ArrowStream, *, threads: int | None = None) -> Any: ...  # noqa: ANN401
    @overload
    def reveal(self, data: Any, *, threads: int | None = None) -> Any: ...  # noqa: ANN401

    def reveal(self, data: Any, *, threads: int | None = None) -> Any:
        """Return the values of the policy's columns of tokens: the inverse of `protect`.

        Columns of one-way formats are unchanged. Parameters and errors are those of `protect`.

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
        with placed(name, first_row=first_row, decrypt=decrypt):
            return act(values, tweaks, threads=threads)

    def _data(self, data: Any, threads: int | None, *, decrypt: bool) -> Any:  # noqa: ANN401
        adapter = adapter_of(data)
        kind = None if adapter is None else adapter.takes(data)
        if adapter is not None and kind is not None:
            return self._of_library(adapter, kind, data, threads, decrypt=decrypt)
        library = type(data).__module__.partition(".")[0]
        if library == "pyarrow":
            made = self._of_arrow(data, threads, decrypt=decrypt)
            if made is not None:
                return made
        elif hasattr(data, "__arrow_c_stream__"):
            import pyarrow as pa

            reader = pa.RecordBatchReader.from_stream(data)
            if library in ("duckdb", "_duckdb"):  # whose connection has one query at a time
                made = self._of_arrow(reader.read_all(), threads, decrypt=decrypt)
                return data.query("tallystick", "SELECT * FROM made")
            return ArrowData(self._of_arrow(reader, threads, decrypt=decrypt))
        raise ParameterError(
            "data must be a frame of pandas or Polars, a relation of DuckDB, a pyarrow Table, "
            "RecordBatch, RecordBatchReader or Dataset, or have __arrow_c_stream__, "
            f"not {type(data).__name__}; for one column, call protect_column"
        )

    def _of_library(
        self, adapter: ModuleType, kind: str, data: Foreign, threads: int | None, *, decrypt: bool
    ) -> Foreign:
        def act(series: Foreign, tweaks: Foreign, name: str) -> Foreign:
            own = None if tweaks is None else adapter.to_arrow(tweaks)
            values = self._column(name, adapter.to_arrow(series), own, threads, decrypt=decrypt)
            return adapter.of_arrow(values, series)

        if kind == "series":
            return act(data, None, data.name)
        if kind == "plan":
            rules = self.rules_for(list(adapter.plan_names(data)), decrypt=decrypt)
            columns = {rule.column: (partial(act, name=rule.column), rule.tweak) for rule in rules}
            return adapter.plan(data, columns)
        names = list(adapter.names(data))
        arrow = cache(lambda name: adapter.to_arrow(adapter.get(data, name)))
        found, listed = self._found_in(arrow, names)
        rules = self.rules_for(listed, decrypt=decrypt)
        inner = [rule for rule in rules if not found.keys().isdisjoint(rule.names)]
        new = self._inner_of(arrow, inner, found, decrypt=decrypt) if inner else {}
        made = {n: adapter.of_arrow(one, adapter.get(data, n)) for n, one in new.items()}
        made |= {
            rule.column: act(
                adapter.get(data, rule.column),
                None if rule.tweak is None else adapter.get(data, rule.tweak),
                rule.column,
            )
            for rule in rules
            if rule not in inner
        }
        return adapter.put(data, made)

    def _found_in(
        self, arrow: Callable[[str], Any], names: list[str]
    ) -> tuple[dict[str, str], list[str]]:
        """Return which paths lead into columns of a frame, and its columns with those inside."""
        wanted = [path for path in self.policy.named if path not in names and has_steps(path)]
        texts = [name for name in names if isinstance(name, str)] if wanted else []
        outer = [name for name in texts if any(is_inside(path, quoted(name)) for path in wanted)]
        if not outer:
            return {}, names
        import pyarrow as pa

        schema = pa.table({name: arrow(name) for name in outer}).schema
        inside = {
            field.name: [name for name, _ in opened(pa.schema([field]), wanted)] for field in schema
        }
        found = {path: place.top for path, place in find(schema, wanted).items()}
        return found, [one for name in names for one in inside.get(name, [name])]

    def _inner_of(
        self,
        arrow: Callable[[str], Any],
        rules: list[ColumnRule],
        found: Mapping[str, str],
        *,
        decrypt: bool,
    ) -> dict[str, Any]:
        """Return the new columns of a frame that have columns inside them, as Arrow data."""
        import pyarrow as pa

        needed = {found.get(name, name) for rule in rules for name in rule.names}
        new = self._nested(
            pa.table({name: arrow(name) for name in needed}), rules, 0, decrypt=decrypt
        )
        return {name: new.column(name) for name in {found.get(r.column, r.column) for r in rules}}

    def _of_arrow(self, data: Any, threads: int | None, *, decrypt: bool) -> Any:  # noqa: ANN401
        """Protect or reveal tables of pyarrow; None: it is none."""
        import pyarrow as pa

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
            return self._of_arrow(data.scanner().to_reader(), threads, decrypt=decrypt)
        return None

    def _begun(self, schema: pa.Schema, *, decrypt: bool) -> tuple[pa.Schema, list[ColumnRule]]:
        """Check Arrow data, and return the new schema, with its marker, and the rules for it."""
        from tallystick.files.marker import marker_of, with_marker

        found = None if self.ignore_marker else Marker.read(marker_of(schema), _DATA)
        protected = () if found is None else found.columns
        names = [name for name, _ in opened(schema, [*self.policy.named, *protected])]
        rules = self.rules_for(names, decrypt=decrypt, protected=protected)
        marks = {rule.column: self.mark(rule.column) for rule in rules}
        if decrypt:
            new = None if found is None else found.revealed(_DATA, marks)
        else:
            new = (found or Marker()).protected(_DATA, marks)
        return with_marker(schema, None if new is None else new.write()), rules

    def mark(self, column: str) -> Mark:
        """Return what markers record of a column of the policy."""
        if column not in self._marks:
            self._marks[column] = mark_of(self.rules[column], self.tokenizer(column))
        return self._marks[column]

    def rules_for(
        self,
        names: list[str],
        *,
        decrypt: bool = False,
        protected: Collection[str] = (),
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
        data: Foreign,
        rules: list[ColumnRule],
        first_row: int,
        threads: int | None,
        *,
        decrypt: bool,
    ) -> Foreign:
        inner = [rule for rule in rules if {*rule.names} - {*data.schema.names}]
        if inner:
            data = self._nested(data, inner, first_row, decrypt=decrypt)
        for rule in rules:
            if rule in inner:
                continue
            index = data.schema.get_field_index(rule.column)
            tweaks = None if rule.tweak is None else data.column(rule.tweak)
            new = self._column(
                rule.column, data.column(index), tweaks, threads, first_row, decrypt=decrypt
            )
            field = data.schema.field(index)
            if new.null_count and not field.nullable:
                raise PolicyError(
                    f"column {rule.column!r} must not have nulls, but a new value is "
                    "null; set on_invalid = 'error' in the policy, or make the field "
                    "nullable"
                )
            data = data.set_column(index, field, new)
        return data

    def _nested(
        self, data: Foreign, rules: list[ColumnRule], first_row: int, *, decrypt: bool
    ) -> Foreign:
        """Protect or reveal columns inside others, batch by batch."""
        import pyarrow as pa

        columns = [Inner(rule.column, self.tokenizer(rule.column), rule.tweak) for rule in rules]
        whole = isinstance(data, pa.Table)
        made = []
        for batch in data.to_batches() if whole else [data]:
            try:
                new, _ = transform_batch(batch, columns, decrypt=decrypt)
            except InnerValueError as found:
                with placed(rules[found.column].column, first_row=first_row, decrypt=decrypt):
                    raise found.error from None
            except ParameterError as error:
                raise PolicyError(f"{error}; change the policy, or convert the column") from None
            made.append(new)
            first_row += len(batch)
        return pa.Table.from_batches(made, data.schema) if whole else made[0]


def _given(value: Any, name: str) -> Any:  # noqa: ANN401
    """Return the argument, or else the environment variable's value."""
    if value is not None:
        return value
    variable = f"TALLYSTICK_{name.upper()}"
    found = os.environ.get(variable)
    if not found:
        raise ParameterError(f"no {name}: pass it, or set {variable} in the environment")
    return found


def _opened(rule: ColumnRule, keyring: Keyring, reveal: bool) -> Tokenizer:
    """Make a rule's tokenizer. By itself, since whoever waits for the end would hold the key."""
    try:
        key = None if rule.key is None else keyring.key(rule.key)
    except KeyringError as error:
        raise type(error)(
            f"column {rule.column!r}: its key in the policy, {rule.key}: {error}"
        ) from None
    return Tokenizer(
        rule.form, key, namespace=rule.namespace, on_invalid=rule.on_invalid, reveal=reveal
    )


@contextmanager
def placed(
    column: str, source: object = None, *, first_row: int | None = None, decrypt: bool = False
) -> Iterator[None]:
    """Name the place in errors about a column, and how to mend them.

    Parameters
    ----------
    column : str
        The column.
    source : object, optional
        The file, if it is one.
    first_row : int, optional
        Where the rows begin. If it is not given, whoever counts rows names the place of an invalid
        value.
    decrypt : bool
        Whether tokens are revealed.
    """
    try:
        yield
    except ParameterError as error:  # a format or tweak can't have the column's type
        where = "" if source is None else f"{source}: "
        raise PolicyError(
            f"{where}column {column!r}: {error}; change the policy, or convert the column"
        ) from None
    except InvalidValueError as error:
        if first_row is None:
            raise
        row = first_row + error.row
        raise error.moved(f"column {column!r}, row {row}", row).mended(decrypt=decrypt) from None
