# SPDX-License-Identifier: Apache-2.0
"""The plugin, built from the sources, and a server that the tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.openbao.server import POLICY, Server, build, running


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the plugin, and return its folder."""
    return build(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="session")
def server(plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with a key, a policy and a role for everything."""
    with running(tmp_path_factory.mktemp("server"), plugins) as server:
        prepare(server)
        yield server


def prepare(server: Server) -> None:
    """Make a key, a policy and a role."""
    server.write("tallystick/keys/people")
    server.write("tallystick/policies/people", {"policy": POLICY})
    server.write(
        "tallystick/roles/all", {"policy": "people", "protect": "*", "reveal": "*", "rewrap": "*"}
    )
