# SPDX-License-Identifier: Apache-2.0
"""Hazardous materials: building blocks that are easy to use wrongly, and fail in silence then.

Nothing here is needed for tokens, key rings or shares: `tallystick.shares` has shares that show
when they are wrong.
"""
