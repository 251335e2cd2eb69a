# SPDX-License-Identifier: Apache-2.0
"""The tables of the scanner, which are made from `knowledge.toml`."""
