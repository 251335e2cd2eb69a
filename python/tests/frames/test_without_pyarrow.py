# SPDX-License-Identifier: Apache-2.0
"""Data of Polars, nanoarrow and arro3 needs no pyarrow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tallystick.keyring import Keyring

START = '''
import sys
for name in ("pyarrow", "pandas", "numpy"):
    sys.modules[name] = None
import arro3.core as arro3, nanoarrow, polars as pl, pytest
import tallystick.frames.polars
from tallystick import InvalidValueError, NotProtectedWarning, ParameterError, PolicyError
from tallystick import Protector, TallyError
from tallystick.policy import Policy
from tallystick.protector import ArrowData

POLICY = """
keep = ["id", "note"]
[columns]
card = { format = { type = "card", keep_last = 4 }, key = "people:1", namespace = "card" }
name = { format = "letters", key = "people:1", namespace = "name", tweak = "id" }
"contact.mail" = { format = "email", key = "people:1", namespace = "mail" }
"tags[]" = { format = "letters", key = "people:1", namespace = "tag" }
"""
protector = Protector.open(Policy.parse(POLICY), "a.keys", "file:root.key")
cards = protector.tokenizer("card")
names = protector.tokenizer("name")
mails = protector.tokenizer("contact.mail")
values = ["4111 1111 1111 1111", None, "5500-0000-0000-0004"] * 3
tokens = [value and cards.protect(value) for value in values]
people = [None if i == 4 else "Anna" * (i + 1) for i in range(9)]
frame = pl.DataFrame({
    "id": range(9),
    "card": values,
    "name": people,
    "contact": [{"mail": "jane@example.org", "kept": i} for i in range(9)],
    "tags": [["red", None], [], None] * 3,
    "note": [f"note {i}" for i in range(9)],
})

def check(made):
    """Check a frame with tokens."""
    assert made.schema == frame.schema
    assert made["card"].to_list() == tokens
    assert made["name"].to_list() == [
        value and names.protect(value, str(i)) for i, value in enumerate(people)
    ]
    assert made["contact"][0] == {"mail": mails.protect("jane@example.org"), "kept": 0}
    assert made["tags"][0][0] != "red" and made["tags"].list.len().equals(frame["tags"].list.len())
    assert made.select("id", "note").equals(frame.select("id", "note"))
'''

PARTS = {
    "series": """
series = frame["card"]
made = cards.protect(series)
assert type(made) is pl.Series and made.equals(pl.Series("card", tokens))
assert cards.reveal(made).equals(series) and protector.protect(series).equals(made)
assert made.tally.reveal(protector).equals(series)
by_row = names.protect(frame["name"], frame["id"])
assert by_row.to_list() == [v and names.protect(v, str(i)) for i, v in enumerate(people)]
assert protector.reveal_column("name", by_row, frame["id"]).equals(frame["name"])
coded = cards.protect(series.cast(pl.Categorical))
assert coded.dtype == pl.Categorical and coded.cast(pl.String).equals(made)
chunks = series.append(series).append(series[:0])
assert cards.protect(chunks[2:]).to_list() == (tokens * 2)[2:]
rows = pl.Series(range(7)).append(pl.Series(range(7, 18)))
twice = frame["name"].append(frame["name"])
assert names.protect(twice, rows)[17] == names.protect(people[8], "17")
long = pl.Series("card", values * 20000)
for threads in (1, 2):
    assert cards.protect(long, threads=threads).to_list() == tokens * 20000
assert cards.protect(series[:0]).equals(series[:0])
with pytest.raises(ParameterError, match="Arrow lacks the type"):
    cards.protect(pl.Series("card", [1], pl.Int128))
with pytest.raises(ParameterError, match="one tweak for each value"):
    names.protect(frame["name"], frame["id"][1:])
wrong = pl.Series("card", values[:1] * 70000 + ["secret"])
with pytest.raises(InvalidValueError, match="column 'card', row 70000: ") as error:
    protector.protect(wrong)
assert "secret" not in str(error.value)
""",
    "frames": """
made = protector.protect(frame)
assert type(made) is pl.DataFrame
check(made)
assert protector.reveal(made).equals(frame)
assert protector.protect(frame.clear()).schema == frame.schema
parts = frame[:4].with_columns(pl.col("id")).vstack(frame[4:]).with_columns(id=pl.Series(range(9)))
check(protector.protect(parts))
big = pl.concat([frame.drop("id")] * 20000).with_row_index("id")
with pytest.warns(NotProtectedWarning, match="contact.kept"):
    made = Protector.open(Policy.parse(POLICY), "a.keys", "file:root.key").protect(big)
assert made["card"].to_list() == tokens * 20000
assert made["name"][179998] == names.protect(people[7], "179998")
assert protector.reveal(made).equals(big)
wrong = frame.with_columns(card=pl.Series(values[:8] + ["secret"]))
with pytest.raises(InvalidValueError, match="column 'card', row 8: ") as error:
    protector.protect(wrong)
assert "secret" not in str(error.value)
with pytest.raises(PolicyError, match="column 'card': format 'card' can't be used"):
    protector.protect(frame.with_columns(card=pl.lit(1)))
enum = pl.Enum(["red", "blue"])
with pytest.raises(ParameterError, match="Enum"):
    protector.protect(frame.with_columns(tags=pl.Series([["red"]] * 9, dtype=pl.List(enum))))
both = pl.Struct({"name": pl.String, "kind": enum})
inner = pl.DataFrame({"a": [[{"name": "anne", "kind": "red"}], None]}, {"a": pl.List(both)})
policy = '''
unlisted = "keep"
[columns]
"a[].name" = { format = "letters", key = "people:1", namespace = "name" }
'''
with Protector.open(Policy.parse(policy), "a.keys", "file:root.key") as other:
    made = other.protect(inner)
    assert made.schema == inner.schema and made["a"][0][0]["kind"] == "red"
    assert made["a"][0][0]["name"] != "anne" and other.reveal(made).equals(inner)
other = frame.with_columns(note=pl.Series(["red"] * 9, dtype=enum))
assert protector.protect(other)["note"].equals(other["note"])
""",
    "lazy": """
for engine in ("in-memory", "streaming"):
    made = protector.protect(frame.lazy())
    assert type(made) is pl.LazyFrame and made.collect_schema() == frame.schema
    check(made.collect(engine=engine))
    back = protector.reveal(made.collect().lazy()).filter(pl.col("id") > 3).collect(engine=engine)
    assert back.equals(frame.filter(pl.col("id") > 3))
    one = frame.lazy().select(pl.col("name").tally.protect(protector, tweaks="id"))
    assert one.collect(engine=engine)["name"][1] == names.protect(people[1], "1")
""",
    "nanoarrow": """
# Not of Polars, whose views of text nanoarrow can't read.
text = arro3.DataType.string()
table = arro3.Table.from_pydict({
    "id": arro3.Array(range(9), arro3.DataType.int64()),
    "card": arro3.Array(values, text),
    "name": arro3.Array(people, text),
})
lenient = Protector.open(Policy.parse(POLICY), "a.keys", "file:root.key", missing="ignore")
array = nanoarrow.Array(table["card"])
made = cards.protect(array)
assert type(made) is nanoarrow.Array and made.to_pylist() == tokens
assert cards.reveal(made).to_pylist() == values
made = names.protect(nanoarrow.Array(table["name"]), nanoarrow.Array(table["id"]))
assert made.to_pylist() == [v and names.protect(v, str(i)) for i, v in enumerate(people)]
for kind in (nanoarrow.ArrayStream, nanoarrow.Array):
    made = lenient.protect(kind(table))
    assert type(made) is kind
    held = pl.DataFrame(made)
    assert held.columns == ["id", "card", "name"] and held["card"].to_list() == tokens
    back = pl.DataFrame(lenient.reveal(kind(lenient.protect(kind(table)))))
    assert back.equals(pl.DataFrame(table))
wrong = table.set_column(1, "card", arro3.ChunkedArray([arro3.Array(["secret"] * 9, text)]))
with pytest.raises(InvalidValueError, match="column 'card', row 0: "):
    lenient.protect(nanoarrow.Array(wrong))
with pytest.raises(Exception, match="column 'card', row 0: ") as error:
    nanoarrow.Array(lenient.protect(nanoarrow.ArrayStream(wrong)))
assert "secret" not in str(error.value)
""",
    "arro3": """
chunks = arro3.ChunkedArray.from_arrow(frame["card"])
made = cards.protect(chunks)
assert type(made) is arro3.ChunkedArray and made.to_pylist() == tokens
array = chunks.combine_chunks()
made = cards.protect(array)
assert type(made) is arro3.Array and cards.reveal(made).to_pylist() == values
row = arro3.Array(range(9), arro3.DataType.int64())
alone = arro3.ChunkedArray.from_arrow(frame["name"]).combine_chunks()
assert names.reveal(names.protect(alone, row), row).to_pylist() == people
with pytest.raises(ParameterError, match="must be a single array"):
    names.protect(alone, arro3.ChunkedArray([row.slice(0, 4), row.slice(4)]))
made = protector.protect(arro3.Table.from_arrow(frame))
assert type(made) is arro3.Table
check(pl.DataFrame(made))
marker = made.schema.metadata[b"tallystick"]
assert b"people:1" in marker
back = protector.reveal(made)
assert pl.DataFrame(back).equals(frame) and not back.schema.metadata
with pytest.raises(PolicyError, match="the data"):
    protector.protect(made)
for batch in arro3.Table.from_arrow(frame).to_batches():
    made = protector.protect(batch)
    assert type(made) is arro3.RecordBatch
    check(pl.DataFrame(made))
reader = protector.protect(arro3.RecordBatchReader.from_arrow(frame))
assert type(reader) is arro3.RecordBatchReader
check(pl.DataFrame(reader))
enum = frame.with_columns(card=frame["card"].cast(pl.Enum(frame["card"].drop_nulls().unique())))
shown = str(protector.protect(arro3.Table.from_arrow(enum)).schema.field("card").metadata)
assert "4111" not in shown
""",
    "others": """
class Own:
    def __arrow_c_stream__(self, requested_schema=None):
        return frame.__arrow_c_stream__(requested_schema)

made = protector.protect(Own())
assert type(made) is ArrowData
check(pl.DataFrame(made))
with pytest.raises(TallyError, match="read before"):
    pl.DataFrame(made)
""",
}


@pytest.mark.parametrize("part", PARTS)
def test_pyarrow_is_not_needed(directory: Path, ring: Keyring, part: str) -> None:
    assert ring.path == directory / "a.keys"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + PARTS[part]], check=True, cwd=directory
    )
