# SPDX-License-Identifier: Apache-2.0
"""The program: its commands, and what it ends with.

``--help`` and ``--version`` are answered without typer: loading it takes most of a command's help.
"""

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from tallystick import __version__
from tallystick.cli.dumps import refuse_dumps
from tallystick.cli.errors import ExitCode, StoppedError, end_on_signals, ignore_signals, report
from tallystick.cli.output import OutputClosedError, hold_streams, print_line

COMMANDS = {
    "protect": ("files", "Replace values of a file with tokens, by a policy."),
    "reveal": ("files", "Reveal the values of a protected file."),
    "preview": ("preview", "Show rows before and after, side by side."),
    "formats": ("formats", "List the formats of a policy, each with a value and its token."),
    "rotate": ("rotate", "Replace tokens with tokens of new keys, or of a new policy."),
    "inspect": ("inspect", "Find columns that look sensitive."),
    "check": ("check", "Report how a policy would apply to a file."),
    "keyring": ("keyring", "Create key rings, add and rotate data keys, split root keys."),
    "policy": ("policy", "Sign policies, and verify signatures."),
    "reveals": ("reveals", "Verify logs of reveals."),
    "share": ("share", "Split a secret or a file among people."),
    "text": ("text", "Protect, reveal and find values in text."),
}
"""Each command's module in this folder, whose `app` is the command or has it, and what it does."""

PURGE_MS = "20"
"""How long Arrow's allocator, mimalloc, keeps free memory, in milliseconds. With the 1000 that it
has of itself Parquet took a quarter more memory, and no less time."""


ABOUT = "Replace sensitive fields with tokens of the same format, and reveal them again."

_COLUMNS = 80
"""The width of the help in help.txt; typer writes it for a narrower terminal."""


def quick_help(command: str) -> str | None:
    """Return the help of a command, or of the program (``""``), as typer writes it.

    `tools.docs.command_line` writes it to help.txt. None: there is no such command.
    """
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        texts = dict(text.split("\n", 1) for text in file.read().split("\f")[1:])
    return texts.get(command)


def _quick(arguments: list[str]) -> bool:
    """Answer what needs no command, if that is asked; return whether it was."""
    if arguments == ["--version"]:
        print_line(f"tallystick {__version__}")
        return True
    if arguments[-1:] == ["--help"] and "COLUMNS" not in os.environ and _is_wide():
        text = quick_help(" ".join(arguments[:-1]))
        for line in (text or "").splitlines():
            print_line(line)
        return text is not None
    return False


def _is_wide() -> bool:
    try:
        return os.get_terminal_size(1).columns >= _COLUMNS
    except OSError:  # a pipe: typer takes it for 80 columns
        return True


def run(arguments: Sequence[str]) -> int:
    """Run one command, and return the exit code.

    Parameters
    ----------
    arguments : sequence of str
        Those of the command line, without the program's name.
    """
    try:
        try:
            if _quick(list(arguments)):
                return 0
            from tallystick.cli.program import app

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
    gc.disable()  # while a command is loaded: nothing that is loaded is garbage
    refuse_dumps()
    hold_streams()
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
