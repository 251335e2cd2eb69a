# SPDX-License-Identifier: Apache-2.0
"""The binary interface of the C library, as text: core/tests/abi.txt.

It lists what programs depend on that were compiled with the public headers: functions, types with
their layouts, values of enumerations and macros, as on machines with pointers of 64 bits.
``python -m tests.library.abi --write`` writes the list anew.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser
from tests.library.compilers import INCLUDE, ROOT
from tests.parts import GCC

LIST = ROOT / "core" / "tests" / "abi.txt"
BEGIN = """\
# The binary interface of the C library where pointers have 64 bits. tests/library/abi.py writes it.
# A line that changes or goes breaks programs that were compiled before; a new line does not.
"""
SYSTEM = {
    "stddef.h": "typedef unsigned long size_t; typedef long ptrdiff_t;",
    "stdint.h": "".join(
        f"typedef {kind} {sign}int{bits}_t;"
        for bits, kind in ((8, "char"), (16, "short"), (32, "int"), (64, "long"))
        for sign in ("", "u")
    ),
}
"""Stand-ins for headers of the system, of which only names count here."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that a public header declares."""

    name: str
    declaration: str
    exported: bool
    """Whether TALLY_API stands before it."""

    must_check: bool
    """Whether TALLY_MUST_CHECK stands before it."""


def preprocessed(*options: str) -> str:
    """Return what the preprocessor makes of all public headers."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SYSTEM.items():
            (Path(folder) / name).write_text(text, "utf-8")
        command = (GCC, "-E", "-nostdinc", "-U__GNUC__", *options)
        where = ("-I", folder, "-I", str(INCLUDE), str(INCLUDE / "tallystick" / "tallystick.h"))
        done = subprocess.run([*command, *where], capture_output=True, text=True, check=True)
    return done.stdout


def declarations() -> list[c_ast.Node]:
    """Return the declarations of the public headers, without those of the system."""
    tree = c_parser.CParser().parse(preprocessed("-P"))
    own = ("tally", "Arrow")  # and the structs of the Arrow C data interface
    return [
        node
        for node in tree.ext
        if (getattr(node, "name", "") or getattr(node.type, "name", "") or "tally").startswith(own)
    ]


def functions() -> list[Function]:
    """Return the functions of the public headers, by name."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(INCLUDE.rglob("*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    before: dict[str, list[str]] = {}  # the words before the name in a declaration
    for piece in re.split("[;{}]", text):
        for name in re.finditer(r"\b(\w+)\(", piece):
            before.setdefault(name[1], piece[: name.start()].split())
    found = []
    for node in declarations():
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            words = before.get(node.name, [])
            written = " ".join(c_generator.CGenerator().visit(node).split())
            must = "TALLY_MUST_CHECK" in words
            found.append(Function(node.name, written, "TALLY_API" in words, must))
    return sorted(found, key=lambda function: function.name)


def macros() -> list[str]:
    """Return the names of macros with a value, by name."""
    pattern = r"^#define (TALLY_\w+) \(?-?[0-9]"
    return sorted(re.findall(pattern, preprocessed("-dM"), re.MULTILINE))


def members(prefix: str, struct: c_ast.Struct) -> Iterator[tuple[str, str]]:
    """Yield the name and the declaration of each member, and those of structures inside."""
    for node in struct.decls or []:
        name = prefix + (node.name or "")
        yield name, " ".join(c_generator.CGenerator().visit(node).split("{")[0].split())
        inner = getattr(node.type, "type", None)
        if isinstance(inner, c_ast.Struct | c_ast.Union):
            yield from members(f"{name}.", inner)


def program() -> str:
    """Return a program that prints the list without its functions."""
    types: dict[str, str] = {}
    values = {name: f'    value("macro {name}", {name});' for name in macros()}
    for node in declarations():
        kind = (
            getattr(node.type, "type", node.type) if isinstance(node, c_ast.Typedef) else node.type
        )
        name = str(node.name or getattr(kind, "name", None) or "")
        if isinstance(kind, c_ast.Struct | c_ast.Union) and kind.decls:
            written = name if isinstance(node, c_ast.Typedef) else f"struct {name}"
            lines = [f'    type("{name}", sizeof({written}), _Alignof({written}));']
            for member, text in members("", kind):
                place = f"offsetof({written}, {member}), sizeof((({written} *)0)->{member})"
                lines.append(f'    member("{text if "." not in member else member}", {place});')
            types[name] = "\n".join(lines)
        elif isinstance(kind, c_ast.Enum) and kind.values:
            if name:
                types[name] = f'    type("{name}", sizeof({name}), _Alignof({name}));'
            for each in kind.values.enumerators:
                values[each.name] = f'    value("enumerator {each.name}", {each.name});'
        elif isinstance(node, c_ast.Typedef):
            text = " ".join(c_generator.CGenerator().visit(node).split())
            types[name] = f'    puts("{text}");'
    return "\n".join(
        [
            "#include <stdio.h>",
            '#include "tallystick/tallystick.h"',
            "#define type(name, size, alignment) \\",
            '    printf("type %s: %zu bytes, aligned to %zu\\n", name, size, alignment)',
            "#define member(text, offset, size) \\",
            '    printf("  at %zu, %zu bytes: %s\\n", offset, size, text)',
            '#define value(name, number) printf("%s = %lld\\n", name, (long long)(number))',
            "int main(void)",
            "{",
            *(types[name] for name in sorted(types)),
            *(values[name] for name in sorted(values)),
            "    return 0;",
            "}",
            "",
        ]
    )


def listed() -> str:
    """Return the list, as the public headers give it."""
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "abi.c", Path(name) / "abi"
        source.write_text(program(), "utf-8")
        command = (GCC, "-std=c11", "-I", INCLUDE, source, "-o", target)
        subprocess.run([str(word) for word in command], check=True)
        rest = subprocess.run([target], capture_output=True, text=True, check=True).stdout
    return BEGIN + "".join(f"{function.declaration}\n" for function in functions()) + rest


def main() -> None:
    """Write the list, or print it."""
    parser = argparse.ArgumentParser(description="Print the C library's binary interface.")
    parser.add_argument("--write", action="store_true", help=f"into {LIST.relative_to(ROOT)}")
    if parser.parse_args().write:
        LIST.write_text(listed(), "utf-8")
    else:
        print(listed(), end="")


if __name__ == "__main__":
    main()
