# SPDX-License-Identifier: Apache-2.0
"""The page of a run: what it tells, and that no value is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from report_support import POLICY, POLICY_NUMBER, ROWS, Place
from tallystick import __version__
from tallystick.keyring import KeyId
from tallystick.policy import Policy
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions, protect_file, reveal_file
from tallystick.rotation import rotate_file

DASH = "\N{EN DASH}"
TIME = re.compile(r"\d{4}-\d\d-\d\d, \d\d:\d\d:\d\d UTC")
STAMPS = re.compile(TIME.pattern + r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
"""The time of the run, as it is shown and as its element's attribute has it."""


class Words(HTMLParser):
    """The text of a page, and the elements in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._style = False
        self.feed(page.read_text("utf-8"))
        self.text = re.sub(r"\s+", " ", " ".join(self.parts))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._style = tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._style:
            self.parts.append(data)


def check_no_value(page: Path, *tables: pa.Table) -> None:
    """Search a page, as written and as read, for the values of tables; the first is in clear.

    Tokens are random: shorter ones than of seven characters may be a number of the page.
    """
    # A token of a date can be the day of the run.
    written, read = (STAMPS.sub("", text) for text in (page.read_text("utf-8"), Words(page).text))
    texts = (written, unescape(written), read, re.sub(r"[\s,.]", "", written))
    searched = 0
    for table in tables:
        shortest = 5 if table is tables[0] else 7
        for column in table.columns:
            for value in column.unique().cast(pa.string()).to_pylist():
                for part in {value, *re.split(r"[\s#@]+", value or "")}:
                    if part and len(part) >= shortest:
                        assert not any(part in text for text in texts)
                        searched += 1
    assert searched > 6 * ROWS


def csv_table(path: Path) -> pa.Table:
    text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(POLICY_NAMES, pa.string()))
    return pyarrow.csv.read_csv(path, convert_options=text)


POLICY_NAMES = re.findall(r"^(\w+) =", POLICY, re.MULTILINE)


def test_what_is_reported(place: Place) -> None:
    words = Words(place.path("run.html")).text
    for reported in (
        f"Tallystick {__version__}",
        "protect people.csv → tokens.csv",
        f"rows {ROWS}",
        "columns replaced 6 of 8",
        "values protected 3,445",
        "nulls 2",
        "values rejected 153",
        "name : 150 invalid values were kept in clear",
        "town : 3 invalid values were replaced by null",
        f"born : {ROWS} values of a small domain (fewer than 1,000,000 values)",
        "account digits people:1 account number error 599 1 0",
        f"phone mask keep_last = 3 {DASH} {DASH} {DASH} error 599 1 0",
        f"mail pseudonym people:2 mail {DASH} error 600 0 0",
        "Rows: 11 · 21 · 591",
        "MB/s",
        "No plots: it has fewer than 100 different values",
        "The source had no marker: it could not be checked that it is not protected already.",
    ):
        assert reported in words
    assert TIME.search(words)
    untouched = words[words.index("Passed untouched") : words.index("Rejected values")]
    assert "number" in untouched
    assert "remark" in untouched
    assert str(place.directory) not in place.path("run.html").read_text("utf-8")


def test_the_first_hundred_rejected_rows(place: Place) -> None:
    words = Words(place.path("run.html")).text
    listed = re.search(r"Kept as they are, in clear\. Rows: ([\d ·]+) and 50 more", words)
    assert listed is not None
    assert [int(row) for row in listed[1].split("·")] == list(range(1, 401, 4))


def test_no_value_after_protecting(place: Place) -> None:
    tables = (csv_table(place.path(name)) for name in ("people.csv", "tokens.csv"))
    check_no_value(place.path("run.html"), *tables)


def test_no_value_after_revealing(place: Place) -> None:
    page, back = place.path("back.html"), place.path("back.csv")
    reveal_file(place.path("tokens.csv"), back, place.policy, place.ring, RunOptions(report=page))
    check_no_value(page, *map(csv_table, (back, place.path("tokens.csv"))))
    words = Words(page).text
    assert "reveal tokens.csv → back.csv" in words
    assert "The source's marker agrees with this run." in words
    left = words[words.index("Left as they were") : words.index("Passed untouched")]
    assert "phone" in left
    assert "mail" in left


def test_no_value_after_rotating(place: Place) -> None:
    page, source, target = (place.path(n) for n in ("turn.html", "turn.csv", "turned.csv"))
    # Without the one-way column of a key that changes.
    old = Policy(tuple(rule for rule in place.policy.rules if rule.column != "town"))
    keys = {KeyId("people", 1): KeyId("people", 2)}
    protect_file(place.path("people.csv"), source, old, place.ring)
    rotate_file(source, target, [(old, with_keys(old, keys))], place.ring, RunOptions(report=page))
    check_no_value(page, *map(csv_table, (place.path("people.csv"), source, target)))
    words = Words(page).text
    assert "account digits people:1 → people:2 account number error 599 1 0" in words
    assert "name : 150 invalid values were kept" in words
    assert "keys did not change" in words


def test_columns_that_are_no_text(place: Place) -> None:
    page, target = place.path("p.html"), place.path("tokens.parquet")
    policy, source = Policy.parse(POLICY + POLICY_NUMBER), place.path("people.parquet")
    protect_file(source, target, policy, place.ring, RunOptions(report=page))
    check_no_value(page, pq.read_table(source), pq.read_table(target))
    assert len(plots_of(page)) == 2 * 6


def plots_of(page: Path) -> list[str]:
    return [name for name, _ in Words(page).elements if name == "svg"]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_number_of_threads_changes_little(
    place: Place, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tallystick.files.csv_blocks.BLOCK", 5000)
    page, target = place.path(f"{threads}.html"), place.path(f"threads-{threads}.csv")
    source = place.path("people.csv")
    protect_file(source, target, place.policy, place.ring, RunOptions(threads=threads, report=page))
    first = place.path("run.html").read_text("utf-8")
    begin = '<section aria-labelledby="look">'
    assert page.read_text("utf-8").partition(begin)[2] == first.partition(begin)[2]


def test_names_are_shown_as_text(place: Place) -> None:
    column, namespace = "<script>alert(1)</script>&amp;\u202e", "a\"'>\n<b>"
    source = place.path("people <i>\udcff.csv")
    source.write_text(f'"{column}",é\n123456,1\n', "utf-8")
    options = f'format = "digits", key = "people:1", namespace = {json_text(namespace)}'
    policy = Policy.parse(f"[columns]\n{json_text(column)} = {{ {options} }}\n")
    page = place.path("names.html")
    protect_file(source, place.path("names.csv"), policy, place.ring, RunOptions(report=page))
    words = Words(page)
    assert not {"script", "b", "i"} & {name for name, _ in words.elements}
    assert "<script>alert(1)</script>&amp;\\u202e" in words.text
    assert "a\"'>\\n<b>" in words.text
    assert "people <i>\\udcff.csv" in words.text


def json_text(text: str) -> str:
    """Return text as TOML has it."""
    escaped = "".join(c if c.isalnum() or c in " <>()&;/'" else f"\\u{ord(c):04x}" for c in text)
    return f'"{escaped}"'


def test_nothing_is_loaded(place: Place) -> None:
    """And nothing could be: no script, and a policy that allows styles and pictures within."""
    words = Words(place.path("run.html"))
    assert ("meta", CSP) in words.elements
    for name, attributes in words.elements:
        assert name not in {"script", "iframe", "object", "embed", "form"}
        assert not any(key.startswith("on") for key in attributes)
        for key in ("src", "href"):
            assert (attributes.get(key) or "#").startswith(("#", "data:,"))
    assert "url(" not in place.path("run.html").read_text("utf-8")


CSP = {
    "http-equiv": "Content-Security-Policy",
    "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'",
}


def test_plots_can_be_read_aloud(place: Place) -> None:
    """Each has a name, a description, and a table of its numbers."""
    elements = Words(place.path("run.html")).elements
    names = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(names) == len(set(names))
    figures = [attributes for name, attributes in elements if name == "svg"]
    assert len(figures) == 2 * 5
    for attributes in figures:
        assert attributes["role"] == "img"
        assert set((attributes["aria-labelledby"] or "").split()) <= set(names)
    assert sum(name == "figure" for name, _ in elements) == len(figures)
    assert sum(name == "details" for name, _ in elements) == len(figures)
    assert sum(name == "caption" for name, _ in elements) == len(figures)


def report_of(place: Place, values: Iterable[str], policy: str, *, reveal: bool) -> str:
    """Return the text of the report about a column `a`, of whose rows each has a tweak."""
    source, target = place.path("few.csv"), place.path("few-tokens.csv")
    source.write_text("a,n\n" + "".join(f"{v},{n}\n" for n, v in enumerate(values)), "utf-8")
    rules, page = Policy.parse(f"[columns]\na = {{ {policy} }}\n"), place.path("few.html")
    there, back = (None, page) if reveal else (page, None)
    protect_file(source, target, rules, place.ring, RunOptions(overwrite=True, report=there))
    if reveal:
        revealed = place.path("few-back.csv")
        reveal_file(target, revealed, rules, place.ring, RunOptions(overwrite=True, report=back))
    return Words(page).text


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("different", [99, 100])
def test_few_different_originals_have_no_plots(place: Place, different: int, reveal: bool) -> None:
    """However many tokens they have, as with a tweak column."""
    policy = 'format = "digits", key = "people:1", namespace = "a", tweak = "n"'
    values = [f"{10**9 + row % different}" for row in range(1000)]
    words = report_of(place, values, policy, reveal=reveal)
    assert ("No plots" in words) == (different < 100)
    assert ("Frequency of symbols" in words) == (different >= 100)


@pytest.mark.parametrize("whole", [True, False])
def test_whether_all_values_were_counted(
    place: Place, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tallystick.report.run.WHOLE_BYTES", 10**6 if whole else 10**3)
    values = [str(10**9 + row) for row in range(3000)]
    policy = 'format = "digits", key = "people:1", namespace = "a"'
    words = report_of(place, values, policy, reveal=False)
    assert ("Counted in" in words) == (not whole)
    assert ("Counted in 1,024 of 3,000 values" in words) == (not whole)


def test_an_empty_file(place: Place) -> None:
    words = report_of(
        place, [], 'format = "digits", key = "people:1", namespace = "a"', reveal=False
    )
    assert "rows 0" in words
    assert "No plots" in words
