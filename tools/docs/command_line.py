# SPDX-License-Identifier: Apache-2.0
"""Prints docs/reference/command-line.md: the commands with their arguments, options and examples.

``python -m tools.docs.command_line > docs/reference/command-line.md``; a test compares the two. It
also writes python/tallystick/cli/help.txt, the help of each command, which the program shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from tools.docs.command_notes import COMMON, NOTES
from typer.core import TyperGroup

from tallystick.cli.main import COMMANDS
from tallystick.cli.program import app

HELP = Path(__file__).resolve().parents[2] / "python" / "tallystick" / "cli" / "help.txt"

BEGINNING = """\
# Command line

The commands of the program `tallystick` with their arguments and options, for those who use it in a
shell. `tallystick COMMAND --help` shows the options and examples too. The program is
`python -m tallystick` too.
"""
END = """
## Next

- [Protect a table of customers](../tutorials/first-table.md)
- [How-to guides](../how-to/index.md)
- [Policy](policy.md)
- [Errors and exit codes](errors.md)
"""


def contexts() -> Iterator[Any]:
    """Give every command as it is when it runs: the program, groups and their commands."""
    program = typer.Context(typer.main.get_command(app), info_name="tallystick")
    yield program
    for name in COMMANDS:
        command: Any = program.command
        made = command.commands[name].make_context(name, [], parent=program, resilient_parsing=True)
        yield made
        if isinstance(made.command, TyperGroup):
            for part, inner in made.command.commands.items():
                yield typer.Context(inner, info_name=part, parent=made)


def cell(text: str) -> str:
    """Return text for a cell of a table."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def code(text: str) -> str:
    """Return code for a cell of a table."""
    return "`" + text.replace("|", r"\|") + "`"


def row(names: str, about: str) -> str:
    """Return the row of an argument or option; a list of choices stands behind its meaning."""
    names, _, choices = names.partition(" <") if "|" in names else (names, "", "")
    more = f" One of {', '.join(map(code, choices.strip('>').split('|')))}." if choices else ""
    about, _, default = about.removesuffix("]").partition("  [")
    names = re.sub(r" <(?:[a-z ]|list\[str\])+>$", "", names)  # the name of a type in Python
    return f"| {code(names)} | {cell(about)}{more} | {cell(defaults(default))} |"


def defaults(text: str) -> str:
    """Return the default of an option and its range in words; `text` is from the help."""
    text = re.sub(r"env var: (\w+); required", r"required, or `\1`", text)
    text = re.sub(r"env var: (\w+)", r"`\1`", text)
    text = re.sub(r"default: (\(([^)]*)\)|([^;]*))", r"\2\3", text)
    text = re.sub(r"(\d+)<=x<=(\d+)", r"\1 to \2", text)
    return re.sub(r"x>=(\d+)", r"at least \1", text)


def section(context: Any) -> Iterator[str]:  # noqa: ANN401
    """Give the lines about a command."""
    command = context.command
    path = context.command_path.removeprefix("tallystick ")
    yield f"\n## {path}\n"
    yield command.help.replace("\f", "") + "\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```"
    for title, kind in (("argument", "argument"), ("option", "option")):
        records = [
            record
            for one in command.get_params(context)
            if one.param_type_name == kind and (record := one.get_help_record(context))
        ]
        if records:
            yield f"\n| {title} | meaning | default |\n|---|---|---|"
            yield from (row(*record) for record in records)
    if isinstance(command, TyperGroup):
        yield "\n| command | what it does |\n|---|---|"
        for name, part in command.commands.items():
            inner = f"{context.command_path} {name}".removeprefix("tallystick ")
            about = (part.help or "").split(".")[0] + "."
            yield f"| [`{inner}`](#{inner.replace(' ', '-')}) | {cell(about)} |"
    if path in NOTES:
        yield "\n" + NOTES[path].rstrip()
    if command.epilog:
        examples = re.sub(r"^  ", "", command.epilog.partition("Examples:\n")[2], flags=re.M)
        yield f"\nExamples:\n\n```sh\n{examples}\n```"


def page() -> str:
    """Return the page."""
    lines = [line for context in contexts() for line in section(context)]
    return BEGINNING + "\n".join(lines) + "\n" + COMMON + END


def helps() -> str:
    """Return the help of all commands; quick_help of `tallystick.cli.main` reads it."""
    texts = list[str]()
    for context in contexts():
        context.terminal_width, context.max_content_width = 78, 78  # of 80 columns
        texts.append(f"\f{context.command_path.removeprefix('tallystick').strip()}\n")
        texts.append(context.get_help().rstrip() + "\n")
    return "".join(texts)


if __name__ == "__main__":
    HELP.write_text(helps(), encoding="utf-8")
    print(page(), end="")
