# SPDX-License-Identifier: Apache-2.0
"""SQLite: rows a second that `tally_protect` handles, by column."""

from __future__ import annotations

import sqlite3
import time
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import tallystick.sql.sqlite as tally_sqlite
from tallystick import Protector
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy

from . import data
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

COLUMNS = {
    "number": 'format = "digits"',
    "card": 'format = "card"',
    "name": 'format = "letters"',
    "email": 'format = "email"',
    "dob": 'format = "date"',
    "amount": 'format = { type = "integer", min = 0, max = 999999999 }',
}


def sqlite(rows: int, repetitions: int) -> Section:
    """Measure a query over a table in memory for each column."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        ring = Keyring.create(folder / "keys", RootKey.generate_file(folder / "root"))
        ring.add("bench")
        rules = (
            f'{name} = {{ {form}, key = "bench:1", namespace = "{name}" }}'
            for name, form in COLUMNS.items()
        )
        policy = Policy.parse("\n".join(["[columns]", *rules]))
        protector = stack.enter_context(Protector(policy, ring))
        connection = stack.enter_context(closing(sqlite3.connect(":memory:")))
        _fill(connection, rows)
        tally_sqlite.register(connection, protector, reveal=True)
        connection.create_function("identity", 2, lambda name, value: value, deterministic=True)
        query = "SELECT count({0}('{1}', {1})) FROM people"
        cases = []
        for name in COLUMNS:
            _check(connection, name)
            protect = query.format("tally_protect", name)
            cases.append(Case(name, partial(connection.execute, protect), rows))
        identity = partial(connection.execute, query.format("identity", "number"))
        cases.append(Case("a function that gives its argument", identity, rows))
        timings = side_by_side(cases, repetitions, time.thread_time)
    return Section(
        f"SQLite: {rows:,} rows, one thread",
        (Group("tally_protect", Unit.VALUES_PER_SECOND, timings, ratios=False),),
        ("The amount is an integer, and all other columns are text. One row a call.",),
    )


def _fill(connection: sqlite3.Connection, rows: int) -> None:
    """Make a table of all columns."""
    random, people = data.random_numbers(), data.table(rows)
    columns = {name: people[name].to_pylist() for name in ("card", "name", "email")}
    columns["number"] = data.digits(random, rows).to_pylist()
    columns["amount"] = data.integers(random, rows).to_pylist()
    columns["dob"] = [day.isoformat() for day in people["dob"].to_pylist()]
    connection.execute(f"CREATE TABLE people ({', '.join(COLUMNS)})")
    places = ", ".join("?" for _ in COLUMNS)
    connection.executemany(
        f"INSERT INTO people VALUES ({places})",  # noqa: S608
        zip(*(columns[name] for name in COLUMNS), strict=True),
    )


def _check(connection: sqlite3.Connection, name: str) -> None:
    token = f"tally_protect('{name}', {name})"
    equal = f"sum({token} = {name}), sum(tally_reveal('{name}', {token}) IS NOT {name})"
    query = f"SELECT {equal} FROM (SELECT * FROM people LIMIT 1000)"  # noqa: S608
    same, wrong = connection.execute(query).fetchone()
    if same > 10 or wrong:
        raise WrongResultError(f"SQLite: column {name} is not protected, or does not come back")
