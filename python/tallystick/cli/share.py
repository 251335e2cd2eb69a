# SPDX-License-Identifier: Apache-2.0
"""``tallystick share``: split secrets and files, recover them, and verify shares."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.table import Table
from rich.text import Text

from tallystick import shares
from tallystick.atomic import check_targets, complete_file, file_errors
from tallystick.cli.errors import ExitCode
from tallystick.cli.options import Json, Overwrite, Quiet, group
from tallystick.cli.output import (
    plain,
    print_bytes,
    print_json,
    print_line,
    print_table,
    say,
)
from tallystick.cli.progress import bytes_bar
from tallystick.cli.share_split import split
from tallystick.counting import counted
from tallystick.errors import ParameterError, ShareError
from tallystick.keyring.gather import LABEL
from tallystick.memory import wipe
from tallystick.shares import Combined, Recovered, Share, Verdict
from tallystick.shares.authentic import set_name
from tallystick.shares.found import Given, load

app = group("Split a secret or a file among people, so that any few of them recover it.")
app.command()(split)

Shares = Annotated[
    list[Path] | None,
    typer.Argument(readable=False, help="Files of shares, printed or binary.", metavar="SHARE"),
]
SetId = Annotated[
    str | None,
    typer.Option("--set", help="The set to recover, if there are shares of several sets."),
]


@app.command()
def combine(
    given: Shares = None,
    target: Annotated[
        str | None,
        typer.Option("--to", help="The file to write (mode 0600); - is standard output."),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Allow - to be a terminal.")] = False,
    set_id: SetId = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Recover a secret or a file from shares. Without files, it asks for printed shares."""
    if target is None:
        raise ParameterError("pass --to FILE, or --to - for standard output")
    if target == "-" and as_json:
        raise ParameterError("standard output can't take both the secret and JSON; pass --to FILE")
    if target == "-" and sys.stdout.isatty() and not show:
        raise ParameterError(
            "standard output is a terminal, where others may read along; pass --to FILE, or --show"
        )
    if target != "-":
        check_targets([Path(target)], overwrite=overwrite)
    wanted = None if set_id is None else set_name(set_id).hex()
    found = load(given) if given else _typed(wanted)
    if target != "-":
        real = os.path.realpath(target)
        if any(os.path.realpath(path) == real for path in found.paths):
            raise ParameterError(f"{target} is one of the shares; pass another file to --to")
    looked, error = shares.check(found.data, set_id=set_id)
    _tell_refused(found, looked)
    if error is not None:
        raise error
    # Of the set that is recovered: shares of others beside it may be of another kind.
    share = cast(Share, looked.share)
    if share.kind == "file":
        if target == "-":
            raise ParameterError("a dispersed file is recovered into a file; pass --to FILE")
        with bytes_bar("combine", quiet=quiet or as_json) as progress:
            recovered = shares.recover(
                found.paths,
                Path(target),
                set_id=share.set_id,
                overwrite=overwrite,
                progress=progress,
            )
        _tell_recovered(found, looked, recovered, target, as_json=as_json, quiet=quiet)
        return
    if share.label.startswith(LABEL):
        say(
            "warning: these are shares of a key ring's root key. It is written in "
            "plaintext: whoever reads it can open the ring alone. `--root shares:...` "
            "opens the ring without writing it"
        )
    secret = shares.combine(found.data, set_id=share.set_id).secret
    try:
        if target == "-":
            print_bytes(secret)
        else:
            with (
                file_errors(target),
                complete_file(Path(target), private=True, overwrite=overwrite) as output,
            ):
                output.write(secret)
    finally:
        wipe(secret)
    if as_json:
        print_json({"command": "share combine", "target": target, **_described(found, looked)})
    elif not quiet:
        where = "standard output" if target == "-" else target
        say(f"recovered {_about(share)}: {where}")


@app.command()
def verify(
    given: Shares = None, set_id: SetId = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Verify shares without revealing the secret. One share alone can be verified too."""
    found = load(given or [])
    if not found.paths:
        raise ParameterError("pass the files of the shares to verify")
    damaged: dict[int, int] = {}
    looked, error = shares.check(found.data, set_id=set_id)
    # The parts of a dispersed file can be checked with its key alone, so with enough shares.
    is_file = looked.share is not None and looked.share.kind == "file"
    parts_checked = is_file and error is None
    if parts_checked and looked.share is not None:
        wanted = looked.share.set_id
        with bytes_bar("verify", quiet=quiet or as_json) as progress:
            damaged = shares.verify(found.paths, set_id=wanted, progress=progress).damaged
    alone = len(found.paths) == 1 and looked.good == 1
    bad = any(v is not Verdict.GOOD for v in looked.verdicts) or any(damaged.values())
    if as_json:
        print_json(
            {
                "command": "share verify",
                **_described(found, looked),
                "state": "enough" if error is None else str(error),
                "parts_checked": parts_checked,
                "damaged_parts": damaged,
                "alone": alone,
            }
        )
        if bad or (error is not None and not alone):
            raise typer.Exit(ExitCode.SHARES)  # the result says why: it is the only object
    else:
        print_table(_table(found, looked, damaged))
        if looked.share is not None and not quiet:
            enough = "enough to recover it" if error is None else "not enough to recover it"
            print_line(f"{_about(looked.share)}: {looked.good} good, {enough}")
        if is_file and not parts_checked and looked.share is not None:
            say(
                "warning: only the first part of each share was verified; with "
                f"{looked.share.threshold} shares of the set, all parts are"
            )
    if bad:
        raise ShareError("some of these shares are not good")
    if error is not None and not alone:
        raise error


@app.command()
def info(
    share: Annotated[
        Path, typer.Argument(readable=False, help="The file of a share.", metavar="SHARE")
    ],
    as_json: Json = False,
) -> None:
    """Verify that a share is intact, and print its details."""
    found = load([share])
    if found.problems[0]:
        raise ShareError(f"{share}: {found.problems[0]}")
    read = shares.read(found.data[0])
    described = {
        "command": "share info",
        "set": read.set_id,
        "index": read.index,
        "threshold": read.threshold,
        "shares": read.count,
        "label": read.label,
        "kind": read.kind,
        "bytes": read.secret_size if read.kind == "secret" else None,
    }
    if as_json:
        print_json(described)
        return
    size = counted(read.secret_size, "byte")
    what = f"a secret of {size}" if read.kind == "secret" else "a dispersed file"
    for line in (
        f"share {read.index} of {read.count} of {what}; any {read.threshold} recover it",
        f"label: {read.label}",
        f"set:   {read.set_id}",
    ):
        print_line(line)


def _typed(wanted: str | None) -> Given:
    """Ask for printed shares until there are enough of one set: `wanted`, if it is given."""
    from tallystick.shares.typed import controlling_terminal, read_share

    given = Given()
    with controlling_terminal() as terminal:
        terminal.tell("type a share as it is printed, line by line (Ctrl-D ends it)")
        while True:
            try:
                data = read_share(terminal)
            except EOFError:
                return given
            try:
                share = shares.read(data)
            except ShareError as error:
                terminal.tell(f"refused: {error}")
                continue
            if share.kind == "file":
                terminal.tell(
                    f"refused: share {share.index} is of a dispersed file; pass the "
                    "files of its shares"
                )
                continue
            if wanted is not None and share.set_id != wanted:
                terminal.tell(
                    f"refused: share {share.index} is of set {share.set_id[:8]}, not "
                    f"of set {wanted[:8]}"
                )
                continue
            if given.has(share):
                terminal.tell(f"share {share.index} of set {share.set_id[:8]} was entered already")
                continue
            given.add(Path(f"typed share {len(given.paths) + 1}"), data, share, "")
            good = sum(s is not None and s.set_id == share.set_id for s in given.shares)
            more = share.threshold - good
            terminal.tell(
                f"share {share.index} is good, of {_about(share)}; "
                f"{'that is enough' if more <= 0 else f'{more} more needed'}"
            )
            if more <= 0:
                return given


def _about(share: Share) -> str:
    label = f" ({share.label})" if share.label else ""
    return f"set {share.set_id[:8]}{label}, {share.threshold} of {share.count}"


def _tell_refused(found: Given, looked: Combined) -> None:
    for place, verdict in enumerate(looked.verdicts):
        if verdict is not Verdict.GOOD:
            share = found.shares[place]
            index = f"share {share.index}: " if share else ""
            why = found.problems[place] or verdict.value
            say(f"refused {found.paths[place]}: {index}{why}")


def _tell_recovered(
    found: Given,
    looked: Combined,
    recovered: Recovered,
    target: str,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    for index, count in recovered.damaged.items():
        if count:
            say(
                f"warning: share {index}: {count} of {recovered.stripes} parts damaged, or bytes "
                "follow its end; the file is complete"
            )
    if as_json:
        print_json(
            {
                "command": "share combine",
                "target": target,
                "size": recovered.size,
                "damaged_parts": recovered.damaged,
                **_described(found, looked),
            }
        )
    elif not quiet and recovered.found.share is not None:
        about = _about(recovered.found.share)
        say(f"recovered {about}, {counted(recovered.size, 'byte')}: {target}")


def _table(found: Given, looked: Combined, damaged: Mapping[int, int]) -> Table:
    table = Table("share", "index", "set", "verdict")
    for place, (path, share) in enumerate(zip(found.paths, found.shares, strict=True)):
        good = looked.verdicts[place] is Verdict.GOOD
        parts = damaged.get(share.index, 0) if share is not None and good else 0
        verdict = found.problems[place] or looked.verdicts[place].value
        table.add_row(
            Text(plain(str(path))),
            str(share.index) if share else "",
            share.set_id[:8] if share else "",
            Text(f"damaged parts: {parts}" if parts else verdict),
        )
    return table


def _described(found: Given, looked: Combined) -> dict[str, object]:
    return {
        "set": looked.share.set_id if looked.share else None,
        "label": looked.share.label if looked.share else None,
        "threshold": looked.share.threshold if looked.share else None,
        "good": looked.good,
        "shares": [
            {
                "file": str(path),
                "index": share.index if share else None,
                "verdict": verdict.name.lower(),
                "problem": problem or None,
            }
            for path, share, verdict, problem in zip(
                found.paths, found.shares, looked.verdicts, found.problems, strict=True
            )
        ],
    }
