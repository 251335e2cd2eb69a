# SPDX-License-Identifier: Apache-2.0
"""What `inspect` finds in tables of known columns, what it drafts, and that it shows no value."""

from __future__ import annotations

import json
import random
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from customers import CLEAR, OPAQUE, Columns, customers
from keyring_support import make_ring
from registers import REGISTERS, registers
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.files import FileKind
from tallystick.formats import Reason
from tallystick.inspection import Finding, draft_policy, inspect_file
from tallystick.inspection.column_names import hints, words
from tallystick.inspection.knowledge import NEUTRAL
from tallystick.paths import opened
from tallystick.policy import Policy

Captured = pytest.CaptureFixture[str]
TRUTH = {**CLEAR, **OPAQUE}
TABLE = customers(300)


def write_csv(path: Path, table: Columns) -> Path:
    pacsv.write_csv(pa.table(table), path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the table of customers as CSV and as Parquet."""
    directory = tmp_path_factory.mktemp("customers")
    write_csv(directory / "customers.csv", TABLE)
    pq.write_table(pa.table(TABLE), directory / "customers.parquet", row_group_size=30)
    return directory


def found_in(path: Path, **options: Any) -> dict[str, Finding]:  # noqa: ANN401
    return {one.column: one for one in inspect_file(path, **options).findings}


def kind_of_column(finding: Finding) -> str | None:
    return finding.choice.kind if finding.sensitive and finding.choice else None


@pytest.mark.parametrize("name", ["customers.csv", "customers.parquet"])
def test_every_column_is_recognised(folder: Path, name: str) -> None:
    found = {column: kind_of_column(one) for column, one in found_in(folder / name).items()}
    assert found == TRUTH


def test_precision_and_recall_on_other_rows(tmp_path: Path) -> None:
    right = wrong = missed = 0
    for seed in (2, 3, 4):
        found = found_in(write_csv(tmp_path / f"{seed}.csv", customers(80, seed)))
        for column, finding in found.items():
            kind = kind_of_column(finding)
            right += kind is not None and kind == TRUTH[column]
            wrong += kind is not None and kind != TRUTH[column]
            missed += kind is None and TRUTH[column] is not None
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.95


def test_registers_of_other_languages(tmp_path: Path) -> None:
    for seed in (1, 2):
        found = found_in(write_csv(tmp_path / "x.csv", registers(150, seed)))
        kinds = {column: kind_of_column(one) for column, one in found.items()}
        assert kinds == {column: kind for column, (kind, _) in REGISTERS.items()}


def test_formats_have_the_options_that_fit(folder: Path) -> None:
    found = found_in(folder / "customers.csv")
    formats = {
        name: (one.choice.type, one.choice.options) for name, one in found.items() if one.choice
    }
    assert formats["b2"] == ("date", {"notation": "DD.MM.YYYY"})
    assert formats["surname"] == ("unicode", {"script": "latin"})
    assert formats["licence_plate"] == ("pattern", {"pattern": "AA-999-AA"})
    assert formats["postcode"] == ("pattern", {"pattern": "99999"})
    assert formats["cpf"] == ("national_id", {"kind": "br.cpf"})
    assert formats["a6"] == ("national_id", {"kind": "pl.pesel"})
    assert formats["salary"] == ("integer", {"min": 0, "max": 999_999})
    assert formats["comment"] == ("unicode", {})
    assert formats["b4"] == ("mask", {"width": 8})  # it has letters with accents, and digits
    assert formats["card_number"] == formats["a2"] == ("card", {"luhn": "invalid"})
    assert found["postcode"].usual == 10**5
    assert found["ssn"].usual == 10**9
    assert found["comment"].choice is not None
    assert "do not make free text safe" in found["comment"].choice.note
    assert found["b4"].choice is not None
    assert found["b4"].choice.note.startswith("one-way")
    assert not any(
        "one-way" in one.choice.note
        for one in found.values()
        if one.choice and one.form and not one.form.one_way
    )


def test_check_digits_decide(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311
    wrong = [f"4{chance.randrange(10**15):015}" for _ in range(300)]
    path = write_csv(tmp_path / "x.csv", {"a": TABLE["card_number"], "b": list(wrong)})
    found = found_in(path)
    assert kind_of_column(found["a"]) == "card"
    assert kind_of_column(found["b"]) is None


def test_what_does_not_fit_is_counted_by_reason_and_row(tmp_path: Path) -> None:
    values: list[str | None] = [f"anne{i}@example.org" for i in range(100)]
    values[3], values[17], values[20] = "a@example.org", "two@at@example.org", None
    found = found_in(write_csv(tmp_path / "x.csv", {"email": values, "n": list("0" * 100)}))
    one = found["email"]
    assert one.invalid_rows == {Reason.SHORT: (1, (3,)), Reason.DELIMITER: (1, (17,))}
    assert (one.filled, one.nulls, one.different) == (99, 1, 99)
    assert one.fit == pytest.approx(97 / 99)


def test_parquet_types(tmp_path: Path) -> None:
    count = 200
    births = [date(1940 + i % 60, 1 + i % 12, 1 + i % 28) for i in range(count)]
    cards = [int(card) for card in TABLE["card_number"] if card][:count]
    table = pa.table(
        {
            "birth_date": births,
            "last_login": [datetime(2026, 1, 1, 2, 3, i % 60) for i in range(count)],
            "card": cards,
            "age": pa.array([i % 90 for i in range(count)], pa.int8()),
            "salary": pa.array([Decimal(i * 100) / 10 for i in range(count)], pa.decimal128(12, 2)),
            "email": pa.array(
                [f"a{i % 7}bc@example.org" for i in range(count)]
            ).dictionary_encode(),
            "income": [i / 7 for i in range(count)],
            "flag": [i % 2 == 0 for i in range(count)],
            "person": [{"name": "Anne"}] * count,
            "photo": [b"x"] * count,
            "phone": pa.nulls(count, pa.string()),
            "quantity": list(range(count)),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = found_in(tmp_path / "t.parquet")
    kinds = {name: kind_of_column(one) for name, one in found.items()}
    assert {name: kind for name, kind in kinds.items() if kind} == {
        "birth_date": "birth",
        "card": "card",
        "age": "age",
        "salary": "money",
        "email": "email",
        "phone": "phone",
        "person.name": "person name",
    }
    forms = {name: one.choice for name, one in found.items() if one.choice}
    assert (forms["card"].type, forms["card"].options["max"]) == ("integer", 10**16 - 1)
    assert "check digits" in forms["card"].note
    assert forms["age"].options == {"min": 0, "max": 99}
    assert forms["salary"].type == "decimal"
    assert found["income"].reason == (
        "not protected: its numbers have too many digits for a format; round them to the places "
        "that you need; its name suggests: money"
    )
    assert {name for name, one in found.items() if one.undecided} == {*("income", "flag", "photo")}
    assert (found["phone"].by_name, found["phone"].certainty) == (True, "by its name")
    policy = Policy.parse(draft_policy(inspect_file(tmp_path / "t.parquet"), "data:1"))
    assert (policy.unlisted, policy.keep) == ("error", ("last_login", "quantity"))
    for rule in policy.rules:
        kind = dict(opened(table.schema))[rule.column]
        assert rule.form.accepts(getattr(kind, "value_type", kind)), rule.column


def test_floating_point(tmp_path: Path) -> None:
    count = 300
    table = pa.table(
        {
            "salary": [100_000 * i / 64 / 100 for i in range(0, 64 * count, 64)],
            "price_paid_to_person": pa.nulls(count, pa.float64()),
            "income": [i * 37 / 100 for i in range(count)],
            "age": [None if i % 9 == 0 else float(i % 90) for i in range(count)],
            "customer_id": [float(10**8 + 7919 * i) for i in range(count)],
            "bonus": pa.array([i / 4 for i in range(count)], pa.float32()),
            "wages": [None, float("nan"), *(i * 1.5 for i in range(2, count))],
            "salary_paid": pa.array([Decimal(i) / 4 for i in range(count)], pa.decimal256(12, 2)),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = found_in(tmp_path / "t.parquet")
    assert found["income"].choice is not None
    assert (found["income"].choice.type, found["income"].choice.options["scale"]) == ("decimal", 2)
    assert found["age"].choice is not None and found["age"].choice.type == "integer"
    assert found["salary"].choice is not None and found["salary"].choice.type == "integer"
    identifier = found["customer_id"].choice
    assert identifier is not None and identifier.type == "integer"
    assert found["bonus"].reason.startswith("not protected: no format takes columns of its type")
    assert not found["salary_paid"].reason.startswith("not protected")
    assert found["wages"].choice is not None and found["wages"].fit > 0.99
    policy = Policy.parse(draft_policy(inspect_file(tmp_path / "t.parquet"), "data:1"))
    for rule in policy.rules:
        assert rule.form.accepts(pa.float64()), rule.column


def test_empty_text_hides_no_column(tmp_path: Path) -> None:
    values = [f"user{i}@example.org" if i % 5 == 0 else "" for i in range(100)]
    numbers = [f"{i + 101:03d}-12-{i + 1000}" if i > 80 else "" for i in range(100)]
    table = pa.table({"email": values, "ssn": numbers, "phone": [""] * 100})
    pq.write_table(table, tmp_path / "a.parquet")
    found = inspect_file(tmp_path / "a.parquet")
    email, ssn, phone = found.findings
    assert email.sensitive and email.choice is not None and email.choice.type == "email"
    assert ssn.sensitive and ssn.choice is not None and ssn.choice.type == "ssn"
    assert "100 % of the sample that is not empty is valid" in email.reason
    assert sum(count for count, _ in email.invalid_rows.values()) == 80
    assert phone.by_name and phone.choice is not None and phone.choice.kind == "phone"


@pytest.mark.parametrize("dictionary", [False, True])
def test_text_of_parquet_that_is_no_utf8(tmp_path: Path, dictionary: bool) -> None:
    names = [b"Anna Bell", b"Dora Wells", b"Carl Moss", b"Edith Poole", b"Ian \xff\xfe"] * 20
    _, offsets, values = pa.array(names, pa.binary()).buffers()
    column = pa.StringArray.from_buffers(len(names), offsets, values)
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"name": column.dictionary_encode() if dictionary else column}), source)
    (found,) = inspect_file(source).findings
    assert (found.type, found.different) == ("text", 5)
    assert found.invalid_rows == {Reason.FOREIGN: (20, (4, 9, 14, 19, 24))}


def test_text_that_a_file_has_as_binary(tmp_path: Path) -> None:
    mails = [f"person{i}@example.com".encode() for i in range(100)]
    for kind in (pa.binary(), pa.large_binary()):
        pq.write_table(pa.table({"email": pa.array([*mails, b"\xff\xfe"], kind)}), tmp_path / "in")
        (found,) = inspect_file(tmp_path / "in", kind=FileKind.PARQUET).findings
        assert (found.type, found.different, found.filled) == ("text", 101, 101), kind
        assert found.form is not None and found.form.label == "email"


def test_the_sample_is_of_the_whole_file(folder: Path) -> None:
    for name in ("customers.parquet", "customers.csv"):
        found = inspect_file(folder / name, rows=40).files[0]
        assert (found.rows, found.seen, found.whole) == (40, 300, True)
        found = inspect_file(folder / name).files[0]
        assert (found.rows, found.seen, found.whole) == (300, 300, True)
        assert inspect_file(folder / name, rows=7).files[0].rows == 7
    values: list[str | None] = [f"anne{i}@example.org" for i in range(300)]
    values[270] = "bad"
    pq.write_table(pa.table({"email": values}), folder / "last.parquet", row_group_size=30)
    assert found_in(folder / "last.parquet")["email"].invalid_rows == {
        Reason.DELIMITER: (1, (270,))
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("E-Mail-Adresse", "email"),
        ("prénom", "given name"),
        ("Nachname", "surname"),
        ("fecha_nacimiento", "birth"),
        ("CustomerIBAN", "iban"),
        ("ZIPCode", "postcode"),
        ("номер карты", "card"),
        ("电话", "phone"),
        ("氏名", "person name"),
        ("Straße", "address"),
        ("soyadı", "surname"),  # noqa: RUF001
        ("codiceFiscale", "national id"),
        ("phone2", "phone"),
    ],
)
def test_names_in_several_languages(name: str, kind: str) -> None:
    assert kind in hints(name)
    assert NEUTRAL not in hints(name) or hints(name)[NEUTRAL] >= hints(name)[kind]


@pytest.mark.parametrize("name", ["company_name", "product name", "order_date", "fileName"])
def test_names_of_things(name: str) -> None:
    assert set(hints(name)) == {NEUTRAL}


def test_words_of_names() -> None:
    assert words("lastLoginIP") == ["last", "login", "ip"]
    assert words("Größe_2") == ["grosse"]
    assert words("__") == []


# Dialects, and what is damaged.


def test_dialects_are_found(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("e_mail; note\nanne@example.org; x\nbob@example.org; y\n")
    csv = inspect_file(path).files[0].csv
    assert csv is not None
    assert (csv.delimiter, csv.skip_initial_space, csv.header) == (";", True, True)
    tabs = tmp_path / "x.tsv"
    tabs.write_text("e_mail\tnote\nanne@example.org\tx\n")
    csv = inspect_file(tabs).files[0].csv
    assert csv is not None
    assert (csv.delimiter, csv.header) == (None, True)
    policy = Policy.parse(draft_policy(inspect_file(path), "data:1"))
    assert policy.csv is not None
    assert policy.csv.skip_initial_space


@pytest.mark.parametrize(
    "text",
    [
        "anne@example.org,17\nbob@example.org,18\n",
        "Anne,Miller\nBob,Miller\nAnne,Smith\n",
        "4111111111111111,x\n5555555555554444,y\n",
    ],
)
def test_values_are_not_taken_for_names(tmp_path: Path, text: str, capsys: Captured) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert run(["inspect", str(path)]) == ExitCode.OK
    out = capsys.readouterr().out
    assert "f0" in out
    assert "the first record looks like data" in out
    for value in text.replace("\n", ",").split(","):
        assert len(value) < 3 or value not in out
    csv = inspect_file(path, header=True).files[0].csv
    assert csv is not None
    assert csv.header


def test_a_header_that_comes_again_is_one(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("name,email\nAnne,anne@example.org\nname,email\nBob,bob@example.org\n")
    csv = inspect_file(path).files[0].csv
    assert csv is not None
    assert csv.header


def test_files_that_cannot_be_read(tmp_path: Path, capsys: Captured) -> None:
    bad = {
        "empty.csv": b"",
        "empty.parquet": b"",
        "latin.csv": "name\nJürgen\n".encode("latin-1"),
        "open.csv": b'name,x\n"Anne,1\n',
        "ragged.csv": b"name,x\nAnne,1\nBob\n",
        "damaged.parquet": b"PAR1" + bytes(100) + b"PAR1",
        "what": b"x",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        assert run(["inspect", str(tmp_path / name)]) == ExitCode.FILE, name
        err = capsys.readouterr().err
        assert name in err
        assert "Anne" not in err
    assert run(["inspect", str(tmp_path / "missing.csv")]) == ExitCode.FILE


def test_a_parquet_file_cut_short(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    data = bytearray((folder / "customers.parquet").read_bytes())
    data[200:2000] = bytes(1800)
    (tmp_path / "x.parquet").write_bytes(data)
    assert run(["inspect", str(tmp_path / "x.parquet")]) == ExitCode.FILE
    assert "row group 1 can't be read" in capsys.readouterr().err


def test_files_without_rows(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "x.csv").write_text("email,birth_date\n")
    pq.write_table(pa.table({"email": pa.nulls(0, pa.string())}), tmp_path / "x.parquet")
    for name in ("x.csv", "x.parquet"):
        draft = tmp_path / f"{name}.toml"
        arguments = ["inspect", str(tmp_path / name), "--write-policy", str(draft)]
        assert run(arguments) == ExitCode.OK
        out = capsys.readouterr().out
        assert "by its name alone, because the sample has no value" in out
        assert "# by its name alone" in draft.read_text()
        (rule, *_) = Policy.load(draft).rules
        assert (rule.column, rule.form.label) == ("email", "email")


def test_names_that_occur_twice(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,email,a\n1,anne@example.org,2\n")
    found = inspect_file(tmp_path / "x.csv").findings
    assert [one.column for one in found] == ["a", "email"]
    assert "2 columns have this name" in found[0].reason
    text = draft_policy(inspect_file(tmp_path / "x.csv"), "data:1")
    assert '    # "a", # not protected: 2 columns' in text
    assert Policy.parse(text).keep == ()


@pytest.mark.slow
def test_many_columns(tmp_path: Path) -> None:
    names = list(TABLE)
    wide = {f"{names[i % len(names)]} {i}": TABLE[names[i % len(names)]][:40] for i in range(2000)}
    found = found_in(write_csv(tmp_path / "wide.csv", wide))
    assert len(found) == 2000
    right = sum(
        kind_of_column(one) == TRUTH[name.rpartition(" ")[0]] for name, one in found.items()
    )
    assert right > 1900


# What is written and shown.


def test_no_value_is_shown(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    shown = ""
    for name in ("customers.csv", "customers.parquet"):
        draft = tmp_path / f"{name}.toml"
        assert run(["inspect", str(folder / name), "--write-policy", str(draft)]) == ExitCode.OK
        shown += draft.read_text()
        assert run(["inspect", str(folder / name), "--json"]) == ExitCode.OK
        for flags in ([], ["--json"]):
            run(["check", str(folder / name), "-p", str(draft), *flags])
        shown += "".join(capsys.readouterr())
    values = {value for column in TABLE.values() for value in column if value}
    ours = {"open", "true", "false"}  # words that results have as well
    for value in values - ours:
        figure = len(value) < 6 and value.replace(".", "").isdigit()  # as scores and counts are
        assert figure or len(value) < 4 or value not in shown, value


def test_the_draft_protects_and_reveals(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_ring(tmp_path / "data.keys", "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TALLYSTICK_KEYRING", "data.keys")
    monkeypatch.setenv("TALLYSTICK_ROOT", "file:root.key")
    source = str(folder / "customers.csv")
    draft = ["--write-policy", "draft.toml"]
    assert run(["inspect", source, *draft, "--key", "mine:1"]) == ExitCode.OK
    policy = Policy.load("draft.toml")
    assert {rule.column for rule in policy.rules} == {name for name, kind in TRUTH.items() if kind}
    assert run(["check", source, "--policy", "draft.toml"]) == ExitCode.OK
    for command, one, other in (("protect", source, "t.csv"), ("reveal", "t.csv", "b.csv")):
        assert run([command, one, other, "--policy", "draft.toml", "-q"]) == ExitCode.OK
    tokens, back = pacsv.read_csv("t.csv"), pacsv.read_csv("b.csv")
    before = pacsv.read_csv(source)
    for rule in policy.rules:
        assert not tokens[rule.column].equals(before[rule.column])
    one_way = {rule.column for rule in policy.rules if rule.form.one_way}
    assert one_way == {"b4"}
    for name in before.column_names:
        assert back[name].equals(before[name]) == (name not in one_way), name


def test_a_draft_is_never_written_over_a_file(
    folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    draft = tmp_path / "draft.toml"
    draft.write_text("mine")
    arguments = ["inspect", str(folder / "customers.csv"), "--write-policy", str(draft)]
    assert run(arguments) == ExitCode.FILE
    assert "never replaces a policy" in capsys.readouterr().err
    assert draft.read_text() == "mine"


def test_a_draft_says_what_does_not_fit(tmp_path: Path) -> None:
    values: list[str | None] = [f"anne{i}@example.org" for i in range(50)]
    values[2] = "anne@two@example.org"
    name = 'e-mail "x"\t#'
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({name: values}), path)
    text = draft_policy(inspect_file(path), "data:1")
    assert "# 1 of 50 values of the sample is invalid: its delimiter is missing" in text
    assert "; row 3\n" in text
    (rule,) = Policy.parse(text).rules
    assert (rule.column, str(rule.key), rule.on_invalid) == (name, "data:1", "error")


def test_the_json_result(folder: Path, capsys: Captured) -> None:
    source = str(folder / "customers.csv")
    assert run(["inspect", source, "--rows", "100", "--json"]) == ExitCode.OK
    result = json.loads(capsys.readouterr().out)
    (file,) = result["files"]
    assert (result["command"], file["source"], file["rows"]) == ("inspect", source, 100)
    assert file["csv"] == {
        "delimiter": None,
        "skip_initial_space": False,
        "header": True,
        "encoding": None,
    }
    columns = {column["column"]: column for column in result["columns"]}
    assert list(columns) == list(TABLE)
    email = columns["e_mail"]
    assert (email["format"], email["options"], email["certainty"]) == ("email", {}, "sure")
    assert email["sensitive"]
    assert not columns["quantity"]["sensitive"]
    assert columns["quantity"]["reason"]


def test_wrong_options(folder: Path, capsys: Captured) -> None:
    source = str(folder / "customers.csv")
    assert run(["inspect", source, "--rows", "0"]) == ExitCode.USAGE
    assert run(["inspect", source, "--key", "none"]) == ExitCode.USAGE
    assert run(["inspect", source, "--delimiter", ";;"]) == ExitCode.USAGE
    capsys.readouterr()
