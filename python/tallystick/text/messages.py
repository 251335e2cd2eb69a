# SPDX-License-Identifier: Apache-2.0
"""Requests to language models and their answers: the strings in them, protected and revealed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tallystick.errors import TallyError

from .protector import Context, TextProtector

_NAMES = frozenset(
    {
        *("type", "role", "id", "tool_call_id", "call_id", "tool_use_id", "item_id"),
        *("previous_response_id", "signature", "encrypted_content", "media_type", "cache_control"),
    }
)
"""Members that are written by programs alone, and must stay as they are."""
_SIGNED = frozenset({"thinking_blocks", "thinking", "signature", "encrypted_content", "logprobs"})
"""Members of answers that stay as they are: their signature covers them."""
_TEXT = frozenset(
    {
        *("text", "input_text", "output_text", "refusal", "message", "reasoning", "summary_text"),
        *("reasoning_text", "thinking", "redacted_thinking", "tool_use", "tool_result", "function"),
        *("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
    }
)
"""Types of parts of a message in which all is text."""
_PARTS = frozenset({"messages", "input", "prompt", "system", "content", "output", "summary"})
"""Members that hold parts of messages."""
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*')
"""Strings and numbers in valid JSON."""


class RefusedError(TallyError):
    """A request has content that can't be protected."""


def protect_text(protector: TextProtector, text: str) -> str:
    """Return a text with tokens. If it is JSON, each string and number of it is looked at too."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            text = _LITERAL.sub(lambda found: _literal(protector, found[0]), text)
    return protector.protect(text)


def _literal(protector: TextProtector, literal: str) -> str:
    given = json.loads(literal) if literal[0] == '"' else literal
    made = protect_text(protector, given)
    return literal if made == given else json.dumps(made, ensure_ascii=False)


def protect_json(
    protector: TextProtector,
    value: Any,  # noqa: ANN401
    place: str,
    *,
    refuses: bool,
) -> Any:  # noqa: ANN401
    """Return a member of a request with tokens.

    Parameters
    ----------
    protector : TextProtector
        Finds and protects.
    value : Any
        JSON.
    place : str
        The member's name; messages have it.
    refuses : bool
        Whether content that is no text is refused.

    Raises
    ------
    RefusedError
        There is such content, and `refuses` is true.
    """

    def walk(value: Any, place: str, *, parts: bool) -> Any:  # noqa: ANN401
        if isinstance(value, str):
            if refuses and value[:5].lower() == "data:" and ";base64," in value[:256]:
                raise RefusedError(f"{place}: a data: URL {_UNPROTECTED}")
            return protect_text(protector, value)
        if isinstance(value, Mapping):
            kind = value.get("type")
            if parts and isinstance(kind, str) and kind not in _TEXT:
                if refuses:
                    raise RefusedError(f"{place}: content of the type {kind[:32]!r} {_UNPROTECTED}")
                return value
            named = _NAMES if "role" in value or "name" not in value else _NAMES | {"name"}
            return {
                name: one
                if name in named
                else walk(one, f"{place}.{name}", parts=parts and name in _PARTS and _parts(value))
                for name, one in value.items()
            }
        if isinstance(value, list | tuple):
            if refuses and parts and any(type(one) is int for one in value):
                raise RefusedError(
                    f"{place}: text as numbers of a model's vocabulary {_UNPROTECTED}"
                )
            return [walk(one, f"{place}[{i}]", parts=parts) for i, one in enumerate(value)]
        if value is None or isinstance(value, bool | int | float):
            made = str(value)
            changed = protector.protect(made) if type(value) in (int, float) else made
            return value if changed == made else changed
        raise RefusedError(f"{place}: a {type(value).__name__} {_UNPROTECTED}")

    return walk(value, place, parts=place in _PARTS)


_UNPROTECTED = (
    "can't be protected; leave it out, or let the guardrail pass it with attachments: pass"
)


def _parts(value: Mapping[str, Any]) -> bool:
    """Return whether members of a part are parts: the input of a tool is any JSON."""
    return value.get("type") != "tool_use"


def reveal_json(
    protector: TextProtector,
    value: Any,  # noqa: ANN401
    context: Context,
) -> Any:  # noqa: ANN401
    """Put values into an answer, in place, and return it.

    Arguments of tools are JSON in a string, so values are escaped for it; other text is of the
    context given.
    """
    restorers = {name: protector.restorer(name) for name in {"json", context}}

    def reveal(name: str, text: str) -> str:
        chosen: Context = "json" if name in ("arguments", "partial_json") else context
        return restorers[chosen].finish(text)

    return _walk(value, "", reveal)


def _walk(value: Any, name: str, reveal: Callable[[str, str], str]) -> Any:  # noqa: ANN401
    """Change all strings of JSON, of models of pydantic, and of what these hold."""
    if isinstance(value, str):
        return reveal(name, value)
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in _SIGNED:
                value[key] = _walk(one, key, reveal)
    elif isinstance(value, list):
        value[:] = [_walk(one, name, reveal) for one in value]
    elif hasattr(type(value), "model_fields"):
        for key in (*vars(value), *(getattr(value, "__pydantic_extra__", None) or ())):
            one = getattr(value, key)
            if key not in _SIGNED and one is not None:
                made = _walk(one, key, reveal)
                if made is not one:
                    setattr(value, key, made)
    return value
