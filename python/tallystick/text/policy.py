# SPDX-License-Identifier: Apache-2.0
r"""Text policies: the kinds of values in text, under which keys, and how to find them.

A text policy is a TOML file of its own; see ``docs/reference/text-tokens.md``::

    [kinds.email]
    key = "people:1"
    namespace = "e-mail"
    patterns = ['[\w.+-]+@[\w-]+(\.[\w-]+)+']
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tallystick._core import lib
from tallystick.errors import PolicyError
from tallystick.keyring import KeyId
from tallystick.mistaken import hint
from tallystick.policy.rules import read_toml
from tallystick.policy.signatures import Signed, beside, demanded
from tallystick.reading import read_small
from tallystick.scanning import KINDS, scan
from tallystick.scanning import Kind as ScanKind

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

_LIMIT = 1 << 20
_TOP = {"version", "frame", "check_bits", "kinds"}
_KIND = {"key", "namespace", "scan", "patterns", "words", "ignore_case"}


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
        if not self.kinds:
            raise PolicyError("a text policy needs a kind: add [kinds.email] or the like")
        spaces = {(kind.key, kind.namespace) for kind in self.kinds}
        if len(spaces) > lib.TALLY_TEXT_KEYS_MAX:
            raise PolicyError(
                f"a text policy has at most {lib.TALLY_TEXT_KEYS_MAX} pairs of key and namespace; "
                f"this one has {len(spaces)}"
            )
        names = [kind.name for kind in self.kinds]
        for name in names:
            if names.count(name) > 1:
                raise PolicyError(f"kinds.{name}: is there twice")
        if self.frame not in FRAMES:
            raise PolicyError("frame must be 'unicode', 'ascii' or 'email'")
        if self.check_bits not in range(
            lib.TALLY_TEXT_CHECK_BITS_MIN, lib.TALLY_TEXT_CHECK_BITS_MAX + 1, 8
        ):
            raise PolicyError("check_bits must be 40 to 128, in steps of 8")
        object.__setattr__(self, "_compiled", [_compiled(kind) for kind in self.kinds])
        object.__setattr__(self, "_scanned", _scanned(self.kinds))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TextPolicy":
        """Read a policy from a TOML file.

        Raises
        ------
        PolicyError
            The file is no text policy; the message says where and why.
        """
        where = Path(path)
        try:
            data = read_small(where, _LIMIT)
        except OSError as error:
            raise PolicyError(f"{where}: {error.strerror}") from None
        try:
            if len(data) > _LIMIT:
                raise PolicyError("a text policy has at most 1 MiB")
            made = cls.parse(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise PolicyError(
                f"{where}: not UTF-8 text{hint(where, 'a text policy') or '; check the path'}"
            ) from None
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
        if "columns" in top:
            raise PolicyError(
                "columns: this is a policy for tables; a text policy has [kinds], see "
                "docs/reference/text-tokens.md"
            )
        _known(top, _TOP, "")
        if top.get("version", 1) != 1:
            raise PolicyError("version must be 1: use a newer Tallystick for later ones")
        kinds = _typed(top, "kinds", dict, "", {})
        made = tuple(_kind(name, table) for name, table in kinds.items())
        return cls(
            made,
            _typed(top, "frame", str, "", "unicode"),
            _typed(top, "check_bits", int, "", lib.TALLY_TEXT_CHECK_BITS),
        )

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


def _kind(name: str, table: Any) -> Kind:  # noqa: ANN401
    place = f"kinds.{name}"
    if not isinstance(table, dict):
        raise PolicyError(f"{place}: must be a table with key and namespace")
    _known(table, _KIND, place + ".")
    for needed in ("key", "namespace"):
        if needed not in table:
            raise PolicyError(f"{place}.{needed}: is missing")
    try:
        key = KeyId.parse(_typed(table, "key", str, place + "."))
    except Exception as error:
        raise PolicyError(f"{place}.key: {error}") from None
    return Kind(
        name,
        key,
        _typed(table, "namespace", str, place + "."),
        _texts(table, "scan", place),
        _texts(table, "patterns", place),
        _texts(table, "words", place),
        _typed(table, "ignore_case", bool, place + ".", False),
    )


def _known(table: Mapping[str, object], names: set[str], place: str) -> None:
    for name in table:
        if name not in names:
            raise PolicyError(f"{place}{name}: no such key; known are: {', '.join(sorted(names))}")


def _typed(
    table: Mapping[str, Any],
    name: str,
    wanted: type,
    place: str,
    default: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    value = table.get(name, default)
    if type(value) is not wanted:
        names = {str: "text", int: "a whole number", bool: "true or false", dict: "a table"}
        raise PolicyError(f"{place}{name}: must be {names.get(wanted, 'a list')}")
    return value


def _texts(table: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    values = _typed(table, name, list, place + ".", [])
    if not all(isinstance(value, str) and value for value in values):
        raise PolicyError(f"{place}.{name}: must be a list of texts that are not empty")
    return tuple(values)


def _scanned(kinds: tuple[Kind, ...]) -> dict[ScanKind, str]:
    """Return the kind that each kind of the scanner is. Raises `PolicyError`."""
    made: dict[ScanKind, str] = {}
    for kind in kinds:
        for name in kind.scan:
            known = next((one for one in KINDS if one == name), None)
            if known is None:
                raise PolicyError(
                    f"kinds.{kind.name}.scan: no such kind; known are: {', '.join(KINDS)}"
                )
            if known in made:
                raise PolicyError(f"kinds.{kind.name}.scan: {name} is of kinds.{made[known]} too")
            made[known] = kind.name
    return made


def _compiled(kind: Kind) -> tuple[str, list[re.Pattern[str]]]:
    """Return the compiled patterns of a kind, and check it. Raises `PolicyError`."""
    place, flags = f"kinds.{kind.name}", re.IGNORECASE if kind.ignore_case else 0
    name = kind.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", name) or name.endswith("tly"):
        raise PolicyError(
            f"{place}: a kind has 1 to 32 of a-z, 0-9 and _, begins with a letter and does not "
            "end in tly"
        )
    if not 1 <= len(kind.namespace.encode("utf-8", "surrogatepass")) <= 256:
        raise PolicyError(f"{place}.namespace: must have 1 to 256 bytes of UTF-8")
    made = []
    for pattern in kind.patterns:
        try:
            made.append(re.compile(pattern, flags))
        except (re.error, RecursionError, OverflowError) as error:
            raise PolicyError(f"{place}.patterns: not a regular expression: {error}") from None
    if kind.words:
        longest_first = sorted(kind.words, key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first))
        made.append(re.compile(rf"(?<!\w)(?:{words})(?!\w)", flags))
    return name, made
