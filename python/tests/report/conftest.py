# SPDX-License-Identifier: Apache-2.0
"""A run with a report, for all tests of a file here."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from report_support import POLICY, ROWS, Place, people
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    directory = tmp_path_factory.mktemp("report")
    ring = make_ring(directory / "a.keys", "people", "people")
    table = people()
    place = Place(directory, ring, Policy.parse(POLICY), table)
    pyarrow.csv.write_csv(table, place.path("people.csv"))
    numbers = pa.array([10_000_019 + 104_729 * row % 89_000_000 for row in range(ROWS)])
    pq.write_table(table.append_column("points", numbers), place.path("people.parquet"))
    source, target = place.path("people.csv"), place.path("tokens.csv")
    protect_file(source, target, place.policy, ring, RunOptions(report=place.path("run.html")))
    return place
