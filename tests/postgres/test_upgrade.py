# SPDX-License-Identifier: Apache-2.0
"""pg_upgrade takes policies, labels, indexes of tokens and views along.

By default a server is upgraded to its own version, which pg_upgrade does in the same way.
TALLY_PG_CONFIG_NEW names the pg_config of another one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import server as servers
from tests.postgres.conftest import KEY, PEOPLE, give_keys, settings
from tests.postgres.server import Server

PROGRAMS = (
    *("pg_upgrade", "pg_ctl", "pg_dump", "pg_dumpall", "pg_restore", "pg_resetwal"),
    *("pg_controldata", "psql", "vacuumdb"),
)
NEW = os.environ.get("TALLY_PG_CONFIG_NEW")


def tools(programs: Path, config: str) -> None:
    """Put the programs that pg_upgrade runs beside the server's."""
    done = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True)
    for name in PROGRAMS:
        if not (programs / name).exists():
            shutil.copy(Path(done.stdout.strip()) / name, programs)


@pytest.fixture
def newer(programs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The programs of the server that is upgraded to."""
    if NEW is None:
        tools(programs, servers.PG_CONFIG)
        yield programs
        return
    tools(programs, servers.PG_CONFIG)
    with servers.folder() as tree:
        monkeypatch.setattr(servers, "PG_CONFIG", NEW)
        made = servers.install(tree)
        tools(made, NEW)
        yield made


def test_pg_upgrade(programs: Path, newer: Path) -> None:
    with servers.folder() as at, servers.folder() as to:
        servers.keys(at, data=KEY)
        old = Server(at, programs, settings(at))
        give_keys(old)
        old.make()
        old.start()
        query = "SELECT email, tally_reveal(email, 'people.email') FROM t ORDER BY 1"
        try:
            old.run(
                "CREATE EXTENSION tallystick",
                f"SELECT tally_policy_set('people', $${PEOPLE}$$)",
                "CREATE TABLE t AS SELECT i AS id, tally_protect('a' || i || '@example.org',"
                " 'people.email') AS email FROM generate_series(1, 100) AS series (i)",
                "CREATE INDEX by_token ON t (tally_protect(email, 'people.email'))",
                "SECURITY LABEL FOR tallystick ON COLUMN t.email IS 'people.email'",
                "SELECT tally_create_view('t', 'seen', 'people')",
                "CREATE ROLE clerk LOGIN",
                "GRANT EXECUTE ON FUNCTION tally_reveal(text, text) TO clerk",
                "GRANT SELECT ON t TO clerk",
            )
            expected = old.run(query).rows
        finally:
            old.stop()
        new = Server(to, newer, {**old.settings, "unix_socket_directories": str(to)})
        checksums = []
        if NEW is not None:
            help_text = subprocess.run(
                [newer / "initdb", "--help"], capture_output=True, text=True, check=True
            ).stdout
            checksums = ["--no-data-checksums"] * ("--no-data-checksums" in help_text)
        new.own(to)
        subprocess.run(
            [
                *(newer / "initdb", "-D", new.data, "-U", "postgres", "-A", "trust", *checksums),
                *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
            ],
            stdout=subprocess.DEVNULL,
            check=True,
            **servers.unprivileged(),  # type: ignore[call-overload]
        )
        new.configure()
        done = subprocess.run(
            [
                *(
                    newer / "pg_upgrade",
                    "-b",
                    programs,
                    "-B",
                    newer,
                    "-d",
                    old.data,
                    "-D",
                    new.data,
                ),
                *("-U", "postgres", "-s", to),
            ],
            cwd=to,
            capture_output=True,
            text=True,
            check=False,
            **servers.unprivileged(),  # type: ignore[call-overload]
        )
        if done.returncode != 0:
            logs = [path.read_text() for path in new.data.rglob("pg_upgrade_*.log")]
            pytest.fail("\n".join([done.stdout, *(log[-2000:] for log in logs if "rror" in log)]))
        new.start()
        try:
            assert new.run(query, user="clerk").rows == expected
            assert new.run("SELECT count(*) FROM tally_rules").value != "0"
            label = "SELECT label FROM pg_seclabels WHERE provider = 'tallystick'"
            assert new.run(label).value == "people.email"
            plan = (
                "SET enable_seqscan = off; EXPLAIN SELECT FROM t WHERE"
                " tally_protect(email, 'people.email') = 'x'"
            )
            assert "by_token" in str(new.run(plan).rows)
            seen = new.run("SELECT email FROM seen ORDER BY 1").rows
            assert seen == sorted([value] for _, value in expected)
        finally:
            new.stop()
