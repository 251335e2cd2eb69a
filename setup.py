# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml can't say: the cffi module, how it is compiled, and the wheel's ABI tag."""

import os
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError


def say(text: str) -> None:
    """Print a line of progress; pip shows it with -v."""
    print(f"tallystick: {text}", flush=True)


class BuildExt(build_ext):  # type: ignore[misc]  # setuptools is not typed
    """Compiles into build/ in an editable install too, never into the source tree."""

    def finalize_options(self) -> None:
        """Drop the mode in which the compiled module would be put beside its sources."""
        self.editable_mode = False
        super().finalize_options()

    def build_extensions(self) -> None:
        """Compile on all processors, with the hardening flags that the compiler accepts.

        The variable CMAKE_C_COMPILER_LAUNCHER names a program that starts the compiler: ccache.
        """
        if self.compiler.compiler_type == "unix":
            if launcher := os.environ.get("CMAKE_C_COMPILER_LAUNCHER"):
                self.compiler.compiler_so = [launcher, *self.compiler.compiler_so]
            # Python's own library path is of no use to a module that links nothing but libc.
            own = {word for word in self.linker_words() if word.startswith("-Wl,-rpath")}
            self.compiler.linker_so = [w for w in self.compiler.linker_so if w not in own]
            for extension in self.extensions:
                flags = extension.extra_compile_args
                extension.extra_compile_args = [flag for flag in flags if self.accepts(flag)]
        self.compile_one_by_one()
        super().build_extensions()

    @staticmethod
    def linker_words() -> list[str]:
        """Return the words with which Python's build links a module."""
        return (sysconfig.get_config_var("LDSHARED") or "").split()

    def accepts(self, flag: str) -> bool:
        """Return whether the compiler accepts a flag. Only those with -f and -m may be refused."""
        if not flag.startswith(("-f", "-m")):
            return True
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "empty.c"
            source.write_text("int tally_empty(void) { return 0; }\n", encoding="utf-8")
            try:
                # -Werror: clang only warns of a flag that it does not know.
                options = ["-Werror", flag]
                self.compiler.compile([str(source)], output_dir=folder, extra_postargs=options)
            except CompileError:
                say(f"the compiler does not accept {flag}")
                return False
        return True

    def compile_one_by_one(self) -> None:
        """Name each file when it is compiled, and compile several at once with gcc and clang."""
        compile_files = self.compiler.compile
        at_once = 1  # Microsoft's compiler object is not made for threads
        if self.compiler.compiler_type == "unix":
            affinity = getattr(os, "sched_getaffinity", None)
            at_once = len(affinity(0)) if affinity else os.cpu_count() or 1

        def compile_all(
            sources: list[str],
            *arguments: Any,  # noqa: ANN401 (handed on to setuptools)
            **options: Any,  # noqa: ANN401
        ) -> list[str]:
            numbers = count(1)

            def compile_one(source: str) -> list[str]:
                say(f"compiling {next(numbers)} of {len(sources)}: {source}")
                return list(compile_files([source], *arguments, **options))

            say(f"{len(sources)} files to compile, {at_once} at once")
            with ThreadPoolExecutor(at_once) as pool:
                return [made for some in pool.map(compile_one, sources) for made in some]

        self.compiler.compile = compile_all


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
