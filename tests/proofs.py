# SPDX-License-Identifier: Apache-2.0
"""Proofs on the C by abstract interpretation: what `make proofs` does.

Each tests/proofs/NAME.c calls a unit of the core with arguments of which Frama-C's Eva considers
every value at once; no alarm and no unproven precondition means that no execution of it has
undefined behaviour. What is not reached raises no alarm either, so a proof also names functions
that must be analysed, and how much of each. `control` has a fault in both, and both must be seen.
Arguments choose by name.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("TALLY_JOBS") or 2)
LOGS = ROOT / "build" / "proofs"
SECONDS = 600
"""Of a proof, at most."""
COMMON = (
    *("frama-c", "-machdep", "gcc_x86_64", "-c11"),
    "-cpp-extra-args=-include tests/proofs/dialect.h -Icore -Icore/include -Itests/proofs",
    *("-eva", "-eva-msg-key=-initial-state,-final-states", "-metrics", "-metrics-eva-cover"),
)


@dataclass(frozen=True, slots=True)
class Proof:
    """A program of tests/proofs/, the core's sources that it needs, and Eva's way with it."""

    name: str
    sources: tuple[str, ...]
    unit: Mapping[str, int]
    """Functions of the unit, and the percentage of their statements that is reached at least. Of
    those of one name in two files the second is called NAME_0."""
    precision: int = 3
    unroll: int = 1000
    split: str = ""
    """How returned values part states: auto, full."""


LOADS_AND_STORES = {
    f"tally_{what}_{order}{bits}": 100
    for what in ("load", "store")
    for order in ("le", "be")
    for bits in (32, 64)
}
SHA2 = {
    f"tally_sha{bits}_{step}": 100 for bits in (256, 512) for step in ("init", "update", "final")
}
PROOFS = (
    Proof(
        "base",
        ("base/wipe", "library/status"),
        LOADS_AND_STORES | {"tally_wipe": 100, "tally_status_text": 67},
    ),
    Proof(
        "share",
        ("sharing/share_format",),
        {"tally_share_parse": 100, "tally_shares_read": 100, "tally_share_set_from_path": 100},
        split="full",
    ),
    Proof(
        "gf256",
        ("gf256/portable",),
        {
            "tally_gf256_multiply": 100,
            "gf256_portable_evaluate": 100,
            "gf256_portable_combine": 100,
        },
    ),
    Proof(
        "reed_solomon",
        ("sharing/reed_solomon", "gf256/gf256", "gf256/portable"),
        {
            "tally_reed_solomon_matrix": 97,
            "tally_reed_solomon_apply": 95,
            "tally_gf256_weights": 100,
            "gf256_portable_combine": 100,
        },
    ),
    Proof(
        "dates",
        ("numbers/dates",),
        {
            "tally_dates_parse": 100,
            "tally_dates_compile": 96,
            "tally_dates_format": 100,
        },
        precision=7,
        split="auto",
    ),
    Proof(
        "mixed",
        ("numbers/mixed", "base/wipe"),
        {
            "mixed_portable_write": 100,
            "mixed_portable_read": 100,
            "mixed_portable_split": 100,
            "mixed_portable_append": 100,
        },
        precision=1,
        unroll=80,
    ),
    Proof(
        "layers",
        ("fast/words/layers", "base/wipe"),
        {
            # Words of more than 720 layers are not of the proof.
            "tally_fast_layers": 95,
            "layers_run_line": 100,
            "layers_run_circular": 98,
            "layers_forward": 100,
            "layers_forward_by": 100,
            "layers_backward": 100,
            "layers_backward_by": 100,
        },
        precision=4,
    ),
    Proof(
        "sha2",
        (
            *("sha2/sha256", "sha2/sha512", "sha2/sha256_portable", "sha2/sha512_portable"),
            *("sha2/constants", "base/wipe"),
        ),
        SHA2
        | {f"sha{bits}_update": 100 for bits in (256, 512)}
        | {f"sha{bits}_portable_compress": 100 for bits in (256, 512)},
        precision=1,
        unroll=130,
    ),
)
CONTROL = Proof(
    "control", ("gf256/portable",), {"gf256_portable_evaluate": 100, "gf256_portable_combine": 100}
)
CONTROL_FAULTS = [
    "1 alarms",
    "an alarm in core/gf256/portable.c",
    "gf256_portable_evaluate: 97% of the statements, not 100%",
    "gf256_portable_combine is not analysed",
]


def unreached(proof: Proof, output: str) -> list[str]:
    """Return which functions of the unit are analysed too little, by Frama-C's metrics."""
    lines = re.findall(r"^  (\w+): \d+ stmts out of \d+ \((\d+)\.\d%\)", output, re.MULTILINE)
    reached = {name: int(percent) for name, percent in lines}
    bad = []
    for name, least in proof.unit.items():
        if name not in reached:
            bad.append(f"{name} is not analysed")
        elif reached[name] < least:
            bad.append(f"{name}: {reached[name]}% of the statements, not {least}%")
    return bad


def prove(proof: Proof) -> tuple[list[str], float]:
    """Run Eva on a program; return what is not proven, and how long it took."""
    command = [*COMMON, "-eva-precision", str(proof.precision)]
    command += ["-eva-auto-loop-unroll", str(proof.unroll)]
    command += ["-eva-split-return", proof.split] if proof.split else []
    command += [f"tests/proofs/{proof.name}.c", *(f"core/{name}.c" for name in proof.sources)]
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    seconds = time.monotonic() - started
    output = done.stdout + done.stderr
    (LOGS / f"{proof.name}.log").write_text(output, encoding="utf-8")
    alarms = re.search(r"^ +(\d+) alarms? generated", output, re.MULTILINE)
    logic = re.findall(r"(?:Assertions|Preconditions) +\d+ valid +(\d+) unknown +(\d+) inv", output)
    if done.returncode != 0 or alarms is None or len(logic) != 2:
        return [f"Frama-C failed (exit code {done.returncode}): {output[-500:]}"], seconds
    bad = [f"{alarms[1]} alarms"] if alarms[1] != "0" else []
    bad += [f"an alarm in {file}" for file in re.findall(r"^\[eva:alarm\] (\S+?):", output, re.M)]
    bad += ["a precondition is not shown" for counts in logic if counts != ("0", "0")]
    # What has neither body nor specification would be taken to change nothing but its result, which
    # is true of the compiler's own functions.
    bad += re.findall(r"Neither code nor specification for function (?!__builtin_)\w+", output)
    bad += ["an execution is given up"] if "NON TERMINATING" in output else []
    return bad + unreached(proof, output), seconds


def main() -> int:
    """Prove what was chosen, and print what is not proven."""
    chosen = [proof for proof in PROOFS if proof.name in sys.argv[1:] or len(sys.argv) == 1]
    if not chosen:
        print("no such proof; there are:", *(proof.name for proof in PROOFS))
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for proof, (bad, seconds) in zip(
            (CONTROL, *chosen), pool.map(prove, (CONTROL, *chosen)), strict=True
        ):
            if proof is CONTROL:
                bad = [] if bad == CONTROL_FAULTS else ["not the faults that it has:", *bad]
            failed += bool(bad)
            print(f"{proof.name:14}{seconds:6.0f} s  {'; '.join(bad) or 'shown'}", flush=True)
    print(f"proofs: {len(chosen) + 1 - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
