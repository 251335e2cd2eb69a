# SPDX-License-Identifier: Apache-2.0
"""Makes what Go compiles or runs from the sources of the core: C units, and core.wasm.

With cgo, Go compiles the units, tallystick_*.c in go/internal/core. They are there because a Go
module has no build step and `go mod vendor` copies only folders of Go packages. Without cgo, Go
runs core.wasm. The same sources and the same Zig (requirements/dev.txt) give the same bytes on
every machine. With --check nothing is written, and the exit code is 1 if a file differs from what
the sources give.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
FOLDER = HERE.parent
TEXT_FOLDER = FOLDER.parent / "textcore"
CSV_FOLDER = FOLDER.parent / "csvcore"
sys.path.insert(0, str(ROOT / "tools"))

import amalgamate  # noqa: E402

UNITS = {
    "ciphers": ("aes", "base", "ff1", "gf256", "sha2"),
    "fast": ("fast/schedule", "fast/words"),
    "formats": ("columns", "formats", "numbers"),
    "lanes": ("fast/lanes",),
    "tokens": ("arrow", "json", "keyring", "library", "policy", "sharing", "tokens", "unicode"),
}
"""The folders of the core in each unit. Units are few, because GCC takes 0.3 s to read its header
of vector instructions. They take similar times, because CPU cores compile them side by side."""

LEFT_OUT = (
    "core/aes/bitslice_avx*.c",
    "core/sha2/sha512*.c",
    "core/tokens/stream.c",
    "core/tokens/table.c",
)
"""Sources that Go never runs; core/aes/backend.h says why it needs no such back ends of AES."""

FOR_WASM = "core/*simd128.c"
"""Sources that compile to nothing elsewhere."""

TEXT = ("scan", "text")
"""Folders of the unit of go/internal/textcore, which programs without text do not compile."""
TEXT_ALSO = "core/policy/kinds.c"
"""A source of that unit that is in a folder of another."""
TEXT_NEEDS = (
    *("tally_aes_ctr", "tally_aes_key_init", "tally_allocate", "tally_allocate_many"),
    *("tally_format_free", "tally_format_new", "tally_hkdf_sha256", "tally_hmac_sha256_init"),
    *("tally_hmac_sha256_update", "tally_hmac_sha256_final", "tally_json_free", "tally_json_is"),
    *("tally_json_key_is", "tally_json_member", "tally_json_parse", "tally_key_id_parse"),
    *("tally_layouts_reason", "tally_luhn_digit", "tally_phone_is_planned", "tally_release"),
    *("tally_release_wiped", "tally_sort", "tally_table_at", "tally_table_problem"),
    *("tally_table_read", "tally_table_wrong", "tally_wipe", "tally_write", "tally_write_bytes"),
    *("tally_write_char", "tally_write_instead", "tally_write_path", "tally_write_uint"),
    *("tally_writer_init", "tally_writer_problem"),
)
"""What that unit takes from those of go/internal/core. The references are weak, since cgo links
each package by itself once, to see what it imports."""

CSV = ("csv",)
"""Folders of the unit of go/internal/csvcore, which needs nothing of the others."""

QUICKER = ("ciphers", "formats", "lanes", "tokens")
FEWER_PASSES = """\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-tree-pre", "no-code-hoisting")
#pragma GCC optimize("no-predictive-commoning", "no-thread-jumps")
#endif
"""
"""Before these units, for GCC: passes that take a tenth of its time, and make these no faster. The
unit `fast` has them, since one word takes less time then."""

DEFINED = "TALLY_AES_MINIMAL"
"""Leaves out more that Go never runs."""

INTERNAL = ("fast/words/by_direction.h", "ff1/ff3_1.h")
"""Headers that binding.c needs beside the public ones."""

ALSO = (
    *("tally_fast_recommended", "tally_fast_pool_size", "tally_fast_cipher_size"),
    *("tally_keyring_free", "tally_keyring_id", "tally_keyring_count", "tally_keyring_at"),
    *("tally_fast_range_params", "tally_dispersal_records_size"),
    *("tally_format_new", "tally_format_free", "tally_format_name_at", "tally_format_name"),
    *("tally_format_identity", "tally_format_is_one_way", "tally_format_is_keyed"),
    *("tally_format_may_be_formula", "tally_format_forbids_keep", "tally_format_example"),
    *("tally_format_smallest_domain", "tally_format_domain_of", "tally_format_explain"),
    *("tally_format_check", "tally_reason_text", "tally_status_text"),
    *("tally_format_cipher", "tally_format_work", "tally_tokenizer_new", "tally_tokenizer_free"),
    *("tally_tokenizer_head", "tally_tokenizer_fingerprint"),
    *("tally_worker_new", "tally_worker_free", "tally_policy_new", "tally_policy_free"),
    *("tally_policy_check_text", "tally_path_step", "tally_ff1_min_length"),
    *("tally_ff3_1_min_length", "tally_ff3_1_max_length", "tally_text_restore"),
    *("tally_text_restore_capacity", "tally_text_restorer_free", "tally_text_restored"),
    *("tally_text_refused", "tally_text_policy_check", "tally_scan_rules_free"),
)
"""Exported functions of the core's own headers, beside those of binding.h."""

TAG = "//go:build cgo\n\n"

FLAGS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-Os", "-g0", "-std=c11"),
    f"-D{DEFINED}",
)
VECTORS = ("-msimd128", "-U__wasm_simd128__")
"""The compiler may use SIMD128, but Go has none of the lanes for it: with them, ciphers that nobody
closes held 72 MB in go/fast's test of memory, whose limit is 60."""
FOLDERS = ("-Icore", "-Icore/include", "-Igo/internal/core")
LINKED = ("-Wl,--strip-all", "-Wl,-z,stack-size=1048576")
"""How Zig makes WebAssembly; js/core/build.py uses them too."""


def internal_header() -> str:
    """Return the headers in INTERNAL, and those that they need, as one."""
    writer = amalgamate.Writer([*amalgamate.public_headers()])
    for name in INTERNAL:
        writer.file(amalgamate.CORE / name)
    guard = "TALLYSTICK_INTERNAL_H"
    content = "internal headers for the binding of Go as one file"
    lines = [amalgamate.HEADER.format(version=amalgamate.version(), content=content)]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", '#include "tallystick.h"', ""]
    lines += [f"#include <{name}>" for name in sorted(writer.system)]
    return "\n".join([*lines, *writer.lines, "", "#endif", ""])


def sources(parts: Iterable[str]) -> list[Path]:
    """Return the sources of folders of the core that Go needs."""
    return [
        path
        for part in parts
        for path in amalgamate.sources(part)
        if not any(fnmatch(amalgamate.relative(path), pattern) for pattern in LEFT_OUT)
    ]


def unit(name: str) -> str:
    """Return the sources of a unit's folders as one file."""
    parts = UNITS[name]
    others = (FOR_WASM, TEXT_ALSO)
    here = [
        path
        for path in sources(parts)
        if not any(fnmatch(amalgamate.relative(path), pattern) for pattern in others)
    ]
    text = amalgamate.joined_source(here, f"sources of core/: {', '.join(parts)}")
    passes = FEWER_PASSES if name in QUICKER else ""
    return f"{TAG}#define {DEFINED}\n{passes}{text}"


def text_unit() -> str:
    """Return the sources of the unit for text as one file."""
    weak = "".join(f"#pragma weak {name}\n" for name in TEXT_NEEDS)
    paths = [*sources(TEXT), ROOT / TEXT_ALSO]
    joined = amalgamate.joined_source(paths, f"sources of core/: {', '.join(TEXT)}")
    return f"{TAG}#if !defined(__APPLE__)\n{weak}#endif\n{joined}"


def csv_unit() -> str:
    """Return the sources of the unit for CSV as one file."""
    return TAG + amalgamate.joined_source(sources(CSV), f"sources of core/: {', '.join(CSV)}")


def units() -> dict[str, str]:
    """Return the files for cgo, by name."""
    return {
        "tallystick.h": amalgamate.joined_header(),
        "tallystick_internal.h": internal_header(),
        **{f"tallystick_{name}.c": unit(name) for name in UNITS},
        "../textcore/tallystick_text.c": text_unit(),
        "../csvcore/tallystick_csv.c": csv_unit(),
    }


def wasm_sources() -> list[str]:
    """Return the files to compile to WebAssembly, relative to the root."""
    found = [
        path for path in sources(chain(*UNITS.values(), TEXT, CSV)) if path.name != "entropy.c"
    ]
    found += [FOLDER / "binding.c", TEXT_FOLDER / "text_binding.c", CSV_FOLDER / "csv_binding.c"]
    found.append(HERE / "entropy.c")
    return [path.relative_to(ROOT).as_posix() for path in found]


def compile_core(target: Path) -> None:
    """Run Zig's C compiler; its caches stay in build/."""
    headers = [
        path.read_text(encoding="utf-8")
        for path in (
            *(FOLDER / "binding.h", TEXT_FOLDER / "text_binding.h"),
            CSV_FOLDER / "csv_binding.h",
        )
    ]
    names = re.findall(r"\b(tally_go_\w+)\(", "\n".join(headers))
    exports = [f"-Wl,--export={name}" for name in (*dict.fromkeys(names), *ALSO)]
    cache = {f"ZIG_{scope}_CACHE_DIR": str(ROOT / "build" / "zig") for scope in ("GLOBAL", "LOCAL")}
    subprocess.run(
        [
            *(sys.executable, "-m", "ziglang", "cc", *FLAGS, *VECTORS, *FOLDERS),
            *(*wasm_sources(), *LINKED, *exports, "-o", str(target)),
        ],
        cwd=ROOT,
        env=os.environ | cache,
        check=True,
    )


def wasm() -> bytes:
    """Return core.wasm."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "core.wasm"
        compile_core(made)
        return made.read_bytes()


def main() -> int:
    """Make the files, and put them in place or compare."""
    parser = argparse.ArgumentParser(description="Make Go's C units and core.wasm.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--units", action="store_true", help="the C units alone")
    options = parser.parse_args()
    files = {name: text.encode() for name, text in units().items()}
    stale = [path for path in sorted(FOLDER.glob("tallystick*.[ch]")) if path.name not in files]
    if not options.check:
        for path in stale:
            path.unlink()
        for name, data in files.items():
            (FOLDER / name).write_bytes(data)
    if not options.units:
        files["core.wasm"] = wasm()  # of the units' headers, so after them
        if not options.check:
            (FOLDER / "core.wasm").write_bytes(files["core.wasm"])
    if not options.check:
        print(
            f"{FOLDER.relative_to(ROOT)}: {len(files)} files, {sum(map(len, files.values()))} bytes"
        )
        return 0
    wrong = [path.name for path in stale]
    for name, data in files.items():
        path = FOLDER / name
        if not path.exists() or path.read_bytes() != data:
            wrong.append(name)
    print(f"files for Go: {len(files) - len(wrong)} passed, {len(wrong)} failed")
    if wrong:
        print("the sources give other files: run make wasm:", *wrong)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
