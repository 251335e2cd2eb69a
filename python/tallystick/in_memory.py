# SPDX-License-Identifier: Apache-2.0
"""Data in memory, protected or revealed: frames, relations and Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from secrets import token_hex
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from tallystick.adapters import adapter_of
from tallystick.arrow import without_values
from tallystick.errors import InvalidValueError, ParameterError, PolicyError
from tallystick.nested import Inner, InnerValueError, transform_batch
from tallystick.paths import find, has_steps, is_inside, opened, quoted
from tallystick.policy import ColumnRule
from tallystick.policy.marker import Marker

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.protector import Protector

Foreign = Any
"""A frame, series or table of another library."""

_DATA = "the data"


class ArrowStream(Protocol):
    """Data that gives itself as a stream of Arrow tables."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream in a PyCapsule."""


class ArrowTable(ArrowStream, Protocol):
    """The same, of a known length."""

    def __len__(self) -> int:
        """Return the number of rows."""


class ArrowBatch(Protocol):
    """Data that gives itself as one batch: an Arrow array of a struct."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return type and values in PyCapsules."""


class OfArrow(Protocol):
    """Data whose class makes an object of Arrow data."""

    @classmethod
    def from_arrow(cls, data: Any, /) -> Any:  # noqa: ANN401
        """Return an object with data that has ``__arrow_c_stream__`` or ``__arrow_c_array__``."""


class PandasData(Protocol):
    """A DataFrame or Series of pandas, for type checkers that may lack its types."""

    @property
    def iloc(self) -> Any:  # noqa: ANN401
        """Rows by number."""


class PyarrowData(Protocol):
    """A Table, RecordBatch or RecordBatchReader of pyarrow, likewise."""

    @property
    def schema(self) -> Any:  # noqa: ANN401
        """Names and types of the columns."""

    @property
    def cast(self) -> Any:  # noqa: ANN401
        """Return the data with another schema."""


class PyarrowDataset(Protocol):
    """A dataset of pyarrow, likewise."""

    @property
    def get_fragments(self) -> Any:  # noqa: ANN401
        """Return the files of the dataset."""


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


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a protector."""

    protector: Protector  # the policy with its keys
    threads: int | None  # as for `Tokenizer.protect`
    decrypt: bool  # whether tokens are revealed

    def column(
        self, name: str, values: pa.Array, tweaks: pa.Array | None, first_row: int = 0
    ) -> pa.Array:
        """Protect or reveal one column; see `Protector.protect_column`."""
        tokenizer = self.protector.tokenizer(name)
        tweak = self.protector.rules[name].tweak
        if (tweaks is None) != (tweak is None):
            wanted = "has no tweak" if tweak is None else f"needs the tweaks of {tweak!r}"
            raise ParameterError(f"column {name!r}: its rule in the policy {wanted}")
        act = tokenizer.reveal if self.decrypt else tokenizer.protect
        with placed(name, first_row=first_row, decrypt=self.decrypt):
            return act(values, tweaks, threads=self.threads)

    def data(self, data: Foreign) -> Foreign:
        """Protect or reveal data of any library; see `Protector.protect`."""
        adapter = adapter_of(data)
        kind = None if adapter is None else adapter.takes(data)
        if adapter is not None and kind is not None:
            return self._of_library(adapter, kind, data)
        library = type(data).__module__.partition(".")[0]
        if library == "pyarrow":
            made = self._of_arrow(data)
            if made is not None:
                return made
        elif hasattr(data, "__arrow_c_stream__"):
            from tallystick.capsules import as_given, reader_of

            reader = reader_of(data)
            if library in ("duckdb", "_duckdb"):  # whose connection has one query at a time
                found = find(reader.schema, [rule.column for rule in self._begun(reader.schema)[1]])
                made = _relation(data, self._of_arrow(reader.read_all()))
                return _typed(made, data, {place.top for place in found.values()})
            if hasattr(data, "__len__"):  # it is whole: errors are raised here, and not by another
                return as_given(data, self._of_arrow(reader.read_all()))
            return as_given(data, ArrowData(self._of_arrow(reader)))
        elif hasattr(data, "__arrow_c_array__"):
            from tallystick.capsules import as_given, batch_of

            batch = batch_of(data)
            if batch is not None:
                return as_given(data, self._of_arrow(batch))
        raise ParameterError(
            "data must be a frame of pandas or Polars, a relation of DuckDB, a pyarrow Table, "
            "RecordBatch, RecordBatchReader or Dataset, or have __arrow_c_stream__ or "
            f"__arrow_c_array__ (of a struct), "
            f"not {type(data).__name__}; for one column, call protect_column"
        )

    def _of_library(self, adapter: ModuleType, kind: str, data: Foreign) -> Foreign:
        if kind == "series":
            return adapter.of_arrow(self.column(data.name, adapter.to_arrow(data), None), data)
        plan = kind == "plan"
        held = adapter.plan_head(data) if plan else data
        names = list(adapter.names(held))
        self._check_levels(adapter.levels(held))
        arrow = cache(lambda name: adapter.to_arrow(adapter.get(held, name)))
        tops, listed = self._found_in(arrow, names)
        levels = [level for level in adapter.levels(held) if level not in names]
        rules = self.protector.rules_for(listed, decrypt=self.decrypt, levels=levels)
        if plan:
            return adapter.plan(data, self._planned(adapter, rules, tops))
        import pyarrow as pa

        work = by_column(rules, tops)
        needed = {name for names, _ in work.values() for name in names}
        new = self.replaced(pa.table({name: arrow(name) for name in needed}), rules)
        made = {n: adapter.of_arrow(new.column(n), adapter.get(data, n)) for n in work}
        return adapter.put(data, made)

    def _check_levels(self, levels: list[str]) -> None:
        """Refuse an index that is called like a column of the policy, or the outer column of one.

        Raises `PolicyError`: a level of it is.
        """
        for level in levels:
            outer = quoted(level) if isinstance(level, str) else ""
            for rule in self.protector.policy.rules:
                if rule.column == level or (outer and is_inside(rule.column, outer)):
                    raise PolicyError(
                        f"the policy protects {rule.column!r}, but the index has a level "
                        f"{level!r}, and an index is never protected; make it a column with "
                        "reset_index(), or drop it with reset_index(drop=True)"
                    )

    def _planned(
        self, adapter: ModuleType, rules: list[ColumnRule], tops: dict[str, str]
    ) -> dict[str, tuple[list[str], Callable[..., Foreign]]]:
        """Return for each column of a query the columns that make it anew, and how."""
        import pyarrow as pa

        def work(needed: list[str], own: list[ColumnRule]) -> Callable[..., Foreign]:
            def act(*series: Foreign) -> Foreign:
                arrays = dict(zip(needed, map(adapter.to_arrow, series), strict=True))
                return adapter.of_arrow(self.replaced(pa.table(arrays), own).column(0), series[0])

            return act

        found = by_column(rules, tops)
        return {top: (needed, work(needed, own)) for top, (needed, own) in found.items()}

    def _found_in(
        self, arrow: Callable[[str], Any], names: list[str]
    ) -> tuple[dict[str, str], list[str]]:
        """Return which paths lead into columns of a frame, and its columns with those inside."""
        policy = self.protector.policy
        wanted = [path for path in policy.named if path not in names and has_steps(path)]
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

    def _of_arrow(self, data: Foreign) -> Foreign:
        """Protect or reveal tables of pyarrow; None: it is none."""
        import pyarrow as pa

        if isinstance(data, pa.Table | pa.RecordBatch):
            schema, rules = self._begun(data.schema)
            return _with_schema(self.replaced(data, rules), schema)
        if isinstance(data, pa.RecordBatchReader):
            schema, rules = self._begun(data.schema)
            return pa.RecordBatchReader.from_batches(schema, self._stream(data, schema, rules))
        from pyarrow.dataset import Dataset  # not before it is needed: it takes its time

        if isinstance(data, Dataset):
            return self._of_arrow(data.scanner().to_reader())
        return None

    def _begun(self, schema: pa.Schema) -> tuple[pa.Schema, list[ColumnRule]]:
        """Check Arrow data, and return the new schema, with its marker, and the rules for it."""
        from tallystick.files.marker import marker_of, with_marker

        protector = self.protector
        found = None if protector.ignore_marker else Marker.read(marker_of(schema), _DATA)
        protected = () if found is None else found.columns
        names = [name for name, _ in opened(schema, [*protector.policy.named, *protected])]
        rules = protector.rules_for(names, decrypt=self.decrypt, protected=protected)
        entries = {rule.column: protector.marker_entry(rule.column) for rule in rules}
        if self.decrypt:
            new = None if found is None else found.revealed(_DATA, entries)
        else:
            new = (found or Marker()).protected(_DATA, entries)
        places = find(schema, [rule.column for rule in rules])
        kept = without_values(schema, {place.top for place in places.values()})
        return with_marker(kept, None if new is None else new.write()), rules

    def _stream(
        self, reader: pa.RecordBatchReader, schema: pa.Schema, rules: list[ColumnRule]
    ) -> Iterator[pa.RecordBatch]:
        first_row = 0
        for batch in reader:
            yield _with_schema(self.replaced(batch, rules, first_row), schema)
            first_row += len(batch)

    def replaced(self, data: Foreign, rules: Sequence[ColumnRule], first_row: int = 0) -> Foreign:
        """Return a table or batch of pyarrow with the columns of some rules made anew."""
        inner = [rule for rule in rules if {*rule.names} - {*data.schema.names}]
        if inner:
            data = self._nested(data, inner, first_row)
        for rule in rules:
            if rule in inner:
                continue
            index = data.schema.get_field_index(rule.column)
            tweaks = None if rule.tweak is None else data.column(rule.tweak)
            new = self.column(rule.column, data.column(index), tweaks, first_row)
            field = data.schema.field(index)
            if new.null_count and not field.nullable:
                raise _no_null(rule.column)
            data = data.set_column(index, field, new)
        return data

    def _nested(self, data: Foreign, rules: list[ColumnRule], first_row: int) -> Foreign:
        """Protect or reveal columns inside others, batch by batch."""
        import pyarrow as pa

        columns = [
            Inner(rule.column, self.protector.tokenizer(rule.column), rule.tweak) for rule in rules
        ]
        required = {
            path
            for path, place in find(data.schema, [rule.column for rule in rules]).items()
            if not place.nullable
        }
        whole = isinstance(data, pa.Table)
        made = []
        for batch in data.to_batches() if whole else [data]:
            try:
                new, counts = transform_batch(batch, columns, decrypt=self.decrypt)
            except InnerValueError as found:
                name = rules[found.column].column
                with placed(name, first_row=first_row, decrypt=self.decrypt):
                    raise found.error from None
            except ParameterError as error:
                raise PolicyError(f"{error}; change the policy, or convert the column") from None
            for rule, own in zip(rules, counts, strict=True):
                if rule.column in required and rule.on_invalid == "null" and own.invalid:
                    raise _no_null(rule.column)
            made.append(new)
            first_row += len(batch)
        return pa.Table.from_batches(made, data.schema) if whole else made[0]


def _with_schema(data: Foreign, schema: pa.Schema) -> Foreign:
    """Return a table or batch of pyarrow whose fields have other metadata."""
    return type(data).from_arrays(data.columns, schema=schema)


def by_column(
    rules: Sequence[ColumnRule], tops: Mapping[str, str]
) -> dict[str, tuple[list[str], list[ColumnRule]]]:
    """Return for each column of a table that rules change what it needs, and its rules.

    `tops`: the column that each path leads into; a name that is not there is a column itself.
    What is needed are the names of columns: itself first, and then those of tweaks.
    """
    made: dict[str, tuple[list[str], list[ColumnRule]]] = {}
    for rule in rules:
        top, *others = (tops.get(name, name) for name in rule.names)
        needed, own = made.setdefault(top, ([top], []))
        needed += [name for name in others if name not in needed]
        own.append(rule)
    return made


def _relation(data: Foreign, made: pa.Table) -> Foreign:
    """Return a table as a relation of the connection that a relation of DuckDB has.

    DuckDB looks for a name in the catalog first, and then among Python's variables. So the table's
    name is one that no catalog has.
    """
    import duckdb

    name = f"tallystick_{token_hex(16)}"
    globals()[name] = made
    try:
        # The first name is given to `data`. DuckDB 1.4 makes a view of it, and keeps it.
        relation = data.query(f"{name}_source", f"FROM {name}")
        data.query(f"{name}_source", f"DROP VIEW IF EXISTS {name}_source")
    except duckdb.CatalogException:  # whose message has the name
        raise ParameterError(
            "the relation's connection does not read Python's variables; set its options "
            "enable_external_access and python_enable_replacements to true, or call "
            "tallystick.sql.duckdb.protect or reveal"
        ) from None
    finally:
        del globals()[name]
    return relation


_EXACT = frozenset({"uuid", "varchar", "enum", "hugeint"})
"""Types of DuckDB that Arrow changes, and that a cast restores; varchar is that of JSON."""


def _typed(made: Foreign, given: Foreign, own: Container[str]) -> Foreign:
    """Return a relation whose columns, except for its `own`, have the types of another's again.

    Raises `ParameterError`: Arrow changed values.
    """
    from duckdb import ColumnExpression

    columns = []
    for name, new, old in zip(made.columns, made.types, given.types, strict=True):
        column = ColumnExpression(name)
        if new != old:
            if not _is_exact(new, old):
                raise ParameterError(
                    f"column {name!r} has a type whose values Arrow would change; cast it first, "
                    "for example to VARCHAR"
                )
            column = column if name in own else column.cast(old).alias(name)
        columns.append(column)
    return made.select(*columns)


def _is_exact(new: Foreign, old: Foreign) -> bool:
    """Return whether a cast restores values that Arrow made of a type of DuckDB."""
    if new == old or old.id in _EXACT:
        return True
    if new.id != old.id:
        return False
    pairs = zip(new.children, old.children, strict=True)
    return all(a == b or _is_exact(a, b) for (_, a), (_, b) in pairs)


def _no_null(column: str) -> PolicyError:
    return PolicyError(
        f"column {column!r} must not have nulls, but a new value is null; set on_invalid = "
        "'error' in the policy, or make the field nullable"
    )


@contextmanager
def placed(
    column: str, source: object = None, *, first_row: int | None = None, decrypt: bool = False
) -> Iterator[None]:
    """Name the place in errors about a column, and how to mend them.

    `column`: the column.
    `source`: the file, if it is one.
    `first_row`: where the rows begin. If it is not given, whoever counts rows names the place of an
    invalid value.
    `decrypt`: whether tokens are revealed.
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
        where = f"column {column!r}, row {row}"
        raise error.moved(where, row, column).mended(decrypt=decrypt) from None
