# SPDX-License-Identifier: Apache-2.0
"""Keys are nowhere but in memory that is locked and in no core dump."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.leaks.memory import memory
from tests.leaks.search import holding, seen, traces
from tests.leaks.test_dumps import elsewhere
from tests.postgres import server as servers
from tests.postgres.conftest import PEOPLE, give_keys, settings
from tests.postgres.server import Server
from tests.postgres.test_tables import until_running, until_up

VALUE = "5304218897"


@pytest.fixture(scope="module", params=["tallystick", ""], ids=["preloaded", "lazy"])
def used(
    request: pytest.FixtureRequest, programs: Path
) -> Iterator[tuple[Server, dict[str, bytes]]]:
    """A server that works, and the secrets that nobody may see."""
    secrets = {name: os.urandom(32) for name in ("data", "other")}
    with servers.folder() as at:
        servers.keys(at, **secrets)
        root = bytes.fromhex((at / "root.key").read_text())
        made = Server(
            at,
            programs,
            settings(at)
            | {
                "shared_preload_libraries": request.param,
                "log_statement": "all",
                "log_min_messages": "debug5",
                "log_error_verbosity": "verbose",
                "debug_print_plan": "on",
            },
        )
        give_keys(made)
        made.make()
        made.start()
        try:
            made.run(
                "CREATE EXTENSION tallystick",
                f"SELECT tally_policy_set('people', $${PEOPLE}$$)",
                f"SELECT tally_protect('{VALUE}', 'people.note')",
            )
            yield made, {**secrets, "root key": root}
        finally:
            made.stop()


def test_keys_in_memory_are_locked_and_in_no_dump(used: tuple[Server, dict[str, bytes]]) -> None:
    server, secrets = used
    waiting = server.session(
        f"SELECT tally_protect('{VALUE}', 'people.note')",
        f"SELECT tally_reveal('{VALUE}', 'people.card')",
        "SELECT tally_key_fingerprint('other:1')",
        "SELECT pg_sleep(60)",
    )
    pid = int(until_running(server, "SELECT pg_sleep%"))
    try:
        processes = {}
        for process in server.pids():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
                processes[process] = memory(process)
        assert pid in processes
        keys = {name: {secret} for name, secret in secrets.items()}
        keys["root key in hex"] = {secrets["root key"].hex().encode()}
        found = set()
        for mappings in processes.values():
            for mapping in mappings:
                names = seen(keys, mapping.content)
                found |= names
                if names:
                    assert {"dd", "lo"} <= mapping.flags, (names, mapping.flags)
        # The key that is in use; of the others, and of the root key, nothing stays.
        assert found == {"data"}
        text = "".join(repr(mapping.flags) for mapping in processes[pid])
        assert "dd" in text
    finally:
        os.kill(pid, 15)
        waiting.communicate(timeout=30)


def test_keys_are_in_no_core_dump(used: tuple[Server, dict[str, bytes]]) -> None:
    """Of a process that has used them. Values are in it."""
    if reason := elsewhere():
        pytest.xfail(reason)  # not a skip: what the system does can't be installed
    server, secrets = used
    server.stop()
    server.start({resource.RLIMIT_CORE: resource.getrlimit(resource.RLIMIT_CORE)[1]})
    waiting = server.session(
        f"SELECT tally_protect('{VALUE}', 'people.note')",
        "SELECT tally_key_fingerprint('other:1')",
        "SELECT pg_sleep(60)",
    )
    pid = int(until_running(server, "SELECT pg_sleep%"))
    before = len(server.log.read_text())
    os.kill(pid, signal.SIGABRT)
    waiting.communicate(timeout=60)
    until_up(server, before)
    (path,) = server.data.glob("core*")
    dump = path.read_bytes()
    path.unlink()
    assert VALUE.encode() in dump
    assert seen({name: traces(secret) for name, secret in secrets.items()}, dump) == set()


def test_keys_are_in_no_file_and_no_log(used: tuple[Server, dict[str, bytes]]) -> None:
    server, secrets = used
    server.run("CHECKPOINT")
    needles = {form for secret in secrets.values() for form in traces(secret)}
    assert holding(needles, server.data, server.log) == []


def test_keys_are_in_no_view(used: tuple[Server, dict[str, bytes]]) -> None:
    server, secrets = used
    views = ("pg_settings", "pg_stat_activity", "pg_file_settings", "tally_policies", "tally_keys")
    shown = "\n".join(
        server.run(f"SELECT v::text FROM {view} AS v", "SELECT tally_status()").rows.__repr__()
        for view in views
    )
    assert "root.key" in shown  # its place is there, for superusers
    needles = {form for secret in secrets.values() for form in traces(secret)}
    assert not {needle for needle in needles if needle in shown.encode()}
