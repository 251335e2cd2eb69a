# SPDX-License-Identifier: Apache-2.0
"""The files for contributors are valid, and name the parts, tools and options that there are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.parts import APART, PARTS, PYTHON, QUICK

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
TEMPLATES = ROOT / ".github" / "ISSUE_TEMPLATE"

pytestmark = pytest.mark.skipif(not WORKFLOW.exists(), reason="these files are in the checkout")


def read_yaml(path: Path) -> Any:  # noqa: ANN401 (as YAML is)
    """Read a file of YAML; PyYAML comes with the tools of `make docs`."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path.read_text("utf-8"))


def rows(job: str) -> list[dict[str, str]]:
    """Return the matrix of a job of the workflow."""
    found: list[dict[str, str]] = read_yaml(WORKFLOW)["jobs"][job]["strategy"]["matrix"]["include"]
    return found


def chosen(job: str) -> list[str]:
    """Return the arguments that a job's rows give to tests/run.py."""
    return [argument for row in rows(job) for argument in shlex.split(row["parts"])]


def test_every_part_has_a_job_and_every_job_has_parts() -> None:
    names = [part.name for part in PARTS]
    linux = chosen("linux-x86-64")
    missing = [name for name in names if not name.startswith(tuple(linux))]
    assert not missing, f"add these parts of tests/parts.py to {WORKFLOW.name}: {missing}"
    for argument in [*linux, *chosen("linux-arm64")]:
        assert any(name.startswith(argument) for name in names), argument


def test_the_jobs_install_what_make_test_installs() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    line = re.search(r"^test-packages:(.*)", makefile, re.MULTILINE)
    assert line
    wanted = set(re.findall(r"\$\(STAMPS\)/(\w+)", line[1]))
    jobs = " ".join(row.get("stamps", "") for row in rows("linux-x86-64"))
    assert set(re.findall(r"\.venv/stamps/(\w+)", jobs)) == wanted


def test_the_page_on_tests_lists_the_parts() -> None:
    page = (ROOT / "docs" / "explanation" / "testing.md").read_text("utf-8")
    table = page.split("| parts | content |", 1)[1].split("\n\n", 1)[0]
    first = " ".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))
    assert sorted(re.findall("`(.+?)`", first)) == sorted(part.name for part in PARTS)


def test_actions_are_pinned() -> None:
    used = re.findall(r"uses: (\S+)", WORKFLOW.read_text("utf-8"))
    assert used
    assert not [name for name in used if not re.search(r"@(v\d+|[0-9a-f]{40})$", name)]


def test_issue_templates_are_complete() -> None:
    paths = sorted(TEMPLATES.glob("*.yml"))
    assert len(paths) >= 4
    for path in paths:
        template = read_yaml(path)
        if path.name == "config.yml":
            assert all(
                link.keys() == {"name", "url", "about"} for link in template["contact_links"]
            )
            continue
        assert {"name", "description", "body"} <= template.keys(), path.name
        fields = [field for field in template["body"] if field["type"] != "markdown"]
        assert len({field["id"] for field in fields}) == len(fields) > 0
        assert all(field["attributes"]["label"] for field in fields)


def test_the_hooks_are_the_linters_of_the_tests() -> None:
    (repository,) = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    hooks = {hook["id"]: hook for hook in repository["hooks"]}
    assert len(hooks) == len(repository["hooks"])
    assert all(hook["language"] == "system" for hook in hooks.values())
    parts = [part for part in PARTS if part.name.startswith("lint")]
    commands = [command for part in parts for command in part.commands.values()]
    programs = {
        word
        for command in commands
        for word in (command[2:4] if command[0] == PYTHON else command[:1])
        if not word.startswith("-")
    }
    entries = " ".join(hook["entry"] for hook in hooks.values()).split()
    assert {"ruff", "mypy", "clang-format-16"} <= programs
    assert not programs - set(entries)


def presets(kind: str) -> dict[str, dict[str, Any]]:
    """Return the presets of a kind, with those that they inherit from worked in."""
    listed = json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))[kind]
    found: dict[str, dict[str, Any]] = {}
    for preset in listed:
        parent = found.get(preset.get("inherits", ""), {})
        variables = parent.get("cacheVariables", {}) | preset.get("cacheVariables", {})
        found[preset["name"]] = parent | {"hidden": False} | preset | {"cacheVariables": variables}
    return found


@pytest.mark.parametrize(
    ("preset", "part"),
    [
        ("sanitizers", "core (sanitizers)"),
        ("memory", "core (memory)"),
        ("aarch64", "core (AArch64)"),
        ("arm", "core (ARM, 32 bits)"),
        ("s390x", "core (s390x)"),
    ],
)
def test_a_preset_has_the_options_of_its_part(preset: str, part: str) -> None:
    (configure,) = [each.commands["configure"] for each in PARTS if each.name == part]
    given = (re.fullmatch(r"-D(\w+)=(.+)", argument) for argument in configure)
    options = {one[1]: one[2] for one in given if one}
    if preset == "sanitizers":
        del options["CMAKE_C_COMPILER"]  # any compiler has these
    if preset == "memory":
        options["CMAKE_C_COMPILER"] = "clang-16"  # where there is none the tests take clang
    variables = presets("configurePresets")[preset]["cacheVariables"]
    assert {name: variables.get(name) for name in options} == options


def test_presets_are_complete() -> None:
    configure = {name for name, each in presets("configurePresets").items() if not each["hidden"]}
    assert presets("buildPresets").keys() == configure
    tested = {name for name, each in presets("testPresets").items() if not each["hidden"]}
    assert tested == configure - {"bench", "fuzz"}
    cmake = shutil.which("cmake")
    assert cmake, "make setup installs CMake"
    listed = subprocess.run(
        [cmake, "--list-presets"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert set(re.findall(r'^  "(\w+)"', listed, re.MULTILINE)) == configure


def test_the_container_is_that_of_the_jobs() -> None:
    described = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    folder = ROOT / ".devcontainer"
    dockerfile = (folder / described["build"]["dockerfile"]).read_text("utf-8")
    image = re.search(r"^FROM (\S+)$", dockerfile, re.MULTILINE)
    assert image
    jobs = read_yaml(WORKFLOW)["jobs"]
    assert image[1] == jobs["linux-x86-64"]["container"] == jobs["linux-arm64"]["container"]


def test_the_commands_for_one_test_name_tests() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    block = page.split("**One test by name**", 1)[1].split("```")[1]
    commands = [shlex.split(line) for line in block.splitlines()[1:] if line]
    make, ctest, python, go, js, rust = commands
    assert make == ["make", "debug"]
    assert ctest[:3] == ["ctest", "--test-dir", "build/debug"]
    assert (ROOT / "core" / "tests" / f"{ctest[-1].strip('^$')}.c").exists()
    assert python[:3] == [".venv/bin/python", "-m", "pytest"]
    listed = subprocess.run(
        [PYTHON, *python[1:], "--collect-only"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "::" in listed
    assert go[:2] == ["go", "test"]
    function = go[-1].strip("^$")
    sources = (ROOT / go[2]).glob("*_test.go")
    assert any(f"func {function}(" in path.read_text("utf-8") for path in sources)
    assert js[:3] == [".venv/bin/python", "js/test/run.py", "--name"]
    assert any(f'test("{js[3]}' in path.read_text() for path in ROOT.glob("js/test/*.test.ts"))
    assert rust[:2] == ["cargo", "test"] and (ROOT / "embedded" / "rust" / "Cargo.toml").exists()
    assert any(
        f"fn {rust[-1]}()" in path.read_text() for path in ROOT.glob("embedded/rust/**/*.rs")
    )


def test_quick_leaves_out_what_has_parts_of_its_own() -> None:
    assert [part.name for part in QUICK] == ["C", "Python", "Go"]
    assert all((ROOT / "python" / "tests" / name).is_dir() for name in APART)
    (words,) = [part.commands["test"] for part in QUICK if part.name == "Python"]
    assert "not slow" in words
