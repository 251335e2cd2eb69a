# SPDX-License-Identifier: Apache-2.0
"""Homes of wrapping keys: a ring opens, and each home says that a key is lost or denied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from key_homes import HOMES, Home, missing
from keyring_support import edited, open_bytes
from tallystick.errors import (
    RootKeyDeniedError,
    RootKeyError,
    RootKeyLostError,
    TallyError,
)
from tallystick.keyring import Keyring, RootKey
from tallystick.keyring.roots import post

LIBRARIES = {
    "aws-kms": ("boto3", "moto", "flask", "flask_cors"),
    "azure-kv": ("azure.identity",),
    "gcp-kms": ("google.auth", "requests"),
    "keyring": ("keyring", "secretstorage"),
    "pkcs11": ("pkcs11",),
    "transit": (),
}


@pytest.fixture(params=HOMES)
def home(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Home]:
    for library in LIBRARIES[request.param]:
        pytest.importorskip(library)
    if lacking := missing(request.param):
        pytest.skip(f"there is no {', '.join(lacking)}")
    monkeypatch.setattr(post, "_WAITS", (0.0, 0.0))
    folder = tmp_path / "home"
    folder.mkdir()
    with HOMES[request.param][0](folder) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running


def test_a_home(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of one home's life, since each takes a while to start."""
    path, source = tmp_path / "a.ring", RootKey.parse(home.root)
    made = Keyring.create(path, source)
    made.add("people")
    ring = Keyring.open(path, source)
    assert (ring.roots, ring.key("people:1")) == ((home.root,), made.key("people:1"))
    assert not [secret for secret in home.secrets if secret in path.read_text()]

    def refused(kind: type[RootKeyError], says: str = ".") -> None:
        with pytest.raises(RootKeyError, match=says) as caught:
            Keyring.open(path, source)
        assert type(caught.value) is kind, caught.value
        assert not [secret for secret in home.secrets if secret in str(caught.value)]
        assert home.root in str(caught.value)

    def change(variables: dict[str, str]) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    # Another ring's record, and one that was changed.
    other = edited(path.read_bytes(), lambda fields: fields.update(ring="0" * 32))
    with pytest.raises(TallyError, match="does not decrypt" if home.bound else "does not belong"):
        open_bytes(tmp_path, other, source)
    wrapped = source.establish(path, ring.id)[1].wrapped  # type: ignore[attr-defined]
    for bad in (wrapped[:-1] + bytes([wrapped[-1] ^ 1]), wrapped[:-4], b"x"):
        with pytest.raises(RootKeyError) as caught:
            source.root.unwrap(bad, b"tallystick keyring " + ring.id.encode())  # type: ignore[attr-defined]
        assert type(caught.value) is RootKeyError

    if home.root != "keyring:people":
        change(home.deny())
        refused(RootKeyDeniedError, "the use of the key is denied")
        change(home.allow())
        Keyring.open(path, source)
    if home.absent:
        absent = RootKey.parse(home.absent)
        with pytest.raises(RootKeyLostError, match="there is no such key"):
            absent.root.unwrap(wrapped, b"tallystick keyring ")  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        for name, value in home.stop.items():
            patch.setenv(name, value)
        if home.stop and home.root != "keyring:people":
            refused(RootKeyError)
    home.lose()
    refused(RootKeyLostError, "open the ring with another of its roots")
