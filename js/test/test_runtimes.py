# SPDX-License-Identifier: Apache-2.0
"""Vectors of all languages in Deno and in Bun, on the package as an application has it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "js"
RUNTIMES = {
    "deno": ("@deno/*/deno", ("run", "--no-prompt", "--allow-read", "--node-modules-dir=manual")),
    "bun": ("@oven/*/bin/bun", ("run",)),
}
"""Where npm puts the programs, and how they run a file. Deno may read files alone."""


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
    for script in ("runtime.js", "vectors.js"):
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
    assert found["csv"].startswith("id,name\n1,")
    assert "Ann" not in found["csv"]
    assert found["text"] == "<Zo\u00eb>"
    assert len(found["counts"]) > 10
    assert sum(found["counts"].values()) > 1000
    assert min(found["counts"].values()) > 5
