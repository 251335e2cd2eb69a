# SPDX-License-Identifier: Apache-2.0
"""Data frames and SQL: a column of text protected by Polars and DuckDB, beside copies by them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

import tallystick.frames.polars  # noqa: F401
import tallystick.sql.duckdb as tally_duckdb
from tallystick import Protector
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy

from . import data
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

EXTENSION = Path("build/bench/duckdb/tallystick.duckdb_extension").resolve()
"""`make bench` builds it."""
POLICY = '[columns]\nnumber = { format = "digits", key = "bench:1", namespace = "number" }\n'


def frames(rows: int, repetitions: int, say: Callable[[str], None]) -> Section:
    """Measure a column of 16 digits in each library, on one thread."""
    numbers = data.digits(data.random_numbers(), rows)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        ring = Keyring.create(folder / "keys", RootKey.generate_file(folder / "root"))
        ring.add("bench")
        protector = stack.enter_context(Protector(Policy.parse(POLICY), ring))
        say("data frames: Polars")
        groups = [_polars(numbers, protector, repetitions)]
        say("data frames: DuckDB")
        connection = stack.enter_context(duckdb.connect())
        groups.append(_duckdb(numbers, protector, connection, repetitions))
        if EXTENSION.exists():
            say("data frames: DuckDB's extension")
            (folder / "policy.toml").write_text(POLICY)
            groups += _duckdb_extension(numbers, protector, folder, repetitions)
        groups.append(_duckdb_to_arrow(numbers, protector, connection, repetitions))
    return Section(
        f"Data frames and SQL: {rows:,} values of 16 digits, one thread",
        tuple(groups),
        (
            "Polars shares columns instead of copying them; its copy here appends an empty text to "
            "each value. DuckDB calls a Python function with 2,048 rows at a time: the identity "
            "function shows the cost of that call. The cases of the groups DuckDB and DuckDB, the "
            "extension write a table. reverse is a function of DuckDB's own that makes new text.",
            "Seconds are CPU seconds of all threads together, because the libraries have threads "
            "that wait for each other. Those of the extension's threads are by the clock, and need "
            "idle cores.",
        ),
    )


def _polars(numbers: pa.Array, protector: Protector, repetitions: int) -> Group:
    series: Any = pl.Series("number", numbers)
    if not _are_tokens(series.tally.protect(protector).to_arrow(), numbers, protector):
        raise WrongResultError("Polars has other tokens")
    lazy = series.to_frame().lazy()
    copied = lazy.select(pl.col("number") + pl.lit(""))
    cases = (
        Case("a series", lambda: series.tally.protect(protector, threads=1), len(numbers)),
        Case("a lazy frame", lambda: lazy.tally.protect(protector).collect(), len(numbers)),
        Case("Polars copies it", copied.collect, len(numbers)),
    )
    return Group(
        "Polars", Unit.VALUES_PER_SECOND, side_by_side(cases, repetitions, time.process_time)
    )


def _duckdb(
    numbers: pa.Array,
    protector: Protector,
    connection: duckdb.DuckDBPyConnection,
    repetitions: int,
) -> Group:
    connection.execute("SET threads = 1")
    connection.from_arrow(pa.table({"number": numbers})).create("plain")
    tally_duckdb.register(connection, protector)
    connection.create_function(
        "identity", lambda values: values, ["VARCHAR"], "VARCHAR", type=ARROW,
        null_handling=SPECIAL,
    )  # fmt: skip

    def streamed() -> None:
        connection.execute("DROP TABLE IF EXISTS made")
        tally_duckdb.protect(connection, "FROM plain", protector).create("made")

    def queried(expression: str) -> Callable[[], object]:
        query = f"CREATE OR REPLACE TABLE made AS SELECT {expression} AS number FROM plain"  # noqa: S608
        return lambda: connection.execute(query)

    function = queried("tally_protect('number', number)")
    for make in (streamed, function):
        make()
        made = connection.sql("FROM made").to_arrow_table().column("number")
        if not _are_tokens(made, numbers, protector):
            raise WrongResultError("DuckDB has other tokens")
    cases = (
        Case("a query, streamed", streamed, len(numbers)),
        Case("tally_protect", function, len(numbers)),
        Case("a function that gives its argument", queried("identity(number)"), len(numbers)),
        Case("DuckDB copies it", queried("number"), len(numbers)),
    )
    return Group(
        "DuckDB", Unit.VALUES_PER_SECOND, side_by_side(cases, repetitions, time.process_time)
    )


def _duckdb_extension(
    numbers: pa.Array, protector: Protector, folder: Path, repetitions: int
) -> tuple[Group, Group]:
    """Measure the loadable extension, which has functions of the same names, and its threads."""
    with duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1}) as connection:
        connection.execute(f"LOAD '{EXTENSION}'")
        places = (str(folder / "policy.toml"), str(folder / "keys"), f"file:{folder / 'root'}")
        connection.execute("FROM tally_open(?, ?, ?, reveal := true)", places).fetchall()
        connection.from_arrow(pa.table({"number": numbers})).create("plain")

        def queried(expression: str, source: str = "plain") -> Callable[[], object]:
            made = "made" if source == "plain" else "back"
            query = f"CREATE OR REPLACE TABLE {made} AS SELECT {expression} AS number FROM {source}"  # noqa: S608
            return lambda: connection.execute(query)

        protect = queried("tally_protect('number', number)")
        reveal = queried("tally_reveal('number', number)", "tokens")
        protect()
        connection.execute("ALTER TABLE made RENAME TO tokens")
        made = connection.sql("FROM tokens").to_arrow_table().column("number")
        reveal()
        back = connection.sql("FROM back").to_arrow_table().column("number")
        if not _are_tokens(made, numbers, protector) or back.to_pylist() != numbers.to_pylist():
            raise WrongResultError("DuckDB's extension has other tokens")
        cases = (
            Case("DuckDB copies it", queried("number"), len(numbers)),
            Case("tally_protect", protect, len(numbers)),
            Case("tally_reveal", reveal, len(numbers)),
            Case("reverse", queried("reverse(number)"), len(numbers)),
        )
        alone = side_by_side(cases, repetitions, time.process_time)

        def on(threads: int) -> Case:
            def run() -> None:
                connection.execute(f"SET threads = {threads}")
                protect()

            label = f"tally_protect, {threads} thread{'s' if threads > 1 else ''}"
            return Case(label, run, len(numbers))

        threaded = side_by_side((on(1), on(2)), repetitions)
    return (
        Group("DuckDB, the extension", Unit.VALUES_PER_SECOND, alone),
        Group("DuckDB, the extension's threads", Unit.VALUES_PER_SECOND, threaded),
    )


def _duckdb_to_arrow(
    numbers: pa.Array,
    protector: Protector,
    connection: duckdb.DuckDBPyConnection,
    repetitions: int,
) -> Group:
    """Measure what reads the table that `_duckdb` made, and writes none."""

    def batches() -> pa.RecordBatchReader:
        return connection.cursor().sql("FROM plain").to_arrow_reader(tally_duckdb.ROWS)

    def read(reader: pa.RecordBatchReader) -> int:
        return sum(len(batch) for batch in reader)

    made = protector.protect(batches()).read_all().column("number")
    if not _are_tokens(made, numbers, protector):
        raise WrongResultError("DuckDB has other tokens")
    cases = (
        Case("batches protected", lambda: read(protector.protect(batches())), len(numbers)),
        Case("DuckDB gives batches", lambda: read(batches()), len(numbers)),
    )
    timings = side_by_side(cases, repetitions, time.process_time)
    return Group("DuckDB, a query into Arrow", Unit.VALUES_PER_SECOND, timings)


def _are_tokens(made: pa.Array, numbers: pa.Array, protector: Protector) -> bool:
    if isinstance(made, pa.Array):
        made = pa.chunked_array([made])
    tokens = pa.chunked_array([protector.protect_column("number", numbers)])
    same: bool = made.cast(pa.large_string()).equals(tokens.cast(pa.large_string()))
    return same
