# SPDX-License-Identifier: Apache-2.0
"""Drafts of `inspect`: one policy for all files, no column forgotten, formats that join."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from stdnum.de import idnr
from stdnum.iso7064 import mod_11_10

from customers import customers
from files_support import save
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.files import CsvOptions
from tallystick.formats import PRESETS
from tallystick.inspection import Finding, draft_policy, inspect_file, inspect_files
from tallystick.inspection.by_name import choice_by_name
from tallystick.inspection.column_names import hints
from tallystick.inspection.knowledge import HINTS, NEUTRAL
from tallystick.policy import ColumnRule, Policy
from tallystick.tokenizer import Tokenizer

Captured = pytest.CaptureFixture[str]
TABLE_300 = customers(300)


def write(path: Path, **columns: object) -> Path:
    table = pa.table(columns)
    if path.suffix == ".csv":
        pacsv.write_csv(table, path)
    else:
        pq.write_table(table, path)
    return path


def draft(*paths: Path) -> Policy:
    return Policy.parse(draft_policy(inspect_files(paths), "data:1"))


def rule_of(policy: Policy, column: str) -> ColumnRule:
    (rule,) = (rule for rule in policy.rules if rule.column == column)
    return rule


def found_in(path: Path) -> dict[str, Finding]:
    return {one.column: one for one in inspect_file(path).findings}


def tokens(rule: ColumnRule, values: pa.Array) -> list[str]:
    tokenizer = Tokenizer(rule.form, bytes(32), namespace=rule.namespace)
    return [str(token) for token in tokenizer.protect(values).to_pylist()]


def mails(*, capitals: bool) -> list[str]:
    names = [f"anne.{number}x@example.org" for number in range(200)]
    return [
        name.capitalize() if capitals and number % 3 else name for number, name in enumerate(names)
    ]


def test_two_tables_get_one_format_of_a_column(tmp_path: Path) -> None:
    one = write(tmp_path / "customers.csv", email=mails(capitals=False), plan=["a"] * 200)
    two = write(tmp_path / "orders.csv", email=mails(capitals=True), total=["1"] * 200)
    assert rule_of(draft(one), "email").form.identity != rule_of(draft(two), "email").form.identity
    policy = draft(one, two)
    assert [rule.column for rule in policy.rules] == ["email"]
    assert policy.keep == ("plan", "total")
    form = policy.rules[0].form
    assert all(inspect_file(path).findings for path in (one, two))
    for values in (mails(capitals=False), mails(capitals=True)):
        assert (
            not Tokenizer(form, bytes(32), namespace="d")
            .outcome(pa.array(values), decrypt=False)
            .status.any()
        )


def test_columns_of_one_kind_get_one_format(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.csv",
        email=mails(capitals=False),
        contact_mail=mails(capitals=True),
        last_ip=[f"10.1.{number}.7" for number in range(200)],
        source_ip=[f"2001:db8::{number:x}1" for number in range(200)],
        tax_id=german_ids(),
        member_number=[f"{number * 7919 + 10:09}" for number in range(200)],
    )
    policy = draft(path)  # two formats in a namespace would be refused
    first, second = rule_of(policy, "email"), rule_of(policy, "contact_mail")
    assert (first.form.identity, first.namespace) == (second.form.identity, second.namespace)
    assert {rule_of(policy, name).namespace for name in ("last_ip", "source_ip")} == {
        "ipv4",
        "ipv6",
    }


@pytest.mark.parametrize("kind", [pa.int16(), pa.int32(), pa.int64(), pa.uint64()])
def test_integers_and_their_text_get_the_same_format(tmp_path: Path, kind: pa.DataType) -> None:
    numbers = [1 + number * 37 for number in range(250)]
    text = write(tmp_path / "x.csv", customer_id=list(map(str, numbers)))
    column = write(tmp_path / "x.parquet", customer_id=pa.array(numbers, kind))
    one, two = rule_of(draft(text), "customer_id"), rule_of(draft(column), "customer_id")
    assert one.form.identity == two.form.identity
    assert one.namespace == two.namespace
    assert tokens(one, pa.array(list(map(str, numbers)))) == tokens(two, pa.array(numbers, kind))
    both = rule_of(draft(text, column), "customer_id")
    assert both.form.identity == one.form.identity


def test_integers_beside_text_that_is_none(tmp_path: Path, capsys: Captured) -> None:
    text = write(tmp_path / "x.csv", customer_id=[f"AB{number:05}" for number in range(250)])
    column = write(tmp_path / "x.parquet", customer_id=list(range(250)), n=[True] * 250)
    assert run(["inspect", str(text), str(column)]) == ExitCode.OK
    assert "no format takes its types in all files" in capsys.readouterr().out
    found = {one.column: one for one in inspect_files([text, column]).findings}
    assert {name for name, one in found.items() if one.undecided} == {"customer_id", "n"}
    assert found["customer_id"].type == "text, int64"


def test_a_column_of_integers_gets_the_advice_for_text(tmp_path: Path) -> None:
    cards = [card for card in TABLE_300["card_number"] if card]
    text = found_in(write(tmp_path / "x.csv", card=cards))["card"]
    column = found_in(write(tmp_path / "x.parquet", card=list(map(int, cards))))["card"]
    assert text.choice is not None
    assert column.choice is not None
    assert "an integer column can't have format 'card'" in text.choice.note
    assert "the same values in text get format 'card'" in column.choice.note


def german_ids() -> list[str]:
    chance = random.Random(4)  # noqa: S311
    found: list[str] = []
    while len(found) < 200:
        some = chance.sample("0123456789", 9)
        number = "".join([*some, chance.choice(some)])  # one digit twice
        number += mod_11_10.calc_check_digit(number)
        if idnr.is_valid(number):
            found.append(number)
    return found


@pytest.mark.parametrize("name", ["tax_id", "Steuer-ID", "customer_number", "x"])
def test_a_name_that_helps_does_not_hurt(tmp_path: Path, name: str) -> None:
    rule = rule_of(draft(write(tmp_path / "x.csv", **{name: german_ids()})), name)
    assert (rule.form.label, rule.namespace) == ("national_id", "national id de.idnr")


@pytest.mark.parametrize("name", ["tax_id", "account number", "member no", "username", "passport"])
def test_names_do_not_hide_special_values(tmp_path: Path, name: str) -> None:
    special = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b5", "b7"]
    plain = found_in(write(tmp_path / "x.csv", **{one: TABLE_300[one] for one in special}))
    named = found_in(
        write(tmp_path / "y.csv", **{f"{name} {one}": TABLE_300[one] for one in special})
    )
    for one in special:
        with_name, without = named[f"{name} {one}"].choice, plain[one].choice
        assert with_name is not None
        assert without is not None
        assert (with_name.type, with_name.options) == (without.type, without.options), one


def test_one_way_formats_are_the_last_resort(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.csv",
        gender=["male", "female", "other"] * 70,
        sex=["m", "f", "x"] * 70,  # one letter: too few for a token
        password=[f"secret-{number}!" for number in range(210)],
        comment=[f"The parcel {number} was late, so we phoned at noon" for number in range(210)],
        remarks=[f"Das Päckchen {number} für Zoë kam zu spät" for number in range(210)],
    )
    text = draft_policy(inspect_file(path), "data:1")
    one_way = {rule.column for rule in Policy.parse(text).rules if rule.form.one_way}
    assert one_way == {"sex", "remarks"}
    for part in text.split("\n\n"):
        column = part.partition("[columns.")[2].partition("]")[0]
        assert ("# one-way: values can't be revealed" in part) == (column in one_way), part


def test_drafted_tokens_are_no_formulas(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    signs = "".join(map(chr, range(33, 127)))
    texts = [
        "x" + "".join(chance.choices(signs, k=8)) + " and some more words here" for _ in range(300)
    ]
    path = write(tmp_path / "x.csv", notes=texts, password=[text[:9] for text in texts])
    policy = draft(path)
    assert {rule.column for rule in policy.rules} == {"notes", "password"}
    for rule in policy.rules:
        assert rule.form.label == "alphanumeric"
        assert not {token[0] for token in tokens(rule, pa.array(texts))} & set("=+-@")


def test_rules_draft_no_alphabet_of_formula_signs() -> None:
    folder = Path(PRESETS["digits"].__code__.co_filename).parents[1] / "inspection"
    for name in ("rules.py", "knowledge.toml"):
        source = (folder / name).read_text("utf-8")
        assert '"ascii"' not in source
        assert '"base64url"' not in source


KINDS = sorted({kind for kind, _, _ in HINTS} - {NEUTRAL})
TYPES = [
    *(pa.string(), pa.large_string(), pa.int8(), pa.uint64(), pa.decimal128(10, 2)),
    *(pa.date32(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", "UTC")),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_names_alone_give_a_format(kind: pa.DataType) -> None:
    for name, _, phrases in HINTS:
        phrase = phrases[0]
        choice = choice_by_name(phrase, hints(phrase), kind)
        assert (choice is None) == (name == NEUTRAL), phrase
        if choice is not None:
            assert choice.form().accepts(kind)
            assert not choice.form().one_way


@pytest.mark.parametrize("large", [False, True])
def test_columns_without_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr("tallystick.files.sample.WHOLE_BYTES", 1000)
    empty = pa.nulls(9000, pa.string())
    path = write(
        tmp_path / "x.parquet",
        id=list(range(9000)),
        ssn=empty,
        cpf=empty,
        product_name=empty,
        x=empty,
    )
    text = draft_policy(inspect_file(path), "data:1")
    policy = Policy.parse(text)
    assert {rule.column: rule.namespace for rule in policy.rules} == {
        "ssn": "ssn",
        "cpf": "national id br.cpf",
    }
    assert text.count("# by its name alone, because the sample has no value") == 2
    # Other rows, or the next file, may have values: a run stops until the user decides.
    assert policy.keep == ("id",)
    assert '    # "x", # text: no value' in text


def test_a_name_that_speaks_of_persons_is_never_kept_by_a_draft(tmp_path: Path) -> None:
    names = ["伟 Иванова", "太郎 Şahin", "Ωμέγα 伟", "נועה Иванова"] * 30
    mails = [f"anna{i}@example.org" for i in range(120)]
    path = write(tmp_path / "x.csv", full_name=names, email=mails, colour=["red", "blue"] * 60)
    found = found_in(path)["full_name"]
    assert not found.sensitive
    assert draft(path).keep == ("colour",)
    assert '# "full_name", # ' in draft_policy(inspect_file(path), "data:1")


def test_types_without_a_format_are_never_kept_by_a_draft(tmp_path: Path) -> None:
    text = tmp_path / "x.ndjson"
    text.write_text(
        '{"email": "anna@example.com", "member": true, "mixed": "a"}\n{"mixed": false}\n'
    )
    assert draft(text).keep == ()
    table = pa.table({"email": ["anna@example.com"], "held": pa.array([b"a"])})
    save(table, tmp_path / "x.arrow")
    assert draft(tmp_path / "x.arrow").keep == ()


def test_a_file_without_rows_decides_on_no_column(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,email,x\n")
    assert draft(path).keep == ()
    assert found_in(path)["x"].reason == "no value in the sample, which has no rows"


def test_the_draft_of_files_of_several_dialects(tmp_path: Path, capsys: Captured) -> None:
    one = write(tmp_path / "a.csv", email=mails(capitals=False), x=["1"] * 200)
    two = tmp_path / "b.csv"
    two.write_text(one.read_text().replace(",", ";"))
    arguments = ["inspect", str(one), str(two)]
    assert run(arguments) == ExitCode.OK
    assert run([*arguments, "--write-policy", str(tmp_path / "p.toml")]) == ExitCode.FILE
    assert "several dialects" in capsys.readouterr().err


def test_the_output_fits_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = list(TABLE_300)[:35]
    write(Path("x.csv"), **{name: TABLE_300[name] for name in names})
    assert run(["inspect", "x.csv"]) == ExitCode.OK
    out = capsys.readouterr().out
    table = out.split("column", 1)[1]
    assert all(len(line) <= 80 for line in out.splitlines() if not line.startswith("column"))
    assert all(name in table for name in names)  # none is broken into two lines
    assert len(out.splitlines()) < 3 * len(names)


def test_plurals(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "x.csv"
    path.write_text("e_mail\nanne@example.org\n")
    assert run(["inspect", str(path), "--header"]) == ExitCode.OK
    out = capsys.readouterr().out
    assert "sample: the only row of " in out
    assert "1 of 1 column looks sensitive" in out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_are_refused(tmp_path: Path, capsys: Captured) -> None:
    os.mkfifo(tmp_path / "x.csv")
    policy = tmp_path / "p.toml"
    policy.write_text('columns.a = { format = "digits", key = "a:1", namespace = "d" }')
    for arguments in (["inspect"], ["check", "-p", str(policy)]):
        assert run([*arguments, str(tmp_path / "x.csv")]) == ExitCode.FILE
        assert "is a pipe, but the command reads it several times" in capsys.readouterr().err


def test_compressed_files_are_inspected(tmp_path: Path) -> None:
    plain = write(tmp_path / "x.csv", email=mails(capitals=False))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert [one.column for one in inspect_file(tmp_path / "x.csv.gz").findings] == ["email"]
    assert inspect_file(tmp_path / "x.csv.gz").findings == inspect_file(plain).findings


def test_a_draft_says_the_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLYSTICK_ROOT", f"file:{tmp_path / 'root.key'}")
    monkeypatch.setenv("TALLYSTICK_KEYRING", str(tmp_path / "ring.keys"))
    columns = {name: values for name, values in TABLE_300.items() if name != "b4"}  # is masked
    plain = write(tmp_path / "plain.csv", **columns).read_text("utf-8")
    source, policy = tmp_path / "people.csv", str(tmp_path / "draft.toml")
    source.write_text(plain, "utf-16")
    given = ["--encoding", "utf-16"]
    tokens, back = str(tmp_path / "tokens.csv"), tmp_path / "back.csv"
    assert run(["inspect", str(source)]) == ExitCode.FILE  # it says what the text is
    assert run(["inspect", str(source), *given, "--write-policy", policy]) == ExitCode.OK
    assert Policy.load(policy).csv == CsvOptions(encoding="utf-16")
    assert run(["keyring", "new", str(tmp_path / "ring.keys")]) == ExitCode.OK
    assert run(["keyring", "add", str(tmp_path / "ring.keys"), "data"]) == ExitCode.OK
    for more in ([], given):
        assert run(["check", str(source), "-p", policy, *more]) == ExitCode.OK
    assert run(["protect", str(source), tokens, "-p", policy]) == ExitCode.OK
    assert run(["reveal", tokens, str(back), "-p", policy]) == ExitCode.OK
    assert back.read_bytes() == source.read_bytes()


def test_tables_have_no_encoding(tmp_path: Path, capsys: Captured) -> None:
    source = str(write(tmp_path / "people.parquet", a=["x"]))
    assert run(["inspect", source, "--encoding", "utf-16"]) == ExitCode.FILE
    assert "parquet is not text and has no encoding" in capsys.readouterr().err
