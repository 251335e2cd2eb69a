# SPDX-License-Identifier: Apache-2.0
"""The extension of DuckDB, loaded by the program `duckdb`, of the version before Python's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
from tests.sql.places import VECTORS, Place, quoted

from tests.sql.test_duckdb import EXTENSION

PROGRAM = Path(sys.executable).with_name("duckdb")


def ask(*queries: str) -> list[dict[str, object]]:
    """Run queries; return the rows of the last one."""
    arguments = [part for query in queries for part in ("-c", query)]
    done = subprocess.run(
        [PROGRAM, "-unsigned", "-json", *arguments], capture_output=True, text=True, check=True
    )
    rows: list[dict[str, object]] = json.loads(done.stdout.strip().splitlines()[-1])
    return rows


def test_the_vectors(place: Place) -> None:
    rows = [
        ", ".join(map(quoted, (f"v{number}", pair["value"], pair["token"])))
        for number, vector in enumerate(VECTORS)
        for pair in vector["tokens"]
        if "tweak" not in pair
    ]
    values = ", ".join(f"({row})" for row in rows)
    (found,) = ask(
        f"LOAD '{EXTENSION}'",
        f"CALL tally_open({place.arguments})",
        "SELECT version() AS version, count(*) AS rows,"
        " count(*) FILTER (tally_protect(name, value) IS DISTINCT FROM token) AS wrong"
        f" FROM (VALUES {values}) AS t (name, value, token)",
    )
    version = tuple(map(int, str(found.pop("version")).removeprefix("v").split(".")))
    assert version < tuple(map(int, duckdb.__version__.split(".")[:2]))
    assert found == {"rows": len(rows), "wrong": 0}
