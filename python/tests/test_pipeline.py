# SPDX-License-Identifier: Apache-2.0
"""Several threads do what one does: in order, the first error first, and none is left."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from tallystick.errors import ParameterError
from tallystick.files.pipeline import run_in_order
from tallystick.threads import at_once, thread_count

PARTS = 40


class FirstError(Exception):
    """What is raised first in the order of the parts."""


class Stopped(BaseException):  # as KeyboardInterrupt is
    """What a signal's handler raises."""


class LaterError(Exception):
    """What is raised by a later part."""


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@pytest.fixture(params=[1, 2, 5])
def threads(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def ignore(result: int) -> None:
    """Finish a part."""


def never(result: int) -> None:
    """Fail, since no part is to be finished."""
    raise AssertionError


def uneven(part: int) -> int:
    """Take longer for some parts, so that they would be finished out of order."""
    time.sleep(0.002 * (part % 3 == 0))
    return part * part


@pytest.mark.parametrize("ahead", [1, 2, 16])
def test_results_come_in_order(threads: int, ahead: int) -> None:
    finished: list[int] = []
    run_in_order(range(PARTS), uneven, finished.append, threads=threads, ahead=ahead)
    assert finished == [part * part for part in range(PARTS)]


def test_no_parts(threads: int) -> None:
    run_in_order([], uneven, never, threads=threads, ahead=4)


def test_several_parts_are_worked_on_at_once_while_others_are_taken_and_finished() -> None:
    met = threading.Barrier(4)  # two workers, the one that takes, and the one that finishes

    def parts() -> Iterator[int]:
        for part in range(6):
            if part == 5:
                met.wait(10)
            yield part

    def work(part: int) -> int:
        if part in (3, 4):
            met.wait(10)
        return part

    def finish(result: int) -> None:
        if result == 0:
            met.wait(10)

    run_in_order(parts(), work, finish, threads=3, ahead=8)


@pytest.mark.parametrize("ahead", [1, 3, 6])
def test_no_more_parts_are_taken_than_there_is_room_for(threads: int, ahead: int) -> None:
    lock, held, most = threading.Lock(), 0, 0

    def parts() -> Iterator[int]:
        nonlocal held, most
        for part in range(PARTS):
            with lock:
                held += 1
                most = max(most, held)
            yield part

    def finish(result: int) -> None:
        nonlocal held
        time.sleep(0.001)
        with lock:
            held -= 1

    run_in_order(parts(), uneven, finish, threads=threads, ahead=ahead)
    assert held == 0
    assert most <= ahead + 1
    assert most > 1 or threads == 1


@pytest.mark.parametrize(("weight", "expected"), [(3, 2), (9, 1)])
def test_heavy_parts_take_more_room(weight: int, expected: int) -> None:
    lock, held, most = threading.Lock(), 0, 0

    def work(part: int) -> int:
        nonlocal held, most
        with lock:
            held += 1
            most = max(most, held)
        time.sleep(0.002)
        with lock:
            held -= 1
        return part

    run_in_order(range(PARTS), work, ignore, threads=5, ahead=6, weight=lambda part: weight)
    assert most <= expected


@pytest.mark.parametrize("place", ["parts", "work", "finish"])
@pytest.mark.parametrize("first", [0, 7, PARTS - 1])
def test_the_first_error_in_order_is_raised(threads: int, place: str, first: int) -> None:
    finished: list[int] = []

    def parts() -> Iterator[int]:
        for part in range(PARTS):
            if place == "parts" and part == first:
                raise FirstError
            yield part

    def work(part: int) -> int:
        if part == first and place == "work":
            time.sleep(0.01)  # later ones have failed meanwhile
            raise FirstError
        if part > first:
            raise LaterError
        return part

    def finish(result: int) -> None:
        if result == first and place == "finish":
            raise FirstError
        finished.append(result)

    with pytest.raises(FirstError):
        run_in_order(parts(), work, finish, threads=threads, ahead=4)
    assert finished == list(range(first))


def test_an_interrupt_in_a_worker_is_the_callers(threads: int) -> None:
    def interrupt(part: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_order(range(PARTS), interrupt, never, threads=threads, ahead=4)


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX")
@pytest.mark.parametrize("busy", ["parts", "work", "finish", "nothing"])
def test_a_signal_ends_it(threads: int, busy: str) -> None:
    finished: list[int] = []

    def stop(*_: object) -> None:
        raise Stopped

    def kill(place: str, part: int) -> None:
        if part == 5 and place == busy:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            time.sleep(0.01)

    def parts() -> Iterator[int]:
        for part in range(10**5):
            kill("parts", part)
            yield part

    def work(part: int) -> int:
        kill("work", part)
        if busy == "nothing" and part == 5:
            time.sleep(0.05)  # room has run out, and all wait for this one
            kill("nothing", part)
        return part

    def finish(result: int) -> None:
        kill("finish", result)
        finished.append(result)

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(Stopped):
            run_in_order(parts(), work, finish, threads=threads, ahead=4)
    finally:
        signal.signal(signal.SIGUSR1, before)
    count = len(finished)
    time.sleep(0.01)
    assert finished == list(range(count)), "nothing is finished afterwards"


def test_an_error_keeps_nothing_alive(threads: int) -> None:
    class Held:
        """Something of the run."""

    def failing(held: Held) -> Callable[[int], int]:
        def work(part: int) -> int:
            raise FirstError(id(held))

        return work

    held = Held()
    gone = weakref.ref(held)
    gc.disable()
    try:
        with pytest.raises(FirstError) as caught:
            run_in_order(range(3), failing(held), never, threads=threads, ahead=2)
        del held, caught
        assert gone() is None
    finally:
        gc.enable()


def test_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thread_count(1) == 1
    assert thread_count(99) == 99
    for wrong in (0, -1, 1025):
        with pytest.raises(ParameterError, match=f"1 to 1024, not {wrong}"):
            thread_count(wrong)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 2, 5}, raising=False)
    assert thread_count(None) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert thread_count(None) == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count(None) == 1


def test_several_things_at_once(threads: int) -> None:
    assert at_once(uneven, range(PARTS), threads) == [part * part for part in range(PARTS)]
    assert at_once(uneven, [], threads) == []
    met = threading.Barrier(threads)
    assert at_once(lambda part: met.wait(10) >= 0, range(threads), threads) == [True] * threads

    def failing(part: int) -> int:
        if part == 7:
            time.sleep(0.01)
            raise FirstError
        if part > 7:
            raise LaterError
        return part

    with pytest.raises(FirstError):
        at_once(failing, range(PARTS), threads)
