# SPDX-License-Identifier: Apache-2.0
"""Evaluates the leakage of registers and buses of an emulated Cortex-M0+."""
