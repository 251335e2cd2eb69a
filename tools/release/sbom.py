# SPDX-License-Identifier: Apache-2.0
"""The software bill of materials (SBOM): what the package depends on, as CycloneDX."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from . import ROOT
from .build import TOOLS, ReleaseError


def needed(lines: Iterable[str]) -> set[str]:
    """Return the names in lines such as "cffi>=2.0" that apply here; extras do not."""
    requirements = map(Requirement, lines)
    return {
        canonicalize_name(requirement.name)
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    }


def reduced(document: dict[str, Any], version: str) -> dict[str, Any]:
    """Keep what the package needs, directly or not, of a list of the whole environment."""
    root = document["metadata"]["component"]
    root |= {"version": version, "purl": f"pkg:pypi/tallystick@{version}"}
    parts: dict[str, dict[str, Any]]
    parts = {canonicalize_name(part["name"]): part for part in document["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    # In the list as it comes, a package also needs what only its extras need.
    edges: dict[str, set[str]] = {"": needed(project["dependencies"])}
    waiting = set(edges[""])
    while waiting:
        name = waiting.pop()
        if name not in parts:
            raise ReleaseError(f"not installed here: {name}")
        edges[name] = needed(requires(name) or [])
        waiting |= edges[name] - edges.keys()
    refs = {name: part["bom-ref"] for name, part in parts.items()} | {"": root["bom-ref"]}
    document["components"] = [parts[name] for name in sorted(edges) if name]
    document["dependencies"] = [
        {"ref": refs[name], "dependsOn": [refs[other] for other in sorted(others)]}
        for name, others in sorted(edges.items())
    ]
    return document


def write(path: Path, version: str) -> None:
    """Write the list from the pinned packages of this environment, valid by the format's schema."""
    command = (
        *(TOOLS / "cyclonedx-py", "environment", TOOLS / "python", "--output-reproducible"),
        *("--mc-type", "library", "--pyproject", ROOT / "pyproject.toml"),
    )
    document = reduced(json.loads(subprocess.check_output(command)), version)
    text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    schema = SchemaVersion.from_version(document["specVersion"])
    if error := JsonStrictValidator(schema).validate_str(text):
        raise ReleaseError(f"the list of dependencies is not valid: {error}")
    path.write_text(text, encoding="utf-8")
