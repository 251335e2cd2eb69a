# SPDX-License-Identifier: Apache-2.0
"""Builds tallystick._core: the C core, and a cffi module on its public headers.

The headers are the only place where a declaration is written: what cffi is told is read from them.
Sources are globbed, as in CMakeLists.txt; setuptools runs this from the repository's root.
"""

import re
import sys
from pathlib import Path

from cffi import FFI

HEADERS = (
    *("base", "aes", "sha2", "arrow", "fast", "columns", "numbers", "csv"),
    *("gf256", "shamir", "shares", "dispersal"),
)
"""The bound headers of core/include/tallystick, each after those that it includes."""

INTERNAL = (
    "base/cpu.h",  # for Python's tests
    *("base/direction.h", "fast/words/by_direction.h", "columns/by_direction.h"),
)
"""The bound headers that are not public."""

ROOT = Path(__file__).resolve().parent.parent


def declarations(header: str) -> str:
    """Return the C declarations of a public header, without what cffi does not parse.

    Comments, preprocessor lines, the braces of ``extern "C"`` and the macros of export.h go;
    everything else stays as it is. A constant that Python needs is therefore an ``enum`` in the
    header, not a ``#define``.
    """
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"\bTALLY_(?:API|MUST_CHECK)\b", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)


def relative(pattern: str) -> list[str]:
    """Return the files that match a pattern, relative to the root as setuptools wants them."""
    found = sorted(path.relative_to(ROOT) for path in ROOT.glob(pattern))
    return [path.as_posix() for path in found if path.parts[:2] != ("core", "tests")]


DUMPS = """
#ifdef __linux__
#include <sys/prctl.h>
static int tally_refuse_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
static int tally_refuse_dumps(void) { return 0; }
#endif
"""
"""What the command line asks of the system, and Python has no name for; see cli/dumps.py."""

COMPILE = (
    "-O2",
    "-g0",  # Python's own flags may have -g, which takes a third of the time and most of the file
    "-fvisibility=hidden",
    "-fstack-protector-strong",
    "-fcf-protection=full",  # x86: indirect branch tracking and shadow stacks
    "-mbranch-protection=standard",  # AArch64: the like of it
)
"""The flags for gcc and clang. setup.py leaves out those that the compiler does not accept."""

LINK = ("-Wl,-z,relro,-z,now,-z,noexecstack", "-nostartfiles")
"""Linux: nothing is writable that need not be, and no start-up code comes from the C library.

A module needs none, and that of some distributions is without the marks for branch tracking, which
the linker then drops from the whole module.
"""

builder = FFI()
bound = [*(f"tallystick/{name}.h" for name in HEADERS), *INTERNAL]
for name in bound:
    path = ROOT / "core" / ("" if name in INTERNAL else "include") / name
    builder.cdef(declarations(path.read_text(encoding="utf-8")))
builder.cdef("int tally_refuse_dumps(void);")
builder.set_source(
    "tallystick._core",
    "\n".join(f'#include "{name}"' for name in bound) + DUMPS,
    sources=relative("core/**/*.c"),
    depends=relative("core/**/*.h"),
    include_dirs=["core/include", "core"],
    libraries=["bcrypt"] if sys.platform == "win32" else [],
    extra_compile_args=[] if sys.platform == "win32" else [*COMPILE],
    extra_link_args=[*LINK] if sys.platform == "linux" else [],
)
