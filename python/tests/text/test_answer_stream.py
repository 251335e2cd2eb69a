# SPDX-License-Identifier: Apache-2.0
"""Streamed answers of language models: server-sent events cut anywhere, and JSON that was read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from tallystick import TallyError
from tallystick.text import AnswerStream, TextProtector
from text_support import Make

NAME, MAIL = 'Jane "J" Doe', "jane@example.org"


@pytest.fixture
def text(make: Make) -> TextProtector:
    return make()


def event(data: dict[str, Any], name: str = "", end: str = "\n") -> bytes:
    named = f"event: {name}{end}" if name else ""
    return f"{named}data: {json.dumps(data)}{end}{end}".encode()


def chat(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


def parts(text: str, size: int = 5) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def restored(text: TextProtector, chunks: Iterable[bytes]) -> list[dict[str, Any] | str]:
    """Return the events of a stream, as JSON where they are."""
    stream = AnswerStream(text)
    made = b"".join([*(one for chunk in chunks for one in stream.feed(chunk)), *stream.finish()])
    data = [
        line[5:].strip()
        for block in made.decode().replace("\r\n", "\n").split("\n\n")
        for line in block.split("\n")
        if line.startswith("data:")
    ]
    return [json.loads(one) if one != "[DONE]" else one for one in data]


def said(events: list[Any], *path: str) -> str:
    """Join the texts that lie at a path of the deltas of a chat."""
    found = []
    for one in events:
        for choice in one["choices"] if isinstance(one, dict) else ():
            at: Any = choice["delta"]
            for name in path:
                at = (at or {}).get(name)
                at = at[0] if isinstance(at, list) else at
            found.append(at or "")
    return "".join(found)


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_chat_as_bytes(text: TextProtector, size: int, end: str) -> None:
    token, arguments = text.token(NAME, "name"), json.dumps({"to": text.token(NAME, "name")})
    texts = [{"content": part} for part in parts(f"To {token}, hello.")]
    deltas: list[dict[str, Any]] = [{"role": "assistant"}, *texts]
    calls: list[dict[str, Any]] = [
        {"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in parts(arguments)
    ]
    body = b": a comment\n\n" + b"".join(event(chat(one), end=end) for one in [*deltas, *calls])
    body += event(chat({}, "stop"), end=end) + f"data: [DONE]{end}{end}".encode()
    made = restored(text, (body[i : i + size] for i in range(0, len(body), size)))
    assert said(made, "content") == f"To {NAME}, hello."
    assert json.loads(said(made, "tool_calls", "function", "arguments")) == {"to": NAME}
    assert made[-1] == "[DONE]"
    assert made[-2]["choices"][0]["finish_reason"] == "stop"  # type: ignore[index]


def test_json_that_was_read(text: TextProtector) -> None:
    """Pieces are returned as dicts, and the given ones do not change."""
    given = [chat({"content": part}) for part in parts(f"To {text.token(MAIL, 'email')}")]
    before = json.dumps(given)
    stream = AnswerStream(text)
    made = [one for piece in given for one in stream.feed(piece)]
    made += stream.finish()
    assert said(made, "content") == f"To {MAIL}"
    assert json.dumps(given) == before


def test_an_event_without_tokens_is_as_it_came(text: TextProtector) -> None:
    stream = AnswerStream(text)
    for block in (
        b'data:{"choices":[ {"index":0, "delta":{"content":"hello\\u00e9. "}} ],  "x":1.50}\n\n',
        b'event: ping\ndata: {"type":  "ping"}\n\n',
        b'data: {"error": {"message": "too many requests"}}\n\n',
        b"retry: 10\n\n",
    ):
        assert stream.feed(block) == [block]


def test_other_lines_of_an_event_stay(text: TextProtector) -> None:
    token = text.token(MAIL, "email")
    stream = AnswerStream(text)
    (made,) = stream.feed(b"id: 7\nevent: message\n" + event(chat({"content": f"{token}."})))
    head, _, data = made.partition(b"data: ")
    assert head == b"id: 7\nevent: message\n"
    assert json.loads(data) == chat({"content": f"{MAIL}."})
    stream.feed(b"event: message\n" + event(chat({"content": token[:5]})))
    (rest,) = stream.finish()
    assert rest == event(chat({"content": token[:5]}))


def test_responses_and_messages(text: TextProtector) -> None:
    token = text.token(NAME, "name")
    deltas = [
        {"type": "response.output_text.delta", "item_id": "a", "sequence_number": n, "delta": part}
        for n, part in enumerate(parts(token))
    ]
    whole = {"type": "response.completed", "sequence_number": 99, "response": {"text": token}}
    events = restored(text, [event(one, str(one["type"])) for one in [*deltas, whole]])
    assert "".join(one.get("delta", "") for one in events if isinstance(one, dict)) == NAME
    assert events[-1]["response"] == {"text": NAME}  # type: ignore[index]
    claude = [
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": part},
            }
            for part in parts(token)
        ),
        {"type": "content_block_stop", "index": 0},
    ]
    stream = AnswerStream(text)
    made = b"".join(one for each in claude for one in stream.feed(event(each, str(each["type"]))))
    assert made.startswith(b"event: content_block_delta\n")
    found = [json.loads(line[6:]) for line in made.decode().splitlines() if line[:6] == "data: "]
    assert "".join(one.get("delta", {}).get("text", "") for one in found) == NAME
    assert found[-1]["type"] == "content_block_stop"


NO_ANSWER = "no piece of an answer of OpenAI's or Anthropic's"


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (b"data: {\n\n", "an event of the stream is no JSON"),
        (b"data: [1]\n\n", f"list: {NO_ANSWER}"),
        (b'data: {"text": "x"}\n\n', f"dict: {NO_ANSWER}"),
        (7, f"int: {NO_ANSWER}"),
        ("\ud800", "a piece of the answer has half of a surrogate pair"),
        (chat({"content": "x"}, index=[]), "the index of a piece of the answer is no number"),  # type: ignore[arg-type]
        (chat({"tool_calls": 5}), "the calls of tools are no list"),
        (chat({"tool_calls": [{"index": {}}]}), "the index of a piece of the answer is no number"),
        (
            {"type": "response.output_text.delta", "item_id": [], "delta": "x"},
            "the item_id of a piece of the answer is no number",
        ),
        (
            {"type": "response.function_call_arguments.delta", "delta": {"to": "x"}},
            "the arguments of a tool are no text",
        ),
        ({"type": "content_block_stop", "index": {}}, "the index of a piece of the answer is"),
    ],
    ids=range(11),
)
def test_what_is_no_answer_is_refused(text: TextProtector, piece: object, message: str) -> None:
    stream = AnswerStream(text)
    with pytest.raises(TallyError, match=f"^{re.escape(message)}"):
        stream.feed(piece)
    ended = "^the stream has ended: an earlier piece of it was refused$"
    with pytest.raises(TallyError, match=ended):
        stream.feed(event(chat({"content": "x"})))
    with pytest.raises(TallyError, match=ended):
        stream.finish()


def test_a_piece_that_is_nested_too_deeply(text: TextProtector) -> None:
    before = sys.getrecursionlimit()  # other tools in this process raise it
    sys.setrecursionlimit(1000)
    try:
        for depth in (700, 100_000):
            data = b'{"error": ' + b"[" * depth + b"]" * depth + b"}"
            with pytest.raises(TallyError, match=r"^a piece of the answer is nested too deeply$"):
                AnswerStream(text).feed(b"data: " + data + b"\n\n")
    finally:
        sys.setrecursionlimit(before)


def test_numbers_and_halves_of_pairs_stay_json(text: TextProtector) -> None:
    token = text.token(NAME, "name")
    given = event(chat({"content": f"\ud83d{token}."}))
    (made,) = AnswerStream(text).feed(given)
    assert json.loads(made.removeprefix(b"data: ")) == chat({"content": f"\ud83d{NAME}."})
    with pytest.raises(TallyError, match="a number that is too large"):
        AnswerStream(text).feed(given.replace(b'"id": "c"', b'"id": 1e999'))


def test_calls_of_tools_keep_apart(text: TextProtector) -> None:
    """Names of places can't be chosen so that arguments are taken for text, or for others."""
    token = text.token(NAME, "name")
    arguments = json.dumps({"to": token}, ensure_ascii=False)
    call = {"index": "content", "function": {"arguments": arguments}}
    (made,) = AnswerStream(text).feed(chat({"content": "x", "tool_calls": [call]}))
    assert json.loads(made["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]) == {
        "to": NAME
    }
    calls = [{"function": {"arguments": one}} for one in (arguments[:12], arguments)]
    stream = AnswerStream(text)
    stream.feed(chat({"tool_calls": calls}))
    rest = [{"function": {"arguments": one}} for one in (arguments[12:], "")]
    (made,) = stream.feed(chat({"tool_calls": rest}))
    found = made["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments[: arguments.index(token)] + found[found.index("Jane") :])


def test_places_are_few(text: TextProtector) -> None:
    choices = [chat({"content": ""}, index=i)["choices"][0] for i in range(257)]
    assert AnswerStream(text).feed({"choices": choices[:256]})
    with pytest.raises(TallyError, match=r"^an answer has more than 256 texts at once$"):
        AnswerStream(text).feed({"choices": choices})


def test_a_mark_of_the_byte_order(text: TextProtector) -> None:
    body = b"\xef\xbb\xbf" + event(chat({"content": text.token(NAME, "name") + "."}))
    for size in (1, 2, len(body)):
        made = restored(text, (body[i : i + size] for i in range(0, len(body), size)))
        assert said(made, "content") == f"{NAME}."


def test_an_event_is_bounded(text: TextProtector) -> None:
    stream = AnswerStream(text)
    with pytest.raises(TallyError, match=r"has more than 16777216 bytes$"):
        AnswerStream(text).feed(b"data: " + b" " * (1 << 24) + b"\n\n")
    assert stream.feed(b"x" * (1 << 24)) == []
    with pytest.raises(TallyError, match=r"^an event of the stream has more than 16777216 bytes$"):
        stream.feed(b"x")


def test_a_stream_that_breaks(text: TextProtector) -> None:
    stream = AnswerStream(text)
    stream.feed(event(chat({"content": text.token(NAME, "name")[:9]})) + b"data: {")
    with pytest.raises(TallyError, match=r"^the stream ended within an event$"):
        stream.finish()
