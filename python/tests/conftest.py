# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests: none of them is timed, and tables are as wide as they are."""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it
