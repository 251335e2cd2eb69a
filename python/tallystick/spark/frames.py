# SPDX-License-Identifier: Apache-2.0
"""Spark data frames, protected and revealed by policy.

Each protected column is an Arrow function of its own, so that only protected columns and their
tweaks go through Python; all of them go together.
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
from pyspark.sql.types import DataType, StructField

from tallystick.errors import PolicyError
from tallystick.keyring import RootKey
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
        A frame with the policy's columns, and their tweak columns, at the top level.
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
    fields = {field.name: field for field in frame.schema.fields}
    new, described = {}, {}
    if not decrypt:
        unlisted = check_columns(settings.rules(), frame.columns)
        if unlisted:
            warn_unlisted(unlisted)
    for rule in rules_for(settings.rules(), frame.columns, missing, decrypt=decrypt):
        of_rule = [fields[name] for name in rule.names]
        _check_types(rule, *of_rule)
        new[rule.column] = _column(frame, settings, rule, of_rule, decrypt=decrypt)
        if of_rule[0].metadata:
            described[rule.column] = of_rule[0].metadata
    changed = frame.withColumns(new) if new else frame
    for name, metadata in described.items():
        changed = changed.withMetadata(name, metadata)
    return changed


def _column(
    frame: DataFrame,
    settings: Settings,
    rule: ColumnRule,
    fields: list[StructField],
    *,
    decrypt: bool,
) -> Column:
    """Return the column of a rule's new values."""
    field = fields[0]
    required = not field.nullable and rule.on_invalid != "null"
    function = column_function(settings, rule.column, decrypt=decrypt, required=required)
    arrow = F.arrow_udf(function, field.dataType)
    new = arrow(*(frame[_quoted(each.name)] for each in fields))
    # Spark takes what functions return for nullable. This is what tells it otherwise: the worker
    # has made sure that there is no null to be replaced.
    return F.coalesce(new, _anything(field.dataType)) if required else new


def column_function(settings: Settings, name: str, *, decrypt: bool, required: bool) -> Any:  # noqa: ANN401
    """Return the function for a column, with the name that plans show; it carries no key."""

    def transform(*arrays: pa.Array) -> pa.Array:
        return worker.transform_column(settings, name, arrays, decrypt=decrypt, required=required)

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
    return F.lit(_VALUES.get(kind.typeName(), 0)).cast(kind)


def _check_types(rule: ColumnRule, field: StructField, tweak: StructField | None = None) -> None:
    """Refuse types before a job is started for them; what is left, the workers refuse."""
    kind = _arrow(field.dataType)
    if kind is None or not rule.form.accepts(kind):
        said = (
            f"no format accepts Spark's type {field.dataType.simpleString()}"
            if kind is None
            else rule.form.refusal(kind)
        )
        raise PolicyError(
            f"column {rule.column!r}: {said}; change the policy, or convert the column"
        )
    if tweak is not None and not _may_be_tweak(_arrow(tweak.dataType)):
        raise PolicyError(
            f"column {rule.column!r}: its tweak {tweak.name!r} must be text, binary or integers, "
            f"not {tweak.dataType.simpleString()}; change the policy, or convert the column"
        )


_IN_UTC = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}
"""Spark before 4.2 has no such argument, and takes UTC."""


def _arrow(kind: DataType) -> pa.DataType | None:
    try:
        return to_arrow_type(kind, **_IN_UTC)
    except Exception:  # of several kinds, for types that Arrow does not have
        return None


def _may_be_tweak(kind: pa.DataType | None) -> bool:
    return kind is not None and (
        pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_integer(kind)
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
