# SPDX-License-Identifier: Apache-2.0
"""Keys of services in text, as the packages fast-cipher, go-fast and js-fast encrypt them.

These tokens look like what they replace, and carry no check: see ``docs/reference/fast-tokens.md``.
Use `TextProtector` unless texts are exchanged with those packages.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import neg
from typing import Literal

from tallystick.errors import ParameterError, TallyError
from tallystick.fast import FastCipher, FastParams
from tallystick.memory import ClosesKeys

_DIGITS = "0123456789"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
_ALPHABETS = {
    "digits": _DIGITS,
    "hex": _DIGITS + "abcdef",
    "upper": _DIGITS + _UPPER,
    "lower": _DIGITS + _LOWER,
    "letters": _DIGITS + _UPPER + _LOWER,
    "base64": "+/" + _DIGITS + _UPPER + _LOWER,
    "base64url": _DIGITS + _UPPER + "_" + _LOWER + "-",
}
_LONGEST = 1 << 30
_LEAST = 4
"""Segments with fewer characters stay."""
_SEPARATORS = "-_"


@dataclass(frozen=True, slots=True)
class _Rule:
    """Keys of one service: a prefix, and a body of an alphabet."""

    name: str
    prefix: str
    alphabet: str
    least: int
    most: int


def _rule(name: str, prefix: str, alphabet: str, least: int, most: int = 0) -> _Rule:
    return _Rule(name, prefix, _ALPHABETS[alphabet], least, most or least)


_RULES = (
    _rule("anthropic", "sk-ant-api03-", "base64url", 80, _LONGEST),
    _rule("openai", "sk-proj-", "base64url", 48, _LONGEST),
    _rule("openai-legacy", "sk-", "letters", 48),
    _rule("stripe-secret-live", "sk_live_", "letters", 24, _LONGEST),
    _rule("stripe-publish-live", "pk_live_", "letters", 24, _LONGEST),
    _rule("stripe-secret-test", "sk_test_", "letters", 24, _LONGEST),
    _rule("stripe-publish-test", "pk_test_", "letters", 24, _LONGEST),
    _rule("vercel", "vercel_", "base64url", 20, _LONGEST),
    _rule("gitlab", "glpat-", "base64url", 20),
    _rule("datadog", "ddapi_", "lower", 40),
    _rule("pypi", "pypi-", "base64url", 50, _LONGEST),
    _rule("github-pat", "ghp_", "letters", 36),
    _rule("github-oauth", "gho_", "letters", 36),
    _rule("github-user", "ghu_", "letters", 36),
    _rule("github-server", "ghs_", "letters", 36),
    _rule("github-refresh", "ghr_", "letters", 36),
    _rule("aws-access-key", "AKIA", "upper", 16),
    _rule("google-api", "AIza", "base64url", 35),
    _rule("npm", "npm_", "letters", 36),
    _rule("supabase", "sbp_", "hex", 40),
    _rule("grafana", "glc_", "base64url", 30, _LONGEST),
    _rule("huggingface", "hf_", "letters", 34),
    _rule("twilio", "SK", "hex", 32),
)
_PARTS = {
    "slack-bot": ("xoxb-", re.compile("[0-9]+-[0-9]+-[A-Za-z0-9]+")),
    "slack-user": ("xoxp-", re.compile("[0-9]+-[0-9]+-(?:[0-9]+-)?[A-Za-z0-9]+")),
    "sendgrid": ("SG.", re.compile("[A-Za-z0-9_-]{22}[.][A-Za-z0-9_-]{43}")),
}
"""Keys of several parts, with a separator between them."""
_BARE = (
    _rule("fastly", "", "base64url", 32),
    _rule("aws-secret-key", "", "base64", 40),
)
"""Random strings without a prefix."""
NAMES = (*(rule.name for rule in _RULES), *_PARTS, *(rule.name for rule in _BARE))
"""The kinds of keys that are found."""
_Found = tuple[int, int, int, str]
"""Start, where the body starts, end, and name."""


class FastCipherText(ClosesKeys):
    """Encrypt and decrypt the keys of services in texts, as PyPI's fast-cipher does.

    Parameters
    ----------
    key : bytes-like
        16, 24 or 32 bytes. It must serve nothing else.
    tweak : bytes, optional
        Public bytes of a user, a tenant or a conversation: under another tweak tokens are others.

    Raises
    ------
    ParameterError
        The key's size.

    Notes
    -----
    Tokens have no check. `reveal` changes whatever looks like a key of a service, whoever made it:
    a key that was not protected becomes another one that looks as good.
    """

    def __init__(self, key: bytes | bytearray, tweak: bytes = b"") -> None:
        self._tweak = tweak
        self._ciphers: dict[int, FastCipher] | None = None
        try:
            self._ciphers = {
                len(alphabet): FastCipher(key, len(alphabet)) for alphabet in _ALPHABETS.values()
            }
        except ParameterError:
            raise ParameterError(f"a key has 16, 24 or 32 bytes; this one has {len(key)}") from None

    def close(self) -> None:
        """Wipe the key."""
        ciphers, self._ciphers = self._ciphers, None
        for cipher in (ciphers or {}).values():
            cipher.close()

    def protect(self, text: str, names: Iterable[str] | None = None) -> str:
        """Return a text with other keys in the place of those in it.

        Parameters
        ----------
        text : str
            Any text.
        names : iterable of str, optional
            Kinds of keys, of `NAMES`; by default all.

        Raises
        ------
        ParameterError
            There is no such kind.
        TallyError
            It is closed.
        """
        return self._changed(text, _find(text, _chosen(names)), "encrypt")

    def reveal(self, text: str, names: Iterable[str] | None = None) -> str:
        """Return a text that `protect` was given. Raises as `protect`."""
        chosen = _chosen(names)
        marked = _marked(text, [rule for rule in _BARE if rule.name in chosen])
        text = self._changed(text, marked, "decrypt")
        prefixed = chosen - {rule.name for rule in _BARE}
        return self._changed(text, _find(text, prefixed), "decrypt")

    def _changed(
        self, text: str, found: Iterable[_Found], way: Literal["encrypt", "decrypt"]
    ) -> str:
        parts, at = [], 0
        for start, body, end, name in found:
            bare = next((rule for rule in _BARE if rule.name == name), None)
            prefix = text[start:body]
            if bare is not None:
                prefix = f"[ENCRYPTED:{name}]" if way == "encrypt" else ""
            parts += [text[at:start], prefix, self._body(text[body:end], name, way)]
            at = end
        return "".join([*parts, text[at:]])

    def _body(self, body: str, name: str, way: Literal["encrypt", "decrypt"]) -> str:
        alphabet = next((r.alphabet for r in (*_RULES, *_BARE) if r.name == name), None)
        if alphabet is not None:
            return self._word(body, alphabet, name, way)
        separator = "." if name == "sendgrid" else "-"
        made = []
        for part in body.split(separator):
            chars = _ALPHABETS["base64url" if name == "sendgrid" else "letters"]
            if name != "sendgrid" and part.isdigit():
                chars = _DIGITS
            made.append(self._word(part, chars, name, way) if len(part) >= _LEAST else part)
        return separator.join(made)

    def _word(self, word: str, alphabet: str, name: str, way: Literal["encrypt", "decrypt"]) -> str:
        if self._ciphers is None:
            raise TallyError("the text cipher is closed")
        cipher = self._ciphers[len(alphabet)]
        tweak = name.encode() + (b"\0" + self._tweak if self._tweak else b"")
        symbols = bytes(map(alphabet.index, word))
        made = getattr(cipher, way)(symbols, tweak, _params(len(alphabet), len(word)))
        return "".join(alphabet[symbol] for symbol in made)


def _params(radix: int, length: int) -> FastParams:
    """Return the parameters of these packages: they differ from the paper's at length 5."""
    found = FastParams.recommended(radix, length)
    return FastParams(radix, length, found.layers, 3, 2) if length == 5 else found


def _chosen(names: Iterable[str] | None) -> set[str]:
    chosen = set(NAMES if names is None else names)
    for name in chosen - {*NAMES}:
        raise ParameterError(f"there is no kind of key {name[:40]!r}; there are {', '.join(NAMES)}")
    return chosen


def _run(text: str, at: int, alphabet: str) -> int:
    """Return where a run of characters of an alphabet ends."""
    found = _RUNS[alphabet].match(text, at)
    return found.end() if found else at


_RUNS = {chars: re.compile(f"[{re.escape(chars)}]+") for chars in _ALPHABETS.values()}


class _Ends:
    """Where a body may end early: at the next key, and at the separators before it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends: list[int] = []  # the last first
        prefixes = {rule.prefix: rule for rule in _RULES}
        names = {prefix: name for name, (prefix, _) in _PARTS.items()}
        self.starts: dict[str, list[int]] = {}
        for prefix in (*prefixes, *names):
            self.starts[prefix] = [
                found.start() for found in re.finditer(f"(?={re.escape(prefix)})", text)
            ]
        places = sorted({at for starts in self.starts.values() for at in starts}, reverse=True)
        lowest = len(text) + 1
        for at in places:
            if at < lowest and any(
                text.startswith(prefix, at) and self.end(name, at) >= 0
                for prefix, name in (
                    *((rule.prefix, rule.name) for rule in _RULES),
                    *names.items(),
                )
            ):
                lowest = at
                self.ends.append(at)
                while lowest and text[lowest - 1] in _SEPARATORS:
                    lowest -= 1
                    self.ends.append(lowest)

    def end(self, name: str, at: int) -> int:
        """Return where a key of a kind that begins there ends; -1: there is none."""
        if name in _PARTS:
            return self._end_of_parts(name, at)
        rule = next(rule for rule in _RULES if rule.name == name)
        body = at + len(rule.prefix)
        end = _run(self.text, body, rule.alphabet)
        at = self._at_most(min(end, body + rule.most))
        if at < len(self.ends) and self.ends[at] >= body + rule.least:
            return self.ends[at]
        return end if rule.least <= end - body <= rule.most else -1

    def _at_most(self, end: int) -> int:
        """Return the number of the last end that is not after a place."""
        return bisect_left(self.ends, -end, key=neg)

    def _end_of_parts(self, name: str, at: int) -> int:
        prefix, pattern = _PARTS[name]
        body = at + len(prefix)
        found = pattern.match(self.text, body)
        if found is None:
            return -1
        for place in range(self._at_most(found.end()), len(self.ends)):
            if self.ends[place] <= body:
                break
            if _is_whole(name, self.text[body : self.ends[place]]):
                return self.ends[place]
        end = found.end()
        chars = _ALPHABETS["base64url" if name == "sendgrid" else "letters"]
        place = self._at_most(end)
        stops = end == len(self.text) or self.text[end] not in chars
        stops = stops or (place < len(self.ends) and self.ends[place] == end)
        return -1 if not stops or not _is_whole(name, self.text[body:end]) else end


def _is_whole(name: str, body: str) -> bool:
    if _PARTS[name][1].fullmatch(body) is None:
        return False
    return name == "sendgrid" or len(body) - body.count("-") >= 20


def _find(text: str, names: set[str]) -> list[_Found]:
    """Return the keys of some kinds in a text, in order, none over another."""
    ends, found = _Ends(text), []
    prefixes = {rule.name: rule.prefix for rule in _RULES}
    prefixes |= {name: prefix for name, (prefix, _) in _PARTS.items()}
    for name, prefix in prefixes.items():
        for at in ends.starts[prefix] if name in names else ():
            if (end := ends.end(name, at)) >= 0:
                found.append((at, at + len(prefix), end, name))
    for rule in _BARE:
        if rule.name in names:
            found += [(at, at, end, rule.name) for at, end in _random(text, rule)]
    order = {name: place for place, name in enumerate(NAMES)}
    found.sort(key=lambda one: (one[0], one[0] - one[1], one[0] - one[2], order[one[3]]))
    made: list[_Found] = []
    for one in found:
        if not made or one[0] >= made[-1][2]:
            made.append(one)
    return made


def _random(text: str, rule: _Rule) -> list[tuple[int, int]]:
    """Return random strings that are whole words."""
    beside = f"[{re.escape(rule.alphabet)}A-Za-z0-9_-]"
    words = re.compile(f"(?<!{beside})[{re.escape(rule.alphabet)}]{{{rule.least}}}(?!{beside})")
    made = []
    for found in words.finditer(text):
        word = found[0]
        kinds = (any(c in chars for c in word) for chars in (_UPPER, _LOWER, _DIGITS))
        others = any(c not in _ALPHABETS["letters"] for c in word)
        many = Counter(word).values()
        bits = -sum(n / len(word) * math.log2(n / len(word)) for n in many)
        if sum(kinds) + others >= 3 and bits >= 4:
            made.append(found.span())
    return made


def _marked(text: str, rules: list[_Rule]) -> list[_Found]:
    """Return the random strings that `protect` marked."""
    found = []
    for rule in rules:
        mark = re.escape(f"[ENCRYPTED:{rule.name}]")
        chars = re.escape(rule.alphabet)
        for one in re.finditer(f"{mark}([{chars}]{{{rule.least}}})(?![{chars}])", text):
            found.append((one.start(), one.start(1), one.end(), rule.name))
    return sorted(found)
