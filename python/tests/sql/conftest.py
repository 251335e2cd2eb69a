# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the tests of SQL: those of data frames."""

from frames_support import directory, plain, protector, ring, tokens

__all__ = ["directory", "plain", "protector", "ring", "tokens"]
