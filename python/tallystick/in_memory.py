# SPDX-License-Identifier: Apache-2.0
"""Data in memory, protected or revealed: frames, relations and Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from secrets import token_hex
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from tallystick._core import ffi, lib
from tallystick.adapters import adapter_of, series_to_arrow
from tallystick.arrow import (
    exported,
    is_pyarrow,
    joined,
    made_by,
    to_pyarrow,
    without_values,
)
from tallystick.capsules import METADATA_KEY, ArrowData, Data, Field, owned, taken
from tallystick.errors import InvalidValueError, ParameterError, PolicyError
from tallystick.formats.format import fault_of, reason_of
from tallystick.paths import find, has_steps, inside, is_inside, quoted
from tallystick.policy import ColumnRule
from tallystick.policy.marker import Marker
from tallystick.threads import at_once, thread_count
from tallystick.tokenizer import SLICE_ROWS, Tokenizer, invalid_value, share_of, slices

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.protector import Protector

Foreign = Any
"""A frame, series or table of another library."""

Made = TypeVar("Made")

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


class _Column(NamedTuple):
    """A column of a table that a rule changes."""

    rule: ColumnRule
    tokenizer: Tokenizer
    path: Sequence[int]  # where it is: the number of a child, and so on
    tweak: Sequence[int] | None
    required: bool  # whether it must not have nulls


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a protector."""

    protector: Protector  # the policy with its keys
    threads: int | None  # as for `Tokenizer.protect`
    decrypt: bool  # whether tokens are revealed

    def column(self, name: str, values: Any, tweaks: Any) -> Any:  # noqa: ANN401
        """Protect or reveal one column; see `Protector.protect_column`."""
        tokenizer = self.protector.tokenizer(name)
        tweak = self.protector.rules[name].tweak
        if (tweaks is None) != (tweak is None):
            wanted = "has no tweak" if tweak is None else f"needs the tweaks of {tweak!r}"
            raise ParameterError(f"column {name!r}: its rule in the policy {wanted}")
        act = tokenizer.reveal if self.decrypt else tokenizer.protect
        values, tweaks, back = series_to_arrow(values, tweaks) or (values, tweaks, None)
        with placed(name, first_row=0, decrypt=self.decrypt):
            made = act(values, tweaks, threads=self.threads)
        return made if back is None else back(made)

    def data(self, data: Foreign) -> Foreign:
        """Protect or reveal data of any library; see `Protector.protect`."""
        adapter = adapter_of(data)
        kind = None if adapter is None else adapter.takes(data)
        if adapter is not None and kind is not None:
            return self._of_library(adapter, kind, data)
        if is_pyarrow(data):
            made = self._of_pyarrow(data)
            if made is not None:
                return made
        else:
            source = _tables_of(data)
            if source is not None:
                return self._of_arrow(data, source)
        raise ParameterError(
            "data must be a frame of pandas or Polars, a relation of DuckDB, a pyarrow Table, "
            "RecordBatch, RecordBatchReader or Dataset, or have __arrow_c_stream__ or "
            f"__arrow_c_array__ (of a struct), not {type(data).__name__}; for one column, call "
            "protect_column"
        )

    def _of_library(self, adapter: ModuleType, kind: str, data: Foreign) -> Foreign:
        if kind == "series":
            return self.column(data.name, data, None)
        plan = kind == "plan"
        held = adapter.plan_head(data) if plan else data
        names = list(adapter.names(held))
        self._check_levels(adapter.levels(held))
        arrow = cache(lambda name: adapter.to_arrow(adapter.get(held, name)))

        def table(some: Iterable[str]) -> ArrowData:
            return _source_of(adapter.table({name: arrow(name) for name in some}))

        tops, listed = self._found_in(table, names)
        levels = [level for level in adapter.levels(held) if level not in names]
        rules = self.protector.rules_for(listed, decrypt=self.decrypt, levels=levels)
        if plan:
            return adapter.plan(data, self._planned(adapter, rules, tops))
        work = by_column(rules, tops)
        needed = dict.fromkeys(name for names, _ in work.values() for name in names)
        new = self._changed(table(needed), rules, self._whole)
        made = {n: adapter.of_arrow(new[n], adapter.get(data, n)) for n in work}
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

        def work(needed: list[str], own: list[ColumnRule]) -> Callable[..., Foreign]:
            def act(*series: Foreign) -> Foreign:
                columns = dict(zip(needed, map(adapter.to_arrow, series), strict=True))
                source = _source_of(adapter.table(columns))
                (new,) = self._changed(source, own, self._whole).values()
                return adapter.of_arrow(new, series[0])

            return act

        found = by_column(rules, tops)
        return {top: (needed, work(needed, own)) for top, (needed, own) in found.items()}

    def _found_in(
        self, table: Callable[[list[str]], ArrowData], names: list[str]
    ) -> tuple[dict[str, str], list[str]]:
        """Return which paths lead into columns of a frame, and its columns with those inside.

        `table`: makes a table of some columns.
        """
        policy = self.protector.policy
        wanted = [path for path in policy.named if path not in names and has_steps(path)]
        texts = [name for name in names if isinstance(name, str)] if wanted else []
        outer = [name for name in texts if any(is_inside(path, quoted(name)) for path in wanted)]
        if not outer:
            return {}, names
        schema = table(outer).type
        within: dict[str, list[str]] = {name: [] for name in outer}
        for path, top, _ in inside(schema, wanted):
            within[outer[top]].append(path)
        found = {path: place.top for path, place in find(schema, wanted).items()}
        return found, [one for name in names for one in within.get(name, [name])]

    def _of_pyarrow(self, data: Foreign) -> Foreign:
        """Protect or reveal tables of pyarrow; None: it is none."""
        import pyarrow as pa

        if not isinstance(data, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
            from pyarrow.dataset import Dataset  # not before it is needed: it takes its time

            if not isinstance(data, Dataset):
                return None
            data = data.scanner().to_reader()
        kind, rules, tops = self._begun(Field.of(data.schema))
        schema = without_values(data.schema, tops).remove_metadata()
        # Not with_metadata(None), which makes empty metadata of none.
        schema = schema.with_metadata(kind.metadata) if kind.metadata else schema

        def changed(part: Foreign, first_row: int = 0) -> Foreign:
            made = self.replaced(part, rules, first_row)
            return type(part).from_arrays(made.columns, schema=schema)

        if not isinstance(data, pa.RecordBatchReader):
            return changed(data)

        def batches() -> Iterator[pa.RecordBatch]:
            first_row = 0
            for batch in data:
                yield changed(batch, first_row)
                first_row += len(batch)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def replaced(self, data: Foreign, rules: Sequence[ColumnRule], first_row: int = 0) -> Foreign:
        """Return a table or batch of pyarrow with the columns of some rules made anew."""
        import pyarrow as pa

        if not rules:
            return data
        found = find(data.schema, [name for rule in rules for name in rule.names])
        used = data.select(list(dict.fromkeys(place.top for place in found.values())))
        # A batch is one again: by one thread, in parts for signals alone.
        act = self._whole if isinstance(data, pa.Table) else self._streamed
        made = self._changed(_source_of(used), rules, act, first_row)
        for name, column in made.items():
            index = data.schema.get_field_index(name)
            field = data.schema.field(index)
            arrays = [to_pyarrow(array, field.type) for array in column.whole()]
            table = isinstance(data, pa.Table)
            new = pa.chunked_array(arrays, field.type) if table else joined(arrays)
            data = data.set_column(index, field, new)
        return data

    def _of_arrow(self, data: Foreign, source: ArrowData) -> Foreign:
        """Protect or reveal tables of another library."""
        kind, rules, tops = self._begun(source.type)
        columns = self._columns(source.type, rules)
        finish = partial(Data.of_type, kind=kind)
        stream = hasattr(data, "__arrow_c_stream__")
        duckdb = type(data).__module__.partition(".")[0] in ("duckdb", "_duckdb")
        if stream and not hasattr(data, "__len__") and not duckdb:
            made = ArrowData(kind, self._streamed(source, columns, finish))
            found = made_by(data, made)
            return made if found is None else found
        # It is whole: errors are raised here, and not by another.
        made = ArrowData(kind, self._whole(source, columns, finish, split=stream))
        found = None if duckdb else made_by(data, made)
        if found is not None:
            return found
        import pyarrow as pa

        if not stream:
            return pa.record_batch(made.whole()[0])
        return _typed(_relation(data, pa.table(made)), data, tops) if duckdb else pa.table(made)

    def _begun(self, schema: Field) -> tuple[Field, list[ColumnRule], set[str]]:
        """Check Arrow data, and return the new schema, with its marker, and the rules for it.

        The names of the columns that change, or have others inside that do, come third.
        """
        schema.check_names()
        protector, metadata = self.protector, schema.metadata
        marker = metadata.pop(METADATA_KEY, None)
        found = None if protector.ignore_marker else Marker.read(marker, _DATA)
        protected = () if found is None else found.columns
        names = [path for path, *_ in inside(schema, [*protector.policy.named, *protected])]
        rules = protector.rules_for(names, decrypt=self.decrypt, protected=protected)
        entries = {rule.column: protector.marker_entry(rule.column) for rule in rules}
        if self.decrypt:
            new = None if found is None else found.revealed(_DATA, entries)
        else:
            new = (found or Marker()).protected(_DATA, entries)
        marker = None if new is None else new.write()
        if marker is not None:
            metadata[METADATA_KEY] = marker
        tops = {place.top for place in find(schema, [rule.column for rule in rules]).values()}
        kept = schema.without_values(tops)
        return kept.replaced(metadata, kept.children), rules, tops

    def _changed(
        self,
        source: ArrowData,
        rules: Sequence[ColumnRule],
        act: Callable[..., Iterable[list[Data]]],
        first_row: int = 0,
    ) -> dict[str, ArrowData]:
        """Return the columns of a table that rules change, or change inside, by their names.

        `act`: `_whole` or `_streamed`.
        One that changes itself shares no memory with the others, or with its old values.
        """
        columns = self._columns(source.type, rules)
        tops = dict.fromkeys(column.path[0] for column in columns)
        names = [field.name for field in source.type.children]
        kinds = source.type.without_values({names[top] for top in tops}).children

        def finish(table: Data) -> list[Data]:
            return [Data(kinds[top], table.values.children[top]) for top in tops]

        made = list(act(source, columns, finish, first_row))
        return {
            names[top]: ArrowData(kinds[top], [some[number] for some in made])
            for number, top in enumerate(tops)
        }

    def _whole(
        self,
        source: ArrowData,
        columns: Sequence[_Column],
        finish: Callable[[Data], Made],
        first_row: int = 0,
        *,
        split: bool = True,
    ) -> list[Made]:
        """Return what `finish` makes of new tables.

        `split`: whether signals are handled within an array, whose parts are arrays then.
        """
        batches = source.whole()
        rows = sum(map(len, batches))
        threads = thread_count(self.threads) if rows > SLICE_ROWS else 1
        leaves = (_leaf(source.type, column.path) for column in columns)
        most = share_of(rows, threads, leaves) if split and columns else rows
        made = at_once(
            lambda part: list(
                self._parts(first_row + part[0], part[1], columns, finish, split=split)
            ),
            list(slices(batches, most)),
            threads,
        )
        return [one for some in made for one in some]

    def _streamed(
        self,
        source: ArrowData,
        columns: Sequence[_Column],
        finish: Callable[[Data], Made],
        first_row: int = 0,
    ) -> Iterator[Made]:
        """Yield the same, as tables are read."""
        for batch in source.taken():
            yield from self._parts(first_row, batch, columns, finish)
            first_row += len(batch)

    def _columns(self, schema: Field, rules: Sequence[ColumnRule]) -> list[_Column]:
        found = find(schema, [name for rule in rules for name in rule.names])
        names = [field.name for field in schema.children]

        def path(name: str | None) -> list[int] | None:
            return None if name is None else [names.index(found[name].top), *found[name].steps]

        return [
            _Column(
                rule,
                self.protector.tokenizer(rule.column),
                path(rule.column) or (),
                path(rule.tweak),
                not found[rule.column].nullable,
            )
            for rule in rules
        ]

    def _parts(
        self,
        first_row: int,
        batch: Any,  # noqa: ANN401
        columns: Sequence[_Column],
        finish: Callable[[Data], Made],
        *,
        split: bool = True,
    ) -> Iterator[Made]:
        """Yield what `finish` makes of a new batch, in parts between which signals are handled."""
        table = exported(batch)
        rows = len(table)
        for column in columns if split else ():
            leaf = _values(table, column.path)
            if leaf is not None:
                tweaked = column.tweak is not None
                rows = min(rows, column.tokenizer.rows_at_once(leaf, tweaked=tweaked))
        for start in range(0, max(1, len(table)), max(1, rows)):
            part = table.slice(start, rows)
            yield finish(self._transform(part, columns, first_row + start) if columns else part)

    def _transform(self, table: Data, columns: Sequence[_Column], first_row: int) -> Data:
        fields, held = ffi.new("tally_field[]", len(columns)), list[Any]()
        out, fault = owned("ArrowArray"), ffi.new("tally_table_fault *")
        problem = ffi.new("tally_problem *")
        act = lib.tally_reveal_table if self.decrypt else lib.tally_protect_table
        with ExitStack() as stack:
            for native, column in zip(fields, columns, strict=True):
                worker = stack.enter_context(column.tokenizer.worker(decrypt=self.decrypt))
                paths = [ffi.new("uint32_t[]", path or ()) for path in (column.path, column.tweak)]
                held += paths
                native.worker = worker.native
                (native.path, native.tweak), (native.depth, native.tweak_depth) = (
                    paths,
                    map(len, paths),
                )
            if self.decrypt:  # every column may be
                for column in columns:
                    column.tokenizer.about_to_reveal(len(table))
            given = table.shared()
            status = act(fields, len(columns), table.type.native, given, out, fault, problem)
        found = columns[min(int(fault.field), len(columns) - 1)]
        with placed(found.rule.column, first_row=first_row, decrypt=self.decrypt):
            if status == lib.TALLY_ERROR_INVALID:
                wrong = fault.invalid.fault
                raise invalid_value(int(fault.invalid.row), reason_of(wrong), fault_of(wrong))
            found.tokenizer.check(status, problem)
        for native, column in zip(fields, columns, strict=True):
            if column.required and column.rule.on_invalid == "null" and any(native.counts.invalid):
                raise _no_null(column.rule.column)
        return Data(table.type, out)


def _source_of(given: Foreign) -> ArrowData:
    """Take tables of any library; batches of pyarrow are not yet `exported`."""
    if not is_pyarrow(given):
        return taken(given)
    import pyarrow as pa

    batches = [given]
    if isinstance(given, pa.Table):  # an empty one may have no batch, but it has types
        batches = given.to_batches() or [pa.RecordBatch.from_pylist([], given.schema)]
    return ArrowData(Field.of(given.schema), batches)


def _tables_of(given: Foreign) -> ArrowData | None:
    """Take tables of a library that is not pyarrow; None: it has none."""
    stream = hasattr(given, "__arrow_c_stream__")
    if not stream and not hasattr(given, "__arrow_c_array__"):
        return None
    found = taken(given)
    if found.type.format == "+s":
        return found
    if stream:
        raise ParameterError("the stream has a column, no tables; call protect_column")
    return None


def _leaf(kind: Field, path: Sequence[int]) -> Field:
    for child in path:
        kind = kind.child(child)
    return kind


def _values(table: Data, path: Sequence[int]) -> Data | None:
    """Return a column of a table; None: it is in a list, whose rows are others."""
    for child in path:
        if table.type.format != "+s":
            return None
        table = table.child(child)
    return table


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
