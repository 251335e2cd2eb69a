# SPDX-License-Identifier: Apache-2.0
"""The crate of embedded/rust on an emulated Cortex-M0+, with `core` compiled from its source."""

import os
import subprocess
from pathlib import Path

from embedded.emulator import elf, images
from embedded.emulator.emulator import Emulator

from cortex_m0_support import needs_gcc

TARGET = "thumbv6m-none-eabi"
RUSTC, CARGO = os.environ.get("RUSTC", "rustc"), os.environ.get("CARGO", "cargo")


def has_source() -> bool:
    """Whether the compiler has the source of its library (Debian: rust-web-src for rustc-web)."""
    command = [RUSTC, "--print", "sysroot"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return (Path(done.stdout.strip()) / "lib/rustlib/src/rust/library").exists()


__test__ = has_source()
"""Without that source there is no test here: `make setup` installs none, and CI refuses skips."""


@needs_gcc
def test_a_block_in_rust() -> None:
    flags = ("-nostdlib", "-Wl,-Ttext=0x100,-e,main", "-lgcc")
    name = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}"
    folder = images.BUILD / "rust"
    settings = {
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_TARGET_DIR": str(folder),
        f"{name}_LINKER": images.GCC,
        f"{name}_RUSTFLAGS": " ".join(f"-C link-arg={flag}" for flag in flags),
    }
    command = [
        *(CARGO, "build", "-Zbuild-std=core", "--target", TARGET, "--release", "--quiet"),
        *("--locked", "--features", "bare", "--example", "bare"),
        *("--manifest-path", str(images.ROOT / "embedded" / "rust" / "Cargo.toml")),
    ]
    subprocess.run(command, env={**os.environ, **settings}, check=True)
    image = elf.read(folder / TARGET / "release" / "examples" / "bare")
    assert "sub_bytes" in image.symbols  # the assembly
    emulator = Emulator(image, iter(()))
    assert emulator.call("main").cycles > 20_000
    assert emulator.registers()[0] == 0
