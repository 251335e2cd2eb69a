# SPDX-License-Identifier: Apache-2.0
"""Options of key rings, of shares, and of all commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tallystick.cli.output import say

if TYPE_CHECKING:
    from tallystick.keyring import Keyring, RootKey

Ring = Annotated[
    Path,
    typer.Argument(
        readable=False, help="The key ring file.", envvar="TALLYSTICK_KEYRING", metavar="RING"
    ),
]
Root = Annotated[
    str,
    typer.Option(
        "--root",
        "-r",
        envvar="TALLYSTICK_ROOT",
        help="The source of the root key: file:PATH, env:NAME, prompt (a passphrase), "
        "shares:FILE,FILE,..., shares:DIRECTORY or shares (typed); or the key that wraps it: "
        "age:PATH, age:passphrase, transit:MOUNT/KEY, pkcs11:token=TOKEN;object=LABEL, "
        "aws-kms:KEY, gcp-kms:KEY, azure-kv:HOST/KEY or keyring:NAME.",
    ),
]
Beside = Annotated[
    list[str] | None,
    typer.Option(
        "--beside",
        help="Another key that wraps the root key, and opens the ring alone. Repeat the option for "
        "each key.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the target if it exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result, or the error, as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no summary.")]


def open_ring(path: Path, root: str) -> Keyring:
    """Open a key ring, by the anchor that the environment names if it does.

    Raises `KeyringError`, `RootKeyError`, `ParameterError`: as `Keyring.open` and `root_key`.
    """
    from tallystick.keyring import Keyring

    return Keyring.open(path, root_key(root), anchor=os.environ.get("TALLYSTICK_ANCHOR") or None)


def root_key(text: str) -> RootKey:
    """Return the root key's source; report unusable shares on standard error.

    Raises `ParameterError`: the text does not describe a source.
    """
    from tallystick.keyring import RootKey

    return RootKey.parse(text, tell=lambda problem: say(f"warning: {problem}"))


def group(about: str | None = None) -> typer.Typer:
    """Make the `app` of a module; completion is the program's alone.

    `about`: what the commands are for, if they have a name together. Without a command that is
    shown.
    """
    return typer.Typer(
        help=about,
        no_args_is_help=about is not None,
        rich_markup_mode=None,  # loading rich takes longer than all the rest
        add_completion=False,
    )
