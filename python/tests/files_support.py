# SPDX-License-Identifier: Apache-2.0
"""What tests of whole files share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.files import transform_file

change_file = partial(transform_file, private=True)
"""Changes the columns of a file, where it does not matter who may read the target."""


def written(path: Path, content: str | bytes | pa.Table) -> Path:
    """Write a file: Parquet, if it is a table."""
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def grouped(path: Path, tables: Sequence[pa.Table], **settings: Any) -> Path:  # noqa: ANN401
    """Write a Parquet file with each table as one row group."""
    with pq.ParquetWriter(path, tables[0].schema, **settings) as writer:
        for table in tables:
            writer.write_table(table)
    return path
