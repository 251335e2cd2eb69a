# SPDX-License-Identifier: Apache-2.0
"""A root key from a passphrase: scrypt (RFC 7914) over its UTF-8 bytes in NFC.

scrypt rather than Argon2id because every build of `cryptography` has it. NFC, so that the same
passphrase typed on another machine gives the same bytes.
"""

import secrets
import unicodedata

from ..errors import RootKeyError
from .document import ScryptRoot
from .seal import ROOT_SIZE

DEFAULT_N = 1 << 17  # with r = 8: 128 MiB, and about 0.3 s
MIN_LENGTH = 12  # characters
_STRONG = 4
"""zxcvbn's best score: 10^10 guesses or more, of some 0.3 s each."""
_LOOKED_AT = 72
"""Characters that are judged; the time that takes grows with their square."""


def weakness(passphrase: str) -> str | None:
    """Say why a new passphrase is too weak, without repeating any of it; None: it is not.

    Existing rings are opened with whatever they were made with.
    """
    if len(passphrase) < MIN_LENGTH:
        return f"is shorter than {MIN_LENGTH} characters; use several words"
    from zxcvbn import zxcvbn  # not before it is needed: it reads lists of words

    if zxcvbn(passphrase[:_LOOKED_AT])["score"] < _STRONG:
        return (
            "is easy to guess (repeated characters, common passwords, names, dates, rows of keys); "
            "use four or more words that have nothing to do with each other"
        )
    return None


def new_record(n: int) -> ScryptRoot:
    """Return a fresh salt with cost `n`: a power of two from 2**14 to 2**18."""
    return ScryptRoot(salt=secrets.token_hex(16), n=n, r=8, p=1)


def derive(passphrase: str, record: ScryptRoot) -> bytes:
    """Derive the root key; the record's costs were bounded when it was decoded."""
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # which only such rings need

    try:
        secret = unicodedata.normalize("NFC", passphrase).encode("utf-8")
    except UnicodeEncodeError:
        # Not chained: that exception holds the passphrase.
        raise RootKeyError(
            "the passphrase is not valid text; set the terminal's locale to UTF-8"
        ) from None
    scrypt = Scrypt(
        salt=bytes.fromhex(record.salt), length=ROOT_SIZE, n=record.n, r=record.r, p=record.p
    )
    try:
        return scrypt.derive(secret)
    except MemoryError:
        need = 128 * record.n * record.r >> 20
        raise RootKeyError(f"deriving the root key takes {need} MiB of memory; free some") from None
