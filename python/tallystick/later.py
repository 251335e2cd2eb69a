# SPDX-License-Identifier: Apache-2.0
"""Packages whose names are loaded when they are first asked for, so that a program starts soon."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which loads names from its modules.

    `package`: the package's name.
    `places`: for each module of the package the names that come from it, separated by spaces; its
    own name is the module.
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def load(name: str) -> Any:  # noqa: ANN401
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        found = module if name == modules[name] else getattr(module, name)
        setattr(sys.modules[package], name, found)
        return found

    return load
