# SPDX-License-Identifier: Apache-2.0
"""Restarts, kills, seals and standbys of a real server; what its logs have."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.openbao.conftest import prepare
from tests.openbao.server import VAULT, Answer, Server, free_ports, plugin_processes, running

SSN = "078-05-1120"
ONE = {"value": SSN, "transformation": "ssn"}
LONG = {"batch_input": [{"value": "7" * (60_000 + n), "transformation": "long"} for n in range(8)]}
"""Takes the plugin some tenths of a second, or seconds: as much as a request may have."""


@pytest.fixture
def own(plugins: Path, tmp_path: Path) -> Iterator[Server]:
    """Run a server that a test may break."""
    with running(tmp_path, plugins) as server:
        prepare(server)
        yield server


def encode(server: Server) -> Answer:
    return server.call("POST", "tallystick/encode/all", ONE)


def in_mid_request(server: Server, act: Callable[[], object]) -> list[Answer]:
    """Do something while the plugin works on a long request; return that one's answer."""
    answers: list[Answer] = []

    def ask() -> None:
        answers.append(server.call("POST", "tallystick/encode/all", LONG))

    thread = threading.Thread(target=ask)
    thread.start()
    (plugin,) = plugin_processes(server)
    before = cpu(plugin)
    server.wait(lambda: cpu(plugin) > before, every=0.002)  # it works
    assert not answers
    act()
    thread.join(60)
    assert answers, "no answer"
    return answers


def cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_faults(own: Server) -> None:
    """The same tokens after a restart, a kill of the server, of the plugin, and a seal."""
    token = encode(own).data

    own.stop()
    own.start()
    assert encode(own).status == 503, "sealed"
    own.unseal()
    assert encode(own).data == token

    own.stop(signal.SIGKILL)
    own.start()
    own.unseal()
    assert encode(own).data == token

    (plugin,) = plugin_processes(own)
    (answer,) = in_mid_request(own, lambda: os.kill(plugin, signal.SIGKILL))
    # Vault asks the next process again by itself.
    assert answer.status == 500 or (VAULT and answer.status == 200), "killed before it answered"
    assert "777" not in str(answer.body)
    own.wait(lambda: encode(own).status == 200)  # the server starts it again
    assert encode(own).data == token
    assert plugin_processes(own) != [plugin]

    (answer,) = in_mid_request(own, lambda: own.call("PUT", "sys/seal"))
    assert answer.status in (200, 400, 500, 503), answer
    assert "777" not in str(answer.body.get("errors", ""))
    assert encode(own).status == 503
    assert not plugin_processes(own), "keys are gone with the plugin's process"
    own.unseal()
    assert encode(own).data == token


def test_logs_have_no_values(own: Server) -> None:
    """Values and tokens are hashed in the audit log, and nowhere in the server's log."""
    token = encode(own).data["encoded_value"]
    # A decoy in each place of a request, also in what is refused.
    secrets = [
        SSN,
        token,
        "jane.doe@example.org",
        "314159265",
        "9" * 13,
        "c0ffee, black",
        "555-0143",
    ]
    item = {"value": secrets[2], "transformation": "email", "reference": secrets[3]}
    batch = [item, {"value": secrets[4], "transformation": "ssn"}, {"value": {"x": secrets[5]}}]
    for body in (
        {"batch_input": batch},
        {"batch_input": batch[1]},
        {"value": {"deep": secrets[5]}, "transformation": "ssn"},
        {"value": "4" * 16, "transformation": "card", "tweak": secrets[6]},
        {"value": secrets[4], "transformation": "ssn"},
        {"transformation": secrets[4], "value": secrets[2], "key_version": secrets[5]},
        {"value": secrets[2], "unknown": secrets[6]},
    ):
        for path in ("encode", "decode", "rewrap"):
            own.call("POST", f"tallystick/{path}/all", body)
    body = {"value": token, "transformation": "ssn"}
    assert own.call("POST", "tallystick/decode/all", body).data["decoded_value"] == SSN
    own.stop()
    audit = own.audit.read_text("utf-8")
    assert audit.count('"path":"tallystick/encode/all"') >= 16, "requests and answers"
    assert '"encoded_value":"hmac-sha256:' in audit
    assert '"decoded_value":"hmac-sha256:' in audit
    for secret in secrets:
        assert secret not in audit, secret
        assert secret not in own.log.read_text("utf-8"), secret


def test_standby(plugins: Path, tmp_path: Path) -> None:
    """A standby answers as the active node does, also after a write, and takes over."""
    if VAULT:
        pytest.skip("the storage of this Vault is a folder, which has one node")
    ports = free_ports(6)
    one = Server(tmp_path, plugins, ports[0], ports[1])
    two = Server(tmp_path, plugins, ports[2], ports[3], name="two", join=one.address)
    three = Server(tmp_path, plugins, ports[4], ports[5], name="three", join=one.address)
    try:
        one.start(audit=False)  # whose path would have to be the same on all nodes
        one.initialize()
        prepare(one)
        for standby in (two, three):
            standby.start(audit=False)
            standby.token, standby.unseal_key = one.token, one.unseal_key
            standby.unseal()
        assert two.call("GET", "sys/health").status != 200, "a standby"
        token = encode(one).data
        two.wait(lambda: encode(two).status == 200)
        assert encode(two).data == token

        # Writes through the standby are seen by both. Each needs the one before: a standby that
        # checked a policy by its own copy of the keys would refuse some of them.
        first = one.read("tallystick/policies/people")["policy"]
        for version in range(2, 12):
            two.write("tallystick/keys/people/rotate")
            policy = first.replace("people:1", f"people:{version}")
            two.write("tallystick/policies/people", {"policy": policy})
        newer = encode(one).data
        assert newer != token
        two.wait(lambda: encode(two).body.get("data") == newer)
        time.sleep(0.1)
        assert encode(two).data == newer

        # The active node is killed when all three may vote on the next one.
        def votes() -> list[bool]:
            about = one.read("sys/storage/raft/configuration")["config"]
            return [node["voter"] for node in about["servers"]]

        one.wait(lambda: votes() == [True] * 3)
        one.stop(signal.SIGKILL)
        left = (two, three)
        two.wait(lambda: 200 in [node.call("GET", "sys/health").status for node in left])
        for node in left:
            node.wait(lambda node=node: encode(node).status == 200)  # type: ignore[misc]
            assert encode(node).data == newer
        older = {"policy": first}
        path = "tallystick/policies/people"
        two.wait(
            lambda: two.call("POST", path, older).status in (200, 204)
        )  # 307: not forwarded yet
        for node in left:
            node.wait(lambda node=node: encode(node).body.get("data") == token)  # type: ignore[misc]
    finally:
        for node in (three, two, one):
            node.stop()
