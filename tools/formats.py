# SPDX-License-Identifier: Apache-2.0
"""Functions that make formats, in Python and Go, and their types in TypeScript.

They are written from what the core says of its formats: ``python -m tools.formats`` after a format
or an option is new. ``--check`` says whether the files are those that it would write.
"""

import argparse
import subprocess
import sys
from collections import Counter
from datetime import date, datetime
from functools import cache
from pathlib import Path

from tallystick.formats.description import Description, Option, descriptions

ROOT = Path(__file__).parents[1]
NOTICE = "Written by tools/formats.py from the tables of the core."
MANY = 8
"""A list of more choices, or one of several formats, has a name: that of its option."""


@cache
def aliases() -> dict[str, tuple[str, ...]]:
    """Return the names of types for choices."""
    every = [option for one in descriptions().values() for option in one.options]
    used = Counter((option.name, option.choices) for option in every if len(option.choices) > 2)
    return {
        name.capitalize(): choices
        for (name, choices), count in used.items()
        if count > 1 or len(choices) > MANY
    }


def alias_of(option: Option) -> str | None:
    """Return the name of the type of an option; None: it has none."""
    name = option.name.capitalize()
    return name if aliases().get(name) == option.choices else None


PYTHON_TYPES = {
    "text": "str",
    "integer": "int",
    "whole": "int",
    "boolean": "bool",
    "list": "Sequence[str | int]",
    "number": "str | int",
    "date": "calendar_date",
    "datetime": "datetime",
}
LONG = 12
"""Characters of a default, at most, that is no constant."""


def python() -> str:
    """Return tallystick/formats/presets.py."""
    named = [(f"\n{name} = Literal{list(choices)}\n", name) for name, choices in aliases().items()]
    long = {
        option.name.upper(): option.default
        for one in descriptions().values()
        for option in one.options
        if isinstance(option.default, str) and len(option.default) > LONG and option.kind == "text"
    }
    functions = [_python_function(one) for one in descriptions().values()]
    exported = sorted(
        [*aliases(), *long, *descriptions(), "PRESETS"],
        key=lambda name: (not name.isupper(), name[0].islower(), name),
    )
    return "\n".join(
        [
            "# SPDX-License-Identifier: Apache-2.0",
            f'"""The functions that make formats. {NOTICE}"""\n',
            "from collections.abc import Callable, Sequence",
            "from datetime import date as calendar_date",
            "from datetime import datetime",
            "from typing import Literal\n",
            "from tallystick.formats.format import Format\n",
            f"__all__ = {exported}",
            *(f'{text}"""Choices of the option `{name.lower()}`."""' for text, name in named),
            *(
                f'\n{name} = {text!a}\n"""The long default of `{name.lower()}`."""'
                for name, text in long.items()
            ),
            *functions,
            "\nPRESETS: dict[str, Callable[..., Format]] = "
            f"{{{', '.join(f'{name!r}: {name}' for name in descriptions())}}}",
            '"""The functions by their names, which are those of a policy\'s formats."""\n',
        ]
    )


def _python_function(one: Description) -> str:
    given = "".join(f"    {_python_parameter(option)},\n" for option in one.options)
    page = f"docs/reference/formats/{one.name}.md"
    return (
        f"def {one.name}({'*, ' if given else ''}{given}) -> Format:\n"
        f'    """{one.about}\n\n    ``{page}`` has values and options.\n'
        f'    """\n    return Format("{one.name}"{", locals()" if given else ""})\n'
    )


def _python_parameter(option: Option) -> str:
    kind = alias_of(option) or (
        f"Literal{list(option.choices)}" if option.choices else PYTHON_TYPES[option.kind]
    )
    if option.required:
        return f"{option.name}: {kind}"
    value = option.default
    if value is None:
        return f"{option.name}: {kind} | None = None"
    text = ascii(value)
    if option.kind == "date":
        day = date.fromisoformat(str(value))
        text = f"calendar_date({day.year}, {day.month}, {day.day})"
    elif option.kind == "datetime":
        point = datetime.fromisoformat(str(value))
        text = repr(point).removeprefix("datetime.")
    elif option.kind == "text" and len(str(value)) > LONG:
        text = option.name.upper()
    return f"{option.name}: {kind} = {text}"


GO_NAMES = {
    **{name: name.upper() for name in ("ascii", "ssn", "uuid", "iban", "imei")},
    "base64url": "Base64URL",
    "national_id": "NationalID",
    "ipv4": "IPv4",
    "ipv6": "IPv6",
    "ipcrypt": "IPcrypt",
}
"""Names with initialisms; that of another format has a capital for each word."""

GO_TYPES = {"text": "string", "integer": "int", "whole": "int64", "number": "string"}
GO_PARAMETERS = {"min": "first", "max": "last"}
"""Other names for parameters that would be called like functions of Go."""


def go() -> str:
    """Return go/fast/presets.go."""
    functions = "\n".join(_go_function(one) for one in descriptions().values())
    return f"// SPDX-License-Identifier: Apache-2.0\n\n// {NOTICE}\n\npackage fast\n\n{functions}"


def _go_function(one: Description) -> str:
    name = GO_NAMES.get(one.name, "".join(map(str.capitalize, one.name.split("_"))))
    needed = [
        (option.name, GO_PARAMETERS.get(option.name, option.name), GO_TYPES[option.kind])
        for option in one.options
        if option.required
    ]
    parameters = "".join(f"{parameter} {kind}, " for _, parameter, kind in needed)
    given = "".join(f', FormatOption{{"{option}", {parameter}}}' for option, parameter, _ in needed)
    page = f"docs/reference/formats/{one.name}.md"
    return (
        f'// {name} makes the format "{one.name}" ({page}). {one.about}\n'
        f"func {name}({parameters}options ...FormatOption) *Format {{\n"
        f'\treturn newFormat("{one.name}", options{given})\n}}\n'
    )


TYPESCRIPT_TYPES = {
    "text": "string",
    "integer": "number",
    "whole": "Whole",
    "boolean": "boolean",
    "list": "(string | Whole)[]",
    "number": "string | Whole",
    "date": "string",
    "datetime": "string",
}


def typescript() -> str:
    """Return js/src/presets.ts."""
    named = "".join(
        f"export type {name} = {_union(choices)};\n" for name, choices in aliases().items()
    )
    formats = "".join(f"  {_typescript_member(one)}\n" for one in descriptions().values())
    return (
        f"// SPDX-License-Identifier: Apache-2.0\n\n// {NOTICE}\n\n"
        'import type { CipherOptions, Whole } from "./formats.js";\n\n'
        f"{named}\n"
        "/** The options of each format, by its name. docs/reference/formats describes them. */\n"
        f"export interface FormatOptions {{\n{formats}}}\n"
    )


def _typescript_member(one: Description) -> str:
    members = "".join(
        f"    {option.name}{'' if option.required else '?'}: {_typescript_type(option)};\n"
        for option in one.options
    )
    cipher = "CipherOptions" if one.ciphers else ""
    own = f"{{\n{members}  }}" if members else ""
    kind = " & ".join(part for part in (cipher, own) if part) or "object"
    return f"/** {one.about} */\n  {one.name}: {kind};"


def _typescript_type(option: Option) -> str:
    if not option.choices:
        return TYPESCRIPT_TYPES[option.kind]
    return alias_of(option) or _union(option.choices)


def _union(choices: tuple[str, ...]) -> str:
    return " | ".join(f'"{choice}"' for choice in choices)


def formatted(text: str, *command: str) -> str:
    """Return a text as the formatter of its language writes it."""
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return made.stdout


def files() -> dict[Path, str]:
    """Return the files and what they should have."""
    folder = ROOT / "python" / "tallystick" / "formats"
    ruff = (sys.executable, "-m", "ruff")
    return {
        folder / "presets.py": formatted(
            python(), *ruff, "format", "--stdin-filename", str(folder / "presets.py"), "-"
        ),
        ROOT / "go" / "fast" / "presets.go": formatted(go(), "gofmt"),
        ROOT / "js" / "src" / "presets.ts": typescript(),
    }


def main() -> int:
    """Write the files, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say which files differ")
    check = parser.parse_args().check
    differ = False
    for path, text in files().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        differ = True
        if not check:
            path.write_text(text, "utf-8")
        print(
            path.relative_to(ROOT), "differs; run python -m tools.formats" if check else "written"
        )
    return int(check and differ)


if __name__ == "__main__":
    sys.exit(main())
