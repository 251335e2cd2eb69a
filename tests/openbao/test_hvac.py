# SPDX-License-Identifier: Apache-2.0
"""A client of Vault's Transform, hvac, calls the plugin by another mount point alone."""

from __future__ import annotations

from collections.abc import Iterator

import hvac
import pytest
from hvac.api.secrets_engines import Transform
from tests.openbao.server import Server

SSN = "078-05-1120"
CARD = "4111111111111111"


@pytest.fixture
def transform(server: Server) -> Iterator[Transform]:
    client = hvac.Client(url=server.address, token=server.token)
    yield client.secrets.transform
    client.adapter.close()


def test_values(transform: Transform, server: Server) -> None:
    server.write("tallystick/roles/one", {"policy": "people", "protect": "ssn", "reveal": "ssn"})
    for role, named in (("all", {"transformation": "ssn"}), ("one", {})):
        made = transform.encode(role, value=SSN, mount_point="tallystick", **named)
        token = made["data"]["encoded_value"]
        assert token != SSN
        back = transform.decode(role, value=token, mount_point="tallystick", **named)
        assert back["data"]["decoded_value"] == SSN
    tweaked = {"transformation": "card", "tweak": "7", "mount_point": "tallystick"}
    token = transform.encode("all", value=CARD, **tweaked)["data"]["encoded_value"]
    assert transform.decode("all", value=token, **tweaked)["data"]["decoded_value"] == CARD
    with pytest.raises(hvac.exceptions.InvalidRequest, match="does not match its format"):
        transform.encode("all", value="?", transformation="ssn", mount_point="tallystick")


def test_batches(transform: Transform) -> None:
    items = [
        {"value": SSN, "transformation": "ssn", "reference": "row 1"},
        {"value": CARD, "transformation": "card", "tweak": "7", "reference": "row 2"},
    ]
    made = transform.encode("all", batch_input=items, mount_point="tallystick")["data"]
    assert [one["reference"] for one in made["batch_results"]] == ["row 1", "row 2"]
    tokens = [
        item | {"value": one["encoded_value"]}
        for item, one in zip(items, made["batch_results"], strict=True)
    ]
    assert all(one["value"] not in (SSN, CARD) for one in tokens)
    back = transform.decode("all", batch_input=tokens, mount_point="tallystick")["data"]
    assert [one["decoded_value"] for one in back["batch_results"]] == [SSN, CARD]
