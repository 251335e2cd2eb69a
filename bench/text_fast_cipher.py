# SPDX-License-Identifier: Apache-2.0
"""Compute vectors/text_fast_cipher.json anew: what PyPI's fast-cipher makes of each text in it.

``python -m bench.text_fast_cipher`` needs requirements/bench.txt. It fails if the package does not
restore a text, as it does not all.
"""

import json
from importlib import import_module
from pathlib import Path

from .errors import WrongResultError

VECTORS = Path(__file__).parents[1] / "vectors" / "text_fast_cipher.json"


def main() -> None:
    """Write the file. Raises `WrongResultError`: a text is not restored."""
    make = import_module("fast_cipher.tokens").TokenEncryptor
    cases = json.loads(VECTORS.read_text("utf-8"))
    for case in cases:
        tool = make(bytes.fromhex(case["key"]), tweak=bytes.fromhex(case["tweak"]) or None)
        case["token"], _ = tool.encrypt(case["text"])
        if tool.decrypt(case["token"]) != case["text"]:
            raise WrongResultError(f"fast-cipher does not restore {case['token']}")
    VECTORS.write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n", "utf-8")


if __name__ == "__main__":
    main()
