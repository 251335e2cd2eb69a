# SPDX-License-Identifier: Apache-2.0
"""Runs the fenced blocks of a page as its reader does: one shell, in one folder, in their order.

What a block is, its info string says. A block is an error if it is none of these:

- any, under a line that is `NAME`: alone: a file of that name,
- sh: commands; python: code of one program; sql: a query that its `connection` runs,
- text right after those: what they print, where ... stands for any text of one line,
- toml: a policy; json: valid JSON, or a member of an object,
- go: a whole file that compiles, or lines of an example in go/, word for word; c: a whole file,
- any with title="not run: REASON": skipped.

Tutorials and guides are strict: commands without a text block print nothing, and there is no other
text. Guides and reference pages begin in a folder with the files of docs/how-to/practice.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt

from tallystick.policy import Policy
from tallystick.text import TextPolicy

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_INFO = re.compile(r'(?P<kind>\w*)(?P<not_run> title="not run: [^"]+")?')
_FILE = re.compile(r"`([^`\n]+)`:")
_END = "--- end of block"
_PYTHON = """\
import os, sys
done = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(3, 1)
names = {"__name__": "__main__"}
for line in sys.stdin:
    os.chdir(line.rstrip())
    with open(".block.py") as file:
        text = file.read()
    os.remove(".block.py")
    exec(compile(text, "a block of the page", "exec"), names)
    sys.stdout.flush()
    print("done", file=done)
"""
"""Runs .block.py in the folder that each line names; what it prints goes to the shell's output."""

_SHELL = f"""\
set -euo pipefail
exec 3>&1
run_python() {{
    if test -z "${{PAGE_PID:-}}"; then coproc PAGE {{ exec python -c {shlex.quote(_PYTHON)}; }}; fi
    pwd >&"${{PAGE[1]}}"
    read -r <&"${{PAGE[0]}}"
}}
if test -e settings.sh; then . ./settings.sh; fi
"""


@dataclass
class Step:
    """A block that does something: a file to write, or code and what it is shown to print."""

    line: int
    kind: str
    text: str
    file: str | None = None
    printed: str | None = None

    def script(self) -> str:
        """Return the lines of the shell."""
        text, file = self.text, self.file
        if not file and self.kind == "sh":
            return text
        if not file and self.kind == "sql":
            text = f"_shown = connection.sql({text!r})\nif _shown is not None:\n    print(_shown)\n"
        quoted = f"cat >{file or '.block.py'} <<'END OF FILE'\n{text}END OF FILE\n"
        return quoted if file else quoted + "run_python\n"


def steps(page: str, *, strict: bool = True) -> list[Step]:
    """Return what a page has the reader do, in its order; check blocks that are not to run."""
    found: list[Step] = []
    tokens = _MARKDOWN.parse(page)
    output_of: Step | None = None
    for at, token in enumerate(tokens):
        before = tokens[at - 2].content if at > 1 and tokens[at - 1].level == 0 else ""
        runs, output_of = output_of, None
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        line = token.map[0] + 2
        closed = page.splitlines()[token.map[1] - 1].strip() == token.markup
        assert token.type == "fence" and closed, f"line {line}: no fence, or not closed"
        info = _INFO.fullmatch(token.info)
        assert info, f"line {line}: {token.info} is no info string of ours"
        file = _FILE.fullmatch(before)
        step = Step(line, info["kind"], token.content, file[1] if file else None)
        if info["not_run"]:
            output_of = Step(line, "", "")
        elif file:
            found.append(step)
        elif step.kind in ("js", "python", "sh", "sql"):
            found.append(step)
            output_of = step
        elif step.kind == "text":
            assert runs or not strict, f"line {line}: output that is not right after commands"
            if runs:
                runs.printed = step.text
        else:
            assert step.kind in CHECKS, f"line {line}: neither file, code nor output"
            CHECKS[step.kind](step.text)
    return found


def blocks(page: str, kind: str) -> list[str]:
    """Return the blocks of a kind, without those that are marked as not run."""
    return [
        token.content
        for token in _MARKDOWN.parse(page)
        if token.type == "fence" and token.info == kind
    ]


def _check_toml(text: str) -> None:
    if "[kinds." in text:
        TextPolicy.parse(text)
        return
    if "[columns" not in text:
        text += '\n[columns]\n"any other" = { format = "mask" }\n'
    Policy.parse(text)


def _check_json(text: str) -> None:
    json.loads(f"{{{text}}}" if text.startswith('"') else text)


def _check_go(text: str) -> None:
    if not re.search("^package ", text, re.M):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        for path in CHECKOUT.glob("go/**/*_test.go"):
            there = [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]
            if any(there[at : at + len(lines)] == lines for at in range(len(there))):
                return
        raise AssertionError(f"neither a file of Go nor lines of an example in go/:\n{text}")
    (CHECKOUT / "build").mkdir(exist_ok=True)
    # In our module, for its imports; "./..." of the part `go` passes over names with a low line.
    with TemporaryDirectory(dir=CHECKOUT / "build", prefix="_") as folder:
        (Path(folder) / "main.go").write_text(text)
        subprocess.run(["go", "vet", "main.go"], cwd=folder, check=True)


def _check_c(text: str) -> None:
    options = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    include = f"-I{CHECKOUT / 'core' / 'include'}"
    subprocess.run(["cc", *options, include, "-xc", "-"], input=text, text=True, check=True)


CHECKS: dict[str, Callable[[str], None]] = {
    "c": _check_c,
    "go": _check_go,
    "json": _check_json,
    "toml": _check_toml,
}


def run(todo: list[Step], folder: Path) -> tuple[list[str], str]:
    """Run all steps in a folder; return what each that succeeded printed, and what came after."""
    programs = Path(sys.executable).parent
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        ["bash", "-c", _SHELL + "".join(f"{step.script()}\necho '{_END}'\n" for step in todo)],
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
    """Copy the files that guides and reference pages begin with."""
    shutil.copytree(DOCS / "how-to" / "practice", folder, dirs_exist_ok=True)
    shutil.copy(DOCS / "tutorials" / "practice.keys", folder)


def same(shown: str, printed: str) -> bool:
    """Tell whether this was printed; blanks at the ends of lines and of all do not count."""
    trimmed = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    pattern = re.escape(shown.rstrip()).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, trimmed) is not None


def check(page: Path, folder: Path, *, strict: bool = True) -> None:
    """Run a page in an empty folder, and compare all that is printed with what it shows."""
    todo = steps(page.read_text("utf-8"), strict=strict)
    if {"how-to", "reference"} & set(page.parts):
        practice(folder)
    printed, rest = run(todo, folder) if todo else ([], "")
    for step, text in zip(todo, printed, strict=False):
        if step.printed is None and not strict:
            continue
        shown = step.printed or ""
        where = f"{page.name}, line {step.line}"
        assert same(shown, text), f"{where}: shown\n{shown}\nbut printed\n{text}"
    assert len(printed) == len(todo), f"line {todo[len(printed)].line}: failed\n{rest}"
    assert not rest
