# SPDX-License-Identifier: Apache-2.0
"""The inputs for a laboratory: the firmware, given a line's input, returns the line's output."""

import csv
import itertools
import random
import re
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from embedded.emulator import images, mailbox, stm32l0
from embedded.emulator.board import Board
from embedded.leakage import campaign, laboratory
from embedded.leakage.laboratory import KEY, OPERATIONS, OptionError, Plan

SEED = bytes(range(16))
STORED_ORDER = [True, True, False, False]
STORED_INPUT = "c95ee906847389e10cae845eecb37707"
HEADER = images.ROOT / "core" / "include" / "tallystick" / "masked_aes.h"


def lines(folder: Path) -> list[dict[str, str]]:
    with (folder / "inputs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def run(folder: Path, *options: str) -> list[dict[str, str]]:
    assert laboratory.main([str(folder), "--seed", SEED.hex(), *options]) == 0
    return lines(folder)


def aes(operation: str, key: bytes, data: bytes) -> bytes:
    if operation == "cmac":
        tag = CMAC(algorithms.AES(key))
        tag.update(data)
        return tag.finalize()
    cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305
    return (cipher.decryptor() if operation == "decrypt-state" else cipher.encryptor()).update(data)


class Chip:
    """Does what README.txt says, and knows no more of the mailbox than that."""

    def __init__(self) -> None:
        image = images.build(images.ZIG)
        self.emulator = Board(image).emulator
        self.box = image.symbol("mailbox").address

    def do(self, commands: str) -> None:
        for command in commands.split(";") if commands else ():
            for one in command.split():
                at, _, data = one.partition(":")
                self.emulator.write(self.box + int(at), bytes.fromhex(data))
            assert command.split()[-1].startswith("0:")
            self.emulator.call("do_command")
            assert self.emulator.read(self.box, 8) == bytes(8)

    def result(self, text: str) -> bytes:
        size = int(re.search(r"(\d+) bytes", text)[1])  # type: ignore[index]
        places = map(int, re.search(r"offsets? ([\d and]+)", text)[1].split("and"))  # type: ignore[index]
        parts = [int.from_bytes(self.emulator.read(self.box + at, size), "big") for at in places]
        return (parts[0] ^ (parts[1] if len(parts) == 2 else 0)).to_bytes(size, "big")


def key_of(line: dict[str, str]) -> bytes:
    shares = (bytes.fromhex(line[f"key_share_{i}"]) for i in range(2))
    return bytes(a ^ b for a, b in zip(*shares, strict=True))


@pytest.mark.parametrize("varies", ["data", "key"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_firmware_gives_what_is_expected(tmp_path: Path, operation: str, varies: str) -> None:
    options = ["--operation", operation, "--varies", varies, "--traces", "6"]
    found = run(tmp_path / "new", *options, *(("--refresh", "2") if varies == "data" else ()))
    text = re.search(r"Result: (.*)", (tmp_path / "new" / "README.txt").read_text())[1]  # type: ignore[index]
    chip, key = Chip(), b""
    for line in found:
        key = key_of(line) if line["key_share_0"] else key
        chip.do(line["prepare"])
        chip.do(line["measure"])
        chip.do(line["finish"])
        expected = bytes.fromhex(line["expected"])
        assert chip.result(text) == expected
        assert aes(operation, key, bytes.fromhex(line["input"])) == expected
        fixed = line["class"] == "fixed"
        if varies == "data":
            assert key == KEY
            given = (campaign.FIXED * 2)[: len(line["input"]) // 2]
            assert (line["input"] == given.hex()) == fixed
        else:
            assert (key == KEY) == fixed


@pytest.mark.parametrize("varies", ["data", "key"])
def test_the_stm32l0_gives_what_is_expected(tmp_path: Path, varies: str) -> None:
    found = run(tmp_path / "new", "--target", "stm32l0", "--varies", varies, "--traces", "4")
    source = random.Random(3)  # noqa: S311 (a simulation)
    rng = stm32l0.Rng(lambda: source.getrandbits(32))
    board = stm32l0.Board(stm32l0.build("zig"), rng)
    for line in found:
        for step in line["prepare"].split(";") if line["prepare"] else ():
            name, _, data = step.partition(":")
            if name == "stored_key":
                at = board.emulator.image.symbol(name).address
                board.emulator.write(at, bytes.fromhex(data))
            else:
                assert step == "job_start"
                assert board.start()[0] == 0
        name, _, data = line["measure"].partition(":")
        assert name == "job_cmac"
        assert data == line["input"]
        status, tag, _, _ = board.cmac(bytes.fromhex(data))
        assert (status, tag.hex()) == (0, line["expected"])


def test_classes_are_balanced_and_in_random_order() -> None:
    for traces in (2, 10, 4000):
        fixed = laboratory.order(traces, SEED)
        assert (len(fixed), sum(fixed)) == (traces, traces // 2)
    changes = sum(a != b for a, b in itertools.pairwise(fixed))
    assert abs(changes - 2000) < 6 * 32  # six standard deviations
    assert abs(sum(fixed[:2000]) - 1000) < 6 * 16
    assert fixed != laboratory.order(4000, SEED + b"1")


def test_the_seed_decides_all_files_and_is_recorded(tmp_path: Path) -> None:
    options = ["--operation", "encrypt-once", "--traces", "20"]
    run(tmp_path / "one", *options)
    assert laboratory.main([str(tmp_path / "other"), *options]) == 0
    text = (tmp_path / "other" / "README.txt").read_text()
    again = text.partition("laboratory FOLDER ")[2].partition("SHA-256")[0].replace("\\\n", "")
    assert laboratory.main([str(tmp_path / "again"), *again.split()]) == 0
    for name in ("inputs.csv", "README.txt"):
        files = [(tmp_path / one / name).read_bytes() for one in ("one", "other", "again")]
        assert files[0] != files[1]
        assert files[1] == files[2]


def test_the_files_of_a_seed_stay_what_they_are() -> None:
    """A laboratory makes its inputs again years later."""
    traces = list(laboratory.make(Plan(4, SEED, "encrypt-once")))
    assert [trace.fixed for trace in traces] == STORED_ORDER
    assert traces[STORED_ORDER.index(False)].data.hex() == STORED_INPUT


def test_files_are_their_owners_and_nothing_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    run(folder, "--traces", "2")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("inputs.csv", "README.txt"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    before = (folder / "inputs.csv").read_bytes()
    with pytest.raises(SystemExit):
        laboratory.main([str(folder)])
    assert "give the name of a new folder" in capsys.readouterr().err
    assert (folder / "inputs.csv").read_bytes() == before


def commands(plan: Plan) -> list[list[int]]:
    """The commands before each trace."""
    return [
        [int(step.rpartition("0:")[2][:2], 16) for step in trace.prepare]
        for trace in laboratory.make(plan)
    ]


def test_a_kept_key_gets_new_shares_as_often_as_is_said() -> None:
    c = mailbox.Command
    text = re.search(r"TALLY_MASKED_REFRESH_BLOCKS\s+(\d+)", HEADER.read_text())
    assert text is not None
    assert int(text[1]) == laboratory.REFRESH_BLOCKS
    for refresh, interval in ((None, 128), (3, 3), (1, 1), (0, 1000)):
        found = commands(Plan(300, SEED, "encrypt-blocks", refresh=refresh))
        assert found[0] == [c.SET_KEY]
        assert [i for i, one in enumerate(found) if one == [c.REFRESH]] == [
            i for i in range(1, 300) if i % interval == 0
        ]
        assert all(one in ([], [c.REFRESH]) for one in found[1:])
    assert commands(Plan(4, SEED, refresh=2))[2] == [c.REFRESH, c.SLICE]
    assert Plan(2, SEED, "cmac").interval == 85
    once = [trace.shares for trace in laboratory.make(Plan(8, SEED, "encrypt-once", refresh=2))]
    assert once[0::2] == once[1::2]
    assert len(set(once)) == 4
    assert len({trace.shares for trace in laboratory.make(Plan(8, SEED, varies="key"))}) == 8


def test_the_control_has_two_random_classes() -> None:
    for varies in ("data", "key"):
        found = list(laboratory.make(Plan(40, SEED, "encrypt-once", varies, same=True)))
        assert sum(trace.fixed for trace in found) == 20
        assert len({trace.data for trace in found}) == 40
        keys = {bytes(a ^ b for a, b in zip(*trace.shares, strict=True)) for trace in found}  # type: ignore[misc]
        assert len(keys) == (40 if varies == "key" else 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"traces": 3}, "even"),
        ({"traces": 0}, "even"),
        ({"seed": b""}, "seed"),
        ({"target": "stm32l0"}, "--operation cmac"),
        ({"target": "stm32l0", "operation": "cmac", "refresh": 2}, "leave out --refresh"),
        ({"varies": "key", "refresh": 2}, "leave out --refresh"),
        ({"refresh": -1}, "refresh"),
        ({"operation": "none"}, "operation"),
        ({"varies": "none"}, "varies"),
        ({"target": "none"}, "target"),
    ],
)
def test_no_option_is_ignored(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Plan(**{"traces": 2, "seed": SEED} | options)  # type: ignore[arg-type]


def test_a_seed_that_is_no_hexadecimal_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        laboratory.main([str(tmp_path / "new"), "--seed", "xyz"])
    assert "hexadecimal" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
