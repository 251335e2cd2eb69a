# SPDX-License-Identifier: Apache-2.0
"""LiteLLM's proxy with the guardrail, and a model on loopback that answers as a test says."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MASTER = "sk-master"
POLICY = r"""
frame = "FRAME"

[kinds.email]
key = "people:1"
namespace = "e-mail"
scan = ["email"]

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Zoë \"Z\" Grant", "Zoe Grant"]

[kinds.card]
key = "people:1"
namespace = "card"
scan = ["card"]
"""
CONFIG = """
model_list:
  - {{model_name: openai, litellm_params:
      {{model: openai/any, api_base: "{model}/v1", api_key: k}}}}
  - {{model_name: text, litellm_params:
      {{model: text-completion-openai/any, api_base: "{model}/v1", api_key: k}}}}
  - {{model_name: claude, litellm_params:
      {{model: anthropic/any, api_base: "{model}", api_key: k}}}}
guardrails:
  - guardrail_name: tallystick
    litellm_params:
      guardrail: tallystick.text.litellm.Guardrail
      mode: [pre_call, post_call]
      default_on: true
      text_policy: {folder}/text.toml
      keyring: {folder}/text.keys
      root: file:{folder}/root.key
      reveal_log: {folder}/reveals.ndjson
general_settings: {{master_key: sk-master, disable_responses_id_security: true}} # without PyNaCl
litellm_settings: {{callbacks: [seen.seen], num_retries: 0, telemetry: false}}
"""
SEEN = """
import json, os, pathlib
from litellm.integrations.custom_logger import CustomLogger

class Seen(CustomLogger):
    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs, response_obj)

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs, response_obj)

    def write(self, kwargs, response):
        with open(pathlib.Path(__file__).parent / "seen.txt", "a") as file:
            made = kwargs.get("standard_logging_object")
            print(json.dumps([made, str(response), str(kwargs.get("messages"))], default=str,
                             ensure_ascii=False), file=file)

seen = Seen()
"""


@dataclass
class Model:
    """The upstream: it keeps requests, and sends the answer that is set."""

    url: str = ""
    requests: list[Any] = field(default_factory=list)
    answer: Callable[[Any], Any] = lambda request: {}
    """JSON, or for a stream the bytes of its chunks; None cuts the connection."""


@dataclass
class Proxy:
    """LiteLLM's proxy."""

    url: str
    folder: Path
    model: Model

    def ask(self, path: str, request: dict[str, Any], key: str = MASTER) -> Any:  # noqa: ANN401
        """Return the answer's JSON, or the text of its stream. Raises `HTTPError`."""
        body = json.dumps({"model": "openai", **request}).encode()
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {key}",
            "anthropic-version": "2023-06-01",
        }
        sent = urllib.request.Request(self.url + path, body, headers)  # noqa: S310
        with urllib.request.urlopen(sent, timeout=60) as got:  # noqa: S310
            text = got.read().decode()
        return text if request.get("stream") else json.loads(text)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
