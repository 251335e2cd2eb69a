# SPDX-License-Identifier: Apache-2.0
"""docs/explanation/dependencies.md says why of everything that is pinned or installed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
WORDS = set(
    re.findall(
        r"[\w.+-]+", (ROOT / "docs" / "explanation" / "dependencies.md").read_text("utf-8").lower()
    )
)


def lines(path: Path) -> list[str]:
    text = re.sub(r"#.*", "", path.read_text("utf-8"))
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_python_packages() -> None:
    listed = {line for path in (ROOT / "requirements").glob("*.in") for line in lines(path)}
    wanted = {re.split(r"[;<>=]", line)[0] for line in listed if not line.startswith("-")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted |= {re.split(r"[<>=]", line)[0] for group in groups for line in group}
    assert len(wanted) > 20
    assert not {name.lower() for name in wanted} - WORDS


def test_the_oldest_libraries_are_tested() -> None:
    """What pyproject.toml accepts is what requirements/oldest.in and litellm.in pin."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = [(ROOT / "requirements" / name).read_text() for name in ("oldest.in", "litellm.in")]
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", "\n".join(pins), re.M))
    extras = {line for group in project["optional-dependencies"].values() for line in group}
    accepted = dict(re.findall(r"^([\w-]+)>=(\S+)$", "\n".join(extras), re.M))
    assert len(accepted) == len(extras) >= 4
    for line in project["dependencies"]:
        name, _, version = line.partition(">=")
        if name in pinned:
            accepted[name] = version
    assert pinned.keys() == accepted.keys()
    for name, version in accepted.items():
        parts = [int(part) for part in version.split(".")]
        whole = [int(part) for part in pinned[name].split(".")]
        assert parts + [0] * (len(whole) - len(parts)) == whole, name


def test_an_environment_has_one_version_of_each_package() -> None:
    """Files of pins that go into .venv agree; which is installed last decides otherwise."""
    rule = r"^(.+): \$\(STAMPS\)/%: requirements/%\.txt \| \$\(PY\)$"
    found = re.search(rule, (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert found is not None
    names = [*re.findall(r"/([\w-]+)", found[1]), "js"]
    assert len(names) > 9
    versions: dict[str, set[str]] = {}
    for name in names:
        text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
        for package, version in re.findall(r"^([\w-]+)==(\S+)", text, re.M):
            versions.setdefault(package, set()).add(version)
    assert not {package: found for package, found in versions.items() if len(found) > 1}


def test_what_lacks_its_dependencies_is_not_in_the_environment() -> None:
    """`pip check` of `make test` fails for it: after `make demo`, too."""
    rule = r"^.+: requirements/demo\.txt .*\n(?:\t.*\n)*\t@\$\(INSTALL\) (.+)$"
    found = re.search(rule, (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert found is not None
    assert "--target build/febrl" in found[1]


def test_go_modules() -> None:
    text = (ROOT / "go.mod").read_text("utf-8")
    modules = re.findall(r"^(?:\t|require )\S+/(\S+) v", text, re.MULTILINE)
    assert len(modules) >= 3
    assert not [name for name in modules if name.lower() not in WORDS]


def test_debian_packages() -> None:
    packages = [line.split()[-1].split("|") for line in lines(ROOT / "tools/debian-packages.txt")]
    assert len(packages) > 5
    for names in packages:
        assert WORDS & {*names, *(re.sub(r"-\d+$", "", name) for name in names)}, names
