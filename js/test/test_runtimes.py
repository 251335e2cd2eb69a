# SPDX-License-Identifier: Apache-2.0
"""Vectors of all languages in other runtimes than Node.js, on the package as it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "js"
RUNTIMES = {
    "deno": ("@deno/*/deno", ("run", "--no-prompt", "--allow-read", "--node-modules-dir=manual")),
    "bun": ("@oven/*/bin/bun", ("run",)),
}
"""Where npm puts the programs, and how they run a file. Deno may read files alone."""


STREAMED = {
    "csv": "id,name\n1,****\n",
    "ndjson": '{"id": 1, "name": "****"}\n',
    "text": "<Zo\u00eb>",
}
"""What ``samples`` of through.ts returns."""


@pytest.mark.parametrize("name", RUNTIMES)
def test_vectors(name: str, tmp_path: Path) -> None:
    pattern, options = RUNTIMES[name]
    programs = sorted((BUILT / "node_modules").glob(pattern))
    if not programs:
        pytest.skip(f"no {name} for this platform")
    package = tmp_path / "node_modules" / "tallystick"
    package.mkdir(parents=True)
    for part in ("dist", "prebuilds"):
        shutil.copytree(BUILT / part, package / part)
    shutil.copy(BUILT / "package.json", package)
    for script in ("runtime.js", "through.js", "vectors.js"):
        shutil.copy(BUILT / "test" / script, tmp_path)
    application = {"type": "module", "dependencies": {"tallystick": "*"}}
    (tmp_path / "package.json").write_text(json.dumps(application), encoding="utf-8")
    done = subprocess.run(
        [programs[0], *options, "runtime.js", ROOT / "vectors"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["native"], found["simd"]) == (False, True)
    check(found)


CONFIGURATION = """\
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "test", worker = (
  compatibilityDate = "2026-01-01",
  modules = [(name = "worker.js", esModule = embed "worker.js"), MODULES],
  bindings = [BINDINGS],
))]);
"""


def test_vectors_where_no_webassembly_is_compiled(tmp_path: Path) -> None:
    programs = sorted((BUILT / "node_modules").glob("@cloudflare/*/bin/workerd"))
    if not programs:
        pytest.skip("no workerd for this platform")
    shutil.copy(BUILT / "test" / "edge.bundle.js", tmp_path / "worker.js")
    cores = sorted((BUILT / "dist").glob("*.wasm"))
    texts = sorted((ROOT / "vectors").glob("*.json"))
    for path in (*cores, *texts):
        shutil.copy(path, tmp_path)
    modules = (f'(name = "{path.name}", wasm = embed "{path.name}")' for path in cores)
    bindings = (f'(name = "{path.stem}", text = embed "{path.name}")' for path in texts)
    configuration = CONFIGURATION.replace("MODULES", ", ".join(modules))
    configuration = configuration.replace("BINDINGS", ", ".join(bindings))
    (tmp_path / "config.capnp").write_text(configuration, encoding="utf-8")
    done = subprocess.run(
        [programs[0], "test", "config.capnp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    assert found["refused"] == "CompileError"
    check(found)


def check(found: dict[str, Any]) -> None:
    assert {name: found[name] for name in STREAMED} == STREAMED
    assert len(found["counts"]) > 10
    assert sum(found["counts"].values()) > 5000
    assert min(found["counts"].values()) > 5
