# SPDX-License-Identifier: Apache-2.0
"""A filter for `logging` that protects records before a handler writes them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from .protector import TextProtector

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every record; others are extra fields."""
_DEEPEST = 16
"""Levels of extra fields that stay what they are; what is below becomes text."""
_FORMAT = logging.Formatter()


class LogFilter(logging.Filter):
    """Protect the values in log records: message, arguments, exceptions, stacks and extra fields.

    Add it to every handler that writes to where values must not be. A filter of a logger does not
    see the records of the loggers below it.

    Parameters
    ----------
    protector : TextProtector
        Finds and protects. It must outlive the filter, and needs no right to reveal.
    name : str
        As of `logging.Filter`.

    Notes
    -----
    A record is changed in place, so handlers that come later get tokens too. Its message has no
    arguments afterwards, and its exception is text. Extra fields keep their types unless a value is
    found in them; objects that are not of JSON become text.

    If a record can't be protected, its content is left out, and a message says so.
    """

    def __init__(self, protector: TextProtector, name: str = "") -> None:
        super().__init__(name)
        self._protector = protector

    def filter(self, record: logging.LogRecord) -> bool:
        """Protect a record, and return whether it is to be logged, as of `logging.Filter`."""
        if not super().filter(record):
            return False
        extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        try:
            message = self._protector.protect(record.getMessage())
            exception = record.exc_text or (
                _FORMAT.formatException(record.exc_info)
                if record.exc_info and record.exc_info[0]
                else None
            )
            exception = exception and self._protector.protect(exception)
            stack = record.stack_info and self._protector.protect(record.stack_info)
            made = {name: self._field(value, _DEEPEST) for name, value in extra.items()}
        except Exception as error:
            message = (
                f"a log record is left out: it could not be protected ({type(error).__name__})"
            )
            exception = stack = None
            made = dict.fromkeys(extra)
        record.msg, record.args = message, None
        record.exc_info, record.exc_text, record.stack_info = None, exception, stack
        vars(record).pop("message", None)  # a formatter makes it anew
        vars(record).update(made)
        return True

    def _field(self, value: Any, deeper: int) -> Any:  # noqa: ANN401
        """Return an extra field with tokens in the place of what is found."""
        if value is None or isinstance(value, bool):
            return value
        if deeper and isinstance(value, Mapping):
            return {
                self._field(key, deeper - 1): self._field(one, deeper - 1)
                for key, one in value.items()
            }
        if deeper and isinstance(value, list | tuple):
            return [self._field(one, deeper - 1) for one in value]
        text = value if isinstance(value, str) else str(value)
        made = self._protector.protect(text)
        return value if made == text and isinstance(value, int | float) else made
