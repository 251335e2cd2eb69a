# SPDX-License-Identifier: Apache-2.0
"""The guardrail in LiteLLM's proxy: what models, users and logs get, and what fails."""

from __future__ import annotations

import asyncio
import json
import random
import time
import urllib.error
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from fastapi import HTTPException
from litellm.caching.caching import DualCache
from litellm.proxy._types import UserAPIKeyAuth

from guardrail_support import Proxy
from tallystick.text import TextProtector
from tallystick.text.litellm import Guardrail

NAME = 'Zoë "Z" Grant'
MAIL = "zoe.grant@example.com"
CARD = "4111 1111 1111 1111"
VALUES = (NAME, MAIL, CARD, CARD.replace(" ", ""), json.dumps(NAME)[1:-1])
CHAT = "/v1/chat/completions"


def chat(message: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an answer of chat completions."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "any"}
    return {**head, "choices": [choice], "usage": usage, **more}


def cut(text: str, seed: int = 1) -> list[str]:
    """Cut a text awkwardly: mostly one to three characters, sometimes none."""
    draw, at, made = random.Random(seed), 0, []  # noqa: S311
    while at < len(text):
        size = draw.choice((0, 1, 1, 2, 3, 7))
        made.append(text[at : at + size])
        at += size
    return made


def events(deltas: list[Any], end: str | None = "stop") -> Iterator[bytes]:
    """Yield a stream of chat completions, whose bytes are cut without regard to events."""
    made: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    if end:
        made.append({"choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
        made.append(
            {
                "choices": [],
                "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
            }
        )
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "any"}
    text = "".join(f"data: {json.dumps({**head, **one})}\n\n" for one in made)
    whole = (text + ("data: [DONE]\n\n" if end else "")).encode()
    for at in range(0, len(whole), 97):
        yield whole[at : at + 97]


def pieces(answer: str) -> list[dict[str, Any]]:
    """Return the events of a stream, and check that it says its end."""
    lines = [line[6:] for line in answer.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def said(answer: str, name: str = "content") -> str:
    """Return a streamed text."""
    deltas = [one["choices"][0]["delta"] for one in pieces(answer) if one.get("choices")]
    return "".join(delta.get(name) or "" for delta in deltas)


def clear(given: Any) -> list[str]:  # noqa: ANN401
    """Return which values are in what a model or a log got."""
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return [value for value in VALUES if value in text]


def echo(request: dict[str, Any]) -> str:
    """Return the last message of a request."""
    return str(request["messages"][-1]["content"])


def user(content: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"messages": [{"role": "user", "content": content}], **more}


def test_there_and_back(proxy: Proxy, texts: TextProtector) -> None:
    asked = f"Write to {NAME} <{MAIL}>, card {CARD}."
    proxy.model.answer = lambda request: chat({"content": f"**{echo(request).upper()}**"})
    got = proxy.ask(CHAT, user(asked, user="u@example.com", metadata={"about": NAME}))
    (request,) = proxy.model.requests
    assert request["messages"][0]["content"] == texts.protect(asked)
    assert not clear(request) and "u@example.com" not in str(request)
    content = got["choices"][0]["message"]["content"]
    assert content == f"**WRITE TO {NAME} <{MAIL}>, CARD {CARD}.**"
    assert got["usage"]["total_tokens"] == 2


def test_every_place_of_a_request(proxy: Proxy, texts: TextProtector) -> None:
    arguments = json.dumps({"to": [NAME, {MAIL: 4111111111111111}], "n": 1.50})
    proxy.model.answer = lambda request: chat({"content": "yes"})
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "send", "arguments": arguments},
    }
    messages = [
        {"role": "system", "content": f"You work for {NAME}."},
        {"role": "user", "content": [{"type": "text", "text": MAIL}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({"sent": NAME})},
    ]
    tool: dict[str, Any] = {
        "type": "function",
        "function": {
            "name": "send",
            "description": f"Sends for {NAME}",
            "parameters": {"type": "object", "properties": {"to": {"type": "array", "items": {}}}},
        },
    }
    proxy.ask(CHAT, {"messages": messages, "tools": [tool], "stop": [MAIL]})
    (request,) = proxy.model.requests
    assert not clear(request)
    sent = request["messages"][2]["tool_calls"][0]
    assert sent["id"] == "call_1"
    assert sent["function"]["name"] == "send"
    made = json.loads(sent["function"]["arguments"])
    assert texts.reveal(made["to"][0]) == NAME
    ((mail, card),) = made["to"][1].items()
    assert (texts.reveal(mail), texts.reveal(card)) == (MAIL, "4111111111111111")
    assert '"n": 1.5' in sent["function"]["arguments"]
    assert texts.reveal(json.loads(request["messages"][3]["content"])["sent"]) == NAME
    assert request["tools"][0]["function"]["parameters"] == tool["function"]["parameters"]


def test_a_conversation_is_protected_once(proxy: Proxy, texts: TextProtector) -> None:
    """Tokens that are in a request already stay, also beside words that are names of kinds."""
    proxy.model.answer = lambda request: chat({"content": "yes"})
    asked = texts.protect(f"card of {NAME}: {CARD}, token {MAIL}")
    proxy.ask(CHAT, user(asked))
    assert proxy.model.requests[0]["messages"][0]["content"] == asked


def test_arguments_of_tools(proxy: Proxy, texts: TextProtector) -> None:
    token = texts.token(NAME, "name")
    for arguments in (json.dumps({"to": token}), json.dumps({"to": token}, ensure_ascii=False)):
        call = {
            "id": "call_1",
            "type": "function",
            "function": {"name": "send", "arguments": arguments},
        }
        answer = chat({"content": None, "tool_calls": [call]})
        proxy.model.answer = partial(lambda answer, _: answer, answer)
        (made,) = proxy.ask(CHAT, user("send"))["choices"][0]["message"]["tool_calls"]
        assert json.loads(made["function"]["arguments"]) == {"to": NAME}


def test_a_stream(proxy: Proxy, texts: TextProtector) -> None:
    text = f"Dear {texts.token(NAME, 'name')}, tly- or ⟦ are no tokens. " * 3
    text += texts.token(MAIL, "email")
    for seed in range(4):
        deltas = [
            {"role": "assistant", "content": ""},
            *({"content": one} for one in cut(text, seed)),
        ]
        proxy.model.answer = partial(lambda deltas, _: events(deltas), deltas)
        asked = user("write", stream=True, stream_options={"include_usage": True})
        got = proxy.ask(CHAT, asked)
        assert said(got) == f"Dear {NAME}, tly- or ⟦ are no tokens. " * 3 + MAIL
        assert got.rstrip().endswith("data: [DONE]")
        made = pieces(got)
        assert made[-1]["usage"]["total_tokens"] == 12
        ends = [one["choices"][0].get("finish_reason") for one in made if one["choices"]]
        assert ends[-1] == "stop" and not any(ends[:-1])


def test_a_stream_of_json(proxy: Proxy, texts: TextProtector) -> None:
    text = json.dumps({"to": texts.token(NAME, "name")})
    proxy.model.answer = lambda _: events([{"content": one} for one in cut(text)])
    got = proxy.ask(CHAT, user("x", stream=True, response_format={"type": "json_object"}))
    assert json.loads(said(got)) == {"to": NAME}


def test_a_stream_of_calls_of_tools(proxy: Proxy, texts: TextProtector) -> None:
    wanted = [{"to": NAME}, {"card": CARD, "again": NAME}]
    arguments = [
        json.dumps({"to": texts.token(NAME, "name")}),
        json.dumps({"card": texts.token(CARD, "card"), "again": texts.token(NAME, "name")}),
    ]
    deltas: list[Any] = [{"role": "assistant", "content": None}]
    for at in range(2):
        head = {"index": at, "id": f"call_{at}", "type": "function"}
        deltas.append({"tool_calls": [{**head, "function": {"name": "send", "arguments": ""}}]})
    parts = [cut(one) for one in arguments]
    for at in range(max(map(len, parts))):  # both at once
        deltas += [
            {"tool_calls": [{"index": one, "function": {"arguments": parts[one][at]}}]}
            for one in range(2)
            if at < len(parts[one])
        ]
    proxy.model.answer = lambda _: events(deltas, "tool_calls")
    got = pieces(proxy.ask(CHAT, user("x", stream=True)))
    made = ["", ""]
    for one in got:
        for call in (one["choices"][0]["delta"].get("tool_calls") or []) if one["choices"] else []:
            made[call["index"]] += call["function"].get("arguments") or ""
    assert [json.loads(one) for one in made] == wanted


def test_values_come_as_early_as_they_can(proxy: Proxy, texts: TextProtector) -> None:
    token = texts.token(MAIL, "email")
    parts = ["To ", token, " now", " and", " then"]
    proxy.model.answer = lambda _: events([{"content": one} for one in parts])
    got = [
        one["choices"][0]["delta"].get("content")
        for one in pieces(proxy.ask(CHAT, user("x", stream=True)))
        if one["choices"]
    ]
    at = next(i for i, one in enumerate(got) if one and MAIL in one)
    assert "".join(one or "" for one in got[: at + 1]).startswith(f"To {MAIL}")
    assert " then" in "".join(one or "" for one in got[at + 1 :])


def test_a_stream_that_breaks(proxy: Proxy, texts: TextProtector) -> None:
    """What was sent before stays; then comes an error, and nothing of a token that was cut."""
    token = texts.token(NAME, "name")
    start = list(events([{"content": "Dear "}, {"content": token[:-9]}], None))
    proxy.model.answer = lambda _: [*start, None]
    got = proxy.ask(CHAT, user("x", stream=True))
    assert NAME not in got and token[12:-9] not in got
    assert "error" in got


def test_the_other_calls(proxy: Proxy, texts: TextProtector) -> None:
    token = texts.token(NAME, "name")
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    done = {"id": "c", "object": "text_completion", "created": 1, "model": "any", "usage": usage}
    proxy.model.answer = lambda request: {
        **done,
        "choices": [{"index": 0, "text": request["prompt"], "finish_reason": "stop"}],
    }
    got = proxy.ask("/v1/completions", {"model": "text", "prompt": f"Dear {NAME}"})
    assert got["choices"][0]["text"] == f"Dear {NAME}"
    assert not clear(proxy.model.requests)
    proxy.model.answer = lambda request: {
        "object": "list",
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}],
        "model": "any",
        "usage": usage,
    }
    proxy.ask("/v1/embeddings", {"input": [f"Dear {NAME}"]})
    assert proxy.model.requests[-1]["input"] == [f"Dear {token}"]


def sse(made: list[dict[str, Any]], size: int) -> Iterator[bytes]:
    """Yield events with their types, cut without regard to them."""
    whole = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in made).encode()
    for at in range(0, len(whole), size):
        yield whole[at : at + size]


def test_a_stream_of_completions(proxy: Proxy, texts: TextProtector) -> None:
    head = {"id": "c", "object": "text_completion", "created": 1, "model": "any"}
    parts = [*cut(f"Dear {texts.token(NAME, 'name')}"), "."]
    made = [
        {"choices": [{"index": 0, "text": one, "finish_reason": None}]} for one in parts[:-1]
    ] + [{"choices": [{"index": 0, "text": parts[-1], "finish_reason": "stop"}]}]
    proxy.model.answer = lambda _: (
        [f"data: {json.dumps({**head, **one})}\n\n".encode() for one in made]
        + [b"data: [DONE]\n\n"]
    )
    asked = {"model": "text", "prompt": f"To {NAME}", "stream": True}
    got = pieces(proxy.ask("/v1/completions", asked))
    said_text = "".join(one["choices"][0].get("text") or "" for one in got if one["choices"])
    assert said_text == f"Dear {NAME}."
    assert not clear(proxy.model.requests)


def test_the_older_calls_of_functions(proxy: Proxy, texts: TextProtector) -> None:
    arguments = json.dumps({"to": texts.token(NAME, "name")})
    call = {"name": "send", "arguments": arguments}
    asked: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": None, "function_call": {**call, "arguments": NAME}},
            {"role": "function", "name": "send", "content": MAIL},
        ],
        "functions": [{"name": "send", "description": f"For {NAME}", "parameters": {}}],
    }
    proxy.model.answer = lambda _: chat({"content": None, "function_call": call})
    message = proxy.ask(CHAT, asked)["choices"][0]["message"]
    assert json.loads(message["function_call"]["arguments"]) == {"to": NAME}
    deltas = [
        {"role": "assistant", "content": None, "function_call": {"name": "send", "arguments": ""}},
        *({"function_call": {"arguments": one}} for one in cut(arguments)),
    ]
    proxy.model.answer = lambda _: events(deltas, "function_call")
    got = pieces(proxy.ask(CHAT, {**asked, "stream": True}))
    calls = [one["choices"][0]["delta"].get("function_call") for one in got if one["choices"]]
    assert json.loads("".join(one.get("arguments") or "" for one in calls if one)) == {"to": NAME}
    assert not clear(proxy.model.requests)


def response(output: list[dict[str, Any]], status: str = "completed") -> dict[str, Any]:
    """Return an answer of OpenAI's responses."""
    return {
        **{"id": "resp_1", "object": "response", "created_at": 1, "model": "any"},
        **{"status": status, "error": None, "incomplete_details": None, "instructions": None},
        **{"output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }


def test_responses(proxy: Proxy, texts: TextProtector) -> None:
    token, mail = texts.token(NAME, "name"), texts.token(MAIL, "email")
    arguments = json.dumps({"to": token})
    text = f"Dear {token}"
    part = {"type": "output_text", "text": text, "annotations": []}
    said_item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    call_item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "send"}
    free_item = {"type": "custom_tool_call", "id": "u1", "call_id": "c2", "name": "sql"}
    output: list[dict[str, Any]] = [
        {**said_item, "content": [part]},
        {**call_item, "arguments": arguments, "status": "completed"},
        {**free_item, "input": f"select '{mail}'"},
    ]
    asked: dict[str, Any] = {
        "instructions": f"You work for {NAME}.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": f"Ask {NAME}"}]},
            {**call_item, "arguments": json.dumps({"to": NAME})},
            {"type": "function_call_output", "call_id": "c1", "output": MAIL},
            {**free_item, "input": f"select '{MAIL}'"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": CARD},
        ],
        "tools": [{"type": "custom", "name": "sql", "description": f"For {NAME}"}],
    }
    proxy.model.answer = lambda _: response(output)
    got = proxy.ask("/v1/responses", asked)
    (sent,) = proxy.model.requests
    assert not clear(sent)
    assert sent["input"][0]["content"][0]["text"] == f"Ask {token}"
    assert [one["type"] for one in got["output"]] == [one["type"] for one in output]
    assert got["output"][0]["content"][0]["text"] == f"Dear {NAME}"
    assert json.loads(got["output"][1]["arguments"]) == {"to": NAME}
    assert got["output"][2]["input"] == f"select '{MAIL}'"

    text_at = {"item_id": "m1", "output_index": 0, "content_index": 0}
    call_at = {"item_id": "f1", "output_index": 1}
    made: list[dict[str, Any]] = [
        {"type": "response.created", "response": response([], "in_progress")},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": said_item | {"content": []},
        },
        *(
            {"type": "response.output_text.delta", **text_at, "delta": one, "logprobs": []}
            for one in cut(text)
        ),
        {"type": "response.output_text.done", **text_at, "text": text, "logprobs": []},
        {"type": "response.output_item.done", "output_index": 0, "item": output[0]},
        *(
            {"type": "response.function_call_arguments.delta", **call_at, "delta": one}
            for one in cut(arguments)
        ),
        {
            "type": "response.function_call_arguments.done",
            **call_at,
            **{"name": "send", "arguments": arguments},
        },
        {"type": "response.output_item.done", "output_index": 1, "item": output[1]},
        {"type": "response.completed", "response": response(output[:2])},
    ]
    for number, one in enumerate(made):
        one["sequence_number"] = number
    proxy.model.answer = lambda _: sse(made, 83)
    back = pieces(proxy.ask("/v1/responses", {**asked, "stream": True}))

    def joined(kind: str) -> str:
        return "".join(one["delta"] for one in back if one["type"] == f"response.{kind}.delta")

    assert joined("output_text") == f"Dear {NAME}"
    assert json.loads(joined("function_call_arguments")) == {"to": NAME}
    done = next(one for one in back if one["type"] == "response.completed")["response"]
    assert done["output"][0]["content"][0]["text"] == f"Dear {NAME}"
    assert token[8:-1] not in json.dumps(back, ensure_ascii=False)


def claude(text: str, arguments: str) -> Iterator[bytes]:
    """Yield a stream of Anthropic's messages, cut without regard to events."""
    start: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "any",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    made: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    blocks = [
        ({"type": "text", "text": ""}, "text", text),
        ({"type": "tool_use", "id": "t1", "name": "send", "input": {}}, "partial_json", arguments),
    ]
    for at, (block, name, whole) in enumerate(blocks):
        made.append({"type": "content_block_start", "index": at, "content_block": block})
        kind = "text_delta" if name == "text" else "input_json_delta"
        made += [
            {"type": "content_block_delta", "index": at, "delta": {"type": kind, name: one}}
            for one in cut(whole)
        ]
        made.append({"type": "content_block_stop", "index": at})
    made += [
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    yield from sse(made, 61)


def test_messages_of_anthropic(proxy: Proxy, texts: TextProtector) -> None:
    request = {
        "model": "claude",
        "max_tokens": 9,
        "system": f"For {NAME}",
        "messages": [{"role": "user", "content": MAIL}],
    }
    block = {"type": "text", "text": texts.token(NAME, "name")}
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "send",
        "input": {"to": texts.token(NAME, "name")},
    }
    proxy.model.answer = lambda _: {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "any",
        "content": [block, call],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    got = proxy.ask("/v1/messages", request)
    assert not clear(proxy.model.requests)
    assert (got["content"][0]["text"], got["content"][1]["input"]) == (NAME, {"to": NAME})
    arguments = json.dumps({"to": texts.token(NAME, "name")})
    proxy.model.answer = lambda _: claude(f"Dear {texts.token(NAME, 'name')}", arguments)
    made = ["", ""]
    for one in pieces(proxy.ask("/v1/messages", {**request, "stream": True})):
        if one["type"] == "content_block_delta":
            made[one["index"]] += one["delta"].get("text", one["delta"].get("partial_json", ""))
    assert made[0] == f"Dear {NAME}"
    assert json.loads(made[1]) == {"to": NAME}


def test_inputs_of_tools_may_have_any_names(proxy: Proxy, texts: TextProtector) -> None:
    given = {"name": NAME, "id": MAIL, "type": CARD, MAIL: [NAME]}
    head = {"type": "tool_use", "id": "t1", "name": "send"}
    request = {
        "model": "claude",
        "max_tokens": 9,
        "metadata": {"user_id": NAME, MAIL: NAME},
        "tools": [{"name": "send", "input_schema": {"type": "object", "properties": {MAIL: {}}}}],
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": [{**head, "input": given}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
        ],
    }
    proxy.model.answer = lambda asked: {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "any",
        "content": asked["messages"][1]["content"],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    got = proxy.ask("/v1/messages", request)
    (sent,) = proxy.model.requests
    assert not clear(sent)
    assert {**sent["messages"][1]["content"][0], "input": 0} == {**head, "input": 0}
    assert got["content"][0]["input"] == given


def refused(proxy: Proxy, path: str, request: dict[str, Any], status: int = 400) -> str:
    before = len(proxy.model.requests)
    with pytest.raises(urllib.error.HTTPError) as caught:
        proxy.ask(path, request)
    text = caught.value.read().decode()
    assert caught.value.code == status, text
    assert len(proxy.model.requests) == before  # nothing went on
    assert not clear(text)
    return text


def test_what_can_not_be_protected_is_refused(proxy: Proxy, texts: TextProtector) -> None:
    proxy.model.answer = lambda _: chat({"content": "yes"})
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    text = {"type": "text", "text": f"{NAME} {MAIL}"}
    answer = refused(proxy, CHAT, user([text, image]))
    assert "messages[0].content[1]: content of the type 'image_url'" in answer
    assert "vocabulary" in refused(proxy, "/v1/embeddings", {"input": [[1, 2, 3]]})
    assert "rename" in refused(proxy, CHAT, user("x", **{MAIL: 1}))


@pytest.fixture
def without_log(proxy: Proxy) -> Iterator[None]:
    """Put a folder in the place of the log of reveals, so that nothing may be revealed."""
    log, kept = proxy.folder / "reveals.ndjson", proxy.folder / "kept.ndjson"
    log.touch(0o600)
    log.rename(kept)
    log.mkdir()
    yield
    log.rmdir()
    kept.rename(log)


@pytest.mark.usefixtures("without_log")
def test_an_answer_that_can_not_be_restored(proxy: Proxy, texts: TextProtector) -> None:
    token = texts.token(NAME, "name")
    proxy.model.answer = lambda _: chat({"content": f"Dear {token}"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        proxy.ask(CHAT, user("x"))
    text = caught.value.read().decode()
    assert caught.value.code == 500 and "the answer can't be restored" in text
    assert not clear(text) and token[8:-1] not in text


@pytest.mark.usefixtures("without_log")
def test_a_stream_that_can_not_be_restored(proxy: Proxy, texts: TextProtector) -> None:
    """What has no token went on before; then comes an error, and no more of the answer."""
    token = texts.token(NAME, "name")
    deltas = [{"content": one} for one in ("Dear ", "reader, ", *cut(token), " and", " more")]
    proxy.model.answer = lambda _: events(deltas)
    got = proxy.ask(CHAT, user("x", stream=True))
    assert "the answer can't be restored" in got
    assert said(got.partition('"error"')[0].rpartition("\n")[0]) == "Dear reader, "
    assert not clear(got) and " more" not in got and token[8:-1] not in got


def guardrail(proxy: Proxy, **options: str) -> Guardrail:
    """Return a guardrail as the proxy makes it."""
    folder = proxy.folder
    return Guardrail(
        guardrail_name="here",
        text_policy=str(folder / "text.toml"),
        keyring=str(folder / "text.keys"),
        root=f"file:{folder / 'root.key'}",
        **options,  # type: ignore[arg-type]
    )


def before(made: Guardrail, caller: dict[str, str], given: Any, kind: str = "completion") -> Any:  # noqa: ANN401
    """Return the last content of a request as the model gets it."""
    data = user(given)
    asked = made.async_pre_call_hook(UserAPIKeyAuth(**caller), DualCache(), data, kind)
    return asyncio.run(asked)["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("key", "api_key"),
        ("team", "team_id"),
        ("user", "user_id"),
        ("end_user", "end_user_id"),
        ("organization", "org_id"),
    ],
)
def test_a_scope_has_tokens_of_its_own(proxy: Proxy, scope: str, name: str) -> None:
    made = guardrail(proxy, scope=scope)
    tokens = {before(made, {name: one}, f"Dear {NAME}") for one in ("sk-a", "sk-b")}
    assert len(tokens) == 2 and not clear(str(tokens))
    other = "team_id" if name != "team_id" else "user_id"
    with pytest.raises(HTTPException, match="the request has none") as caught:
        before(made, {other: "a"}, f"Dear {NAME}")
    assert caught.value.status_code == 403 and not clear(str(caught.value))
    everybody = guardrail(proxy, scope="none")
    assert len({before(everybody, {name: one}, NAME) for one in ("sk-a", "sk-b")}) == 1


def test_attachments_pass_if_they_may(proxy: Proxy) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    given = [{"type": "text", "text": NAME}, image]
    text, passed = before(guardrail(proxy, attachments="pass"), {"api_key": "k"}, given)
    assert passed == image and not clear(str(text))
    with pytest.raises(HTTPException, match="image_url") as caught:
        before(guardrail(proxy), {"api_key": "k"}, given)
    assert caught.value.status_code == 400


def test_calls_of_other_kinds_are_refused(proxy: Proxy) -> None:
    for kind in ("image_generation", "moderation", "audio_transcription", "pass_through_endpoint"):
        with pytest.raises(HTTPException, match=f"the kind {kind} can't be protected") as caught:
            before(guardrail(proxy), {"api_key": "k"}, NAME, kind)
        assert caught.value.status_code == 400 and not clear(str(caught.value))


def test_logs_have_tokens(proxy: Proxy, texts: TextProtector) -> None:
    """What LiteLLM hands to its loggers, of all tests before, has no value in clear."""
    proxy.model.answer = lambda request: chat({"content": echo(request)})
    seen, deadline = proxy.folder / "seen.txt", time.monotonic() + 60
    asked = str(proxy.ask(CHAT, user(f"last {NAME}"))["id"])
    proxy.model.answer = lambda request: chat({"content": echo(request)}, id="last")
    proxy.ask(CHAT, user(f"last {NAME}"))
    while '"last"' not in (seen.read_text("utf-8") if seen.exists() else ""):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert len(seen.read_text("utf-8").splitlines()) >= 2 and asked
    found = [
        (clear(line), line[:300]) for line in seen.read_text("utf-8").splitlines() if clear(line)
    ]
    assert not found
    assert not clear((proxy.folder / "proxy.log").read_text("utf-8"))
    reveals = (proxy.folder / "reveals.ndjson").read_text()
    assert '"event":"reveal"' in reveals and not clear(reveals)
