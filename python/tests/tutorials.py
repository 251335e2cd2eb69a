# SPDX-License-Identifier: Apache-2.0
"""Runs a page of docs/tutorials and docs/how-to as the reader does: one shell, in an empty folder.

A page is Markdown. Its fenced blocks are files (under a line that is `NAME`: alone), commands (sh),
and what commands print (text, right after them; commands without it print nothing). A block whose
info string has title="not run: REASON" is skipped. A block that is none of these is an error, so
that nothing on a page goes untested. In what is printed, ... stands for any text of one line.

A guide of docs/how-to begins in a folder with the files of docs/how-to/practice and a key ring.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"

_BLOCK = re.compile(r"^(?:`(?P<file>[^`\n]+)`:\n+)?```(?P<kind>.*)\n(?P<text>(?:.*\n)*?)```$", re.M)
_NOT_RUN = re.compile(r'\w+ title="not run: [^"]+"')
_END = "--- end of block"


@dataclass
class Step:
    """A block that does something: a file to write, or commands and what they print."""

    line: int
    text: str
    file: str | None = None
    printed: str = ""


def steps(page: str) -> list[Step]:
    """Return what a page has the reader do, in its order."""
    assert page.count("```") == 2 * len(_BLOCK.findall(page)), "a fence is not closed, or indented"
    found: list[Step] = []
    end = 0
    for block in _BLOCK.finditer(page):
        line = page[: block.start("text")].count("\n") + 1
        step = Step(line, block["text"], block["file"])
        after_commands = found and not found[-1].file and not page[end : block.start()].strip()
        if _NOT_RUN.fullmatch(block["kind"]):
            pass
        elif step.file or block["kind"] == "sh":
            found.append(step)
        else:
            assert block["kind"] == "text", f"line {line}: neither file, commands nor output"
            assert after_commands, f"line {line}: output that is not right after commands"
            found[-1].printed = step.text
        end = block.end()
    return found


def script(todo: list[Step]) -> str:
    """Return one shell script of all steps; it stops at the first command that fails."""
    lines = ["set -euo pipefail", "if test -e settings.sh; then . ./settings.sh; fi"]
    for step in todo:
        quoted = f"cat >{step.file} <<'END OF FILE'\n{step.text}END OF FILE\n"
        lines += [quoted if step.file else step.text, f"echo '{_END}'"]
    return "\n".join(lines)


def run(todo: list[Step], folder: Path) -> tuple[list[str], str]:
    """Run all steps in a folder; return what each that succeeded printed, and what came after."""
    programs = Path(sys.executable).parent
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        ["bash", "-c", script(todo)],
        cwd=folder,
        env={
            "CHECKOUT": str(CHECKOUT),
            "COLUMNS": "100",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",  # what is printed and what is warned of, in its order
            **kept,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    *printed, rest = done.stdout.split(f"{_END}\n")
    return printed, rest


def practice(folder: Path) -> None:
    """Copy the files that the guides of docs/how-to begin with."""
    shutil.copytree(DOCS / "how-to" / "practice", folder, dirs_exist_ok=True)
    shutil.copy(DOCS / "tutorials" / "practice.keys", folder)


def same(shown: str, printed: str) -> bool:
    """Tell whether this was printed; blanks at the ends of lines and of all do not count."""
    trimmed = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    pattern = re.escape(shown.rstrip()).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, trimmed) is not None


def check(page: Path, folder: Path) -> None:
    """Run a page in an empty folder, and compare all that is printed with what it shows."""
    todo = steps(page.read_text("utf-8"))
    if page.parent.name == "how-to":
        practice(folder)
    printed, rest = run(todo, folder)
    for step, text in zip(todo, printed, strict=False):
        where = f"{page.name}, line {step.line}"
        assert same(step.printed, text), f"{where}: shown\n{step.printed}\nbut printed\n{text}"
    assert len(printed) == len(todo), f"line {todo[len(printed)].line}: failed\n{rest}"
    assert not rest
