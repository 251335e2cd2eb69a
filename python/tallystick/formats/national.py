# SPDX-License-Identifier: Apache-2.0
"""National identifiers: valid ones become valid ones, with dates and check characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from tallystick.errors import FormatError
from tallystick.formats.layouts import Layout, Texts
from tallystick.formats.mixed import MixedFormat, check_layouts
from tallystick.formats.national_kinds import KINDS, check_function, named_field
from tallystick.formats.pattern import layout_of, parse_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class NationalFormat(MixedFormat):
    """Identifiers of one country, with check characters that python-stdnum computes.

    Attributes
    ----------
    kind : str
        One of `tallystick.formats.national_kinds.KINDS`, such as ``"br.cpf"``.
    """

    kind: str
    label: str = field(default="national_id", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no kind."""
        if self.kind not in KINDS:
            raise FormatError(f"{self.label}: kind must be one of {', '.join(KINDS)}")
        try:
            check_function(KINDS[self.kind])
        except ImportError:
            raise FormatError(
                f"{self.label}: python-stdnum is not installed; pip install python-stdnum"
            ) from None
        check_layouts(self)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """A layout for each way to write it."""
        return _layouts(self.kind)

    @property
    def identity(self) -> Sequence[object]:
        """The kind."""
        return ("national_id", self.kind)

    @property
    def examples(self) -> tuple[str, ...]:
        """The kind's own."""
        return (KINDS[self.kind].sample,)

    def complete(self, layout: Layout, texts: Texts) -> npt.NDArray[np.bool_]:
        """Write the check characters, one value after the other."""
        kind = KINDS[self.kind]
        function, held = check_function(kind), layout.symbols
        symbols = np.ascontiguousarray(texts[:, held])
        right = np.ones(len(texts), np.bool_) if kind.allowed is None else kind.allowed(symbols)
        places = np.flatnonzero(right)
        size = len(layout.checks)
        numbers = symbols[places].tobytes().decode("ascii")
        width = len(held)
        found = [
            function(numbers[start : start + width]) or " " * size
            for start in range(0, len(numbers), width)
        ]
        checks = np.frombuffer("".join(found).encode("ascii"), np.uint8).reshape(-1, size)
        texts[places[:, None], np.array(layout.checks)] = checks
        right[places] = checks[:, 0] != ord(" ")
        return right


@cache
def _layouts(kind: str) -> tuple[Layout, ...]:
    return tuple(
        layout_of(parts, kept=b"")
        for pattern in KINDS[kind].patterns
        for parts in parse_pattern(pattern, kind, named_field)
    )
