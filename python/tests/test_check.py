# SPDX-License-Identifier: Apache-2.0
"""What `check` says of a policy and a file, before anything is changed."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from files_support import save
from keyring_support import make_ring
from tallystick import Protector
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.formats import PRESETS, SMALL_DOMAIN, Format, Reason
from tallystick.inspection import check_file, inspect_file
from tallystick.inspection.distinct import Distinct, Hasher
from tallystick.inspection.meaning import size_text
from tallystick.policy import Policy
from tallystick.protection import protect_file, reveal_file
from tallystick.tokenizer import Counts, Tokenizer

Captured = pytest.CaptureFixture[str]

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:2", namespace = "name", on_invalid = "keep" }
"""
PEOPLE = 'note,id,name\n"a\nb",1234567,Anne\nc,12345,\nd,x,Jürgen\ne,1,Bob\nf,y,L\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a policy and a file, and nothing in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("TALLYSTICK_KEYRING", "TALLYSTICK_ROOT", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    Path("people.toml").write_text(POLICY)
    Path("people.csv").write_text(PEOPLE)
    return tmp_path


def test_what_does_not_fit_with_rows_and_lines(place: Path) -> None:
    found = check_file(Path("people.csv"), Policy.load("people.toml"))
    number, name = found.columns
    assert found.rows == 5
    assert found.fails
    assert number.invalid_rows[Reason.FOREIGN].count == 2
    assert number.invalid_rows[Reason.FOREIGN].first == [(2, 5), (4, 7)]
    assert number.invalid_rows[Reason.SHORT].first == [(3, 6)]
    assert (number.rows, number.nulls, number.invalid, number.fails) == (5, 0, 3, True)
    assert (number.distinct.count, number.distinct.exact) == (5, True)
    assert (number.smallest, number.usual, number.small) == (10**5, 10**7, 1)
    assert (name.nulls, name.invalid, name.fails) == (1, 2, False)
    assert name.key is None
    assert any("stay in clear" in sentence for sentence in name.meaning)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_threads_change_nothing(tmp_path: Path, kind: str) -> None:
    values = [
        None if i % 11 == 0 else "x" if i % 9973 == 5 else f"{i % 500:07}" for i in range(300_000)
    ]
    path = tmp_path / f"x.{kind}"
    if kind == "csv":
        path.write_text("id,n\n" + "".join(f"{v or ''},1\n" for v in values))
    else:
        pq.write_table(pa.table({"id": values}), path, row_group_size=70_000)
    policy = Policy.parse('columns.id = { format = "digits", key = "a:1", namespace = "d" }')
    one, other = (check_file(path, policy, threads=threads).columns[0] for threads in (1, 3))
    bad = [i for i, value in enumerate(values) if value == "x"]
    lines = [i + 2 if kind == "csv" else None for i in bad]
    assert one.invalid_rows[Reason.FOREIGN].count == len(bad)
    assert one.invalid_rows[Reason.FOREIGN].first == list(zip(bad, lines, strict=True))[:5]
    assert one.invalid_rows == other.invalid_rows
    assert (one.rows, one.nulls, one.small) == (other.rows, other.nulls, other.small)
    assert one.rows == 300_000
    assert one.distinct == other.distinct
    assert one.distinct.count == len(set(values)) - 1


def test_the_commands_exit_codes(place: Path, capsys: Captured) -> None:
    assert run(["check", "people.csv", "-p", "people.toml"]) == ExitCode.POLICY
    out, err = capsys.readouterr()
    assert err == ""
    assert "FAILS: 2 rows: it has a character" in out
    assert "rows 3 (line 5, a letter, character 1), 5 (line 7, a letter, character 1)" in out
    for value in ("1234567", "Anne", "Jürgen", "Bob"):
        assert value not in out
    Path("people.toml").write_text(
        POLICY.replace('"person id"', '"person id", on_invalid = "null"')
    )
    assert run(["check", "people.csv", "-p", "people.toml"]) == ExitCode.OK
    assert "will be erased and can't be revealed" in capsys.readouterr().out
    assert run(["check", "people.csv", "-p", "missing.toml"]) == ExitCode.POLICY
    assert run(["check", "missing.csv", "-p", "people.toml"]) == ExitCode.FILE
    assert sorted(path.name for path in place.iterdir()) == ["people.csv", "people.toml"]


def test_a_run_does_what_check_says(place: Path) -> None:
    policy = Policy.load("people.toml")
    column = check_file(Path("people.csv"), policy).columns[1]
    counts = Counts()
    rule = policy.rules[1]
    tokenizer = Tokenizer(rule.form, bytes(32), namespace=rule.namespace, on_invalid="keep")
    tokenizer.transform(
        pa.array(["Anne", None, "Jürgen", "Bob", "L"]), decrypt=False, counts=counts
    )
    assert {reason: found.count for reason, found in column.invalid_rows.items()} == counts.invalid
    assert column.small == counts.small


def test_keys_are_looked_for_in_the_ring(place: Path, capsys: Captured) -> None:
    ring = make_ring(Path("people.keys"), "people")
    found = check_file(Path("people.csv"), Policy.load("people.toml"), ring)
    assert [column.key for column in found.columns] == [True, False]
    assert found.columns[1].fails
    with_ring = ["--keyring", "people.keys", "--root", "file:root.key"]
    assert run(["check", "people.csv", "-p", "people.toml", *with_ring]) == ExitCode.POLICY
    assert "key people:2, which is missing from the ring" in capsys.readouterr().out
    ring.rotate("people")
    assert (
        run(["check", "people.csv", "-p", "people.toml", *with_ring, "--json"]) == ExitCode.POLICY
    )
    columns = json.loads(capsys.readouterr().out)["columns"]
    assert [column["key_found"] for column in columns.values()] == [True, True]
    row = {"row": 4, "line": 6, "position": None, "class": None}
    assert columns["id"]["invalid"]["short"] == {"count": 1, "first": [row]}
    assert run(["check", "people.csv", "-p", "people.toml", *with_ring[:2]]) == ExitCode.USAGE
    Path("root.key").unlink()
    assert run(["check", "people.csv", "-p", "people.toml", *with_ring]) == ExitCode.KEYRING


def test_columns_that_are_not_there_or_of_another_type(tmp_path: Path, capsys: Captured) -> None:
    table = pa.table({"n": [1.5], "a": ["x"], "t": [["y"]], "ok": ["1234567"], "m": [1]})
    pq.write_table(table, tmp_path / "x.parquet")
    lines = [
        f'{name} = {{ format = "{form}", key = "a:1", namespace = "d"{more} }}'
        for name, form, more in (
            ("n", "digits", ""),
            ("a", "letters", ', tweak = "gone"'),
            ("ok", "digits", ', tweak = "t"'),
            ("m", "digits", ""),
            ("gone2", "digits", ""),
        )
    ]
    policy = tmp_path / "x.toml"
    policy.write_text('mixed_formats = ["d"]\n[columns]\n' + "\n".join(lines))
    assert run(["check", str(tmp_path / "x.parquet"), "-p", str(policy)]) == ExitCode.POLICY
    out = capsys.readouterr().out
    assert out.count("FAILS") == 5
    for part in (
        "a column of type double; use the format 'decimal' or 'integer', or convert the column",
        "no tweak column 'gone'",
        "tweaks must be text, binary or integers",
        "use the format 'integer', or convert the column to text",
        "the file has no column 'gone2'",
        "a run would fail at 5 columns",
        "in clear, as the policy says: 't' (1 column)",
    ):
        assert part in out


def test_a_file_that_is_damaged_behind(tmp_path: Path, capsys: Captured) -> None:
    policy = tmp_path / "x.toml"
    policy.write_text('columns.a = { format = "digits", key = "a:1", namespace = "d" }')
    (tmp_path / "x.csv").write_text("a,b\n1234567,x\n7654321\n")
    assert run(["check", str(tmp_path / "x.csv"), "-p", str(policy)]) == ExitCode.FILE
    assert "row 2 (line 3)" in capsys.readouterr().err
    (tmp_path / "x.csv").write_text("a,b\n")
    assert run(["check", str(tmp_path / "x.csv"), "-p", str(policy)]) == ExitCode.OK
    assert "0 rows" in capsys.readouterr().out


def test_tweaks_count(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,t\n1234567,\n1234567,b\n" + "1234567,c\n" * 200)
    text = 'columns.id = { format = "digits", key = "a:1", namespace = "d", tweak = "t" }'
    column = check_file(path, Policy.parse(text)).columns[0]
    assert column.invalid_rows[Reason.TWEAK].first == [(0, 2)]
    assert not any("frequencies" in sentence for sentence in column.meaning)
    plain = check_file(path, Policy.parse(text.replace(', tweak = "t"', ""))).columns[0]
    assert any("1 distinct value in 202 rows" in sentence for sentence in plain.meaning)


def test_what_domains_mean(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("zip,b\n" + "".join(f"{i:05},x\n" for i in range(300)))
    form = '{ type = "pattern", pattern = "99999" }'
    text = f'columns.zip = {{ format = {form}, key = "a:1", namespace = "d" }}'
    column = check_file(path, Policy.parse(text)).columns[0]
    assert (column.smallest, column.small) == (10**5, 300)
    assert any("100,000" in sentence and "list" in sentence for sentence in column.meaning)


EXAMPLES = {
    "alphabet": PRESETS["alphabet"](alphabet="ACGT"),
    "integer": PRESETS["integer"](min=0, max=999),
    "pattern": PRESETS["pattern"](pattern="AA-999(-A)"),
    "national_id": PRESETS["national_id"](kind="br.cpf"),
    "decimal": PRESETS["decimal"](min=0, max=999_999, scale=2),
    "bucket": PRESETS["bucket"](width=10),
    "truncate": PRESETS["truncate"](characters=3),
}


@pytest.mark.parametrize("name", PRESETS)
def test_the_domain_of_a_value_agrees_with_the_count_of_small_ones(name: str) -> None:
    form: Format = EXAMPLES.get(name) or PRESETS[name]()
    values = [
        *form.examples,
        *{"letters": ("ab", "Anne B"), "digits": ("123", "12-34567")}.get(name, ()),
    ]
    tokenizer = Tokenizer(form, bytes(form.key_size or 32), namespace="d")
    tweaks = pa.array(["of a person"]) if name == "date_shift" else None
    for value in values:
        outcome = tokenizer.outcome(pa.array([value]), tweaks, decrypt=False)
        assert outcome.status[0] == 0
        size = form.domain_of(value)
        if form.one_way:
            assert size is None
        else:
            assert size is not None
            assert (size < SMALL_DOMAIN) == (outcome.small == 1), value


def test_domains_of_single_values() -> None:
    assert PRESETS["digits"]().domain_of("12-34 567") == 10**7
    assert PRESETS["card"](keep_first=6, keep_last=4).domain_of("4111 1111 1111 1111") == 10**5
    assert PRESETS["email"]().domain_of("ab.c@example.org") == 36**3
    assert PRESETS["letters"]().domain_of("Ann") == 26**3
    assert PRESETS["pattern"](pattern="9(9)-AA").domain_of("1-AB") == 10 * 26**2
    assert PRESETS["unicode"](script="hangul").domain_of("김철") == 11_172**2


def test_distinct_values_are_exact_and_then_estimated() -> None:
    hasher, few, many = Hasher(), Distinct(4096), Distinct(4096)
    numbers = np.arange(200_000)
    for part in np.array_split(np.concatenate((numbers, numbers)), 37):
        many.add(hasher.hashes(pa.array(part).cast(pa.string())))
        few.add(hasher.hashes(pa.array(part % 4000)))
    assert (few.number.count, few.number.exact) == (4000, True)
    assert not many.number.exact
    assert abs(many.number.count / 200_000 - 1) < 0.12  # more than seven standard deviations
    assert len(hasher.hashes(pa.array([None, None], pa.string()))) == 0


def test_sizes_in_words() -> None:
    assert size_text(73_049) == "73,049"
    assert size_text(10**7) == "10^7"
    assert size_text(26**5) == "1.2 x 10^7"
    assert size_text(10**9 - 1) == "10^9"


def test_what_passes_in_clear_is_reported(place: Path, capsys: Captured) -> None:
    text = POLICY.replace('"person id"', '"person id", on_invalid = "null"')
    table = pa.table(
        {
            "id": ["1234567"],
            "name": ["Anne"],
            "note": ["x"],
            "where": [{"shown": True}],
            "score": pa.array([0.5], pa.float32()),
            "inner": [{"lat": 1.5}],
            "number": [1],
        }
    )
    pq.write_table(table, "people.parquet")
    for head, code, reported in (
        ("", ExitCode.OK, "IN CLEAR, not named by the policy: 'note', 'where', 'score'"),
        ('unlisted = "error"', ExitCode.POLICY, "FAILS: the policy says unlisted"),
        (
            'unlisted = "error"\nkeep = ["note", "where"]',
            ExitCode.POLICY,
            'FAILS: the policy says unlisted = "error" and does not name these columns: '
            "'score', 'inner', 'number'",
        ),
        (
            'unlisted = "error"\nkeep = ["note", "where", "score", "inner", "number", "gone"]',
            ExitCode.OK,
            "in clear, as the policy says: 'note', 'where', 'score', 'inner', 'number' (5 columns)",
        ),
    ):
        Path("people.toml").write_text(f"{head}\n{text}")
        assert run(["check", "people.parquet", "-p", "people.toml"]) == code
        out = capsys.readouterr().out
        assert reported in out
        assert (
            "no format accepts the type of: 'where' (struct<shown: bool>), 'score' (float)" in out
        )
        assert "1 row, 2 columns protected, 5 in clear; a run would" in out
        run(["check", "people.parquet", "-p", "people.toml", "--json"])
        found = json.loads(capsys.readouterr().out)
        assert found["ok"] == (code == ExitCode.OK)
        assert len(found["unlisted"] + found["kept"]) == 5
        assert found["unprotectable"] == {"where": "struct<shown: bool>", "score": "float"}


def test_a_kept_name_that_two_columns_have(place: Path, capsys: Captured) -> None:
    Path("two.csv").write_text("id,name,note,note\n1234567,Anne,a,b\n")
    Path("two.toml").write_text(f'unlisted = "error"\nkeep = ["note"]\n{POLICY}')
    assert run(["check", "two.csv", "-p", "two.toml"]) == ExitCode.POLICY
    assert "FAILS: several columns are called 'note' (1 column)" in capsys.readouterr().out


def test_the_policy_of_the_environment(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["check", "people.csv"]) == ExitCode.USAGE
    monkeypatch.setenv("TALLYSTICK_POLICY", "people.toml")
    assert run(["check", "people.csv"]) == ExitCode.POLICY


def test_two_formats_in_a_domain_are_refused(place: Path, capsys: Captured) -> None:
    text = POLICY.replace("people:2", "people:1").replace(
        'namespace = "name"', 'namespace = "person id"'
    )
    Path("people.toml").write_text(text)
    assert run(["check", "people.csv", "-p", "people.toml"]) == ExitCode.POLICY
    assert "'id' and 'name' have two formats under key people:1" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["views", "runs", "runs of views", "decimals"])
def test_columns_of_other_encodings(tmp_path: Path, kind: str) -> None:
    """What `protect` takes, `check` and `inspect` read, and files keep its type."""
    mails = pa.array(["anna@example.com", "anna@example.com", None, "otto@example.org"] * 40)
    form = "email"
    if kind == "decimals":
        narrow = getattr(pa, "decimal64", pa.decimal128)  # which pyarrow 18 lacks
        mails = pa.array([None, *map(Decimal, range(159))], narrow(9, 2))
        form = '{ type = "decimal", min = 0, max = 1000, scale = 2 }'
    column = mails
    if kind in ("runs", "runs of views"):
        column = pc.run_end_encode(mails)
    if kind == "runs of views":
        views = column.values.cast(pa.string_view())
        column = pa.RunEndEncodedArray.from_arrays(column.run_ends, views)
    elif kind == "views":
        column = mails.cast(pa.string_view())
    table = pa.table({"mail": column})
    path, made, back = (tmp_path / f"{name}.arrow" for name in ("x", "made", "back"))
    save(table, path)
    ring = make_ring(tmp_path / "ring", "data")
    text = form if form.startswith("{") else f'"{form}"'
    policy = Policy.parse(f'columns.mail = {{ format = {text}, key = "data:1", namespace = "m" }}')
    found = check_file(path, policy)
    assert [(one.problem, one.rows, one.nulls) for one in found.columns] == [
        (None, len(mails), mails.null_count)
    ]
    (finding,) = inspect_file(path).findings
    assert "no format" not in finding.reason
    if kind != "decimals":
        assert finding.sensitive
        assert finding.choice is not None
        assert finding.choice.type == "email"
    with Protector(policy, ring) as protector:
        assert protector.rules["mail"].form.accepts(column.type)
        expected = protector.protect_column("mail", mails)
    protect_file(path, made, policy, ring)
    with pa.ipc.open_file(made) as file:
        tokens = file.read_all()["mail"]
    assert tokens.type == column.type
    assert tokens.to_pylist() == expected.to_pylist()
    reveal_file(made, back, policy, ring)
    with pa.ipc.open_file(back) as file:
        assert file.read_all().equals(table)
