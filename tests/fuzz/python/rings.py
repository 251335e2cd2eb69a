# SPDX-License-Identifier: Apache-2.0
"""Key rings that are sealed anew after their text was changed, to see what is behind the seal."""

import json

from harness import ROOT_KEY
from tallystick.keyring.document import TAIL
from tallystick.keyring.seal import Subkeys

WORDS = [
    *(
        '"format"',
        '"tallystick-keyring"',
        '"version": 2',
        '"ring"',
        '"created"',
        '"root"',
        '"roots"',
        '"revision"',
        '"signers"',
        '"kind"',
    ),
    *('"key"', '"scrypt"', '"shares"', '"set"', '"threshold"', '"count"', '"holders"', '"check"'),
    *('"keys"', '"name"', '"size": 16', '"wrapped"', '"mac"', "2026-01-01T00:00:00Z", "\\u0000"),
]


def sealed(data: bytes, *, spelled: bool) -> bytes:
    """Return a file with the check value and MAC that belong to it, as far as it has such."""
    try:
        if spelled:
            data = json.dumps(json.loads(data), indent=2).encode() + b"\n"
        ring = json.loads(data)["ring"]
        keys = Subkeys.derive(ROOT_KEY, ring)
        data = data.replace(str(json.loads(data)["check"]).encode(), keys.check.encode())
    except (ValueError, TypeError, KeyError, RecursionError):
        return data
    body = data[:-TAIL]
    return body + keys.mac(body).encode() + data[len(body) + 64 :]
