# SPDX-License-Identifier: Apache-2.0
"""Copies data files with chosen columns replaced; everything else stays as it is.

This layer handles columns and bytes, without formats and keys: a `ColumnJob` changes a column.
`transform_file` handles files of all kinds.
"""

from tallystick.files.csv import CsvOptions
from tallystick.files.job import ColumnJob, FileReport, Progress, ScanJob
from tallystick.files.limits import Limits, limited
from tallystick.files.marker import Gate, OpenGate
from tallystick.files.places import (
    STDIN,
    STDOUT,
    Address,
    Given,
    Place,
    Readable,
    Standard,
    Stored,
    place_of,
    stored_of,
)
from tallystick.files.run import FileKind, Head, kind_of, read_head, transform_file
from tallystick.files.sample import Sample, first_rows, sample_file
from tallystick.files.scan import StopScan, columns_of, scan_file

__all__ = [
    "STDIN",
    "STDOUT",
    "Address",
    "ColumnJob",
    "CsvOptions",
    "FileKind",
    "FileReport",
    "Gate",
    "Given",
    "Head",
    "Limits",
    "OpenGate",
    "Place",
    "Progress",
    "Readable",
    "Sample",
    "ScanJob",
    "Standard",
    "StopScan",
    "Stored",
    "columns_of",
    "first_rows",
    "kind_of",
    "limited",
    "place_of",
    "read_head",
    "sample_file",
    "scan_file",
    "stored_of",
    "transform_file",
]
