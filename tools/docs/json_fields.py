# SPDX-License-Identifier: Apache-2.0
"""Prints docs/reference/json-fields.md: the fields of what commands print with --json.

``python -m tools.docs.json_fields > docs/reference/json-fields.md``; a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "cli.schema.json"
BEGINNING = """\
# JSON fields

The fields of each JSON result of the command line, for those who read results in a program.
They come from [cli.schema.json](cli.schema.json), the JSON schema (2020-12) of all results.
"""
END = """
## Next

- [JSON results](json.md): what each field means
- [Command line](command-line.md)
"""


def type_of(schema: dict[str, Any]) -> str:
    """Return what a value may be."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(type_of(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object, by name: {type_of(schema['additionalProperties'])}"
    limits = {"minimum": "at least", "maximum": "at most", "pattern": "pattern"}
    more = [f", {word} `{schema[name]}`" for name, word in limits.items() if name in schema]
    return str(schema.get("type", "any value")) + "".join(more)


def sections(schema: dict[str, Any]) -> Iterator[str]:
    """Give a section for each object."""
    for name, each in schema["$defs"].items():
        fields = each["properties"]
        command = fields.get("command")
        yield f"\n## {name}\n"
        if command:
            yield f"The result of `{command['enum'][0]}`.\n"
        yield "| field | value |\n|---|---|"
        for field, value in fields.items():
            missing = "" if field in each["required"] else " (may be missing)"
            yield f"| `{field}`{missing} | {type_of(value).replace('|', chr(92) + '|')} |"


def page() -> str:
    """Return the page."""
    lines = sections(json.loads(SCHEMA.read_text("utf-8")))
    return BEGINNING + "\n".join(lines) + "\n" + END


if __name__ == "__main__":
    print(page(), end="")
