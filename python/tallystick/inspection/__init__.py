# SPDX-License-Identifier: Apache-2.0
"""Find the columns to protect, and check a policy against a file, without changing the file.

No result has a value: results are columns, counts and row numbers.
"""

from typing import TYPE_CHECKING

from tallystick.later import later

if TYPE_CHECKING:  # a report counts distinct values, and needs no rules
    from tallystick.inspection.check import ColumnCheck as ColumnCheck
    from tallystick.inspection.check import FileCheck as FileCheck
    from tallystick.inspection.check import check_file as check_file
    from tallystick.inspection.draft import draft_policy as draft_policy
    from tallystick.inspection.finding import Finding as Finding
    from tallystick.inspection.inspect import Inspection as Inspection
    from tallystick.inspection.inspect import inspect_file as inspect_file
    from tallystick.inspection.inspect import inspect_files as inspect_files
else:
    __getattr__ = later(
        __name__,
        {
            "check": "ColumnCheck FileCheck check_file",
            "draft": "draft_policy",
            "finding": "Finding",
            "inspect": "Inspection inspect_file inspect_files",
        },
    )
