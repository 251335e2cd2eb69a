# SPDX-License-Identifier: Apache-2.0
"""SQL on one machine: `tallystick.sql.duckdb` and `tallystick.sql.sqlite`; see ``docs/sql.md``."""
