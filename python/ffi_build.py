# SPDX-License-Identifier: Apache-2.0
"""Builds tallystick._core: the C core, and a cffi module on its public headers.

The headers are the only place where a declaration is written: cffi's are read from them.
Sources are globbed, as in CMakeLists.txt; setuptools runs this from the repository's root.
"""

import re
import sys
from pathlib import Path

from cffi import FFI

HEADERS = (
    *("base", "aes", "sha2", "arrow_c", "fast", "ff1", "csv", "formats", "tokens", "keyring"),
    *("policy", "gf256", "shamir", "shares", "dispersal", "scan", "text"),
)
"""The bound headers of core/include/tallystick, each after those that it includes."""

INTERNAL = (
    "base/cpu.h",  # for Python's tests
    *("base/direction.h", "fast/words/by_direction.h", "ff1/ff1.h", "ff1/ff3_1.h"),
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


SIZES = """
enum { TALLY_SIZES_RUN = 32 }; /* a fixed number is vectorized at -O2 */

static uint64_t tally_sizes_bound(const void *offsets, uint32_t width, uint64_t rows)
{
    const uint32_t *narrow = offsets;
    const uint64_t *wide = offsets;
    uint32_t some = 0;
    uint64_t all = 0, i = 0;
    for (; i + TALLY_SIZES_RUN <= rows; i += TALLY_SIZES_RUN) {
        for (int j = 0; width == 4 && j < TALLY_SIZES_RUN; j++) {
            some |= narrow[i + j + 1] - narrow[i + j];
        }
        for (int j = 0; width == 8 && j < TALLY_SIZES_RUN; j++) {
            all |= wide[i + j + 1] - wide[i + j];
        }
    }
    for (; i < rows; i++) {
        all |= width == 4 ? narrow[i + 1] - narrow[i] : wide[i + 1] - wide[i];
    }
    return all | some;
}
"""
"""A bound of the sizes of a column of text, by its offsets: less than twice the greatest."""

SHARED = """
#include <stdlib.h>
typedef struct tally_held {
    long uses;
    int kind;
    void *object;
    struct tally_held *needs;
} tally_held;

static void tally_held_free(int kind, void *object)
{
    if (kind == 0) {
        tally_format_free(object);
    } else if (kind == 1) {
        tally_tokenizer_free(object);
    } else {
        tally_worker_free(object);
    }
}

static tally_held *tally_hold(void *object, int kind, tally_held *needs)
{
    tally_held *made = malloc(sizeof *made);
    if (made == 0) {
        tally_held_free(kind, object);
        return 0;
    }
    if (needs != 0) {
        __atomic_add_fetch(&needs->uses, 1, __ATOMIC_RELAXED);
    }
    made->uses = 1;
    made->kind = kind;
    made->object = object;
    made->needs = needs;
    return made;
}

static void tally_let_go(tally_held *shared)
{
    while (shared != 0 && __atomic_sub_fetch(&shared->uses, 1, __ATOMIC_ACQ_REL) == 0) {
        tally_held *needs = shared->needs;
        tally_held_free(shared->kind, shared->object);
        free(shared);
        shared = needs;
    }
}
"""
"""A format (0), tokenizer (1) or worker (2) lives as long as what was made of it: Python's garbage
collector releases objects of a cycle in any order."""

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
builder.cdef("""
    typedef struct tally_held { void *object; ...; } tally_held;
    tally_held *tally_hold(void *object, int kind, tally_held *needs);
    void tally_let_go(tally_held *shared);
    uint64_t tally_sizes_bound(const void *offsets, uint32_t width, uint64_t rows);
""")
builder.set_source(
    "tallystick._core",
    "\n".join(f'#include "{name}"' for name in bound) + DUMPS + SIZES + SHARED,
    sources=relative("core/**/*.c"),
    depends=relative("core/**/*.h"),
    include_dirs=["core/include", "core"],
    libraries=["bcrypt"] if sys.platform == "win32" else [],
    extra_compile_args=[] if sys.platform == "win32" else [*COMPILE],
    extra_link_args=[*LINK] if sys.platform == "linux" else [],
)
