# SPDX-License-Identifier: Apache-2.0
"""A column of the sample, and what its values look like."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.formats.format import is_text
from tallystick.inspection.column_names import folded, hints
from tallystick.inspection.distinct import as_text
from tallystick.inspection.knowledge import (
    FAMILY_BEGINNINGS,
    GIVEN_NAMES,
    STREET_ENDS,
    STREET_WORDS,
)

PROBE = 200
"""Different values that rules look at one by one."""

_NAME = re.compile(r"[^\W\d_]+(?:[ '.\u2019\-]+[^\W\d_]+)*\.?")

_EAST = re.compile(
    r"[\u3400-\u9fff\uac00-\ud7a3々][ \u3000]?[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3々 ]{1,5}"
)


class Column:
    """A column of the sample.

    `name`: its name.
    `values`: its rows in the sample, in the column's type, not of a dictionary; of columns of
    several types as text.
    `kinds`: the types of the columns of this name in several files; by default that of `values`.
    """

    def __init__(
        self, name: str, values: pa.Array, kinds: Collection[pa.DataType] | None = None
    ) -> None:
        self.name = name
        self.values = values
        self.kinds = tuple(kinds or (values.type,))
        self.hints = hints(name)

    @property
    def is_text(self) -> bool:
        """Whether the column is text, or binary that formats read as text."""
        return is_text(self.values.type)

    @property
    def is_binary(self) -> bool:
        """Whether the column is binary, which may be anything."""
        return self.values.type in (pa.binary(), pa.large_binary(), pa.binary_view())

    @property
    def is_integer(self) -> bool:
        """Whether the column is of integers."""
        return bool(pa.types.is_integer(self.values.type))

    @property
    def is_float(self) -> bool:
        """Whether the column is of doubles."""
        return bool(pa.types.is_float64(self.values.type))

    @cached_property
    def filled(self) -> npt.NDArray[np.intp]:
        """The rows of the sample that are not null."""
        return np.flatnonzero(self.values.is_valid().to_numpy(zero_copy_only=False))

    @cached_property
    def text(self) -> pa.Array:
        """The values that are not null, as text."""
        text = as_text(self.values.drop_null())
        try:
            text.validate(full=True)
        except pa.ArrowInvalid:  # from Parquet, which may hold other bytes than UTF-8 as text
            rows = text.cast(pa.large_binary()).to_pylist()
            return pa.array([row.decode(errors="replace") for row in rows], pa.large_string())
        return text

    @cached_property
    def different(self) -> pa.Array:
        """The different ones of these; not the empty text, which is no kind of value."""
        found = pc.unique(self.text)
        return found.filter(pc.greater(pc.binary_length(found), 0))

    @cached_property
    def worded(self) -> npt.NDArray[np.bool_]:
        """Which of the values that are not null are not the empty text either."""
        lengths = pc.binary_length(self.text).to_numpy(zero_copy_only=False)
        return np.asarray(lengths > 0)

    @cached_property
    def probe(self) -> list[str]:
        """Some of the different values, evenly spread."""
        step = max(1, len(self.different) // PROBE)
        found: list[str] = self.different[::step][:PROBE].to_pylist()
        return found

    @cached_property
    def all_integers(self) -> bool:
        """Whether all values are written as an integer column of them would be as text."""
        pattern = r"^(0|-?[1-9][0-9]{0,17})$"
        found = pc.all(pc.match_substring_regex(self.different, pattern)).as_py()
        return bool(found) and len(self.different) > 0

    def share(self, pattern: re.Pattern[str]) -> float:
        """Return the share of the probe that a pattern matches as a whole."""
        if not self.probe:
            return 0.0
        if len(self.probe) > 20 and not any(map(pattern.fullmatch, self.probe[:20])):
            return 0.0
        return self._share(lambda value: pattern.fullmatch(value) is not None)

    def _share(self, fits: Callable[[str], bool]) -> float:
        """Return the share of the probe that fits."""
        return sum(map(fits, self.probe)) / max(1, len(self.probe))

    @cached_property
    def shapes(self) -> Counter[str]:
        """How many values of the probe have which shape: A, a and 9 stand for letters, digits."""
        return Counter(_shape(value) for value in self.probe)

    @cached_property
    def name_like(self) -> float:
        """The share of the probe that may be a name: one to four words of letters."""
        return self._share(
            lambda v: _NAME.fullmatch(v) is not None and len(v) <= 60 and len(v.split()) <= 4
        )

    @cached_property
    def capitals(self) -> float:
        """The share of the probe that is two to four words with capitals."""
        return self._share(
            lambda v: 2 <= len(v.split()) <= 4 and all(word[:1].isupper() for word in v.split())
        )

    @cached_property
    def given_names(self) -> float:
        """The share of the probe that has a frequent given name, or begins as East Asian names."""
        return self._share(
            lambda v: (
                any(word in GIVEN_NAMES for word in re.findall(r"[^\W\d_]+", folded(v)))
                or (_EAST.fullmatch(v) is not None and v.startswith(FAMILY_BEGINNINGS))
            )
        )

    @cached_property
    def streets(self) -> float:
        """The share of the probe that has a word for a street."""
        fits = 0
        for value in self.probe:
            found = re.findall(r"[^\W\d_]+\.?", value.casefold())
            fits += len(found) > 1 and any(w.rstrip(".") in STREET_WORDS for w in found)
            fits += len(found) == 1 and " " in value and found[0].endswith(STREET_ENDS)
        return min(1.0, fits / max(1, len(self.probe)))

    @cached_property
    def prose(self) -> float:
        """The share of the probe that is longer text: five words or more."""
        return self._share(lambda value: len(value.split()) >= 5)

    @cached_property
    def variety(self) -> float:
        """Different values for each that is not null."""
        return len(self.different) / max(1, len(self.text))

    @cached_property
    def ascii(self) -> bool:
        """Whether the probe is all ASCII."""
        return all(value.isascii() for value in self.probe)

    @cached_property
    def script(self) -> str:
        """The script that the probe's letters are of; "any" if they are of several."""
        letters = {c for value in self.probe for c in value if c.isalpha()}
        counts = Counter(_SCRIPTS.get(unicodedata.name(c, "").split(" ")[0], "") for c in letters)
        counts.pop("", None)
        most = max(counts, key=lambda name: counts[name], default="any")
        return most if letters and counts[most] >= 0.98 * len(letters) else "any"


_SCRIPTS = {
    **{n.upper(): n for n in ("latin", "greek", "cyrillic", "arabic", "hebrew", "devanagari")},
    **{"HIRAGANA": "kana", "KATAKANA": "kana", "HANGUL": "hangul", "CJK": "cjk"},
}
"""The scripts of `formats.unicode`, by how the names of their letters begin."""


def _shape(value: str) -> str:
    return "".join(
        "9" if "0" <= c <= "9" else "A" if "A" <= c <= "Z" else "a" if "a" <= c <= "z" else c
        for c in value[:64]
    )
