# SPDX-License-Identifier: Apache-2.0
"""Data files in, data files out: chosen columns are replaced, everything else stays as it is.

This layer knows columns and bytes, and nothing of formats and keys: what happens to a column is a
`ColumnJob`. `transform_file` does CSV and Parquet alike.
"""

from tallystick.files.csv import CsvOptions
from tallystick.files.job import ColumnJob, FileReport, Progress
from tallystick.files.run import FileKind, Head, kind_of, read_head, transform_file

__all__ = [
    "ColumnJob",
    "CsvOptions",
    "FileKind",
    "FileReport",
    "Head",
    "Progress",
    "kind_of",
    "read_head",
    "transform_file",
]
