# SPDX-License-Identifier: Apache-2.0
"""The rings that every language reads: ``vectors/keyrings.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick.errors import KeyringError, ParameterError, RootKeyError
from tallystick.keyring import KeyId, Keyring
from tallystick.keyring.opened import Opened
from tallystick.keyring.seal import Subkeys

VECTORS = Path(__file__).parents[3] / "vectors" / "keyrings.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))


def opened(case: dict[str, Any], where: Path) -> Keyring:
    """Open a ring as `Keyring.open` does, whatever its root key comes from."""
    data = case["text"].encode() if "text" in case else bytes.fromhex(case["file"])
    root = bytes.fromhex(case["root_key"])
    ring = Opened(data, where)
    ring.unlock(root, "a test")
    return Keyring(where, ring, Subkeys.derive(root, ring.document.ring))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["source"][:60])
def test_rings(case: dict[str, Any]) -> None:
    where = Path("RING")
    if case["result"] == "root key":
        with pytest.raises(RootKeyError) as refused:
            opened(case, where)
        said = str(refused.value).replace("the root key from a test", "the root key", 1)
        assert said == f"{where}: {case['message']}"
        return
    if case["result"] == "key ring":
        with pytest.raises(KeyringError) as caught:
            opened(case, where)
        assert str(caught.value) == f"{where}: {case['message']}"
        return
    ring = opened(case, where)
    assert ring.id == case["ring"]
    assert [str(info.id) for info in ring.keys()] == case["held"]  # noqa: SIM118 (a method of ours)
    if "revision" in case:
        text = opened(case, where)._opened.document
        assert [getattr(root, "by", "") for root in text.roots] == case["by"]
        rights = [getattr(root, "rights", "protect reveal") for root in text.roots]
        assert rights == case["root_rights"]
        assert (ring.revision, list(text.signers)) == (case["revision"], case["signers"])
        assert [info.rights for info in ring.keys()] == case["rights"]  # noqa: SIM118
    else:
        assert ring.revision == 0
    for reference, expected in zip(case["references"], case["keys"], strict=True):
        try:
            found = ring.tokenizer_key(KeyId.parse(reference)).hex()
        except (KeyringError, ParameterError) as error:
            found = "! " + str(error).removeprefix(f"{where}: ")
        assert found == expected
