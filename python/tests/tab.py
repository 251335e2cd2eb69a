# SPDX-License-Identifier: Apache-2.0
"""A page in a browser that a test drives."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import Any, Self


class Tab(ABC):
    """What the tests need of a browser, whatever its protocol."""

    name: str

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """End the browser."""

    @property
    @abstractmethod
    def asked(self) -> Collection[str]:
        """The addresses that pages asked for."""

    @abstractmethod
    def evaluate(self, script: str) -> Any:  # noqa: ANN401
        """Return the value of an expression in the page, or what its promise becomes."""

    @abstractmethod
    def run(self, script: str) -> None:
        """Run statements in the page."""

    @abstractmethod
    def navigate(self, address: str) -> None:
        """Begin to open an address."""

    @abstractmethod
    def size(self, width: int, height: int) -> None:
        """Set the size of the window."""

    @abstractmethod
    def choose_files(self, selector: str, paths: Collection[Path]) -> None:
        """Choose files in an element for them."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Press a key: a letter or digit, a blank, or one that has a name."""

    @abstractmethod
    def picture(self, target: Path) -> None:
        """Write a picture (PNG) of the whole page."""

    def wait(self, script: str) -> Any:  # noqa: ANN401
        """Return the value of an expression in the page as soon as it is true."""
        end = time.monotonic() + 30
        while not (value := self.evaluate(script)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)
        return value

    def open(self, page: Path) -> None:
        """Open a page, and wait until it is laid out."""
        self.navigate(page.as_uri())
        self.wait(f"location.pathname.endsWith({page.name!r}) && document.readyState == 'complete'")
