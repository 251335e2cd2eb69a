# SPDX-License-Identifier: Apache-2.0
"""Files under a policy, from end to end: revealed as they were, joined, counted, and never half."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from files_support import written
from keyring_support import fail_fsync, listing, make_ring
from tallystick.errors import (
    FileError,
    InvalidValueError,
    KeyringError,
    ParameterError,
    PolicyError,
)
from tallystick.files import FileKind, csv_blocks, tables
from tallystick.files.marker import with_marker
from tallystick.formats import Reason
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.protection import RunOptions, RunReport, preview_file, protect_file, reveal_file


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Keyring:
    directory = tmp_path_factory.mktemp("ring")
    ring = make_ring(directory / "a.keys", "people", "people")
    ring.add("short", 16)
    return ring


def policy(text: str, *, csv: str = "") -> Policy:
    """Read a policy whose columns have a key and a namespace if they name none."""
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, given = line.split(" = ", 1)
        needed = {"key": '"people:1"', "namespace": f'"{name}"'}
        more = "".join(f", {k} = {v}" for k, v in needed.items() if f"{k} = " not in given)
        lines.append(f"{name} = {{ {given}{more} }}\n")
    return Policy.parse("[columns]\n" + "".join(lines) + (f"[csv]\n{csv}\n" if csv else ""))


class Bench:
    """A directory, a key ring, and what is done with both."""

    def __init__(self, directory: Path, ring: Keyring) -> None:
        self.directory = directory
        self.ring = ring

    def write(self, name: str, content: str | bytes | pa.Table) -> Path:
        return written(self.directory / name, content)

    def ids(self, name: str) -> Path:
        """Write a file of either kind that has numbers."""
        return self.write(name, IDS if name.endswith("csv") else pa.table({"id": ["123456789"]}))

    def protect(self, source: Path, rules: Policy) -> tuple[Path, RunReport]:
        target = source.with_name(f"protected-{source.name}")
        return target, protect_file(source, target, rules, self.ring, RunOptions(overwrite=True))

    def reveal(self, source: Path, rules: Policy) -> tuple[Path, RunReport]:
        target = source.with_name(f"revealed-{source.name}")
        return target, reveal_file(source, target, rules, self.ring, RunOptions(overwrite=True))

    def there_and_back(self, source: Path, rules: Policy) -> tuple[bytes, bytes]:
        """Return the protected and the revealed file."""
        protected, there = self.protect(source, rules)
        revealed, back = self.reveal(protected, rules)
        assert (there.rows, there.bytes_in) == (back.rows, back.bytes_out)
        assert there.bytes_out == back.bytes_in == protected.stat().st_size
        return protected.read_bytes(), revealed.read_bytes()

    def tokens(self, text: str, rules: Policy, column: str) -> list[str]:
        """Protect a CSV file, and return a column."""
        protected, _ = self.protect(self.write("tokens.csv", text), rules)
        return [row[column] for row in csv.DictReader(io.StringIO(protected.read_text("utf-8")))]


@pytest.fixture
def bench(tmp_path: Path, ring: Keyring) -> Bench:
    return Bench(tmp_path, ring)


# CSV, there and back.

PEOPLE = """\
id,name,born,email,card,note
1,Anne O'Neill,1970-01-01,anne@example.org,4111 1111 1111 1111,"a, b"
2,BOB,2000-02-29,bob.x@example.net,5555-5555-5555-4444,
3,,,,,empty
4,Carla-Sue,1999-12-31,c.sue@example.com,378282246310005,"two
lines"
"""

PEOPLE_RULES = """
name = format = "letters"
born = format = "date"
email = format = "email"
card = format = { type = "card", keep_last = 4 }
"""


def test_csv_comes_back_byte_for_byte(bench: Bench) -> None:
    source = bench.write("people.csv", PEOPLE)
    protected, revealed = bench.there_and_back(source, policy(PEOPLE_RULES))
    assert revealed == source.read_bytes()
    rows = list(csv.DictReader(io.StringIO(protected.decode(), newline="")))
    before = list(csv.DictReader(io.StringIO(PEOPLE, newline="")))
    for new, old in zip(rows, before, strict=True):
        assert (new["id"], new["note"]) == (old["id"], old["note"])
        for name in ("name", "born", "email", "card"):
            assert len(new[name]) == len(old[name])
            assert (new[name] == old[name]) == (old[name] == "")
        assert new["card"][-4:] == old["card"][-4:]
        assert new["email"].partition("@")[2] == old["email"].partition("@")[2]


@pytest.mark.parametrize(
    ("name", "content", "dialect"),
    [
        ("mark.csv", b"\xef\xbb\xbfid,x\r\n123456,a\r\n", ""),
        ("quoted.csv", b'"id","x"\n"123456","say ""hi"""\n"","\n"\n', ""),
        ("mixed.csv", b'id,x\n"123456",1\r\n654321,2\r111111,3', ""),
        ("tabs.tsv", b"id\tx\n123456\t\n", ""),
        ("semicolon.csv", b"id;x\n'123456';'a;b'\n", "delimiter = ';'\nquote = \"'\""),
        ("spaces.csv", b'id, x\n123456,  "a, b"\n', "skip_initial_space = true"),
        ("noquotes.csv", b'id,x\n123456,"\n', "quote = ''"),
        ("empty.csv", b"id,x\n", ""),
        ("lines.csv", b"\n\nid,x\n\n123456,1\n\n\n", ""),
        ("unicode.csv", "id,größe\n123456,\U0001f600\n".encode(), ""),
    ],
)
def test_every_dialect_comes_back(bench: Bench, name: str, content: bytes, dialect: str) -> None:
    source = bench.write(name, content)
    rules = policy('id = format = "digits"', csv=dialect)
    protected, revealed = bench.there_and_back(source, rules)
    assert revealed == content
    assert len(protected) == len(content)
    assert b"123456" not in protected


def test_csv_without_a_header(bench: Bench) -> None:
    source = bench.write("plain.csv", "123456,a\n654321,b\n")
    rules = policy('f0 = format = "digits"', csv="header = false")
    protected, revealed = bench.there_and_back(source, rules)
    assert revealed == source.read_bytes()
    assert protected.endswith(b",b\n")


def test_a_token_that_needs_quotes_gets_them(bench: Bench) -> None:
    content = "x,y\n" + "".join(f"{word:06x},1\n" for word in range(300))
    source = bench.write("ascii.csv", content)
    rules = policy('x = format = "ascii"')
    protected, _ = bench.protect(source, rules)
    tokens = [row["x"] for row in csv.DictReader(io.StringIO(protected.read_text()))]
    assert any("," in token for token in tokens)
    assert any('"' in token for token in tokens)
    assert len(set(tokens)) == 300
    revealed, _ = bench.reveal(protected, rules)
    assert list(csv.reader(io.StringIO(revealed.read_text()))) == list(
        csv.reader(io.StringIO(content))
    )


DIGITS = st.text("0123456789- ", max_size=20).filter(lambda t: sum(map(str.isdigit, t)) >= 3)
FIELD = st.one_of(st.just(""), DIGITS)
# A bare CR ends a record, here as for csv.reader, but csv.writer does not quote it before LF.
OTHER = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)


@pytest.mark.slow
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(rows=[("123", "a\rb")], newline="\n", quoting=csv.QUOTE_ALL)
@example(rows=[("123", "a\rb")], newline="\n", quoting=csv.QUOTE_MINIMAL)
@given(
    rows=st.lists(st.tuples(FIELD, OTHER), max_size=8),
    newline=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_any_csv_comes_back(
    bench: Bench, rows: Sequence[tuple[str, str]], newline: str, quoting: int
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=newline, quoting=quoting)  # type: ignore[arg-type]
    if quoting == csv.QUOTE_MINIMAL:  # before Python 3.13 the writer leaves a lone \r unquoted
        rows = [(digits, other.replace("\r", "")) for digits, other in rows]
    writer.writerows([("digits", "other"), *rows])
    source = bench.write("any.csv", out.getvalue())
    protected, revealed = bench.there_and_back(source, policy('digits = format = "digits"'))
    assert revealed == source.read_bytes()
    assert len(protected) == len(revealed)


def test_a_file_of_many_batches(bench: Bench) -> None:
    rows = 300_000  # more than are handed to a job at once
    content = "id,n\n" + "".join(f"{n:09},{n}\n" for n in range(rows))
    source = bench.write("many.csv", content)
    rules = policy('id = format = "digits"')
    done: list[tuple[int, int]] = []
    target = bench.directory / "protected.csv"
    report = protect_file(
        source, target, rules, bench.ring, RunOptions(progress=lambda *state: done.append(state))
    )
    assert report.rows == report.columns["id"].rows == rows
    assert len(done) > 2
    assert done == sorted(done)
    assert done[-1] == (len(content), len(content))
    tokens = [line.partition(",")[0] for line in target.read_text().splitlines()[1:]]
    assert len(set(tokens)) == rows
    assert bench.reveal(target, rules)[0].read_text() == content


# Parquet, there and back.


def table() -> pa.Table:
    fields = [
        pa.field("id", pa.int64(), nullable=False, metadata={"unit": "person"}),
        pa.field("name", pa.string()),
        pa.field("long", pa.large_string()),
        pa.field("small", pa.int16()),
        pa.field("unsigned", pa.uint64()),
        pa.field("born", pa.date32()),
        pa.field("seen", pa.date64()),  # Parquet makes date32 of it
        pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
        pa.field("nested", pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))),
        pa.field("price", pa.decimal128(9, 2)),
    ]
    days = [date(1970, 1, 1), None, date(2099, 12, 31), date(1900, 1, 1)]
    columns = [
        [1, 2, 3, 999_999],
        ["Anne", None, "Carla Sue", "Bob Smith"],
        ["12-34567", "7654321", None, "1111111"],
        [-32_768, 0, None, 32_767],
        [0, 2**64 - 1, None, 12],
        days,
        days[::-1],
        ["north", None, "north", "south"],
        [[{"a": 1, "b": "x"}], [], None, [{"a": None, "b": None}]],
        [Decimal("1.23"), None, Decimal("0.00"), Decimal("-5.10")],
    ]
    arrays = [pa.array(v, f.type) for v, f in zip(columns, fields, strict=True)]
    schema = pa.schema(fields, metadata={"origin": "survey", "größe": "4"})
    return pa.Table.from_arrays(arrays, schema=schema)


def decoded(table: pa.Table) -> pa.Table:
    """Decode the column of a dictionary: the order of its words may change."""
    index = table.schema.get_field_index("kind")
    return table.set_column(index, "kind", table["kind"].cast(pa.string()))


TABLE_RULES = """
id = format = { type = "integer", min = 0, max = 999_999 }
name = format = "letters"
long = format = "digits", tweak = "small"
unsigned = format = { type = "integer", min = 0, max = 18446744073709551615 }
born = format = "date"
seen = format = "date"
kind = format = "letters"
"""


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
def test_parquet_comes_back_equal(bench: Bench, codec: str) -> None:
    source = bench.directory / "people.parquet"
    pq.write_table(table(), source, compression=codec, row_group_size=3)
    rules = policy(TABLE_RULES)
    protected, there = bench.protect(source, rules)
    revealed, _ = bench.reveal(protected, rules)
    for path in (protected, revealed):
        schema = with_marker(pq.read_schema(path), None)
        assert schema.equals(pq.read_schema(source), check_metadata=True)
    original, tokens, back = (decoded(pq.read_table(p)) for p in (source, protected, revealed))
    assert back.equals(original, check_metadata=True)
    replaced = {rule.column for rule in rules.rules}
    for name in original.column_names:
        same = tokens[name].equals(original[name])
        assert same == (name not in replaced)
        assert tokens[name].is_null().equals(original[name].is_null())
    assert there.rows == 4
    nulls = {name: counts.nulls for name, counts in there.columns.items()}
    assert nulls == {name: int(name != "id") for name in replaced}
    for path in (protected, revealed):
        metadata = pq.ParquetFile(path).metadata
        assert metadata.num_row_groups == 2
        assert (
            metadata.row_group(0).column(0).compression
            == pq.ParquetFile(source).metadata.row_group(0).column(0).compression
        )


def test_no_original_is_left_in_a_protected_parquet(bench: Bench) -> None:
    names = [f"Nameofperson{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200)]
    source = bench.directory / "names.parquet"
    pq.write_table(pa.table({"name": names}), source, compression="none", use_dictionary=True)
    assert b"Nameofperson" in source.read_bytes()
    protected, _ = bench.protect(source, policy('name = format = "letters"'))
    raw = protected.read_bytes()
    assert not any(name.encode() in raw for name in names)
    statistics = pq.ParquetFile(protected).metadata.row_group(0).column(0).statistics
    tokens = pq.read_table(protected)["name"].to_pylist()
    if statistics is not None and statistics.has_min_max:
        assert (statistics.min, statistics.max) == (min(tokens), max(tokens))


def test_an_empty_parquet_file(bench: Bench) -> None:
    source = bench.write("empty.parquet", table().slice(0, 0))
    rules = policy(TABLE_RULES)
    protected, report = bench.protect(source, rules)
    assert report.rows == 0
    schema = with_marker(pq.read_schema(protected), None)
    assert schema.equals(pq.read_schema(source), check_metadata=True)


# Joins.


def test_joins_across_kinds_of_file_and_types_of_column(bench: Bench) -> None:
    numbers = [0, 17, 123_456_789, 17]
    days = [date(1970, 1, 1), date(2012, 2, 29), date(1950, 6, 30), date(2012, 2, 29)]
    words = ["Anne", "bob", "Carla", "bob"]
    text = policy(
        """
        person = format = { type = "integer", min = 0, max = 999999999 }, namespace = "person"
        day = format = { type = "date", notation = "DD.MM.YYYY" }, namespace = "day"
        word = format = "letters", namespace = "word"
        """
    )
    native = policy(
        """
        number = format = { type = "integer", min = 0, max = 999999999 }, namespace = "person"
        born = format = "date", namespace = "day"
        seen = format = "date", namespace = "day"
        label = format = "letters", namespace = "word"
        """
    )
    lines = [
        f"{number},{day:%d.%m.%Y},{word}\n"
        for number, day, word in zip(numbers, days, words, strict=True)
    ]
    source = bench.write("a.csv", "person,day,word\n" + "".join(lines))
    protected, _ = bench.protect(source, text)
    rows = list(csv.DictReader(io.StringIO(protected.read_text())))
    for integers in (pa.int64(), pa.uint32(), pa.int32()):
        columns = {
            "number": pa.array(numbers, integers),
            "born": pa.array(days, pa.date32()),
            "seen": pa.array(days, pa.date64()),
            "label": pa.array(words).dictionary_encode(),
        }
        other, _ = bench.protect(bench.write("b.parquet", pa.table(columns)), native)
        tokens = pq.read_table(other)
        assert [int(row["person"]) for row in rows] == tokens["number"].to_pylist()
        for name in ("born", "seen"):
            expected = [f"{day:%d.%m.%Y}" for day in tokens[name].to_pylist()]
            assert [row["day"] for row in rows] == expected
        assert [row["word"] for row in rows] == tokens["label"].to_pylist()
    assert rows[1] == rows[3]


IDS = "id\n123456789\n987654321\n123456789\n"


@pytest.mark.parametrize(
    "other",
    [
        'id = format = "digits", namespace = "another"',
        'id = format = "digits", key = "people:2"',
        'id = format = "digits", key = "short:1"',
        'id = format = { type = "digits", keep_last = 2 }',
        'id = format = "hex"',
    ],
)
def test_other_keys_domains_and_formats_are_unrelated(bench: Bench, other: str) -> None:
    tokens = bench.tokens(IDS, policy('id = format = "digits"'), "id")
    assert tokens[0] == tokens[2] != tokens[1]
    assert not set(tokens) & set(bench.tokens(IDS, policy(other), "id"))


def test_formats_that_differ_in_separators_alone_still_join(bench: Bench) -> None:
    one = bench.tokens(IDS, policy('id = format = "digits", namespace = "d"'), "id")
    other = bench.tokens(IDS, policy('id = format = "ssn", namespace = "d"'), "id")
    assert one == other


def test_a_newer_version_of_a_key_changes_nothing(tmp_path: Path) -> None:
    root = RootKey.generate_file(tmp_path / "root.key")
    path = tmp_path / "a.keys"
    Keyring.create(path, root).add("people")
    rules = policy('id = format = "digits"')
    before = Bench(tmp_path, Keyring.open(path, root)).tokens(IDS, rules, "id")
    Keyring.open(path, root).add("people")
    bench = Bench(tmp_path, Keyring.open(path, root))
    assert bench.tokens(IDS, rules, "id") == before
    newer = bench.tokens(IDS, policy('id = format = "digits", key = "people:2"'), "id")
    assert not set(newer) & set(before)


# Tweak columns.


def test_a_tweak_column_makes_equal_values_incomparable(bench: Bench) -> None:
    content = "id,customer\n" + "".join(f"123456789,{n % 50}\n" for n in range(100))
    rules = policy('id = format = "digits", tweak = "customer"')
    tokens = bench.tokens(content, rules, "id")
    assert len(set(tokens)) == 50
    assert tokens[:50] == tokens[50:]
    without = bench.tokens(content, policy('id = format = "digits"'), "id")
    assert len(set(without)) == 1
    assert without[0] not in tokens
    revealed, _ = bench.reveal(bench.protect(bench.directory / "tokens.csv", rules)[0], rules)
    assert revealed.read_text() == content


@pytest.mark.parametrize("form", ['"digits"', '{ type = "integer", min = 0, max = 999999999 }'])
def test_tweaks_join_as_text_and_as_integers(bench: Bench, form: str) -> None:
    rules = policy(f'id = format = {form}, tweak = "customer"')
    tokens = bench.tokens("id,customer\n123456789,-1\n123456789,12\n123456789,12\n", rules, "id")
    for kind in (pa.int8(), pa.int64(), pa.string(), pa.large_string()):
        customers = pa.array([-1, 12, 12], pa.int64()).cast(kind)
        source = bench.write(
            "t.parquet", pa.table({"id": ["123456789"] * 3, "customer": customers})
        )
        protected, _ = bench.protect(source, rules)
        assert pq.read_table(protected)["id"].to_pylist() == tokens


def test_one_tweak_column_for_several_columns(bench: Bench) -> None:
    content = "a,b,c\n123456,123456,x\n123456,123456,y\n"
    rules = policy(
        """
        a = format = "digits", tweak = "c", namespace = "d"
        b = format = "digits", tweak = "c", namespace = "d"
        """
    )
    source = bench.write("t.csv", content)
    protected, revealed = bench.there_and_back(source, rules)
    assert revealed.decode() == content
    rows = list(csv.DictReader(io.StringIO(protected.decode())))
    assert rows[0]["a"] == rows[0]["b"] != rows[1]["a"] == rows[1]["b"]


def test_a_row_without_a_tweak_does_not_fit(bench: Bench) -> None:
    source = bench.write("t.csv", "id,customer\n123456789,1\n123456789,\n,\n")
    with pytest.raises(InvalidValueError, match=r"row 2 \(line 3\): its tweak is null") as caught:
        bench.protect(source, policy('id = format = "digits", tweak = "customer"'))
    assert "123456789" not in str(caught.value)
    rules = policy('id = format = "digits", tweak = "customer", on_invalid = "keep"')
    protected, report = bench.protect(source, rules)
    assert report.columns["id"].invalid == {Reason.TWEAK: 1}
    assert report.columns["id"].nulls == 1
    assert protected.read_text().splitlines()[2:] == ["123456789,", ","]
    assert bench.reveal(protected, rules)[0].read_bytes() == source.read_bytes()


def test_a_tweak_column_of_another_type(bench: Bench) -> None:
    source = bench.write("t.parquet", pa.table({"id": ["123456"], "customer": [1.5]}))
    with pytest.raises(PolicyError) as caught:
        bench.protect(source, policy('id = format = "digits", tweak = "customer"'))
    message = str(caught.value)
    assert message.startswith(f"{source}: column 'id': tweaks must be")
    assert "double" in message
    assert "1.5" not in message


# Values that do not fit.

INVALID = "id,x\n1234567,a\n12 secret,b\n,c\n7654321,d\n1,e\n"


def test_a_value_that_does_not_fit_is_an_error_that_does_not_show_it(bench: Bench) -> None:
    source = bench.write("people.csv", INVALID)
    with pytest.raises(InvalidValueError) as caught:
        bench.protect(source, policy('id = format = "digits"'))
    message = str(caught.value)
    assert message.startswith(f"{source}: column 'id', row 2 (line 3): it has a character")
    assert "on_invalid = 'null' or 'keep'" in message
    assert "secret" not in message
    assert caught.value.row == 1
    assert listing(bench.directory) == {"people.csv"}


def test_values_that_do_not_fit_may_be_kept(bench: Bench) -> None:
    source = bench.write("people.csv", INVALID)
    rules = policy('id = format = "digits", on_invalid = "keep"')
    protected, report = bench.protect(source, rules)
    counts = report.columns["id"]
    assert (counts.rows, counts.nulls) == (5, 1)
    assert counts.invalid == {Reason.FOREIGN: 1, Reason.SHORT: 1}
    lines = protected.read_text().splitlines()
    assert (lines[2], lines[5]) == ("12 secret,b", "1,e")
    assert lines[1] != "1234567,a"
    revealed, back = bench.reveal(protected, rules)
    assert revealed.read_text() == INVALID
    assert back.columns["id"].invalid == counts.invalid


def test_values_that_do_not_fit_may_become_null(bench: Bench) -> None:
    source = bench.write("people.csv", INVALID)
    rules = policy('id = format = "digits", on_invalid = "null"')
    protected, report = bench.protect(source, rules)
    assert report.columns["id"].invalid == {Reason.FOREIGN: 1, Reason.SHORT: 1}
    assert "secret" not in protected.read_text()
    revealed, back = bench.reveal(protected, rules)
    assert revealed.read_text() == INVALID.replace("12 secret", "").replace("\n1,e", "\n,e")
    assert (back.columns["id"].nulls, back.columns["id"].invalid) == (3, {})


NUMBERS = [5, None, -1, 1_000_000, 999_999]


@pytest.mark.parametrize("on_invalid", ["null", "keep"])
def test_integers_outside_their_range(bench: Bench, on_invalid: str) -> None:
    source = bench.write("n.parquet", pa.table({"n": pa.array(NUMBERS, pa.int32())}))
    given = 'n = format = { type = "integer", min = 0, max = 999999 }'
    with pytest.raises(InvalidValueError, match="column 'n', row 3: it is outside") as caught:
        bench.protect(source, policy(given))
    assert "-1" not in str(caught.value).replace(str(source), "")
    rules = policy(f'{given}, on_invalid = "{on_invalid}"')
    protected, report = bench.protect(source, rules)
    assert report.columns["n"].invalid == {Reason.RANGE: 2}
    tokens = pq.read_table(protected)["n"].to_pylist()
    assert tokens[2:4] == ([-1, 1_000_000] if on_invalid == "keep" else [None, None])
    back = pq.read_table(bench.reveal(protected, rules)[0])["n"].to_pylist()
    assert back == (NUMBERS if on_invalid == "keep" else [5, None, None, None, 999_999])


def test_a_null_where_there_must_be_none(bench: Bench) -> None:
    schema = pa.schema([pa.field("n", pa.int32(), nullable=False)])
    source = bench.write("n.parquet", pa.table({"n": pa.array([5, -1], pa.int32())}, schema))
    rules = policy('n = format = { type = "integer", min = 0, max = 999 }, on_invalid = "null"')
    with pytest.raises(FileError, match=r"n\.parquet: column 'n' must not have nulls"):
        bench.protect(source, rules)
    assert listing(bench.directory) == {"n.parquet"}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_number_of_threads_changes_nothing(
    bench: Bench, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 2000)
    monkeypatch.setattr(tables, "SLICE_ROWS", 100)
    ids = ["1234567", None, "12 secret", "12345", "1"] * 1000
    if kind == "csv":
        content: str | pa.Table = "id,x\n" + "".join(f"{value or ''},y\n" for value in ids)
    else:
        content = pa.table({"id": ids})
    source = bench.write(f"people.{kind}", content)
    rules = policy('id = format = "digits", on_invalid = "keep"')
    seen = set()
    for threads in (1, 2, 5, None):
        target = bench.directory / f"b-{threads}.{kind}"
        report = protect_file(source, target, rules, bench.ring, RunOptions(threads=threads))
        counts = report.columns["id"]
        assert (report.rows, counts.rows, counts.nulls, counts.small) == (5000, 5000, 1000, 1000)
        assert counts.invalid == {Reason.FOREIGN: 1000, Reason.SHORT: 1000}
        seen.add(target.read_bytes())
        back = bench.directory / f"c-{threads}.{kind}"
        reveal_file(target, back, rules, bench.ring, RunOptions(threads=threads))
        if kind == "csv":
            assert back.read_bytes() == source.read_bytes()
        else:
            assert pq.read_table(back).equals(pq.read_table(source))
    assert len(seen) == 1
    with pytest.raises(ParameterError, match="threads"):
        protect_file(source, bench.directory / "d", rules, bench.ring, RunOptions(threads=0))
    assert not (bench.directory / "d").exists()


def test_rows_of_small_domains_are_counted(bench: Bench) -> None:
    source = bench.write("s.csv", "id\n12345\n123456\n\n1234567\n999\n")
    _, report = bench.protect(source, policy('id = format = "digits"'))
    assert report.columns["id"].small == 2


def test_a_wrong_check_digit_is_no_token(bench: Bench) -> None:
    source = bench.write("cards.csv", "card\n4111 1111 1111 1111\n")
    rules = policy('card = format = { type = "card", luhn = "invalid" }')
    protected, _ = bench.protect(source, rules)
    assert bench.reveal(protected, rules)[0].read_bytes() == source.read_bytes()
    with pytest.raises(
        InvalidValueError, match="check digit is wrong; it can't be a token"
    ) as caught:
        bench.reveal(source, rules)
    assert "4111" not in str(caught.value)


# Errors leave nothing, and say where.


def fails(
    bench: Bench, source: Path, rules: Policy, kind: type[Exception], *, decrypt: bool = False
) -> str:
    """Run what must fail, check that nothing is left of it, and return the message."""
    there = listing(bench.directory)
    target = bench.directory / f"target{source.suffix}"
    act = reveal_file if decrypt else protect_file
    with pytest.raises(kind) as caught:
        act(source, target, rules, bench.ring)
    assert listing(bench.directory) == there
    return str(caught.value)


@pytest.mark.parametrize("decrypt", [False, True])
@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("id,x\n" + "1234567,x\n" * 5 + "secret,x\n", "row 6 (line 7)"),
        ('id,x\n"1234567","a\nb"\nsecret,x\n', "row 2 (line 4)"),
        ('id,x\r\n"1234567",x\r\n\r\n"secret",x', "row 2 (line 4)"),
        ("id,x\n" + "1234567,x\n" * 200_000 + "secret,x\n", "row 200001 (line 200002)"),
    ],
)
def test_an_error_names_its_row(bench: Bench, content: str, place: str, decrypt: bool) -> None:
    source = bench.write("people.csv", content)
    rules = policy('id = format = "digits"')
    message = fails(bench, source, rules, InvalidValueError, decrypt=decrypt)
    assert message.startswith(f"{source}: column 'id', {place}: ")
    assert "secret" not in message


def test_an_error_in_a_later_row_group(bench: Bench) -> None:
    values = ["1234567"] * 10
    values[7] = "secret"
    source = bench.directory / "people.parquet"
    pq.write_table(pa.table({"id": values}), source, row_group_size=4)
    message = fails(bench, source, policy('id = format = "digits"'), InvalidValueError)
    assert message.startswith(f"{source}: column 'id', row 8: ")
    assert "secret" not in message


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "name\nsecret\n", "no column 'id'"),
        ("a.csv", "id,id\n1,2\n", "2 columns are named 'id'"),
        ("a.csv", "", "there is no header"),
        ("a.csv", "id,x\n1234567,a,secret\n", "row 1 (line 2): 3 fields, not 2"),
        ("a.csv", 'id,x\n1234567,"secret\n', "row 1 (line 2): a quote is never closed"),
        ("a.csv", b"id,x\n1234567,a\n\xff\xfe\xfd,b\n", "column 'id', row 2 (line 3): not UTF-8"),
        ("a.csv", "id,x\n1234567,a\n".encode("utf-16"), "UTF-16"),
        ("a.parquet", b"secret", "not a Parquet file"),
        ("a.parquet", pa.table({"name": ["secret"]}), "no column 'id'"),
        ("a.dat", "id\n1234567\n", "the kind of file is unknown"),
    ],
)
def test_an_error_in_a_file_names_the_file(
    bench: Bench, name: str, content: str | bytes | pa.Table, said: str
) -> None:
    source = bench.write(name, content)
    message = fails(bench, source, policy('id = format = "digits"'), FileError)
    assert message.startswith(f"{source}: ")
    assert said in message
    assert "secret" not in message


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (pa.array([1.5]), '"digits"'),
        (pa.array([123456]), '"digits"'),
        (pa.array([["123456"]]), '"digits"'),
        (pa.array([b"123456"], pa.binary(6)), '"digits"'),
        (pa.array(["2000-01-01"]).cast(pa.timestamp("s")), '"date"'),
        (pa.array([1], pa.int8()), '{ type = "integer", min = 0, max = 999 }'),
        (pa.array([1], pa.int64()), '{ type = "integer", min = 0, max = 9223372036854775808 }'),
    ],
)
def test_a_type_that_a_format_can_not_have(bench: Bench, values: pa.Array, form: str) -> None:
    source = bench.write("a.parquet", pa.table({"id": values}))
    rules = policy(f"id = format = {form}")
    message = fails(bench, source, rules, PolicyError)
    assert message.startswith(f"{source}: column 'id': ")
    kind = str(pq.read_schema(source).field("id").type)
    assert kind.partition("<")[0] in message
    with pytest.raises(PolicyError) as caught:
        preview_file(source, rules, bench.ring)
    assert str(caught.value) == message


@pytest.mark.parametrize("key", ["people:3", "nobody:1"])
def test_a_key_that_is_not_there(bench: Bench, key: str) -> None:
    source = bench.write("a.csv", IDS)
    rules = policy(f'id = format = "digits", key = "{key}"')
    message = fails(bench, source, rules, KeyringError)
    assert message.startswith("column 'id': ")
    assert f"no key {key}" in message


def test_a_source_that_is_not_there(bench: Bench) -> None:
    for suffix in ("csv", "parquet"):
        source = bench.directory / f"nowhere.{suffix}"
        message = fails(bench, source, policy('id = format = "digits"'), FileError)
        assert message == f"{source}: No such file or directory"


def test_a_target_of_another_kind(bench: Bench) -> None:
    source = bench.write("a.csv", IDS)
    target = bench.directory / "a.parquet"
    with pytest.raises(FileError, match=r"a\.parquet: the run writes a csv file"):
        protect_file(source, target, policy('id = format = "digits"'), bench.ring)
    assert not target.exists()


def test_a_target_that_exists(bench: Bench) -> None:
    source, target = bench.write("a.csv", IDS), bench.write("b.csv", "precious")
    rules = policy('id = format = "digits"')
    with pytest.raises(FileError, match=r"b\.csv exists"):
        protect_file(source, target, rules, bench.ring)
    assert target.read_text() == "precious"
    protect_file(source, target, rules, bench.ring, RunOptions(overwrite=True))
    assert len(target.read_text()) == len(IDS)
    assert listing(bench.directory) == {"a.csv", "b.csv", "b.csv.tallystick.json"}


def test_a_target_that_exists_outlives_an_error(bench: Bench) -> None:
    source, target = bench.write("a.csv", INVALID), bench.write("b.csv", "precious")
    with pytest.raises(InvalidValueError):
        protect_file(
            source, target, policy('id = format = "digits"'), bench.ring, RunOptions(overwrite=True)
        )
    assert target.read_text() == "precious"
    assert listing(bench.directory) == {"a.csv", "b.csv"}


def test_a_file_can_be_replaced_by_its_tokens(bench: Bench) -> None:
    source = bench.write("a.csv", IDS)
    rules = policy('id = format = "digits"')
    protect_file(source, source, rules, bench.ring, RunOptions(overwrite=True))
    assert source.read_text() != IDS
    reveal_file(source, source, rules, bench.ring, RunOptions(overwrite=True))
    assert source.read_text() == IDS


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_full_disk_leaves_nothing(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = bench.ids(name)
    fail_fsync(monkeypatch, 1)
    message = fails(bench, source, policy('id = format = "digits"'), FileError)
    assert "No space left on device" in message


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_an_interruption_leaves_nothing(bench: Bench, name: str) -> None:
    source = bench.ids(name)

    def interrupt(done: int, total: int) -> None:
        assert any(entry.endswith(".part") for entry in listing(bench.directory))
        raise KeyboardInterrupt

    target = bench.directory / f"b-{name}"
    with pytest.raises(KeyboardInterrupt):
        rules = policy('id = format = "digits"')
        protect_file(source, target, rules, bench.ring, RunOptions(progress=interrupt))
    assert listing(bench.directory) == {name}


# Who may read.


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_revealed_file_is_for_its_owner_alone(bench: Bench, name: str) -> None:
    source = bench.ids(name)
    rules = policy('id = format = "digits"')
    before = os.umask(0o022)
    try:
        protected, _ = bench.protect(source, rules)
        revealed, _ = bench.reveal(protected, rules)
    finally:
        os.umask(before)
    assert stat.S_IMODE(protected.stat().st_mode) == 0o644
    assert stat.S_IMODE(revealed.stat().st_mode) == 0o600


# Preview.


def test_a_preview_shows_what_a_run_does(bench: Bench) -> None:
    source = bench.write("people.csv", PEOPLE)
    rules = policy(PEOPLE_RULES)
    columns = preview_file(source, rules, bench.ring, rows=3).columns
    protected, _ = bench.protect(source, rules)
    tokens = list(csv.DictReader(io.StringIO(protected.read_text(), newline="")))
    originals = list(csv.DictReader(io.StringIO(PEOPLE, newline="")))
    assert [column.name for column in columns] == ["name", "born", "email", "card"]
    for column in columns:
        assert column.before == [row[column.name] or None for row in originals[:3]]
        assert column.after == [row[column.name] or None for row in tokens[:3]]
        assert column.problems == [None] * 3
    back = preview_file(protected, rules, bench.ring, rows=3, decrypt=True).columns
    assert [(c.before, c.after) for c in back] == [(c.after, c.before) for c in columns]
    made = {"protected-people.csv", "protected-people.csv.tallystick.json"}
    assert listing(bench.directory) == {"people.csv"} | made


def test_a_preview_of_parquet(bench: Bench) -> None:
    source = bench.write("people.parquet", table())
    rules = policy(TABLE_RULES)
    columns = preview_file(source, rules, bench.ring, rows=100).columns
    tokens = pq.read_table(bench.protect(source, rules)[0])
    for column in columns:
        for shown, real in ((column.before, table()), (column.after, tokens)):
            plain = [None if v is None else str(v) for v in real[column.name].to_pylist()]
            assert shown == plain


@pytest.mark.parametrize(
    ("on_invalid", "after"), [("error", "12 secret"), ("keep", "12 secret"), ("null", None)]
)
def test_a_preview_tells_of_values_that_do_not_fit(
    bench: Bench, on_invalid: str, after: str | None
) -> None:
    source = bench.write("people.csv", INVALID)
    (column,) = preview_file(
        source, policy(f'id = format = "digits", on_invalid = "{on_invalid}"'), bench.ring, rows=3
    ).columns
    assert column.problems == [None, f"{Reason.FOREIGN} (a letter, character 4)", None]
    assert column.before == ["1234567", "12 secret", None]
    assert column.after[1:] == [after, None]


def test_a_preview_of_a_file_without_rows(bench: Bench) -> None:
    for source in (
        bench.write("a.csv", "id\n"),
        bench.write("a.parquet", pa.table({"id": pa.array([], pa.string())})),
    ):
        (column,) = preview_file(source, policy('id = format = "digits"'), bench.ring).columns
        assert (column.before, column.after, column.problems) == ([], [], [])


def test_a_preview_that_can_not_be(bench: Bench) -> None:
    rules = policy('id = format = "digits"')
    with pytest.raises(FileError, match="no column 'id'"):
        preview_file(bench.write("a.csv", "name\nx\n"), rules, bench.ring)
    with pytest.raises(FileError, match="No such file"):
        preview_file(bench.directory / "b.csv", rules, bench.ring)
    with pytest.raises(KeyringError, match="column 'id'"):
        preview_file(
            bench.directory / "a.csv", policy('id = format = "digits", key = "no:1"'), bench.ring
        )


def test_a_name_that_says_nothing_about_the_kind(bench: Bench) -> None:
    source = bench.write("a.data", IDS)
    target = bench.directory / "b.data"
    rules = policy('id = format = "digits"')
    report = protect_file(source, target, rules, bench.ring, RunOptions(kind=FileKind.CSV))
    assert report.rows == 3
    (column,) = preview_file(
        source, rules, bench.ring, RunOptions(kind=FileKind.CSV), rows=2
    ).columns
    assert column.after == target.read_text().split()[1:3]
