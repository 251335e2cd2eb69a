# SPDX-License-Identifier: Apache-2.0
"""Answers of language models that arrive in pieces, with values in the place of tokens.

The pieces are of OpenAI's chat completions, completions and responses, or of Anthropic's messages:
as models of pydantic, as JSON that was read, or as the bytes of server-sent events.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from tallystick.errors import TallyError

from .messages import reveal_json
from .protector import Context, Restorer, TextProtector

_TEXTS = ("content", "reasoning_content", "refusal")
"""Members of a chat's delta that are text."""
_EVENT_MAX = 1 << 24
"""Bytes of a server-sent event, at most."""
_PLACES_MAX = 256
"""Texts of an answer that are on their way at once, at most: each has a restorer."""
_ENDED = "the stream has ended: an earlier piece of it was refused"
_MARK = b"\xef\xbb\xbf"
_JSON: Context = "json"
_Key = tuple[Hashable, ...]
"""Which text of an answer it is; the choice, block or kind of event first."""
_DONE = b"[DONE]"
_END = re.compile(rb"\r?\n\r?\n")


@dataclass(slots=True)
class _Place:
    """A text on its way, and where its last part was."""

    restorer: Restorer
    piece: Any = None
    choice: Any = None
    holder: Any = None
    name: str = ""


class AnswerStream:
    """One answer on its way. Text of each place is restored by a restorer of its own.

    It knows chat completions, completions and responses as OpenAI's API streams them, and messages
    as Anthropic's does. What is in no text, such as names and numbers of events, stays as it is.

    Parameters
    ----------
    protector : TextProtector
        Reveals.
    context : {"text", "json", "html"}
        What the text is. Arguments of tools are JSON always.

    Examples
    --------
    ::

        stream = AnswerStream(text)
        for chunk in response.iter_bytes():
            for event in stream.feed(chunk):
                send(event)
        for event in stream.finish():
            send(event)
    """

    def __init__(self, protector: TextProtector, context: Context = "text") -> None:
        self._protector, self._context = protector, context
        self._places: dict[_Key, _Place] = {}
        self._added = 0  # events that the upstream did not number
        self._bytes = bytearray()
        self._begun = self._broken = False
        self._named: bool | None = None  # whether events have names; None: they are no bytes

    def feed(self, piece: Any) -> list[Any]:  # noqa: ANN401
        """Return what is certain by now.

        Parameters
        ----------
        piece : bytes, str, dict or pydantic.BaseModel
            The next part of the body, cut anywhere, of at most 16 MiB for each event; or one event,
            as JSON that was read or as a model. It is not changed.

        Returns
        -------
        list
            Whole events, as bytes if they came so; or pieces of the type of the given one.

        Raises
        ------
        TallyError
            It is no piece of an answer that is known, or an event is too large. Nothing of it is
            returned, and the stream has ended.
        """
        if self._broken:
            raise TallyError(_ENDED)
        self._broken = True
        try:
            if isinstance(piece, bytes | str):
                made = self._blocks(piece.encode() if isinstance(piece, str) else piece)
            else:
                made = self._read(copy.deepcopy(piece))
        except RecursionError:
            raise TallyError("a piece of the answer is nested too deeply") from None
        except UnicodeEncodeError:
            raise TallyError("a piece of the answer has half of a surrogate pair") from None
        self._broken = False
        return made

    def finish(self) -> list[Any]:
        """Return the rest of an answer that ended without saying so.

        Raises
        ------
        TallyError
            The last event is not complete.
        """
        if self._broken:
            raise TallyError(_ENDED)
        if self._bytes.strip():
            raise TallyError("the stream ended within an event")
        rest = self._close(None, list(self._places))
        return rest if self._named is None else [_block(piece, self._named) for piece in rest]

    def _read(self, piece: Any) -> list[Any]:  # noqa: ANN401
        kind = _get(piece, "type")
        if isinstance(_get(piece, "choices"), list):
            return self._chat(piece)
        if not isinstance(kind, str):
            if isinstance(piece, dict) and "error" in piece:
                return [piece]
            raise TallyError(
                f"{type(piece).__name__}: no piece of an answer of OpenAI's or Anthropic's"
            )
        kind = str(getattr(kind, "value", kind))
        return self._event(piece, kind) if "." in kind else self._message(piece, kind)

    def _feed(self, key: _Key, context: Context, piece: Any, *where: Any) -> None:  # noqa: ANN401
        """Restore the text of a place: choice, holder, and the name of its member."""
        place = self._places.get(key)
        if place is None:
            if len(self._places) == _PLACES_MAX:
                raise TallyError(f"an answer has more than {_PLACES_MAX} texts at once")
            place = self._places[key] = _Place(self._protector.restorer(context))
        place.piece, (place.choice, place.holder, place.name) = piece, where
        _set(place.holder, place.name, place.restorer.feed(str(_get(place.holder, place.name))))

    def _close(self, piece: Any, keys: list[_Key]) -> list[Any]:  # noqa: ANN401
        """End texts. What was held back goes into `piece`, or is returned in pieces before it."""
        made = []
        for key in keys:
            place = self._places.pop(key)
            rest = place.restorer.finish("")
            if not rest:
                continue
            if place.piece is piece and piece is not None:
                _set(place.holder, place.name, f"{_get(place.holder, place.name)}{rest}")
                continue
            last, choice, holder = copy.deepcopy((place.piece, place.choice, place.holder))
            if choice is not None:
                _bare(last, choice, holder)
            _set(holder, place.name, rest)
            if choice is None:
                self._number(last)
                self._added += 1
            made.append(last)
        return made

    def _chat(self, piece: Any) -> list[Any]:  # noqa: ANN401
        before = []
        for choice in _get(piece, "choices"):
            at = _id(choice, "index")
            delta = _get(choice, "delta")
            if isinstance(_get(choice, "text"), str):
                self._feed((at, "text"), self._context, piece, choice, choice, "text")
            for name in _TEXTS:
                if isinstance(_get(delta, name), str):
                    self._feed((at, name), self._context, piece, choice, delta, name)
            calls = _get(delta, "tool_calls") or []
            if not isinstance(calls, list):
                raise TallyError("the calls of tools are no list")
            held: list[tuple[Hashable, Any]] = [("old", _get(delta, "function_call"))]
            for position, call in enumerate(calls):
                number = _id(call, "index")
                place = position if number is None else number
                held += [((place, name), _get(call, name)) for name in ("function", "custom")]
            for where, one in held:
                for name, context in (("arguments", _JSON), ("input", self._context)):
                    if isinstance(_get(one, name), str):
                        self._feed((at, where, name), context, piece, choice, one, name)
            if _get(choice, "finish_reason"):
                before += self._close(piece, [key for key in self._places if key[0] == at])
        return [*before, piece]

    def _event(self, piece: Any, kind: str) -> list[Any]:  # noqa: ANN401
        """Restore an event of OpenAI's responses."""
        kind, _, step = kind.rpartition(".")
        ids = ("item_id", "output_index", "content_index", "summary_index")
        key = (kind, *(_id(piece, name) for name in ids))
        before = []
        context = _JSON if kind.endswith("arguments") else self._context
        is_text = isinstance(_get(piece, "delta"), str)
        if step == "delta" and context is _JSON and not is_text:
            raise TallyError("the arguments of a tool are no text")
        if step == "delta" and is_text:
            self._feed(key, context, piece, None, piece, "delta")
        else:
            if step == "done" and key in self._places:
                before = self._close(piece, [key])
            elif kind == "response" and step in ("completed", "incomplete", "failed"):
                before = self._close(piece, list(self._places))
            reveal_json(self._protector, piece, self._context)
        self._number(piece)
        return [*before, piece]

    def _number(self, piece: Any) -> None:  # noqa: ANN401
        number = _get(piece, "sequence_number")
        if self._added and isinstance(number, int):
            _set(piece, "sequence_number", number + self._added)

    def _message(self, piece: Any, kind: str) -> list[Any]:  # noqa: ANN401
        """Restore an event of Anthropic's messages."""
        at = _id(piece, "index")
        if kind == "content_block_delta":
            delta = _get(piece, "delta")
            for name, context in (("text", self._context), ("partial_json", _JSON)):
                if isinstance(_get(delta, name), str):
                    self._feed((at, name), context, piece, None, delta, name)
        if kind in ("content_block_stop", "message_stop"):
            ended = [key for key in self._places if kind == "message_stop" or key[0] == at]
            return [*self._close(piece, ended), piece]
        return [piece]

    def _blocks(self, data: bytes) -> list[bytes]:
        """Restore what is complete of server-sent events."""
        made, begin = list[bytes](), 0
        at = len(self._bytes) - 3  # before it no event ends
        self._bytes += data
        if not self._begun and len(self._bytes) >= len(_MARK):
            self._begun = True
            begin = len(_MARK) * self._bytes.startswith(_MARK)
        while found := _END.search(self._bytes, max(begin, at)):
            self._bound(found.end() - begin)
            made += self._block(bytes(self._bytes[begin : found.end()]))
            begin = found.end()
        del self._bytes[:begin]
        self._bound(len(self._bytes))
        return made

    def _bound(self, size: int) -> None:
        if size > _EVENT_MAX:
            raise TallyError(f"an event of the stream has more than {_EVENT_MAX} bytes")

    def _block(self, block: bytes) -> list[bytes]:
        """Restore an event. One that has no token is returned as it came."""
        lines = [line.strip() for line in block.splitlines()]
        data = b"\n".join(line[5:].strip() for line in lines if line.startswith(b"data:"))
        if not data:
            return [block]  # a comment, to keep the connection alive
        if data == _DONE:
            rest = self._close(None, list(self._places))
            return [*(_block(piece, bool(self._named)) for piece in rest), block]
        others = [line for line in lines if line and not line.startswith(b"data:")]
        self._named = any(line.startswith(b"event:") for line in others)
        try:
            event = json.loads(data)
        except ValueError:
            raise TallyError("an event of the stream is no JSON") from None
        came = copy.deepcopy(event)
        *before, event = self._read(event)
        if event != came:
            block = b"".join(line + b"\n" for line in others) + _block(event, named=False)
        return [*(_block(piece, self._named) for piece in before), block]


def _id(holder: Any, name: str) -> int | str | None:  # noqa: ANN401
    """Return what says which text of an answer it is."""
    found = _get(holder, name)
    if found is None or isinstance(found, int | str):
        return found
    raise TallyError(f"the {name} of a piece of the answer is no number and no name")


def _get(holder: Any, name: str) -> Any:  # noqa: ANN401
    """Return a member of JSON or of a model; None: it has none."""
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)


def _set(holder: Any, name: str, value: Any) -> None:  # noqa: ANN401
    if isinstance(holder, dict):
        holder[name] = value
    else:
        setattr(holder, name, value)


def _block(piece: dict[str, Any], named: bool) -> bytes:
    kind = piece.get("type")
    name = f"event: {kind}\n" if named and isinstance(kind, str) and kind.isprintable() else ""
    try:
        return f"{name}data: {json.dumps(piece, allow_nan=False)}\n\n".encode()
    except ValueError:
        raise TallyError("an event of the stream has a number that is too large") from None


def _bare(piece: Any, choice: Any, holder: Any) -> None:  # noqa: ANN401
    """Leave of a piece of a chat what says where a text is."""
    _set(piece, "choices", [choice])
    _set(choice, "finish_reason", None)
    if _get(piece, "usage") is not None:
        _set(piece, "usage", None)
    delta = _get(choice, "delta")
    if delta is None:
        return
    for name in (*_TEXTS, "thinking_blocks"):
        if _get(delta, name) is not None:
            _set(delta, name, None)
    calls = _get(delta, "tool_calls")
    if calls:
        held = [
            call
            for call in calls
            if any(_get(call, name) is holder for name in ("function", "custom"))
        ]
        _set(delta, "tool_calls", held or None)
    call = _get(delta, "function_call")
    if call is not None and call is not holder:
        _set(delta, "function_call", None)
