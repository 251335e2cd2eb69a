# SPDX-License-Identifier: Apache-2.0
"""What tests of whole files share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

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


def save(table: pa.Table, path: Path, *, batch: int = 100, codec: str | None = None) -> None:
    """Write a file of the type that its name says: Parquet, ORC, or Arrow in batches."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    if path.suffix == ".orc":
        orc.write_table(table, path, compression=codec or "uncompressed")
        return
    make = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with make(path, table.schema, options=options) as writer:
        writer.write_table(table, batch)


def load(path: Path) -> pa.Table:
    """Read what `save` has written."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".orc":
        return orc.ORCFile(path).read()
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path.read_bytes()).read_all()
    return pa.ipc.open_file(path).read_all()


def grouped(path: Path, tables: Sequence[pa.Table], **settings: Any) -> Path:  # noqa: ANN401
    """Write a Parquet file with each table as one row group."""
    with pq.ParquetWriter(path, tables[0].schema, **settings) as writer:
        for table in tables:
            writer.write_table(table)
    return path
