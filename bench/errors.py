# SPDX-License-Identifier: Apache-2.0
"""What stops the benchmarks: a wrong result is not worth timing."""


class WrongResultError(Exception):
    """Tokens are not those of a peer that does the same work, or do not give their values back."""
