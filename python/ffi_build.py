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
        for (int j = 0; width == 16 && j < TALLY_SIZES_RUN; j++) {
            some |= narrow[4 * (i + j)];
        }
        for (int j = 0; width == 8 && j < TALLY_SIZES_RUN; j++) {
            all |= wide[i + j + 1] - wide[i + j];
        }
    }
    for (; i < rows; i++) {
        all |= width == 16  ? narrow[4 * i]
               : width == 4 ? narrow[i + 1] - narrow[i]
                            : wide[i + 1] - wide[i];
    }
    return all | some;
}
"""
"""A bound of the sizes of a column of text, by offsets or views: less than twice the greatest."""

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
    } else if (kind == 2) {
        tally_worker_free(object);
    } else {
        struct ArrowArray *array = object;
        array->release(array);
        free(array);
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
"""A format (0), tokenizer (1), worker (2) or Arrow array (3) lives as long as what was made of it:
Python's garbage collector releases objects of a cycle in any order."""

ARROW = """
#include <string.h>
static tally_held *tally_hold_array(struct ArrowArray *moved)
{
    struct ArrowArray *array = malloc(sizeof *array);
    if (array == 0) {
        return 0;
    }
    *array = *moved;
    moved->release = 0;
    return tally_hold(array, 3, 0);
}

typedef struct tally_shared {
    tally_held *whole;
    struct ArrowArray arrays[]; /* children and dictionary, and then pointers to them */
} tally_shared;

static void tally_shared_release(struct ArrowArray *array)
{
    tally_shared *part = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != 0) {
            array->children[i]->release(array->children[i]);
        }
    }
    if (array->dictionary != 0 && array->dictionary->release != 0) {
        array->dictionary->release(array->dictionary);
    }
    array->release = 0;
    tally_let_go(part->whole);
    free(part);
}

static int tally_array_share(tally_held *whole, const struct ArrowArray *from,
                             struct ArrowArray *out)
{
    const size_t children = (size_t)from->n_children, count = children + (from->dictionary != 0);
    tally_shared *part = calloc(1, sizeof *part + count * (sizeof *part->arrays + sizeof(void *)));
    if (part == 0) {
        return 0;
    }
    struct ArrowArray **pointers = (struct ArrowArray **)(void *)(part->arrays + count);
    __atomic_add_fetch(&whole->uses, 1, __ATOMIC_RELAXED);
    part->whole = whole;
    *out = *from;
    out->children = children == 0 ? 0 : pointers;
    out->dictionary = from->dictionary == 0 ? 0 : &part->arrays[children];
    out->private_data = part;
    out->release = tally_shared_release;
    for (size_t i = 0; i < count; i++) {
        pointers[i] = &part->arrays[i];
    }
    for (size_t i = 0; i < count; i++) {
        const struct ArrowArray *inside = i < children ? from->children[i] : from->dictionary;
        if (!tally_array_share(whole, inside, pointers[i])) {
            out->release(out);
            return 0;
        }
    }
    return 1;
}

static size_t tally_metadata_size(const char *metadata)
{
    size_t at = sizeof(int32_t);
    int32_t pairs, size;
    if (metadata == 0) {
        return 0;
    }
    memcpy(&pairs, metadata, sizeof pairs);
    for (int64_t i = 0; i < 2 * (int64_t)pairs; i++) {
        memcpy(&size, metadata + at, sizeof size);
        if (size < 0) {
            return 0;
        }
        at += sizeof size + (size_t)size;
    }
    return at;
}

static void tally_schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != 0) {
            schema->children[i]->release(schema->children[i]);
        }
    }
    if (schema->dictionary != 0 && schema->dictionary->release != 0) {
        schema->dictionary->release(schema->dictionary);
    }
    schema->release = 0;
    free(schema->private_data);
}

static char *tally_put(char **at, const char *from, size_t size)
{
    char *put = *at;
    if (size == 0) {
        return 0;
    }
    memcpy(put, from, size);
    *at += size;
    return put;
}

static int tally_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out)
{
    const size_t children = (size_t)from->n_children, count = children + (from->dictionary != 0);
    const size_t format = strlen(from->format) + 1, metadata = tally_metadata_size(from->metadata);
    const size_t name = from->name == 0 ? 0 : strlen(from->name) + 1;
    struct ArrowSchema *own =
        calloc(1, count * (sizeof *own + sizeof own) + format + name + metadata);
    if (own == 0) {
        return 0;
    }
    struct ArrowSchema **pointers = (struct ArrowSchema **)(void *)(own + count);
    char *text = (char *)(pointers + count);
    *out = *from;
    out->metadata = tally_put(&text, from->metadata, metadata);
    out->format = tally_put(&text, from->format, format);
    out->name = tally_put(&text, from->name, name);
    out->children = children == 0 ? 0 : pointers;
    out->dictionary = from->dictionary == 0 ? 0 : &own[children];
    out->private_data = own;
    out->release = tally_schema_release;
    for (size_t i = 0; i < count; i++) {
        pointers[i] = &own[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (!tally_schema_copy(i < children ? from->children[i] : from->dictionary, pointers[i])) {
            out->release(out);
            return 0;
        }
    }
    return 1;
}

static const char *const tally_capsule_names[] = {"arrow_schema", "arrow_array",
                                                  "arrow_array_stream"};
static const size_t tally_capsule_sizes[] = {
    sizeof(struct ArrowSchema), sizeof(struct ArrowArray), sizeof(struct ArrowArrayStream)};

static const char *tally_capsule_name(int kind) { return tally_capsule_names[kind]; }

static void *tally_capsule_memory(int kind, const void *from)
{
    void *made = malloc(tally_capsule_sizes[kind]);
    return made == 0 ? 0 : memcpy(made, from, tally_capsule_sizes[kind]);
}

static void tally_capsule_free(void *capsule)
{
    const char *name = PyCapsule_GetName(capsule);
    void *held = PyCapsule_GetPointer(capsule, name);
    if (name == tally_capsule_names[0]) {
        struct ArrowSchema *schema = held;
        if (schema->release != 0) {
            schema->release(schema);
        }
    } else if (name == tally_capsule_names[1]) {
        struct ArrowArray *array = held;
        if (array->release != 0) {
            array->release(array);
        }
    } else {
        struct ArrowArrayStream *stream = held;
        if (stream->release != 0) {
            stream->release(stream);
        }
    }
    free(held);
}
"""
"""Arrow data for other libraries: arrays that share the memory of one that is held, children too,
which a library may move out; copies of types; and what capsules hold, with their destructor."""

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
    tally_held *tally_hold_array(struct ArrowArray *moved);
    int tally_array_share(tally_held *whole, const struct ArrowArray *from, struct ArrowArray *out);
    int tally_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out);
    const char *tally_capsule_name(int kind);
    void *tally_capsule_memory(int kind, const void *from);
    void tally_capsule_free(void *capsule);
    extern "Python" int tally_stream_schema(struct ArrowArrayStream *, struct ArrowSchema *);
    extern "Python" int tally_stream_next(struct ArrowArrayStream *, struct ArrowArray *);
    extern "Python" const char *tally_stream_error(struct ArrowArrayStream *);
    extern "Python" void tally_stream_release(struct ArrowArrayStream *);
""")
builder.set_source(
    "tallystick._core",
    "\n".join(f'#include "{name}"' for name in bound) + DUMPS + SIZES + SHARED + ARROW,
    sources=relative("core/**/*.c"),
    depends=relative("core/**/*.h"),
    include_dirs=["core/include", "core"],
    libraries=["bcrypt"] if sys.platform == "win32" else [],
    extra_compile_args=[] if sys.platform == "win32" else [*COMPILE],
    extra_link_args=[*LINK] if sys.platform == "linux" else [],
)
