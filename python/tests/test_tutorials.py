# SPDX-License-Identifier: Apache-2.0
"""Every command of the tutorials runs, and prints what is shown.

Spark, PostgreSQL, DuckDB, OpenBao and programs in Go have tests of their own.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pages import DOCS, check, same, steps

ELSEWHERE = (
    *("duckdb", "javascript", "openbao", "pgcrypto", "postgres", "postgres-copies", "spark"),
    *("token-server", "go-command", "root-key-in-transit", "index"),
)
PAGES = sorted(
    path
    for path in [*DOCS.glob("tutorials/*.md"), *DOCS.glob("how-to/*.md")]
    if path.stem not in ELSEWHERE
)


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: Path, tmp_path: Path) -> None:
    check(path, tmp_path)


@pytest.mark.parametrize("folder", ["tutorials", "how-to"])
def test_the_index_has_every_page(folder: str) -> None:
    index = (DOCS / folder / "index.md").read_text("utf-8")
    names = {path.name for path in (DOCS / folder).glob("*.md")} - {"index.md"}
    assert not {name for name in names if f"({name})" not in index}


PAGE = """\
`a.txt`:

```
some
```

```sh
cat a.txt; echo "in $(echo 12) s"
```
```text
some
in ... s
```
"""


def page(folder: Path, *changes: tuple[str, str]) -> Path:
    text = PAGE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "page.md"
    path.write_text(text)
    return path


def test_a_page_that_is_right(tmp_path: Path) -> None:
    check(page(tmp_path), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("some\nin", "same\nin", "line 8: shown"),  # other output
        ("some\nin ... s\n", "some\n", "line 8: shown"),  # more than is shown
        ("```text\nsome\nin ... s\n```\n", "", "line 8: shown"),  # nothing is shown
        ('12) s"', '12) s"; false', "line 8: failed"),
        ('12) s"', '12) s"; exit 0', "line 8: failed"),
        ('12) s"', '12) s" | cat b.txt -', "line 8: failed"),
        ("```text", "```txt", "neither file"),
        ("```text", "words\n\n```text", "right after"),
        ("`a.txt`:\n", "", "neither file"),
    ],
)
def test_a_page_that_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check(page(tmp_path, (old, new)), tmp_path)


def test_a_block_that_is_not_run(tmp_path: Path) -> None:
    path = page(tmp_path, ("```sh\n", '```sh title="not run: needs a server"\nfalse\n```\n```sh\n'))
    check(path, tmp_path)


def test_a_guide_begins_with_the_practice_files(tmp_path: Path) -> None:
    (tmp_path / "how-to").mkdir()
    path = tmp_path / "how-to" / "page.md"
    path.write_text(
        '```sh\nls "$TALLYSTICK_KEYRING" people.csv\n```\n```text\npeople.csv\npractice.keys\n```\n'
    )
    check(path, tmp_path)


STEPS = """\
```sh
tallystick --version
export CARD=4111 && mkdir sub && cd sub
```

```text
tallystick ...
```

```python
import os
import duckdb
connection = duckdb.connect()
card = os.environ["CARD"]
```
```python
print(card, os.path.basename(os.getcwd()))
```
```text
4111 sub
```
```sql
SELECT 1 + 1 AS two
```
```text
...
...
...
...
...2...
...
```
```json
"a": [1]
```
```toml
keep = ["a"]
```
```c
#include <tallystick/aes.h>
```
```go
package main

import "github.com/tallystick/tallystick/go/fast"

func main() { fast.Card() }
```
"""


@pytest.mark.slow
def test_a_page_of_code(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(STEPS)
    check(path, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("print(card", "print(no", "line 17: failed"),
        ("4111 sub", "4112 sub", "line 17: shown"),
        ("AS two", "two three", "line 23: failed"),
    ],
)
def test_a_page_of_code_that_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(STEPS.replace(old, new, 1))
    with pytest.raises(AssertionError, match=message):
        check(path, tmp_path)


@pytest.mark.parametrize(
    "block",
    [
        "```json\n[\n```",
        "```toml\n[columns]\na = { format = 'none' }\n```",
        "```go\npackage main\n\nfunc main() { a() }\n```",
        "```go\nfast.None()\n```",
        "```c\nint a(void) { return b; }\n```",
        "```text\nwords\n```",
        "    indented",
        '```sh title="a title"\ntrue\n```',
    ],
)
def test_a_block_that_is_wrong(block: str) -> None:
    with pytest.raises((AssertionError, ValueError, subprocess.CalledProcessError)):
        steps(block + "\n")


def test_a_reference_page_may_leave_out_what_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```text\nlayout\n```\n\n```sh\necho a\n```\n")
    check(path, tmp_path, strict=False)
    with pytest.raises(AssertionError):
        check(path, tmp_path)


def test_dots_stand_for_text_of_one_line() -> None:
    assert same("a ... c\n", "a b c \n")
    assert not same("a ... c\n", "a b\nb c\n")
    assert not same("a.c\n", "abc\n")


def test_a_fence_that_is_not_closed() -> None:
    with pytest.raises(AssertionError, match="not closed"):
        steps(PAGE + "```sh\necho\n")
