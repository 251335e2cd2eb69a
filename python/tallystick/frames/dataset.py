# SPDX-License-Identifier: Apache-2.0
"""Arrow datasets to a Parquet file, or a folder of them, batch by batch."""

import os
import secrets
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tallystick.atomic import complete_file, file_errors
from tallystick.errors import FileError
from tallystick.protector import Protector

ROWS_OF_A_FILE = 1 << 24
"""Rows of one file of a folder, at most."""


def protect_dataset(
    source: ds.Dataset, target: Path | str, protector: Protector, *, overwrite: bool = False
) -> int:
    """Write a dataset with the policy's columns protected.

    Parameters
    ----------
    source : pyarrow.dataset.Dataset
        A dataset of any format. Its partition columns become columns of the target.
    target : path
        A file if the name ends in ``.parquet``, else a folder of Parquet files. It appears only
        when it is complete.
    protector : Protector
        The policy with its keys.
    overwrite : bool
        Whether an existing file may be replaced. An existing folder never is.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    FileError
        The target exists, or can't be written.
    InvalidValueError, PolicyError, ParameterError
        As for `Protector.protect`. No unfinished file remains.
    """
    return _write(protector.protect(source), Path(target), overwrite, private=False)


def reveal_dataset(
    source: ds.Dataset, target: Path | str, protector: Protector, *, overwrite: bool = False
) -> int:
    """Write a dataset with values in place of tokens; see `protect_dataset`.

    Only the owner may read the target.
    """
    return _write(protector.reveal(source), Path(target), overwrite, private=True)


def _write(reader: pa.RecordBatchReader, target: Path, overwrite: bool, *, private: bool) -> int:
    with file_errors(target):
        if target.suffix == ".parquet":
            return _write_file(reader, target, overwrite, private)
        return _write_folder(reader, target, private)


def _write_file(reader: pa.RecordBatchReader, target: Path, overwrite: bool, private: bool) -> int:
    rows = 0
    with (
        complete_file(target, private=private, overwrite=overwrite) as stream,
        pq.ParquetWriter(stream, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)
            rows += len(batch)
    return rows


def _write_folder(reader: pa.RecordBatchReader, target: Path, private: bool) -> int:
    if target.exists():
        raise FileError(f"{target} exists; choose another folder")
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.part")
    beside.mkdir(mode=0o700)
    rows = 0

    def counted(written: ds.WrittenFile) -> None:
        nonlocal rows
        rows += written.metadata.num_rows

    try:
        ds.write_dataset(
            reader,
            beside,
            format="parquet",
            existing_data_behavior="overwrite_or_ignore",
            max_rows_per_file=ROWS_OF_A_FILE,
            file_visitor=counted,
        )
        for file in beside.iterdir():
            with file.open("rb") as written:
                if private:  # also where it may be moved to
                    os.fchmod(written.fileno(), 0o600)
                os.fsync(written.fileno())
        if not private:
            mask = os.umask(0)  # which can only be read by setting it
            os.umask(mask)
            beside.chmod(0o777 & ~mask)
        beside.rename(target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    return rows
