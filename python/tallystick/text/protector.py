# SPDX-License-Identifier: Apache-2.0
"""Protecting and restoring text, whole and in chunks."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Self, TypeVar, overload

from tallystick._core import ffi, lib
from tallystick.errors import KeyringError, ParameterError, PolicyError, TallyError
from tallystick.keyring import KeyId, Keyring, Root, RootKey
from tallystick.memory import ClosesKeys, HoldsKeys, memory, secret_struct
from tallystick.memory import check as check_status
from tallystick.protector import ring_of
from tallystick.reveal_log import Reveal
from tallystick.tokenizer import ONLY_PROTECTS, ONLY_REVEALS

from .policy import FRAMES, Kind, TextPolicy
from .spans import Finding, Recognizer, apart, joined

Context = Literal["text", "json", "html"]
"""What surrounds tokens: revealed values are escaped, so that they stay data there."""
Text = TypeVar("Text", str, bytes)

_CONTEXTS: dict[str, int] = {
    "text": lib.TALLY_TEXT_PLAIN,
    "json": lib.TALLY_TEXT_JSON,
    "html": lib.TALLY_TEXT_HTML,
}
_MOST = lib.TALLY_TEXT_VALUE_SIZE_MAX
_CLOSED = "the text protector is closed"
_BODY = "[0-9a-hjkmnp-tv-z]"
_TOKEN = re.compile(
    f"\u27e6[a-z][a-z0-9_]{{0,31}}:{_BODY}{{8,}}\u27e7|tly-[a-z][a-z0-9_]{{0,31}}"
    rf"(?:-{_BODY}{{8,}}|\.{_BODY}{{8,}}@(?:{_BODY}+\.)*tly\.example)"
)
"""What may be a token, as it is made."""
_PIECE = 1 << 16
"""Bytes that are restored at a time, for bounded memory."""


class _Space:
    """The core's key of one data key and namespace, and what it may be used for."""

    def __init__(
        self, policy: TextPolicy, kind: Kind, keyring: Keyring, scope: bytes, *, reveal: bool
    ) -> None:
        rights = (keyring.rights(kind.key) or "").split()
        self.protects = "protect" in rights
        self.reveals = reveal and "reveal" in rights
        self.key = secret_struct("tally_text_key")
        data, space = keyring.tokenizer_key(kind.key), kind.namespace.encode()
        check_status(
            lib.tally_text_key_init(
                data, len(data), space, len(space), scope, len(scope), policy.check_bits, self.key
            ),
            f"kinds.{kind.name}",
        )


class TextProtector(ClosesKeys):
    """Protect values in text, and reveal them again in any text that has their tokens.

    Parameters
    ----------
    policy : TextPolicy
        The kinds of values, their keys, and how tokens are written.
    keyring : Keyring
        The key ring with the keys that the policy names.
    scope : str
        A tenant, a user or a conversation. Tokens of one scope are not revealed in another, so
        nobody can bring in a token from elsewhere and read its value. At most 256 bytes of UTF-8.
    find : callable, optional
        Finds what to protect: it is given the text, and yields ``(start, end, kind)``. By default
        `TextPolicy.find`.
    reveal : bool
        If False, the protector can only protect.
    on_reveal : callable, optional
        Called with a `Reveal` for each call that has revealed tokens, before their values are
        returned: its columns are all kinds of the policy, its rows the tokens. If it raises an
        error, nothing is returned. `RevealLog` is one.

    Raises
    ------
    KeyringError
        The key ring lacks a key.
    PolicyError
        The key ring demands signed policies, and none of its signers signed this one.

    Notes
    -----
    A protector is thread-safe; a `Restorer` belongs to one thread at a time. `close`, or the end
    of a ``with`` block, wipes the keys; if calls are at work in other threads, this happens when
    the last of them ends.
    """

    def __init__(
        self,
        policy: TextPolicy,
        keyring: Keyring,
        *,
        scope: str = "",
        find: Recognizer | None = None,
        reveal: bool = True,
        on_reveal: Callable[[Reveal], None] | None = None,
    ) -> None:
        policy.check_signed(keyring.signers, keyring.path)
        scoped = scope.encode()
        if len(scoped) > lib.TALLY_TEXT_SCOPE_SIZE_MAX:
            raise ParameterError(
                f"scope has {len(scoped)} bytes of UTF-8, and may have "
                f"{lib.TALLY_TEXT_SCOPE_SIZE_MAX}"
            )
        self.policy = policy
        self._on_reveal, self._may_reveal = on_reveal, reveal
        self._keyring: Keyring | None = keyring
        self._ring = (keyring.id, keyring.revision)
        self.find: Recognizer = policy.find if find is None else find
        spaces: dict[tuple[KeyId, str], _Space] = {}
        self._kinds: dict[str, _Space] | None = {}
        for kind in policy.kinds:
            place = (kind.key, kind.namespace)
            if place not in spaces:
                try:
                    spaces[place] = _Space(policy, kind, keyring, scoped, reveal=reveal)
                except KeyringError as error:
                    raise type(error)(
                        f"kinds.{kind.name}: its key in the policy, {kind.key}: {error}"
                    ) from None
            self._kinds[kind.name] = spaces[place]

    @classmethod
    def open(
        cls,
        policy: TextPolicy | str | os.PathLike[str],
        keyring: Keyring | str | os.PathLike[str] | None = None,
        root: RootKey | Root | str | None = None,
        *,
        anchor: str | os.PathLike[str] | None = None,
        scope: str = "",
        find: Recognizer | None = None,
        reveal: bool = True,
        on_reveal: Callable[[Reveal], None] | None = None,
    ) -> Self:
        """Read a text policy and open its key ring.

        Parameters
        ----------
        policy : TextPolicy or path
            The policy.
        keyring : Keyring or path, optional
            By default the path in the environment variable ``TALLYSTICK_KEYRING``.
        root : RootKey, Root or str, optional
            The source of the root key; by default the text in ``TALLYSTICK_ROOT``. Ignored if
            `keyring` is an open key ring.
        anchor : path, optional
            The key ring's anchor; see `Keyring.open`. By default the path in ``TALLYSTICK_ANCHOR``,
            if there is one. Ignored if `keyring` is an open key ring.
        scope, find, reveal, on_reveal
            See `TextProtector`.

        Raises
        ------
        PolicyError, KeyringError, RootKeyError
            As for `TextPolicy.load` and `Keyring.open`.
        """
        rules = policy if isinstance(policy, TextPolicy) else TextPolicy.load(policy)
        ring = ring_of(keyring, root, anchor)
        return cls(rules, ring, scope=scope, find=find, reveal=reveal, on_reveal=on_reveal)

    def __repr__(self) -> str:
        return f"TextProtector(kinds={[kind.name for kind in self.policy.kinds]!r})"

    def close(self) -> None:
        """Wipe the keys. Neither the protector nor its restorers can be used afterwards."""
        # Not wiped here but let go: calls at work in other threads hold the keys too.
        self._kinds = self._keyring = None

    def scoped(self, scope: str) -> Self:
        """Return a protector for another scope, with all else as in this one.

        Raises
        ------
        ParameterError
            The scope is too long.
        TallyError
            The protector is closed, or its key ring is.
        """
        keyring = self._keyring
        if keyring is None:
            raise TallyError(_CLOSED)
        return type(self)(
            self.policy,
            keyring,
            scope=scope,
            find=self.find,
            reveal=self._may_reveal,
            on_reveal=self._on_reveal,
        )

    def protect(self, text: str, findings: Iterable[tuple[int, int, str]] | None = None) -> str:
        """Return a text with tokens in the place of what is found.

        Parameters
        ----------
        text : str
            Any text.
        findings : iterable of (start, end, kind), optional
            What to protect. By default what `find` yields for the text. Findings that overlap
            are protected as one. Tokens of the same keys stay as they are, so a text may be
            protected again.

        Raises
        ------
        PolicyError
            The policy has no such kind.
        ParameterError
            A finding is not within the text, or the text has half a surrogate pair in it.
        TallyError
            The key may not protect, or the protector is closed.
        """
        parts, at = [], 0
        for start, end, kind in self._found(text, findings)[0]:
            parts += [text[at:start], self.token(text[start:end], kind)]
            at = end
        return "".join([*parts, text[at:]])

    def _found(
        self, text: str, findings: Iterable[tuple[int, int, str]] | None = None
    ) -> tuple[list[Finding], list[tuple[int, int]]]:
        """Return what is to be protected, and where tokens of the own keys are, which stay."""
        self._opened()
        found = joined(self.find(text) if findings is None else findings, len(text))
        tokens = self._tokens(text)
        return apart(found, tokens), tokens

    def _tokens(self, text: str) -> list[tuple[int, int]]:
        """Return where tokens of the own keys are, as they were made."""
        found = _TOKEN.search(text)
        if found is None:
            return []
        keys = list({id(space): space.key for space in self._opened().values()}.values())
        restorer, made = _restorer(keys, "text"), []

        def restored(likely: str) -> bytes:
            return Restorer._piece(restorer, likely.encode(), finish=True)

        def is_own(likely: str) -> bool:
            return restored(likely) != likely.encode()

        while found is not None:
            start, likely = found.start(), found[0]
            end = start + 1
            if is_own(likely):
                size = len(likely)
                if restored(likely) == restored(likely[:-1]) + likely[-1].encode():
                    # What follows the body is not of the token, nor is the frame's end behind it.
                    size = bisect_left(range(size), True, key=lambda n: is_own(likely[:n]))
                end = start + size
                made.append((start, end))
            found = _TOKEN.search(text, end)
        return made

    def token(self, value: str, kind: str) -> str:
        """Return the token of one value. One of over 4096 bytes becomes several, side by side.

        Raises
        ------
        PolicyError, ParameterError, TallyError
            As for `protect`.
        """
        kinds = self._opened()
        space = kinds.get(kind)
        if space is None:
            known = ", ".join(kinds)
            raise PolicyError(
                f"a finding has a kind that the text policy does not name; it names: {known}"
            )
        if not space.protects:
            raise KeyringError(f"kinds.{kind}: {ONLY_REVEALS}")
        try:
            data = value.encode()
        except UnicodeEncodeError:
            raise ParameterError(
                "a value has a part of a surrogate pair, so it is not Unicode text"
            ) from None
        frame, label = FRAMES[self.policy.frame], kind.encode()
        out, size = memory(lib.TALLY_TEXT_TOKEN_SIZE_MAX), ffi.new("size_t *")
        made = b""
        for piece in _pieces(data):
            status = lib.tally_text_protect(
                space.key, frame, label, len(label), piece, len(piece), out, size
            )
            check_status(status, f"kinds.{kind}")
            made += ffi.buffer(out, size[0])
        return made.decode()

    def reveal(self, text: Text, context: Context = "text") -> Text:
        """Return a text with the values of all its tokens. Everything else stays as it is.

        Parameters
        ----------
        text : str or bytes
            Any text; bytes are UTF-8, or at least ASCII where tokens are.
        context : {"text", "json", "html"}
            What the text is. Values are escaped for strings of JSON, or for HTML.

        Raises
        ------
        TallyError
            The protector can only protect, or is closed.
        """
        return self.restorer(context).finish(text)

    def restorer(self, context: Context = "text") -> Restorer:
        """Return a restorer for a text that arrives in chunks; see `reveal`."""
        return Restorer(self, context)

    def _log(self, tokens: int) -> None:
        """Call the hook, if there is one."""
        if self._on_reveal is not None:
            kinds = tuple(kind.name for kind in self.policy.kinds)
            self._on_reveal(Reveal(kinds, tokens, *self._ring))

    def _opened(self) -> dict[str, _Space]:
        """Return the kinds with their keys, which last as long as the caller has them."""
        kinds = self._kinds
        if kinds is None:
            raise TallyError(_CLOSED)
        return kinds

    def _keys(self) -> list[Any]:
        spaces = {id(space): space for space in self._opened().values() if space.reveals}
        if not spaces:
            raise KeyringError(f"the text protector: {ONLY_PROTECTS}")
        return [space.key for space in spaces.values()]


def _restorer(held: list[Any], context: Context) -> Any:  # noqa: ANN401
    """Return a restorer of the core, of which each call needs the keys to be held."""
    made = ffi.new("tally_text_restorer **")
    keys = ffi.new("tally_text_key *[]", held)
    status = lib.tally_text_restorer_new(ffi.NULL, keys, len(held), _CONTEXTS[context], made)
    if status == lib.TALLY_ERROR_MEMORY:
        raise MemoryError
    check_status(status, "restorer")
    return ffi.gc(made[0], lib.tally_text_restorer_free)


def _pieces(data: bytes) -> Iterator[bytes]:
    """Cut UTF-8 between characters, into pieces that a token can hold. Nothing makes one, empty."""
    at = 0
    while len(data) - at > _MOST:
        end = at + _MOST
        while data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[at:end]
        at = end
    yield data[at:]


class Restorer(HoldsKeys):
    """Reveal the tokens of a text that arrives in chunks.

    Made by `TextProtector.restorer`. What `feed` returns is final. It holds back what may be the
    beginning of a token, and nothing else. If a call raises an error, the rest of the text is lost:
    each later call raises one too.

    Attributes
    ----------
    restored : int
        How many tokens were revealed.
    refused : int
        How many tokens looked complete, and were made by none of the keys.
    """

    def __init__(self, protector: TextProtector, context: Context = "text") -> None:
        if context not in _CONTEXTS:
            raise ParameterError("context must be 'text', 'json' or 'html'")
        self._protector = protector
        self._made: Any = _restorer(protector._keys(), context)
        self.restored = self.refused = 0

    def feed(self, chunk: Text) -> Text:
        """Take a chunk of the text, and return what is certain by now.

        Parameters
        ----------
        chunk : str or bytes
            Of one type throughout. Bytes may be cut anywhere, also within a character.
        """
        made: Text = self._run(chunk, finish=False)
        return made

    @overload
    def finish(self) -> bytes: ...
    @overload
    def finish(self, chunk: Text) -> Text: ...

    def finish(self, chunk: str | bytes = b"") -> str | bytes:
        """Return the rest, as the text ends here. The next chunk begins another text.

        Its type is that of the argument: `bytes`, unless a last chunk of text is given.
        """
        made: str | bytes = self._run(chunk, finish=True)
        return made

    def _run(self, chunk: Any, *, finish: bool) -> Any:  # noqa: ANN401
        made, self._made = self._made, None
        if made is None:
            raise TallyError("the restorer failed before, so the rest of its text is lost")
        held = self._protector._keys()  # until this call ends
        as_text = isinstance(chunk, str)
        data = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else bytes(chunk)
        parts = [
            self._piece(made, data[at : at + _PIECE], finish=finish and at + _PIECE >= len(data))
            for at in range(0, len(data) or 1, _PIECE)
        ]
        restored: Any = b"".join(parts)
        if as_text:
            try:
                restored = restored.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                raise TallyError(
                    "a token's value is not text in UTF-8; give the restorer bytes"
                ) from None
        del held
        self._report(made)
        self._made = made
        return restored

    @staticmethod
    def _piece(made: Any, data: bytes, *, finish: bool) -> bytes:  # noqa: ANN401
        room, size = lib.tally_text_restore_capacity(made, len(data)), ffi.new("size_t *")
        out = memory(max(room, 1))
        try:
            status = lib.tally_text_restore(made, data, len(data), finish, out, room, size)
            check_status(status, "restore")
            return bytes(ffi.buffer(out, size[0]))
        finally:
            lib.tally_wipe(out, room)

    def _report(self, made: Any) -> None:  # noqa: ANN401
        """Count what was revealed, and call the hook; if that fails, nothing is returned."""
        before, self.restored = self.restored, lib.tally_text_restored(made)
        self.refused = lib.tally_text_refused(made)
        if self.restored > before:
            self._protector._log(self.restored - before)
