# SPDX-License-Identifier: Apache-2.0
"""The commands as typer knows them: each is loaded when it is to run, or to show its help."""

import gc
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tallystick import __version__
from tallystick.cli.examples import examples
from tallystick.cli.main import ABOUT, COMMANDS
from tallystick.cli.output import print_line


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
        context = found.make_context(info_name, *args, **more)
        gc.enable()  # `tallystick.cli.main` has disabled it
        return context


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


@app.callback(help=ABOUT)
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass
