# SPDX-License-Identifier: Apache-2.0
"""A Cortex-M0+ in software: runs the firmware, and counts cycles and memory."""
