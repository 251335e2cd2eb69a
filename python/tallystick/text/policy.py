# SPDX-License-Identifier: Apache-2.0
r"""Text policies: the kinds of values in text, under which keys, and how to find them.

A text policy is a TOML file of its own; see ``docs/reference/text-tokens.md``::

    [kinds.email]
    key = "people:1"
    namespace = "e-mail"
    patterns = ['[\w.+-]+@[\w-]+(\.[\w-]+)+']
"""

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tallystick._core import ffi, lib
from tallystick.errors import PolicyError
from tallystick.keyring import KeyId
from tallystick.policy.rules import decoded, problem_of, read_file, read_toml, tagged
from tallystick.policy.signatures import Signed, beside, demanded
from tallystick.scanning import Kind as ScanKind
from tallystick.scanning import scan

from .spans import Finding as Finding

Frame = Literal["unicode", "ascii", "email"]
"""How tokens are written: ``⟦email:...⟧``, or ``tly-email-...``, or as the latter but for e-mail
addresses: ``tly-email....@tly.example``."""

FRAMES: dict[str, int] = {
    "unicode": lib.TALLY_TEXT_UNICODE,
    "ascii": lib.TALLY_TEXT_ASCII,
    "email": lib.TALLY_TEXT_EMAIL,
}
"""The numbers that the core has for them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values in text, such as ``email``."""

    name: str
    """The label in tokens: 1 to 32 of a-z, 0-9 and ``_``, a letter first, and not ``tly`` last."""
    key: KeyId
    """The data key, with its version."""
    namespace: str
    """Equal values of one key and namespace have equal tokens."""
    scan: tuple[str, ...] = ()
    """Kinds of `tallystick.scan`, such as ``card``, whose findings are values."""
    patterns: tuple[str, ...] = ()
    """Regular expressions, as of `re`, that find values. A group named ``value`` is the value, if
    it takes part in a match; otherwise the whole match is."""
    words: tuple[str, ...] = ()
    """Texts that are found as they are, between characters that are no letters and digits."""
    ignore_case: bool = False
    """Whether patterns and words are found in upper and lower case."""


@dataclass(frozen=True)
class TextPolicy:
    """The kinds of values that are protected in text, and how tokens are written.

    Raises
    ------
    PolicyError
        A kind, a pattern or a number is not allowed.
    """

    kinds: tuple[Kind, ...]
    """One for each label."""
    frame: Frame = "unicode"
    """How tokens are written. Both kinds are revealed."""
    check_bits: int = lib.TALLY_TEXT_CHECK_BITS
    """Bits of the check in a token, 40 to 128 in steps of 8: an invented token is revealed with a
    chance of 2^-bits for each key of the policy."""
    signed: Signed | None = field(default=None, repr=False, compare=False)
    """The file that it was read from, for a key ring that demands signatures."""

    def __post_init__(self) -> None:
        """Compile the patterns, and refuse what makes no tokens. Raises `PolicyError`."""
        names = [kind.name for kind in self.kinds]
        for name in names:
            if names.count(name) > 1:
                raise PolicyError(f"kinds.{name}: is there twice")
        kinds = {kind.name: _table(kind) for kind in self.kinds}
        _check({"frame": self.frame, "check_bits": self.check_bits, "kinds": kinds})
        object.__setattr__(self, "_compiled", [_compiled(kind) for kind in self.kinds])
        scanned = {name: kind.name for kind in self.kinds for name in kind.scan}
        object.__setattr__(self, "_scanned", scanned)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TextPolicy":
        """Read a policy from a TOML file.

        Raises
        ------
        PolicyError
            The file is no text policy; the message says where and why.
        """
        where = Path(path)
        data = read_file(where)
        text = decoded(data, str(where))
        try:
            made = cls.parse(text)
        except PolicyError as error:
            raise PolicyError(f"{where}: {error}") from None
        return replace(made, signed=Signed(data, beside(where), str(where)))

    def check_signed(self, signers: Collection[str], ring: object) -> None:
        """Refuse a policy that is not as one of the signers signed it.

        Parameters
        ----------
        signers : collection of str
            Public keys. Without any, no signature is needed.
        ring : object
            The key ring's name, for messages.

        Raises
        ------
        PolicyError
            It is not signed, or was changed since.
        """
        signed = demanded(self.signed, signers, ring, "TextPolicy.load")
        if signed is not None and TextPolicy.parse(signed.policy.decode("utf-8-sig")) != self:
            raise PolicyError(
                f"{signed.source}: the policy in memory is not the signed one; let a signer "
                "sign the changed policy, and pass that file"
            )

    @classmethod
    def parse(cls, text: str) -> "TextPolicy":
        """Read a policy from the text of a TOML file. Raises `PolicyError`."""
        top = read_toml(text)
        _check(top)
        kinds = []
        for name, table in top["kinds"].items():
            scanned, patterns, words = (
                tuple(table.get(texts, ())) for texts in ("scan", "patterns", "words")
            )
            key, ignores = KeyId.parse(table["key"]), table.get("ignore_case", False)
            kinds.append(Kind(name, key, table["namespace"], scanned, patterns, words, ignores))
        return cls(tuple(kinds), **{one: top[one] for one in ("frame", "check_bits") if one in top})

    def find(self, text: str) -> Iterator[Finding]:
        """Yield what the scanner, patterns and words find in a text. They may overlap."""
        compiled: list[tuple[str, list[re.Pattern[str]]]] = getattr(self, "_compiled")  # noqa: B009
        scanned: dict[ScanKind, str] = getattr(self, "_scanned")  # noqa: B009
        if scanned:
            for one in scan(text, kinds=scanned):
                yield Finding(one.start, one.end, scanned[one.kind])
        for name, patterns in compiled:
            for pattern in patterns:
                named = "value" in pattern.groupindex
                for match in pattern.finditer(text):
                    group = "value" if named and match["value"] is not None else 0
                    if match.end(group) > match.start(group):
                        yield Finding(match.start(group), match.end(group), name)


def _table(kind: Kind) -> dict[str, object]:
    """Return a kind as a policy in TOML has it."""
    names = ("namespace", "scan", "patterns", "words", "ignore_case")
    return {"key": str(kind.key), **{name: getattr(kind, name) for name in names}}


def _check(policy: dict[str, object]) -> None:
    """Let the core check a policy. Raises `PolicyError`."""
    described, problem = json.dumps(tagged(policy)).encode(), ffi.new("tally_problem *")
    status = lib.tally_text_policy_check(ffi.NULL, described, len(described), problem)
    if status == lib.TALLY_ERROR_MEMORY:
        raise MemoryError
    if status != lib.TALLY_OK:
        raise PolicyError(": ".join(filter(None, problem_of(problem))))


def _compiled(kind: Kind) -> tuple[str, list[re.Pattern[str]]]:
    """Return the compiled patterns of a kind. Raises `PolicyError`."""
    flags, made = re.IGNORECASE if kind.ignore_case else 0, []
    for pattern in kind.patterns:
        try:
            made.append(re.compile(pattern, flags))
        except (re.error, RecursionError, OverflowError) as error:
            place = f"kinds.{kind.name}.patterns"
            raise PolicyError(f"{place}: not a regular expression: {error}") from None
    if kind.words:
        longest_first = sorted(kind.words, key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first))
        made.append(re.compile(rf"(?<!\w)(?:{words})(?!\w)", flags))
    return kind.name, made
