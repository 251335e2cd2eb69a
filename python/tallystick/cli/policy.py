# SPDX-License-Identifier: Apache-2.0
"""``tallystick policy``: sign policies, and verify signatures. Never shows a signing key."""

import fcntl
import os
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tallystick.atomic import complete_file, file_errors
from tallystick.cli.options import Json, group
from tallystick.cli.output import print_json, print_line
from tallystick.policy import Policy
from tallystick.policy.signatures import SUFFIX, make_key, parse, public_key, sign
from tallystick.policy.signatures import signer as signer_of
from tallystick.reading import read_small

if TYPE_CHECKING:
    from tallystick.text import TextPolicy

app = group("Sign policies, and verify signatures.")

PolicyArgument = Annotated[
    Path, typer.Argument(readable=False, help="The policy file.", metavar="POLICY")
]


@app.command()
def key(
    path: Annotated[
        Path, typer.Argument(readable=False, help="The file, which must not exist.", metavar="PATH")
    ],
    as_json: Json = False,
) -> None:
    """Make a signing key in a file (mode 0600), and its public key in PATH.pub."""
    public = make_key(path)
    if as_json:
        print_json({"command": "policy key", "key": str(path), "signer": public})
        return
    print_line(f"made a signing key: file:{path} (keep it apart from the key ring)")
    print_line(f"signer: {public}")


def _load(path: Path) -> "Policy | TextPolicy":
    """Read a policy for tables or for text, and refuse what is neither."""
    if not _has_kinds(path):
        return Policy.load(path)
    from tallystick.text import TextPolicy

    return TextPolicy.load(path)


def _has_kinds(path: Path) -> bool:
    try:
        return "kinds" in tomllib.loads(read_small(path, 1 << 20).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False


@contextmanager
def _locked(policy: Path) -> Iterator[None]:
    """Hold the lock of a policy's file, so that signers at the same time keep each other's lines.

    A lock file of its own would shut out signers who are other users.
    """
    with ExitStack() as stack:
        with file_errors(policy):
            # NFS locks only files that are open for writing.
            mode = "r+b" if os.access(policy, os.W_OK) else "rb"
            file = stack.enter_context(policy.open(mode))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@app.command("sign")
def sign_policy(
    policy: PolicyArgument,
    source: Annotated[
        str, typer.Option("--key", help="The signing key: file:PATH or env:NAME.", metavar="SOURCE")
    ],
    as_json: Json = False,
) -> None:
    """Sign a policy. The signature goes into the file POLICY.sig, beside others that still hold."""
    beside = Path(f"{policy}{SUFFIX}")
    _load(policy)  # which refuses what is no policy
    with _locked(policy):
        signed = _load(policy).signed
        assert signed is not None  # noqa: S101 (it was read from a file)
        if signed.signatures is not None:
            parse(signed.signatures, str(beside))  # whose error names the file
        made = sign(signed.policy, source, signed.signatures)
        with complete_file(beside, private=False, overwrite=True) as sink:
            sink.write(made)
    public = public_key(source)
    if as_json:
        fields = {"policy": str(policy), "signature": str(beside), "signer": public}
        print_json({"command": "policy sign", **fields})
        return
    print_line(f"signed {policy}: {beside}")
    print_line(f"signer: {public}")


@app.command()
def verify(
    policy: PolicyArgument,
    signer: Annotated[
        list[str],
        typer.Option(
            help="A public key, or file:PATH. Repeat the option if several may sign.", metavar="KEY"
        ),
    ],
    as_json: Json = False,
) -> None:
    """Verify that one of the signers signed a policy. Needs no key ring."""
    _load(policy).check_signed([signer_of(one) for one in signer], policy)
    if as_json:
        print_json({"command": "policy verify", "policy": str(policy), "signed": True})
    else:
        print_line(f"{policy} is as a signer signed it")
