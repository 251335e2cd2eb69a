# SPDX-License-Identifier: Apache-2.0
"""Cases, computed from their inputs by the implementation that is installed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from format_vectors.arrow_types import TYPES, column, numbers_of
from format_vectors.descriptions import Description, form_of
from tallystick import InvalidValueError, ParameterError, Tokenizer
from tallystick.formats import LARGEST_DOMAIN, Format, Reason
from tallystick.tokenizer import OnInvalid

Case = dict[str, Any]
Row = dict[str, Any]

REASONS = ["", *map(str, Reason)]
"""The texts of reasons, by their numbers."""

LONGEST = 300
"""Characters of a text that is written; of a longer one the SHA-256 is."""


def described(text: str | bytes) -> Row:
    """Write an input: bytes and control characters in hexadecimal, repetition as such."""
    if isinstance(text, bytes):
        return {"hex": text.hex()}
    if len(text) > LONGEST:
        for unit in range(1, 32):
            if text == text[:unit] * (len(text) // unit):
                return {"repeat": text[:unit], "times": len(text) // unit}
    if any(one < " " or one == "\x7f" for one in text):
        return {"hex": text.encode().hex()}
    return {"value": text}


def text_of(row: Row) -> str | bytes:
    """Read an input; bytes are text if they can be."""
    if "hex" in row:
        raw = bytes.fromhex(row["hex"])
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw
    if "repeat" in row:
        return str(row["repeat"]) * int(row["times"])
    return str(row["value"])


def tweak_of(row: Row, case: Case) -> str | None:
    """Return the tweak of a row: its own, or that of its case."""
    own = row.get("tweak", case.get("tweak"))
    if isinstance(own, dict):
        return str(own["repeat"]) * int(own["times"])
    return own


def record(case: Case) -> Case:
    """Compute a case again, from the inputs in it."""
    form = form_of(case["format"])
    facts: Case = {
        "format": case["format"],
        "identity": json.dumps(form.identity, separators=(",", ":")),
        "one_way": form.one_way,
        "keyed": form.keyed,
        "smallest_domain": None if form.smallest_domain is None else str(form.smallest_domain),
        "may_be_formula": form.may_be_formula,
        "examples": list(form.examples),
    }
    for name in ("key", "namespace", "tweak"):
        if name in case:
            facts[name] = case[name]
    tool = tokenizer(form, case)
    facts["values"] = [_value(form, tool, row, case) for row in case["values"]]
    if "revealed" in case:  # of a cipher that makes no tokens
        tokens = [row["token"] for row in case["revealed"]]
        facts["revealed"] = [{"token": one, "value": tool.reveal(one)} for one in tokens]
    if case.get("invalid"):
        facts["invalid"] = [found for row in case["invalid"] for found in _invalid(tool, row, case)]
    if case.get("columns"):
        facts["columns"] = [_column(tool, one, case) for one in case["columns"]]
    if "types" in case:
        facts["types"] = _types(tool)
    tool.close()
    return facts


def tokenizer(form: Format, case: Case, on_invalid: OnInvalid = "error") -> Tokenizer:
    """Make the tokenizer of a case."""
    key = bytes.fromhex(case["key"]) if form.keyed else None
    return Tokenizer(form, key, namespace=case.get("namespace", ""), on_invalid=on_invalid)


def _long(name: str, token: str) -> Row:
    if len(token) > LONGEST:
        return {f"{name}_sha256": hashlib.sha256(token.encode()).hexdigest()}
    return {name: token}


def _value(form: Format, tool: Tokenizer, row: Row, case: Case) -> Row:
    value = text_of(row)
    if isinstance(value, bytes):  # only formats that take all bytes
        return {"hex": value.hex(), "token_hex": one_of_column(tool, value, None)}
    found = described(value)
    if "tweak" in row:
        found["tweak"] = row["tweak"]
    domain = form.domain_of(value)
    if domain is None or domain < LARGEST_DOMAIN or "domain" in row:
        found["domain"] = None if domain is None else str(domain)
    for name, tweak in (("token", None), ("tweaked", tweak_of(row, case))):
        if name == "tweaked" and tweak is None:
            continue
        try:
            token = tool.protect(value, tweak)
        except InvalidValueError as error:
            found[f"{name}_reason"] = REASONS.index(error.reason)
            continue
        assert form.one_way or tool.reveal(token, tweak) == value
        found |= _long(name, token)
    return found


def one_of_column(tool: Tokenizer, value: bytes, tweak: str | None) -> str:
    """Protect bytes that are no UTF-8; return those of the token in hexadecimal."""
    token = tool.protect(column_of_bytes([value]), None if tweak is None else pa.array([tweak]))
    found: str = token[0].as_buffer().to_pybytes().hex()
    return found


def column_of_bytes(values: list[bytes]) -> pa.Array:
    """Make a column of text, whatever its bytes are."""
    return pa.array(values, pa.binary()).view(pa.string())


def _invalid(tool: Tokenizer, row: Row, case: Case) -> list[Row]:
    """Return how an invalid value fails when it is protected, revealed or both."""
    value = text_of(row)
    inputs = described(value) | {name: row[name] for name in ("tweak", "null_tweak") if name in row}
    directions = [row["direction"]] if row.get("direction", "both") != "both" else None
    one_way = tool.form.one_way
    found = []
    for name in directions or (["protect"] if one_way else ["protect", "reveal"]):
        # A row's own tweak alone makes it invalid.
        tweak = tweak_of(row, {}) if "tweak" in row else None
        lacks = bool(row.get("null_tweak"))
        fault = fault_of(getattr(tool, name), value, tweak, null_tweak=lacks)
        assert fault is not None, (case["format"], row, name)
        found.append(fault)
    if directions is None and len(found) == 2 and found[0] == found[1]:
        return [inputs | found[0]]
    names = directions or ["protect", "reveal"]
    return [inputs | {"direction": name} | fault for name, fault in zip(names, found, strict=False)]


def fault_of(
    act: Callable[..., Any], value: str | bytes, tweak: str | None, *, null_tweak: bool = False
) -> Row | None:
    """Return the reason and place with which a value fails; None if it does not."""
    raw = value if isinstance(value, bytes) else value.encode()
    try:
        if null_tweak:
            act(column_of_bytes([raw]), pa.array([None], pa.string()))
        elif isinstance(value, bytes):
            act(column_of_bytes([raw]), None if tweak is None else pa.array([tweak]))
        else:
            act(value, tweak)
    except InvalidValueError as error:
        return _fault(error)
    return None


def _fault(error: InvalidValueError) -> Row:
    found: Row = {"reason": REASONS.index(error.reason)}
    if error.fault is not None:
        found |= {"position": error.fault.position, "class": error.fault.kind}
    return found


def _column(tool: Tokenizer, given: Case, case: Case) -> Case:
    """Compute the tokens of numbers in a column of a type."""
    kind, rows = given["type"], []
    for row in given["values"]:
        number = int(row["value"])
        found: Row = {"value": str(number)}
        for name, tweak in (("token", None), ("tweaked", case.get("tweak"))):
            if name == "tweaked" and tweak is None:
                continue
            own = None if tweak is None else pa.array([tweak])
            try:
                token = tool.protect(column(kind, [number]), own)
            except InvalidValueError as error:
                found[f"{name}_reason"] = REASONS.index(error.reason)
                continue
            assert tool.form.one_way or numbers_of(tool.reveal(token, own)) == [number]
            found[name] = str(numbers_of(token)[0])
        rows.append(found)
    result: Case = {"type": kind, "values": rows}
    invalid = []
    for row in given.get("invalid", ()):
        for act in (tool.protect,) if tool.form.one_way else (tool.protect, tool.reveal):
            fault = number_fault(act, kind, int(row["value"]))
            assert fault is not None, (case["format"], kind, row)
            found = {"value": row["value"]} | fault
        invalid.append(found)
    if invalid:
        result["invalid"] = invalid
    return result


def number_fault(act: Callable[..., Any], kind: str, number: int) -> Row | None:
    """Return the reason with which a number of a column fails; None if it does not."""
    try:
        act(column(kind, [number]))
    except InvalidValueError as error:
        return _fault(error)
    return None


def _types(tool: Tokenizer) -> Row:
    """Say which types of columns a format accepts, and how it refuses others."""
    accepted, refused = [], {}
    for name, kind in TYPES.items():
        try:
            tool.protect(pa.nulls(1, kind))
        except ParameterError as error:
            refused[name] = str(error)
        else:
            accepted.append(name)
    return {"accepted": accepted, "refused": refused}


def label_of(described: Description) -> str:
    """Return the name of a described format."""
    return described if isinstance(described, str) else str(described["type"])
