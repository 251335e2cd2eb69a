# SPDX-License-Identifier: Apache-2.0
"""``tallystick keyring split`` and ``reshare``: the root key among several people."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tallystick.cli.options import Beside, Json, Ring, Root, group, open_ring, root_key
from tallystick.cli.output import plain, print_json, print_line, print_table
from tallystick.errors import ParameterError
from tallystick.keyring import Keyring, RootKey, Splitting, split_root
from tallystick.keyring.document import SharedRoot

_Threshold = Annotated[
    int, typer.Option("--threshold", help="The number of shares that open the key ring.")
]
_Holders = Annotated[
    list[str],
    typer.Option("--holder", help="A holder of a share. Repeat the option for each holder."),
]
_Into = Annotated[
    Path | None,
    typer.Option(
        "--into",
        readable=False,
        help="The folder for the shares.",
        show_default="next to the ring",
    ),
]
_Codes = Annotated[bool, typer.Option("--qr", help="Also write each share as a QR code (PNG).")]


app = group()


@app.command()
def split(
    ring: Ring,
    root: Root,
    threshold: _Threshold,
    holder: _Holders,
    into: _Into = None,
    qr: _Codes = False,
    beside: Beside = None,
    as_json: Json = False,
) -> None:
    """Replace the root key with a new one, split among holders. The old key no longer opens it."""
    opened = open_ring(ring, root)
    roots = opened.roots
    if opened.sharing is not None:
        raise ParameterError(f"{ring}: the root key is split already; use keyring reshare")
    done = split_root(opened, holder, threshold, into, codes=qr, beside=_others(beside))
    replaced = str(root_key(root))
    _report("keyring split", ring, opened, done, roots, replaced, as_json=as_json)
    if not as_json:
        print_line(
            f"The root key from {replaced} no longer opens {ring}. Destroy it "
            "and all copies of it, unless other key rings need it."
        )
        print_line(
            "It still opens older copies of the key ring, such as backups, with all "
            "data keys in them. Destroy those copies too, or keep them as safe as the "
            "root key was."
        )


@app.command()
def reshare(
    ring: Ring,
    root: Root,
    threshold: _Threshold,
    holder: _Holders,
    into: _Into = None,
    qr: _Codes = False,
    beside: Beside = None,
    as_json: Json = False,
) -> None:
    """Split a new root key into a new set of shares. The old shares no longer open the ring."""
    opened = open_ring(ring, root)
    before, roots = opened.sharing, opened.roots
    if before is None:
        raise ParameterError(f"{ring}: the root key is not split yet; use keyring split")
    done = split_root(opened, holder, threshold, into, codes=qr, beside=_others(beside))
    _report("keyring reshare", ring, opened, done, roots, as_json=as_json)
    if not as_json:
        print_line(f"The shares of set {before.set[:8]} no longer open {ring}. Destroy them.")
        print_line(
            "They still open older copies of the key ring, such as backups, with all "
            "data keys in them. Destroy those copies too."
        )


def _others(beside: list[str] | None) -> list[RootKey]:
    return [root_key(one) for one in beside or ()]


def described(sharing: SharedRoot) -> dict[str, object]:
    """Return the holders of a ring whose root key is split, for JSON."""
    return {"set": sharing.set, "threshold": sharing.threshold, "holders": list(sharing.holders)}


def summary(sharing: SharedRoot) -> str:
    """Return the holders of a ring whose root key is split, for people."""
    holders = ", ".join(f"{index} {name}" for index, name in enumerate(sharing.holders, 1))
    return f"opens with any {sharing.threshold} of the shares of set {sharing.set[:8]}: {holders}"


def _report(
    command: str,
    ring: Path,
    opened: Keyring,
    done: Splitting,
    roots: tuple[str, ...],
    replaced: str = "",
    *,
    as_json: bool,
) -> None:
    """Report the shares. `roots`: the wrapping keys that opened the ring before.

    The command itself says what becomes of the one `replaced`.
    """
    lost = [name for name in roots if name not in opened.roots]
    if as_json:
        print_json(
            {
                "command": command,
                "keyring": str(ring),
                "id": opened.id,
                "set": done.set_id,
                "threshold": done.threshold,
                "roots_removed": lost,
                "shares": [
                    {
                        "index": share.index,
                        "holder": share.holder,
                        "file": str(share.path),
                        "qr": None if share.code is None else str(share.code),
                    }
                    for share in done.shares
                ],
            }
        )
        return
    table = Table("share", "holder", "file", title=plain(f"{ring}: set {done.set_id[:8]}"))
    for share in done.shares:
        table.add_row(str(share.index), Text(share.holder), Text(plain(_from_here(share.path))))
    print_table(table)
    print_line(
        f"Any {done.threshold} of these {len(done.shares)} shares open {ring} with "
        "--root shares:FILE,FILE,... or --root shares (typed)."
    )
    for name in lost:
        if name == replaced:
            continue
        print_line(
            f"{name} no longer opens {ring}. If it must, run keyring reshare with --beside {name}."
        )
    print_line(
        "Give each holder one share, test the shares, then remove all of the files from here."
    )


def _from_here(path: Path) -> str:
    """Return a path relative to the current folder if it is in it: long paths break tables."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
