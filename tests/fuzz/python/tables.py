# SPDX-License-Identifier: Apache-2.0
"""Policies of a few columns, chosen by a few bytes of the data, for targets that read tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import atheris

from harness import Folder, refused, ring
from tallystick import formats
from tallystick.files import CsvOptions, csv_blocks
from tallystick.files.places import MARKER_SUFFIX
from tallystick.formats import Format
from tallystick.keyring import KeyId
from tallystick.policy import ColumnRule, Policy
from tallystick.protection import RunOptions, protect_file, reveal_file

FORMATS: tuple[Format, ...] = (
    formats.digits(),
    formats.card(luhn="valid"),
    formats.letters(),
    formats.email(),
    formats.date(),
    formats.integer(min=-999, max=1_000_000),
    formats.unicode(),
    formats.pattern(pattern="A(A)9(X)( )9AA"),
    formats.iban(),
    formats.decimal(min="-10.00", max="99999.00", scale=2),
    formats.timestamp(),
    formats.ipv4(prefix=8),
    formats.ipv6(),
    formats.national_id(kind="br.cpf"),
    formats.ascii(),
    formats.card(luhn="invalid", keep_first=4),
)
QUOTING = formats.ascii()
"""The one of `FORMATS` whose tokens may need quotes that their values did not."""
KEYS = (KeyId.parse("people:1"), KeyId.parse("people:2"), KeyId.parse("cards:1"))
NAMES = b"a,b,t,f0,f1,f2"
keyring = ring()


def policy(
    typed: atheris.FuzzedDataProvider,
    csv: CsvOptions | None = None,
    on_invalid: tuple[str, ...] = (),
) -> Policy:
    """Choose formats for columns a and b (f0 and f1 without a header), b perhaps with a tweak."""
    names = ("a", "b", "t") if csv is None or csv.header else ("f0", "f1", "f2")
    tweak = names[2] if typed.ConsumeBool() else None
    count = typed.ConsumeIntInRange(1, 2)
    rules = []
    for number, name in enumerate(names[:count]):
        form = FORMATS[typed.ConsumeIntInRange(0, len(FORMATS) - 1)]
        wanted = (on_invalid or ("error", "keep"))[
            typed.ConsumeIntInRange(0, len(on_invalid or "12") - 1)
        ]
        if wanted == "keep" and form.label == "card" and getattr(form, "luhn", "") == "invalid":
            wanted = "error"
        rules.append(
            ColumnRule(name, form, KEYS[number], "fuzz", tweak if number else None, wanted)
        )
    return Policy(tuple(rules), csv, mixed_formats=("fuzz",))


def dialect(typed: atheris.FuzzedDataProvider) -> CsvOptions:
    """Choose a dialect, and sizes of blocks so small that records cross them."""
    csv_blocks.BLOCK = (1 << 16, 64, 512, 7)[typed.ConsumeIntInRange(0, 3)]
    csv_blocks.MOST_RECORDS = (1 << 10, 3)[typed.ConsumeIntInRange(0, 1)]
    return CsvOptions(
        delimiter=(None, ";", "\t", "|", ":", "^", "~", "!")[typed.ConsumeIntInRange(0, 7)],
        quote=('"', '"', "'", None)[typed.ConsumeIntInRange(0, 3)],
        skip_initial_space=typed.ConsumeBool(),
        header=not typed.ConsumeBool(),
    )


class Runs:
    """Runs from file to file in a folder: a failed one leaves nothing."""

    def __init__(self, suffix: str) -> None:
        self._folder = Folder()
        self._suffix = suffix
        self._count = 0

    def begin(self, data: bytes) -> None:
        """Write the source."""
        self._folder.clear()
        self._count = 0
        self.hidden: set[str] = set()
        self.last = self._folder.file(f"0{self._suffix}", data)

    def __call__(
        self,
        run: Callable[..., object],
        rules: object,
        *more: object,
        **settings: Any,  # noqa: ANN401
    ) -> bytes | None:
        """Run `protect_file` or its like on what was written last; None: it was refused."""
        self._count += 1
        before = self._folder.names()
        target = self._folder.path / f"{self._count}{self._suffix}"
        failed = refused(
            lambda: run(self.last, target, rules, keyring, RunOptions(**settings)),
            self.hidden,
        )
        made = set() if failed else {target.name}
        if made and self._suffix == ".csv" and run is not reveal_file:
            made.add(target.name + MARKER_SUFFIX)  # its marker
        assert self._folder.names() == before | made
        if failed:
            return None
        self.last = target
        return target.read_bytes()


protect, reveal = protect_file, reveal_file
