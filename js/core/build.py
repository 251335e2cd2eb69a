# SPDX-License-Identifier: Apache-2.0
"""Compiles the core to WebAssembly for the npm package: with SIMD128, without, and for text alone.

Writes core-simd.wasm, core-plain.wasm and core-text.wasm to a folder, and beside each a JavaScript
module with the same bytes (zlib by Zopfli, base64), which any bundler takes. The functions that are
exported are those that src/exports.ts and src/text-exports.ts name. Sources and compiler are those
of Go's core.wasm, so what Zig has compiled for one of them it takes from its cache for the others.
"""

import base64
import os
import re
import subprocess
import sys
from pathlib import Path

import zopfli.zlib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "go" / "internal" / "core" / "wasm"))

import build as go  # noqa: E402

OWN = ("js/core/binding.c", "integrations/common/toml.c")
"""What Go has not. No flag is added for them: other flags would be another cache."""


CORES = (
    ("simd", "exports", "-msimd128"),
    ("plain", "exports", "-mno-simd128"),
    ("text", "text-exports", "-mno-simd128"),
)
"""Each with the file that names its functions. Text gains nothing from vectors."""


def exports(file: str) -> list[str]:
    """Return the functions that TypeScript calls."""
    text = (HERE.parent / "src" / f"{file}.ts").read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r"\btally_\w+\b(?=\??\(|\")", text)))


def compile_core(target: Path, file: str, *flags: str) -> None:
    """Run Zig's C compiler; its caches stay in build/."""
    cache = {f"ZIG_{scope}_CACHE_DIR": str(ROOT / "build" / "zig") for scope in ("GLOBAL", "LOCAL")}
    subprocess.run(
        [
            *(sys.executable, "-m", "ziglang", "cc", *go.FLAGS, *flags, *go.FOLDERS),
            *(go.wasm_sources()),
            *OWN,
            *go.LINKED,
            *(f"-Wl,--export={name}" for name in exports(file)),
            *("-o", str(target)),
        ],
        cwd=ROOT,
        env=os.environ | cache,
        check=True,
    )


def module(wasm: bytes) -> str:
    """Return WebAssembly as a JavaScript module."""
    text = base64.b64encode(zopfli.zlib.compress(wasm, numiterations=5)).decode()
    return f'// SPDX-License-Identifier: Apache-2.0\nexport default "{text}";\n'


def main() -> int:
    """Make them, in the folder that is the only argument."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, file, flag in CORES:
        wasm = folder / f"core-{name}.wasm"
        compile_core(wasm, file, flag)
        text = module(wasm.read_bytes())
        (folder / f"core-{name}.js").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
