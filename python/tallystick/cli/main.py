# SPDX-License-Identifier: Apache-2.0
"""The program: its commands, and what it ends with."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tallystick import __version__
from tallystick.cli.dumps import refuse_dumps
from tallystick.cli.errors import ExitCode, StoppedError, end_on_signals, ignore_signals, report
from tallystick.cli.examples import examples
from tallystick.cli.output import OutputClosedError, print_line

COMMANDS = {
    "protect": ("files", "Replace values of a file with tokens, by a policy."),
    "reveal": ("files", "Reveal the values of a protected file."),
    "preview": ("preview", "Show rows before and after, side by side."),
    "formats": ("formats", "List the formats of a policy, each with a value and its token."),
    "rotate": ("rotate", "Replace tokens under old keys with tokens under new keys."),
    "inspect": ("inspect", "Find columns that look sensitive."),
    "check": ("check", "Report how a policy would apply to a file."),
    "keyring": ("keyring", "Create key rings, add and rotate data keys, split root keys."),
    "share": ("share", "Split a secret or a file among people."),
}
"""Each command's module in this folder, whose `app` is the command or has it, and what it does."""

PURGE_MS = "20"
"""How long Arrow's allocator, mimalloc, keeps free memory, in milliseconds. With the 1000 that it
has of itself Parquet took a quarter more memory, and no less time."""


class _Later(TyperCommand):
    """A command in its place: the real one is loaded when it is to run, or to show its help."""

    def make_context(self, info_name: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        module = import_module(f"tallystick.cli.{COMMANDS[info_name][0]}")
        found = typer.main.get_command(module.app)
        if isinstance(found, TyperGroup):
            for name, part in found.commands.items():
                part.epilog = examples(name if name == info_name else f"{info_name} {name}")
            found = found.commands.get(info_name, found)
        found.epilog = examples(info_name)
        return found.make_context(info_name, *args, **more)


app = typer.Typer(
    name="tallystick",
    no_args_is_help=True,
    rich_markup_mode=None,  # as of `group`
    # Tracebacks with local variables would show keys and values.
    pretty_exceptions_enable=False,
    epilog=examples(""),
)
for _name, (_, _does) in COMMANDS.items():
    app.command(_name, cls=_Later, help=_does)(lambda: None)


def _version(wanted: bool) -> None:
    if wanted:
        print_line(f"tallystick {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Replace sensitive fields with tokens of the same format, and reveal them again."""


def run(arguments: Sequence[str]) -> int:
    """Run one command, and return the exit code.

    Parameters
    ----------
    arguments : sequence of str
        Those of the command line, without the program's name.
    """
    try:
        try:
            return int(app(list(arguments), prog_name="tallystick", standalone_mode=False) or 0)
        except OutputClosedError:
            raise
        except (Exception, StoppedError) as error:
            return report(error, as_json="--json" in arguments)
    except OutputClosedError:
        return ExitCode.OUTPUT_CLOSED
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich's way, with tables and help
            return ExitCode.OUTPUT_CLOSED
        raise


def main() -> None:
    """Run the command line, and exit."""
    refuse_dumps()
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", PURGE_MS)
    try:
        end_on_signals()
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # for a locale that is not UTF-8
        code = run(sys.argv[1:])
        ignore_signals()
    except StoppedError as error:  # just before the command, or just after it
        code = report(error, as_json="--json" in sys.argv)
    sys.exit(code)
