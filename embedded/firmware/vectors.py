# SPDX-License-Identifier: Apache-2.0
"""Write the AES vectors as C: `python vectors.py aes_blocks.json vectors.c`."""

import json
import sys
from pathlib import Path


def _array(text: str) -> str:
    return "{" + ", ".join(f"{byte:#04x}" for byte in bytes.fromhex(text)) + "}"


def main() -> None:
    """Write the file."""
    cases = json.loads(Path(sys.argv[1]).read_text())
    lines = ['#include "firmware.h"', "", "const vector vectors_of_aes[] = {"]
    for case in cases:
        sizes = [len(case["key"]) // 2, len(case["plaintext"]) // 32]
        arrays = [_array(case[name]) for name in ("key", "plaintext", "ciphertext")]
        lines.append(f"    {{{', '.join([*map(str, sizes), *arrays])}}},")
    lines += ["};", "", f"const uint32_t count_of_vectors = {len(cases)};", ""]
    Path(sys.argv[2]).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
