"""`workbench serve`: start the web server and run it until it is stopped."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys

import click

from workbench.cli.database import database_options, migrated_database
from workbench.cli.output import announce
from workbench.errors import WorkbenchError
from workbench.settings import Settings, environment_of
from workbench.workflow.campaigns.arrivals import remove_leftovers
from workbench.workflow.campaigns.deletion import finish_deletions
from workbench.workflow.people.accounts import any_account

DEFAULT_PORT = 8765
SERVER = "workbench.web.server"


def serve_until_interrupted(settings: Settings, *, host: str, port: int) -> None:
    """Serve the site until Ctrl-C or SIGTERM, with a worker beside that does the jobs.

    Both read the settings from environment variables that are set here.
    """
    os.environ |= environment_of(settings) | {"WORKBENCH_WORKER": "yes"}
    # It ends with this process, whose end closes its standard input.
    command = [sys.executable, "-m", "workbench", "worker", "--beside"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:  # noqa: S603  # nothing of a user
        try:
            # By its name: a door knows nothing of the other one.
            importlib.import_module(SERVER).serve_site(host=host, port=port)
        finally:
            worker.terminate()


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
@database_options
def command(settings: Settings, host: str, port: int) -> None:
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
    serve_until_interrupted(settings, host=host, port=port)
