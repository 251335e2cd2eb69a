# SPDX-License-Identifier: Apache-2.0
"""The policy and key ring that the extensions open, and memory that runs out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.sql.places import RULES, VECTORS, Place, toml

from tallystick import Protector
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("sql")
    ring = Keyring.create(folder / "keys", RootKey.generate_file(folder / "root"))
    ring.add("k")
    namespaces = sorted({vector.get("namespace") or "" for vector in VECTORS} - {""})
    lines = [f"mixed_formats = {toml(namespaces)}", RULES]
    keys: dict[str, str] = {}
    for number, vector in enumerate(VECTORS):
        rule = {"format": vector["format"]}
        if digits := vector.get("key"):
            if digits not in keys:
                keys[digits] = str(ring.add(f"v{number}", key=bytes.fromhex(digits)))
            rule |= {"key": keys[digits], "namespace": vector["namespace"]}
        lines.append(f"[columns.v{number}]")
        lines.extend(f"{key} = {toml(value)}" for key, value in rule.items())
    (folder / "policy.toml").write_text("\n".join(lines), encoding="utf-8")
    return Place(folder, Protector(Policy.load(folder / "policy.toml"), ring))


@pytest.fixture(scope="session")
def no_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what is preloaded so that memory runs out."""
    made = tmp_path_factory.mktemp("preload") / "no_memory.so"
    source = Path(__file__).with_name("no_memory.c")
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", source, "-o", made, "-ldl"],
        check=True,
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
    )
    return made
