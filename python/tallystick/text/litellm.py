# SPDX-License-Identifier: Apache-2.0
"""A guardrail for LiteLLM's proxy: models get tokens, and its users get values.

Needs LiteLLM's proxy (the extra ``litellm``). In the proxy's configuration it is
``tallystick.text.litellm.Guardrail``; see ``docs/how-to/protect-language-models.md``.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Mapping
from typing import Any

import litellm
from fastapi import HTTPException
from litellm.caching.caching import DualCache
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.proxy._types import UserAPIKeyAuth
from litellm.types.guardrails import GuardrailEventHooks

from tallystick.errors import ParameterError, TallyError
from tallystick.keyring import Keyring, Root, RootKey
from tallystick.reveal_log import RevealLog

from .messages import RefusedError, protect_json, protect_text, reveal_json
from .policy import TextPolicy
from .protector import Context, TextProtector
from .streams import AnswerStream

_CALLS = frozenset(
    {
        *("completion", "acompletion", "text_completion", "atext_completion"),
        *("embedding", "aembedding", "embeddings", "anthropic_messages", "aanthropic_messages"),
        *("responses", "aresponses"),
    }
)
"""Kinds of calls whose requests and answers are known."""
_SCOPES: dict[str, str | None] = {
    "key": "api_key",
    "team": "team_id",
    "user": "user_id",
    "end_user": "end_user_id",
    "organization": "org_id",
    "none": None,
}
"""Attributes of LiteLLM's `UserAPIKeyAuth`."""
_METADATA = ("metadata", "litellm_metadata")
_PROXY = frozenset({"model", "guardrails", "secret_fields", "api_key", *_METADATA})
"""Members of a request that LiteLLM reads itself."""
_CONTENT = frozenset({"messages", "input", "prompt", "system", "instructions", "tools"})
"""Members that LiteLLM may add to a request."""


class Guardrail(CustomGuardrail):  # type: ignore[misc]  # is not typed where it is not installed
    """Protects requests before a model gets them, and reveals tokens in its answers.

    Parameters
    ----------
    text_policy : TextPolicy or path
        What is protected.
    keyring, root, anchor
        As of `TextProtector.open`.
    scope : {"key", "team", "user", "end_user", "organization", "none"}
        Whose tokens a request's answer may reveal: by default those of the same virtual key. With
        "none" everybody who may use the proxy can have each token revealed.
    attachments : {"refuse", "pass"}
        What becomes of images, audio, files and other content that is no text: nothing in it is
        protected. By default such a request is refused.
    reveal_log : path, optional
        A log of reveals, see `RevealLog`.
    log_messages : bool
        Whether LiteLLM's loggers get messages. They would get answers with values, and requests
        that were refused; so by default ``litellm.turn_off_message_logging`` is set.
    **options
        As of LiteLLM's ``CustomGuardrail``.

    Raises
    ------
    ParameterError, PolicyError, KeyringError, RootKeyError
        The proxy does not start.

    Notes
    -----
    A request that can't be protected is refused, and nothing of it goes on. If an answer can't be
    restored, the client gets an error in its place.
    """

    def __init__(
        self,
        *,
        text_policy: TextPolicy | str,
        keyring: Keyring | str | None = None,
        root: RootKey | Root | str | None = None,
        anchor: str | None = None,
        scope: str = "key",
        attachments: str = "refuse",
        reveal_log: str | None = None,
        log_messages: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> None:
        if scope not in _SCOPES:
            raise ParameterError(f"scope must be one of: {', '.join(_SCOPES)}")
        if attachments not in ("refuse", "pass"):
            raise ParameterError("attachments must be 'refuse' or 'pass'")
        self._scope, self._refuses = scope, attachments == "refuse"
        on_reveal = RevealLog(reveal_log) if reveal_log else None
        self._texts = TextProtector.open(
            text_policy, keyring, root, anchor=anchor, on_reveal=on_reveal
        )
        if not log_messages:
            litellm.turn_off_message_logging = True
        super().__init__(
            supported_event_hooks=[GuardrailEventHooks.pre_call, GuardrailEventHooks.post_call],
            **options,
        )

    async def async_pre_call_hook(
        self,
        user_api_key_dict: UserAPIKeyAuth,
        cache: DualCache,
        data: dict[str, Any],
        call_type: str,
    ) -> dict[str, Any]:
        """Protect a request. Raises `HTTPException`: it can't be protected."""
        if call_type not in _CALLS:
            raise self._refused(400, f"calls of the kind {call_type} can't be protected")
        protector = self._protector(user_api_key_dict)
        try:
            made = self._protected(protector, data)
        except RefusedError as error:
            raise self._refused(400, str(error)) from None
        except TallyError as error:
            raise self._refused(500, str(error)) from None
        except Exception as error:
            raise self._refused(500, f"it failed ({type(error).__name__})") from None
        data.update(made)
        return data

    async def async_post_call_success_hook(
        self,
        data: dict[str, Any],
        user_api_key_dict: UserAPIKeyAuth,
        response: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Return an answer with values. The one with tokens stays as it is, for LiteLLM's logs."""
        protector = self._protector(user_api_key_dict)
        try:
            return reveal_json(protector, copy.deepcopy(response), wants(data))
        except Exception as error:
            raise self._unrevealed(error) from None

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: UserAPIKeyAuth,
        response: AsyncIterator[Any],
        request_data: dict[str, Any],
    ) -> AsyncIterator[Any]:
        """Yield the pieces of an answer with values, each as soon as it can be."""
        protector = self._protector(user_api_key_dict)
        stream = AnswerStream(protector, wants(request_data))
        async for chunk in response:
            try:
                made = stream.feed(chunk)
            except Exception as error:
                raise self._unrevealed(error) from None
            for one in made:
                yield one
        try:
            made = stream.finish()
        except Exception as error:
            raise self._unrevealed(error) from None
        for one in made:
            yield one

    def _protector(self, caller: UserAPIKeyAuth) -> TextProtector:
        attribute = _SCOPES[self._scope]
        scope = ""
        if attribute is not None:
            value = getattr(caller, attribute, None)
            if not value:
                raise self._refused(
                    403,
                    f"its scope is {self._scope!r}, and the request has none; give the request "
                    "one, or the guardrail another scope",
                )
            scope = f"litellm {self._scope} {value}"
        try:
            return self._texts.scoped(scope)
        except TallyError as error:
            raise self._refused(500, str(error)) from None

    def _protected(self, protector: TextProtector, data: dict[str, Any]) -> dict[str, Any]:
        """Return the members of a request that change."""
        sent = data.get("proxy_server_request") or {}
        body = sent.get("body") or {}
        names = [name for name in data if name in body or name in _CONTENT]
        if not body:  # a call from a program, not the proxy
            names = [name for name in data if not name.startswith("litellm")]
        if any(protect_text(protector, name) != name for name in names):
            raise RefusedError("the body: the name of a member has a value in it; rename it")
        made = {
            name: protect_json(protector, data[name], name, refuses=self._refuses)
            for name in names
            if name not in _PROXY and isinstance(data[name], str | list | dict)
        }
        for place in _METADATA:  # the proxy's own members, and among them the client's
            held = data.get(place)
            theirs = held.get("requester_metadata") if isinstance(held, dict) else None
            if isinstance(held, dict) and isinstance(theirs, dict):
                hidden = protect_json(protector, theirs, "metadata", refuses=self._refuses)
                own = {name: one for name, one in held.items() if name not in theirs}
                also = {
                    new: hidden[new] for old, new in zip(theirs, hidden, strict=True) if old in held
                }
                made[place] = {**own, **also, "requester_metadata": hidden}
        if body:  # a copy of the request, for logs
            logged = {name: made.get(name, value) for name, value in body.items()}
            made["proxy_server_request"] = {**sent, "body": logged}
        return made

    def _refused(self, status: int, why: str) -> HTTPException:
        return HTTPException(status, {"error": f"guardrail {self.guardrail_name}: {why}"})

    def _unrevealed(self, error: Exception) -> HTTPException:
        why = str(error) if isinstance(error, TallyError) else f"it failed ({type(error).__name__})"
        return self._refused(500, f"the answer can't be restored: {why}")


def wants(data: Mapping[str, Any]) -> Context:
    """Return "json" if a request demands an answer in JSON, so that values are escaped for it."""
    formats = (
        data.get("response_format"),
        (data.get("text") or {}).get("format") if isinstance(data.get("text"), Mapping) else None,
        data.get("output_format"),
    )
    for one in formats:
        kind = one.get("type") if isinstance(one, Mapping) else None
        if kind in ("json_object", "json_schema"):
            return "json"
    return "text"
