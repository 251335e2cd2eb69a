# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests: no time limits, tables of their own width, signals as usual."""

import os

from hypothesis import HealthCheck, settings

from dispositions import let_programs_be_signalled

_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("untimed", _UNTIMED)
# In CI each run has the same examples, so that what fails there is what a change broke.
settings.register_profile("ci", _UNTIMED, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "untimed")

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it
os.unsetenv("COLUMNS")  # and so does readline, which os.environ does not see

let_programs_be_signalled()
