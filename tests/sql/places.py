# SPDX-License-Identifier: Apache-2.0
"""A policy with every format of the vectors, its key ring, and what is wrong with others."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tallystick import Protector
from tallystick.keyring import Keyring, RootKey
from tallystick.keyring.names import Rights

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "sql"
VECTORS = json.loads((ROOT / "vectors" / "tokens.json").read_text())

RULES = """
unlisted = "keep"
[columns]
card.format = { type = "card", keep_last = 4, luhn = "valid" }
card.key = "k:1"
card.namespace = "card"
number = { format = "digits", key = "k:1", namespace = "number" }
email = { format = "email", key = "k:1", namespace = "e-mail" }
born = { format = "date", key = "k:1", namespace = "born" }
hidden = { format = "mask" }
pseudonym = { format = "pseudonym", key = "k:1", namespace = "pseudonym" }
"a b.c" = { format = "digits", key = "k:1", namespace = "dotted" }
"naïve" = { format = { type = "letters", case = "lower" }, key = "k:1", namespace = "naïve" }
name = { format = "letters", key = "k:1", namespace = "name", tweak = "id" }
nulled = { format = "digits", key = "k:1", namespace = "number", on_invalid = "null" }
kept = { format = "digits", key = "k:1", namespace = "number", on_invalid = "keep" }

[columns.kept_tweaked]
format = "digits"
key = "k:1"
namespace = "n"
tweak = "id"
on_invalid = "keep"

[columns.seen]
format = { type = "timestamp", resolution = "s" }
key = "k:1"
namespace = "seen"

[columns.points]
format = { type = "integer", min = 0, max = 999_999_999 }
key = "k:1"
namespace = "points"

[columns.price]
format = { type = "decimal", min = "0.00", max = "999999.99", scale = 2 }
key = "k:1"
namespace = "price"

"""


def toml(value: object) -> str:
    """Write a value as TOML, inline."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class Place:
    """Where policy, key ring and root key are, and what Python makes of them."""

    folder: Path
    protector: Protector

    @property
    def policy(self) -> str:
        return str(self.folder / "policy.toml")

    @property
    def ring(self) -> str:
        return str(self.folder / "keys")

    @property
    def root(self) -> str:
        return f"file:{self.folder / 'root'}"

    @property
    def arguments(self) -> str:
        """The arguments of tally_open."""
        return ", ".join(map(quoted, (self.policy, self.ring, self.root)))


def quoted(text: str) -> str:
    """Write a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def limited(place: Place, folder: Path, rights: Rights) -> str:
    """Return the arguments of tally_open for a ring whose key has fewer rights."""
    ring = folder / f"limited {rights}"
    shutil.copy(place.ring, ring)
    Keyring.open(ring, RootKey.parse(place.root)).set_rights("k:1", rights)
    return ", ".join(map(quoted, (place.policy, str(ring), place.root)))


def ring_with_signers(folder: Path) -> tuple[str, str]:
    """Write a ring that demands signed policies; return its path and the root key's source."""
    cases = json.loads((ROOT / "vectors" / "keyrings.json").read_text())
    case = next(case for case in cases if case["source"] == "format 2: rights and signers")
    (folder / "signed.keys").write_text(case["text"])
    (folder / "signed.root").write_text(case["root_key"])
    (folder / "signed.root").chmod(0o600)
    return str(folder / "signed.keys"), f"file:{folder / 'signed.root'}"


def wrong_places(place: Place, folder: Path) -> dict[str, tuple[str, str, str, str]]:
    """Return files of which one is wrong, each with what the message has."""
    files = {name: Path(getattr(place, name)) for name in ("policy", "ring")}
    key = Path(place.root.removeprefix("file:")).read_text().strip()

    def made(name: str, content: str | bytes, mode: int = 0o600) -> str:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return str(path)

    policy, ring, root = place.policy, place.ring, place.root
    damaged = files["ring"].read_text().replace('"version": 1', '"version": 2', 2)
    swapped = files["ring"].read_text()
    at = swapped.index('"wrapped": "') + 20
    swapped = swapped[:at] + ("B" if swapped[at] == "A" else "A") + swapped[at + 1 :]
    other = made("other", "0" * 64)
    demanding, its_root = ring_with_signers(folder)
    signable = '[columns]\na = { format = "digits", key = "people:1", namespace = "n" }\n'
    bad_rule = '[columns]\na = { format = "digit", key = "k:1", namespace = "n" }\n'
    no_key = '[columns]\na = { format = "digits", key = "gone:1", namespace = "n" }\n'
    return {
        "no policy": (str(folder / "none"), ring, root, "No such file"),
        "a folder": (str(folder), ring, root, "is not a regular file"),
        "no TOML": (made("t", "a = \n"), ring, root, "line 1: a value is missing"),
        "not UTF-8": (made("u", b"a = '\xff'"), ring, root, "is not UTF-8"),
        "a bad rule": (made("r", bad_rule), ring, root, "columns.a.format: there is no format"),
        "too large": (made("l", "#" * (1 << 20) + "\n"), ring, root, "more than 1048576 bytes"),
        "a key that is not there": (made("k", no_key), ring, root, "gone:1"),
        "no ring": (policy, str(folder / "none"), root, "No such file"),
        "the policy as ring": (policy, policy, root, "not a key ring"),
        "a damaged ring": (policy, made("d", damaged), root, "d: "),
        "an edited ring": (policy, made("e", swapped), root, "damaged or edited"),
        "signatures": (made("f", signable), demanding, its_root, "demands signed policies"),
        "another root key": (policy, ring, f"file:{other}", "root key"),
        "no root key": (policy, ring, f"file:{folder / 'none'}", "the root key's file: can't be"),
        "a short root key": (policy, ring, "file:" + made("s", key[:-1]), "64 hexadecimal digits"),
        "an open root key": (policy, ring, "file:" + made("o", key, 0o640), "mode 0640"),
        "no variable": (policy, ring, "env:NONE", "variable is not set"),
        "a bad variable": (policy, ring, "env:PATH", "64 hexadecimal digits"),
        "a key as source": (policy, ring, key, "never write the key itself"),
        "a key as path": (policy, ring, f"file:{key}", "never write the key itself"),
        "a key as ring": (policy, key, root, "make a new one"),
        "a prompt": (policy, ring, "prompt", "file:PATH or env:NAME"),
    }
