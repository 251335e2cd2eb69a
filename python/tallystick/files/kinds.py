# SPDX-License-Identifier: Apache-2.0
"""The kinds of data file."""

from enum import StrEnum

from tallystick.files.places import Place, suffix_of


class FileKind(StrEnum):
    """The kinds of file that can be transformed."""

    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    ARROWS = "arrows"
    ORC = "orc"
    NDJSON = "ndjson"
    JSON = "json"

    @property
    def has_metadata(self) -> bool:
        """Whether files of the kind contain their marker; else it is in a file beside them."""
        return not self.is_text

    @property
    def is_text(self) -> bool:
        """Whether files of the kind are text, and so have an encoding."""
        return self in (FileKind.CSV, FileKind.NDJSON, FileKind.JSON)

    @property
    def is_stream(self) -> bool:
        """Whether files of the kind are read and written from beginning to end."""
        return self.is_text or self is FileKind.ARROWS


KINDS = {
    ".csv": FileKind.CSV,
    ".tsv": FileKind.CSV,
    ".txt": FileKind.CSV,
    ".ndjson": FileKind.NDJSON,
    ".jsonl": FileKind.NDJSON,
    ".json": FileKind.JSON,
    ".parquet": FileKind.PARQUET,
    ".pq": FileKind.PARQUET,
    ".arrow": FileKind.ARROW,
    ".feather": FileKind.ARROW,
    ".arrows": FileKind.ARROWS,
    ".orc": FileKind.ORC,
}
"""The kind of each suffix."""


def kind_of(place: Place) -> FileKind | None:
    """Return the kind of file by the suffix of a name, or None."""
    return KINDS.get(suffix_of(place))
