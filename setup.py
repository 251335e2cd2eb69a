# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml can't say: the cffi module, where build files go, and the wheel's ABI tag."""

import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext


class BuildExt(build_ext):  # type: ignore[misc]  # setuptools is not typed
    """Compiles into build/ in an editable install too, never into the source tree."""

    def finalize_options(self) -> None:
        """Drop the mode in which the compiled module would be put beside its sources."""
        self.editable_mode = False
        super().finalize_options()


# Everything that is made goes into build/, the egg-info too; setuptools wants it to exist.
Path("build").mkdir(exist_ok=True)
options = {"egg_info": {"egg_base": "build"}}

# One wheel serves CPython 3.11 and all later ones. A free-threaded CPython has no stable ABI yet.
if not sysconfig.get_config_var("Py_GIL_DISABLED"):
    options["bdist_wheel"] = {"py_limited_api": "cp311"}

setup(
    cffi_modules=["python/ffi_build.py:builder"],
    cmdclass={"build_ext": BuildExt},
    options=options,
)
