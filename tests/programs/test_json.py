# SPDX-License-Identifier: Apache-2.0
"""``tallystick`` in Go and the Python package's command agree on nested JSON and packed files."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import random
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

from peak import measured, peak
from two_commands import KEYS, ONE, Command, both, without_times

NESTED = """
keep = ["id", "address", "orders[].note"]
[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "e-mail", on_invalid = "null" }
"emails[]" = { format = "email", key = "people:1", namespace = "e-mail", on_invalid = "keep" }
"attributes{}" = { format = "letters", key = "people:1", namespace = "a", on_invalid = "null" }
"a.b" = { format = "ascii", key = "people:1", namespace = "b" }
'"x.y"."q[]"' = { format = "ascii", key = "people:1", namespace = "x" }
[columns.n]
format = { type = "integer", min = -999999, max = 99999999 }
key = "people:1"
namespace = "n"
[columns."orders[].phone"]
format = "digits"
key = "people:2"
namespace = "phone"
tweak = "orders[].id"
on_invalid = "null"
[columns."orders[].lines[].sku"]
format = "ascii"
key = "people:2"
namespace = "sku"
tweak = "id"
"""
RECORDS = (
    '{"id": "r1", "contact": {"email": "jane@example.org", "phone": "1", "more": {"a": [1]}},'
    ' "emails": ["a@b.org", null, "nobody", "caf\\u00e9@x.org"], "n": 12345}',
    '{"id": 2, "attributes": {"eye": "Blue", "x": null, "n": "4"},'
    ' "orders": [{"id": 1, "phone": "5551234", "lines": [{"sku": "ab 1"}, {"sku": null}, {}]},'
    ' {"phone": 5551234, "note": "in clear"}],\n'
    ' "n": null, "address": {"street": {"name": "S"}}, "big": 12345678901234567890.5e-400}',
    '{"a": {"b": "nested one", "c": [true, false, {}]}, "x.y": {"q[]": "tricky value"},'
    ' "id": null}',
    '{"a.b": "whole name", "a": 5, "emails": [], "contact": null, "orders": null,'
    ' "attributes": {}}',
    '{"contact": {}, "orders": [], "n": -77, "\\ud800é": 0, "deep": ' + "[" * 400 + "]" * 400 + "}",
)
"""Nested values, nulls, missing keys, empty objects and lists, invalid values, names like paths."""


def shapes() -> dict[str, bytes]:
    """Return the records as an object a line, and as an array."""
    array = "\ufeff \n[" + " ,\n".join(RECORDS) + " ]\r\n "
    return {"ndjson": "\n".join(RECORDS).encode(), "json": array.encode()}


@pytest.mark.parametrize("kind", ["ndjson", "json"])
def test_nested_values(kind: str, place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(NESTED)
    Path(f"a.{kind}").write_bytes(shapes()[kind])
    done = both(go, python, (f"t.{kind}",), "protect", f"a.{kind}", f"t.{kind}", *KEYS)
    assert done.code == 0, done.err
    tokens = Path(f"t.{kind}").read_text()
    for clear in ("jane@", "Blue", "5551234", "ab 1", "nested one", "tricky", "whole name"):
        assert clear not in tokens
    assert "not protected, in clear: " in done.err
    assert "'contact.more', " in done.err
    assert "'orders[].note'" in done.err.split("as the policy says")[1]
    assert "12345678901234567890.5e-400" in tokens
    done = both(go, python, (f"b.{kind}",), "reveal", f"t.{kind}", f"b.{kind}", *KEYS)
    assert done.code == 0, done.err
    assert '"Blue", "x": null' in Path(f"b.{kind}").read_text()
    done = both(go, python, ("j",), "protect", f"a.{kind}", "j", "--type", kind, "--json", *KEYS)
    result = json.loads(done.out)
    assert result["columns"]["emails[]"]["invalid"] == {"short": 1, "foreign": 1, "delimiter": 1}
    assert result["columns"]["orders[].lines[].sku"]["rows"] == 3
    strict = ("protect", f"a.{kind}", "s", "--type", kind, "--strict", *KEYS)
    assert both(go, python, ("s",), *strict).code == 3


def test_missing_paths(place: Path, go: Command, python: Command) -> None:
    """Columns that a file lacks can be ignored; those that are only empty are not missing."""
    Path("p.toml").write_text(NESTED)
    for number, text in enumerate((RECORDS[0], RECORDS[3], '{"contact": {"phone": 1}}', "")):
        Path("a.ndjson").write_text(text)
        arguments = ("protect", "a.ndjson", f"t{number}.ndjson", *KEYS)
        both(go, python, (f"t{number}.ndjson",), *arguments)
        both(go, python, (f"i{number}",), *arguments[:2], f"i{number}", "--ignore-missing", *KEYS)


def test_a_column_beside_one_that_is_kept(place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(
        ONE.replace("[columns", 'keep = ["user"]\nunlisted = "error"\n[columns', 1)
    )
    Path("a.ndjson").write_text('{"n": 1, "user": 7, "user.email": "zoe@example.org"}')
    done = both(go, python, ("t.ndjson",), "protect", "a.ndjson", "t.ndjson", *KEYS)
    assert done.code == 3
    assert "'user.email'" in done.err


def test_protected_by_two_policies(place: Path, go: Command, python: Command) -> None:
    """What the marker says was protected is not called clear, with and without a new marker."""
    Path("p.toml").write_text(NESTED)
    Path("a.ndjson").write_text(RECORDS[0] + RECORDS[1].replace("\n", " ").join("\n\n"))
    part = '"contact.email" = { format = "email", key = "people:1", namespace = "e-mail" }\n'
    Path("one.toml").write_text(f"[columns]\n{part}")
    rest = 'big = { format = { type = "mask", keep_last = 1 } }\n'
    Path("two.toml").write_text(f"[columns]\n{rest}")
    one = ("protect", "a.ndjson", "b.ndjson", "-p", "one.toml", *KEYS[2:])
    assert both(go, python, ("b.ndjson",), *one).code == 0
    for name, more in (("c.ndjson", ()), ("d.ndjson", ("--no-marker",))):
        two = ("protect", "b.ndjson", name, *more, "-p", "two.toml", *KEYS[2:])
        done = both(go, python, (name,), *two)
        assert "contact.email" not in done.err


PATHS = """
[columns]
"a.b[].c" = { format = "digits", key = "people:1", namespace = "c", on_invalid = "null" }
[columns."a.m{}"]
format = "digits"
key = "people:1"
namespace = "m"
on_invalid = "keep"
tweak = "a.t"
"""
REFUSED: list[tuple[bytes, str, str]] = [
    (b'{"a": {"b": [{"c": {}}]}}', "ndjson", PATHS),
    (b'{"a": {"b": [{"c": "\\udc00"}]}}', "ndjson", PATHS),
    (b'{"a": {"b": {"c": 1}}}', "ndjson", PATHS),
    (b'{"a": [1]}', "ndjson", PATHS),
    (b'{"a": {"m": [1]}}', "ndjson", PATHS),
    (b'\n{"a": {"b": [7], "m": {}}}', "ndjson", PATHS),
    (b'{"a": {"m": {"x": "123456"}, "t": {}}}', "ndjson", PATHS),
    (b'{"a": {"b": [{"c": "123456", "c": "1"}]}}', "ndjson", PATHS),
    (b'{"a": {"b": [], "b": [{"c": "123456"}]}}', "ndjson", PATHS),
    (b'{"a": {"m": {"k": "123456", "k": "1"}}}', "ndjson", PATHS),
    (b'{"a": {"b": [{"c": 0.5}]}}', "ndjson", PATHS.replace(', on_invalid = "null"', "")),
    (b'{"a": {"b": [{"c": 100000}, {"c": 1234567}]}}', "ndjson", PATHS),
    (b'{"z": 1}', "ndjson", PATHS),
    (b'{"a.b[].c": "123456", "a": {"b": [{"c": "secret"}]}}', "ndjson", PATHS),
    (b'{"a": {"b": [], "m": {}}}', "ndjson", PATHS.replace('"a.t"', '"a.b[].c"')),
    (b'{"n": 1}', "json", ONE),
    (b"", "json", ONE),
    (b'[{"n": 1}', "json", ONE),
    (b'[{"n": 1},]', "json", ONE),
    (b'[{"n": 1}\n{"n": 2}]', "json", ONE),
    (b'[{"n": 1}],', "json", ONE),
    (b'[{"n": 1}, 2]', "json", ONE),
    (b"[\n{},\n{}]", "json", ONE),
    (b'[{"n": 1e999999999}]', "json", ONE),
    (b'[{"n": "x"}]', "json", ONE),
    (b'[{"n": 1}]\n\xff', "json", ONE),
    (b'[{"m": "\xc3', "json", ONE),
]


def test_refusals(place: Path, go: Command, python: Command) -> None:
    """Nothing appears, and both commands say the same, without the value."""
    differing, left = [], {"p.toml", "r.keys", ".r.keys.lock", "root.key", "a.json", "a.ndjson"}
    for data, kind, policy in REFUSED:
        Path(f"a.{kind}").write_bytes(data)
        Path("p.toml").write_text(policy)
        arguments = ("protect", f"a.{kind}", f"t.{kind}", *KEYS)
        ours, theirs = (without_times(call(*arguments)) for call in (go, python))
        assert {one.name for one in Path().iterdir()} <= left
        assert theirs.code != 0, data
        if "UTF-8" in theirs.err:  # of --encoding, which the program in Go has not
            assert (ours.code, ours.err.split(";")[0]) == (theirs.code, theirs.err.split(";")[0])
        elif ours != theirs:
            differing.append(f"{data!r}:\n{ours}\n{theirs}")
    assert not differing, "\n".join(differing)


def test_random_records(place: Path, go: Command, python: Command) -> None:
    """Of random records both make the same, or refuse the same."""
    Path("p.toml").write_text(PATHS)
    generator = random.Random(1)  # noqa: S311
    leaves = ["123456", "abcdef", "", None, 123456, 7.5, True, "é", "123456 7"]

    def value(depth: int, key: str) -> object:
        if generator.random() < 0.05:
            key = generator.choice("abcmt")
        make = generator.random() < 0.9
        if depth < 4 and make and key in "ab":
            if key == "b":
                return [value(depth + 1, "") for _ in range(generator.randrange(3))]
            return {one: value(depth + 1, one) for one in generator.sample("bmtx", 3)}
        if depth < 4 and make and key in ("m", ""):
            names = "cde" if key == "" else "xyz"
            return {one: value(9, one) for one in generator.sample(names, 2)}
        return generator.choice(leaves)

    for _ in range(12):
        records = [{one: value(1, one) for one in "az"} for _ in range(generator.randrange(1, 4))]
        ascii = generator.random() < 0.5
        text = "\n".join(json.dumps(one, ensure_ascii=ascii) for one in records)
        Path("a.ndjson").write_text(text)
        for name in ("t.ndjson", "t.ndjson.tallystick.json"):
            Path(name).unlink(missing_ok=True)
        done = both(go, python, ("t.ndjson",), "protect", "a.ndjson", "t.ndjson", *KEYS)
        assert done.code in (0, 5, 6), done.err


def unpacked(name: str) -> bytes:
    data = Path(name).read_bytes()
    if name.endswith(".gz"):
        return gzip.decompress(data)
    return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())


def packed(data: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(data[:100]) + gzip.compress(data[100:]) + bytes(700)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files(suffix: str, place: Path, go: Command, python: Command) -> None:
    """Each unpacks what the other packed, and the content is the same."""
    Path("p.toml").write_text(ONE)
    generator = random.Random(1)  # noqa: S311
    data = "".join(f"{generator.randrange(10**8)}\r\n" for _ in range(300_000))
    data = "n\r\n" + data
    Path(f"a.csv{suffix}").write_bytes(packed(data.encode(), suffix))
    for call, name in ((go, "go"), (python, "python")):
        done = call("protect", f"a.csv{suffix}", f"{name}.csv{suffix}", *KEYS)
        assert done.code == 0, done.err
    assert unpacked(f"go.csv{suffix}") == unpacked(f"python.csv{suffix}") != data.encode()
    for call, name in ((python, "go"), (go, "python")):
        assert call("reveal", f"{name}.csv{suffix}", f"{name}.back.csv", *KEYS).code == 0
        assert Path(f"{name}.back.csv").read_bytes() == data.encode()
    Path("p.toml").write_text(NESTED)
    for kind, text in shapes().items():
        Path(f"b.{kind}{suffix}").write_bytes(packed(text, suffix))
        arguments = ("protect", f"b.{kind}{suffix}", f"t.{kind}", *KEYS)
        assert both(go, python, (f"t.{kind}",), *arguments).code == 0


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_compression(suffix: str, place: Path, go: Command, python: Command) -> None:
    """A file that is cut or altered anywhere is refused, and nothing appears."""
    Path("p.toml").write_text(ONE)
    data = b"n\n" + b"".join(b"%d\n" % (n * 7919 % 10**6) for n in range(3000))
    whole = packed(data, suffix).rstrip(b"\0")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 4
    bad = [whole[:at] for at in (3, 9, len(whole) // 2, len(whole) - 3)]
    for wrong in (*bad, bytes(flipped), whole + b"behind it", b"n\n1\n"):
        Path(f"a.csv{suffix}").write_bytes(wrong)
        ours, theirs = (call("protect", f"a.csv{suffix}", "t.csv", *KEYS) for call in (go, python))
        assert theirs.code == ours.code == 6, (len(wrong), len(whole), ours, theirs)
        assert f"not a {suffix} file" in ours.err
        assert not [one for one in Path().iterdir() if "t.csv" in one.name]
    Path("a.csv.bz2").write_bytes(bz2.compress(data))
    done = go("protect", "a.csv.bz2", "t.csv", *KEYS)
    assert done.code == 6
    assert ".bz2 too" in done.err


def test_a_bomb_is_refused_in_bounded_memory(place: Path, programs: Path) -> None:
    """A small file that unpacks to one huge record is an error, not a full memory."""
    Path("p.toml").write_text(ONE)
    with gzip.open("a.csv.gz", "wb", 1) as stream:
        stream.write(b'n\n"')
        for _ in range(300):
            stream.write(b"1" * (1 << 20))
    command = [str(programs / "tallystick"), "protect", "a.csv.gz", "t.csv", *KEYS]
    assert subprocess.run(measured(command, place / "peak"), check=False).returncode == 6
    assert peak(place / "peak") < 1_400
    assert not os.path.exists("t.csv")
