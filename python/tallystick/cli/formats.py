# SPDX-License-Identifier: Apache-2.0
"""``tallystick formats``."""

import secrets
from collections.abc import Callable

from tallystick.cli.options import Json, group
from tallystick.cli.output import print_json, print_table
from tallystick.formats import PRESETS, Format
from tallystick.tokenizer import Tokenizer

app = group()


@app.command()
def formats(as_json: Json = False) -> None:
    """List the formats of a policy, each with a value and its token under a temporary key."""
    required: dict[str, dict[str, object]] = {
        "alphabet": {"alphabet": "ACGT"},
        "integer": {"min": 0, "max": 999_999_999},
        "pattern": {"pattern": "AA-999-A"},
        "national_id": {"kind": "br.cpf"},
        "decimal": {"min": 0, "max": 999_999, "scale": 2},
        "bucket": {"width": 10},
        "truncate": {"characters": 3},
    }
    listed = [(name, build(**required.get(name, {})), build) for name, build in PRESETS.items()]
    key = secrets.token_bytes(32)
    examples = [(name, _help(build), *_example(form, key)) for name, form, build in listed]
    fields = ("format", "about", "value", "token")
    if as_json:
        described = [dict(zip(fields, row, strict=True)) for row in examples]
        print_json({"command": "formats", "formats": described})
        return
    from rich.table import Column, Table
    from rich.text import Text

    headings = ("format", "what it is", "a value", "a token of it")
    table = Table(*(Column(heading, overflow="fold") for heading in headings))
    for row in examples:
        table.add_row(*map(Text, row))
    print_table(table)


def _help(build: Callable[..., Format]) -> str:
    return (build.__doc__ or "").splitlines()[0]


def _example(form: Format, key: bytes) -> tuple[str, str]:
    value = form.examples[0]
    tokenizer = Tokenizer(form, key[: form.key_size], namespace="example")
    token = tokenizer.protect(value, "person 1" if form.needs_tweak else None)
    tokenizer.close()
    return value, token
