# SPDX-License-Identifier: Apache-2.0
"""Reports: one self-contained page about a run, with no value of the data in it."""

from tallystick.report.groups import Groups, check_groups, measure_groups
from tallystick.report.run import Outline, Report
from tallystick.report.statistics import ColumnStatistics

__all__ = [
    "ColumnStatistics",
    "Groups",
    "Outline",
    "Report",
    "check_groups",
    "measure_groups",
]
