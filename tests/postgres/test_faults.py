# SPDX-License-Identifier: Apache-2.0
"""Bad rings and settings, killed processes, a lack of memory, a replica: the server lives."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgres import server as servers
from tests.postgres.conftest import KEY, PEOPLE, give_keys, settings
from tests.postgres.server import Server
from tests.postgres.test_batches import NODE
from tests.postgres.test_tables import until_running, until_up

MANY = "FROM many AS a CROSS JOIN many AS b"
"""400 million rows, which are read one by one from the first on."""
LONG = {
    "batches": f"SELECT count(tally_reveal(a.token, 'people.note')) {MANY}",
    "single values": (
        f"SELECT count(CASE WHEN a.id > 0 THEN tally_reveal(a.token, 'people.note') END) {MANY}"
    ),
}
PROTECT = "SELECT tally_protect('12345', 'people.note')"


@pytest.fixture
def own(programs: Path) -> Iterator[Server]:
    """A server that a test may break. It opens its keys when they are needed."""
    with servers.folder() as at:
        servers.keys(at, data=KEY)
        made = Server(at, programs, settings(at) | {"shared_preload_libraries": ""})
        give_keys(made)
        made.make()
        made.start()
        try:
            made.run(
                "CREATE EXTENSION tallystick", f"SELECT tally_policy_set('people', $${PEOPLE}$$)"
            )
            yield made
        finally:
            made.stop()


@contextmanager
def revealing(server: Server, what: str) -> Iterator[tuple[subprocess.Popen[str], int, int]]:
    """Start a long query, and wait until it has revealed; the log's size before it is the last."""
    made = "tally_protect(lpad(i::text, 9, '0'), 'people.note')"
    server.run(
        f"CREATE TABLE many AS SELECT i AS id, {made} AS token FROM generate_series(1, 20000) i",
        "ANALYZE many",
    )
    batches = NODE in str(server.run(f"EXPLAIN {LONG[what]}").rows)
    assert batches == (what == "batches")
    before = len(server.log.read_text())
    waiting = server.session(LONG[what])
    try:
        pid = until_running(server, "SELECT count(%FROM many%")
        while "begins to reveal" not in server.log.read_text()[before:]:
            time.sleep(0.01)
        yield waiting, int(pid), before
    finally:
        waiting.kill()
        waiting.communicate(timeout=60)
        server.run("DROP TABLE many")


@pytest.mark.parametrize("what", LONG)
def test_a_query_is_cancelled(people: Server, what: str) -> None:
    with revealing(people, what) as (waiting, pid, before):
        started = time.monotonic()
        people.run(f"SELECT pg_cancel_backend({pid})")
        assert "canceling statement" in waiting.communicate(timeout=60)[1]
        assert time.monotonic() - started < 10
        assert " values of " in people.log.read_text()[before:]
        people.run(PROTECT)


@pytest.mark.parametrize("what", LONG)
def test_a_killed_process_leaves_the_server_and_its_line(people: Server, what: str) -> None:
    """The others are restarted by the server, as after every crash of a process."""
    token = people.run(PROTECT).value
    with revealing(people, what) as (waiting, pid, before):
        os.kill(pid, signal.SIGKILL)
        waiting.communicate(timeout=60)
        until_up(people, before)
    assert people.run(PROTECT).value == token
    assert "opened by the postmaster" in people.run("SELECT tally_status()").value


def test_a_lack_of_memory_is_an_error(own: Server) -> None:
    """The process that met it goes on."""
    rule = '{"format": "phone", "key": "data:1", "namespace": "n"}'
    columns = ", ".join(f'"c{number}": {rule}' for number in range(300))
    own.run(f"""SELECT tally_policy_set('many', '{{"columns": {{{columns}}}}}')""")
    assert own.process is not None
    size = int(Path(f"/proc/{own.process.pid}/statm").read_text().split()[0])
    own.stop()
    own.start({resource.RLIMIT_AS: size * resource.getpagesize() + 12 * 2**20})
    many = "SELECT tally_protect('+49 30 901820', 'many.c' || i) FROM generate_series(0, 299) i"
    done = own.psql(
        options=["-v", "ON_ERROR_STOP=0", "-f", "-"], stdin=f"{many};\n{many};\n{PROTECT};\n"
    )
    errors = [line for line in done.errors.splitlines() if "ERROR: " in line]
    assert len(errors) == 2 and all("memory" in line for line in errors), done.errors
    assert done.rows == own.run(PROTECT).rows
    assert "terminated by signal" not in own.log.read_text()


def test_a_lack_of_memory_in_a_batch_is_an_error(own: Server) -> None:
    """Whatever part of it has none, and the process that met it goes on."""
    query = "SELECT count(tally_protect(n, 'people.note')) FROM wide"
    user = "setpriv --reuid=nobody --regid=nogroup --clear-groups" if os.geteuid() == 0 else ""
    limit = f"\\! {user} prlimit --pid $PID --as="
    room = "$(($(cut -d' ' -f1 /proc/$PID/statm) * $(getconf PAGESIZE) + {})):"
    commands = [
        "CREATE TABLE wide AS SELECT repeat('7', 990) AS n FROM generate_series(1, 3000);",
        "ANALYZE wide;",
        f"{PROTECT};",
        "SELECT pg_backend_pid() AS pid \\gset",
        "\\setenv PID :pid",
        f"EXPLAIN {query};",
    ]
    for kilobytes in range(0, 8000, 250):
        commands += [limit + room.format(kilobytes << 10), f"{query};"]
    commands += [f"{limit}unlimited:", f"{query};"]
    done = own.psql(options=["-v", "ON_ERROR_STOP=0", "-f", "-"], stdin="\n".join(commands))
    assert NODE in str(done.rows)
    errors = [line for line in done.errors.splitlines() if "ERROR: " in line]
    assert len(errors) > 4, done.errors
    assert all("memory" in line for line in errors), done.errors
    assert done.rows.count(["3000"]) == 33 - len(errors), done.errors
    assert done.rows[-1] == ["3000"]
    assert "terminated by signal" not in own.log.read_text()


def test_memory_that_must_be_locked(own: Server) -> None:
    own.stop()
    own.settings["tallystick.require_locked_memory"] = "on"
    own.start({resource.RLIMIT_MEMLOCK: 0})
    assert "RLIMIT_MEMLOCK" in own.fails(PROTECT)
    own.stop()
    own.settings["tallystick.require_locked_memory"] = "off"
    own.start({resource.RLIMIT_MEMLOCK: 0})
    status = own.psql(PROTECT, "SELECT tally_status()").rows[-1][0]
    assert "0 of them not locked" not in status
    own.stop()
    own.start()
    status = own.psql(PROTECT, "SELECT tally_status()").rows[-1][0]
    assert "0 of them not locked" in status


def broken(at: Path, how: str) -> str:
    """Break a file of the keys; return what a query then says."""
    ring, root = at / "ring.keys", at / "root.key"
    if how == "edited":
        ring.write_text(
            ring.read_text().replace(
                '"version": 1,\n      "created"', '"version": 2,\n      "created"'
            )
        )
        return "damaged or edited"
    if how == "no ring":
        ring.unlink()
        return "the key ring can't be read: No such file"
    if how == "text":
        ring.write_text("not a ring")
        return "not a key ring"
    if how == "another root key":
        root.write_text("11" * 32)
        return "root key"
    if how == "short root key":
        root.write_text("11" * 31)
        return "must have 64 hexadecimal digits"
    if how == "no digits":
        root.write_text("1x" * 32)
        return "must have 64 hexadecimal digits"
    if how == "open mode":
        root.chmod(0o640)
        return "must belong to the server's user, and give no right to group or others"
    assert how == "folder"
    root.unlink()
    root.mkdir(0o755)
    return "is not a regular file"


@pytest.mark.parametrize("preloaded", [False, True])
def test_bad_keys(own: Server, preloaded: bool) -> None:
    """The server starts and works without keys, and says what is wrong."""
    token = own.run(PROTECT).value
    kept = own.folder / "kept"
    kept.mkdir()
    for name in ("ring.keys", "root.key"):
        shutil.copy2(own.folder / name, kept)
    own.settings["shared_preload_libraries"] = "tallystick" if preloaded else ""
    for how in (
        *("edited", "no ring", "text", "another root key", "short root key", "no digits"),
        *("open mode", "folder"),
    ):
        before = len(own.log.read_text())
        said = broken(own.folder, how)
        if preloaded:
            own.restart()
        message = own.fails(PROTECT)
        assert said in message, (how, message)
        assert str(own.folder) not in message
        own.run("SELECT 1")
        log = own.log.read_text()[before:]
        assert str(own.folder) in log
        assert "11" * 31 not in log
        if (own.folder / "root.key").is_dir():
            (own.folder / "root.key").rmdir()
        for name in ("ring.keys", "root.key"):
            shutil.copy2(kept / name, own.folder)
            own.own(own.folder / name)
        assert own.run(PROTECT).value == token


def test_settings_that_are_missing_or_relative(own: Server) -> None:
    own.restart(**{"tallystick.keyring": ""})
    assert "the settings tallystick.keyring and tallystick.root_key name no files" in own.fails(
        PROTECT
    )
    own.run("SELECT tally_policy_rules(document) FROM tally_policies")
    said = own.fails("LOAD 'tallystick'", "ALTER SYSTEM SET tallystick.keyring = 'ring.keys'")
    assert "It must be an absolute path" in said


def test_a_passphrase_s_ring_is_refused(own: Server) -> None:
    ring = next(case for case in opening_rings() if case["kind"] == "ScryptRoot")
    (own.folder / "ring.keys").write_text(ring["text"])
    assert "comes from a passphrase" in own.fails(PROTECT)


@pytest.mark.parametrize("preloaded", ["", "tallystick"])
def test_rights_of_a_key_are_obeyed(own: Server, preloaded: str) -> None:
    """By single values and by plans of many rows, whoever asks."""
    from tallystick.keyring import Keyring, RootKey

    token = own.run(PROTECT).value
    own.run(f"CREATE TABLE tokens AS SELECT '{token}'::text AS t FROM generate_series(1, 100)")
    one = f"SELECT tally_reveal('{token}'::text, 'people.note')"
    many = "SELECT tally_reveal(t, 'people.note') FROM tokens"
    seen = "SELECT tally_reveal_if_granted(t, 'people.note') FROM tokens"
    document = (
        f"""SELECT tally_reveal('{{"attributes": {{"a": "{token}"}}}}'::jsonb,"""
        " 'people.attributes{}')"
    )
    queries = (one, many, seen, document)
    load = "LOAD 'tallystick'"  # before a query is planned
    assert "Tallystick" in str(own.run("ANALYZE tokens", load, f"EXPLAIN {many}").rows)
    ring = own.folder / "ring.keys"
    for rights, refused, said in (
        ("protect", queries, "the key may only protect"),
        ("reveal", (PROTECT,), "the key may only reveal"),
        ("protect reveal", (), ""),
    ):
        shutil.chown(ring, os.geteuid())
        Keyring.open(ring, RootKey.parse(root_of(own))).set_rights("data:1", rights)  # type: ignore[arg-type]
        own.own(ring)
        own.restart(shared_preload_libraries=preloaded)
        for query in (PROTECT, *queries):
            if query in refused:
                assert said in own.fails(load, query)
            else:
                own.run(load, query)


def test_a_ring_that_demands_signed_policies_is_refused(own: Server) -> None:
    ring = next(case for case in opening_rings() if "and signers" in case["source"])
    for name, content in (("ring.keys", ring["text"]), ("root.key", ring["root_key"])):
        (own.folder / name).write_text(content)
    own.run(
        """SELECT tally_policy_set('signed', '{"columns":
           {"c": {"format": "digits", "key": "people:1", "namespace": "n"}}}')"""
    )
    assert "demands signed policies" in own.fails("SELECT tally_protect('12345', 'signed.c')")


def test_a_ring_of_several_roots_opens(own: Server) -> None:
    """The root that is a file need not be the first."""
    from tallystick.keyring import Keyring, RootKey
    from tallystick.keyring.document import PlainRoot, WrappedRoot

    token = own.run(PROTECT).value
    ring = own.folder / "ring.keys"
    wrapped = WrappedRoot("age:age1example", "protect", b"x")
    key = bytes.fromhex((own.folder / "root.key").read_text())
    opened = Keyring.open(ring, RootKey.parse(root_of(own)))
    for records in ((wrapped, PlainRoot()), (wrapped,)):
        shutil.chown(ring, os.geteuid())
        opened.rekey(key, records)
        own.own(ring)
        answer = own.psql(PROTECT)
        if len(records) > 1:
            assert answer.value == token
        else:
            assert "the root key of the key ring comes from a wrapping key" in answer.errors


def opening_rings() -> list[dict[str, str]]:
    from vectors import load

    return [case for case in load("keyrings") if case["result"] == "opens"]


def test_a_session_s_own_settings_are_not_taken(own: Server) -> None:
    """Before the library is loaded anyone may set a name with a dot; loading it forgets that."""
    own.run(
        "CREATE ROLE anyone LOGIN", "GRANT EXECUTE ON FUNCTION tally_protect(text, text) TO anyone"
    )
    evil = own.folder / "evil"
    evil.mkdir()
    servers.keys(evil, data=bytes(32))
    for name in ("ring.keys", "root.key"):
        own.own(evil / name)
    done = own.psql(
        f"SET tallystick.keyring = '{evil}/ring.keys'",
        f"SET tallystick.root_key = '{evil}/root.key'",
        PROTECT,
        user="anyone",
    )
    assert done.status == 0, done.errors
    assert done.rows == own.run(PROTECT).rows


@pytest.mark.parametrize("preloaded", ["", "tallystick"])
def test_a_key_that_is_added_is_found(own: Server, preloaded: str) -> None:
    """Without the root key, and without a restart."""
    from tallystick.keyring import Keyring, RootKey

    own.restart(shared_preload_libraries=preloaded)
    policy = '{"columns": {"c": {"format": "digits", "key": "data:2", "namespace": "n"}}}'
    set_new = f"SELECT tally_policy_set('new', '{policy}')"
    assert "no key data:2" in own.fails(set_new)
    shutil.chown(own.folder / "ring.keys", os.geteuid())
    ring = Keyring.open(own.folder / "ring.keys", RootKey.parse(root_of(own)))
    ring.rotate("data")
    own.own(own.folder / "ring.keys")
    if preloaded:
        (own.folder / "root.key").unlink()
    own.run(set_new, "SELECT tally_protect('12345', 'new.c')")


def root_of(server: Server) -> str:
    """Return the root key as a variable: a file of another user is refused."""
    os.environ["TALLY_TEST_ROOT"] = (server.folder / "root.key").read_text()
    return "env:TALLY_TEST_ROOT"


def test_new_settings_count_after_a_reload(own: Server) -> None:
    own.restart(shared_preload_libraries="tallystick")
    token = own.run(PROTECT).value
    moved = own.folder / "moved.keys"
    shutil.move(own.folder / "ring.keys", moved)
    own.own(moved)
    waiting = own.session("SELECT FROM pg_sleep(1)", PROTECT)
    own.run(f"ALTER SYSTEM SET tallystick.keyring = '{moved}'", "SELECT pg_reload_conf()")
    out, errors = waiting.communicate(timeout=30)
    assert out.strip() == token, errors
    assert own.run(PROTECT).value == token


def test_a_replica_reveals_and_follows(own: Server, programs: Path) -> None:
    own.settings |= {"wal_level": "replica", "max_wal_senders": "3", "hot_standby": "on"}
    own.restart()
    with servers.folder() as at:
        replica = Server(at, programs, dict(own.settings) | {"unix_socket_directories": str(at)})
        replica.own(at)
        replica.settings["primary_conninfo"] = f"host={own.folder} user=postgres"
        subprocess.run(
            [
                *(servers.config("bindir") / "pg_basebackup", "-D", replica.data, "-c", "fast"),
                *("-h", own.folder, "-U", "postgres"),
            ],
            check=True,
            **servers.unprivileged(),  # type: ignore[call-overload]
        )
        replica.own(replica.data / "standby.signal") if (
            replica.data / "standby.signal"
        ).exists() else (replica.data / "standby.signal").touch()
        replica.start()
        try:
            token = own.run(PROTECT).value
            assert replica.run(f"SELECT tally_reveal('{token}', 'people.note')").value == "12345"
            waiting = replica.session(
                PROTECT.replace("people", "later"), "SELECT FROM pg_sleep(0)", "SELECT 'alive'"
            )
            waiting.communicate(timeout=30)
            policy = (
                '{"columns": {"note": {"format": "digits", "key": "data:1", "namespace": "l"}}}'
            )
            own.run(f"SELECT tally_policy_set('later', '{policy}')")
            later = PROTECT.replace("people", "later")
            end = time.monotonic() + 30
            while (done := replica.psql(later)).status != 0:
                assert time.monotonic() < end, done.errors
                time.sleep(0.1)
            assert done.rows == own.run(later).rows
            said = replica.fails(f"SELECT tally_policy_set('more', '{policy}')")
            assert "read-only" in said or "recovery" in said
        finally:
            replica.stop()
