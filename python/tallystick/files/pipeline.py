# SPDX-License-Identifier: Apache-2.0
"""Several threads at work on the parts of a file, which are taken and finished in their order.

The calling thread takes parts, and waits for nothing that a signal can't interrupt; whichever
worker has the next result finishes it, so that reading, work and writing overlap.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Generic, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def run_in_order(
    parts: Iterable[Part],
    work: Callable[[Part], Result],
    finish: Callable[[Result], None],
    *,
    threads: int,
    ahead: int,
    weight: Callable[[Part], int] = lambda part: 1,
) -> None:
    """Call ``finish(work(part))`` for every part, with the outcome of one thread that does it.

    `parts`: advanced by the calling thread.
    `work`: called by any thread, for several parts at once.
    `finish`: called by any thread, for one result at a time, in the order of the parts.
    `threads`: how many work; with 1 it is the calling thread, else that one only takes parts.
    `ahead`: how many parts may wait for workers, be worked on, or wait to be finished. One more may
    have been taken. (More than one part in the work is what keeps the threads busy.)
    `weight`: for how many parts each counts; at least 1.
    Raises `BaseException`: what the first part in their order raises that raises anything; those
    before it are finished, none after it is. When a signal's handler raises, no further part is
    finished. Either way no thread is left.
    """
    if threads == 1:
        for part in parts:
            finish(work(part))
    else:
        _Run(work, finish, ahead, weight).run(parts, threads)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Stands for a part or a result: what was raised instead."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class _Task(Generic[Part]):
    """A part on its way to a worker."""

    number: int
    weight: int
    part: Part | _Failure


class _Run(Generic[Part, Result]):
    """One call of `run_in_order`.

    The calling thread shares queues alone with the workers: their methods are single steps of the
    interpreter, so a signal's handler may raise between any two and leave nothing locked.
    """

    def __init__(
        self,
        work: Callable[[Part], Result],
        finish: Callable[[Result], None],
        ahead: int,
        weight: Callable[[Part], int],
    ) -> None:
        self._work = work
        self._finish = finish
        self._ahead = ahead
        self._weight = weight
        self._tasks: SimpleQueue[_Task[Part] | None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        for _ in range(ahead):
            self._room.put(None)
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._stopped = False
        self._error: BaseException | None = None
        self._lock = Lock()  # the workers'; for what follows
        self._results: dict[int, tuple[int, Result | _Failure]] = {}
        self._next = 0
        self._finishing = False

    def run(self, parts: Iterable[Part], threads: int) -> None:
        workers: list[Thread] = []
        try:
            for _ in range(threads):
                # A daemon, so that a second signal, while the first is seen to, leaves no wait.
                worker = Thread(target=self._serve, name="tallystick", daemon=True)
                worker.start()
                workers.append(worker)
            self._feed(parts)
            self._end(threads)
            for _ in workers:
                self._ended.get()  # not join, which a signal leaves in disorder
        except BaseException:
            self._stopped = True
            self._end(threads)
            raise
        finally:
            for worker in workers:
                worker.join()
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # else its traceback, with all that the run used, would hold itself

    def _feed(self, parts: Iterable[Part]) -> None:
        number, taken = 0, iter(parts)
        while True:
            part: Part | _Failure
            try:
                part = next(taken)
                weight = min(self._weight(part), self._ahead)
            except StopIteration:
                return
            except Exception as error:
                part, weight = _Failure(error), 1  # those before it come first
            for _ in range(weight):
                self._room.get()
            if self._stopped:
                return
            self._tasks.put(_Task(number, weight, part))
            if isinstance(part, _Failure):
                return
            number += 1
            del part

    def _end(self, threads: int) -> None:
        for _ in range(threads):
            self._tasks.put(None)

    def _serve(self) -> None:
        try:
            while (task := self._tasks.get()) is not None:
                if not self._stopped:
                    self._deposit(task.number, task.weight, self._result(task.part))
                del task
        finally:
            self._ended.put(None)

    def _result(self, part: Part | _Failure) -> Result | _Failure:
        if isinstance(part, _Failure):
            return part
        try:
            return self._work(part)
        except BaseException as error:
            return _Failure(error)

    def _deposit(self, number: int, weight: int, result: Result | _Failure) -> None:
        """Put a result down, and finish all that are next, unless another thread does."""
        with self._lock:
            self._results[number] = (weight, result)
            if self._finishing:
                return
            self._finishing = True
        del result
        while True:
            with self._lock:
                if self._stopped or self._next not in self._results:
                    self._finishing = False
                    return
                weight, result = self._results.pop(self._next)
                self._next += 1
            self._deliver(result)
            del result
            for _ in range(weight):
                self._room.put(None)

    def _deliver(self, result: Result | _Failure) -> None:
        if not isinstance(result, _Failure):
            try:
                self._finish(result)
            except BaseException as error:
                result = _Failure(error)
            else:
                return
        self._error = result.error
        self._stopped = True
        for _ in range(self._ahead):
            self._room.put(None)
