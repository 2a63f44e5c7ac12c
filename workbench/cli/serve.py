"""`workbench serve` and `demo`: the web server, until it is stopped, with your campaigns or a small one."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from workbench.cli.database import database_command, migrated_database
from workbench.cli.output import FOLDER, announce, flag, say_aside, setting
from workbench.demo.campaign import PEOPLE, has_demo, make_demo, require_own
from workbench.errors import InvalidInput, WorkbenchError
from workbench.settings import Settings, environment_of, read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import delete_everything
from workbench.workflow.campaigns.archive import finish_deletions
from workbench.workflow.people.accounts import Passwords, any_account, password_findings

DEFAULT_PORT = 8765
SERVER = "workbench.web.server"
WORKER_LOOK_SECONDS = 0.5
WORKER_PAUSE_SECONDS = 5.0
"""Before the next worker, so that one that cannot begin does not fill the log."""


def serve_until_interrupted(settings: Settings, *, host: str, port: int) -> None:
    """Serve the site until Ctrl-C or SIGTERM, with a worker beside that does the jobs.

    Both read the settings from environment variables that are set here.
    """
    os.environ |= environment_of(settings) | {"WORKBENCH_WORKER": "yes"}
    ended = threading.Event()
    worker = threading.Thread(target=_keep_worker, args=(ended,))
    worker.start()
    try:
        # By its name: a door knows nothing of the other one.
        importlib.import_module(SERVER).serve_site(host=host, port=port)
    finally:
        ended.set()
        worker.join()


def _keep_worker(ended: threading.Event) -> None:
    """Have a worker run until the server has ended; one that was killed is replaced."""
    # It ends with this process, whose end closes its standard input.
    command = [sys.executable, "-m", "workbench", "worker", "--beside"]
    while not ended.is_set():
        with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:  # noqa: S603  # nothing of a user
            while worker.poll() is None and not ended.wait(WORKER_LOOK_SECONDS):
                pass
            worker.terminate()
        ended.wait(WORKER_PAUSE_SECONDS)


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


@database_command("serve")
@setting("--host", default="127.0.0.1", help="Address to listen on.")
@setting(
    "--port",
    default=DEFAULT_PORT,
    type=click.IntRange(0, 65535),
    help="0: any free one.",
)
def command(settings: Settings, host: str, port: int) -> None:
    """Serve the web interface.

    Creates or migrates the database first. The first visitor creates the administrator account unless
    `workbench init` did.
    """
    port = usable_port(host, port)
    with migrated_database(settings) as database:
        finish_deletions(database)
        with database.reading() as db:
            empty = not any_account(db)
    print_address(host, port, settings)
    if empty:
        announce("There is no account yet: open the address to create the first one.")
    serve_until_interrupted(settings, host=host, port=port)


PASSWORD = "harbour-demo"  # noqa: S105 - public; the demo is served to this machine only
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command("demo")
@setting("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; {DEFAULT_PORT}, or any free one if that is in use.",
)
@click.option("--password", help="Password of the accounts; required if others can reach the address.")
@flag("--fresh", help="Delete the demo and its judgments, and create it again.")
@click.option(
    "--database",
    "--database-url",
    "database_url",
    help="URL of an empty database for the demo, such as postgresql://…; without it, a file of its own.",
)
@flag("--make-only", help="Make the campaign without serving it.")
@click.option("--instance", type=FOLDER, help="Folder of the demo's database.")
def demo(
    host: str,
    port: int | None,
    password: str | None,
    fresh: bool,
    make_only: bool,
    instance: Path | None,
    database_url: str | None,
) -> None:
    """Create and serve an illustrative campaign, ready to judge.

    It has its own database; the next start continues where you stopped. A database that holds
    anything else is refused.
    """
    if host not in LOOPBACK and password is None:
        raise WorkbenchError("the password of the demo is public", remedy="choose another with --password")
    if password is not None and (findings := password_findings(password)):
        raise InvalidInput(findings)
    settings = read_settings(instance=instance)
    folder = settings.instance / "demo"
    own = f"sqlite:///{folder / 'workbench.sqlite3'}"
    settings = replace(settings, instance=folder, database_url=database_url or own)
    if fresh and database_url is None:
        for leftover in folder.glob("workbench.sqlite3*"):
            leftover.unlink()
    chosen = usable_port(host, DEFAULT_PORT if port is None else port, or_another=port is None)
    if database_url is not None:
        with closing(Database(database_url)) as given:
            require_own(given)
    with migrated_database(settings) as database:
        if fresh and database_url is not None:
            delete_everything(database)
        with database.reading() as db:
            exists = has_demo(db)
        if not exists:
            announce("Making the demo campaign…")
            passwords = Passwords()
            hashes = {person.login: passwords.hash(password or PASSWORD) for person in PEOPLE}
            with database.writing() as db:
                make_demo(db, hashes)
        elif password is not None:
            say_aside("The demo exists already: its passwords stay as they are (--fresh creates it again).")
    _print_accounts(password or PASSWORD)
    if not make_only:
        print_address(host, chosen, settings)
        serve_until_interrupted(settings, host=host, port=chosen)


def _print_accounts(password: str) -> None:
    announce("An illustrative campaign; its texts, runs and judgments are invented. Sign in as")
    for person in PEOPLE:
        of = f" of {person.group}" if person.group else ""
        announce(f"  {person.login:<10} {password}   {person.role}{of}, {person.name}")
