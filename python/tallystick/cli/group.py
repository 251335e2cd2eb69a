# SPDX-License-Identifier: Apache-2.0
"""What the modules of commands add them to."""

from __future__ import annotations

import typer


def group(about: str | None = None) -> typer.Typer:
    """Make the `app` of a module; completion is the program's alone.

    Parameters
    ----------
    about : str, optional
        What the commands are for, if they have a name together. Without a command that is shown.
    """
    return typer.Typer(
        help=about,
        no_args_is_help=about is not None,
        rich_markup_mode=None,  # loading rich takes longer than all the rest
        add_completion=False,
    )
