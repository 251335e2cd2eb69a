# SPDX-License-Identifier: Apache-2.0
"""`Protector.protect` takes data of any library with Arrow memory, and gives it back as it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arro3.core
import duckdb
import nanoarrow
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallystick import InvalidValueError, ParameterError, Protector, Tokenizer, formats
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protector import ArrowData


def test_pandas(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame = plain.to_pandas(types_mapper=pd.ArrowDtype)
    made = protector.protect(frame)
    pd.testing.assert_frame_equal(made, tokens.to_pandas(types_mapper=pd.ArrowDtype))
    pd.testing.assert_frame_equal(protector.reveal(made), frame)
    series = protector.protect(frame["card"])
    assert (series.name, list(series)) == ("card", list(made["card"]))


def test_polars(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame: Any = pl.from_arrow(plain)
    made = protector.protect(frame)
    assert made.equals(pl.from_arrow(tokens))
    assert protector.reveal(made).equals(frame)
    assert protector.protect(frame.lazy()).collect().equals(made)
    assert protector.protect(frame["card"]).equals(made["card"])


def test_relations_of_duckdb(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    with duckdb.connect() as connection:
        connection.register("people", plain)
        made = protector.protect(connection.sql("FROM people"))
        assert isinstance(made, duckdb.DuckDBPyRelation)
        connection.execute("CREATE TABLE safe AS FROM made")
        safe = connection.sql("FROM safe")
        assert safe.fetchall() == connection.sql("FROM tokens").fetchall()
        back = protector.reveal(safe)
        assert back.fetchall() == connection.sql("FROM people").fetchall()


@pytest.mark.parametrize("inside", [False, True])
def test_names_that_are_not_utf8_are_refused(ring: Keyring, inside: bool) -> None:
    table = pa.table({"v": ["123456"], "other": [{"a part": 1}] if inside else [1]})
    table = table if inside else table.rename_columns(["v", "a part"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = sink.getvalue().to_pybytes().replace(b"a part", b"\xff part")
    with Protector(Policy.parse(_UNNAMED), ring) as protector:
        for given in (pa.ipc.open_stream(stream), pa.ipc.open_stream(stream).read_all()):
            with pytest.raises(ParameterError, match="a name that is not UTF-8"):
                protector.protect(given)


@pytest.mark.parametrize("inside", [False, True])
def test_a_name_with_a_zero_byte_is_not_taken_for_another(ring: Keyring, inside: bool) -> None:
    """Arrow's C interface ends it there: the column passed as one that the policy keeps."""
    strict = "unlisted = 'error'\nkeep = ['note', 'note.part']"
    policy = Policy.parse(_UNNAMED.replace('unlisted = "keep"', strict))
    note = [{"part\0of a secret": "4111"}] if inside else ["4111"]
    table = pa.table({"v": ["123456"], "note" if inside else "note\0of a secret": note})
    with Protector(policy, ring) as protector:
        for given in (table, table.to_batches()[0], table.to_reader()):
            with pytest.raises(ParameterError, match="a name with a zero byte"):
                protector.protect(given)


def test_a_name_with_a_backslash_needs_no_quotes_in_a_path(ring: Keyring) -> None:
    policy = Policy.parse(
        r"columns.'a\b.c' = {format = 'digits', key = 'people:1', namespace = 'n'}"
    )
    table = pa.table({r"a\b": [{"c": "123456"}]})
    with Protector(policy, ring) as protector:
        (made,) = protector.protect(table).to_pylist()
        assert made[r"a\b"]["c"] != "123456"
        assert protector.protect(pl.DataFrame(pl.from_arrow(table))).to_dicts() == [made]
        frame = table.to_pandas(types_mapper=pd.ArrowDtype)
        assert protector.protect(frame).to_dict("records") == [made]


_UNNAMED = 'unlisted = "keep"\n[columns]\n'
_UNNAMED += 'v = { format = "digits", key = "people:1", namespace = "n" }'


@pytest.mark.parametrize(
    "value",
    [
        "'79380b32-9ea3-444e-9d86-f9a74bfa3deb'::uuid",
        "'{\"a\":1}'::json",
        "'a'::enum('a', 'b')",
        "(-12)::hugeint",
        "170141183460469231731687303715884105727::hugeint",
        "['79380b32-9ea3-444e-9d86-f9a74bfa3deb'::uuid]",
        "{'a': ['a'::enum('a', 'b')], 'b': 5::hugeint}",
    ],
)
def test_relations_keep_types_that_arrow_lacks(ring: Keyring, value: str) -> None:
    with duckdb.connect() as connection, Protector(Policy.parse(_UNNAMED), ring) as protector:
        given = connection.sql(f"SELECT '123456' v, {value} \"the x\"")
        made = protector.protect(given)
        assert (made.columns, made.types) == (given.columns, given.types)
        rows = made.fetchall()
        assert rows[0][0] != "123456"
        assert rows[0][1] == given.fetchall()[0][1]
        assert protector.reveal(made).fetchall() == given.fetchall()


@pytest.mark.parametrize(
    "value", ["'10:00:00+02'::timetz", "'101'::bit", "['10:00:00+02'::timetz]"]
)
def test_relations_whose_values_arrow_would_change_are_refused(ring: Keyring, value: str) -> None:
    with duckdb.connect() as connection, Protector(Policy.parse(_UNNAMED), ring) as protector:
        given = connection.sql(f"SELECT '123456' v, {value} x")
        with pytest.raises(ParameterError, match="column 'x' has a type whose values"):
            protector.protect(given)


def test_a_type_that_only_some_versions_give_to_arrow_whole(ring: Keyring) -> None:
    most = f"{2**128 - 1}::uhugeint"
    with duckdb.connect() as connection, Protector(Policy.parse(_UNNAMED), ring) as protector:
        given = connection.sql(f"SELECT '123456' v, {most} x")
        try:
            made = protector.protect(given)
        except ParameterError as error:
            assert "column 'x' has a type whose values" in str(error)
        else:
            assert made.types == given.types
            assert made.fetchall()[0][1] == 2**128 - 1


def test_relations_of_a_database_that_has_tables(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    """No table of the database is returned instead of the tokens, and none is added or hidden."""
    names = ["data", "made", "reader", "relation", "self", "tallystick"]
    with duckdb.connect() as connection:
        for name in names:
            connection.register("people", plain)
            connection.execute(f"CREATE TABLE {name} AS FROM people")
            connection.unregister("people")
        made = protector.protect(connection.table("made"))
        shown = connection.execute("SHOW TABLES").fetchall()
        assert [name for (name,) in shown] == names
        assert pa.table(made).equals(tokens)
        assert pa.table(made.filter("id < 9").project("card")).equals(tokens[:9].select(["card"]))
        assert len(made.join(connection.table("data").project("id"), "id")) == len(plain)
        assert pa.table(connection.table("made")).equals(plain)
        assert pa.table(protector.reveal(made)).equals(plain)


@pytest.mark.parametrize("option", ["python_enable_replacements", "enable_external_access"])
def test_relations_of_a_connection_that_reads_no_variables(
    protector: Protector, plain: pa.Table, option: str
) -> None:
    with duckdb.connect() as connection:
        relation = connection.from_arrow(plain)
        connection.execute(f"SET {option} = false")
        with pytest.raises(ParameterError, match=option) as error:
            protector.protect(relation)
        assert "tallystick_" not in str(error.value)


@pytest.mark.parametrize(
    "make",
    [
        nanoarrow.ArrayStream,
        nanoarrow.Array,
        arro3.core.Table.from_arrow,
        arro3.core.RecordBatchReader.from_arrow,
        lambda table: arro3.core.RecordBatch.from_arrow(table.combine_chunks().to_batches()[0]),
    ],
)
def test_data_of_other_libraries(
    protector: Protector, plain: pa.Table, tokens: pa.Table, make: Callable[[pa.Table], Any]
) -> None:
    given = make(plain)
    made = protector.protect(given)
    assert type(made) is type(given)
    assert pa.table(made).equals(tokens)
    assert pa.table(protector.reveal(make(tokens))).equals(plain)


def test_errors_of_data_of_other_libraries(protector: Protector, plain: pa.Table) -> None:
    """Those that are whole raise ours; those that are read on demand have its text."""
    place = plain.schema.get_field_index("card")
    wrong = plain.set_column(place, "card", pa.array(["secret"] * len(plain)))
    for make in (nanoarrow.Array, arro3.core.Table.from_arrow):
        with pytest.raises(InvalidValueError, match="column 'card', row 0"):
            protector.protect(make(wrong))
    for make in (nanoarrow.ArrayStream, arro3.core.RecordBatchReader.from_arrow):
        with pytest.raises(Exception, match="column 'card', row 0") as caught:
            pa.table(protector.protect(make(wrong)))
        assert "secret" not in str(caught.value)


class Stream:
    """Data of a library that makes nothing of Arrow data."""

    def __init__(self, held: pa.Table) -> None:
        self.held = held

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.held.__arrow_c_stream__(requested_schema)


def test_data_of_a_library_that_takes_none(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    made = protector.protect(Stream(plain))
    assert isinstance(made, ArrowData)
    assert pa.table(made).equals(tokens)
    back: Any = pl.DataFrame(protector.reveal(Stream(tokens)))
    assert back.equals(pl.from_arrow(plain))


class Batch:
    """A batch of another library."""

    def __init__(self, held: pa.Array | pa.RecordBatch) -> None:
        self.held = held

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.held.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]


def test_a_batch_of_another_library(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    batch = plain.combine_chunks().to_batches()[0]
    made = protector.protect(Batch(batch))
    assert pa.Table.from_batches([made]).equals(tokens)
    assert protector.reveal(Batch(made)).equals(batch)
    with pytest.raises(ParameterError, match="data must be a frame of pandas or Polars"):
        protector.protect(Batch(batch.column(0)))


def test_a_column_of_another_library(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    card = plain["card"].combine_chunks()
    expected = tokens["card"].combine_chunks()
    tokenizer = protector.tokenizer("card")
    assert tokenizer.protect(Batch(card)).equals(expected)
    for make in (nanoarrow.Array, arro3.core.Array.from_arrow, arro3.core.ChunkedArray.from_arrow):
        back: Any = tokenizer.reveal(make(expected))
        assert type(back) is type(make(expected))
        whole = hasattr(back, "__arrow_c_array__")
        held = pa.array(back) if whole else pa.chunked_array(back)
        assert held.to_pylist() == card.to_pylist()


def test_series_by_a_tokenizer(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    tokenizer: Any = protector.tokenizer("card")
    series = pl.Series("card", plain["card"])
    assert tokenizer.protect(series).equals(pl.Series("card", tokens["card"]))
    old = plain["card"].to_pandas()
    made = tokenizer.protect(old)
    pd.testing.assert_series_equal(made, tokens["card"].to_pandas().rename("card"))
    by_row = Tokenizer(formats.card(), bytes(16), namespace="n")
    rows: Any = pl.Series("row", range(len(series)))
    expected = by_row.protect(series.to_arrow(), rows.to_arrow()).to_pylist()
    assert by_row.protect(series, rows).to_list() == expected


@pytest.mark.parametrize("data", [[1], {"card": ["4111"]}, pa.array(["4111"]), "4111"])
def test_what_is_no_table(protector: Protector, data: object) -> None:
    with pytest.raises(ParameterError, match="data must be a frame of pandas or Polars"):
        protector.protect(data)  # type: ignore[call-overload]


def test_one_value_needs_neither_arrow_nor_numpy(tmp_path: Path) -> None:
    code = """
import sys
for name in ("numpy", "pyarrow", "pandas", "polars"):
    sys.modules[name] = None
from datetime import date
import tallystick
from tallystick import Tokenizer, formats
for form, value in (
    (formats.card(keep_last=4), "4111 1111 1111 1111"),
    (formats.integer(min=0, max=10**9), 12345),
    (formats.date(), date(2001, 2, 3)),
    (formats.unicode(), "Zoë"),
):
    tokenizer = Tokenizer(form, bytes(32), namespace="sample")
    token = tokenizer.protect(value)
    assert token != value and tokenizer.reveal(token) == value
from tallystick import Protector
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
policy = Policy.parse(
    '[columns]\\ncard = { format = "card", key = "people:1", namespace = "card" }\\n'
)
ring = Keyring.create("a.keys", RootKey.generate_file("root.key"))
ring.add("people")
with Protector(policy, ring) as protector:
    cards = protector.tokenizer("card")
    assert cards.reveal(cards.protect("4111 1111 1111 1111")) == "4111 1111 1111 1111"
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


class Unhashable(pa.ExtensionType):  # type: ignore[misc]
    """A type that says when it is equal, and so has no hash. Its equal ones hold other types."""

    def __init__(self, storage: pa.DataType) -> None:
        super().__init__(storage, "tests.unhashable")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, _: bytes) -> Unhashable:
        return cls(storage)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable)

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("hashable", [True, False])
def test_extension_types_are_their_storage(kind: pa.DataType, hashable: bool) -> None:
    own = type("Hashable", (Unhashable,), {"__hash__": lambda _: 1}) if hashable else Unhashable
    values = pa.array(["1234567", None, "7654321"], kind)
    tokenizer = Tokenizer(formats.digits(), bytes(16), namespace="n")
    made = tokenizer.protect(pa.ExtensionArray.from_storage(own(kind), values))
    assert made.storage.equals(tokenizer.protect(values))
