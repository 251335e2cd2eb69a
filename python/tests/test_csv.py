# SPDX-License-Identifier: Apache-2.0
"""CSV: byte-for-byte copies, and the same fields as Python's csv module finds."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files_support import change_file
from tallystick.errors import FileError, InvalidValueError, ParameterError, PolicyError
from tallystick.files import ColumnJob, CsvOptions, FileOptions, csv_blocks, transform_file
from toy_jobs import EachValue, Refusing, WholeBatch

Run = Callable[..., bytes]
PROPERTY = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(params=[1, 3], ids="{} threads".format)
def threads(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def run(tmp_path: Path, threads: int) -> Run:
    """Transform bytes."""

    def transform(data: bytes, *jobs: ColumnJob, **options: object) -> bytes:
        source, target = tmp_path / "in.csv", tmp_path / "out.csv"
        source.write_bytes(data)
        dialect = CsvOptions(**options)  # type: ignore[arg-type]
        change_file(source, target, jobs, FileOptions(overwrite=True, csv=dialect, threads=threads))
        return target.read_bytes()

    return transform


@pytest.fixture(params=[1, 7, 64, None])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of few bytes and records, so that all borders are met."""
    if request.param is not None:
        monkeypatch.setattr(csv_blocks, "BLOCK", request.param)
        monkeypatch.setattr(csv_blocks, "MOST_RECORDS", 3)


def python_rows(text: str, strict: bool = False, **dialect: Any) -> list[list[str]]:  # noqa: ANN401
    """Read with the csv module, an empty line being a record only where there is one column."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=strict, **dialect))
    columns = next((len(row) for row in rows if row), 0)
    return [row or [""] for row in rows if row or columns == 1]


def nulls(values: Sequence[str]) -> list[str | None]:
    return [value or None for value in values]


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """Give a text with all that a dialect allows, and its dialect."""
    delimiter = draw(st.sampled_from(",;\t|"))
    quote = draw(st.sampled_from("\"'"))
    skip = draw(st.booleans())
    special = delimiter + quote + "\r\n "
    content = st.text(st.sampled_from("ab1é€😀" + special) | st.characters(codec="utf-8"))
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(content, min_size=columns, max_size=columns), max_size=8))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for row in [[f"c{index}" for index in range(columns)], *rows]:
        fields = []
        for value in row:
            plain = not set(value) & set(special) and draw(st.booleans())
            inner = value if plain else quote + value.replace(quote, 2 * quote) + quote
            fields.append(" " * draw(st.integers(0, 2)) * skip + inner)
        text += delimiter.join(fields) + draw(st.sampled_from(["\n", "\r\n", "\r"]))
        if columns > 1:
            text += draw(st.sampled_from(["", "", "", "\n", "\r\n\n"]))
    if draw(st.booleans()) and rows and rows[-1][-1]:
        text = text.rstrip("\r\n")
    return text, {"delimiter": delimiter, "quote": quote, "skip_initial_space": skip}


def parsed(text: str, options: dict[str, object]) -> list[list[str]]:
    return python_rows(
        text.removeprefix("\ufeff"),
        delimiter=options["delimiter"],
        quotechar=options["quote"],
        skipinitialspace=options["skip_initial_space"],
    )


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@PROPERTY
@given(files())
def test_unchanged_values_leave_every_byte(run: Run, file: tuple[str, dict[str, object]]) -> None:
    text, options = file
    names, *rows = parsed(text, options)
    jobs = [EachValue(name) for name in names]
    assert run(text.encode(), *jobs, **options) == text.encode()
    for index, job in enumerate(jobs):
        assert job.seen == nulls([row[index] for row in rows])


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@PROPERTY
@given(files(), st.text(st.sampled_from("x ,;\t|\"'\r\n€"), min_size=1))
def test_changed_values_are_read_by_the_csv_module(
    run: Run, file: tuple[str, dict[str, object]], added: str
) -> None:
    text, options = file
    names, *rows = parsed(text, options)
    job = EachValue("c0", lambda value: added + value[::-1])
    out = run(text.encode(), job, **options).decode()
    expected = [[added + row[0][::-1] if row[0] else "", *row[1:]] for row in rows]
    assert parsed(out, options) == [names, *expected]


@pytest.mark.slow
@pytest.mark.usefixtures("block")
@settings(PROPERTY, max_examples=300)
@given(st.text(st.sampled_from('ab,,""\r\n '), max_size=40), st.booleans())
def test_arbitrary_text_is_read_as_by_the_csv_module(run: Run, text: str, skip: bool) -> None:
    try:
        rows = python_rows(text, strict=True, skipinitialspace=skip)
    except csv.Error:
        rows = []
        valid = False
    else:
        valid = len({len(row) for row in rows}) <= 1
    jobs = [EachValue(f"f{index}") for index in range(len(rows[0]) if rows else 0)]
    if valid:
        assert run(text.encode(), *jobs, header=False, skip_initial_space=skip) == text.encode()
        assert [job.seen for job in jobs] == [nulls(column) for column in zip(*rows, strict=True)]
    else:
        with pytest.raises(FileError):
            run(text.encode(), *jobs, header=False, skip_initial_space=skip)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a,b\n1,2\n", b"a,b\n<1>,2\n"),
        (b'a,b\r\n"1",2\n3,4', b'a,b\r\n"<1>",2\n<3>,4'),
        (b'\xef\xbb\xbf\n"a",b\r"1\n1","2"\r', b'\xef\xbb\xbf\n"a",b\r"<1\n1>","2"\r'),
        (b'a,b\n,2\n\n"",2\n', b'a,b\n,2\n\n"",2\n'),
        (b"a\n1\n\n2", b"a\n<1>\n\n<2>"),
        (b"a,b\n", b"a,b\n"),
        (b"a,b", b"a,b"),
    ],
)
def test_everything_but_the_content_stays(run: Run, before: bytes, after: bytes) -> None:
    assert run(before, EachValue("a", lambda value: f"<{value}>")) == after


def test_new_content_gets_quotes_only_where_needed(run: Run) -> None:
    new = {"1": 'x"', "2": "x,", "3": " x", "4": "x\r", "5": "x\n", "6": "x;", "7": "x y"}
    job = EachValue("a", new.__getitem__)
    out = run(b"a\n" + b"".join(key.encode() + b"\n" for key in new), job)
    assert out == b'a\n"x"""\n"x,"\n x\n"x\r"\n"x\n"\nx;\nx y\n'
    out = run(b"a,b\n3,\n 3,\n", EachValue("a", new.__getitem__), skip_initial_space=True)
    assert out == b'a,b\n" x",\n " x",\n'
    out = run(b"a\nO'Neill\n", EachValue("a", str.upper), quote="'")
    assert out == b"a\n'O''NEILL'\n"


def test_a_value_that_becomes_null_is_an_empty_field(run: Run) -> None:
    out = run(b'a,b\n1,2\n"1",2\n', EachValue("a", lambda value: None))
    assert out == b'a,b\n,2\n"",2\n'


def test_columns_without_header_and_other_delimiters(run: Run) -> None:
    job = EachValue("f1", str.upper)
    assert run(b"a;b\nc;d", job, header=False, delimiter=";") == b"a;B\nc;D"
    assert run(b"", EachValue("f1"), header=False) == b""
    assert run(b"\r\n\n", EachValue("f1"), header=False) == b"\r\n\n"
    job = EachValue("f1", str.upper)
    assert run(b'"a,b"\n', job, header=False, quote=None) == b'"a,B"\n'


@pytest.mark.usefixtures("block")
def test_other_columns_are_handed_over_as_the_source_has_them(run: Run) -> None:
    job = EachValue("b", str.upper, others=("c", "a"))
    jobs = [EachValue("a", lambda value: value + "!"), job]  # one of them is replaced first
    data = b'a,b,c\n1,x,\n,y,u\n"3",,v\n4,z,w'
    assert run(data, *jobs) == b'a,b,c\n1!,X,\n,Y,u\n"3!",,v\n4!,Z,w'
    assert job.seen_of("a") == ["1", None, "3", "4"]
    assert job.seen_of("c") == [None, "u", "v", "w"]
    assert job.seen == ["x", "y", None, "z"]


def test_jobs_in_any_order(run: Run) -> None:
    jobs = [EachValue("c", str.upper), EachValue("a", str.upper, others=("b",))]
    assert run(b"a,b,c\nx,y,z\n", *jobs) == b"a,b,c\nX,y,Z\n"
    assert run(b"a,b,c\nx,y,z\n") == b"a,b,c\nx,y,z\n"


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no header"),
        (b"\n\r\n", "no header"),
        (b"x,b\n1,2\n", "no column 'a'; check its spelling, the delimiter and whether"),
        (b"x,b\n1,2\n", "ignore missing columns (--ignore-missing); 2 columns were found"),
        (b"a,a\n1,2\n", "2 columns are named 'a'"),
        (b"a,b\n1,2\n\n3\n", "row 2 (line 4): 1 field, not 2"),
        (b"a,b\r\n1,2\r3,4,5", "row 2 (line 3): 3 fields, not 2"),
        (b'a,b\n"1\n1",2\n3,"4', "row 2 (line 4): a quote is never closed"),
        (b'a,b\n"1\n1",2\n3,"4"4\n', "row 2 (line 4): text between"),
        (b'a,b\n"1" ,2', "row 1 (line 2): text between"),
        (b'a,"b\n', "the first record: a quote is never closed"),
        (b"a,b\nx,\xff\n\n\xe9,y\n", "column 'a', row 2 (line 4): not UTF-8"),
        (b"\xff\xfea\0,\0b\0", "UTF-16"),
        (b"\xfe\xff\0a\0,\0b", "UTF-16"),
        (b"a,\xe9\n", "the header is not UTF-8"),
    ],
)
def test_errors_name_the_place(run: Run, tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(FileError) as caught:
        run(data, EachValue("a"))
    assert message in str(caught.value)
    assert str(tmp_path / "in.csv") in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("threads", [1, 2, 5], indirect=True)
@pytest.mark.parametrize(
    ("line", "bad", "message"),
    [
        (133, "secret,y\n", "column 'a', row 133 (line 134): too short"),
        (290, "x\n", "row 290 (line 291): 1 field, not 2"),
        (151, "\udcff,y\n", "column 'a', row 151 (line 152): not UTF-8"),
    ],
)
def test_the_first_bad_row_of_the_file_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: int, bad: str, message: str
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    lines = ["a,b\n", *["word,y\n"] * 400]
    lines[line] = bad
    for later in ("x\n", "secret,y\n", "\udcff,y\n"):
        lines[line + 30] = later
        with pytest.raises((FileError, InvalidValueError)) as caught:
            run("".join(lines).encode(errors="surrogateescape"), Refusing("a", "secret"))
        assert f"in.csv: {message}" in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2, 5], indirect=True)
def test_new_values_of_other_sizes_among_some_of_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 512)
    rows = [(f"v{row}" * (row % 40 // 8), f'"{row}"') for row in range(2000)]
    data = "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows)
    new = {a: a.upper() + "+" * (len(a) % 7 == 0) for a, _ in rows}
    out = run(data.encode(), EachValue("a", new.__getitem__), EachValue("b", lambda b: b[::-1]))
    expected = "a,b\n" + "".join(f"{new[a] if a else ''},{b[::-1]}\n" for a, b in rows)
    assert out.decode() == expected


@pytest.mark.usefixtures("block")
def test_an_invalid_value_is_named_by_its_place_only(run: Run) -> None:
    data = b"a,b\r\n" + b'1,"x\r\ny"\r\n' * 5 + b"2,secret\r\n"
    with pytest.raises(InvalidValueError) as caught:
        run(data, Refusing("b", "secret"))
    assert str(caught.value).endswith("in.csv: column 'b', row 6 (line 12): too short")
    assert (caught.value.row, caught.value.reason) == (5, "too short")


def test_quotes_that_can_not_be_written_are_an_error(run: Run) -> None:
    with pytest.raises(FileError, match=r"row 2 \(line 3\): a new value needs quotes"):
        run(b"a\tb\n\t\n1\t2\n", EachValue("a", lambda v: "\t"), delimiter="\t", quote=None)


def test_jobs_that_contradict_each_other(run: Run) -> None:
    with pytest.raises(PolicyError, match="'a' has 2 jobs"):
        run(b"a,b\n1,2\n", EachValue("a"), EachValue("a"))


@pytest.mark.parametrize(
    "result", [lambda values: values[1:], lambda values: values.cast(pa.large_string())]
)
def test_a_job_that_breaks_its_contract(run: Run, result: Callable[[pa.Array], pa.Array]) -> None:
    with pytest.raises(TypeError, match="the job of column 'a' changed"):
        run(b"a\n1\n2\n", WholeBatch("a", result))


@pytest.mark.parametrize(
    "options",
    [
        *({"delimiter": one} for one in ("", ",,", "\n", "§", '"')),
        *({"quote": one} for one in ("\r", "\0")),
        {"delimiter": " ", "skip_initial_space": True},
    ],
)
def test_dialects_that_can_not_be(options: dict[str, str]) -> None:
    with pytest.raises(ParameterError):
        CsvOptions(**options)  # type: ignore[arg-type]


def test_a_record_may_be_longer_than_a_block_but_not_endless(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK", 64)
    monkeypatch.setattr(csv_blocks, "LARGEST_RECORD", 1 << 20)
    fits = b'a\n1\n"' + b"x\n" * 500_000 + b'"\n2\n'
    assert run(fits, EachValue("a")) == fits
    with pytest.raises(FileError, match=r"row 2 \(line 3\): a record of more than 1 MiB"):
        run(fits.replace(b"x\n", b"x\n\n"), EachValue("a"))


@pytest.mark.usefixtures("block")
def test_progress_ends_at_the_size(tmp_path: Path) -> None:
    source, calls = tmp_path / "in.csv", list[tuple[int, int]]()
    source.write_bytes(b"a,b\n" + b"1,2\n" * 100)
    report = change_file(
        source, tmp_path / "out.csv", [], FileOptions(progress=lambda *call: calls.append(call))
    )
    assert calls[-1] == (404, 404)
    assert calls == sorted(calls)
    assert (report.rows, report.bytes_in, report.bytes_out) == (100, 404, 404)


def test_a_missing_header_is_not_shown(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b"Ann,123-45-6789\nBob,987-65-4321\n")
    with pytest.raises(FileError) as caught:
        transform_file(
            source, tmp_path / "out.csv", [WholeBatch("ssn", lambda values: values)], private=False
        )
    message = str(caught.value).replace(str(tmp_path), "")
    assert "123" not in message and "Ann" not in message
