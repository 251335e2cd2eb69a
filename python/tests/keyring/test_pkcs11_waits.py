# SPDX-License-Identifier: Apache-2.0
"""A token's library that never answers holds up no caller for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OPENS = """
from tallystick.errors import RootKeyError
from tallystick.keyring.roots import pkcs11

pkcs11.WAIT = 0.2
token = pkcs11.parse("token=a;object=b", input)
for act in (token.wrap, token.unwrap):  # the second waits for the first one's login
    try:
        act(bytes(60), b"")
    except RootKeyError as error:
        print(error)
"""


def test_a_library_that_hangs(tmp_path: Path) -> None:
    pytest.importorskip("pkcs11")
    library = tmp_path / "hangs.so"
    source = Path(__file__).with_name("hanging_token.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    environment = {"TALLYSTICK_PKCS11_MODULE": str(library), "TALLYSTICK_PKCS11_PIN": "1234"}
    done = subprocess.run(  # a process of its own, since its thread hangs until it ends
        [sys.executable, "-c", OPENS],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.count("pkcs11:token=a;object=b: the token's library has not answered") == 2
