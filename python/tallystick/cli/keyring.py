# SPDX-License-Identifier: Apache-2.0
"""``tallystick keyring``: create key rings, add and rotate keys, list them. Never shows a key."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tallystick.cli import keyring_shares
from tallystick.cli.options import Json, Ring, Root, group, root_key
from tallystick.cli.output import print_json, print_line, print_table
from tallystick.errors import ParameterError
from tallystick.keyring import FileRoot, KeyInfo, Keyring, RootKey
from tallystick.keyring.hexadecimal import data_key
from tallystick.keyring.names import KEY_SIZES, KeySize

app = group("Create key rings, add and rotate data keys, split root keys.")

# Not from the environment: `add people` could not tell whether it is the ring or the name.
RingAndName = Annotated[
    Path, typer.Argument(readable=False, help="The key ring file.", metavar="RING")
]


@app.command()
def new(ring: Ring, root: Root, as_json: Json = False) -> None:
    """Create an empty key ring.

    With file:PATH, a new root key is created in that file (mode 0600), unless the file exists.
    """
    source = root_key(root)
    # os.path's, which raise nothing: what can't be looked at can't be made either, as is then told.
    made = isinstance(source, FileRoot) and not (
        os.path.exists(source.path) or os.path.exists(ring)
    )
    if isinstance(source, FileRoot) and made:
        RootKey.generate_file(source.path)
    Keyring.create(ring, source)
    if as_json:
        fields = {"keyring": str(ring), "root": str(source), "root_made": made}
        print_json({"command": "keyring new", **fields})
        return
    if made:
        print_line(f"made a root key: {source} (keep a copy, apart from the key ring)")
    print_line(f"made a key ring: {ring}")


@app.command()
def add(
    ring: RingAndName,
    name: Annotated[str, typer.Argument(help="The key's name, such as people.", metavar="NAME")],
    root: Root,
    bits: Annotated[
        int | None,
        typer.Option(help="The key's size: 128, 192 or 256.", show_default="256"),
    ] = None,
    existing: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="A key that another program has, in hexadecimal: file:PATH or env:NAME.",
            metavar="SOURCE",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add a data key, or the next version of an existing one."""
    _check_order(ring, name)
    if existing is not None and bits is not None:
        raise ParameterError("--bits is the size of a fresh key; --from gives a key as it is")
    key = None if existing is None else data_key(existing)
    size = _size(256 if bits is None else bits)
    added = Keyring.open(ring, root_key(root)).add(name, size, key=key)
    if as_json:
        print_json({"command": "keyring add", "keyring": str(ring), "key": str(added)})
    else:
        print_line(f"added key {added}: this is its name in policies")


@app.command()
def rotate(
    ring: RingAndName,
    name: Annotated[str, typer.Argument(help="The name of an existing key.", metavar="NAME")],
    root: Root,
    bits: Annotated[
        int | None,
        typer.Option(
            help="The key's size: 128, 192 or 256.", show_default="the size of the newest version"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create the next version of a data key, and print how to rotate files to it."""
    size = None if bits is None else _size(bits)
    _check_order(ring, name)
    opened = Keyring.open(ring, root_key(root))
    made = opened.rotate(name, size)
    infos = opened.keys()
    sizes = {info.id: 8 * info.size for info in infos}
    before = max(key for key in sizes if key.name == name and key < made)
    if as_json:
        fields = {"key": str(made), "previous": str(before), "bits": sizes[made]}
        print_json({"command": "keyring rotate", "keyring": str(ring), **fields})
        return
    print_line(
        f"made key {made}, of {sizes[made]} bits. No file uses it yet, and {before} stays "
        "in the ring"
    )
    print_line("rotate each file that has tokens of the old key, once:")
    print_line(f"  tallystick rotate SOURCE TARGET --key {before}={made} --write-policy NEW_POLICY")
    print_line(f"then protect new files with NEW_POLICY, which names {made}")


def _check_order(ring: Path, name: str) -> None:
    """Refuse a name in the place of the ring, and a name with a version."""
    if not os.path.lexists(ring) and os.path.exists(name):
        raise ParameterError(f"the key ring is the first argument: {name} {ring}")
    if ":" in name:
        raise ParameterError(
            "pass the key's name without a version; the next version is chosen for you"
        )


def _size(bits: int) -> KeySize:
    """Return the bytes of a key of so many bits."""
    sizes = {8 * size: size for size in KEY_SIZES}
    if bits not in sizes:
        raise ParameterError(f"a key has {', '.join(map(str, sizes))} bits, not {bits}")
    return sizes[bits]


@app.command("list")
def list_keys(ring: Ring, root: Root, as_json: Json = False) -> None:
    """List the keys of a ring, after verifying that the ring is authentic."""
    opened = Keyring.open(ring, root_key(root))
    keys, sharing = opened.keys(), opened.sharing
    if as_json:
        listed = [_described(key) for key in keys]
        shared = None if sharing is None else keyring_shares.described(sharing)
        fields = {"keyring": str(ring), "keys": listed, "sharing": shared}
        print_json({"command": "keyring list", **fields})
        return
    table = Table("key", "bits", "created")
    for key in keys:
        table.add_row(str(key.id), str(8 * key.size), key.created.isoformat())
    print_table(table)
    if sharing is not None:
        print_line(keyring_shares.summary(sharing))


app.add_typer(keyring_shares.app)


def _described(key: KeyInfo) -> dict[str, object]:
    return {
        "name": key.name,
        "version": key.version,
        "bits": 8 * key.size,
        "created": key.created.isoformat(),
    }
