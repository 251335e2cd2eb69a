# SPDX-License-Identifier: Apache-2.0
"""SQL on one machine: DuckDB and SQLite; see ``docs/reference/sql.md``."""
