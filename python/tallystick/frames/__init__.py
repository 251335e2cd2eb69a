# SPDX-License-Identifier: Apache-2.0
"""Data frames: `tallystick.frames.pandas`, `tallystick.frames.polars`, and Arrow datasets.

Importing one of the modules registers `tally` with its library; see ``docs/reference/frames.md``.
"""
