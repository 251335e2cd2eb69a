# SPDX-License-Identifier: Apache-2.0
"""Reports of ``tallystick`` in Go: those of the Python package's command, without its plots."""

from __future__ import annotations

import html
import json
import os
import random
import re
from pathlib import Path

import pytest

from pages import CHECKOUT
from two_commands import KEYS, Command, without_times

POLICY = """
keep = ["city"]
[columns]
n = { format = "digits", key = "people:1", namespace = "<n> & 'n'", on_invalid = "keep" }
m = { format = { type = "mask", keep_last = 3 } }
[columns."a&b"]
format = { type = "integer", allow_tiny_domain = true, min = 0, max = 99 }
key = "people:2"
namespace = "a"
tweak = "city"
on_invalid = "null"
"""
GROUPS = ("--groups", "city,zip", "--groups", "n")


def rows() -> list[dict[str, object]]:
    """Return records with invalid values of two columns, nulls, and names that are not HTML."""
    generator = random.Random(1)  # noqa: S311
    return [
        {
            "n": generator.choice(["1234567", "12345678", None, "12", f"x{row}"]),
            "m": "abcdef",
            "a&b": generator.randrange(130),
            "city": f"c{row % 7}",
            "extra<b>": "e",
            "zip": generator.choice([None, "1", "2"]),
        }
        for row in range(1500)
    ]


def write(kind: str) -> None:
    records = rows()
    if kind == "json":
        Path("a.json").write_text(json.dumps(records))
        return
    lines = [",".join(records[0])]
    lines += [",".join(str("" if v is None else v) for v in one.values()) for one in records]
    Path("a.csv").write_text("\n".join(lines) + "\n")


def shown(page: str) -> str:
    """Return a page as text, without times, versions and plots."""
    text = Path(page).read_text()
    text = text[: text.index("</footer>")]
    text = re.sub(r'<section aria-labelledby="plots">.*</main>', "</main>", text, flags=re.DOTALL)
    text = text[: text.index("</main>")]
    text = re.sub(r"Tallystick <span>.*?</span>", "", text)
    text = re.sub(r"\d{4}-\d\d-\d\d.{1,2}\d\d:\d\d:\d\d", "TIME", text)
    text = re.sub(r"(?<=options\"><bdi>)[^<]*", lambda it: str(sorted(it[0].split("; "))), text)
    text = re.sub(r"<dt>(time|throughput)</dt>.*", "", text)
    return html.unescape(" ".join(re.sub(r"\s*(<[^>]*>)\s*", r" \1 ", text).split()))


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_same_pages(kind: str, place: Path, go: Command, python: Command) -> None:
    """What each page says is the same; only its owner may read it, and it has no value."""
    Path("p.toml").write_text(POLICY)
    write(kind)
    threads = ("-t", "2", *KEYS)
    pages = []
    for call in (go, python):
        for name in (f"t.{kind}", f"t.{kind}.tallystick.json", f"b.{kind}"):
            Path(name).unlink(missing_ok=True)
        ways = (("protect", "a", "t", *GROUPS), ("reveal", "t", "b"))
        for command, source, target, *more in ways:
            page = f"{call.__qualname__.split('.')[0]}-{command}.html"
            files = (f"{source}.{kind}", f"{target}.{kind}")
            done = call(command, *files, "--report", page, *more, *threads)
            assert done.code == 0, done.err
            assert os.stat(page).st_mode & 0o777 == 0o600
            assert "12345678" not in Path(page).read_text()
            pages.append(shown(page))
    assert pages[:2] == pages[2:]
    assert "rows in groups below 20" in pages[0]
    assert re.search(r"and \d+ more", pages[0])
    run = ("protect", f"a.{kind}", f"t.{kind}", "--overwrite", "--report", "r", "--json", *threads)
    ours, theirs = (without_times(call(*run)) for call in (go, python))
    assert ours == theirs
    assert json.loads(ours.out)["report"] == "r"


def test_refusals(place: Path, go: Command, python: Command) -> None:
    """Both say the same, and nothing is written where a report can't be."""
    Path("p.toml").write_text(POLICY)
    write("csv")
    Path("there.html").write_text("there")
    before = {one.name for one in Path().iterdir()}
    run = ("protect", "a.csv", "t.csv")
    for arguments in (
        (*run, "--report", "there.html"),
        (*run, "--report", "none/r.html"),
        (*run, "--report", "p.toml", "--overwrite"),
        (*run, "--report", "root.key", "--overwrite"),
        (*run, "--report", "a.csv", "--overwrite"),
        (*run, "--report", "t.csv"),
        (*run, "--groups", "n"),
        (*run, "--report", "r.html", "--groups", "n,n"),
        (*run, "--report", "r.html", "--groups", "none"),
        ("protect", "a.csv", "-", "--report", "r.html", "--groups", "n"),
    ):
        ours, theirs = (without_times(call(*arguments, *KEYS)) for call in (go, python))
        assert ours == theirs
        assert ours.code != 0
        assert {one.name for one in Path().iterdir()} == before | {".r.keys.lock"}


def test_the_style_is_that_of_the_package() -> None:
    ours = CHECKOUT / "go" / "cmd" / "tallystick" / "report.css"
    theirs = CHECKOUT / "python" / "tallystick" / "report" / "page.css"
    assert ours.read_bytes() == theirs.read_bytes()
