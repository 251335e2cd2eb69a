# SPDX-License-Identifier: Apache-2.0
"""A Parquet file with damaged bytes, protected, revealed, inspected and checked.

Arrow itself may crash on damage. So a process of its own reads a file with Arrow first, and a file
that ends that one is left out: it is no finding of ours. In tables that are made from the data,
values come back.
"""

import atheris
import pyarrow as pa
import pyarrow.parquet as pq

from arrow_alone import Arrow
from harness import Folder, fuzz, pieces, refused
from tables import NAMES, Runs, policy, protect, reveal
from tallystick.inspection import check_file, inspect_file

arrow = Arrow()
run = Runs(".parquet")
folder = Folder()
pa.set_cpu_count(1)
pa.set_io_thread_count(1)


def made(typed: atheris.FuzzedDataProvider) -> bytes:
    """Write a table as a file."""
    rows = typed.ConsumeIntInRange(0, 6)
    fields = {}
    for name in ("a", "b", "t"):
        texts = [
            None if typed.ConsumeIntInRange(0, 5) == 0 else typed.ConsumeUnicodeNoSurrogates(20)
            for _ in range(rows)
        ]
        column = pa.array(texts, (pa.string(), pa.large_string())[typed.ConsumeBool()])
        fields[name] = column.dictionary_encode() if typed.ConsumeBool() else column
    path = folder.path / "made.parquet"
    pq.write_table(
        pa.table(fields),
        path,
        row_group_size=typed.ConsumeIntInRange(1, 4),
        compression=("none", "snappy", "zstd", "gzip")[typed.ConsumeIntInRange(0, 3)],
        use_dictionary=typed.ConsumeBool(),
        data_page_version=("1.0", "2.0")[typed.ConsumeBool()],
    )
    return path.read_bytes()


def one(data: bytes) -> None:
    """Take a file, or make one, and perhaps damage it."""
    typed = atheris.FuzzedDataProvider(data[-24:])
    source = data[:-24]
    rules = policy(typed)
    threads = typed.ConsumeIntInRange(1, 2)
    sound = typed.ConsumeBool()
    if sound:
        source = made(atheris.FuzzedDataProvider(source))
    run.begin(source)
    run.hidden = pieces(source, NAMES + b"parquet snappy arrow")
    if not sound and not arrow.survives(run.last):
        return
    refused(lambda: inspect_file(run.last), run.hidden)
    refused(lambda: check_file(run.last, rules), run.hidden)
    run(reveal, rules, threads=threads)
    run.begin(source)
    tokens = run(protect, rules, threads=threads)
    if tokens is None or not sound:
        return
    before = pq.read_table(pa.BufferReader(source))
    back = run(reveal, rules, threads=threads)
    assert back is not None, "tokens are not revealed"
    table = pq.read_table(run.last)
    assert table.schema.equals(before.schema, check_metadata=True), "another schema"
    assert table.to_pydict() == before.to_pydict(), "another table comes back"


if __name__ == "__main__":
    fuzz(one)
