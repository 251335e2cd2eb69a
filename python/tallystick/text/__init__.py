# SPDX-License-Identifier: Apache-2.0
"""Tokens inside text: prompts, logs and documents, protected and restored without a table.

A token in text recognizes itself, so a restorer finds the tokens of its keys in any text and leaves
everything else as it is. ``docs/reference/text-tokens.md`` has the bytes.
"""

from .log_filter import LogFilter
from .policy import Finding, Kind, TextPolicy
from .protector import Restorer, TextProtector
from .spans import Recognizer
from .streams import AnswerStream

__all__ = [
    "AnswerStream",
    "Finding",
    "Kind",
    "LogFilter",
    "Recognizer",
    "Restorer",
    "TextPolicy",
    "TextProtector",
]
