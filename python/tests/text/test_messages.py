# SPDX-License-Identifier: Apache-2.0
"""Requests to language models: what of their JSON is protected, and what stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tallystick.text.messages import RefusedError, protect_json, reveal_json
from text_support import Make

NAME, MAIL, CARD = "Jane Doe", "jane@example.org", "4111 1111 1111 1111"
FREE: dict[str, Any] = {
    **{"name": NAME, "id": MAIL, "type": CARD, "role": [NAME], "signature": {"id": NAME}},
    **{MAIL: 1, "cache_control": {"type": NAME}, "call_id": 4111111111111111},
}
"""JSON of any form, whose members are named like those of messages."""


def message(*parts: dict[str, Any], **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [{"role": "assistant", "content": list(parts), **more}]


def function(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"type": "function", "function": {"name": "jane", **more}}


@pytest.mark.parametrize(
    ("place", "given"),
    [
        ("metadata", FREE),
        ("user_data", [FREE]),
        ("messages", message({"type": "tool_use", "id": "jane", "name": "jane", "input": FREE})),
        ("messages", message({"type": "text", "text": "x", "more": FREE})),
        ("messages", message(input=FREE, name=NAME)),
        ("messages", message(tool_calls=[{"id": "jane", **function(arguments=FREE)}])),
        ("messages", message(type=[NAME], id={"a": NAME}, tool_call_id=4111111111111111)),
        ("messages", message({"type": "text", "text": "x", "cache_control": {"ttl": NAME}})),
        ("messages", message({"type": "text", "text": "x", "name": NAME})),
        ("tools", [function(parameters={"properties": {"name": {"enum": [NAME]}, **FREE}})]),
        ("tools", [{"name": "jane", "input_schema": {"required": [MAIL], "default": FREE}}]),
        ("response_format", {"type": "json_schema", "json_schema": {"name": "a", "schema": FREE}}),
        ("prompt", {"id": "jane", "variables": FREE}),
    ],
)
def test_nothing_of_free_json_stays(place: str, given: Any, make: Make) -> None:  # noqa: ANN401
    text = make()
    made = protect_json(text, given, place, refuses=True)
    shown = json.dumps(made)
    assert not [value for value in (NAME, MAIL, CARD, CARD.replace(" ", "")) if value in shown]
    numbers = json.dumps(reveal_json(text, {"input": made}, "text")).replace(
        '"4111111111111111"', "4111111111111111"
    )
    assert json.loads(numbers)["input"] == given


@pytest.mark.parametrize(
    ("place", "given"),
    [
        ("messages", message({"type": "tool_use", "id": "jane", "name": "jane", "input": {}})),
        ("messages", message(id="jane", tool_calls=[{"id": "jane", **function(arguments="{}")}])),
        ("messages", [{"role": "jane", "tool_call_id": "jane", "content": "x"}]),
        ("messages", message({"type": "thinking", "thinking": "x", "signature": "jane"})),
        ("messages", message({"type": "text", "text": "x", "cache_control": {"type": "jane"}})),
        ("messages", message(function_call={"name": "jane", "arguments": "{}"})),
        ("input", [{"type": "function_call", "name": "jane", "call_id": "jane", "id": "jane"}]),
        ("input", [{"type": "reasoning", "id": "jane", "encrypted_content": "jane"}]),
        ("tools", [function(), {"type": "jane", "name": "jane"}]),
        ("tools", [{"type": "custom", "custom": {"name": "jane", "format": {"type": "jane"}}}]),
        ("tool_choice", function()),
        ("tool_choice", {"type": "allowed_tools", "tools": [{"type": "jane", "name": "jane"}]}),
        ("function_call", {"name": "jane"}),
        ("logit_bias", {"50256": -100}),
        ("text", {"format": {"type": "json_schema", "name": "jane", "schema": {}}}),
    ],
)
def test_what_the_protocol_names_stays(place: str, given: Any, make: Make) -> None:  # noqa: ANN401
    assert protect_json(make(), given, place, refuses=True) == given


def test_names_of_members_have_the_tokens_of_their_values(make: Make) -> None:
    text = make()
    schema = {"properties": {MAIL: {"type": "string"}}, "required": [MAIL]}
    (made,) = protect_json(text, [function(parameters=schema)], "tools", refuses=True)
    (name,) = made["function"]["parameters"]["properties"]
    assert made["function"]["parameters"]["required"] == [name]
    assert text.reveal(name) == MAIL


def test_refused_without_the_value(make: Make) -> None:
    text = make()
    for place, given in (
        ("metadata", {MAIL: 1, text.token(MAIL, "email"): 2}),
        ("metadata", {MAIL: "data:image/png;base64,AAAA"}),
        ("messages", message({"type": MAIL})),
    ):
        with pytest.raises(RefusedError) as caught:
            protect_json(text, given, place, refuses=True)
        assert MAIL not in str(caught.value)


def test_names_of_an_answer_that_would_become_equal_stay(make: Make) -> None:
    text = make()
    token = text.token(MAIL, "email")
    assert reveal_json(text, {token: token, MAIL: 1}, "text") == {token: MAIL, MAIL: 1}
