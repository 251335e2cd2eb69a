# SPDX-License-Identifier: Apache-2.0
"""Paths of columns inside others: what a table has by them, taken out and put back as columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tallystick._core import ffi, lib
from tallystick.arrow import damaged, validate
from tallystick.capsules import Field
from tallystick.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

_SPECIAL = frozenset('.[]{}"')
"""A name with one of these is in quotes within a path."""
_EXTENSION = b"ARROW:extension:name"
"""The key of a field's metadata for the name of an extension type."""


class Inside(Enum):
    """A step of a path into a list or a map."""

    ITEMS = "[]"
    VALUES = "{}"


_INSIDE = {lib.TALLY_STEP_ITEMS: Inside.ITEMS, lib.TALLY_STEP_VALUES: Inside.VALUES}


@lru_cache(256)
def steps_of(path: str) -> tuple[str | Inside, ...]:
    """Return the steps of a path: names, and steps into lists and maps; none if it is no path."""
    steps: list[str | Inside] = []
    given = path.encode(errors="surrogatepass")
    room = len(given) + 1
    name, size, at = ffi.new("char[]", room), ffi.new("size_t *"), ffi.new("size_t *")
    while at[0] < len(given):
        kind = lib.tally_path_step(given, len(given), at, name, room, size)
        if kind == lib.TALLY_STEP_NONE:
            return ()
        field = ffi.buffer(name, size[0])[:].decode(errors="surrogatepass")
        steps.append(_INSIDE.get(kind, field))
    return tuple(steps)


class Found(NamedTuple):
    """Where a table has a column."""

    path: str  # its path, or its name at the top level
    top: str  # the column of the table that it is, or is in
    steps: tuple[int, ...] = ()
    """Which child to take from there on; of a list it is 0, of a map 0 and then 1."""
    nullable: bool = True  # whether it may have nulls


def find(schema: Field | pa.Schema, paths: Iterable[str]) -> dict[str, Found]:
    """Return where a table has columns, as far as it has them; a whole name comes first."""
    table, found = _table(schema), dict[str, Found]()
    columns = table.children
    names = [column.name for column in columns]
    place = ffi.new("tally_path *")
    for path in dict.fromkeys(paths):
        steps = [names.index(path)] if path in names else []
        given = path.encode("utf-8", "replace")
        if (
            not steps
            and has_steps(path)
            and lib.tally_path_find(table.native, given, len(given), place) == 1
        ):
            steps = list(place.child[0 : place.depth])
        if steps:
            field = table
            for step in steps:
                field = field.child(step)
            found[path] = Found(path, names[steps[0]], tuple(steps[1:]), field.nullable)
    return found


def _table(schema: Field | pa.Schema) -> Field:
    return schema if isinstance(schema, Field) else Field.of(schema)


def has_steps(path: str) -> bool:
    """Return whether a text may be the path of a column inside another."""
    return not _SPECIAL.isdisjoint(path)


def is_inside(path: str, outer: str) -> bool:
    """Return whether a path names a column inside another."""
    return path.startswith(outer) and path[len(outer) : len(outer) + 1] in (".", "[", "{")


def opened(schema: pa.Schema, paths: Iterable[str] | None = None) -> list[tuple[str, pa.DataType]]:
    """Return the columns of `inside` with their types."""
    made = []
    for path, top, steps in inside(schema, paths):
        field = schema.field(top)
        for step in steps:
            field = _child_field(field.type, step)
        made.append((path, field.type))
    return made


def inside(
    schema: Field | pa.Schema, paths: Iterable[str] | None = None
) -> list[tuple[str, int, tuple[int, ...]]]:
    """Return the columns of a table with their places; of some, the columns inside them instead.

    `paths`: a column is opened if one of the paths leads into it, and called as the first path
    spells it that leads to it. By default each is opened that has others inside.

    A place is the number of a column of the table, and the steps from there on; see `Found`.
    """
    table = _table(schema)
    inner, spelled = None, dict[tuple[str, tuple[int, ...]], str]()
    if paths is not None:
        places = find(table, paths).values()
        for one in places:
            spelled.setdefault((one.top, one.steps), one.path)
        inner = {(one.top, one.steps[:depth]) for one in places for depth in range(len(one.steps))}
    return [
        (spelled.get((field.name, steps), path if steps else field.name), top, steps)
        for top, field in enumerate(table.children)
        for path, steps in _below(field, inner)
    ]


def _below(
    top: Field, inner: Collection[tuple[str, tuple[int, ...]]] | None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield a column, or those inside it if it is to be opened; None: all are."""
    left = [(quoted(top.name), top, tuple[int, ...]())]
    while left:
        path, field, steps = left.pop()
        within: list[tuple[str, Field, tuple[int, ...]]] = []
        # What has a meaning of its own, such as a tensor, is opened for a path alone.
        if (top.name, steps) in inner if inner is not None else _EXTENSION not in field.metadata:
            children = field.children
            if field.is_dictionary:
                pass
            elif field.format == "+s":
                within = [
                    (f"{path}.{quoted(child.name)}", child, (*steps, i))
                    for i, child in enumerate(children)
                ]
            elif field.format == "+m":
                within = [(f"{path}{{}}", children[0].children[1], (*steps, 0, 1))]
            elif field.format.startswith(("+l", "+L", "+w:", "+vl", "+vL")):
                within = [(f"{path}[]", children[0], (*steps, 0))]
        if within:
            left += reversed(within)
        else:
            yield path, steps


def quoted(name: str) -> str:
    """Return a column's name as it begins a path."""
    if name and _SPECIAL.isdisjoint(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _child_field(kind: pa.DataType, step: int) -> pa.Field:
    import pyarrow as pa

    if pa.types.is_map(kind):
        return pa.field("entries", pa.struct([kind.key_field, kind.item_field]))
    return kind.field(step) if pa.types.is_struct(kind) else kind.value_field


def _is_list_view(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


Rows: TypeAlias = "int | npt.NDArray[np.int64]"
"""Rows of a file, from 0: where they begin, or of values in lists the row of each value."""


def row_of(rows: Rows, value: int) -> int:
    """Return the row of a value of a batch, which is counted from 0."""
    return rows + value if isinstance(rows, int) else int(rows[value])


def rows_of(rows: Rows, values: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the rows of some values of a batch."""
    return rows + values if isinstance(rows, int) else rows[values]


@dataclass
class Leaves:
    """The values of a column inside another, as a column."""

    values: pa.Array  # the values; those in a null are null
    others: list[pa.Array]  # of other columns the values beside them
    parents: list[npt.NDArray[np.int64]]
    """For each list on the way, the outer value of each inner one."""

    def rows(self, first_row: int) -> Rows:
        """Return the rows of the values in a batch that begins at a row."""
        return first_row if not self.parents else first_row + self._rows

    @cached_property
    def _rows(self) -> npt.NDArray[np.int64]:
        rows, *more = reversed(self.parents)
        for outer in more:
            rows = outer[rows]
        return rows


def leaves(columns: Mapping[str, pa.Array], found: Found, others: Sequence[Found] = ()) -> Leaves:
    """Take a column out of those that it is in.

    `columns`: columns of a table, by name.
    `found`: the column.
    `others`: columns beside it, such as tweaks: of its row, or of the same items of lists.
    Raises `ParameterError`: one of the others is in another list.
    """
    array, parents = columns[found.top], []
    beside: list[tuple[pa.Array, tuple[int, ...], bool]] = [
        (columns[other.top], other.steps, other.top == found.top) for other in others
    ]
    for step in found.steps:
        inner, outer = _child(array, step)
        for index, (value, steps, together) in enumerate(beside):
            if together and steps[:1] == (step,):
                beside[index] = (inner, steps[1:], True)
            else:
                value = _plain(value, steps, others[index].path, found.path)
                beside[index] = (value if outer is None else value.take(_indices(outer)), (), False)
        array = inner
        if outer is not None:
            parents.append(outer)
    aligned = [
        _plain(value, steps, other.path, found.path)
        for (value, steps, _), other in zip(beside, others, strict=True)
    ]
    return Leaves(array, aligned, parents)


def in_another_list(path: str, beside: str) -> ParameterError:
    """Return the error that a column beside another is in a list that this is not in."""
    return ParameterError(
        f"{path!r} is in a list that {beside!r} is not in, so a value has no single one of it; use "
        "a column of the row, or of the same list"
    )


def _plain(array: pa.Array, steps: Sequence[int], path: str, beside: str) -> pa.Array:
    """Go down through structs alone."""
    for step in steps:
        array, outer = _child(array, step)
        if outer is not None:
            raise in_another_list(path, beside)
    return array


def _indices(rows: npt.NDArray[np.int64]) -> pa.Array:
    import pyarrow as pa

    return pa.array(rows)


def _child(array: pa.Array, step: int) -> tuple[pa.Array, npt.NDArray[np.int64] | None]:
    """Go one step down; of a list also the outer value of each inner one."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.StructArray):
        return pc.struct_field(array, [step]), None
    lengths = _lengths(array)  # which checks it: pyarrow does not
    items = _entries(array) if isinstance(array, pa.MapArray) else array
    return items.flatten(), np.repeat(np.arange(len(array), dtype=np.int64), lengths)


def _entries(array: pa.MapArray) -> pa.ListArray:
    """Return maps as lists of structs, which pyarrow can flatten."""
    import pyarrow as pa

    entries = pa.StructArray.from_arrays(
        [array.keys, array.items], fields=[array.type.key_field, array.type.item_field]
    )
    return pa.Array.from_buffers(
        pa.list_(entries.type),
        len(array),
        array.buffers()[:2],
        offset=array.offset,
        children=[entries],
    )


def _lengths(array: pa.Array) -> npt.NDArray[np.int64]:
    """Return the number of items of each list or map; 0 for a null.

    Raises `ParameterError`: the array is damaged.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    validate(array, "its children do not fit together")
    if pa.types.is_fixed_size_list(kind):
        lengths = np.full(len(array), kind.list_size, np.int64)
    else:
        held = len(array.keys if isinstance(array, pa.MapArray) else array.values)
        starts = array.offsets.to_numpy().astype(np.int64)
        if _is_list_view(kind):
            lengths = array.sizes.to_numpy().astype(np.int64)
        else:
            starts, lengths = starts[:-1], np.diff(starts)
        if len(lengths) and (
            min(lengths.min(), starts.min()) < 0 or (starts + lengths).max() > held
        ):
            raise damaged("an offset points outside its values")
    if array.null_count:
        lengths[pc.is_null(array).to_numpy(zero_copy_only=False)] = 0
    return lengths


def one_each(values: pa.Array, rows: Rows, count: int) -> pa.Array:
    """Return a value of each of so many rows: of several the first, the second, ... in turn."""
    import numpy as np
    import pyarrow as pa

    if isinstance(rows, int):
        return values
    counts = np.bincount(rows, minlength=count)
    chosen = np.cumsum(counts) - counts + np.arange(count) % np.maximum(counts, 1)
    return values.take(pa.array(chosen, mask=counts == 0))


def put_back(array: pa.Array, steps: Sequence[int], new: pa.Array) -> pa.Array:
    """Return a column with other values of a column inside it, as `leaves` gave them."""
    import numpy as np
    import pyarrow as pa

    outer, nullable = [], True
    for step in steps:
        outer.append((array, step, nullable))
        nullable = _child_field(array.type, step).nullable
        array = _child(array, step)[0]
    # What must not have nulls has some where it is in a null; no reader looks there.
    if new.null_count and not nullable:
        new = new.fill_null(_nothing(new.type))
    for around, step, nullable in reversed(outer):
        valid = around.is_valid().buffers()[1] if around.null_count and nullable else None
        if isinstance(around, pa.StructArray):
            children = [around.field(i) for i in range(around.type.num_fields)]
            children[step] = new
            new = pa.Array.from_buffers(around.type, len(around), [valid], children=children)
            continue
        lengths = _lengths(around)
        if pa.types.is_fixed_size_list(around.type):
            buffers, new = [valid], _spread(new, around, lengths)
        else:
            wide = pa.types.is_large_list(around.type) or pa.types.is_large_list_view(around.type)
            width = np.int64 if wide else np.int32
            ends = np.concatenate([[0], np.cumsum(lengths)]).astype(width)
            views = _is_list_view(around.type)
            bounds = [ends[:-1], lengths.astype(width)] if views else [ends]
            buffers = [valid, *map(pa.py_buffer, bounds)]
        new = pa.Array.from_buffers(around.type, len(around), buffers, children=[new])
    return new


def _nothing(kind: pa.DataType) -> pa.Scalar:
    """Return an empty text or a zero."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _nothing(kind.value_type)
    number = pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
    zero = pa.scalar(0, pa.int32() if pa.types.is_date32(kind) else pa.int64())
    return (zero if number else pa.scalar("")).cast(kind)


def _spread(new: pa.Array, around: pa.Array, lengths: npt.NDArray[np.int64]) -> pa.Array:
    """Return the items of lists of a fixed size, nulls where a list is null."""
    import numpy as np
    import pyarrow as pa

    if not around.null_count:
        return new
    held = np.repeat(lengths > 0, around.type.list_size)
    return new.take(pa.array(np.cumsum(held) - 1, mask=~held))
