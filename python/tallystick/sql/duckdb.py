# SPDX-License-Identifier: Apache-2.0
"""DuckDB: ``tally_protect`` and ``tally_reveal``, and whole queries by policy, streamed.

A function of DuckDB has one type, and gets every argument as a column. So each name and type has a
function of its own, and ``tally_protect`` is a macro that chooses among them when a query is
planned: the name costs nothing then.
"""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa

from tallystick.protector import Protector
from tallystick.sql.names import Named, named, named_errors

ROWS = 1 << 20
"""Rows of the batches of a streamed query."""

# By name, since the module of DuckDB that has them was renamed.
_ARROW: Any = "arrow"
_SPECIAL: Any = "special"

_TYPES = {
    "VARCHAR": pa.string(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "UBIGINT": pa.uint64(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    # Else DuckDB would make them the one above, and cut what is finer.
    "TIMESTAMP_S": pa.timestamp("s"),
    "TIMESTAMP_MS": pa.timestamp("ms"),
    "TIMESTAMP_NS": pa.timestamp("ns"),
}


def register(
    connection: duckdb.DuckDBPyConnection,
    protector: Protector | None = None,
    *,
    key: bytes | bytearray | None = None,
    namespace: str | None = None,
    reveal: bool = False,
) -> None:
    """Register ``tally_protect(name, value[, tweak])`` and, on request, ``tally_reveal``.

    Values are VARCHAR, integers, DATE or TIMESTAMP, as the format requires; results have the same
    type. NULL stays NULL. A tweak must be VARCHAR: cast other types.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        The connection that gets the functions, until it is closed. A cursor of it needs its own
        call.
    protector : Protector, optional
        With it, names are columns of its policy. Keep it open as long as the connection.
    key, namespace
        Instead of a protector: names are then formats that need no options.
    reveal : bool
        Whether to register ``tally_reveal``: then every query of the connection can reveal. If
        False, a ``tally_reveal`` of an earlier call is removed.

    Raises
    ------
    ParameterError
        Pass either a protector, or key and namespace.
    TallyError
        The protector can only protect.

    Notes
    -----
    A query that fails raises `duckdb.InvalidInputException` with Tallystick's message.
    """
    names = named(protector, key, namespace, reveal=reveal)
    _register(connection, names, decrypt=False)
    if reveal:
        _register(connection, names, decrypt=True)
    else:
        connection.execute("DROP MACRO IF EXISTS temp.tally_reveal")


def protect(
    connection: duckdb.DuckDBPyConnection, query: str, protector: Protector, *, rows: int = ROWS
) -> duckdb.DuckDBPyRelation:
    """Return a query's result with the policy's columns protected, as a relation.

    Batches are streamed from the query through Arrow memory to the relation's reader. This is
    faster than functions, which get 2,048 rows at a time.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        The connection of the relation. The query runs on a cursor of it, which sees tables and
        views of the database and files, but no temporary tables and no uncommitted changes.
    query : str
        A SELECT statement.
    protector : Protector
        The policy with its keys. With ``missing="ignore"`` the query may lack columns of the
        policy.
    rows : int
        The number of rows per batch.

    Returns
    -------
    duckdb.DuckDBPyRelation
        A relation that can be read once. To read it again, create a table from it.

    Raises
    ------
    ParameterError
        Columns are missing. Invalid values raise errors when the relation is read.
    """
    return connection.from_arrow(protector.protect(_read(connection, query, rows), threads=1))


def reveal(
    connection: duckdb.DuckDBPyConnection, query: str, protector: Protector, *, rows: int = ROWS
) -> duckdb.DuckDBPyRelation:
    """Return a query's result with values in place of tokens: the inverse of `protect`."""
    return connection.from_arrow(protector.reveal(_read(connection, query, rows), threads=1))


def _read(connection: duckdb.DuckDBPyConnection, query: str, rows: int) -> pa.RecordBatchReader:
    cursor = connection.cursor()
    relation = cursor.sql(query)
    if hasattr(duckdb.DuckDBPyRelation, "to_arrow_reader"):  # of the class: columns are attributes
        return relation.to_arrow_reader(rows)
    reader = relation.fetch_record_batch(rows)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from reader
        cursor.close()  # until here: in DuckDB 1.4 a reader ends with its cursor

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


_registrations = count()


def _register(
    connection: duckdb.DuckDBPyConnection, names: dict[str, Named], *, decrypt: bool
) -> None:
    """Register the functions of one direction, and the macro that chooses among them."""
    word = "reveal" if decrypt else "protect"
    # A connection and its cursors share functions, and can't replace one: each time new names.
    unique = next(_registrations)
    plain, tweaked = [], []
    for kind, arrow in _TYPES.items():
        calls = {}
        for number, meant in enumerate(names.values()):
            if not meant.tokenizer.form.accepts(arrow):
                refusal = meant.tokenizer.form.refusal(arrow)
                error = _error(f"tally_{word}({meant.name!r}, ...): {refusal}")
                # A NULL of no type comes as any type.
                calls[meant.name] = f"CASE WHEN value IS NOT NULL THEN {error} END"
                continue
            arguments = ["value"] if meant.tweak is None else ["value", "tweak"]
            function = f"__tally_{word}_{unique}_{number}_{kind.lower()}"
            connection.create_function(
                function,
                _function(meant, decrypt),
                [kind, *("VARCHAR" for _ in arguments[1:])],
                kind,
                type=_ARROW,
                null_handling=_SPECIAL,  # else a null for an invalid value is an error
            )
            calls[meant.name] = f"{function}({', '.join(arguments)})"
        plain.append(_macro(f"name, value {kind}", word, names, calls, tweak=False))
        tweaked.append(_macro(f"name, value {kind}, tweak", word, names, calls, tweak=True))
    connection.execute(f"CREATE OR REPLACE TEMP MACRO tally_{word} {', '.join(plain + tweaked)}")


def _function(meant: Named, decrypt: bool) -> Callable[..., pa.Array]:
    """Return what is called with 2,048 rows at a time."""
    tokenizer = meant.tokenizer
    act = tokenizer.reveal if decrypt else tokenizer.protect

    def plain(values: pa.ChunkedArray) -> pa.Array:
        with named_errors(meant, decrypt=decrypt):
            return act(_whole(values))

    def tweaked(values: pa.ChunkedArray, tweaks: pa.ChunkedArray) -> pa.Array:
        with named_errors(meant, decrypt=decrypt):
            return act(_whole(values), _whole(tweaks))

    return plain if meant.tweak is None else tweaked


def _whole(values: pa.ChunkedArray) -> pa.Array:
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def _macro(
    parameters: str, word: str, names: dict[str, Named], calls: dict[str, str], *, tweak: bool
) -> str:
    """Write one form of a macro: a CASE over all names."""
    cases = []
    for name, meant in names.items():
        does = calls[name]
        if (meant.tweak is not None) != tweak:
            needs = "has no tweak; leave out the third argument"
            if meant.tweak is not None:
                needs = f"has the tweak {meant.tweak!r}; pass it as the third argument"
            does = _error(f"tally_{word}: column {name!r} {needs}")
        cases.append(f"WHEN {_quoted(name)} THEN {does}")
    known = ", ".join(map(repr, names))
    unknown = _error(f"tally_{word}: the first argument must be one of {known}")
    return f"({parameters}) AS CASE name {' '.join(cases)} ELSE {unknown} END"


def _error(message: str) -> str:
    return f"error({_quoted(message)})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
