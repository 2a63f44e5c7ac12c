"""Servers to be killed: the site in a process that takes no time to replace, and a PostgreSQL of its own.

`python -m tests.faults.servers FD URL` keeps the application ready in memory and never serves itself: each
line that it reads makes a child of it that serves on the listening socket FD, whose number it prints. So a
kill costs no imports, which take a second each; what is killed is the application over an open database.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from werkzeug.serving import WSGIRequestHandler, make_server

from tests.postgresql import DURABLE, SERVER_OPTIONS, PostgresqlFolder, postgresql_folder
from tests.tree import ROOT
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app

SOON_SECONDS = 120


class ForkedSite:
    """The site, served by a process that can be killed and replaced at once; requests meanwhile wait."""

    def __init__(self, url: str) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._socket.set_inheritable(True)
        self.port = int(self._socket.getsockname()[1])
        number = self._socket.fileno()
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.servers", str(number), url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[number],
        )
        self.child = 0

    def start(self) -> None:
        """Have it served."""
        if self._keeper.stdin is None or self._keeper.stdout is None:
            raise RuntimeError("the keeper has no pipes")
        self._keeper.stdin.write("\n")
        self._keeper.stdin.flush()
        self.child = int(self._keeper.stdout.readline())

    def kill(self) -> None:
        """End the serving process as a power failure of the program would."""
        os.kill(self.child, signal.SIGKILL)

    def close(self) -> None:
        """End everything."""
        self.kill()
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper.wait(SOON_SECONDS)
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()
        self._socket.close()


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Say nothing of each request."""


def keep(number: int, url: str) -> None:
    """Make a serving child for every line of the standard input."""
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(read_settings(instance=Path(folder)), database_url=url)
        # It opens no connection before a child asks something of it.
        app = create_app(settings, Database(url))
        app.logger.disabled = True
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for _ in sys.stdin:
            child = os.fork()
            if child == 0:
                make_server(
                    "127.0.0.1", 0, app, threaded=True, request_handler=_Quiet, fd=number
                ).serve_forever()
            print(child, flush=True)


class ServedSite:
    """`workbench serve` itself, killed with its worker."""

    def __init__(self, url: str, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self._url, self._folder = url, folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "workbench", "serve", "--port", str(self.port)]
        with (self._folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--database", self._url],
                cwd=ROOT,
                env=os.environ | {"WORKBENCH_INSTANCE": str(self._folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_for(self.port)

    def kill(self) -> None:
        """Kill the process group at once."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    close = kill


def wait_for(port: int) -> None:
    """Wait until the site answers that it is well."""
    end = time.monotonic() + SOON_SECONDS
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server does not answer")


class NoMount(Exception):
    """This machine lets nobody mount a disk."""


class SmallDisk:
    """A disk of so many mebibytes, which can be filled to the last byte and emptied again."""

    def __init__(self, mebibytes: int) -> None:
        self._mebibytes = mebibytes
        self._ballast = Path()

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        """Mount it; raises NoMount."""
        options = f"size={self._mebibytes}m,mode=0700"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            raise NoMount
        self._ballast = folder / "ballast"
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)

    def fill(self) -> None:
        """Leave no room."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            for size in (2**20, 2**12, 1):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def empty(self) -> None:
        """Make room again."""
        self._ballast.unlink(missing_ok=True)


class KillablePostgresql:
    """A PostgreSQL server that can be killed with all its processes and started again."""

    def __init__(self, folder: PostgresqlFolder, options: Mapping[str, str]) -> None:
        self._folder, self._options = folder, options
        self._running = ExitStack()
        self.url = folder.url

    def start(self) -> None:
        """Start it, and wait until it accepts connections: it recovers first."""
        self._running.enter_context(self._folder.served(self._options))

    def kill(self) -> None:
        """Kill the server and every process of a connection."""
        children = self.signal(signal.SIGKILL)[1:]
        self._running.close()
        while any(Path(f"/proc/{number}/stat").exists() and _lives(number) for number in children):
            time.sleep(0.01)

    def signal(self, number: signal.Signals) -> list[int]:
        """Send a signal to the server and every process of a connection; gives their numbers."""
        first = int((self._folder.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        found = [first, *map(int, children)]
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, number)
        return found

    def stop(self) -> None:
        """Stop it in an orderly way."""
        self._running.close()


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def killable_postgresql(
    *, disk: Callable[[Path], AbstractContextManager[None]] | None = None
) -> Iterator[KillablePostgresql]:
    """A server that waits for the disk as one in earnest does, started; its data may be on a `disk`."""
    with postgresql_folder(disk=disk) as folder:
        server = KillablePostgresql(folder, {**SERVER_OPTIONS, **DURABLE})
        server.start()
        try:
            yield server
        finally:
            server.stop()


if __name__ == "__main__":
    keep(int(sys.argv[1]), sys.argv[2])
