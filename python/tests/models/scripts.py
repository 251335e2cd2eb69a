# SPDX-License-Identifier: Apache-2.0
"""Text of scripts, whose letters are those of docs/reference/tokens.md."""

# ruff: noqa: RUF001, RUF002 (letters that look like others are the point)

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache
from math import prod
from pathlib import Path

from models.common import InvalidError, Model, Reason, Tokens

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "tokens.md"

SEPARATORS = " \xa0\u3000'.-\u2010\u2011\u2018\u2019\u02bb\u02bc\xb7\u30fb"
_COMPOSED = {"\u0929": "\u0928\u093c", "\u0931": "\u0930\u093c", "\u0934": "\u0933\u093c"}


def _characters(codes: str) -> str:
    """Read code points and ranges of them."""
    found = ""
    for first, last in re.findall(r"([0-9A-F]{4})(?:-(?:U\+)?([0-9A-F]{4}))?", codes):
        found += "".join(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return found


class Script:
    """The letters of a script in their forms, and its signs."""

    def __init__(self, name: str, forms: list[str], signs: str, radix: int) -> None:
        self.name, self.forms, self.signs, self.radix = name, forms, signs, radix
        self.size = len(forms[0])
        self.symbols = 1 if radix == self.size else 2

    def place(self, one: str) -> tuple[int, int] | None:
        """Return the symbol of a letter and its form."""
        one = "σ" if one == "ς" else one
        for form, letters in enumerate(self.forms):
            if one in letters:
                return letters.index(one), form
        return None


@cache
def scripts() -> dict[str, Script]:
    """Read all scripts of the page."""
    text = _PAGE.read_text("utf-8")
    signs = dict(re.findall(r"^\| (\w+) \| (U\+[^|]*) \|$", text, re.MULTILINE))
    found = {}
    for name, radix, lists in re.findall(
        r"^- `(\w+)`, \d+ letters, radix (\d+): ((?:[a-z\s]*`[^`]*`[;\s]*)+)", text, re.MULTILINE
    ):
        forms = [_characters(one) for one in re.findall(r"`([^`]*)`", lists)]
        codes = signs.get("CJK" if name == "cjk" else name.capitalize(), "").partition("(")[0]
        found[name] = Script(name, forms, _characters(codes), int(radix))
    return found


@cache
def repertoires() -> dict[str, Script]:
    """Read all repertoires of the page: letters of Latin."""
    text = _PAGE.read_text("utf-8").split("### Repertoires", 1)[1].split("\n## ", 1)[0]
    lower, upper = scripts()["latin"].forms
    found = {}
    for name, count, codes in re.findall(r"^\| `([a-z0-9-]+)` \| (\d+) \| ([^|]*)\|$", text, re.M):
        letters = string.ascii_lowercase + _characters(codes)
        others = "".join(upper[lower.index(one)] for one in letters)
        if name == "latin-1":
            others = others.replace("ẞ", "ÿ")
        assert len(letters) == len(set(letters)) == int(count)
        found[name] = Script("latin", [letters, others], "", int(count))
    return found


class ScriptModel(Model):
    """Text of one script, or of any."""

    def __init__(
        self,
        script: str = "any",
        separators: str = SEPARATORS,
        keep_first: int = 0,
        keep_last: int = 0,
        kept_as_tweak: bool = True,
        min_length: int = 0,
        max_length: int = 1024,
        repertoire: str | None = None,
    ) -> None:
        if repertoire is not None:
            script = "latin"
        self.script, self.separators, self.repertoire = script, separators, repertoire
        self.keep_first, self.keep_last = keep_first, keep_last
        self.min_length, self.max_length = min_length, max_length
        self.kept_as_tweak = kept_as_tweak and keep_first + keep_last > 0
        self.identity = ["unicode", keep_first, keep_last, self.kept_as_tweak, script]
        self.identity += [] if repertoire is None else [repertoire]

    def _of(self, value: str) -> Script:
        """Return the script: that of the first letter, or of none."""
        if self.repertoire is not None:
            return repertoires()[self.repertoire]
        if self.script != "any":
            return scripts()[self.script]
        for one in value:
            for script in scripts().values():
                if script.place(_COMPOSED.get(one, one)[0]) is not None:
                    return script
        return next(iter(scripts().values()))

    def domain(self, value: str) -> int:
        """Count the words of as many letters."""
        script = self._of(value)
        count = sum(script.place(one) is not None for one in value)
        return int(script.size ** max(0, count - self.keep_first - self.keep_last))

    def _reasons(self, value: str, apart: str, script: Script) -> set[Reason]:
        wrong = set()
        if not unicodedata.is_normalized("NFC", value):
            wrong.add(Reason.NORMAL)
        for place, one in enumerate(apart):
            signs = script.signs + self.separators
            if script.place(one) is None and one not in signs:
                wrong.add(Reason.FOREIGN)
            if one in "σς" and script.name == "greek" and one != _sigma(apart, place, script):
                wrong.add(Reason.NOTATION)
        return wrong

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the letters."""
        script = self._of(value)
        apart = value
        if script.name == "devanagari":
            for whole, parts in _COMPOSED.items():
                apart = apart.replace(whole, parts)
        wrong = self._reasons(value, apart, script)
        letters = [(i, found) for i, one in enumerate(apart) if (found := script.place(one))]
        count = len(letters)
        free = range(self.keep_first, max(self.keep_first, count - self.keep_last))
        if count < self.min_length or len(free) * script.symbols < 2:
            wrong.add(Reason.SHORT)
        if count > min(self.max_length, 2**16 if script.symbols == 1 else 256):
            wrong.add(Reason.LONG)
        clear = b""
        for i, (_, (symbol, _)) in enumerate(letters):
            if i not in free:
                clear += bytes(self._split(symbol, script))
        kept = [script.name.encode()] * (self.script == "any") + [clear] * self.kept_as_tweak
        tweak = b""
        try:
            tweak = tokens.whole(self.identity_text, *kept)
        except InvalidError as error:
            wrong |= error.reasons
        if wrong:
            raise InvalidError(*wrong)
        word = [part for i in free for part in self._split(letters[i][1][0], script)]
        while True:
            word = tokens.word(word, script.radix, tweak)
            symbols = self._joined(word, script)
            if max(symbols) < script.size:
                break
        text = list(apart)
        for i, symbol in zip(free, symbols, strict=True):
            place, (_, form) = letters[i]
            text[place] = script.forms[form][symbol]
        if script.name == "greek":
            changed = {letters[i][0] for i in free}
            for place in changed:
                if text[place] == "σ":
                    text[place] = _sigma(text, place, script)
        result = "".join(text)
        if script.name == "devanagari":
            for whole, pair in _COMPOSED.items():
                result = result.replace(pair, whole)
        return result

    @staticmethod
    def _split(symbol: int, script: Script) -> list[int]:
        return [symbol] if script.symbols == 1 else [*divmod(symbol, script.radix)]

    @staticmethod
    def _joined(word: list[int], script: Script) -> list[int]:
        if script.symbols == 1:
            return word
        pairs = zip(word[::2], word[1::2], strict=True)
        return [high * script.radix + low for high, low in pairs]


def _sigma(text: str | list[str], place: int, script: Script) -> str:
    """Return how σ is written at a place: ς if a letter comes before it and none behind it."""
    before = place > 0 and script.place(text[place - 1]) is not None
    behind = place + 1 < len(text) and script.place(text[place + 1]) is not None
    return "ς" if before and not behind else "σ"


class JapaneseModel(Model):
    """Names of kanji and kana."""

    def __init__(
        self,
        separators: str = SEPARATORS,
        keep_first: int = 0,
        keep_last: int = 0,
        kept_as_tweak: bool = True,
        min_length: int = 0,
        max_length: int = 1024,
    ) -> None:
        self.separators = separators
        self.keep_first, self.keep_last = keep_first, keep_last
        self.lengths = range(min_length, max_length + 1)
        self.kept_as_tweak = kept_as_tweak and keep_first + keep_last > 0
        self.identity = ["unicode", keep_first, keep_last, self.kept_as_tweak, "japanese"]

    def _letter(self, one: str) -> tuple[int, int, int] | None:
        """Return how many letters are of the kind of a letter, its number, and its form."""
        for name in ("cjk", "kana"):
            script = scripts()[name]
            place = script.place(one)
            if place is not None:
                return (script.size, *place)
        return None

    def _free(self, count: int) -> range:
        return range(self.keep_first, max(self.keep_first, count - self.keep_last))

    def domain(self, value: str) -> int:
        """Multiply the numbers of letters."""
        letters = [found for one in value if (found := self._letter(one))]
        return prod(letters[i][0] for i in self._free(len(letters)))

    def _check(self, value: str, letters: list[tuple[int, tuple[int, int, int]]]) -> set[Reason]:
        wrong = set()
        signs = scripts()["kana"].signs + scripts()["cjk"].signs + self.separators
        if not unicodedata.is_normalized("NFC", value):
            wrong.add(Reason.NORMAL)
        if any(self._letter(one) is None and one not in signs for one in value):
            wrong.add(Reason.FOREIGN)
        size = self.domain(value)
        if len(letters) < self.lengths.start or size <= 86:
            wrong.add(Reason.SHORT)
        if len(letters) >= self.lengths.stop or size > 2**256:
            wrong.add(Reason.LONG)
        return wrong

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the letters."""
        letters = [(i, found) for i, one in enumerate(value) if (found := self._letter(one))]
        wrong = self._check(value, letters)
        free = self._free(len(letters))
        kinds = b""
        for i, (_, (size, symbol, _)) in enumerate(letters):
            kana = size == 86
            if i in free:
                kinds += bytes([kana])
            elif self.kept_as_tweak:
                kinds += bytes([2 + kana]) + symbol.to_bytes(2, "big")
        tweak = b""
        try:
            tweak = tokens.whole(self.identity_text, kinds)
        except InvalidError as error:
            wrong |= error.reasons
        if wrong:
            raise InvalidError(*wrong)
        number, total = 0, self.domain(value)
        for i in free:
            size, symbol, _ = letters[i][1]
            number = number * size + symbol
        number = tokens.number(number, total, tweak)
        while number >= total:
            number = tokens.number(number, total, tweak)
        text = list(value)
        for i in reversed(free):
            place, (size, _, form) = letters[i]
            number, symbol = divmod(number, size)
            text[place] = scripts()["kana" if size == 86 else "cjk"].forms[form][symbol]
        return "".join(text)
