# SPDX-License-Identifier: Apache-2.0
"""Where files carry their markers: bytes that say by what a file was protected.

Parquet has them in the schema's metadata, text in a small file beside it. This layer does not read
them: `tallystick.policy.marker` does, as a `Gate`.
"""

import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.capsules import METADATA_KEY
from tallystick.errors import FileError
from tallystick.files.objects import read_small_object
from tallystick.files.places import MARKER_SUFFIX, Address, Place, Standard, Stored
from tallystick.links import resolved
from tallystick.reading import read_small

LARGEST = 1 << 20
"""Bytes of a marker, at most."""


class Gate(Protocol):
    """Checks a source before its first row is read; raises an error to refuse it."""

    def marker(self, found: bytes | None) -> bytes | None:
        """Return the target's marker, given the source's, if it has one. Called first."""

    @property
    def paths(self) -> Sequence[str]:
        """Columns that `columns` wants to see, if the source has them inside others."""

    def columns(self, names: Sequence[str]) -> None:
        """Look at the columns; those of the jobs are among them.

        A column that the path of a job, or one of `paths`, leads into is not: the columns inside
        it are.
        """


class OpenGate:
    """Lets everything pass; the target's marker is the source's."""

    paths: Sequence[str] = ()

    def marker(self, found: bytes | None) -> bytes | None:
        """Return what was found."""
        return found

    def columns(self, names: Sequence[str]) -> None:
        """Do nothing."""


def sidecar_of(path: Path) -> Path:
    """Return where the marker of a text file is; links are followed, as by the file."""
    place = resolved(path)
    return place.with_name(place.name + MARKER_SUFFIX)


def read_sidecar(path: Place) -> bytes | None:
    """Return the marker beside a text file, if there is one; beside standard input there is none.

    Raises `FileError`: the marker can't be read, or is too large.
    """
    if isinstance(path, Standard):
        return None
    place = sidecar_of(path) if isinstance(path, Path) else path.beside(MARKER_SUFFIX)
    with file_errors(place):
        try:
            found = _read(place)
        except FileNotFoundError:
            return None
    if found is not None and len(found) > LARGEST:
        raise FileError(f"{place}: a marker has at most {LARGEST} bytes; delete the file")
    return found


def _read(place: Stored) -> bytes | None:
    if isinstance(place, Address):
        return read_small_object(place, LARGEST)
    return read_small(place, LARGEST)


def marker_of(schema: pa.Schema) -> bytes | None:
    """Return the marker in the metadata of a schema, if there is one."""
    found = (schema.metadata or {}).get(METADATA_KEY)
    return None if found is None else bytes(found)


def with_marker(schema: pa.Schema, marker: bytes | None) -> pa.Schema:
    """Return a schema with a marker in its metadata, or with none."""
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key != METADATA_KEY}
    if marker is not None:
        metadata[METADATA_KEY] = marker
    # Not with_metadata(None), which makes empty metadata of none.
    return schema.with_metadata(metadata) if metadata else schema.remove_metadata()


_OF_LIBRARIES = (
    *(METADATA_KEY, b"ARROW:", b"PARQUET:", b"iceberg.", b"pandas", b"org.apache.spark."),
    *(b"avro.schema", b"parquet.avro.schema", b"writer."),
)
"""How keys begin under which libraries describe a schema."""
_OF_USERS = re.compile(rb'"attributes": *\{ *"|"metadata":\{"')
"""What users gave to pandas (DataFrame.attrs), and to columns of Spark, in these descriptions."""


def free_metadata(schema: pa.Schema, replaced: Container[str]) -> Iterator[str]:
    """Yield the names of metadata that may have values: all that no library describes a schema by.

    `replaced`: the columns whose own metadata counts; that of others is in clear as they are.
    """
    left = [("", schema.metadata)]
    fields = [(field.name, field) for field in schema if field.name in replaced]
    while fields:
        name, field = fields.pop(0)
        left.append((f"{name}: ", field.metadata))
        inside = [field.type.field(i) for i in range(field.type.num_fields)]
        fields += [(f"{name}.{one.name}", one) for one in inside]
    for name, metadata in left:
        for key, value in (metadata or {}).items():
            if not key.startswith(_OF_LIBRARIES) or _OF_USERS.search(value):
                yield f"{name}{key.decode(errors='backslashreplace')}"
