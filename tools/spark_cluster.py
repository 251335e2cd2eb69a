# SPDX-License-Identifier: Apache-2.0
"""A standalone Spark master and workers on this machine, each a process of its own.

Tests and benchmarks run on it; it has no web interface and is reached from this machine alone.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pyspark

QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"
"""Options of virtual machines that live for a minute."""

PATIENCE = "600s"
"""How long Spark waits for what a busy machine delays; a killed executor is noticed at once."""

_DAEMONS = " ".join(
    (
        f"-Dspark.network.timeout={PATIENCE}",
        "-Dspark.worker.timeout=600",
        "-Dspark.master.rest.enabled=false",
    )
)

_ADDRESS = re.compile(r"Starting Spark master at (spark://[\d.]+:\d+)")
_REGISTERED = re.compile(r"Successfully registered with master")


class Cluster:
    """Processes that are started at once, and stopped by `stop`.

    Parameters
    ----------
    folder : pathlib.Path
        For logs, events and what executors write.
    environment : mapping of str to str
        Of the workers, and so of their executors, on top of ours; the driver does not have it.
    workers : int
        How many, of one core each.
    options : str
        For the virtual machines of drivers and executors.

    Attributes
    ----------
    events, work : pathlib.Path
        Folders with the logs of events, and with what executors write and print.
    driver_log : pathlib.Path
        Where drivers may print.
    master : str
        The address for sessions.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *,
        workers: int = 2,
        options: str = QUICK,
    ) -> None:
        self.folder = folder
        self._options = options
        self.events = folder / "events"
        self.work = folder / "work"
        self.driver_log = folder / "driver.log"
        for made in (self.events, self.work):
            made.mkdir(parents=True)
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            self._start("master", {}, "Master", "--port", "0")
            self.master = self._wait("master", _ADDRESS).group(1)
            for number in range(workers):
                size = ("--cores", "1", "--memory", "1g", "--work-dir", str(self.work))
                self._start(f"worker{number}", environment, "Worker", *size, self.master)
            for number in range(workers):
                self._wait(f"worker{number}", _REGISTERED)
        except BaseException:
            self.stop()
            raise

    def settings(self) -> dict[str, str]:
        """Return what a session on this cluster is configured with."""
        return {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": self._options,
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": self._options,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.local.dir": str(self.folder / "local"),
            "spark.network.timeout": PATIENCE,
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.task.maxFailures": "2",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }

    def executors(self) -> list[int]:
        """Return the process ids of the executors that live."""
        ours = {process.pid for process in self._processes}
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if (
                    parent in ours
                    and b"CoarseGrainedExecutorBackend" in (path / "cmdline").read_bytes()
                ):
                    found.append(int(path.name))
            except (OSError, IndexError):  # it has ended meanwhile
                continue
        return found

    def kill_executor(self) -> int:
        """Kill one executor, as a machine that loses its power would, and return its id."""
        killed = self.executors()[0]
        os.kill(killed, signal.SIGKILL)
        return killed

    def stop(self) -> None:
        """End the processes; workers end their executors."""
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, name: str, environment: Mapping[str, str], what: str, *options: str) -> None:
        home = Path(pyspark.__path__[0])
        command = (
            *(str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what.lower()}.{what}"),
            *("--host", "127.0.0.1", "--webui-port", "0", *options),
        )
        given = {
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_JAVA_OPTS": f"{QUICK} {_DAEMONS}",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_NO_DAEMONIZE": "1",
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(
                    command,
                    cwd=self.folder,
                    env={**os.environ, **given, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )

    def _wait(self, name: str, pattern: re.Pattern[str]) -> re.Match[str]:
        log = self.folder / f"{name}.log"
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            found = pattern.search(log.read_text(errors="replace"))
            if found:
                return found
            if any(process.poll() is not None for process in self._processes):
                break
            time.sleep(0.1)
        raise RuntimeError(f"{name} does not start:\n{log.read_text(errors='replace')[-2000:]}")
