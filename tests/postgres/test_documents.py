# SPDX-License-Identifier: Apache-2.0
"""Every command of the pages on PostgreSQL runs on a server, and prints what is shown.

The pages are docs/tutorials/postgres.md, pgcrypto.md and postgres-copies.md, and
docs/reference/postgres.md.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.postgres import server as servers
from tests.postgres.conftest import give_keys, settings
from tests.postgres.server import Server

from pages import DOCS, check

PAGES = (
    "tutorials/postgres.md",
    "tutorials/pgcrypto.md",
    "tutorials/postgres-copies.md",
    "reference/postgres.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_page(programs: Path, tmp_path: Path, page: str) -> None:
    with servers.folder() as at:
        shutil.copy(DOCS / "tutorials" / "practice.keys", at / "ring.keys")
        (at / "root.key").write_text(bytes(range(32)).hex())
        (at / "root.key").chmod(0o600)
        server = Server(at, programs, settings(at) | {"wal_level": "logical"})
        give_keys(server)
        server.make()
        server.start()
        try:
            (tmp_path / "settings.sh").write_text(
                f"export PGHOST={at} PGUSER=postgres PGDATABASE=postgres SERVER_LOG={server.log}\n"
            )
            if page.startswith("reference"):
                server.run("CREATE EXTENSION tallystick")
            copy = shutil.copy(DOCS / page, tmp_path)  # elsewhere: it has settings of its own
            check(Path(copy), tmp_path, strict=page.startswith("tutorials"))
        finally:
            server.stop()
