# SPDX-License-Identifier: Apache-2.0
"""The letters of each script, written down once more: a second opinion on those of the core."""
# ruff: noqa: RUF001, RUF003 (letters that look like others are the point)

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


def _span(first: int, last: int) -> str:
    """Return the characters of a range of code points, both ends included."""
    return "".join(map(chr, range(first, last + 1)))


SEPARATORS = " -'.\N{NO-BREAK SPACE}\N{MIDDLE DOT}ʻʼ‐‑‘’\N{IDEOGRAPHIC SPACE}・"
"""What stays in its place in text of every script, unless a format says otherwise."""


@dataclass(frozen=True)
class Script:
    """A script's letters, and the signs that belong to them and stay where they are.

    Text is in Unicode's normal form C (NFC), and so is what replaces it: no sign makes one
    character of a letter and itself, but for `composed`.

    Attributes
    ----------
    name : str
        What a policy calls it.
    lower : str
        The letters, in the order of their symbols; those of one form only, too.
    upper : str
        The other form of each, in the same order; or nothing. A place keeps its form.
    signs : str
        Signs, vowels and marks of canonical combining class 0.
    marks : tuple of (int, str)
        Combining marks by their class, which says in which order NFC has them.
    final : tuple of str
        A letter of `lower` and how it is written at the end of a word; or nothing.
    composed : tuple of (str, str)
        Characters that stand for a letter with a mark in NFC, and the two.
    sample : str
        A name.
    """

    name: str
    lower: str
    upper: str = ""
    signs: str = ""
    marks: tuple[tuple[int, str], ...] = ()
    final: tuple[str, str] | None = None
    composed: tuple[tuple[str, str], ...] = ()
    sample: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """The letters in each of their forms."""
        return (self.lower, self.upper) if self.upper else (self.lower,)

    @property
    def size(self) -> int:
        """How many letters there are."""
        return len(self.lower)

    @property
    def digits(self) -> int:
        """How many symbols of the cipher stand for a letter: 1, or 2 where 256 are not enough."""
        return 1 if self.size <= 256 else 2

    @cached_property
    def radix(self) -> int:
        """The cipher's radix: as many as letters, or the least whose square is."""
        radix = self.size
        if self.digits == 2:
            radix = next(radix for radix in range(16, 257) if radix * radix >= self.size)
        return radix

    @property
    def stays(self) -> str:
        """Every sign and mark."""
        return self.signs + "".join(marks for _, marks in self.marks)

    @property
    def others(self) -> str:
        """Every sign and mark, and the characters that stand for a letter and a mark."""
        return self.stays + "".join(whole for whole, _ in self.composed)


# Basic Latin, Latin-1 and Latin Extended-A (without what has no other case: ĸ, ŉ, ſ; ß and ı have
# ẞ and İ), then Romanian, Azerbaijani, Welsh and Vietnamese letters.
_LATIN = Script(
    "latin",
    "abcdefghijklmnopqrstuvwxyz"
    "ßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżž"
    "șțəẁẃẅ"
    "ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "ẞÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŸ"
    "ĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŹŻŽ"
    "ȘȚƏẀẂẄ"
    "ƠƯẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸ",
    sample="Zoë Ångström-Kılıç",
)

# Monotonic Greek. ΐ and ΰ have no upper case of one character: they are each other's other form.
_GREEK = Script(
    "greek",
    "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐ",
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏΪΫΰ",
    final=("σ", "ς"),
    sample="Γιάννης Παπαδόπουλος",
)

# Slavic languages, then letters of Ukrainian, Kazakh, Kyrgyz, Tatar, Tajik, Mongolian and others.
_CYRILLIC = Script(
    "cyrillic",
    _span(0x0430, 0x045F) + "ґғҗқңүұҳҷһәӣөӯ",
    _span(0x0410, 0x042F) + _span(0x0400, 0x040F) + "ҐҒҖҚҢҮҰҲҶҺӘӢӨӮ",
    sample="Анна Ковальчук",
)

# Arabic, then letters of Persian, Urdu, Kurdish and Pashto.
_ARABIC = Script(
    "arabic",
    _span(0x0621, 0x063A)
    + _span(0x0641, 0x064A)
    + "پچژکگی"
    + "ٹڈڑںھہۂۀےۓ"
    + "ڕڤڵۆێە"
    + "ټځڅډړږښڼېۍګ",
    signs="\N{ARABIC TATWEEL}\N{ZERO WIDTH NON-JOINER}",
    marks=(
        *((27 + i, chr(0x064B + i)) for i in range(8)),  # fathatan to sukun
        (35, "\N{ARABIC LETTER SUPERSCRIPT ALEF}"),
    ),
    sample="محمد الهاشمي",
)

# The 22 letters and the five final forms, each a letter of its own: loan words end otherwise.
_HEBREW = Script(
    "hebrew",
    _span(0x05D0, 0x05EA),
    signs="\N{HEBREW PUNCTUATION MAQAF}\N{HEBREW PUNCTUATION GERESH}"
    "\N{HEBREW PUNCTUATION GERSHAYIM}",
    marks=(
        *((10 + i, chr(0x05B0 + i)) for i in range(8)),  # sheva to patah
        (18, "\N{HEBREW POINT QAMATS}\N{HEBREW POINT QAMATS QATAN}"),
        (19, "\N{HEBREW POINT HOLAM}\N{HEBREW POINT HOLAM HASER FOR VAV}"),
        (20, "\N{HEBREW POINT QUBUTS}"),
        (21, "\N{HEBREW POINT DAGESH OR MAPIQ}"),
        (22, "\N{HEBREW POINT METEG}"),
        (23, "\N{HEBREW POINT RAFE}"),
        (24, "\N{HEBREW POINT SHIN DOT}"),
        (25, "\N{HEBREW POINT SIN DOT}"),
    ),
    sample="שרה כהן",
)

# Consonants. All vowels stay, as signs and as letters: no sign may follow a vowel's letter, so one
# in a consonant's place would be no text. NFC has a character for three letters with nukta.
_DEVANAGARI = Script(
    "devanagari",
    _span(0x0915, 0x0928) + _span(0x092A, 0x0930) + _span(0x0932, 0x0933) + _span(0x0935, 0x0939),
    signs=_span(0x0900, 0x0914)
    + _span(0x093A, 0x093B)
    + _span(0x093D, 0x094C)
    + _span(0x094E, 0x0950)
    + _span(0x0955, 0x0957)
    + _span(0x0960, 0x0963)
    + _span(0x0970, 0x0977)
    + "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}",
    marks=((7, "\N{DEVANAGARI SIGN NUKTA}"), (9, "\N{DEVANAGARI SIGN VIRAMA}")),
    composed=(("\u0929", "\u0928\u093c"), ("\u0931", "\u0930\u093c"), ("\u0934", "\u0933\u093c")),
    sample="प्रिया शर्मा",
)

# Hiragana, and katakana as their other form. The marks of length and repetition stay.
_KANA = Script(
    "kana", _span(0x3041, 0x3096), _span(0x30A1, 0x30F6), signs="ーゝゞヽヾ", sample="さとう ハナコ"
)

_HANGUL = Script("hangul", _span(0xAC00, 0xD7A3), sample="김민준")

# The unified ideographs of the first block. The mark of repetition stays.
_CJK = Script("cjk", _span(0x4E00, 0x9FFF), signs="々", sample="王小明")

SCRIPTS: dict[str, Script] = {
    script.name: script
    for script in (_LATIN, _GREEK, _CYRILLIC, _ARABIC, _HEBREW, _DEVANAGARI, _KANA, _HANGUL, _CJK)
}
"""The scripts, by name."""
