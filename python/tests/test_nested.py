# SPDX-License-Identifier: Apache-2.0
"""Columns inside others, by their paths: in Arrow data, frames, SQL and Parquet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_support import load, save
from keyring_support import make_ring
from tallystick import (
    FileError,
    InvalidValueError,
    NotProtectedWarning,
    ParameterError,
    PolicyError,
    Protector,
    Tokenizer,
    formats,
)
from tallystick.inspection import check_file, inspect_file
from tallystick.keyring import KeyId, Keyring
from tallystick.paths import find, leaves, opened, put_back
from tallystick.policy import Policy
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions, preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file

POLICY = Policy.parse(
    """
unlisted = "error"
keep = ["contact.since", "orders[].pieces", "attributes"]

[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "mail" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }
name = { format = "letters", key = "people:1", namespace = "name" }
"""
)
ORDERS = pa.list_(pa.struct([("phone", pa.string()), ("pieces", pa.int32())]))
TABLE = pa.table(
    {
        "id": ["1", "2", "3"],
        "name": ["Anne", "Bobby", None],
        "contact": [{"email": "jane@example.org", "since": 1999}, None, {"email": None}],
        "orders": pa.array(
            [[{"phone": "+12025550143", "pieces": 3}, {"phone": None}], [], None], ORDERS
        ),
        "attributes": pa.array([[("a", "x")], [], None], pa.map_(pa.string(), pa.string())),
    }
)


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return make_ring(tmp_path / "nested.keys", "people")


@pytest.fixture
def protector(ring: Keyring) -> Protector:
    return Protector(POLICY, ring)


def test_tables(protector: Protector, ring: Keyring) -> None:
    made = protector.protect(TABLE)
    mails = Tokenizer(formats.email(), ring.key("people:1"), namespace="mail")
    phones = Tokenizer(formats.phone(), ring.key("people:1"), namespace="phone")
    assert made["contact"].to_pylist() == [
        {"email": mails.protect("jane@example.org"), "since": 1999},
        None,
        {"email": None, "since": None},
    ]
    assert made["orders"][0].as_py() == [
        {"phone": phones.protect("+12025550143", "1"), "pieces": 3},
        {"phone": None, "pieces": None},
    ]
    assert made["attributes"] == TABLE["attributes"] and made["name"] != TABLE["name"]
    assert protector.reveal(made).equals(TABLE)
    reader = protector.protect(TABLE.to_reader(max_chunksize=1))
    assert reader.read_all().equals(made)
    whole = TABLE.slice(1).to_batches()[0]
    assert protector.protect(whole).to_pylist() == made.slice(1).to_pylist()


def test_frames(protector: Protector) -> None:
    made = protector.protect(TABLE)
    polars: Any = pl.from_arrow(TABLE.drop(["attributes"]))
    tokens = protector.protect(polars)
    assert tokens.equals(pl.from_arrow(made.drop(["attributes"])))
    assert protector.reveal(tokens).equals(polars)
    frame = TABLE.to_pandas(types_mapper=pd.ArrowDtype)
    pd.testing.assert_frame_equal(
        protector.protect(frame), made.to_pandas(types_mapper=pd.ArrowDtype)
    )


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_frames(protector: Protector, engine: Literal["in-memory", "streaming"]) -> None:
    whole: Any = pl.from_arrow(TABLE.drop(["attributes"]))
    tokens = protector.protect(whole)
    query = protector.protect(whole.lazy()).filter(pl.col("id") != "2")
    assert query.collect(engine=engine).equals(tokens.filter(pl.col("id") != "2"))
    assert protector.reveal(tokens.lazy()).collect(engine=engine).equals(whole)
    wrong = whole.with_columns(contact=pl.Series([None, None, {"email": "secret", "since": 1}]))
    with pytest.raises(
        (InvalidValueError, pl.exceptions.ComputeError),
        match=r"'contact\.email', row \d: its delim",
    ) as one:
        protector.protect(wrong.lazy()).collect(engine=engine)
    assert "secret" not in str(one.value)
    with pytest.raises(ParameterError, match=r"no column 'contact\.email'"):
        protector.protect(whole.lazy().drop("contact"))


def test_sql(protector: Protector) -> None:
    with duckdb.connect() as connection:
        people = TABLE.drop(["attributes"])  # DuckDB finds it by its name
        relation = protector.protect(connection.sql("FROM people"))
        rows = relation.fetchall()
    expected = [tuple(row.values()) for row in protector.protect(people).to_pylist()]
    assert rows == expected


def test_files(protector: Protector, ring: Keyring, tmp_path: Path) -> None:
    plain, tokens, back = (tmp_path / f"{name}.parquet" for name in ("plain", "tokens", "back"))
    pq.write_table(TABLE, plain)
    report = protect_file(plain, tokens, POLICY, ring)
    assert list(report.columns) == ["contact.email", "orders[].phone", "name"]
    assert report.columns["orders[].phone"].rows == 2
    assert report.untouched.kept == ("id", "contact.since", "orders[].pieces", "attributes")
    assert pq.read_table(tokens).to_pylist() == protector.protect(TABLE).to_pylist()
    reveal_file(tokens, back, POLICY, ring)
    assert pq.read_table(back).equals(TABLE)


def test_invalid_values(protector: Protector, ring: Keyring, tmp_path: Path) -> None:
    contact = pa.array([None, None, {"email": "secret", "since": 1}])
    table = TABLE.set_column(2, "contact", contact)
    with pytest.raises(
        InvalidValueError, match=r"^column 'contact\.email', row 2: its delim"
    ) as one:
        protector.protect(table)
    assert "secret" not in str(one.value)
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    with pytest.raises(InvalidValueError, match=r"column 'contact\.email', row 3: its delim"):
        protect_file(path, tmp_path / "b.parquet", POLICY, ring)
    assert not (tmp_path / "b.parquet").exists()


def test_what_is_not_there(protector: Protector) -> None:
    with pytest.raises(ParameterError, match=r"no column 'contact\.email'"):
        protector.protect(TABLE.drop(["contact"]))
    wrong = TABLE.set_column(2, "contact", pa.array([{"email": 5, "since": 1}] * 3))
    with pytest.raises(PolicyError, match="can't be used for a column of type int64"):
        protector.protect(wrong)


def test_other_columns_are_noticed(ring: Keyring) -> None:
    rules = '[columns]\n"contact.email" = {format = "email", key = "people:1", namespace = "m"}\n'
    with (
        Protector(Policy.parse(rules), ring) as protector,
        pytest.warns(
            NotProtectedWarning, match=r"'id', 'name', 'contact\.since', 'orders', 'attri"
        ),
    ):
        protector.protect(TABLE)


INNER = pa.struct([("b", pa.string()), ("c.d", pa.int32())])
NESTED = {
    "row": pa.array(["1", "2", "3", "4"]),
    "struct": pa.array([{"b": "x", "c.d": 1}, None, {"b": None, "c.d": 2}, {"b": "y"}], INNER),
    "list": pa.array([["x", None], None, [], ["y"]]),
    "large": pa.array([["x"], [], None, ["y", "z"]], pa.large_list(pa.string())),
    "view": pa.array([["x", "y"], None, [], ["z"]], pa.list_view(pa.string())),
    "fixed": pa.array([["x", "y"], None, ["z", None], ["w", "v"]], pa.list_(pa.string(), 2)),
    "map": pa.array([[("k", "x"), ("l", None)], None, [], [("m", "y")]],
                    pa.map_(pa.string(), pa.string())),
    "deep": pa.array([[[{"b": "x"}], None], None, [[], [{"b": "y"}, None]], []],
                     pa.list_(pa.large_list(INNER))),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize(("start", "rows"), [(0, 4), (1, 3), (1, 2), (2, 0)])
def test_taken_out_and_put_back(name: str, start: int, rows: int) -> None:
    schema = pa.schema([(each, column.type) for each, column in NESTED.items()])
    columns = {each: column.slice(start, rows) for each, column in NESTED.items()}
    paths = [path for path, _ in opened(schema, None)]
    for found in find(schema, [path for path in paths if path.startswith(name)]).values():
        taken = leaves(columns, found, list(find(schema, ["row"]).values()))
        numbers = taken.rows(start)
        values = range(len(taken.values))
        rowed = [numbers + i if isinstance(numbers, int) else numbers[i] for i in values]
        assert taken.others[0].to_pylist() == [str(row + 1) for row in rowed]
        back = put_back(columns[name], found.steps, taken.values)
        back.validate(full=True)
        assert back.equals(columns[name]) and back.type == columns[name].type
        if taken.values.type == pa.string():
            twice = [value and value * 2 for value in taken.values.to_pylist()]
            changed = put_back(columns[name], found.steps, pa.array(twice, pa.string()))
            again = leaves({**columns, name: changed}, found)
            assert again.values.to_pylist() == twice
            assert changed.is_null().equals(columns[name].is_null())


@pytest.mark.parametrize("offsets", [[0, 9, 2], [0, 2, 1], [-1, 1, 2], [1, 0, 2], [0, 1, 1 << 30]])
@pytest.mark.parametrize("kind", ["list", "map", "view"])
def test_damaged_lists_are_refused(offsets: list[int], kind: str) -> None:
    memory = np.array([0, 1, 2], np.int32)
    bounds = pa.py_buffer(memory)
    words = pa.array(["x", "y"])
    entries = pa.StructArray.from_arrays([words, words], ["key", "value"])
    if kind == "list":
        array = pa.Array.from_buffers(pa.list_(pa.string()), 2, [None, bounds], children=[words])
    elif kind == "map":
        made = pa.map_(pa.string(), pa.string())
        array = pa.Array.from_buffers(made, 2, [None, bounds], children=[entries])
    else:
        sizes = pa.py_buffer(np.array([1, 1, 1], np.int32))
        made = pa.list_view(pa.string())
        array = pa.Array.from_buffers(made, 3, [None, bounds, sizes], children=[words])
    memory[:] = offsets  # pyarrow checks those that it is given
    path = {"list": "a[]", "map": "a{}", "view": "a[]"}[kind]
    found = find(pa.schema([("a", array.type)]), [path])[path]
    with pytest.raises(ParameterError, match=r"do not fit|outside"):
        leaves({"a": array}, found)


def test_paths_of_all_columns() -> None:
    schema = pa.schema([(each, column.type) for each, column in NESTED.items()])
    assert [path for path, _ in opened(schema)] == [
        "row", "struct.b", 'struct."c.d"', "list[]", "large[]", "view[]", "fixed[]", "map{}",
        "deep[][].b", 'deep[][]."c.d"',
    ]  # fmt: skip
    some = [path for path, _ in opened(schema, ["deep[][].b", "list[]"])]
    assert some == ["row", "struct", "list[]", "large", "view", "fixed", "map", "deep[][].b",
                    'deep[][]."c.d"']  # fmt: skip


def test_a_tweak_in_another_list_is_refused(ring: Keyring, tmp_path: Path) -> None:
    rules = (
        '[columns]\n"a[].x" = {format = "letters", key = "people:1", namespace = "m", '
        'tweak = "b[].y"}\n'
    )
    table = pa.table({"a": [[{"x": "abcdefgh"}]], "b": [[{"y": "1"}]]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(PolicyError, match=r"'b\[\]\.y' is in a list that 'a\[\]\.x' is not in"):
        protect_file(tmp_path / "a.parquet", tmp_path / "b.parquet", Policy.parse(rules), ring)


def test_a_tweak_of_the_same_item(ring: Keyring, tmp_path: Path) -> None:
    rules = (
        'keep = ["a[].z"]\n[columns]\n"a[].x" = {format = "letters", key = "people:1", '
        'namespace = "m", tweak = "a[].y.t"}\n'
    )
    items = [{"x": "abcdefgh", "y": {"t": str(i)}, "z": i} for i in range(5)]
    table = pa.table({"a": [items[:2], [], items[2:]]})
    pq.write_table(table, tmp_path / "a.parquet")
    policy = Policy.parse(rules)
    protect_file(tmp_path / "a.parquet", tmp_path / "b.parquet", policy, ring)
    tokens = pq.read_table(tmp_path / "b.parquet")
    assert tokens.to_pylist() == Protector(policy, ring).protect(table).to_pylist()
    found = {item["x"] for row in tokens["a"].to_pylist() for item in row}
    assert len(found) == 5


def test_other_columns_inside_are_refused(ring: Keyring, tmp_path: Path) -> None:
    """The rest of a struct does not pass in clear because one of its fields is protected."""
    pq.write_table(TABLE, tmp_path / "a.parquet")
    text = """
unlisted = "error"
keep = ["id", "name", "orders", "attributes"{}]
[columns]
"contact.email" = {{ format = "email", key = "people:1", namespace = "mail" }}
"""
    refusing = Policy.parse(text.format(""))
    with pytest.raises(PolicyError, match=r"does not name 'contact\.since' \(1 column\)"):
        protect_file(tmp_path / "a.parquet", tmp_path / "b.parquet", refusing, ring)
    with pytest.raises(PolicyError, match=r"does not name 'contact\.since'"):
        Protector(refusing, ring).protect(TABLE)
    with pytest.raises(PolicyError, match=r"does not name 'contact\.since'"):
        Protector(refusing, ring).protect(pl.from_arrow(TABLE.drop(["attributes"])))
    assert check_file(tmp_path / "a.parquet", refusing).refused
    for more in (', "contact.since"', ', "contact"'):
        keeping = Policy.parse(text.format(more))
        report = protect_file(
            tmp_path / "a.parquet",
            tmp_path / "b.parquet",
            keeping,
            ring,
            RunOptions(overwrite=True),
        )
        assert "contact.since" in report.untouched.kept
        assert Protector(keeping, ring).protect(TABLE)["orders"] == TABLE["orders"]


def test_another_policy_sees_what_the_first_has_protected(ring: Keyring, tmp_path: Path) -> None:
    text = (
        'unlisted = "error"\nkeep = ["id", "attributes", "contact.since"{}]\n'
        '[columns]\n{} = {{ format = "{}", key = "people:1", namespace = "n" }}\n'
    )
    one = Policy.parse(text.format(', "orders", "name"', '"contact.email"', "email"))
    two = Policy.parse(text.format(', "orders"', "name", "letters"))
    pq.write_table(TABLE, tmp_path / "a.parquet")
    protect_file(tmp_path / "a.parquet", tmp_path / "b.parquet", one, ring)
    report = protect_file(tmp_path / "b.parquet", tmp_path / "c.parquet", two, ring)
    assert report.untouched.kept == ("id", "contact.since", "orders", "attributes")
    Protector(two, ring).protect(pq.read_table(tmp_path / "b.parquet"))


def test_check(ring: Keyring, tmp_path: Path) -> None:
    mails = [{"email": "jane@example.org"}, {"email": "bad"}, None, {"email": "worse"}]
    phones = [[{"phone": "+12025550143"}, {"phone": "x"}], None, [{"phone": None}], []]
    pq.write_table(
        pa.table(
            {
                "id": list("1234"),
                "name": ["Anne"] * 4,
                "contact": mails,
                "orders": pa.array(phones, ORDERS),
                "attributes": pa.array([None] * 4, pa.map_(pa.string(), pa.string())),
            }
        ),
        tmp_path / "a.parquet",
    )
    found = {
        one.rule.column: one for one in check_file(tmp_path / "a.parquet", POLICY, ring).columns
    }
    mail, phone = found["contact.email"], found["orders[].phone"]
    assert (mail.problem, mail.rows, mail.nulls, mail.invalid) == (None, 4, 1, 2)
    assert [row for each in mail.invalid_rows.values() for row, _ in each.first] == [1, 3]
    assert (phone.problem, phone.rows, phone.nulls, phone.invalid) == (None, 3, 1, 1)
    assert [row for each in phone.invalid_rows.values() for row, _ in each.first] == [0]
    assert mail.fails and phone.fails
    missing = Policy.parse(
        '[columns]\n"contact.mail" = {format = "email", key = "people:1", namespace = "m"}\n'
    )
    (column,) = check_file(tmp_path / "a.parquet", missing).columns
    assert column.problem is not None and "no column 'contact.mail'" in column.problem


def test_preview(ring: Keyring, tmp_path: Path, protector: Protector) -> None:
    pq.write_table(TABLE, tmp_path / "a.parquet")
    shown = {one.name: one for one in preview_file(tmp_path / "a.parquet", POLICY, ring).columns}
    tokens = protector.protect(TABLE)
    assert shown["contact.email"].before == ["jane@example.org", None, None]
    assert shown["contact.email"].after[0] == tokens["contact"][0]["email"].as_py()
    assert shown["orders[].phone"].before == ["+12025550143", None]
    assert shown["orders[].phone"].after[0] == tokens["orders"][0].as_py()[0]["phone"]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "orc"])
def test_rotation(ring: Keyring, tmp_path: Path, kind: str) -> None:
    ring.add("people")
    ring.add("people")
    plain, tokens, rotated = (tmp_path / f"{n}.{kind}" for n in ("plain", "tokens", "rotated"))
    save(TABLE, plain)
    new = with_keys(POLICY, {KeyId("people", 1): KeyId("people", 2)})
    protect_file(plain, tokens, POLICY, ring)
    sheet = tmp_path / "report.html"
    report = rotate_file(tokens, rotated, [(POLICY, new)], ring, RunOptions(report=sheet))
    assert report.columns["orders[].phone"].rows == 2
    fresh = tmp_path / f"fresh.{kind}"
    protect_file(plain, fresh, new, ring)
    assert load(rotated).equals(load(fresh))
    assert "orders[].phone" in sheet.read_text()


def test_rotation_by_a_tweak_inside(ring: Keyring, tmp_path: Path) -> None:
    """A tweak that is a token itself changes with its key."""
    first = '[columns]\nt = {{format = "digits", key = "people:{}", namespace = "t"}}\n'
    second = (
        '[columns]\n"a[].x" = {{format = "letters", key = "people:{}", namespace = "m", '
        'tweak = "t"}}\n'
    )
    ring.add("people")
    items = [{"x": "abcdefgh"}, {"x": "stuvwxyz"}]
    table = pa.table({"a": [items, [], items], "t": ["1234567", "2345678", "3456789"]})
    pq.write_table(table, tmp_path / "a.parquet")
    pairs = [[Policy.parse(each.format(key)) for key in (1, 2)] for each in (first, second)]
    steps = [tmp_path / f"{n}.parquet" for n in "abcdef"]
    protect_file(steps[0], steps[1], pairs[0][0], ring)
    protect_file(steps[1], steps[2], pairs[1][0], ring)
    rotate_file(steps[2], steps[3], [(old, new) for old, new in pairs], ring)
    reveal_file(steps[3], steps[4], pairs[1][1], ring)
    reveal_file(steps[4], steps[5], pairs[0][1], ring)
    assert pq.read_table(steps[5]).equals(table)


def test_report(ring: Keyring, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    policy = Policy.parse(
        '[columns]\n"orders[].phone" = '
        '{format = "phone", key = "people:1", namespace = "p", on_invalid = "null"}\n'
    )
    orders = [[], None, [{"phone": "+12025550143"}, {"phone": "wrong"}]]
    pq.write_table(pa.table({"orders": pa.array(orders, ORDERS)}), path)
    options = RunOptions(report=tmp_path / "r.html")
    done = protect_file(path, tmp_path / "b.parquet", policy, ring, options)
    counts = done.columns["orders[].phone"]
    assert (counts.rows, counts.invalid.total()) == (2, 1)
    text = (tmp_path / "r.html").read_text()
    assert "orders[].phone" in text and "orders[].pieces" in text
    with pytest.raises(ParameterError, match="is in a list, and groups are those of rows"):
        protect_file(
            path,
            tmp_path / "c.parquet",
            policy,
            ring,
            RunOptions(report=tmp_path / "s.html", groups=[["orders[].phone"]]),
        )


def test_inspect(tmp_path: Path) -> None:
    rows = 200
    table = pa.table(
        {
            "id": [str(i) for i in range(rows)],
            "contact": [{"email": f"jane{i}@example.org", "ok": True} for i in range(rows)],
            "cards": [["4111111111111111", "5500005555555559"]] * rows,
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    findings = {one.column: one for one in inspect_file(tmp_path / "a.parquet").findings}
    assert set(findings) == {"id", "contact.email", "contact.ok", "cards[]"}
    mail, card = findings["contact.email"], findings["cards[]"]
    assert mail.sensitive and mail.form is not None and mail.form.label == "email"
    assert card.sensitive and card.form is not None and card.form.label == "card"
    assert card.filled == rows


def test_dictionaries_inside(ring: Keyring, tmp_path: Path) -> None:
    mails = ["jane@example.org", None, "jack@example.org", "jack@example.org", "jane@example.org"]
    words = pa.array(mails).dictionary_encode()
    since = pa.array(range(5), pa.int32())
    contact = pa.StructArray.from_arrays([words, since], ["email", "since"])
    # The batches have other tokens first, and a file has one dictionary.
    chunks = pa.chunked_array([contact.slice(0, 3), contact.slice(3)])
    policy = Policy.parse(
        'keep = ["contact.since"]\n[columns]\n"contact.email" = '
        '{format = "email", key = "people:1", namespace = "m"}\n'
    )
    path = tmp_path / "a.arrow"
    save(pa.table({"contact": chunks}), path)
    protect_file(path, tmp_path / "b.arrow", policy, ring)
    made = load(tmp_path / "b.arrow")
    assert made.schema.field("contact").type == contact.type
    reveal_file(tmp_path / "b.arrow", tmp_path / "c.arrow", policy, ring)
    assert load(tmp_path / "c.arrow")["contact"].to_pylist() == contact.to_pylist()


def test_no_new_null_where_none_may_be(ring: Keyring, tmp_path: Path) -> None:
    kind = pa.struct([pa.field("email", pa.string(), nullable=False)])
    path = tmp_path / "a.parquet"
    policy = Policy.parse(
        '[columns]\n"contact.email" = '
        '{format = "email", key = "people:1", namespace = "m", on_invalid = "null"}\n'
    )
    pq.write_table(
        pa.table({"contact": pa.array([{"email": "jane@example.org"}, None], kind)}), path
    )
    protect_file(path, tmp_path / "b.parquet", policy, ring)
    reveal_file(tmp_path / "b.parquet", tmp_path / "c.parquet", policy, ring)
    assert pq.read_table(tmp_path / "c.parquet").equals(pq.read_table(path))
    pq.write_table(pa.table({"contact": pa.array([{"email": "bad"}], kind)}), path)
    with pytest.raises(FileError, match=r"'contact\.email' must not have nulls"):
        protect_file(path, tmp_path / "d.parquet", policy, ring)
    with pytest.raises(PolicyError, match=r"'contact\.email' must not have nulls"):
        Protector(policy, ring).protect(pq.read_table(path))


def test_quotes_that_a_path_does_not_need_are_refused() -> None:
    """So that markers, `keep` and tweaks are compared by their texts."""
    rule = POLICY.rules[0]
    for changed in (replace(rule, column='c."email"'), replace(rule, tweak='"c".email')):
        with pytest.raises(PolicyError, match=r"has quotes that it does not need; write c\.email"):
            Policy((changed,))
    with pytest.raises(PolicyError, match=r"the path '\"a\"\[\]' has quotes .* write a\[\]"):
        Policy((rule,), keep=('"a"[]',))


def test_a_name_alone_is_no_path(ring: Keyring) -> None:
    text = '[columns]\n\'"{}"\' = {{ format = "email", key = "people:1", namespace = "e" }}\n'
    table = pa.table({"a.b": ["zoe@x.com"], '"c"': ["zoe@x.com"], "d": ["zoe@x.com"]})
    for name in ("a.b", "d"):
        with (
            Protector(Policy.parse(text.format(name)), ring) as protector,
            pytest.raises(ParameterError, match=f"no column '\"{name}\"'"),
        ):
            protector.protect(table)
    with Protector(Policy.parse('unlisted = "keep"\n' + text.format("c")), ring) as protector:
        made = protector.protect(table)
        assert made['"c"'] != table['"c"'] and made["d"] == table["d"]
