# SPDX-License-Identifier: Apache-2.0
"""What runs in the Python workers of executors: keys are opened here, and nowhere else.

A worker opens a policy's keys once, for all tasks that it runs; Spark starts a worker for each core
of an executor, and keeps it. Errors leave without a traceback of ours, and name no value.
"""

import importlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyspark import TaskContext

from tallystick.errors import (
    InvalidValueError,
    KeyringError,
    ParameterError,
    PolicyError,
    TallyError,
)
from tallystick.in_memory import Call
from tallystick.keyring import Keyring
from tallystick.keyring.names import ALL_RIGHTS, Rights
from tallystick.protector import Protector
from tallystick.sql.names import find

from .settings import Settings

MOST_OPEN = 8
"""Settings whose keys a worker keeps open; the ones opened first are closed beyond that."""

_opened: dict[Settings, Protector] = {}
_opening = threading.Lock()


def protector(settings: Settings) -> Protector:
    """Return the opened keys of a policy; they are opened if this worker has not done so yet."""
    with _opening:
        found = _opened.get(settings)
        if found is None:
            found = _open(settings)
            while len(_opened) >= MOST_OPEN:
                _opened.pop(next(iter(_opened))).close()
            _opened[settings] = found
        return found


def transform_columns(
    settings: Settings,
    columns: Sequence[str],
    given: Mapping[str, pa.Array],
    *,
    decrypt: bool,
    required: bool,
) -> pa.Array:
    """Protect or reveal a batch of a column of a data frame.

    `settings`: the policy, and where its keys are.
    `columns`: the policy's columns that it is, or that lie inside it.
    `given`: the column by its name, and then those of tweaks.
    `decrypt`: whether to reveal.
    `required`: whether the column must not have nulls.
    Raises `TallyError`: the message names the column, and the partition and row where one value is
    to blame.

    Returns
    -------
    pyarrow.Array
        Of the type and length of the given column.
    """
    name = columns[0] if len(columns) == 1 else next(iter(given))
    with _failing_in(f"column {name!r}", decrypt=decrypt):
        opened = protector(settings)
        batch = pa.RecordBatch.from_pydict(dict(given))
        # A task has one core, and Spark runs others beside it.
        call = Call(opened, 1, decrypt=decrypt)
        new = call.replaced(batch, [opened.rules[column] for column in columns]).column(0)
        if required and new.null_count:
            raise PolicyError(
                f"column {name!r} must not have nulls, but a new value is null; set "
                "on_invalid = 'error' in the policy"
            )
        return new


def transform_named(settings: Settings, arrays: Sequence[pa.Array], *, decrypt: bool) -> pa.Array:
    """Protect or reveal a batch of any column for SQL, whose functions return text.

    `settings`, `decrypt`: as of `transform_columns`.
    `arrays`: the policy's name for the column, the same in each row; the values; and those of the
    tweak if the policy names one.

    Returns
    -------
    pyarrow.Array of string
        New values as text: dates as YYYY-MM-DD.
    """
    with _failing_in("the functions of Tallystick", decrypt=decrypt):
        if len(arrays) not in (2, 3):
            raise ParameterError("the arguments are a column's name, its values, and tweaks if any")
        names = arrays[0].unique().to_pylist()
        if not names:
            return pa.array([], pa.string())
        if len(names) > 1 or not isinstance(names[0], str):
            raise ParameterError(
                "the first argument must be the policy's name of a column, the same in each row"
            )
        tweaks = arrays[2] if len(arrays) > 2 else None
        opened = protector(settings)
        find(opened.rules, names[0])
        call = Call(opened, 1, decrypt=decrypt)
        return call.column(names[0], arrays[1], tweaks).cast(pa.string())


def _open(settings: Settings) -> Protector:
    if settings.provider is None:
        return Protector.open(settings.rules(), settings.keyring, settings.root)
    return Protector(settings.rules(), _provided(settings.provider))


class _Provided:
    """A provider as a key ring: its keys have all rights, and no policy needs a signature."""

    signers = ()

    def __init__(self, made: Any) -> None:  # noqa: ANN401 (it has `key`)
        self.tokenizer_key = made.key

    def rights(self, _: object) -> Rights:
        return ALL_RIGHTS


def _provided(provider: str) -> Any:  # noqa: ANN401 (a key ring, or what the protector asks of one)
    module, _, name = provider.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)()
    except TallyError:
        raise
    except Exception as error:
        raise KeyringError(
            f"provider {provider}: {_place(error)}; it must be importable on every executor, and "
            "may raise KeyringError to say more"
        ) from None
    if not callable(getattr(made, "key", None)):
        raise KeyringError(f"provider {provider}: what it makes has no method key(reference)")
    return made if isinstance(made, Keyring) else _Provided(made)


@contextmanager
def _failing_in(what: str, *, decrypt: bool) -> Iterator[None]:
    """Raise errors anew, without a traceback into what had values and keys in its variables."""
    # It would have PySpark print what its own variables hold as well: values.
    os.environ.pop("SPARK_TRACEBACK_WITH_LOCALS", None)
    failed: TallyError
    try:
        yield
        return
    except InvalidValueError as error:
        column = what if error.column is None else f"column {error.column!r}"
        where = f"{column}, {_partition()}row {error.row} of a batch"
        failed = error.moved(where).mended(decrypt=decrypt)
    except TallyError as error:
        failed = type(error)(str(error))
    except Exception as error:
        # A library's message may have a value in it.
        failed = TallyError(f"{what}: {_place(error)}")
    raise failed from None


def _partition() -> str:
    task = TaskContext.get()
    return "" if task is None else f"partition {task.partitionId()}, "


def _place(error: Exception) -> str:
    """Say of what kind an error is and where it arose, without its message."""
    trace = error.__traceback__
    if trace is None:
        return type(error).__name__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{type(error).__name__} in {os.path.basename(code.co_filename)}:{trace.tb_lineno}"
