# SPDX-License-Identifier: Apache-2.0
"""Providers of keys that the executors of the tests import; the environment names them."""

from __future__ import annotations

import os

from tallystick.keyring import KeyId, Keyring, RootKey


class Counted:
    """The key ring of the executors, which notes which process made it."""

    def __init__(self) -> None:
        with open(os.environ["SPARK_TEST_OPENED"], "a") as file:
            file.write(f"{os.getpid()}\n")
        root = RootKey.parse(os.environ["TALLYSTICK_ROOT"])
        self._ring = Keyring.open(os.environ["TALLYSTICK_KEYRING"], root)

    def key(self, reference: KeyId) -> bytes:
        return self._ring.key(reference)


class Talkative:
    """What fails with a secret in its message."""

    def __init__(self) -> None:
        raise RuntimeError(f"could not use {os.environ['SPARK_TEST_ROOT']}")


class Keyless:
    """What is no provider."""
