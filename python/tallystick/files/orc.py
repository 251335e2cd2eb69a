# SPDX-License-Identifier: Apache-2.0
"""ORC files, stripe by stripe; the compression and the metadata stay.

Stripes are laid out anew by the writer. No original is left in statistics or dictionaries, because
all of the file is written anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import orc

from tallystick.files.encodings import Output
from tallystick.files.places import Place
from tallystick.files.streams import kept_open, open_at, watched
from tallystick.files.tables import Write, arrow_reads, check_rows, checked_names, split_evenly

_DAMAGED = "not an ORC file, or a damaged one"


class OrcTable:
    """An ORC file that is read; see `TableFile`."""

    def __init__(self, place: Place, file: orc.ORCFile, size: int) -> None:
        self.place = place
        self.schema = file.schema
        self.rows = file.nrows
        self.size = size
        self._file = file

    def pieces(self, columns: list[str] | None, *, parallel: bool) -> Iterator[pa.Table]:
        """Give the stripes, large ones in parts of about one size."""
        del parallel
        seen = 0
        for number in range(self._file.nstripes):
            with arrow_reads(f"{self.place}: stripe {number + 1} can't be read"):
                stripe = self._file.read_stripe(number, columns=columns or None)
                table = stripe if isinstance(stripe, pa.Table) else pa.Table.from_batches([stripe])
                table.validate(full=True)
            if columns is not None:
                table = table.select(columns)
            seen += len(table)
            yield from split_evenly(table)
        check_rows(f"{self.place}:", seen, self.rows)

    @contextmanager
    def writer(self, sink: Output, schema: pa.Schema, replaced: set[str]) -> Iterator[Write]:
        """Give what writes tables."""
        del replaced
        writer = orc.ORCWriter(
            kept_open(sink), compression=self._file.compression, file_version="0.12"
        )
        try:
            # So that a file without rows has its columns; Schema.empty_table makes no unions.
            writer.write(pa.Table.from_batches([], schema))
            yield lambda table: writer.write(table.cast(schema))
        finally:
            writer.close()


@contextmanager
def open_orc(place: Place) -> Iterator[OrcTable]:
    """Open an ORC file.

    Raises `FileError`: the source is not an ORC file, is damaged, is a pipe, or was changed while
    it was read.
    """
    with watched(place) as size, open_at(place, "ORC") as readable:
        with arrow_reads(f"{place}: {_DAMAGED}"):
            file = orc.ORCFile(readable)
            checked_names(file.schema)
        yield OrcTable(place, file, size)
