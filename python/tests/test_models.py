# SPDX-License-Identifier: Apache-2.0
"""The plain models of formats agree with the vectors, so with all implementations."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from models import model_of
from models.common import InvalidError, Model, Tokens
from models.ranges import RangeModel
from vectors import load

Row = dict[str, Any]

FILES = ("text", "presets", "numbers", "grouped", "layouts", "plans", "scripts", "names", "one_way")


def text_of(row: Row) -> str | None:
    """Return a value; None: its bytes are no text, which models do not take."""
    if "repeat" in row:
        return str(row["repeat"]) * int(row["times"])
    if "hex" in row:
        try:
            return bytes.fromhex(row["hex"]).decode()
        except UnicodeDecodeError:
            return None
    return str(row["value"])


def tweak_of(given: str | Row | None) -> bytes | None:
    if isinstance(given, dict):
        return str(text_of(given)).encode()
    return None if given is None else given.encode()


class Vector:
    """A case, and its model."""

    def __init__(self, case: Row) -> None:
        self.case = case
        self.model: Model = model_of(case["format"])

    def tokens(self, tweak: bytes | None, *, reveal: bool = False) -> Tokens:
        key = bytes.fromhex(self.case.get("key", ""))
        return Tokens(key, self.case.get("namespace", ""), tweak, reveal=reveal)

    def check_value(self, row: Row) -> None:
        value = text_of(row)
        if value is None:
            return
        if "domain" in row:
            domain = self.model.domain(value)
            assert row["domain"] == (None if domain is None else str(domain))
        own = tweak_of(row.get("tweak", self.case.get("tweak")))
        for name, tweak in (("token", None), ("tweaked", own)):
            if f"{name}_reason" in row:
                with pytest.raises(InvalidError) as caught:
                    self.model.run(value, self.tokens(tweak))
                assert row[f"{name}_reason"] in caught.value.reasons
            elif name in row or f"{name}_sha256" in row:
                token = self.model.run(value, self.tokens(tweak))
                if name in row:
                    assert token == row[name]
                else:
                    digest = hashlib.sha256(token.encode()).hexdigest()
                    assert digest == row[f"{name}_sha256"]
                if not self.model.one_way:
                    assert self.model.run(token, self.tokens(tweak, reveal=True)) == value

    def check_invalid(self, row: Row) -> None:
        value = text_of(row)
        if value is None or "null_tweak" in row:
            return
        for direction in ("protect", "reveal"):
            if row.get("direction", direction) != direction or self.model.one_way:
                continue
            tokens = self.tokens(tweak_of(row.get("tweak")), reveal=direction == "reveal")
            with pytest.raises(InvalidError) as caught:
                self.model.run(value, tokens)
            assert row["reason"] in caught.value.reasons, value

    def check_column(self, column: Row) -> None:
        assert isinstance(self.model, RangeModel)
        for row in column["values"]:
            for name, tweak in (("token", None), ("tweaked", tweak_of(self.case["tweak"]))):
                number, token = int(row["value"]), int(row[name])
                run = self.model.run_number
                assert run(column["type"], number, self.tokens(tweak)) == token
                assert run(column["type"], token, self.tokens(tweak, reveal=True)) == number
        for row in column.get("invalid", ()):
            with pytest.raises(InvalidError) as caught:
                self.model.run_number(column["type"], int(row["value"]), self.tokens(None))
            assert row["reason"] in caught.value.reasons


@pytest.mark.parametrize("name", FILES)
def test_models(name: str) -> None:
    for case in load(f"formats_{name}"):
        vector = Vector(case)
        assert vector.model.identity_text == case["identity"]
        assert vector.model.one_way == case["one_way"]
        for row in case["values"]:
            vector.check_value(row)
        for row in case.get("invalid", ()):
            vector.check_invalid(row)
        for column in case.get("columns", ()):
            vector.check_column(column)
