# SPDX-License-Identifier: Apache-2.0
"""``tallystick formats``."""

import secrets

from tallystick.cli.options import Json, group
from tallystick.cli.output import print_json, print_table
from tallystick.formats import Format
from tallystick.formats.description import descriptions
from tallystick.tokenizer import Tokenizer

app = group()


@app.command()
def formats(as_json: Json = False) -> None:
    """List the formats of a policy, each with a value and its token under a temporary key."""
    key = secrets.token_bytes(32)
    examples = [
        (one.name, one.about, *_example(Format(one.name, one.sample), key))
        for one in descriptions().values()
    ]
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


def _example(form: Format, key: bytes) -> tuple[str, str]:
    value = form.examples[0]
    tokenizer = Tokenizer(form, key[: form.key_size], namespace="example")
    token = tokenizer.protect(value, "person 1" if form.needs_tweak else None)
    tokenizer.close()
    return value, token
