# SPDX-License-Identifier: Apache-2.0
"""Appends to a shared object what DuckDB reads before it loads an extension.

These are a header of a custom section of WebAssembly, eight fields of 32 bytes from the last to the
first, and 256 bytes for a signature, which are zero: the extension is not signed.
"""

import platform
import sys
from pathlib import Path

FIELD, SIGNATURE = 32, 256
MAGIC = "4"
API = "v1.2.0"
"""The version of DuckDB's C API for extensions, of integrations/duckdb/api.h."""
CPUS = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def name_platform(processor: str = "") -> str:
    """Return what DuckDB calls this platform."""
    system = "osx" if sys.platform == "darwin" else "linux"
    processor = (processor or platform.machine()).lower()
    return f"{system}_{CPUS.get(processor, processor)}"


def footer(version: str, on: str) -> bytes:
    """Return the bytes to append."""
    fields = ("", "", "", "C_STRUCT", version, API, on, MAGIC)
    section = b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    return (
        section + b"".join(text.encode().ljust(FIELD, b"\0") for text in fields) + bytes(SIGNATURE)
    )


def main() -> None:
    """Write the extension: OBJECT EXTENSION VERSION PROCESSOR."""
    source, target, version, processor = sys.argv[1:]
    made = Path(source).read_bytes() + footer(f"v{version}", name_platform(processor))
    beside = Path(f"{target}.new")
    beside.write_bytes(made)
    beside.replace(target)


if __name__ == "__main__":
    main()
