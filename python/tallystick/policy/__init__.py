# SPDX-License-Identifier: Apache-2.0
"""Policies: what becomes of which columns; ``docs/reference/policy.md``."""

from tallystick.policy.rules import ColumnRule, Policy, Unlisted, policy_text

__all__ = ["ColumnRule", "Policy", "Unlisted", "policy_text"]
