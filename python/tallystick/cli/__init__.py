# SPDX-License-Identifier: Apache-2.0
"""The command line ``tallystick``; ``docs/cli.md`` has its exit codes and JSON results."""

from tallystick.cli.main import main

__all__ = ["main"]
