# SPDX-License-Identifier: Apache-2.0
"""The program: its commands, and what it ends with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

import typer

from tallystick import __version__
from tallystick.cli import check, files, inspect, keyring, rotate, share
from tallystick.cli.errors import ExitCode, StoppedError, end_on_signals, report
from tallystick.cli.output import OutputClosedError, print_line

app = typer.Typer(
    name="tallystick",
    help="Replace sensitive fields by tokens of the same format, and give them back.",
    no_args_is_help=True,
    # Tracebacks with local variables would show keys and values.
    pretty_exceptions_enable=False,
)
app.add_typer(keyring.app, name="keyring")
app.add_typer(share.app, name="share")
files.register(app)
rotate.register(app)
inspect.register(app)
check.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print_line(f"tallystick {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Replace sensitive fields by tokens of the same format, and give them back."""


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
    end_on_signals()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for a locale that is not UTF-8
    sys.exit(run(sys.argv[1:]))
