# SPDX-License-Identifier: Apache-2.0
"""Protects by a policy and key ring for the test that compares Go with Python, and shares.

Arguments: policy, key ring, root key's source, a folder for shares. Standard input is JSON:
{"columns": {name: [value]}, "row": [tweak], "disperse": hex}. So is the output: {"columns":
{name: [token or null]}, "words": hex, "secret": hex}.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

from tallystick import FastCipher, Tokenizer, shares
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy


def main() -> None:
    """Do all of it."""
    policy, ring = Policy.load(sys.argv[1]), Keyring.open(sys.argv[2], RootKey.parse(sys.argv[3]))
    folder = Path(sys.argv[4])
    given = json.load(sys.stdin)
    columns = {}
    for rule in policy.rules:
        values = given["columns"][rule.column]
        tokens = Tokenizer(
            rule.form, ring.key(rule.key), namespace=rule.namespace, on_invalid=rule.on_invalid
        )
        tweaks = None
        if rule.tweak is not None:
            tweaks = pa.array(given["row"][: len(values)], pa.string())
        columns[rule.column] = tokens.protect(pa.array(values, pa.string()), tweaks).to_pylist()
    cipher = FastCipher(bytes(range(32)), 62)
    words = np.arange(200 * 17, dtype=np.uint32).reshape(200, 17) % 62
    made = cipher.encrypt_words(words.astype(np.uint8), b"tweak")

    # What Go has shared, and what Go is to recover.
    found = shares.combine([path.read_bytes() for path in sorted(folder.glob("go-secret-*"))])
    shares.recover(sorted(folder.glob("go-file-*"))[1:], folder / "recovered")
    for i, share in enumerate(
        shares.split(b"made by Python", shares=4, threshold=2, label="py"), 1
    ):
        (folder / f"py-secret-{i}").write_bytes(share)
    source = folder / "source"
    source.write_bytes(bytes.fromhex(given["disperse"]))
    targets = [folder / f"py-file-{i}" for i in range(1, 6)]
    shares.disperse(source, targets, threshold=3, label="py")
    json.dump(
        {"columns": columns, "words": made.tobytes().hex(), "secret": found.secret.hex()},
        sys.stdout,
    )


main()
