# SPDX-License-Identifier: Apache-2.0
"""Every way in makes the same tokens of one table, and reveals those that another way made."""

from __future__ import annotations

import pytest
from tests.interop.table import COLUMNS, Table, Way

WAYS = (
    *("arrow", "values", "pandas", "polars"),
    *("command_csv", "command_ndjson", "command_parquet"),
    *("duckdb", "duckdb_extension", "sqlite", "sqlite_extension", "postgres", "spark"),
    *("go_csv", "go_ndjson", "tallystickd", "openbao", "node", "browser"),
)
"""Fixtures of conftest.py."""


@pytest.fixture(scope="session")
def tokens(table: Table, arrow: Way) -> Table:
    return arrow("protect", table)


def test_the_table_has_what_may_go_wrong(table: Table, tokens: Table) -> None:
    assert tokens["id"] == table["id"]
    for name in COLUMNS:
        changed = [old != new for old, new in zip(table[name], tokens[name], strict=True)]
        assert sum(changed) >= (50 if name != "note" else 5), name
        assert None in table[name], name
    assert "none" in tokens["note"]


def test_other_data_has_other_tokens(table: Table, tokens: Table, arrow: Way) -> None:
    """Else the comparison of tokens could not fail."""
    later = table | {"id": [f"{value}." for value in table["id"]]}
    found = arrow("protect", later)
    assert [name for name in COLUMNS if found[name] != tokens[name]] == ["code"]


@pytest.mark.parametrize("name", WAYS)
def test_tokens_are_the_same(
    request: pytest.FixtureRequest, table: Table, tokens: Table, name: str
) -> None:
    way: Way = request.getfixturevalue(name)
    found = way("protect", table)
    for column, wanted in tokens.items():
        assert found[column] == wanted, column


@pytest.mark.parametrize(("name", "other"), tuple(zip(WAYS, (*WAYS[1:], WAYS[0]), strict=True)))
def test_tokens_of_another_are_revealed(
    request: pytest.FixtureRequest, table: Table, name: str, other: str
) -> None:
    way, maker = (request.getfixturevalue(one) for one in (name, other))
    assert way("reveal", maker("protect", table)) == table
