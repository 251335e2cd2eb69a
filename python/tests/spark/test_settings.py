# SPDX-License-Identifier: Apache-2.0
"""What may travel to executors: a policy's text, paths and names, and never a key."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from spark_support import POLICY, Place
from tallystick.errors import KeyringError, ParameterError, PolicyError
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.spark import Settings, worker

KEY = bytes(range(32))


def test_paths_and_names_travel(place: Place) -> None:
    settings = Settings.make(place.policy, keyring="/etc/people.keys", root="env:ROOT_KEY")
    assert settings == Settings(POLICY, str(place.policy), "/etc/people.keys", "env:ROOT_KEY")
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 (our own)
    assert settings.rules() == Policy.parse(POLICY)
    by_object = Settings.make(place.policy, root=RootKey.parse("file:/etc/root.key"))
    assert (by_object.keyring, by_object.root) == (None, "file:/etc/root.key")


def test_the_policy_may_come_from_the_environment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLYSTICK_POLICY", str(place.policy))
    assert Settings.make().policy == POLICY
    monkeypatch.delenv("TALLYSTICK_POLICY")
    with pytest.raises(ParameterError, match="set TALLYSTICK_POLICY"):
        Settings.make()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"root": KEY}, "not bytes: a key would travel"),
        ({"root": bytearray(KEY)}, "not bytearray: a key would travel"),
        ({"root": KEY.hex()}, "never write the key itself"),
        ({"root": f"file:{KEY.hex()}"}, "never write the key itself"),
        ({"root": "prompt"}, "executors can't ask"),
        ({"root": "shares:/etc/shares"}, "executors can't ask"),
        ({"root": "transit:transit/people"}, "a wrapping key goes into TALLYSTICK_ROOT"),
        ({"root": "file:root.key"}, "must be absolute"),
        ({"keyring": "people.keys"}, "must be absolute"),
        ({"keyring": b"/etc/people.keys"}, "not bytes"),
        ({"provider": "keys.Provider"}, "package.module:Class"),
        ({"provider": "os:system;"}, "package.module:Class"),
        ({"provider": dict}, "package.module:Class"),
        ({"provider": "keys:Provider", "keyring": "/etc/people.keys"}, "leave out the key ring"),
        ({"provider": "keys:Provider", "root": "env:ROOT_KEY"}, "leave out the key ring"),
    ],
)
def test_what_must_not_travel_is_refused(place: Place, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        Settings.make(place.policy, **given)
    assert KEY.hex() not in str(caught.value)
    assert repr(KEY) not in str(caught.value)


def test_a_worker_follows_the_anchor_of_its_environment(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Keyring.open(place.ring, RootKey.parse(f"file:{place.root}"))
    ring.make_anchor(tmp_path / "ring.anchor")
    older = place.ring.read_bytes()
    monkeypatch.setenv("TALLYSTICK_KEYRING", str(place.ring))
    monkeypatch.setenv("TALLYSTICK_ROOT", f"file:{place.root}")
    monkeypatch.setenv("TALLYSTICK_ANCHOR", str(tmp_path / "ring.anchor"))
    settings = Settings.make(place.policy)
    ring.add("another")
    worker._open(settings).close()
    place.ring.write_bytes(older)
    with pytest.raises(KeyringError, match="older copy"):
        worker._open(settings)


def test_opened_things_are_refused(place: Place) -> None:
    ring: Any = Keyring.open(place.ring, RootKey.parse(f"file:{place.root}"))
    with pytest.raises(ParameterError, match="not Keyring: executors open it themselves"):
        Settings.make(place.policy, keyring=ring)
    policy: Any = Policy.load(place.policy)
    with pytest.raises(ParameterError, match="must be a path, not Policy"):
        Settings.make(policy)


def test_a_wrong_policy_is_refused_on_the_driver(place: Place) -> None:
    path = place.write_policy("wrong.toml", POLICY.replace('"ssn"', '"sssn"'))
    with pytest.raises(PolicyError, match=r"wrong\.toml.*'sssn'"):
        Settings.make(path)
