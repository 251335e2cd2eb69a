# SPDX-License-Identifier: Apache-2.0
"""Find the columns to protect, and check a policy against a file, without changing the file.

No result has a value: results are columns, counts and row numbers.
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
