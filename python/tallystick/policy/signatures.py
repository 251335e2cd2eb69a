# SPDX-License-Identifier: Apache-2.0
"""Signatures of policies (Ed25519), in a file beside the policy; ``docs/reference/policy.md``.

The bytes of the policy's file are signed, so a signature covers comments and line ends too.
"""

import os
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tallystick.errors import ParameterError, PolicyError
from tallystick.keyring import storage
from tallystick.keyring.hexadecimal import ROOT_KEY, Kind, hexadecimal_source, is_key

SUFFIX = ".sig"
"""What the name of a signature's file has behind the policy's."""
MOST = 16
"""Signatures of one policy."""
_CONTEXT = b"tallystick policy 1\n"
_HEAD = "tallystick policy signature 1\n"
_LINES = re.compile(rf"{_HEAD}((?:[0-9a-f]{{64}} [0-9a-f]{{128}}\n){{1,{MOST}}})", re.ASCII)
_SIZE_MAX = len(_HEAD) + MOST * 194
_SIGNING_KEY = Kind("signing key", ROOT_KEY.pattern, ROOT_KEY.digits)


@dataclass(frozen=True, slots=True)
class Signed:
    """The file that a policy was read from, and the file of its signatures."""

    policy: bytes
    signatures: bytes | None
    source: str

    def check(self, signers: Collection[str]) -> None:
        """Refuse a policy that none of these has signed.

        Raises
        ------
        PolicyError
            There are no signatures, or none is of a signer.
        """
        beside = f"{self.source}{SUFFIX}"
        if self.signatures is None:
            raise PolicyError(
                f"{self.source}: a signature is demanded, and {beside} can't be "
                "read; `tallystick policy sign` makes it"
            )
        theirs = {key: one for key, one in parse(self.signatures, beside) if key in signers}
        if not theirs:
            raise PolicyError(
                f"{beside}: no signature is of a signer that the key ring names; let one of them "
                "sign the policy"
            )
        if not any(verifies(key, one, self.policy) for key, one in theirs.items()):
            raise PolicyError(
                f"{self.source}: was changed after it was signed; take the signed file, or let a "
                "signer look at the change and sign it"
            )


def demanded(
    signed: Signed | None, signers: Collection[str], ring: object, load: str
) -> Signed | None:
    """Return the file that one of the signers signed; None if there are no signers.

    `load` is the function that reads a policy with its signatures, for messages.

    Raises
    ------
    PolicyError
        The policy was read from no file, or none of the signers signed it as it is.
    """
    if not signers:
        return None
    if signed is None:
        raise PolicyError(
            f"{ring}: the key ring demands signed policies, and this one was read from no "
            f"file; read the signed file with {load}"
        )
    signed.check(signers)
    return signed


def beside(path: Path) -> bytes | None:
    """Read the signatures of a policy's file. None: there are none that can be read."""
    try:
        return storage.read(Path(f"{path}{SUFFIX}"), _SIZE_MAX)[0]
    except OSError:
        return None


def parse(data: bytes, source: str) -> list[tuple[str, str]]:
    """Return the public keys and signatures of a file.

    Raises
    ------
    PolicyError
        It is no such file.
    """
    found = _LINES.fullmatch(data.decode("latin-1"))
    pairs = [line.split(" ") for line in found[1].splitlines()] if found else []
    if not pairs or len({key for key, _ in pairs}) < len(pairs):
        raise PolicyError(
            f"{source}: not a file of signatures; restore it, or remove it and sign the policy "
            "again"
        )
    return [(key, signature) for key, signature in pairs]


def verifies(public: str, signature: str, policy: bytes) -> bool:
    """Return whether a signature is that of a public key over a policy."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _CONTEXT + policy)
    except (InvalidSignature, ValueError):
        return False
    return True


def make_key(path: str | os.PathLike[str]) -> str:
    """Make a signing key in a file (mode 0600), and return its public key, also in PATH.pub.

    Raises
    ------
    ParameterError
        A file exists, or can't be made. No new one remains then.
    """
    seed = secrets.token_bytes(32)
    public = _public(seed)
    made: list[Path] = []
    try:
        for name, text in ((path, seed.hex()), (f"{path}.pub", public)):
            storage.create(Path(name), f"{text}\n".encode())
            made.append(Path(name))
        made[1].chmod(0o644)
    except BaseException as error:
        for one in made:
            one.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ParameterError(
                f"{error.filename or path}: can't make the file: {error.strerror}"
            ) from error
        raise
    return public


def signer(text: str) -> str:
    """Return a public key: the text itself, or what is in ``file:PATH``.

    Raises
    ------
    ParameterError
        It is no public key.
    """
    path = text.removeprefix("file:")
    try:
        found = (
            text
            if path == text or is_key(path)
            else storage.read(Path(path), 4096)[0].decode("latin-1")
        )
    except OSError as error:
        raise ParameterError(f"{path}: can't read the public key: {error.strerror}") from error
    if not re.fullmatch(r"[0-9a-f]{64}\n?", found, re.ASCII):
        raise ParameterError(
            "a signer is a public key of 64 lower-case hexadecimal digits, or file:PATH of the "
            ".pub file that `tallystick policy key` makes"
        )
    return found.removesuffix("\n")


def public_key(source: str) -> str:
    """Return the public key of a signing key: 64 hexadecimal digits.

    Parameters
    ----------
    source : str
        ``file:PATH`` or ``env:NAME``.

    Raises
    ------
    ParameterError, RootKeyError
        The text has another form; or the key can't be read.
    """
    return _public(hexadecimal_source(source, _SIGNING_KEY))


def sign(policy: bytes, source: str, known: bytes | None = None) -> bytes:
    """Return the file of signatures of a policy: ours, and those in `known` that still hold.

    Parameters
    ----------
    policy : bytes
        The policy's file.
    source : str
        As for `public_key`.
    known : bytes, optional
        The file that there is.

    Raises
    ------
    ParameterError, RootKeyError, PolicyError
        As for `public_key`; or `known` is no such file, or full.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = hexadecimal_source(source, _SIGNING_KEY)
    ours = _public(seed)
    made = Ed25519PrivateKey.from_private_bytes(seed).sign(_CONTEXT + policy).hex()
    pairs = parse(known, "the file of signatures") if known is not None else []
    kept = [(key, one) for key, one in pairs if key != ours and verifies(key, one, policy)]
    if len(kept) >= MOST:
        raise PolicyError(f"a policy has at most {MOST} signatures")
    return "".join([_HEAD, *(f"{key} {one}\n" for key, one in [*kept, (ours, made)])]).encode()


def _public(seed: bytes) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()
