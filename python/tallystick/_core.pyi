# SPDX-License-Identifier: Apache-2.0
"""The cffi module on the C core, made by ffi_build.py; its functions are those of the headers."""

from typing import Any

ffi: Any
lib: Any
