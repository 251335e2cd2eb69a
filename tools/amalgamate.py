# SPDX-License-Identifier: Apache-2.0
"""Writes the C core as one source file and one header: tallystick.c and tallystick.h.

``python tools/amalgamate.py FOLDER`` writes the two; ``make amalgamation`` does so in
build/amalgamation/. With ``--unit NAME`` it writes tallystick_NAME.c, the sources in core/NAME/
alone, in place of tallystick.c; the option may be repeated. Units need one another as the folders
do.

A header with an include guard is written once, unless some of the code that includes it is
conditional; a header without one (a body that is compiled several times) is written at each place.
From its second place on a header has no comments. No identifier is renamed: the core's names are
unique. Assembly stays out. The same sources give the same bytes.
"""

import argparse
import re
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "core"
PUBLIC = CORE / "include"
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]+(?:"(?P<own>[^"]+)"|<(?P<system>[^>]+)>)')
OWN = re.compile(r'^#include "(tallystick/.+)"$', re.MULTILINE)
RESERVED = re.compile(r"#[ \t]*define[ \t]+(_\w+)[ \t]+1[ \t]*")
FORMATTING = re.compile(r"/\* clang-format o(?:n|ff) \*/\n")
"""Generated files are not formatted at all."""
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

HEADER = """\
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick {version}: {content}. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */
"""

VISIBILITY = """\

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
"""

NO_ASSEMBLY = """\
#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif
"""


def version() -> str:
    """Return the version, which stands in the Python package."""
    text = (ROOT / "python" / "tallystick" / "__init__.py").read_text("utf-8")
    return "".join(re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE))


def relative(path: Path) -> str:
    """Return a file's path below the root."""
    return path.relative_to(ROOT).as_posix()


def resolve(name: str, origin: Path) -> Path:
    """Return the file of the core that an include directive in `origin` names."""
    for folder in (origin.parent, CORE, PUBLIC):
        if (folder / name).exists():
            return folder / name
    message = f'{relative(origin)}: no file "{name}"'
    raise FileNotFoundError(message)


def is_guarded(text: str) -> bool:
    """Tell whether an include guard encloses a whole header."""
    lines = [line.split() for line in COMMENT.sub("", text).splitlines() if line.strip()]
    starts = len(lines) > 2 and lines[0][0] == "#ifndef" and lines[1] == ["#define", lines[0][1]]
    if not starts or lines[-1] != ["#endif"]:
        return False
    depth = 0
    for number, words in enumerate(lines, 1):
        directive = "".join(words)
        depth += directive.startswith("#if") - directive.startswith("#endif")
        if depth == 0:
            return number == len(lines)
    return False


def public_headers() -> list[Path]:
    """Return the public headers but the one that includes all; each after those it includes."""
    graph = {}
    for path in sorted((PUBLIC / "tallystick").glob("*.h")):
        if path.name != "tallystick.h":
            used = OWN.findall(path.read_text("utf-8"))
            graph[path] = [PUBLIC / name for name in used]
    order = TopologicalSorter(graph)
    order.prepare()
    headers = []
    while order.is_active():
        ready = sorted(order.get_ready())
        headers += ready
        order.done(*ready)
    return headers


def sources(folder: str | None = None) -> list[Path]:
    """Return the sources of the core, or of one of its folders."""
    found = sorted((CORE / folder if folder else CORE).rglob("*.c"))
    return [path for path in found if path.relative_to(CORE).parts[0] != "tests"]


class Writer:
    """Joins files; what is included unconditionally is there once."""

    def __init__(self, written: list[Path]) -> None:
        """Begin a file after which the headers of `written` are known."""
        self.lines: list[str] = []
        self.done = set(written)
        self.seen: set[Path] = set()
        self.system: set[str] = set()
        self.reserved: list[str] = []

    def line(self, text: str) -> None:
        """Write a line; never two empty ones."""
        if text or (self.lines and self.lines[-1]):
            self.lines.append(text)

    def file(self, path: Path, depth: int = 0) -> None:
        """Write a file that is included at a depth of conditional directives."""
        text = FORMATTING.sub("", path.read_text("utf-8"))
        if is_guarded(text):
            if depth == 0:
                self.done.add(path)
            depth -= 1
        text = text.replace("/* SPDX-License-Identifier: Apache-2.0\n *\n", "/*\n")
        again = "" if path not in self.seen else ", again"
        if again:
            text = COMMENT.sub("", text)
        self.seen.add(path)
        self.line("")
        self.line(f"/* ---- {relative(path)}{again} ---- */")
        for line in map(str.rstrip, text.splitlines()):
            words = line.lstrip().removeprefix("#").lstrip() if line.lstrip()[:1] == "#" else ""
            depth += words.startswith("if") - words.startswith("endif")
            include = INCLUDE.match(line)
            if reserved := RESERVED.fullmatch(line):
                self.reserved.append(reserved[1])
            elif include is None:
                self.line(line)
            elif include["own"]:
                header = resolve(include["own"], path)
                if header not in self.done and header != PUBLIC / "tallystick" / "tallystick.h":
                    self.file(header, depth)
                    self.line("")
            elif depth == 0:
                self.system.add(include["system"])
            else:
                self.line("TALLY_VISIBILITY_DEFAULT")
                self.line(line)
                self.line("TALLY_VISIBILITY_POP")


def joined_header() -> str:
    """Return all public headers as one."""
    lines = [HEADER.format(version=version(), content="the public headers as one file")]
    lines += ["#ifndef TALLYSTICK_H", "#define TALLYSTICK_H"]
    for path in public_headers():
        text = path.read_text("utf-8").removeprefix("/* SPDX-License-Identifier: Apache-2.0\n *\n")
        text = re.sub(r'^#include "tallystick/.*"\n', "", text, flags=re.MULTILINE)
        lines += ["", f"/* ---- {relative(path)} ---- */", "/*", text.strip()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, "", "#endif", ""]))


def joined_source(files: list[Path], content: str) -> str:
    """Return sources and the internal headers that they need as one file."""
    writer = Writer([*public_headers()])
    for path in files:
        writer.file(path)
    lines = [HEADER.format(version=version(), content=content), NO_ASSEMBLY]
    for name in dict.fromkeys(writer.reserved):
        lines += [f"#if !defined({name})", f"#define {name} 1", "#endif"]
    lines += ["", '#include "tallystick.h"', ""]
    lines += [f"#include <{name}>" for name in sorted(writer.system)]
    lines += [VISIBILITY.rstrip(), *writer.lines, "", "TALLY_VISIBILITY_POP", ""]
    return "\n".join(lines)


def unit(name: str) -> str:
    """Return the sources of one folder of the core as one file."""
    return joined_source(sources(name), f"the sources of core/{name} as one file")


def main() -> None:
    """Write the files that the command line names."""
    parser = argparse.ArgumentParser(description="Write the C core as one source and one header.")
    parser.add_argument("folder", type=Path, help="where the files are written")
    parser.add_argument("--unit", action="append", default=[], help="a folder of core/ alone")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    texts = {"tallystick.h": joined_header()}
    for name in options.unit:
        texts[f"tallystick_{name}.c"] = unit(name)
    if not options.unit:
        texts["tallystick.c"] = joined_source(sources(), "all sources as one file")
    for name, text in texts.items():
        (options.folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
