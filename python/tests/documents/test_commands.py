# SPDX-License-Identifier: Apache-2.0
"""docs/reference/json.md has every field of JSON, and the results have those."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_list import every_command
from pages import blocks
from program import set_defaults
from results import RESULTS, Error, KeyringAdd, read, schema
from tallystick.cli.main import run

DOCS = Path(__file__).parents[3] / "docs" / "reference"
EVERYWHERE = {"--help"}


def commands() -> dict[str, set[str]]:
    """Return the names of the options of every command."""
    return {
        path: {name for one in options for name in (*one.opts, *one.secondary_opts)} - EVERYWHERE
        for path, options in every_command()
    }


FILTERS = {"text protect", "text reveal"}
"""Commands whose standard output is the text itself, so that they have no --json."""


def with_json() -> set[str]:
    return {
        path for path, options in every_command() if any("--json" in one.opts for one in options)
    }


def test_all_commands_but_filters_have_json() -> None:
    assert set(commands()) - with_json() == FILTERS


def test_a_short_option_means_one_thing() -> None:
    long_of: dict[str, set[str]] = defaultdict(set)
    for _, options in every_command():
        for option in options:
            for short in set(option.opts) - {name for name in option.opts if name[:2] == "--"}:
                long_of[short].add(max(option.opts, key=len))
    assert all(len(names) == 1 for names in long_of.values()), long_of
    assert long_of["-t"] == {"--threads"}
    assert long_of["-n"] == {"--rows"}


def paths(schema: dict[str, Any], described: dict[str, Any], place: str = "") -> Iterator[str]:
    """Give the fields of an object as the page names them."""
    if "$ref" in described:
        described = schema["$defs"][described["$ref"].rpartition("/")[2]]
    for one in described.get("anyOf", ()):
        yield from paths(schema, one, place)
    for name, field in described.get("properties", {}).items():
        path = f"{place}.{name}" if place else name
        yield path
        yield from paths(schema, field, path)
    if "items" in described:
        yield from paths(schema, described["items"], f"{place}[]")
    if isinstance(described.get("additionalProperties"), dict):
        yield from paths(schema, described["additionalProperties"], f"{place}.NAME")


def test_every_field_of_json_is_documented() -> None:
    page = (DOCS / "json.md").read_text("utf-8")
    schema = json.loads((DOCS / "cli.schema.json").read_text("utf-8"))
    headings = {kind.__name__: kind.__struct_config__.tag for kind in RESULTS} | {"Error": "Errors"}
    assert with_json() <= set(headings.values())
    for name, heading in headings.items():
        section = page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
        listed = re.findall(r"^\| `([\w.\[\]]+)` \| .+ \|$", section, re.MULTILINE)
        assert listed == [p for p in paths(schema, schema["$defs"][name]) if p != "command"], name
    (example,) = blocks(page, "json")
    assert isinstance(read(example), Error)


POLICY = """
[columns]
name = { format = "letters", key = "people:1", namespace = "name", on_invalid = "null" }
code = { format = "mask" }
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    set_defaults(monkeypatch, "a.toml", "a.keys")
    monkeypatch.setenv("SIGNING_KEY", bytes(range(32)).hex())
    (tmp_path / "a.toml").write_text(POLICY)
    (tmp_path / "a.csv").write_text("name,code\nAnne,1234\nBo,5\n77,6\n")
    (tmp_path / "large").write_bytes(bytes(3000))
    return tmp_path


SIGNER = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
RUNS = [
    ("keyring new", "a.keys"),
    ("keyring add", "a.keys", "people"),
    ("keyring rotate", "a.keys", "people"),
    ("keyring rights", "a.keys", "people:1", "--may", "protect", "--may", "reveal"),
    ("keyring wrap", "a.keys", "--by", "file:root.key"),
    ("keyring anchor", "a.keys", "a.anchor"),
    ("policy key", "sign.key"),
    ("policy sign", "a.toml", "--key", "env:SIGNING_KEY"),
    ("policy verify", "a.toml", "--signer", SIGNER),
    ("keyring signers", "a.keys", "--signer", SIGNER),
    ("check", "a.csv"),
    ("keyring signers", "a.keys", "--none"),
    ("keyring list", "a.keys"),
    ("formats",),
    ("inspect", "a.csv"),
    ("check", "a.csv"),
    ("preview", "a.csv"),
    ("protect", "a.csv", "b.csv", "--report", "b.html"),
    ("reveal", "b.csv", "c.csv", "--report", "c.html", "--reveal-log", "r.log"),
    ("reveals verify", "r.log"),
    ("rotate", "b.csv", "d.csv", "--key", "people:1=people:2", "--write-policy", "b.toml",
     "--report", "d.html"),
    ("share split", "large", "--shares", "3", "--threshold", "2", "--holder", "Ann", "--holder",
     "Bob", "--holder", "Cid"),
    ("share verify", "large-1-of-3.share", "large-2-of-3.share"),
    ("share combine", "large-1-of-3.share", "large-2-of-3.share", "--to", "back"),
    ("share info", "large-1-of-3.share"),
    ("keyring split", "a.keys", "--threshold", "2", "--holder", "Ann", "--holder", "Bob",
     "--into", "shares"),
    ("keyring list", "a.keys", "--root", "shares:shares"),
    ("keyring reshare", "a.keys", "--threshold", "2", "--holder", "Ann", "--holder", "Bob",
     "--root", "shares:shares"),
    ("text scan", "a.csv"),
]  # fmt: skip


@pytest.mark.usefixtures("place")
def test_results_are_of_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert {name for name, *_ in RUNS} == with_json()
    for name, *arguments in RUNS:
        code = run([*name.split(), *arguments, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err + out
        assert read(out).__struct_config__.tag == name


UNUSUAL: list[tuple[int, tuple[str, ...]]] = [
    (3, ("check", "a.csv", "-p", "strict.toml")),
    (0, ("check", "a.parquet")),
    (0, ("inspect", "a.parquet")),
    (0, ("inspect", "people.csv")),
    (0, ("preview", "empty.csv")),
    (0, ("share", "split", "small", "--shares", "3", "--threshold", "2")),
    (0, ("share", "info", "small-1-of-3.txt")),
    (0, ("share", "verify", "small-1-of-3.txt")),
    (7, ("share", "verify", "small-1-of-3.txt", "small-1-of-3.txt", "large", "small")),
    (0, ("share", "combine", "small-1-of-3.txt", "small-2-of-3.txt", "--to", "back")),
    (5, ("protect", "a.csv", "b.csv", "-p", "strict.toml")),
    (6, ("protect", "gone.csv", "b.csv")),
    (2, ("protect", "a.csv")),
    (2, ("no-command",)),
    (4, ("keyring", "list", "small")),
    (3, ("check", "a.csv", "-p", "a.csv")),
    (7, ("share", "combine", "small-1-of-3.txt", "--to", "more")),
]


@pytest.mark.usefixtures("place")
def test_results_of_unusual_runs_are_of_the_documented_shape(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "strict.toml").write_text(POLICY.replace("null", "error"))
    (place / "empty.csv").write_text("name,code\n")
    (place / "people.csv").write_text("email\n" + "".join(f"a{n}@b.example\n" for n in range(99)))
    (place / "small").write_text("a secret")
    pq.write_table(pa.table({"name": ["Anne", None], "code": ["1", "2"]}), place / "a.parquet")
    run(["keyring", "new", "a.keys"])
    run(["keyring", "add", "a.keys", "people"])
    capsys.readouterr()
    for code, arguments in UNUSUAL:
        assert run([*arguments, "--json"]) == code, arguments
        out, err = capsys.readouterr()
        assert isinstance(read(out), Error) is ("error" in out[:9]), err
        assert out.count("\n") == 1


def test_another_shape_is_seen() -> None:
    good = {"command": "keyring add", "keyring": "a", "key": "b:1"}
    assert read(json.dumps(good)) == KeyringAdd("a", "b:1")
    for bad in ({**good, "more": 1}, {**good, "key": 1}, {"command": "keyring add", "key": "b:1"}):
        with pytest.raises(msgspec.ValidationError):
            read(json.dumps(bad))
    with pytest.raises(AssertionError):
        read('{"keyring": "a", "command": "keyring add", "key": "b:1"}')


def test_the_schema_is_that_of_the_results() -> None:
    found = (DOCS / "cli.schema.json").read_text("utf-8")
    assert found == schema(), "python python/tests/results.py > docs/reference/cli.schema.json"
    kinds = {kind.__struct_config__.tag for kind in RESULTS}
    assert kinds == with_json()
    for kind in RESULTS:
        described = json.loads(found)["$defs"][kind.__name__]
        assert next(iter(described["properties"])) == "command"
        assert "command" in described["required"]
        assert described["additionalProperties"] is False
