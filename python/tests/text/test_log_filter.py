# SPDX-License-Identifier: Apache-2.0
"""Records of `logging` are protected, whatever a value is in, or left out."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tallystick.text import LogFilter, TextProtector
from text_support import Make

MAIL = "jane@example.org"
CARD = 4111111111111111


@dataclass(frozen=True)
class Log:
    """A logger, what its handler wrote, and the records that it was given."""

    logger: logging.Logger
    out: io.StringIO
    records: list[logging.LogRecord]
    text: TextProtector

    @property
    def written(self) -> str:
        return self.out.getvalue()


@pytest.fixture
def log(make: Make) -> Iterator[Log]:
    records: list[logging.LogRecord] = []
    out, text = io.StringIO(), make()

    def keep(record: logging.LogRecord) -> bool:
        records.append(record)
        return True

    logger = logging.Logger("test")
    handler = logging.StreamHandler(out)
    handler.addFilter(LogFilter(text))
    handler.addFilter(keep)
    logger.addHandler(handler)
    yield Log(logger, out, records, text)
    text.close()


def test_messages_and_arguments(log: Log) -> None:
    log.logger.warning("100 %% of %s", MAIL)
    log.logger.warning(f"100 % of {MAIL}")
    log.logger.warning({"a": MAIL})
    log.logger.warning("%d", CARD)
    token = log.text.token(MAIL, "email")
    assert log.written.splitlines() == [
        f"100 % of {token}",
        f"100 % of {token}",
        f"{{'a': '{token}'}}",
        log.text.token(str(CARD), "card"),
    ]
    assert log.text.reveal(log.written).count(MAIL) == 3


def test_exceptions_and_stacks(log: Log) -> None:
    try:
        try:
            raise KeyError(MAIL)
        except KeyError as error:
            raise ValueError(f"no {MAIL}") from error
    except ValueError:
        log.logger.exception("failed", stack_info=True)
    (record,) = log.records
    assert record.exc_info is None
    assert MAIL not in log.written
    assert "Traceback" in log.written and "ValueError: no ⟦email:" in log.written
    assert "Stack (most recent call last)" in log.written
    log.logger.error("no exception", exc_info=True)
    assert log.written.endswith("no exception\n")


class Person:
    def __str__(self) -> str:
        return f"Person {MAIL}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (MAIL, lambda token: token),
        (["x", (MAIL, 1.5)], lambda token: ["x", [token, 1.5]]),
        ({MAIL: {"deep": MAIL}}, lambda token: {token: {"deep": token}}),
        (Person(), lambda token: f"Person {token}"),
        (MAIL.encode(), lambda token: f"b'{token}'"),
        (12, lambda token: 12),
        (True, lambda token: True),
        (None, lambda token: None),
    ],
)
def test_extra_fields(log: Log, value: object, expected: Callable[[str], object]) -> None:
    log.logger.warning("m", extra={"field": value})
    (record,) = log.records
    assert vars(record)["field"] == expected(log.text.token(MAIL, "email"))


def test_a_number_that_is_a_value(log: Log) -> None:
    log.logger.warning("m", extra={"field": CARD})
    assert vars(log.records[0])["field"] == log.text.token(str(CARD), "card")


def test_fields_nested_too_deep_become_text(log: Log) -> None:
    value: Any = MAIL
    for _ in range(40):
        value = [value]
    log.logger.warning("m", extra={"field": value})
    made = json.dumps(vars(log.records[0])["field"], ensure_ascii=False)
    assert MAIL not in made and "⟦email:" in made


def test_another_handler_gets_tokens_and_a_second_filter_changes_nothing(log: Log) -> None:
    second = io.StringIO()
    handler = logging.StreamHandler(second)
    handler.addFilter(LogFilter(log.text))
    log.logger.addHandler(handler)
    log.logger.warning("to %s", MAIL)
    assert second.getvalue() == log.written == f"to {log.text.token(MAIL, 'email')}\n"


class Bad:
    def __str__(self) -> str:
        raise RuntimeError(MAIL)


@pytest.mark.parametrize(
    ("message", "arguments", "extra"),
    [
        ("%s and %s", (MAIL,), {}),
        ("%s", (Bad(),), {}),
        ("m", (), {"field": Bad(), "other": MAIL}),
        (f"\ud800 {MAIL}\ud800", (), {"other": MAIL}),
    ],
)
def test_what_can_not_be_protected_is_left_out(
    log: Log, message: str, arguments: tuple[object, ...], extra: dict[str, object]
) -> None:
    if message.startswith("\ud800"):
        log.text.close()
    log.logger.warning(message, *arguments, extra=extra)
    assert log.written.startswith("a log record is left out: it could not be protected (")
    (record,) = log.records
    assert MAIL not in repr(vars(record))


def test_names_choose_records_as_of_any_filter(log: Log) -> None:
    record = logging.makeLogRecord({"name": "other", "msg": MAIL})
    assert not LogFilter(log.text, "test").filter(record)
    assert record.msg == MAIL
