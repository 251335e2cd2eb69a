# SPDX-License-Identifier: Apache-2.0
"""Write the C gadgets from the circuits: `python -m tools.circuit`."""

from pathlib import Path

from . import c, circuits, masking

ROOT = Path(__file__).resolve().parents[2]
SBOX = ROOT / "core" / "masked" / "sbox.circuit"


def written() -> dict[Path, str]:
    """Return what belongs into each generated file, before clang-format."""
    circuit = circuits.read(SBOX)
    return {
        SBOX.with_name(f"sbox_order{order}.h"): c.function(
            masking.masked(circuit, order),
            f"sbox_order{order}",
            SBOX.relative_to(ROOT).as_posix(),
            "The AES S-box",
        )
        for order in (1, 2)
    }


def main() -> None:
    """Write all files."""
    for path, text in written().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
