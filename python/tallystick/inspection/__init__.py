# SPDX-License-Identifier: Apache-2.0
"""Finding what to protect, and checking a policy against a file, before anything is changed.

Nothing here shows a value: what is found is told by columns, counts and row numbers.
"""

from tallystick.inspection.check import ColumnCheck, FileCheck, check_file
from tallystick.inspection.draft import draft_policy
from tallystick.inspection.finding import Finding
from tallystick.inspection.inspect import Inspection, inspect_file, inspect_files

__all__ = [
    "ColumnCheck",
    "FileCheck",
    "Finding",
    "Inspection",
    "check_file",
    "draft_policy",
    "inspect_file",
    "inspect_files",
]
