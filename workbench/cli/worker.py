"""`workbench worker`: do the jobs of a site, beside its server or on another host."""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading

import click

from workbench.cli.database import database_command, existing_database
from workbench.cli.output import announce, flag, setting
from workbench.settings import Settings
from workbench.storage.migrate import require_current
from workbench.workflow.worker import AT_ONCE, NICENESS, work_until

JOBS = "workbench.web.page_job"
"""By its name: a door knows nothing of the other one."""


@database_command("worker")
@setting("--at-once", default=AT_ONCE, type=click.IntRange(1, 64), help="Number of jobs run at once.")
@flag("--beside", hidden=True, help="Stop when standard input ends.")
def command(settings: Settings, at_once: int, beside: bool) -> None:
    """Do what takes long: loading collections, search indexes, training of learners, reports, mail.

    `workbench serve` starts one worker. Start further ones on this host or others with the same settings.
    """
    logging.basicConfig(level=logging.WARNING)
    os.nice(NICENESS)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    if beside:
        threading.Thread(target=_end_with_the_server, args=(stop,), daemon=True).start()
    else:
        announce("Workbench is running the jobs of this site. Stop with Ctrl-C.")
    # As it is, since what a job changes is no act of this command.
    with existing_database(settings) as database:
        require_current(database)
        work_until(stop, settings, database, importlib.import_module(JOBS).ALL_KINDS, at_once=at_once)


def _end_with_the_server(stop: threading.Event) -> None:
    # Not `sys.stdin`, which Python cannot close at its end while a thread reads it.
    while os.read(0, 1):
        pass
    stop.set()
