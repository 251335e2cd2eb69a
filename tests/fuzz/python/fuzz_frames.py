# SPDX-License-Identifier: Apache-2.0
"""Data frames and SQL: the tokens that a table of Arrow gets, or an error as there, and back.

The columns have any text in them, and for names.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import atheris
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

from harness import fuzz, pieces, ring
from tables import FORMATS, KEYS
from tallystick import Protector, TallyError
from tallystick.frames.pandas import TallyFrame as PandasFrame
from tallystick.frames.polars import TallyFrame as PolarsFrame
from tallystick.frames.polars import TallyLazyFrame as PolarsPlan
from tallystick.policy import ColumnRule, Policy
from tallystick.sql import duckdb as of_duckdb
from tallystick.sql import sqlite as of_sqlite
from tallystick.tokenizer import OnInvalid

NAMES = ("a", "B c", "it's", 'x"y', "größe", "select", "%s", "{0}", "tally_protect", "\n", "\\")
DTYPES = ("str", "string", "object", "category", pd.ArrowDtype(pa.string()))
REFUSED = (TallyError, pl.exceptions.ComputeError, duckdb.Error, sqlite3.Error)
keyring = ring()

Library = Callable[[atheris.FuzzedDataProvider, Protector, pa.Table, bool], pa.Table]


def by_pandas(
    typed: atheris.FuzzedDataProvider, protector: Protector, table: pa.Table, decrypt: bool
) -> pa.Table:
    """Go through a frame of one of the types that text has there."""
    kind = DTYPES[typed.ConsumeIntInRange(0, len(DTYPES) - 1)]

    def series(column: pa.ChunkedArray) -> pd.Series:
        # Of objects and categories that are all null nobody knows what they should be.
        known = "str" if column.null_count == len(column) else kind
        return pd.Series(column.to_pylist(), dtype=known)

    frame = pd.DataFrame({name: series(table.column(name)) for name in table.column_names})
    wrapped = PandasFrame(frame)
    made = (wrapped.reveal if decrypt else wrapped.protect)(protector)
    assert made.dtypes.equals(frame.dtypes) or kind == "category", "other types"
    return pa.table(
        {name: pa.array(made[name].astype(object), pa.string(), from_pandas=True) for name in frame}
    )


def by_polars(
    typed: atheris.FuzzedDataProvider, protector: Protector, table: pa.Table, decrypt: bool
) -> pa.Table:
    """Go through a frame, or a plan."""
    frame = pl.DataFrame(
        {
            name: pl.Series(table.column(name).to_pylist(), dtype=pl.String)
            for name in table.schema.names
        }
    )
    if typed.ConsumeBool():
        wrapped = PolarsFrame(frame)
        made = (wrapped.reveal if decrypt else wrapped.protect)(protector)
    else:
        plan = PolarsPlan(frame.lazy())
        made = (plan.reveal if decrypt else plan.protect)(protector).collect()
    return made.to_arrow().cast(table.schema)


def _call(protector: Protector, names: list[str], decrypt: bool) -> str:
    """Return a query over columns c0, c1 ... that has each name as text and as a column's name."""
    does = "tally_reveal" if decrypt else "tally_protect"
    made = []
    for number, name in enumerate(names):
        rule = protector.rules.get(name)
        text, column = name.replace("'", "''"), name.replace('"', '""')
        tweak = f", c{names.index(rule.tweak)}" if rule is not None and rule.tweak else ""
        what = f"c{number}" if rule is None else f"{does}('{text}', c{number}{tweak})"
        made.append(f'{what} AS "{column}"')
    return f"SELECT {', '.join(made)} FROM given"  # noqa: S608 (our own, in memory)


def by_duckdb(
    typed: atheris.FuzzedDataProvider, protector: Protector, table: pa.Table, decrypt: bool
) -> pa.Table:
    """Call functions in a query, or stream one."""
    with duckdb.connect() as connection:
        if typed.ConsumeBool():
            connection.register(
                "given", table.rename_columns([f"c{n}" for n in range(len(table.column_names))])
            )
            of_duckdb.register(connection, protector, reveal=True)
            found = connection.sql(_call(protector, table.column_names, decrypt))
        else:
            connection.register("view", table)
            connection.execute("CREATE TABLE given AS FROM view")
            stream = of_duckdb.reveal if decrypt else of_duckdb.protect
            found = stream(
                connection, "FROM given", protector, rows=1 + typed.ConsumeIntInRange(0, 9)
            )
        return found.to_arrow_table().cast(table.schema)


def by_sqlite(
    typed: atheris.FuzzedDataProvider, protector: Protector, table: pa.Table, decrypt: bool
) -> pa.Table:
    """Call functions in a query."""
    names = table.column_names
    database = sqlite3.connect(":memory:")
    try:
        database.execute(
            f"CREATE TABLE given ({', '.join(f'c{n} TEXT' for n in range(len(names)))})"
        )
        rows = zip(*table.to_pydict().values(), strict=True)
        database.executemany("INSERT INTO given VALUES (?, ?, ?)", rows)
        of_sqlite.register(database, protector, reveal=True)
        found = database.execute(_call(protector, names, decrypt)).fetchall()
    finally:
        database.close()
    columns = list(zip(*found, strict=True)) or [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], schema=table.schema)


LIBRARIES: tuple[Library, ...] = (by_pandas, by_polars, by_duckdb, by_sqlite)


def rules_of(typed: atheris.FuzzedDataProvider, names: list[str]) -> Policy:
    """Choose formats of one or two columns, the second perhaps with the third as its tweak."""
    rules = []
    for number in range(typed.ConsumeIntInRange(1, 2)):
        form = FORMATS[typed.ConsumeIntInRange(0, len(FORMATS) - 2)]
        on_invalid: OnInvalid = ("error", "keep", "null")[typed.ConsumeIntInRange(0, 2)]
        tweak = names[2] if number and typed.ConsumeBool() else None
        rules.append(ColumnRule(names[number], form, KEYS[number], "fuzz", tweak, on_invalid))
    return Policy(tuple(rules))


def table_of(typed: atheris.FuzzedDataProvider, policy: Policy, names: list[str]) -> pa.Table:
    """Choose values: those that fit, any text, and nulls."""
    forms = {rule.column: rule.form for rule in policy.rules}
    rows = 8 - typed.ConsumeIntInRange(0, 8)

    def value(name: str) -> str | None:
        examples = forms[name].examples if name in forms else ("1", "tweak", "")
        kind = typed.ConsumeIntInRange(0, 5)
        if kind > 3:
            return None if kind == 4 else str(typed.ConsumeBytes(16), "utf-8", "replace")
        return str(examples[typed.ConsumeIntInRange(0, len(examples) - 1)])

    return pa.table(
        {name: pa.array([value(name) for _ in range(rows)], pa.string()) for name in names}
    )


def outcome(run: Callable[[], pa.Table], hidden: set[str]) -> pa.Table | None:
    """Return what was made, or None for an error, which shows no value."""
    try:
        return run()
    except REFUSED as error:
        shown = str(error)
        assert not any(value in shown for value in hidden), "a value in a message"
        return None


def both(
    library: Library,
    typed: atheris.FuzzedDataProvider,
    protector: Protector,
    table: pa.Table,
    hidden: set[str],
    *,
    decrypt: bool,
) -> pa.Table | None:
    """Go both ways, and return what they made."""
    wanted = outcome(lambda: (protector.reveal if decrypt else protector.protect)(table), hidden)
    found = outcome(lambda: library(typed, protector, table, decrypt), hidden)
    assert (wanted is None) == (found is None), "one way refuses, another does not"
    assert wanted is None or wanted.equals(found), "other tokens"
    return wanted


def one(data: bytes) -> None:
    """Protect and reveal a table in two ways."""
    typed = atheris.FuzzedDataProvider(data)
    library = LIBRARIES[typed.ConsumeIntInRange(0, len(LIBRARIES) - 1)]
    names: list[str] = []
    while len(names) < 3:
        if typed.ConsumeBool():
            name = typed.ConsumeUnicodeNoSurrogates(6).replace("\0", "")
        else:
            name = NAMES[typed.ConsumeIntInRange(0, len(NAMES) - 1)]
        # Names of DuckDB's columns do not tell A from a.
        taken = name.lower() in map(str.lower, names)
        names.append(f"c {len(names)}" if taken or not name else name)
    policy = rules_of(typed, names)
    table = table_of(typed, policy, names)
    hidden = pieces(
        "\n".join(str(value) for column in table.to_pydict().values() for value in column).encode(),
        "\n".join(names).encode(),
    )
    with Protector(policy, keyring) as protector:
        tokens = both(library, typed, protector, table, hidden, decrypt=False)
        if tokens is not None:
            both(library, typed, protector, tokens, hidden, decrypt=True)


if __name__ == "__main__":
    words = [*NAMES, *(text for form in FORMATS for text in form.examples)]
    fuzz(one, words, flags=["-len_control=0", "-max_len=600"])
