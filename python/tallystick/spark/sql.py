# SPDX-License-Identifier: Apache-2.0
"""Functions for Spark SQL: ``tally_protect('column', value)`` and ``tally_reveal``."""

import os
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's documentation has it)

from tallystick.keyring import RootKey

from . import worker
from .settings import Settings


def register(
    session: SparkSession,
    policy: str | os.PathLike[str] | None = None,
    *,
    keyring: str | os.PathLike[str] | None = None,
    root: RootKey | str | None = None,
    provider: str | None = None,
    reveal: bool = False,
) -> None:
    """Register ``tally_protect`` for the SQL of a session and, on request, ``tally_reveal``.

    Both functions take a column's name in the policy, a value of a type that its format accepts,
    and the tweak if the policy names a tweak column. They return text; ``CAST`` it to other types::

        SELECT tally_protect('ssn', ssn), CAST(tally_protect('born', born) AS DATE) FROM people

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        The session. Existing functions of these names are replaced.
    policy, keyring, root, provider
        As for `Settings.make`.
    reveal : bool
        Whether to register ``tally_reveal``: then every query of the session can reveal. If False,
        a ``tally_reveal`` of an earlier call is removed.

    Raises
    ------
    ParameterError, PolicyError
        As for `Settings.make`.
    """
    settings = Settings.make(policy, keyring=keyring, root=root, provider=provider)
    session.udf.register("tally_protect", F.arrow_udf(_function(settings, decrypt=False), "string"))
    if reveal:
        made = F.arrow_udf(_function(settings, decrypt=True), "string")
        session.udf.register("tally_reveal", made)
    else:
        session.sql("DROP TEMPORARY FUNCTION IF EXISTS tally_reveal")


def _function(settings: Settings, *, decrypt: bool) -> Any:  # noqa: ANN401
    def transform(*arrays: pa.Array) -> pa.Array:
        return worker.transform_named(settings, arrays, decrypt=decrypt)

    return transform
