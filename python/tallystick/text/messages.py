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
        *("signature", "encrypted_content"),
    }
)
"""Members of messages, of their parts and of tools whose strings programs write, for programs."""
_SIGNED = frozenset({"thinking_blocks", "thinking", "signature", "encrypted_content", "logprobs"})
"""Members of answers that stay as they are: a signature covers them. Inputs of tools have none."""
_TEXT = frozenset(
    {
        *("text", "input_text", "output_text", "refusal", "message", "reasoning", "summary_text"),
        *("reasoning_text", "thinking", "redacted_thinking", "tool_use", "tool_result", "function"),
        *("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
    }
)
"""Types of parts of a message in which all is text."""
_CALLS = frozenset({"tool_use", "function_call", "custom_tool_call"})
"""Types of parts whose member `name` is a function's."""
_PLACES: dict[str, dict[str, str]] = {
    "request": {
        **dict.fromkeys(("messages", "input", "prompt", "system"), "part"),
        **dict.fromkeys(("tools", "functions", "tool_choice", "function_call"), "tool"),
        **dict.fromkeys(("response_format", "output_format", "text"), "tool"),
    },
    "part": {
        **dict.fromkeys(("content", "output", "summary", "thinking_blocks"), "part"),
        **dict.fromkeys(("tool_calls", "function_call", "audio", "cache_control"), "tool"),
    },
    "tool": dict.fromkeys(
        ("function", "custom", "format", "json_schema", "allowed_tools", "tools", "cache_control"),
        "tool",
    ),
}
"""What the protocols define: for a request, a message or part of one, and a tool, its call or a
format of answers, the members that hold such things. All else is any JSON."""
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
        There is such content, and `refuses` is true; or names of members that become equal.
    """

    def walk(value: Any, place: str, what: str) -> Any:  # noqa: ANN401
        if isinstance(value, str):
            if refuses and value[:5].lower() == "data:" and ";base64," in value[:256]:
                raise RefusedError(f"{place}: a data: URL {_UNPROTECTED}")
            return protect_text(protector, value)
        if isinstance(value, Mapping):
            kind = value.get("type")
            if what == "part" and isinstance(kind, str) and kind not in _TEXT:
                if refuses:
                    shown = protect_text(protector, kind)[:32]
                    raise RefusedError(f"{place}: content of the type {shown!r} {_UNPROTECTED}")
                return value
            is_call = what == "tool" or (isinstance(kind, str) and kind in _CALLS)
            named = {*_NAMES, "name"} if is_call else _NAMES
            members = {}
            for name, one in value.items():
                hidden = protect_text(protector, str(name))
                if what and name in named and isinstance(one, str):
                    members[hidden] = one
                else:
                    inside = _PLACES.get(what, {}).get(name, "")
                    members[hidden] = walk(one, f"{place}.{hidden}", inside)
            if len(members) < len(value):
                raise RefusedError(f"{place}: a member's token is another's name; rename one")
            return members
        if isinstance(value, list | tuple):
            if refuses and what == "part" and any(type(one) is int for one in value):
                raise RefusedError(
                    f"{place}: text as numbers of a model's vocabulary {_UNPROTECTED}"
                )
            return [walk(one, f"{place}[{i}]", what) for i, one in enumerate(value)]
        if value is None or isinstance(value, bool | int | float):
            made = str(value)
            changed = protector.protect(made) if type(value) in (int, float) else made
            return value if changed == made else changed
        raise RefusedError(f"{place}: a {type(value).__name__} {_UNPROTECTED}")

    return walk(value, place, _PLACES["request"].get(place, ""))


_UNPROTECTED = (
    "can't be protected; leave it out, or let the guardrail pass it with attachments: pass"
)


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


def _walk(
    value: Any,  # noqa: ANN401
    name: str,
    reveal: Callable[[str, str], str],
    signed: frozenset[str] = _SIGNED,
) -> Any:  # noqa: ANN401
    """Change strings and names of JSON, strings of models of pydantic, and of what these hold."""

    def inside(key: str, one: Any) -> Any:  # noqa: ANN401
        if key in signed or one is None:
            return one
        return _walk(one, key, reveal, frozenset() if key == "input" else signed)

    if isinstance(value, str):
        return reveal(name, value)
    if isinstance(value, dict):
        for key, one in value.items():
            value[key] = inside(key, one)
        names = [reveal("", key) if isinstance(key, str) else key for key in value]
        if names != list(value) and len(set(names)) == len(names):
            members = dict(zip(names, value.values(), strict=True))
            value.clear()
            value.update(members)
    elif isinstance(value, list):
        value[:] = [_walk(one, name, reveal, signed) for one in value]
    elif hasattr(type(value), "model_fields"):
        for key in (*vars(value), *(getattr(value, "__pydantic_extra__", None) or ())):
            one = getattr(value, key)
            made = inside(key, one)
            if made is not one:
                setattr(value, key, made)
    return value
