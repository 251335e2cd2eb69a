# SPDX-License-Identifier: Apache-2.0
"""Builds what is released, the same bytes wherever it is built: `make release`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
