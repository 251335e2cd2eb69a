# SPDX-License-Identifier: Apache-2.0
"""Write the C gadgets and the Cryptol module from the circuits: `python -m embedded.circuit`."""

from pathlib import Path

from . import arranging, c, circuits, cortex_m0, cryptol, masking

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
SBOX = CORE / "aes" / "sbox.circuit"
ARRANGEMENT = Path(__file__).with_name("sbox_order1.arrangement")


def written() -> dict[Path, str]:
    """Return the text of each generated file."""
    circuit, source = circuits.read(SBOX), SBOX.relative_to(ROOT).as_posix()
    plain = c.linear_part(circuit, "sbox_linear", source)
    programs = {order: masking.masked(circuit, order) for order in (1, 2)}
    programs[1] = arranging.arranged(programs[1], ARRANGEMENT.read_text())
    return {
        CORE / "aes" / "bitslice_circuit.h": plain,
        CORE / "masked" / "cortex_m0_parts.inc": cortex_m0.parts(circuit, source),
        CORE / "masked" / "cortex_m0_order2_parts.inc": cortex_m0.order2_parts(circuit, source),
        ROOT / "cryptol" / "MaskedSBox.cry": cryptol.module(circuit, source),
    } | {
        CORE / "masked" / f"sbox_order{order}.h": c.on_shares(program, f"sbox_order{order}", source)
        for order, program in programs.items()
    }


def main() -> None:
    """Write all files."""
    for path, text in written().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
