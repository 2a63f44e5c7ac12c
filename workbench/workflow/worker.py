"""The worker: takes jobs in turn and does each in a process of its own, at a lower priority than the server.

`workbench serve` starts one; `workbench worker` runs further ones, on this host or others.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Mapping
from multiprocessing.process import BaseProcess

from workbench.errors import Unavailable
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.workflow import jobs
from workbench.workflow.job_kinds import KINDS, LONG, MAIL
from workbench.workflow.jobs import Work
from workbench.workflow.mail.queue import any_due

NICENESS = 10
LOOK_SECONDS = 0.2
MAIL_SECONDS = 5.0
AT_ONCE = 4
"""Jobs that one worker does at once."""
THIS_HOST = socket.gethostname()
LOG = logging.getLogger(__name__)


def work_until(
    stop: threading.Event,
    settings: Settings,
    database: Database,
    kinds: Mapping[str, Work] = KINDS,
    *,
    at_once: int = AT_ONCE,
) -> None:
    """Do jobs as they are asked for; those that run when it stops are taken up by another worker."""
    # Forked from a process that has imported everything and opened nothing: begun within milliseconds.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(sorted({__name__, *(work.__module__ for work in kinds.values())}))
    running: list[tuple[str, BaseProcess]] = []
    mail_at = 0.0
    while not stop.is_set():
        running = [one for one in running if one[1].is_alive()]
        try:
            if settings.mail is not None and time.monotonic() >= mail_at:
                _ask_for_mail(database)
                mail_at = time.monotonic() + MAIL_SECONDS
            begun = _begin(database, running, at_once)
        except Unavailable as error:
            LOG.warning("no job is begun: %s", error)
            begun = None
        if begun is None:
            stop.wait(LOOK_SECONDS)
            continue
        job, attempt = begun
        process: BaseProcess = context.Process(
            target=_do, args=(settings, kinds[job.kind], job.id, attempt), daemon=True
        )
        process.start()
        running.append((job.kind, process))
    for _, process in running:
        process.terminate()


def do_waiting(settings: Settings, database: Database, kinds: Mapping[str, Work] = KINDS) -> None:
    """Do all jobs that wait, one after the other, in this process: for a server without a worker."""
    while True:
        with database.reading() as db:
            job = jobs.waits(db, THIS_HOST)
        if job is None:
            return
        with database.writing() as db:
            attempt = jobs.take(db, job)
        if attempt:
            jobs.do(jobs.Doing(settings, database, job, attempt), kinds[job.kind])


def _begin(
    database: Database, running: list[tuple[str, BaseProcess]], at_once: int
) -> tuple[jobs.Job, int] | None:
    if len(running) >= at_once:
        return None
    long = sum(kind in LONG for kind, _ in running)
    with database.reading() as db:
        # One place stays for what somebody waits for.
        job = jobs.waits(db, THIS_HOST, LONG if long >= max(1, at_once - 1) else ())
    if job is None:
        return None
    with database.writing() as db:
        attempt = jobs.take(db, job)
    return (job, attempt) if attempt else None


def _ask_for_mail(database: Database) -> None:
    with database.reading() as db:
        due = any_due(db)
    if due:
        with database.writing() as db:
            jobs.ask(db, None, MAIL)


def _do(settings: Settings, work: Work, job_id: int, attempt: int) -> None:
    # Ctrl-C reaches every process of the terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    database = Database(settings.database_url)
    try:
        with database.reading() as db:
            job = jobs.job_of(db, job_id)
        if job is not None:
            doing = jobs.Doing(settings, database, job, attempt)
            with doing.beating():
                jobs.do(doing, work)
    finally:
        database.close()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
