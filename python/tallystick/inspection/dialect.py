# SPDX-License-Identifier: Apache-2.0
"""The dialect of a CSV file of which nothing is known: delimiter, spaces, header.

A file without a header has values where names should be; these must not be taken for names, since
names are shown.
"""

import re
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from tallystick.errors import FileError
from tallystick.files import CsvOptions, FileKind, Stored, columns_of, first_rows

_DELIMITERS = (";", "\t", "|", ",")
_ROWS = 200
_VALUE = re.compile(
    r"[^@\s]+@[^@\s]+\.[^@\s]+|[+(]?\d[\d ()./:,+-]{4,}|-?\d+[.,]\d+|\d{4}-\d\d-\d\d.*"
    r"|[A-Z]{2}\d{2}[0-9A-Z ]{11,}|[0-9a-fA-F-]{32,36}|\d+\.\d+\.\d+\.\d+"
)
"""What no name of a column looks like."""


def guess_dialect(
    source: Stored,
    delimiter: str | None,
    header: bool | None,
    encoding: str | None = None,
) -> CsvOptions:
    """Look at the beginning of a CSV file.

    `delimiter`, `header`: what is known already; None: it is looked for.
    `encoding`: by default UTF-8.
    Raises `FileError`: the file can't be read.
    """
    options = _delimited(source, delimiter, encoding)
    names = _names(source, options)
    if len(names) > 1 and all(name.startswith(" ") for name in names[1:]):
        options = replace(options, skip_initial_space=True)
        names = _names(source, options)
    if header is None:
        header = not _are_values(source, options, names)
    return replace(options, header=header)


def _names(source: Stored, options: CsvOptions) -> list[str]:
    return [name for name, _ in columns_of(source, kind=FileKind.CSV, csv=options)]


def _delimited(source: Stored, delimiter: str | None, encoding: str | None) -> CsvOptions:
    plain = CsvOptions(delimiter=delimiter, encoding=encoding)
    if delimiter is not None:
        return plain
    best, most, wrong = plain, 0, None
    for one in (None, *_DELIMITERS):
        options = replace(plain, delimiter=one)
        try:
            count = len(_names(source, options))
        except FileError as error:  # such as of quoted names, and another delimiter behind a quote
            wrong = wrong or error
            continue
        if count > most:
            best, most = options, count
    if most == 0 and wrong is not None:
        raise wrong
    return best


def _are_values(source: Stored, options: CsvOptions, names: list[str]) -> bool:
    """Say whether the first record looks like values: by itself, or since some come again."""
    if any(_VALUE.fullmatch(name.strip()) for name in names):
        return True
    same = [
        pc.equal(values, name).fill_null(False).to_numpy(zero_copy_only=False)
        for name, values in first_rows(source, _ROWS, options).items()
        if name
    ]
    # A row of all names is the header once more, as in files that were joined.
    return bool(same) and bool(np.logical_or.reduce(same)[~np.logical_and.reduce(same)].any())
