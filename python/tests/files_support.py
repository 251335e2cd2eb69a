# SPDX-License-Identifier: Apache-2.0
"""What tests of whole files share."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def written(path: Path, content: str | bytes | pa.Table) -> Path:
    """Write a file: Parquet, if it is a table."""
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
