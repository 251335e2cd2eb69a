# SPDX-License-Identifier: Apache-2.0
"""Answers of language models that arrive in pieces, with values in the place of tokens.

The pieces are of OpenAI's chat completions, completions and responses, as models of pydantic; or
server-sent events of Anthropic's messages, as bytes.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from tallystick.errors import TallyError

from .messages import reveal_json
from .protector import Context, Restorer, TextProtector

_TEXTS = ("content", "reasoning_content", "refusal")
"""Members of a chat's delta that are text."""
_EVENT_MAX = 1 << 24
"""Bytes of a server-sent event, at most."""
_END = re.compile(rb"\r?\n\r?\n")


@dataclass(slots=True)
class _Place:
    """A text on its way, and where its last part was."""

    restorer: Restorer
    piece: Any = None
    choice: Any = None
    holder: Any = None
    name: str = ""


class Stream:
    """One answer on its way. Text of each place is restored by a restorer of its own.

    Parameters
    ----------
    protector : TextProtector
        Reveals.
    context : {"text", "json", "html"}
        What the text is. Arguments of tools are JSON always.
    """

    def __init__(self, protector: TextProtector, context: Context = "text") -> None:
        self._protector, self._context = protector, context
        self._places: dict[Hashable, _Place] = {}
        self._added = 0  # events that the upstream did not number
        self._bytes = b""

    def feed(self, piece: Any) -> list[Any]:  # noqa: ANN401
        """Return what is certain by now, in pieces of the same type.

        Raises `TallyError`: it is no piece of an answer that is known.
        """
        if isinstance(piece, bytes | str):
            return list(self._blocks(piece.encode() if isinstance(piece, str) else piece))
        made = copy.deepcopy(piece)
        if isinstance(getattr(made, "choices", None), list):
            return self._chat(made)
        if isinstance(getattr(made, "type", None), str):
            return self._event(made)
        raise TallyError(f"pieces of the type {type(piece).__name__} are not known")

    def finish(self) -> list[Any]:
        """Return the rest of an answer that ended without saying so.

        Raises `TallyError`: the last event is not complete.
        """
        if self._bytes.strip():
            raise TallyError("the stream ended within an event")
        return self._close(None, list(self._places))

    def _feed(self, key: Hashable, context: Context, piece: Any, *where: Any) -> None:  # noqa: ANN401
        """Restore the text of a place: choice, holder, and the name of its member."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _Place(self._protector.restorer(context))
        place.piece, (place.choice, place.holder, place.name) = piece, where
        _set(place.holder, place.name, place.restorer.feed(_get(place.holder, place.name)))

    def _close(self, piece: Any, keys: list[Hashable]) -> list[Any]:  # noqa: ANN401
        """End texts. What was held back goes into `piece`, or is returned in pieces before it."""
        made = []
        for key in keys:
            place = self._places.pop(key)
            rest = place.restorer.finish("")
            if not rest:
                continue
            if place.piece is piece and piece is not None:
                _set(place.holder, place.name, _get(place.holder, place.name) + rest)
                continue
            last, choice, holder = copy.deepcopy((place.piece, place.choice, place.holder))
            if choice is not None:
                _bare(last, choice, holder)
            _set(holder, place.name, rest)
            if isinstance(last, dict):
                last = _block(last)
            elif choice is None:
                self._number(last)
                self._added += 1
            made.append(last)
        return made

    def _chat(self, piece: Any) -> list[Any]:  # noqa: ANN401
        before = []
        for choice in piece.choices:
            at = choice.index
            delta = getattr(choice, "delta", None)
            if isinstance(getattr(choice, "text", None), str):
                self._feed((at, "text"), self._context, piece, choice, choice, "text")
            for name in _TEXTS:
                if isinstance(getattr(delta, name, None), str):
                    self._feed((at, name), self._context, piece, choice, delta, name)
            held = [("old", getattr(delta, "function_call", None))]
            for call in getattr(delta, "tool_calls", None) or []:
                held += [(call.index, getattr(call, name, None)) for name in ("function", "custom")]
            for number, one in held:
                if isinstance(getattr(one, "arguments", None), str):
                    self._feed((at, number), "json", piece, choice, one, "arguments")
                if isinstance(getattr(one, "input", None), str):
                    self._feed((at, number, "input"), self._context, piece, choice, one, "input")
            if choice.finish_reason:
                before += self._close(piece, [key for key in self._places if _first(key) == at])
        return [*before, piece]

    def _event(self, piece: Any) -> list[Any]:  # noqa: ANN401
        """Restore an event of OpenAI's responses."""
        kind, _, step = str(getattr(piece.type, "value", piece.type)).rpartition(".")
        ids = ("item_id", "output_index", "content_index", "summary_index")
        key = (kind, *(getattr(piece, name, None) for name in ids))
        before = []
        if step == "delta" and isinstance(getattr(piece, "delta", None), str):
            context: Context = "json" if kind.endswith("arguments") else self._context
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
        if self._added and isinstance(getattr(piece, "sequence_number", None), int):
            piece.sequence_number += self._added

    def _blocks(self, data: bytes) -> Iterator[bytes]:
        """Restore what is complete of server-sent events."""
        at = max(0, len(self._bytes) - 3)
        self._bytes += data
        while found := _END.search(self._bytes, at):
            block, self._bytes, at = self._bytes[: found.end()], self._bytes[found.end() :], 0
            yield from self._message(block)
        if len(self._bytes) > _EVENT_MAX:
            raise TallyError(f"an event of the stream has more than {_EVENT_MAX} bytes")

    def _message(self, block: bytes) -> list[bytes]:
        """Restore an event of Anthropic's messages. Raises `TallyError`: it is none."""
        lines = [line.strip() for line in block.splitlines()]
        data = b"".join(line[5:] for line in lines if line.startswith(b"data:")).strip()
        if not data:
            return [block]  # a comment, to keep the connection alive
        try:
            event = json.loads(data)
            kind, at = event["type"], event.get("index")
        except (ValueError, RecursionError, TypeError, KeyError):
            raise TallyError("an event of the stream is none of Anthropic's messages") from None
        if kind == "content_block_delta":
            delta = event.get("delta") or {}
            for name, context in (("text", self._context), ("partial_json", "json")):
                if isinstance(delta.get(name), str):
                    self._feed((at, name), context, event, None, delta, name)
                    return [_block(event)]
        if kind in ("content_block_stop", "message_stop"):
            ended = [key for key in self._places if kind == "message_stop" or _first(key) == at]
            return [*self._close(event, ended), block]
        return [block]


def _first(key: Hashable) -> Any:  # noqa: ANN401
    return key[0] if isinstance(key, tuple) else key


def _get(holder: Any, name: str) -> str:  # noqa: ANN401
    return str(holder[name] if isinstance(holder, dict) else getattr(holder, name))


def _set(holder: Any, name: str, text: str) -> None:  # noqa: ANN401
    if isinstance(holder, dict):
        holder[name] = text
    else:
        setattr(holder, name, text)


def _block(event: dict[str, Any]) -> bytes:
    data = json.dumps(event, ensure_ascii=False)
    return f"event: {event['type']}\ndata: {data}\n\n".encode()


def _bare(piece: Any, choice: Any, holder: Any) -> None:  # noqa: ANN401
    """Leave of a piece of a chat what says where a text is."""
    piece.choices, choice.finish_reason = [choice], None
    if getattr(piece, "usage", None) is not None:
        piece.usage = None
    delta = getattr(choice, "delta", None)
    if delta is None:
        return
    for name in (*_TEXTS, "thinking_blocks"):
        if getattr(delta, name, None) is not None:
            setattr(delta, name, None)
    if getattr(delta, "tool_calls", None):
        delta.tool_calls = [
            call
            for call in delta.tool_calls
            if holder in (getattr(call, "function", None), getattr(call, "custom", None))
        ] or None
    if getattr(delta, "function_call", None) is not holder:
        delta.function_call = None
