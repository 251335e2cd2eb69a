# SPDX-License-Identifier: Apache-2.0
"""One server for most tests, with the keys and the policy of `people`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgres import server as servers

KEY = bytes(range(32))


@pytest.fixture(scope="session")
def programs() -> Iterator[Path]:
    """The folder of the server's programs, beside which the extension is installed."""
    with servers.folder() as tree:
        yield servers.install(tree)


def settings(at: Path) -> dict[str, str]:
    """Return the settings of a server that opens its keys when it starts."""
    return {
        "shared_preload_libraries": "tallystick",
        "tallystick.keyring": f"{at}/ring.keys",
        "tallystick.root_key": f"{at}/root.key",
    }


def give_keys(server: servers.Server) -> None:
    """Let the server's user have the files of the keys."""
    for name in ("ring.keys", "root.key"):
        server.own(server.folder / name)


@contextmanager
def served(programs: Path, **keys: bytes) -> Iterator[servers.Server]:
    """Make and start a server with the extension, and a ring of these keys; stop it at the end."""
    with servers.folder() as at:
        servers.keys(at, **keys)
        made = servers.Server(at, programs, settings(at))
        give_keys(made)
        made.make()
        made.start()
        try:
            made.run("CREATE EXTENSION tallystick")
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="session")
def server(programs: Path) -> Iterator[servers.Server]:
    """A server with the extension, and its keys."""
    with served(programs, data=KEY) as made:
        yield made


PEOPLE = """{
    "keep": ["id"],
    "columns": {
        "card": {"format": {"type": "card", "keep_last": 4}, "key": "data:1", "namespace": "card"},
        "number": {"format": {"type": "integer", "min": 0, "max": 999999999},
                   "key": "data:1", "namespace": "number"},
        "email": {"format": "email", "key": "data:1", "namespace": "e-mail", "on_invalid": "null"},
        "note": {"format": "digits", "key": "data:1", "namespace": "note", "on_invalid": "keep"},
        "tweaked": {"format": "digits", "key": "data:1", "namespace": "t", "tweak": "id"},
        "contact.email": {"format": "email", "key": "data:1", "namespace": "e-mail"},
        "orders[].phone": {"format": "digits", "key": "data:1", "namespace": "phone"},
        "attributes{}": {"format": "digits", "key": "data:1", "namespace": "attributes"},
        "amount": {"format": {"type": "decimal", "min": "-99.99", "max": "9999.99", "scale": 2},
                   "key": "data:1", "namespace": "amount"}
    }
}"""


@pytest.fixture(scope="session")
def people(server: servers.Server) -> servers.Server:
    """The server with a policy, a role that may protect and a role that may reveal."""
    server.run(
        f"SELECT tally_policy_set('people', $${PEOPLE}$$)",
        "CREATE ROLE clerk LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE nobody LOGIN",
        "GRANT EXECUTE ON FUNCTION tally_protect(text, text) TO clerk, analyst",
        "GRANT EXECUTE ON FUNCTION tally_protect(integer, text) TO clerk",
        "GRANT EXECUTE ON FUNCTION tally_reveal(text, text) TO clerk",
        "GRANT EXECUTE ON FUNCTION tally_reveal_if_granted(text, text),"
        " tally_protect_unless_granted(text, text) TO clerk, analyst",
    )
    return server
