# SPDX-License-Identifier: Apache-2.0
"""Columns inside others: fields of structs, items of lists, values of maps, by their paths."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from tallystick._core import ffi, lib
from tallystick.arrow import Data, address, sound_batch
from tallystick.errors import InvalidValueError, ParameterError
from tallystick.formats.format import fault_of, reason_of
from tallystick.paths import place_in
from tallystick.tokenizer import Counts, Tokenizer, invalid_value

if TYPE_CHECKING:
    import pyarrow as pa


class Inner(NamedTuple):
    """A column by its path, such as ``contact.email`` or ``orders[].phone``."""

    path: str  # where it is, or a name at the top level
    tokenizer: Tokenizer  # what protects it
    tweak: str | None = None  # the path of its tweak column


class InnerValueError(Exception):
    """A value of a column inside another is invalid; whoever knows its place says so.

    Attributes
    ----------
    error : InvalidValueError
        What is wrong.
    column : int
        Which of the given columns it is.
    """

    def __init__(self, error: InvalidValueError, column: int) -> None:
        super().__init__(str(error))
        self.error = error
        self.column = column


def transform_batch(
    batch: pa.RecordBatch, columns: Sequence[Inner], *, decrypt: bool
) -> tuple[pa.RecordBatch, list[Counts]]:
    """Protect or reveal columns of a batch; the rest is not copied.

    Raises `InnerValueError`: a value is invalid; its row is the batch's. `ParameterError`: a format
    does not take a column's type, or a column lies in one of another type.
    """
    import pyarrow as pa

    used = {path for column in columns for path in (column.path, column.tweak or "")}
    table = Data.of(sound_batch(batch, used))
    fields, held = ffi.new("tally_field[]", len(columns)), list[Any]()
    out, fault = ffi.new("struct ArrowArray *"), ffi.new("tally_table_fault *")
    problem = ffi.new("tally_problem *")
    act = lib.tally_reveal_table if decrypt else lib.tally_protect_table
    with ExitStack() as stack:
        for native, column in zip(fields, columns, strict=True):
            native.worker = stack.enter_context(column.tokenizer.worker(decrypt=decrypt)).native
            for name, path in (("", column.path), ("tweak_", column.tweak)):
                if path is None:
                    continue
                place = place_in(table, path)
                if place is None:
                    raise ParameterError(f"there is no column {path!r}")
                held.append(place)
                setattr(native, "tweak" if name else "path", place.child)
                setattr(native, f"{name}depth", place.depth)
        if decrypt:  # every column may be
            for column in columns:
                column.tokenizer.about_to_reveal(len(batch))
        status = act(fields, len(columns), table.type, table.values, out, fault, problem)
    if status == lib.TALLY_ERROR_INVALID:
        found = fault.invalid.fault
        error = invalid_value(int(fault.invalid.row), reason_of(found), fault_of(found))
        raise InnerValueError(error, int(fault.field))
    columns[min(int(fault.field), len(columns) - 1)].tokenizer.check(status, problem)
    made = pa.RecordBatch._import_from_c(address(out), batch.schema)
    return made, [Counts.of(native.counts) for native in fields]
