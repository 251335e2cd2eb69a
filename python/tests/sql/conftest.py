# SPDX-License-Identifier: Apache-2.0
"""The key ring, protector and tokens of the tests of data frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from frames_support import POLICY, make_ring, people, tokens_of_file
from tallystick import Protector
from tallystick.keyring import Keyring
from tallystick.policy import Policy


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ring")


@pytest.fixture(scope="session")
def ring(directory: Path) -> Keyring:
    return make_ring(directory)


@pytest.fixture(scope="session")
def protector(ring: Keyring) -> Iterator[Protector]:
    with Protector(Policy.parse(POLICY), ring) as made:
        yield made


@pytest.fixture(scope="session")
def plain() -> pa.Table:
    return people()


@pytest.fixture(scope="session")
def tokens(plain: pa.Table, ring: Keyring, directory: Path) -> pa.Table:
    return tokens_of_file(plain, POLICY, ring, directory)
