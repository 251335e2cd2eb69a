# SPDX-License-Identifier: Apache-2.0
"""Spark data frames and SQL: tokens by policy, made by the executors' Python workers.

Keys never travel. Only a policy's text travels, and the place where executors find the keys
(`Settings`). Each Python worker opens the key ring itself, once. docs/reference/spark.md describes
the setup of a cluster. It needs PySpark 4.1 or newer (the extra ``spark``) on the driver and on
every executor.
"""

from .frames import protect, reveal
from .settings import Settings
from .sql import register

__all__ = ["Settings", "protect", "register", "reveal"]
