"""`workbench serve`: start the web server and run it until it is stopped."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from tempfile import TemporaryDirectory

import click
from granian.constants import HTTPModes, Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server

from workbench.cli.database import database_options, migrated_database
from workbench.cli.output import announce
from workbench.errors import WorkbenchError
from workbench.settings import Settings, environment_of
from workbench.workflow.campaigns.arrivals import remove_leftovers
from workbench.workflow.campaigns.deletion import finish_deletions
from workbench.workflow.people.accounts import any_account

DEFAULT_PORT = 8765
WORKERS = "WORKBENCH_WORKERS"
WORKER = "WORKBENCH_WORKER"
# Of prometheus_client: where the processes of a server keep their counts, so that each can tell all of them.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# Open connections of a worker process, also those that send nothing.
MOST_CONNECTIONS = 8192


def serve_until_interrupted(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Serve the site in worker processes until Ctrl-C or SIGTERM.

    One that dies is replaced, and all end with this process (`workbench.web.server_process`). Each has a
    second process for slow requests (`workbench.web.long_requests`), and beside all of them one does the jobs
    (`workbench.workflow.worker`). They read the settings from environment variables that are set here.
    """
    os.environ.update(environment_of(settings))
    os.environ |= {WORKERS: str(workers), WORKER: "yes"}
    server = Server(
        "workbench.web.server_process:door_from_environment",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        loop=Loops.asyncio,
        workers=workers,
        backpressure=_most_connections(),
        websockets=False,
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=5,
        process_name=None,
    )
    with TemporaryDirectory(prefix="workbench-counts-") as folder:
        os.environ[SHARED_FOLDER] = folder
        # It ends with this process, whose end closes its standard input.
        command = [sys.executable, "-m", "workbench", "worker", "--beside"]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:  # noqa: S603  # nothing of a user
            try:
                server.serve()
            finally:
                worker.terminate()


def _most_connections() -> int:
    """How many connections a worker may hold open, with file descriptors left for files and the database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * MOST_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return soft // 2
    return MOST_CONNECTIONS


def usable_port(host: str, port: int, *, or_another: bool = False) -> int:
    """The given port; a free one for 0 or, with `or_another`, if the port is taken.

    Raises WorkbenchError if the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
            return int(trial.getsockname()[1])
    except OSError as error:
        if or_another and port != 0:
            return usable_port(host, 0)
        raise WorkbenchError(
            f"port {port} of {host} cannot be used: {error.strerror}", remedy="choose another with --port"
        ) from None


def print_address(host: str, port: int, settings: Settings) -> None:
    """Print the address of the site and the location of its data, without a database password."""
    shown = f"[{host}]" if ":" in host else host
    announce(f"Workbench serves http://{shown}:{port}{settings.prefix}")
    where = settings.database_url
    announce(f"Data: {where.split('@')[-1] if '@' in where else where.removeprefix('sqlite:///')}")
    announce("Stop with Ctrl-C.")


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0: any free one.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Worker processes.")
@database_options
def command(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve the web interface.

    Creates or migrates the database first. The first visitor creates the administrator account unless
    `workbench init` did.
    """
    port = usable_port(host, port)
    with migrated_database(settings) as database:
        remove_leftovers(database)
        finish_deletions(database)
        with database.reading() as db:
            empty = not any_account(db)
    print_address(host, port, settings)
    if empty:
        announce("There is no account yet: open the address to create the first one.")
    serve_until_interrupted(settings, host=host, port=port, workers=workers)
