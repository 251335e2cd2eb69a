# SPDX-License-Identifier: Apache-2.0
"""The command line ``tallystick``; ``docs/reference/command-line.md`` describes it."""

from tallystick.cli.main import main

__all__ = ["main"]
