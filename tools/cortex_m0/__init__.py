# SPDX-License-Identifier: Apache-2.0
"""A Cortex-M0+ in software: what code costs there, and what its registers and buses give away."""
