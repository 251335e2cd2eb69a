# SPDX-License-Identifier: Apache-2.0
"""The commands of the program, with their options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from tallystick.cli.main import COMMANDS
from tallystick.cli.program import app


def every_command() -> Iterator[tuple[str, list[Any]]]:
    """Give every command and its options; of one of a group behind the group's name."""
    program: Any = typer.main.get_command(app)
    context = typer.Context(program)
    for name in COMMANDS:
        made = program.commands[name].make_context(name, [], parent=context, resilient_parsing=True)
        group = made.command
        for part in group.commands.values() if isinstance(group, TyperGroup) else [group]:
            path = f"{name} {part.name}" if isinstance(group, TyperGroup) else name
            yield path, [one for one in part.params if one.param_type_name == "option"]
