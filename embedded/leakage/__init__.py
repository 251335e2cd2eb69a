# SPDX-License-Identifier: Apache-2.0
"""What the registers and buses of an emulated Cortex-M0+ give away about a key."""
