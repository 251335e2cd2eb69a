# SPDX-License-Identifier: Apache-2.0
"""Rotated files are what protecting under the new keys makes, byte for byte."""

from __future__ import annotations

import csv
import io
import os
import stat
import string
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files_support import written
from keyring_support import listing, make_ring
from tallystick import formats
from tallystick.errors import InvalidValueError, KeyringError, ParameterError, PolicyError
from tallystick.files import CsvOptions, csv_blocks, tables
from tallystick.files.marker import sidecar_of
from tallystick.formats import Reason
from tallystick.keyring import KeyId, Keyring
from tallystick.policy import Policy
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions, RunReport, protect_file, reveal_file
from tallystick.rotation import rotate_file
from tallystick.tokenizer import Outcome, Tokenizer

KEYS = {KeyId("a", 1): KeyId("a", 2)}


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Keyring:
    directory = tmp_path_factory.mktemp("ring")
    ring = make_ring(directory / "a.keys")
    for name in ("a", "b"):
        ring.add(name)
        ring.rotate(name, 16)
    return ring


def policy(*columns: str, csv: str = "") -> Policy:
    """Read a policy of columns, each given as ``name: keys``; most have key a:1."""
    text = "[columns]\n"
    for column in columns:
        name, given = column.split(": ", 1)
        key = "" if "key = " in given else ', key = "a:1"'
        text += f'{name} = {{ {given}{key}, namespace = "{name}" }}\n'
    return Policy.parse(text + (f"[csv]\n{csv}\n" if csv else ""))


class Bench:
    """A directory, a key ring, and a file on its way."""

    def __init__(self, directory: Path, ring: Keyring) -> None:
        self.directory = directory
        self.ring = ring
        self.files = 0

    def next_to(self, path: Path) -> Path:
        """Return a name that is not in use."""
        self.files += 1
        return self.directory / f"{self.files}{path.suffix}"

    def write(self, name: str, content: str | bytes | pa.Table) -> Path:
        return written(self.directory / name, content)

    def through(self, act: Callable[..., RunReport], source: Path, *rules: Policy) -> Path:
        """Take a file through policies, one after another."""
        for each in rules:
            target = self.next_to(source)
            act(source, target, each, self.ring)
            source = target
        return source

    def rotate(
        self,
        source: Path,
        *pairs: tuple[Policy, Policy],
        **options: Any,  # noqa: ANN401
    ) -> tuple[Path, RunReport]:
        target = self.next_to(source)
        return target, rotate_file(source, target, pairs, self.ring, RunOptions(**options))

    def check(
        self, source: Path, *pairs: tuple[Policy, Policy], lossless: bool = True
    ) -> RunReport:
        """Check that rotation makes what the new policies make, and they reveal it."""
        olds, news = [old for old, _ in pairs], [new for _, new in pairs]
        protected = self.through(protect_file, source, *olds)
        before = protected.read_bytes()
        rotated, report = self.rotate(protected, *pairs)
        assert protected.read_bytes() == before
        expected = self.through(protect_file, source, *news)
        assert rotated.read_bytes() == expected.read_bytes()
        back, _ = self.rotate(rotated, *((new, old) for old, new in pairs))
        assert back.read_bytes() == before
        if lossless:
            revealed = self.through(reveal_file, rotated, *reversed(news))
            if source.suffix == ".csv":
                assert revealed.read_bytes() == source.read_bytes()
            else:
                assert pq.read_table(revealed).equals(pq.read_table(source))
        return report


@pytest.fixture
def bench(tmp_path: Path, ring: Keyring) -> Bench:
    return Bench(tmp_path, ring)


def rotated(rules: Policy) -> tuple[Policy, Policy]:
    """Return a policy, and the same with key a:2 instead of a:1."""
    return rules, with_keys(rules, KEYS)


# Every format.


def words(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most)


@st.composite
def cards(draw: st.DrawFn) -> str:
    digits = draw(words(string.digits, 11, 18))
    # The check digit: every second digit from the right, itself left out, counts twice.
    twice = [int(digit) * (2 - index % 2) for index, digit in enumerate(reversed(digits))]
    digits += str(-sum(number // 10 + number % 10 for number in twice) % 10)
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))
EMAILS = st.tuples(
    words(string.ascii_lowercase + string.digits + "._+", 3, 20),
    words(string.ascii_lowercase + ".", 1, 12),
).map("@".join)
ALNUM = string.ascii_letters + string.digits
PRINTABLE = "".join(map(chr, range(32, 127)))
BIG = 9_999_999_999

FORMATS: dict[str, tuple[str, st.SearchStrategy[str]]] = {
    "digits": ('"digits"', words(string.digits + " -", 0, 30)),
    "digits, ends kept": (
        '{ type = "digits", keep_first = 2, keep_last = 1 }',
        words(string.digits, 0, 30),
    ),
    "tiny digits": ('{ type = "digits", allow_tiny_domain = true }', words(string.digits, 0, 4)),
    "hex": ('{ type = "hex", case = "upper" }', words("0123456789ABCDEF", 0, 40)),
    "letters": ('"letters"', words(string.ascii_letters + " '", 0, 20)),
    "mixed letters": ('{ type = "letters", case = "mixed" }', words(string.ascii_letters, 0, 20)),
    "lower letters": ('{ type = "letters", case = "lower" }', words(string.ascii_letters, 0, 20)),
    "alphanumeric": ('"alphanumeric"', words(ALNUM + "- ", 0, 30)),
    "base64url": ('"base64url"', words(ALNUM + "-_", 0, 40)),
    "ascii": ('"ascii"', words(PRINTABLE, 0, 30)),
    "alphabet": ('{ type = "alphabet", alphabet = "ACGT" }', words("ACGTN", 0, 30)),
    "card": ('"card"', cards()),
    "card, ends kept": ('{ type = "card", keep_first = 6, keep_last = 4 }', cards()),
    "card, invalid": ('{ type = "card", luhn = "invalid" }', cards()),
    "card, none": ('{ type = "card", luhn = "none" }', words(string.digits, 10, 20)),
    "ssn": ('"ssn"', words(string.digits, 9, 9)),
    "phone": ('"phone"', words(string.digits + " ()", 5, 20).map("+".__add__)),
    "email": ('"email"', EMAILS),
    "whole email": ('{ type = "email", part = "all" }', EMAILS),
    "mixed email": ('{ type = "email", case = "mixed" }', EMAILS.map(str.title)),
    "uuid": ('"uuid"', st.uuids().map(str)),
    "date": ('"date"', DAYS.map(date.isoformat)),
    "German date": (
        '{ type = "date", notation = "DD.MM.YYYY" }',
        DAYS.map(lambda day: f"{day:%d.%m.}{day.year:04}"),
    ),
    "integer": (
        f'{{ type = "integer", min = -10, max = {BIG} }}',
        st.integers(-20, BIG + 10).map(str),
    ),
}
# OnInvalid are: what another format has, text beyond ASCII, and what is nearly right.
FOREIGN = st.sampled_from(
    ["1", "é", "1234\u0661", "a@b@c", "1999-02-29", "007", "x y", "4111111111111112"]
)


def rows_of(*columns: st.SearchStrategy[Any]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Rows of a value for each column, and a tweak."""
    given = (st.one_of(values, values, values, FOREIGN, st.none()) for values in columns)
    return st.lists(st.tuples(*given, words(string.digits, 0, 2)), max_size=15)


def csv_of(names: Sequence[str], rows: Sequence[tuple[str | None, ...]]) -> str:
    """Write rows so that no token needs quotes that its value had not."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([(*names, "y"), *((*(value or "" for value in row), "1") for row in rows)])
    return out.getvalue()


FEW = settings(max_examples=25, suppress_health_check=list(HealthCheck))


LOSSY = "card, invalid"
"""It can't keep what is invalid."""
FAITHFUL = [name for name in FORMATS if name != LOSSY]


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [(LOSSY,), *(FAITHFUL[i : i + 4] for i in range(0, len(FAITHFUL), 4))], ids="; ".join
)
@FEW
@given(data=st.data())
def test_every_format(bench: Bench, names: Sequence[str], data: st.DataObject) -> None:
    rows = data.draw(rows_of(*(FORMATS[name][1] for name in names)))
    on_invalid = data.draw(st.sampled_from(["null"] if LOSSY in names else ["null", "keep"]))
    columns = [f"x{number}" for number in range(len(names))]
    rules = [
        f'{column}: format = {FORMATS[name][0]}, on_invalid = "{on_invalid}"'
        + data.draw(st.sampled_from(["", ', tweak = "t"']))
        for column, name in zip(columns, names, strict=True)
    ]
    pair = rotated(policy(*rules))
    kind = data.draw(st.sampled_from([pa.string(), pa.large_string()]))
    table = pa.table(
        [pa.array([row[i] for row in rows], kind) for i in range(len(names) + 1)],
        [*columns, "t"],
    )
    for content in (csv_of([*columns, "t"], rows), table):
        suffix = "csv" if isinstance(content, str) else "parquet"
        report = bench.check(
            bench.write(f"a.{suffix}", content), pair, lossless=on_invalid == "keep"
        )
        assert [report.columns[column].rows for column in columns] == [len(rows)] * len(names)
        assert report.rows == len(rows)


TYPED: dict[str, tuple[str, pa.DataType, st.SearchStrategy[Any]]] = {
    "int64": (FORMATS["integer"][0], pa.int64(), st.integers(-20, BIG + 10)),
    "int16": (
        '{ type = "integer", min = -300, max = 32767 }',
        pa.int16(),
        st.integers(-310, 32767),
    ),
    "uint64": (
        '{ type = "integer", min = 0, max = 18446744073709551615 }',
        pa.uint64(),
        st.integers(0, 2**64 - 1),
    ),
    "date32": ('"date"', pa.date32(), DAYS),
    "date64": ('"date"', pa.date64(), DAYS),
    "late date32": ('{ type = "date", first = 1950-01-01 }', pa.date32(), DAYS),
    "dictionary": ('"letters"', pa.dictionary(pa.int16(), pa.string()), FORMATS["letters"][1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPED)
@FEW
@given(data=st.data())
def test_every_type(bench: Bench, name: str, data: st.DataObject) -> None:
    form, kind, values = TYPED[name]
    rows = data.draw(st.lists(st.one_of(values, values, st.none()), max_size=30))
    on_invalid = data.draw(st.sampled_from(["null", "keep"]))
    more = data.draw(st.sampled_from(["", ', tweak = "t"']))
    tweaks = pa.array([number % 7 for number in range(len(rows))], pa.int32())
    source = bench.write("a.parquet", pa.table({"x": pa.array(rows, kind), "t": tweaks}))
    pair = rotated(policy(f'x: format = {form}, on_invalid = "{on_invalid}"{more}'))
    bench.check(source, pair, lossless=on_invalid == "keep" and name != "dictionary")


def test_quotes_that_tokens_needed_stay(bench: Bench) -> None:
    content = "x\n" + "".join(f"{word:06x}\n" for word in range(300))
    source = bench.write("a.csv", content)
    old, new = rotated(policy('x: format = "ascii"'))
    protected = bench.through(protect_file, source, old)
    target, _ = bench.rotate(protected, (old, new))
    back = bench.through(reveal_file, target, new).read_text()
    assert list(csv.reader(io.StringIO(back))) == list(csv.reader(io.StringIO(content)))
    assert '"' in back


# What changes, and what does not.

PEOPLE = 'id,name,note\n1234567,Anne,a\r\n"7654321",Bob,"b, ""c"""\n,,\n1111111,Carla,1234567\n'
PEOPLE_RULES = ('id: format = "digits"', 'name: format = "letters", key = "b:1"')


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_column_whose_key_stays_is_copied(bench: Bench, suffix: str) -> None:
    text = {"id": ["1234567", None], "name": ["Anne", "Bob"], "note": ["1234567", ""]}
    content = PEOPLE if suffix == "csv" else pa.table(text)
    source = bench.write(f"a.{suffix}", content)
    pair = rotated(policy(*PEOPLE_RULES))
    report = bench.check(source, pair)
    assert list(report.columns) == ["id"]
    protected = bench.through(protect_file, source, pair[0])
    before, after = (
        list(csv.DictReader(io.StringIO(path.read_text())))
        if suffix == "csv"
        else pq.read_table(path).to_pylist()
        for path in (protected, bench.rotate(protected, pair)[0])
    )
    for old, new in zip(before, after, strict=True):
        assert (old["name"], old["note"]) == (new["name"], new["note"])
        assert (old["id"] == new["id"]) == (not old["id"])


def test_keys_that_are_not_used_need_not_be_there(bench: Bench) -> None:
    rules = policy(PEOPLE_RULES[0], 'name: format = "letters", key = "lost:1"')
    pair = rotated(rules)
    source = bench.write("a.csv", PEOPLE)
    protected = bench.through(protect_file, source, policy(PEOPLE_RULES[0]))
    sidecar_of(protected).unlink()  # which says that the other column is not protected
    target, _ = bench.rotate(protected, pair)
    assert target.read_bytes() == bench.through(protect_file, source, with_keys(
        policy(PEOPLE_RULES[0]), KEYS)).read_bytes()  # fmt: skip


def test_several_keys_at_once(bench: Bench) -> None:
    old = policy(*PEOPLE_RULES)
    swapped = {KeyId("a", 1): KeyId("b", 1), KeyId("b", 1): KeyId("a", 1)}
    report = bench.check(bench.write("a.csv", PEOPLE), (old, with_keys(old, swapped)))
    assert list(report.columns) == ["id", "name"]


def test_other_orders_of_columns_are_the_same(bench: Bench) -> None:
    old = policy(*PEOPLE_RULES)
    new = with_keys(policy(*reversed(PEOPLE_RULES)), KEYS)
    bench.check(bench.write("a.csv", PEOPLE), (old, new))


def test_a_file_can_be_replaced(bench: Bench) -> None:
    pair = rotated(policy(*PEOPLE_RULES))
    path = bench.through(protect_file, bench.write("a.csv", PEOPLE), pair[0])
    rotate_file(path, path, [pair], bench.ring, RunOptions(overwrite=True))
    assert (
        bench.through(reveal_file, path, pair[1]).read_text()
        == Path(bench.directory / "a.csv").read_text()
    )


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_the_target_is_of_tokens_and_has_their_mode(bench: Bench) -> None:
    pair = rotated(policy(*PEOPLE_RULES))
    protected = bench.through(protect_file, bench.write("a.csv", PEOPLE), pair[0])
    before = os.umask(0o027)
    try:
        target, _ = bench.rotate(protected, pair)
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_number_of_threads_changes_nothing(
    bench: Bench, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 2000)
    monkeypatch.setattr(tables, "SLICE_ROWS", 100)
    rows = [(f"{n:09}" if n % 3 else None, str(n % 5)) for n in range(3000)]
    table = pa.table({"x": [value for value, _ in rows], "t": [tweak for _, tweak in rows]})
    source = bench.write(f"a.{suffix}", csv_of(["x", "t"], rows) if suffix == "csv" else table)
    pair = rotated(policy('x: format = "digits", tweak = "t"'))
    bench.check(source, pair)
    protected = bench.through(protect_file, source, pair[0])
    seen = set()
    for threads in (1, 2, 5):
        done: list[tuple[int, int]] = []
        target, report = bench.rotate(
            protected,
            pair,
            threads=threads,
            progress=lambda *state: done.append(state),  # noqa: B023
        )
        seen.add(target.read_bytes())
        counts = report.columns["x"]
        assert (counts.rows, counts.nulls, counts.invalid, counts.small) == (3000, 1000, {}, 0)
        assert done == sorted(done)
        assert len(done) > 2 or suffix == "parquet"
    assert len(seen) == 1


# Tweak columns that are protected as well, by another policy.

CUSTOMER = 'customer: format = "digits", key = "{}"'
ACCOUNT = 'account: format = {{ type = "integer", min = 0, max = 99999999 }}, key = "{}"'
REGION = 'region: format = "letters", key = "{}"'


def customers(suffix: str) -> str | pa.Table:
    rows = [(f"{n % 4:07}" if n % 9 else None, n * 13 % 50, "abcd"[n % 4] * 5) for n in range(60)]
    if suffix == "csv":
        lines = [f"{customer or ''},{account},{region}\n" for customer, account, region in rows]
        return "customer,account,region\n" + "".join(lines)
    columns = list(zip(*rows, strict=True))
    return pa.table(dict(zip(("customer", "account", "region"), columns, strict=True)))


CHANGES = [("a:2", "b:1"), ("a:1", "b:2"), ("a:2", "b:2")]
"""New keys of customer, whose key was a:1, and account, whose key was b:1."""


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(("customer", "account"), CHANGES)
@pytest.mark.parametrize("first", ["customer", "account"])
def test_a_tweak_column_that_another_policy_protects(
    bench: Bench, suffix: str, first: str, customer: str, account: str
) -> None:
    def layers(customer: str, account: str) -> list[Policy]:
        made = {
            "customer": policy(CUSTOMER.format(customer) + ', tweak = "region"'),
            "account": policy(
                ACCOUNT.format(account) + ', tweak = "customer", on_invalid = "keep"'
            ),
        }
        return [made.pop(first), *made.values()]

    source = bench.write(f"a.{suffix}", customers(suffix))
    pairs = list(zip(layers("a:1", "b:1"), layers(customer, account), strict=True))
    report = bench.check(source, *pairs)
    # Tokens as tweaks change with their key; originals do not.
    touched = {"customer"} if customer != "a:1" else set()
    if account != "b:1" or (first == "customer" and customer != "a:1"):
        touched.add("account")
    assert set(report.columns) == touched
    if "account" in touched:
        assert report.columns["account"].invalid == {Reason.TWEAK: 7}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("order", ["cra", "car", "rca", "rac", "acr", "arc"])
@pytest.mark.parametrize("changed", ["c", "r", "a", "cra"])
def test_a_chain_of_tweak_columns(bench: Bench, suffix: str, order: str, changed: str) -> None:
    def layers(new: str) -> list[Policy]:
        lines = {
            "c": CUSTOMER.format("a:2" if "c" in new else "a:1") + ', tweak = "region"',
            "r": REGION.format("b:2" if "r" in new else "b:1"),
            "a": ACCOUNT.format("a:2" if "a" in new else "a:1")
            + ', tweak = "customer", on_invalid = "keep"',
        }
        return [policy(lines[letter]) for letter in order]

    source = bench.write(f"a.{suffix}", customers(suffix))
    bench.check(source, *zip(layers(""), layers(changed), strict=True))


def test_columns_that_are_each_others_tweaks(bench: Bench) -> None:
    def layers(customer: str, account: str) -> list[Policy]:
        fate = ', on_invalid = "keep"'
        return [
            policy(CUSTOMER.format(customer) + ', tweak = "account"' + fate),
            policy(ACCOUNT.format(account) + ', tweak = "customer"' + fate),
        ]

    source = bench.write("a.csv", customers("csv"))
    for keys in CHANGES:
        bench.check(source, *zip(layers("a:1", "b:1"), layers(*keys), strict=True))


@pytest.mark.parametrize("first", ["tweak", "value"])
def test_what_a_tweak_column_has_is_not_counted_twice(bench: Bench, first: str) -> None:
    old = {
        "tweak": policy('tweak: format = "letters", on_invalid = "keep"'),
        "value": policy('value: format = "digits", tweak = "tweak", on_invalid = "keep"'),
    }
    layers = [old.pop(first), *old.values()]
    source = bench.write("a.csv", "value,tweak\n123456789,abc\n1,abcdef\n,1\n123456789,2\n")
    columns = bench.check(source, *map(rotated, layers)).columns
    value, tweak = columns["value"], columns["tweak"]
    assert (value.rows, value.nulls, value.small, value.invalid) == (4, 1, 0, {Reason.SHORT: 1})
    assert (tweak.rows, tweak.nulls, tweak.small, tweak.invalid) == (4, 0, 1, {Reason.FOREIGN: 2})


def test_an_invalid_tweak_is_named(bench: Bench) -> None:
    later = policy(CUSTOMER.format("a:1"))
    pairs = [rotated(policy('account: format = "digits", tweak = "customer"')), (later, later)]
    source = bench.write("a.csv", "customer,account\n1234567,123456\nsecret,123456\n")
    with pytest.raises(InvalidValueError) as caught:
        bench.rotate(source, *pairs)
    message = str(caught.value)
    where = "column 'account', row 2 (line 3): in its tweak column 'customer': it has a character"
    assert where in message
    assert "secret" not in message


def test_an_original_whose_new_tweak_is_too_long_is_not_written(bench: Bench) -> None:
    # A row's tweak is nearly as long as may be, and tokens of customers have 4 to 6 digits.
    number = 'customer: format = { type = "integer", min = 0, max = 999999 }'
    mail = 'mail: format = "email", tweak = "customer", on_invalid = "keep", key = "b:1"'
    lines = [
        f"{n},secret{n:06}@{'d' * length}\n"
        for n, length in enumerate(list(range(700, 1000)) + list(range(860, 900)) * 50)
    ]
    source = bench.write("a.csv", "customer,mail\n" + "".join(lines))
    inner, outer = rotated(policy(number)), policy(mail)
    protected = bench.through(protect_file, source, inner[0], outer)
    there = listing(bench.directory)
    target = bench.directory / "target.csv"
    with pytest.raises(
        InvalidValueError,
        match=r"'mail', row .*(does not fit the new policy: .*too long|is no token of the old)",
    ):
        rotate_file(protected, target, [inner, (outer, outer)], bench.ring)
    assert listing(bench.directory) == there


# Values that are no tokens.

INVALID = "x,y\n1234567,a\n12 secret,b\n,c\n7654321,d\n1,e\n"


def test_kept_values_stay_kept(bench: Bench) -> None:
    source = bench.write("a.csv", INVALID)
    pair = rotated(policy('x: format = "digits", on_invalid = "keep"'))
    report = bench.check(source, pair)
    assert report.columns["x"].invalid == {Reason.FOREIGN: 1, Reason.SHORT: 1}
    target, _ = bench.rotate(bench.through(protect_file, source, pair[0]), pair)
    lines = target.read_text().splitlines()
    assert (lines[2], lines[5]) == ("12 secret,b", "1,e")


def test_values_that_became_null_stay_null(bench: Bench) -> None:
    source = bench.write("a.csv", INVALID)
    pair = rotated(policy('x: format = "digits", on_invalid = "null"'))
    counts = bench.check(source, pair, lossless=False).columns["x"]
    assert (counts.nulls, counts.invalid) == (3, {})


def test_what_is_no_token_becomes_null_where_invalid_values_do(bench: Bench) -> None:
    source = bench.write("a.csv", INVALID)  # never protected: values that no token looks like
    target, report = bench.rotate(
        source, rotated(policy('x: format = "digits", on_invalid = "null"'))
    )
    assert report.columns["x"].invalid == {Reason.FOREIGN: 1, Reason.SHORT: 1}
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert [bool(row["x"]) for row in rows] == [True, False, False, True, False]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_no_token_is_an_error_otherwise(bench: Bench, suffix: str) -> None:
    table = pa.table({"x": ["1234567", "12 secret"]})
    source = bench.write(f"a.{suffix}", INVALID if suffix == "csv" else table)
    target = bench.directory / f"b.{suffix}"
    with pytest.raises(InvalidValueError) as caught:
        rotate_file(source, target, [rotated(policy('x: format = "digits"'))], bench.ring)
    message = str(caught.value)
    line = " (line 3)" if suffix == "csv" else ""
    assert message.startswith(f"{source}: column 'x', row 2{line}: it has a character")
    assert message.endswith("pass the policy that protected the data")
    assert "secret" not in message
    assert caught.value.row == 1
    assert listing(bench.directory) == {source.name}


def test_a_wrong_check_digit_is_no_token(bench: Bench) -> None:
    source = bench.write("a.csv", "x\n4111 1111 1111 1111\n")
    pair = rotated(policy('x: format = { type = "card", luhn = "invalid" }'))
    bench.check(source, pair)
    with pytest.raises(InvalidValueError, match="check digit is wrong") as caught:
        bench.rotate(source, pair)
    assert "4111" not in str(caught.value)


# Originals.


def seen_decrypted(monkeypatch: pytest.MonkeyPatch) -> list[pa.Array]:
    """Keep every array that a tokenizer reveals."""
    seen: list[pa.Array] = []
    outcome = Tokenizer.outcome

    def spy(self: Tokenizer, *arguments: Any, decrypt: bool) -> Outcome:  # noqa: ANN401
        result = outcome(self, *arguments, decrypt=decrypt)
        if decrypt:
            seen.append(result.array)
        return result

    monkeypatch.setattr(Tokenizer, "outcome", spy)
    return seen


ORIGINALS: dict[str, tuple[str, pa.Array]] = {
    "digits": ('"digits"', pa.array([f"{n:09}" for n in range(500)])),
    "nulls": ('"digits"', pa.array(["123456789", None] * 50, pa.large_string())),
    "on_invalid": ('"digits", on_invalid = "null"', pa.array(["123456789", "1"] * 50)),
    "card": ('"card"', pa.array(["4111 1111 1111 1111"] * 9)),
    "integer": ('{ type = "integer", min = 0, max = 999999 }', pa.array(range(500), pa.int64())),
    "narrow": ('{ type = "integer", min = 0, max = 9999 }', pa.array(range(500), pa.int16())),
    "integer text": (
        '{ type = "integer", min = 0, max = 999999 }',
        pa.array([str(n) for n in range(500)]),
    ),
    "date": ('"date"', pa.array([date(2000, 1, 1) + timedelta(n) for n in range(500)])),
    "date text": ('"date"', pa.array(["2000-01-01", "2000-01-02"] * 50)),
}


@pytest.mark.parametrize("name", ORIGINALS)
def test_originals_are_overwritten(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, values = ORIGINALS[name]
    source = bench.write("a.parquet", pa.table({"x": values}))
    pair = rotated(policy(f"x: format = {form}"))
    protected = bench.through(protect_file, source, pair[0])
    seen = seen_decrypted(monkeypatch)
    rotated_path, _ = bench.rotate(protected, pair)
    assert [len(array) for array in seen] == [len(values)]
    for array in seen:
        assert not np.frombuffer(array.buffers()[-1], np.uint8).any()
    monkeypatch.undo()
    expected = bench.through(protect_file, source, pair[1])
    assert rotated_path.read_bytes() == expected.read_bytes(), "tokens are not"


def test_originals_are_overwritten_after_an_error_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = bench.write("a.csv", "x\n" + "1234567\n" * 50 + "bad\n")
    seen = seen_decrypted(monkeypatch)
    with pytest.raises(InvalidValueError):
        bench.rotate(source, rotated(policy('x: format = "digits"')))
    (array,) = seen
    assert not np.frombuffer(array.buffers()[-1], np.uint8).any()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_file_has_an_original(
    bench: Bench, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 2000)
    names = [f"Nameofperson{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}" for n in range(2000)]
    table = pa.table({"x": names})
    source = bench.write(f"a.{suffix}", "x\n" + "\n".join(names) if suffix == "csv" else table)
    pair = rotated(policy('x: format = "letters"'))
    protected = bench.through(protect_file, source, pair[0])
    source.unlink()
    looks = 0

    def look(done: int, total: int) -> None:
        nonlocal looks
        looks += 1
        for path in bench.directory.iterdir():
            assert b"Nameofperson" not in path.read_bytes()

    bench.rotate(protected, pair, progress=look)
    look(1, 1)
    assert looks > 1


# Policies and keys that do not go together.

DIGITS = 'x: format = "digits"'


OTHERS = {
    "another format": 'x: format = "hex"',
    "kept symbols": 'x: format = { type = "digits", keep_last = 2 }',
    "a tweak": DIGITS + ', tweak = "t"',
    "FF1": DIGITS + ', cipher = "ff1"',
    "FF1 with a tweak": DIGITS + ', cipher = "ff1", tweak = "t"',
    "plain FF1": DIGITS + ', cipher = "ff1", tweak_hex = "00ff", key = "b:1"',
    "what becomes of invalid values": DIGITS + ', on_invalid = "null", key = "a:2"',
}


@pytest.mark.parametrize("new", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("old", OTHERS.values(), ids=OTHERS)
def test_from_any_policy_to_any_other(bench: Bench, old: str, new: str) -> None:
    source = bench.write("a.csv", "x,y,t\n1234567,1234567,1\n7654321,,22\n")
    if old != new:
        bench.check(source, (policy(old), policy(new)))


def test_what_does_not_fit_the_new_policy_is_named(bench: Bench) -> None:
    source = bench.write("a.csv", "x\n1234567\n123\n")
    old = policy(DIGITS)
    protected = bench.through(protect_file, source, old)
    there = listing(bench.directory)
    with pytest.raises(
        InvalidValueError,
        match=r"row 2 .*does not fit the new policy: .*few symbols to encrypt; change",
    ):
        bench.rotate(protected, (old, policy(DIGITS + ', cipher = "ff1"')))
    assert listing(bench.directory) == there


def test_columns_are_those_of_the_old_policy(bench: Bench) -> None:
    source = bench.write("a.csv", "x,y,t\n1234567,1234567,1\n")
    with pytest.raises(PolicyError, match=r"column '[xy]' is protected by.*reveal the file and"):
        bench.rotate(source, (policy(DIGITS), policy('y: format = "digits"')))
    assert listing(bench.directory) == {"a.csv"}


def test_other_differences(bench: Bench) -> None:
    source = bench.write("a.csv", "x,y\n1234567,1234567\n")
    old, new = rotated(policy(DIGITS))
    (rule,) = new.rules
    hidden = replace(rule, form=formats.pseudonym())
    with pytest.raises(PolicyError, match="column 'x': format 'pseudonym' is one-way"):
        bench.rotate(source, (replace(old, rules=(hidden,)), new))
    with pytest.raises(PolicyError, match="column 'x': format 'pseudonym' is one-way"):
        bench.rotate(source, (old, replace(new, rules=(hidden,))))
    plain = replace(rule, form=rule.form.with_cipher("ff3-1", "00" * 7))
    with pytest.raises(PolicyError, match="'ff3-1', which reveals tokens and makes none"):
        bench.rotate(source, (old, replace(new, rules=(plain,))))
    with pytest.raises(PolicyError, match=r"\[csv\] differs"):
        bench.rotate(source, (old, replace(new, csv=CsvOptions(delimiter=";"))))
    with pytest.raises(PolicyError, match="nothing to rotate"):
        bench.rotate(source, (old, old))
    with pytest.raises(PolicyError, match="'x' is protected by two of the policies"):
        bench.rotate(source, (old, new), (new, old))
    other = replace(policy('y: format = "digits"'), csv=CsvOptions(delimiter=";"))
    with pytest.raises(PolicyError, match=r"the policies have different \[csv\]"):
        bench.rotate(source, (old, new), (other, other))
    with pytest.raises(ParameterError, match="needs at least one policy"):
        bench.rotate(source)
    assert listing(bench.directory) == {"a.csv"}


@pytest.mark.parametrize("missing", ["a:3", "no:1"])
def test_a_new_key_that_is_not_there(bench: Bench, missing: str) -> None:
    source = bench.write("a.csv", "x\n1234567\n")
    old = policy(DIGITS)
    new = with_keys(old, {KeyId("a", 1): KeyId.parse(missing)})
    with pytest.raises(KeyringError, match=f"^column 'x': its key in the policy, {missing}: "):
        bench.rotate(source, (old, new))
    assert listing(bench.directory) == {"a.csv"}


def test_a_type_that_a_format_can_not_have(bench: Bench) -> None:
    source = bench.write("a.parquet", pa.table({"x": [1.5]}))
    with pytest.raises(PolicyError, match=r"a\.parquet: column 'x': format 'digits'"):
        bench.rotate(source, rotated(policy(DIGITS)))
