# SPDX-License-Identifier: Apache-2.0
"""Policies: what becomes of which columns; ``docs/policy.md``."""

from tallystick.policy.rules import ColumnRule, Policy, policy_text

__all__ = ["ColumnRule", "Policy", "policy_text"]
