# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests: no time limits, tables of their own width, signals as usual."""

import os

from hypothesis import settings

from dispositions import let_programs_be_signalled

settings.register_profile("untimed", deadline=None)
# In CI each run has the same examples, so that what fails there is what a change broke.
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "untimed")

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it
os.unsetenv("COLUMNS")  # and so does readline, which os.environ does not see

let_programs_be_signalled()
