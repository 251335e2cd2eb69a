# SPDX-License-Identifier: Apache-2.0
"""Compiles the core to go/internal/core/core.wasm, which Go runs where it is built without cgo.

The same sources and the same Zig (requirements/dev.txt) give the same bytes on every machine. With
--check nothing is written; the exit code says whether the file is what the sources give.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
TARGET = HERE.parent / "core.wasm"
PARTS = (
    *("aes", "arrow", "base", "columns", "fast"),
    *("gf256", "library", "numbers", "sha2", "sharing"),
)
ALSO = (
    *("tally_fast_recommended", "tally_fast_pool_size", "tally_fast_cipher_size"),
    "tally_fast_workspace_size",
    *("tally_fast_range_params", "tally_dispersal_records_size"),
)
"""Exported functions of the core's own headers, beside those of binding.h."""


def sources() -> list[str]:
    """Return the files to compile, relative to the root."""
    found = [path for part in PARTS for path in sorted((ROOT / "core" / part).rglob("*.c"))]
    found = [path for path in found if path.name != "entropy.c"]
    found += [HERE.parent / "binding.c", HERE / "entropy.c"]
    return [path.relative_to(ROOT).as_posix() for path in found]


def compile_core(target: Path) -> None:
    """Run Zig's C compiler; its caches stay in build/."""
    names = re.findall(r"\b(tally_go_\w+)\(", (HERE.parent / "binding.h").read_text(encoding="utf-8"))
    exports = [f"-Wl,--export={name}" for name in (*dict.fromkeys(names), *ALSO)]
    cache = {f"ZIG_{scope}_CACHE_DIR": str(ROOT / "build" / "zig") for scope in ("GLOBAL", "LOCAL")}
    subprocess.run(
        [
            *(sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi"),
            *("-mexec-model=reactor", "-O2", "-g0", "-std=c11", "-msimd128"),
            *("-Icore", "-Icore/include", "-Igo/internal/core", *sources()),
            *("-Wl,--strip-all", "-Wl,-z,stack-size=1048576"),
            *(*exports, "-o", str(target)),
        ],
        cwd=ROOT,
        env=os.environ | cache,
        check=True,
    )


def main() -> int:
    """Compile, and put in place or compare."""
    parser = argparse.ArgumentParser(description="Compile the core to WebAssembly.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "core.wasm"
        compile_core(made)
        data = made.read_bytes()
    if not options.check:
        TARGET.write_bytes(data)
        print(f"{TARGET.relative_to(ROOT)}: {len(data)} bytes")
        return 0
    same = TARGET.exists() and TARGET.read_bytes() == data
    print(f"core.wasm: {int(same)} passed, {int(not same)} failed")
    if not same:
        print("the sources give another core.wasm: run make wasm")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
