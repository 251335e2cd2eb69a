# SPDX-License-Identifier: Apache-2.0
"""Homes of wrapping keys: a ring opens, and each home says that a key is lost or denied."""

from __future__ import annotations

import gc
import warnings
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from key_homes import HOMES, Home, Model, missing
from keyring_support import edited, open_bytes
from tallystick.errors import (
    ParameterError,
    RootKeyDeniedError,
    RootKeyError,
    RootKeyLostError,
    TallyError,
)
from tallystick.keyring import Keyring, RootKey, WrappingRoot
from tallystick.keyring.roots import post
from tallystick.keyring.roots.os_keyring import OsKeyring
from transit_server import served

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
    assert isinstance(source, WrappingRoot)
    root, context = source.root, f"tallystick keyring {ring.id}".encode()
    wrapped = root.wrap(bytes(32), context)
    for bad in (wrapped[:-1] + bytes([wrapped[-1] ^ 1]), wrapped[:-4], b"x"):
        with pytest.raises(RootKeyError) as caught:
            root.unwrap(bad, context)
        assert type(caught.value) is RootKeyError

    change(home.deny())
    refused(RootKeyDeniedError, "the use of the key is denied")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()  # the library keyring leaves the bus open if it is locked
    change(home.allow())
    Keyring.open(path, source)
    if home.absent:
        absent = RootKey.parse(home.absent)
        assert isinstance(absent, WrappingRoot)
        with pytest.raises(RootKeyLostError, match="there is no such key"):
            absent.root.unwrap(wrapped, context)
    if home.idle:
        with pytest.raises(RootKeyDeniedError, match="must let the key encrypt"):
            Keyring.create(tmp_path / "idle.ring", RootKey.parse(home.idle))
    with monkeypatch.context() as patch:
        for name, value in home.stop.items():
            patch.setenv(name, value)
        if home.stop and home.root != "keyring:people":
            refused(RootKeyError)
    home.lose()
    refused(RootKeyLostError, "open the ring with another of its roots")


@pytest.mark.parametrize(
    "text",
    ["aws-kms:people", "aws-kms:alias/", "aws-kms:arn:aws:kms:eu-central-1:1:key/x",
     "azure-kv:people", "azure-kv:people/root", "azure-kv:people.vault.azure.net:80/root",
     "azure-kv:people.vault.azure.net/root/1", "azure-kv:a@b.vault.azure.net/root",
     "gcp-kms:people", "gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/",
     "gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1",
     "keyring:a b", "keyring:a/b",
     "pkcs11:token=a", "pkcs11:object=a;token=b", "pkcs11:token=a b;object=c",
     "pkcs11:token=a;object=b?pin-value=1", "pkcs11:token=%zz;object=b"],
)  # fmt: skip
def test_names(text: str) -> None:
    with pytest.raises(ParameterError, match="is written"):
        RootKey.parse(text)


def test_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy server is tried three times, and a redirection is an answer."""
    monkeypatch.setattr(post, "_WAITS", (0.0, 0.0))
    paths = []

    def answer(path: str, body: dict[str, object]) -> tuple[int, object]:
        paths.append(path)
        return (307, {}) if path == "/moved" else (200, {"value": body})

    with served(Model(answer)) as model:
        headers = {"Authorization": f"Bearer {model.token}"}
        address = f"http://{model.host}"
        model.failures = 2
        assert post.post(f"{address}/", headers, {"a": 1}) == (200, {"value": {"a": 1}})
        model.failures = 3
        assert post.post(f"{address}/", headers, {})[0] == 503
        assert post.post(f"{address}/moved", headers, {}) == (307, {})
        with pytest.raises(OSError, match="ValueError") as caught:
            post.post(f"{address}/", {"Authorization": f"Bearer {model.token}\n"}, {})
        assert model.token not in str(caught.value)
    assert paths == ["/", "/moved"]
    with pytest.raises(OSError, match="ConnectionRefusedError"):
        post.post("http://127.0.0.1:1/", {}, {})


@pytest.mark.parametrize("address", ["bao", "https://", "https://h:x", "ftp://h", "https://h/a"])
def test_addresses(address: str) -> None:
    assert post.base(address) is None
    assert post.base("https://u:p@h") is None
    assert post.base("http://[::1]:1/") == "http://[::1]:1"
    for plain in ("http://kms.example", "http://127.0.0.1.example"):
        with pytest.raises(ValueError, match="unencrypted"):
            post.base(plain)


def test_an_item_that_go_wrote_on_macos() -> None:
    item = OsKeyring("people")
    text = "ab" * 32
    assert item._parsed(text) == bytes.fromhex(text)
    assert item._parsed("go-keyring-base64:" + b64encode(text.encode()).decode()) == b"\xab" * 32
    for bad in ("", "ab", text + "\n", "go-keyring-base64:", "go-keyring-base64:!"):
        with pytest.raises(RootKeyError, match="64 hexadecimal digits"):
            item._parsed(bad)
