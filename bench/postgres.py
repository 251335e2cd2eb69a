# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL: values a second through SQL, beside a plain SELECT and pgcrypto's functions.

    .venv/bin/python -m bench.postgres [ROWS]

It starts a server in a temporary folder. Times are those of the server's process, so that other
programs count little; those of parallel workers are by the clock, and need idle cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rich.console import Console
from tests.postgres import server as servers

from . import report
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

FEW = 500
"""Rows of slow functions."""
PART = 200
"""Functions that are called for each row get one of so many rows."""
QUERIES = {
    "tally_protect, 16 digits": "count(tally_protect(n, 'b.n'))",
    "tally_reveal, 16 digits": "count(tally_reveal(n, 'b.n'))",
    "tally_protect, FF1, 16 digits": "count(tally_protect(n, 'b.f'))",
    "tally_protect, integer": "count(tally_protect(i, 'b.i'))",
    "tally_protect, date": "count(tally_protect(d, 'b.d'))",
    "tally_protect, a call for each value": (
        "count(CASE WHEN i > 0 THEN tally_protect(n, 'b.n') END)"
    ),
    "tally_protect, numeric": "count(tally_protect(m, 'b.m'))",
    "tally_protect, inet": "count(tally_protect(a, 'b.a'))",
    "tally_protect, uuid": "count(tally_protect(u, 'b.u'))",
    "tally_protect, jsonb, one text in it": "count(tally_protect(j, 'b.j.n'))",
    "a plain SELECT of the column": "count(n)",
    "pgcrypto's hmac, SHA-256": "count(hmac(n, 'key', 'sha256'))",
    "pgcrypto's encrypt, AES": "count(encrypt(n::bytea, '0123456789abcdef', 'aes'))",
    "pgcrypto's pgp_sym_encrypt": "count(pgp_sym_encrypt(n, 'a passphrase'))",
}
SLOW = ("pgcrypto's hmac, SHA-256", "pgcrypto's encrypt, AES", "tally_protect, a call")
TYPED = ("numeric", "inet", "uuid", "jsonb")
"""Types with a call for each value, in a table of their own."""
POLICY = """{"columns": {
    "n": {"format": "digits", "key": "data:1", "namespace": "n"},
    "f": {"format": "digits", "cipher": "ff1", "key": "data:1", "namespace": "f"},
    "d": {"format": "date", "key": "data:1", "namespace": "d"},
    "i": {"format": {"type": "integer", "min": 0, "max": 999999999},
          "key": "data:1", "namespace": "i"},
    "m": {"format": {"type": "decimal", "min": "0.00", "max": "99999999.99", "scale": 2},
          "key": "data:1", "namespace": "m"},
    "a": {"format": "ipv4", "key": "data:1", "namespace": "a"},
    "u": {"format": "uuid", "key": "data:1", "namespace": "u"},
    "j.n": {"format": "digits", "key": "data:1", "namespace": "n"}
}}"""


class Session:
    """A session of psql that answers line by line."""

    def __init__(self, server: servers.Server) -> None:
        self.process = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"],
            env=server.environment("postgres", "postgres"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = int(self.ask("SELECT pg_backend_pid()"))

    def ask(self, sql: str) -> str:
        """Run a query that has one value."""
        assert self.process.stdin and self.process.stdout  # noqa: S101 (they are pipes)
        self.process.stdin.write(sql + ";\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise WrongResultError(f"PostgreSQL: psql ended in {sql}")
        return answer

    def used(self) -> float:
        """Return the processor time of the session's process in the server, in seconds."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9


def postgres(
    rows: int, repetitions: int, say: Callable[[str], None]
) -> tuple[Section | None, list[str]]:
    """Measure queries in one process, and with parallel workers."""
    try:
        header = servers.config("includedir-server") / "postgres.h"
        made = header.exists() and shutil.which("psql") is not None
    except (FileNotFoundError, subprocess.CalledProcessError):
        made = False
    if not made:
        return None, ["PostgreSQL was not measured: its server, psql or headers are missing."]
    say("PostgreSQL")
    with ExitStack() as stack:
        session = _start(stack, rows)
        groups = (_alone(session, rows, repetitions), _together(session, rows, repetitions))
    return Section(
        f"PostgreSQL: {rows:,} rows through SQL",
        groups,
        (
            "One process: its processor time. A query counts what a function returns. Such a query "
            "calls the core for up to 4,096 rows at once; the row a call for each value shows what "
            "a CASE, an index or a trigger costs. numeric, inet, uuid and jsonb always have such "
            "calls. Workers: the wall clock, with one process more than the query's own for each "
            "worker.",
        ),
    ), []


def _start(stack: ExitStack, rows: int) -> Session:
    """Start a server that has a table."""
    tree, at = (stack.enter_context(servers.folder()) for _ in range(2))
    servers.keys(at, data=os.urandom(32))
    settings = {
        "shared_preload_libraries": "tallystick",
        "tallystick.keyring": f"{at}/ring.keys",
        "tallystick.root_key": f"{at}/root.key",
        "shared_buffers": "1GB",
        "work_mem": "256MB",
    }
    server = servers.Server(at, servers.install(tree), settings)
    for name in ("ring.keys", "root.key"):
        server.own(at / name)
    server.make()
    server.start()
    stack.callback(server.stop)
    server.run(
        "CREATE EXTENSION tallystick; CREATE EXTENSION pgcrypto",
        f"SELECT tally_policy_set('b', $${POLICY}$$)",
        "CREATE TABLE big AS SELECT i, date '1970-01-01' + i % 20000 AS d,"
        " lpad((i::bigint * 982451653 % 10000000000000000)::text, 16, '0') AS n"
        f" FROM generate_series(1, {rows}) AS series (i)",
        "CREATE TABLE typed AS SELECT (i / 100.0)::numeric(10, 2) AS m,"
        " '10.0.0.0'::inet + i AS a, md5(n)::uuid AS u,"
        " jsonb_build_object('id', i, 'j', jsonb_build_object('n', n)) AS j"
        f" FROM big LIMIT {rows // PART}",
        "VACUUM ANALYZE big, typed",
    )
    session = Session(server)
    stack.callback(session.process.communicate, "")
    _check(session)
    return session


def _check(session: Session) -> None:
    """Check that tokens differ from values and come back."""
    sample = "(SELECT n, tally_protect(n, 'b.n') AS t FROM big LIMIT 1000)"
    same = f"SELECT count(*) FILTER (WHERE n = t) FROM {sample} AS sample"
    wrong = f"SELECT count(*) FROM {sample} AS sample WHERE tally_reveal(t, 'b.n') <> n"
    if session.ask(same) != "0" or session.ask(wrong) != "0":
        raise WrongResultError("PostgreSQL: values are not protected, or do not come back")
    for column, rule in (("m", "b.m"), ("a", "b.a"), ("u", "b.u"), ("j", "b.j.n")):
        call = f"tally_protect({column}, '{rule}')"
        same = f"SELECT count(*) < 10 FROM (SELECT * FROM typed LIMIT 1000) AS t WHERE {column} = "
        if session.ask(same + call) != "t":
            raise WrongResultError(f"PostgreSQL: values of the column {column} are not protected")


def _alone(session: Session, rows: int, repetitions: int) -> Group:
    session.ask("SET max_parallel_workers_per_gather = 0; SET jit = off; SELECT 1")
    cases = []
    for label, what in QUERIES.items():
        count, source = rows, "big"
        if label.startswith("pgcrypto's pgp"):
            count, source = FEW, f"(SELECT * FROM big LIMIT {FEW}) AS few"
        elif any(f", {kind}" in label for kind in TYPED):
            count, source = rows // PART, "typed"
        elif label.startswith(SLOW):
            count, source = rows // PART, f"(SELECT * FROM big LIMIT {rows // PART}) AS few"
        query = f"SELECT {what} FROM {source}"
        cases.append(Case(label, partial(session.ask, query), count))
    timings = side_by_side(cases, repetitions, session.used)
    return Group("PostgreSQL, one process", Unit.VALUES_PER_SECOND, timings)


def _together(session: Session, rows: int, repetitions: int) -> Group:
    session.ask(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SELECT 1"
    )

    def run(workers: int) -> str:
        return session.ask(
            f"SET max_parallel_workers_per_gather = {workers};"
            "SELECT count(tally_protect(n, 'b.f')) FROM big"
        )

    cases = [Case(f"FF1, {count} workers", partial(run, count), rows) for count in (0, 1)]
    timings = side_by_side(cases, repetitions)
    return Group("PostgreSQL, parallel workers", Unit.VALUES_PER_SECOND, timings)


def main() -> int:
    """Measure alone."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    console = Console(highlight=False)
    section, missing = postgres(rows, 5, console.print)
    if section is None:
        console.print(*missing)
        return 1
    report.show(console, section)
    return 0


if __name__ == "__main__":
    sys.exit(main())
