# SPDX-License-Identifier: Apache-2.0
"""``tallystick reveals``, and the log of reveals; ``docs/reference/reveal-log.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tallystick.cli.options import Json, group
from tallystick.cli.output import print_json, print_line
from tallystick.counting import counted
from tallystick.reveal_log import Event, RevealLog
from tallystick.reveal_log import verify as verify_log

if TYPE_CHECKING:
    from tallystick.files import Place
    from tallystick.keyring import Keyring
    from tallystick.policy import Policy

app = group("Verify logs of reveals.")


def revealable(policy: Policy) -> list[str]:
    """Return the columns of a policy that can be revealed."""
    return [rule.column for rule in policy.rules if not rule.form.one_way]


@contextmanager
def logged(
    path: Path | None, columns: Sequence[str], ring: Keyring, source: Place, target: Place
) -> Iterator[Callable[[int], None]]:
    """Log that columns are revealed, before and after; the block is given what takes the rows.

    Raises `FileError`: the log can't be written. Before the block nothing is revealed then.
    """
    if path is None:
        yield lambda rows: None
        return
    log, counted = RevealLog(path), list[int]()

    def tell(event: Event, rows: int | None = None) -> None:
        log.append(
            *(event, columns, rows, ring.id, ring.revision), source=str(source), target=str(target)
        )

    tell("begin")
    try:
        yield counted.append
    except BaseException:
        tell("failed")
        raise
    tell("end", counted[0])


@app.callback(help="Verify logs of reveals.")
def _group() -> None:
    """Let the group have a name, although it has one command."""


@app.command()
def verify(
    log: Annotated[Path, typer.Argument(readable=False, help="The log.", metavar="LOG")],
    anchor: Annotated[
        Path | None,
        typer.Option(
            readable=False,
            help="A file that remembers the end of the log, and is made if there is none. A log "
            "that was cut since is refused.",
            metavar="FILE",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a log of reveals, and name the first line that is broken."""
    head = verify_log(log, anchor)
    if as_json:
        fields = {"log": str(log), "lines": head.lines, "hash": head.hash}
        print_json({"command": "reveals verify", **fields})
    else:
        print_line(f"{log}: {counted(head.lines, 'line')}, none is broken")
        print_line(f"hash: {head.hash}")
