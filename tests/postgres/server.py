# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL servers in temporary folders, with the extension, on a socket of their own.

Nothing is written to the machine's installation: a server finds its libraries beside its program,
so a copy of the program in a tree of links has the extension in addition.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tallystick.keyring import Keyring, RootKey

ROOT = Path(__file__).resolve().parents[2]
PG_CONFIG = os.environ.get("PG_CONFIG", "pg_config")
COMPILER = [f"CC={os.environ['CC']}"] if "CC" in os.environ else []
"""For servers whose own compiler is another one."""
LIBRARY = ROOT / "build" / "gcc" / "libtallystick.a"
"""The core as the part "core (gcc)" compiles it."""


def config(name: str) -> Path:
    """Return a folder of the installation."""
    done = subprocess.run([PG_CONFIG, f"--{name}"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def make(*arguments: str) -> None:
    """Run the extension's Makefile."""
    core = [f"CORE_LIBRARY={LIBRARY}"] if LIBRARY.exists() else []
    done = subprocess.run(
        [
            *("make", "-C", str(ROOT / "integrations/postgres"), f"PG_CONFIG={PG_CONFIG}"),
            *(*core, *COMPILER, *arguments),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def linked(tree: Path) -> Path:
    """Make a copy of the installation, without the extension; return the folder of its programs."""
    programs, shared, libraries = config("bindir"), config("sharedir"), config("pkglibdir")
    inside = [Path(f"{tree}{path}") for path in (programs, shared, libraries)]
    for path in (*inside, inside[1] / "extension"):
        path.mkdir(parents=True, exist_ok=True)
    for name in ("postgres", "initdb"):
        shutil.copy(programs / name, inside[0])
    for source, target in (
        (shared, inside[1]),
        (shared / "extension", inside[1] / "extension"),
        (libraries, inside[2]),
    ):
        for path in source.iterdir():
            if not (target / path.name).exists() and not path.name.startswith("tallystick"):
                (target / path.name).symlink_to(path)
    for path in programs.parents[2].glob("*.libs"):  # of a wheel: libraries that programs load
        Path(f"{tree}{path}").symlink_to(path)
    return inside[0]


def install(tree: Path) -> Path:
    """Install the extension in a copy of the installation; return the folder of its programs."""
    programs = linked(tree)
    make("install", f"DESTDIR={tree}")
    return programs


def unprivileged() -> dict[str, int | list[int]]:
    """Return what lets a program run as nobody: the server refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Make a folder that the server's user can enter, with a path short enough for a socket."""
    made = Path(tempfile.mkdtemp(prefix="tally-pg-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


@dataclass
class Result:
    """What psql printed."""

    rows: list[list[str]]
    errors: str
    status: int

    @property
    def value(self) -> str:
        """The only value of the only row."""
        assert self.status == 0, self.errors
        (row,) = self.rows
        (value,) = row
        return value


class Server:
    """A server in a folder; `settings` go into its postgresql.conf."""

    def __init__(self, at: Path, programs: Path, settings: Mapping[str, str]) -> None:
        self.folder = at
        self.data = at / "data"
        self.log = at / "log"
        self.programs = programs
        self.settings = {
            "unix_socket_directories": str(at),
            "listen_addresses": "",
            "fsync": "off",
            "shared_buffers": "32MB",
            "max_connections": "20",
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def own(self, path: Path) -> Path:
        """Give a file to the server's user."""
        user = unprivileged()
        if user:
            shutil.chown(path, "nobody", "nogroup")
        return path

    def make(self) -> None:
        """Make the folder of the data, as a copy of one that is made once."""
        self.own(self.folder)
        made = self.programs / "data"
        if not (made / "PG_VERSION").exists():
            made.mkdir(mode=0o700, exist_ok=True)
            self.own(made)
            subprocess.run(
                [
                    *(self.programs / "initdb", "-D", made, "-U", "postgres", "-A", "trust"),
                    *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
                ],
                stdout=subprocess.DEVNULL,
                check=True,
                **unprivileged(),  # type: ignore[call-overload]
            )
        subprocess.run(["cp", "-a", made, self.data], check=True)

    def configure(self) -> None:
        """Write the settings."""
        text = "".join(f"{name} = '{value}'\n" for name, value in self.settings.items())
        (self.data / "postgresql.auto.conf").write_text(text)

    def start(self, limits: Mapping[int, int] = MappingProxyType({})) -> None:
        """Write the settings, and start the server with limits of resources."""

        def limit() -> None:
            for kind, size in limits.items():
                resource.setrlimit(kind, (size, resource.getrlimit(kind)[1]))

        self.configure()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.data],
                stdout=log,
                stderr=log,
                preexec_fn=limit if limits else None,
                **unprivileged(),  # type: ignore[call-overload]
            )
        end = time.monotonic() + 60
        while self.psql("SELECT 1").status != 0:
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop the server, by default as fast as it is safe."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(60)
            self.process = None

    def restart(self, **settings: str) -> None:
        """Start the server with other settings."""
        self.stop()
        self.settings.update(settings)
        self.start()

    def environment(self, user: str, database: str) -> dict[str, str]:
        """Return what makes a client connect."""
        return {
            "PATH": f"{config('bindir')}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "PGHOST": str(self.folder),
            "PGUSER": user,
            "PGDATABASE": database,
        }

    def psql(
        self,
        *sql: str,
        user: str = "postgres",
        database: str = "postgres",
        options: Sequence[str] = (),
        stdin: str | None = None,
    ) -> Result:
        """Run commands, each in a transaction of its own, until one fails."""
        commands = [part for text in sql for part in ("-c", text)]
        done = subprocess.run(
            [
                *("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-P", "null=NULL"),
                *("-R", "\n", "-F", "\x1f", *options, *commands),
            ],
            env=self.environment(user, database),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        rows = [line.split("\x1f") for line in done.stdout.splitlines()]
        return Result(rows, done.stderr, done.returncode)

    def run(self, *sql: str, user: str = "postgres", database: str = "postgres") -> Result:
        """Run commands that must succeed."""
        done = self.psql(*sql, user=user, database=database)
        assert done.status == 0, done.errors
        return done

    def fails(self, *sql: str, user: str = "postgres") -> str:
        """Run commands of which one must fail; return the message."""
        done = self.psql(*sql, user=user)
        assert done.status != 0, done.rows
        return done.errors

    def session(self, *sql: str, user: str = "postgres") -> subprocess.Popen[str]:
        """Start commands, each in a transaction of its own, and do not wait for them."""
        return subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", *(part for text in sql for part in ("-c", text))],
            env=self.environment(user, "postgres"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def pids(self) -> list[int]:
        """Return the processes of the server."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *map(int, children.split())]


def keys(at: Path, **names: bytes) -> Keyring:
    """Make a key ring with these keys, and its root key, in files of a folder."""
    root = f"file:{at}/root.key"
    Path(root.removeprefix("file:")).write_text(os.urandom(32).hex() + "\n")
    Path(root.removeprefix("file:")).chmod(0o600)
    ring = Keyring.create(at / "ring.keys", RootKey.parse(root))
    for name, key in names.items():
        ring.add(name, key=key)
    return ring
