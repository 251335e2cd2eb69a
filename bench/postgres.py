# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL: values a second through SQL, beside a plain SELECT and pgcrypto's functions.

    .venv/bin/python -m bench.postgres [ROWS]

It starts a server in a temporary folder. Times of one process are its processor time, so that other
programs count little; those of parallel workers are by the clock, and need idle cores.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.postgres import server as servers

ALONE = {
    "a plain SELECT of the column": "count(n)",
    "tally_protect, 16 digits": "count(tally_protect(n, 'b.n'))",
    "tally_reveal, 16 digits": "count(tally_reveal(n, 'b.n'))",
    "tally_protect_rows, 16 digits": "ROWS tally_protect_rows(n, 'b.n') OVER ()",
    "row_number() OVER (), for comparison": "ROWS row_number() OVER ()",
    "tally_protect, integer": "count(tally_protect(i, 'b.i'))",
    "tally_protect, date": "count(tally_protect(d, 'b.d'))",
    "tally_protect, FF1, 16 digits": "count(tally_protect(n, 'b.f'))",
    "pgcrypto's hmac, SHA-256": "count(hmac(n, 'key', 'sha256'))",
    "pgcrypto's encrypt, AES": "count(encrypt(n::bytea, '0123456789abcdef', 'aes'))",
    "pgcrypto's pgp_sym_encrypt": "FEW count(pgp_sym_encrypt(n, 'a passphrase'))",
}
POLICY = """{"columns": {
    "n": {"format": "digits", "key": "data:1", "namespace": "n"},
    "f": {"format": "digits", "cipher": "ff1", "key": "data:1", "namespace": "f"},
    "d": {"format": "date", "key": "data:1", "namespace": "d"},
    "i": {"format": {"type": "integer", "min": 0, "max": 999999999},
          "key": "data:1", "namespace": "i"}
}}"""
FEW = 2000
REPETITIONS = 5


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
        return self.process.stdout.readline().strip()

    def used(self) -> float:
        """Return the processor time of the session's process in the server, in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def query(what: str) -> tuple[str, bool]:
    """Return a query, and whether it is of few rows."""
    kind, _, rest = what.partition(" ")
    if kind == "ROWS":
        return f"SELECT count(t) FROM (SELECT {rest} AS t FROM big) AS rows", False
    if kind == "FEW":
        return f"SELECT {rest} FROM (SELECT n FROM big LIMIT {FEW}) AS few", True
    return f"SELECT {what} FROM big", False


def alone(session: Session, rows: int) -> None:
    """Measure each query in one process, in turns."""
    times: dict[str, list[float]] = {name: [] for name in ALONE}
    session.ask("SET max_parallel_workers_per_gather = 0; SET jit = off; SELECT 1")
    for _ in range(REPETITIONS):
        for name, what in ALONE.items():
            sql, _few = query(what)
            before = session.used()
            session.ask(sql)
            times[name].append(session.used() - before)
    for name, what in ALONE.items():
        count = FEW if query(what)[1] else rows
        median = max(statistics.median(times[name]), 0.01)
        print(f"{name:42} {count / median:14,.0f} values/s")


def together(session: Session, rows: int) -> None:
    """Measure tally_protect with parallel workers."""
    session.ask(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
        "SET min_parallel_table_scan_size = 0; SELECT 1"
    )
    for workers in (0, 1, 2):
        session.ask(f"SET max_parallel_workers_per_gather = {workers}; SELECT 1")
        times = []
        for _ in range(REPETITIONS):
            before = time.monotonic()
            session.ask("SELECT count(tally_protect(n, 'b.n')) FROM big")
            times.append(time.monotonic() - before)
        print(f"tally_protect, {workers} parallel workers {rows / min(times):23,.0f} values/s")


def main() -> None:
    """Start a server, and measure."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with servers.folder() as tree, servers.folder() as at:
        servers.keys(at, data=os.urandom(32))
        server = servers.Server(
            at,
            servers.install(tree),
            {
                "shared_preload_libraries": "tallystick",
                "tallystick.keyring": f"{at}/ring.keys",
                "tallystick.root_key": f"{at}/root.key",
                "shared_buffers": "1GB",
                "work_mem": "256MB",
            },
        )
        for name in ("ring.keys", "root.key"):
            server.own(at / name)
        server.make()
        server.start()
        try:
            server.run(
                "CREATE EXTENSION tallystick; CREATE EXTENSION pgcrypto",
                f"SELECT tally_policy_set('b', $${POLICY}$$)",
                "CREATE TABLE big AS SELECT i, date '1970-01-01' + i % 20000 AS d,"
                " lpad((i::bigint * 982451653 % 10000000000000000)::text, 16, '0') AS n"
                f" FROM generate_series(1, {rows}) AS series (i)",
                "VACUUM ANALYZE big",
            )
            session = Session(server)
            alone(session, rows)
            together(session, rows)
            session.process.communicate("")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
