# SPDX-License-Identifier: Apache-2.0
"""``tallystick keyring``: create key rings, add and rotate keys, list them. Never shows a key."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tallystick.cli import keyring_shares
from tallystick.cli.options import Beside, Json, Ring, Root, group, open_ring, root_key
from tallystick.cli.output import print_json, print_line, print_table
from tallystick.errors import ParameterError
from tallystick.files.places import check_apart
from tallystick.keyring import FileRoot, KeyInfo, Keyring, RootKey, WrappingRoot
from tallystick.keyring.hexadecimal import data_key
from tallystick.keyring.names import ALL_RIGHTS, KEY_SIZES, RIGHTS, KeySize, Rights

app = group("Create key rings, add and rotate data keys, split root keys.")

# Not from the environment: `add people` could not tell whether it is the ring or the name.
RingAndName = Annotated[
    Path, typer.Argument(readable=False, help="The key ring file.", metavar="RING")
]


@app.command()
def new(ring: Ring, root: Root, beside: Beside = None, as_json: Json = False) -> None:
    """Create an empty key ring.

    With file:PATH, a new root key is created in that file (mode 0600), unless the file exists.
    """
    source = root_key(root)
    others = [root_key(one) for one in beside or ()]
    if isinstance(source, FileRoot):
        check_apart([("key ring", ring)], [("root key", Path(source.path))])
    # os.path's, which raise nothing: what can't be looked at can't be made either, and is refused.
    made = isinstance(source, FileRoot) and not (
        os.path.exists(source.path) or os.path.exists(ring)
    )
    if isinstance(source, FileRoot) and made:
        RootKey.generate_file(source.path)
    Keyring.create(ring, source, *others)
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
    added = open_ring(ring, root).add(name, size, key=key)
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
    opened = open_ring(ring, root)
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


@app.command()
def wrap(
    ring: Ring,
    root: Root,
    by: Annotated[
        list[str],
        typer.Option(
            "--by", help="A root that opens the ring from now on. Repeat the option for each root."
        ),
    ],
    to_protect: Annotated[
        list[str] | None,
        typer.Option(
            "--to-protect", help="A wrapping key that opens the ring to protect, and no more."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Replace the root key with a new one, which these roots wrap. No other root opens the ring."""
    opened = open_ring(ring, root)
    sources = [root_key(one) for one in by]
    for one in map(root_key, to_protect or ()):
        if not isinstance(one, WrappingRoot):
            raise ParameterError(f"{one} is the root key itself, so it can't be limited")
        sources.append(WrappingRoot(one.root, "protect"))
    opened.wrap(*sources)
    names = [str(one) for one in sources]
    if as_json:
        print_json({"command": "keyring wrap", "keyring": str(ring), "roots": names})
        return
    print_line(f"{ring} opens with {' or '.join(names)}, and with nothing else")
    print_line(
        "Older copies of the key ring, such as backups, still open with what opened them before. "
        "Destroy those copies, or keep them as safe as before."
    )


@app.command()
def rights(
    ring: RingAndName,
    key: Annotated[str, typer.Argument(help="The key, such as people:1.", metavar="KEY")],
    root: Root,
    may: Annotated[
        list[str],
        typer.Option("--may", help="protect or reveal. Repeat the option for both."),
    ],
    as_json: Json = False,
) -> None:
    """Change what a data key may be used for. Programs that use the libraries obey."""
    wanted = " ".join(one for one in ("protect", "reveal") if one in may)
    if wanted not in RIGHTS or set(wanted.split()) != set(may):
        raise ParameterError("--may is protect or reveal")
    given: Rights = next(one for one in RIGHTS if one == wanted)
    open_ring(ring, root).set_rights(key, given)
    if as_json:
        print_json({"command": "keyring rights", "keyring": str(ring), "key": key, "rights": given})
    else:
        print_line(f"key {key} may now {' and '.join(given.split())}")


@app.command("anchor")
def make_anchor(
    ring: RingAndName,
    anchor: Annotated[
        Path, typer.Argument(readable=False, help="The anchor, a file.", metavar="ANCHOR")
    ],
    root: Root,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Accept the ring as it is, even an older copy.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a file that remembers the ring. Set TALLYSTICK_ANCHOR to it to refuse older copies."""
    opened = Keyring.open(ring, root_key(root))
    opened.make_anchor(anchor, overwrite=overwrite)
    if as_json:
        fields = {"keyring": str(ring), "anchor": str(anchor), "revision": opened.revision}
        print_json({"command": "keyring anchor", **fields})
    else:
        print_line(f"{anchor} knows revision {opened.revision} of {ring}")


@app.command()
def signers(
    ring: Ring,
    root: Root,
    signer: Annotated[
        list[str] | None,
        typer.Option(
            "--signer",
            help="A public key, or file:PATH. Repeat the option if several may sign.",
            metavar="KEY",
        ),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Demand no signature any more.")] = False,
    as_json: Json = False,
) -> None:
    """Demand that each policy is signed by one of these, and by no others."""
    from tallystick.policy.signatures import signer as signer_of  # which loads policies

    given = [signer_of(one) for one in signer or ()]
    if bool(given) == none:
        raise ParameterError("pass the signers by --signer, or --none")
    open_ring(ring, root).set_signers(given)
    if as_json:
        print_json({"command": "keyring signers", "keyring": str(ring), "signers": given})
    elif given:
        print_line(f"{ring} takes only policies that {' or '.join(given)} signed")
    else:
        print_line(f"{ring} takes policies without a signature")


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
    opened = open_ring(ring, root)
    keys, sharing, roots = opened.keys(), opened.sharing, opened.roots
    if as_json:
        listed = [_described(key) for key in keys]
        shared = None if sharing is None else keyring_shares.described(sharing)
        fields: dict[str, object] = {"keyring": str(ring), "keys": listed, "sharing": shared}
        fields |= {"roots": list(roots), "revision": opened.revision}
        fields["signers"] = list(opened.signers)
        print_json({"command": "keyring list", **fields})
        return
    limited = any(key.rights != ALL_RIGHTS for key in keys)
    table = Table("key", "bits", "created", *(["rights"] if limited else []))
    for key in keys:
        rights = [key.rights] if limited else []
        table.add_row(str(key.id), str(8 * key.size), key.created.isoformat(), *rights)
    print_table(table)
    if sharing is not None:
        print_line(keyring_shares.summary(sharing))
    if roots:
        print_line(f"opens with {' or '.join(roots)}")
    if opened.signers:
        print_line(f"takes only policies that {' or '.join(opened.signers)} signed")


app.add_typer(keyring_shares.app)


def _described(key: KeyInfo) -> dict[str, object]:
    return {
        "name": key.name,
        "version": key.version,
        "bits": 8 * key.size,
        "created": key.created.isoformat(),
        "rights": key.rights,
    }
