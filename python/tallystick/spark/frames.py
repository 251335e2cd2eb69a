# SPDX-License-Identifier: Apache-2.0
"""Spark data frames, protected and revealed by policy.

Each column of a frame that is protected, or has protected columns inside, is made anew by an Arrow
function of its own, so that only these and their tweaks go through Python; all of them go together.
"""

import os
from datetime import UTC, date, datetime
from decimal import Decimal
from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's documentation has it)
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from tallystick.errors import PolicyError
from tallystick.in_memory import by_column
from tallystick.keyring import RootKey
from tallystick.paths import find, opened
from tallystick.policy import ColumnRule
from tallystick.policy.tables import Missing, check_columns, rules_for, warn_unlisted

from . import worker
from .settings import Settings


def protect(
    frame: DataFrame,
    policy: str | os.PathLike[str] | None = None,
    *,
    keyring: str | os.PathLike[str] | None = None,
    root: RootKey | str | None = None,
    provider: str | None = None,
    missing: Missing = "error",
) -> DataFrame:
    """Replace the values of the policy's columns with tokens.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        A frame with the policy's columns, and their tweak columns.
    policy, keyring, root, provider
        As for `Settings.make`.
    missing : {"error", "ignore"}
        What to do if the frame lacks columns of the policy: raise an error, or skip them.

    Returns
    -------
    pyspark.sql.DataFrame
        A frame with the same columns and types. A column with ``on_invalid = "null"`` in the policy
        is nullable; the others are nullable if they were before. It is lazy: Spark reads data when
        an action needs it.

    Raises
    ------
    ParameterError
        A column is missing or occurs twice, or a key was passed where its source belongs.
    PolicyError
        The policy is invalid, a column's format does not accept its type, or the policy says
        ``unlisted = "error"`` and does not name a column.

    Warns
    -----
    NotProtectedWarning
        Columns pass in clear, and the policy does not allow it explicitly.

    Notes
    -----
    An invalid value, or a key ring that can't be opened, fails the job. The error names the column
    and the reason, and no value.
    """
    settings = Settings.make(policy, keyring=keyring, root=root, provider=provider)
    return _transform(frame, settings, missing, decrypt=False)


def reveal(
    frame: DataFrame,
    policy: str | os.PathLike[str] | None = None,
    *,
    keyring: str | os.PathLike[str] | None = None,
    root: RootKey | str | None = None,
    provider: str | None = None,
    missing: Missing = "error",
) -> DataFrame:
    """Return the values of tokens: the inverse of `protect`, with its parameters and errors.

    Columns of one-way formats are unchanged.
    """
    settings = Settings.make(policy, keyring=keyring, root=root, provider=provider)
    return _transform(frame, settings, missing, decrypt=True)


def _transform(
    frame: DataFrame, settings: Settings, missing: Missing, *, decrypt: bool
) -> DataFrame:
    policy = settings.rules()
    fields = {field.name: field for field in frame.schema.fields}
    schema = pa.schema(
        [(field.name, _arrow(field.dataType) or pa.null()) for field in frame.schema.fields]
    )
    columns = opened(schema, policy.named)
    names = [name for name, _ in columns]
    if not decrypt:
        unlisted = check_columns(policy, names)
        if unlisted:
            warn_unlisted(unlisted)
    kinds, tops = dict(columns), {one.path: one.top for one in find(schema, names).values()}
    wanted = rules_for(policy, names, missing, decrypt=decrypt)
    for rule in wanted:
        _check_types(rule, *((kinds[name], fields.get(name)) for name in rule.names))
    new = {}
    for top, (needed, rules) in by_column(wanted, tops).items():
        required = not fields[top].nullable and not any(
            rule.column == top and rule.on_invalid == "null" for rule in rules
        )
        paths = [rule.column for rule in rules]
        function = column_function(settings, paths, needed, decrypt=decrypt, required=required)
        made = F.arrow_udf(function, fields[top].dataType)(
            *(frame[_quoted(name)] for name in needed)
        )
        # Spark takes what functions return for nullable. This is what tells it otherwise: the
        # worker has made sure that there is no null to be replaced.
        new[top] = F.coalesce(made, _anything(fields[top].dataType)) if required else made
    changed = frame.withColumns(new) if new else frame
    for name in new:
        if fields[name].metadata:
            changed = changed.withMetadata(name, fields[name].metadata)
    return changed


def column_function(
    settings: Settings, columns: list[str], needed: list[str], *, decrypt: bool, required: bool
) -> Any:  # noqa: ANN401
    """Return the function for a column, with the name that plans show; it carries no key.

    `columns`: the policy's columns that it is, or that lie inside it.
    `needed`: the names of the columns that the function gets, itself first.
    """

    def transform(*arrays: pa.Array) -> pa.Array:
        given = dict(zip(needed, arrays, strict=True))
        return worker.transform_columns(
            settings, columns, given, decrypt=decrypt, required=required
        )

    transform.__name__ = "tally_reveal" if decrypt else "tally_protect"
    return transform


_VALUES: dict[str, object] = {
    "string": "",
    "varchar": "",
    "char": "",
    "date": date(1970, 1, 1),
    "timestamp": datetime(1970, 1, 1, tzinfo=UTC),
    "timestamp_ntz": datetime(1970, 1, 1, tzinfo=UTC),
    "decimal": Decimal(0),
}
"""Of each kind of type a value whose cast to the type Spark knows to be no null; else it is 0."""


def _anything(kind: DataType) -> Column:
    """Return a constant of a type."""
    if isinstance(kind, StructType):
        made = F.struct(*(_anything(one.dataType).alias(one.name) for one in kind.fields))
    elif isinstance(kind, ArrayType):
        made = F.array()
    elif isinstance(kind, MapType):
        made = F.create_map()
    else:
        made = F.lit(_VALUES.get(kind.typeName(), 0))
    return made.cast(kind)


_Typed = tuple[pa.DataType, StructField | None]
"""A column's type in Arrow, and in Spark if it is no column inside another."""


def _check_types(rule: ColumnRule, column: _Typed, tweak: _Typed | None = None) -> None:
    """Refuse types before a job is started for them; what is left, the workers refuse."""
    kind, field = column
    if not rule.form.accepts(kind):
        said = (
            rule.form.refusal(kind)
            if field is None or _arrow(field.dataType) is not None
            else f"no format accepts Spark's type {field.dataType.simpleString()}"
        )
        raise PolicyError(
            f"column {rule.column!r}: {said}; change the policy, or convert the column"
        )
    if tweak is not None and not _may_be_tweak(tweak[0]):
        raise PolicyError(
            f"column {rule.column!r}: its tweak {rule.tweak!r} must be text, binary or integers, "
            f"not {tweak[1].dataType.simpleString() if tweak[1] else tweak[0]}; change the policy, "
            "or convert the column"
        )


_IN_UTC = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}
"""Spark before 4.2 has no such argument, and takes UTC."""


def _arrow(kind: DataType) -> pa.DataType | None:
    try:
        return to_arrow_type(kind, **_IN_UTC)
    except Exception:  # of several kinds, for types that Arrow does not have
        return None


def _may_be_tweak(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_integer(kind))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
