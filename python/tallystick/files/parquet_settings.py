# SPDX-License-Identifier: Apache-2.0
"""How a Parquet file was written, as settings to write another like it.

The settings of a column are those of its first chunk. What a file does not say (compression levels,
page sizes, the accuracy of Bloom filters) is the writer's default.
"""

from base64 import b64encode
from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_SCHEMA = b"ARROW:schema"
_DICTIONARY = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}
_ENCODINGS = {
    "BYTE_STREAM_SPLIT",
    "DELTA_BINARY_PACKED",
    "DELTA_BYTE_ARRAY",
    "DELTA_LENGTH_BYTE_ARRAY",
}


def writer_settings(metadata: pq.FileMetaData, replaced: Collection[str]) -> dict[str, Any]:
    """Return keyword arguments for `pyarrow.parquet.ParquetWriter`.

    `metadata`: of the file that is read.
    `replaced`: top-level columns with new values: an order of rows by them is not passed on.
    """
    leaves = [metadata.schema.column(index) for index in range(metadata.num_columns)]
    settings: dict[str, Any] = {
        "version": "2.6",  # files hold more types than the version they declare allows
        "store_schema": False,  # see `key_values`
        # A list's element was named "item" by Arrow before the format fixed "element".
        "use_compliant_nested_type": not any(".list.item" in leaf.path for leaf in leaves),
        "use_deprecated_int96_timestamps": any(leaf.physical_type == "INT96" for leaf in leaves),
        "store_decimal_as_integer": any(
            leaf.logical_type.type == "DECIMAL" and leaf.physical_type in ("INT32", "INT64")
            for leaf in leaves
        ),
    }
    if metadata.num_row_groups > 0 and leaves:
        settings |= _chunk_settings(metadata.row_group(0))
        settings["sorting_columns"] = _sorting(metadata.row_group(0), replaced)
    return settings


def key_values(metadata: pq.FileMetaData, schema: pa.Schema) -> dict[bytes, bytes]:
    """Return what a writer must add to its file's metadata: the schema's, and the schema itself.

    A writer adds them by itself only together with its own schema. Files of other libraries lack
    that, and the schema of what is written may have dictionaries where that of the file has none.
    """
    found = dict(schema.metadata or {})
    if _SCHEMA in (metadata.metadata or {}):
        found[_SCHEMA] = b64encode(schema.serialize())
    return found


def _chunk_settings(group: pq.RowGroupMetaData) -> dict[str, Any]:
    chunks = {}
    for index in range(group.num_columns):
        chunk = group.column(index)
        chunks[chunk.path_in_schema] = chunk
    dictionary = [path for path, chunk in chunks.items() if _DICTIONARY & set(chunk.encodings)]
    encodings = {path: _ENCODINGS & set(chunk.encodings) for path, chunk in chunks.items()}
    settings = {
        "compression": {
            path: chunk.compression.replace("UNCOMPRESSED", "NONE")
            for path, chunk in chunks.items()
        },
        "use_dictionary": dictionary,
        "column_encoding": {
            path: min(found)
            for path, found in encodings.items()
            if found and path not in dictionary
        },
        "write_statistics": [path for path, chunk in chunks.items() if chunk.is_stats_set],
        "write_page_index": any(chunk.has_offset_index for chunk in chunks.values()),
    }
    filters = {
        path: {"ndv": max(1, group.num_rows)}
        for path, chunk in chunks.items()
        if getattr(chunk, "bloom_filter_offset", None) is not None  # a newer pyarrow tells
    }
    return settings | ({"bloom_filter_options": filters} if filters else {})


def _sorting(
    group: pq.RowGroupMetaData, replaced: Collection[str]
) -> list[pq.SortingColumn] | None:
    """Return the order of the rows up to the first column that no longer has it."""
    kept = []
    for sorting in group.sorting_columns:
        path = group.column(sorting.column_index).path_in_schema
        if any(path == name or path.startswith(f"{name}.") for name in replaced):
            break
        kept.append(sorting)
    return kept or None
