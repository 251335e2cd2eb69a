# SPDX-License-Identifier: Apache-2.0
"""Copies data files with chosen columns replaced; everything else stays as it is.

This layer handles columns and bytes, without formats and keys: a `ColumnJob` changes a column.
`transform_file` handles files of all kinds.
"""

from typing import TYPE_CHECKING

from tallystick.files.kinds import FileKind as FileKind
from tallystick.files.kinds import kind_of as kind_of
from tallystick.files.limits import Limits as Limits
from tallystick.files.limits import limited as limited
from tallystick.files.options import CsvOptions as CsvOptions
from tallystick.files.options import FileOptions as FileOptions
from tallystick.files.places import STDIN as STDIN
from tallystick.files.places import STDOUT as STDOUT
from tallystick.files.places import Address as Address
from tallystick.files.places import Given as Given
from tallystick.files.places import Place as Place
from tallystick.files.places import Readable as Readable
from tallystick.files.places import Standard as Standard
from tallystick.files.places import Stored as Stored
from tallystick.files.places import check_apart as check_apart
from tallystick.files.places import place_of as place_of
from tallystick.files.places import stored_of as stored_of
from tallystick.later import later

if TYPE_CHECKING:  # these need pyarrow, which takes its time to load
    from tallystick.files.job import ColumnJob as ColumnJob
    from tallystick.files.job import FileReport as FileReport
    from tallystick.files.job import Progress as Progress
    from tallystick.files.job import ScanJob as ScanJob
    from tallystick.files.marker import Gate as Gate
    from tallystick.files.marker import OpenGate as OpenGate
    from tallystick.files.run import Head as Head
    from tallystick.files.run import read_head as read_head
    from tallystick.files.run import transform_file as transform_file
    from tallystick.files.sample import Sample as Sample
    from tallystick.files.sample import first_rows as first_rows
    from tallystick.files.sample import sample_file as sample_file
    from tallystick.files.scan import StopScan as StopScan
    from tallystick.files.scan import columns_of as columns_of
    from tallystick.files.scan import scan_file as scan_file
else:
    __getattr__ = later(
        __name__,
        {
            "job": "ColumnJob FileReport Progress ScanJob",
            "marker": "Gate OpenGate",
            "run": "Head read_head transform_file",
            "sample": "Sample first_rows sample_file",
            "scan": "StopScan columns_of scan_file",
        },
    )
