"""The worker: the kinds of jobs, and what does each, in processes at a lower priority than the server.

`workbench serve` starts one; `workbench worker` runs further ones, on this host or others. To add a kind: a
function here or in its room, and a line in KINDS; `web/page_job.py` adds the one that makes pages.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from multiprocessing.process import BaseProcess

from workbench.consensus.rules import RuleChoice
from workbench.datasets import DatasetPart, catalogue_entry
from workbench.errors import Conflict, NotFound, Unavailable, WorkbenchError
from workbench.figures import counted
from workbench.pooling.strategies import PoolRecipe
from workbench.records import TieRule
from workbench.releases.contents import Included
from workbench.searching.engine import EngineUnavailable, UnwritableIndex
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.workflow import jobs
from workbench.workflow.adjudication.disputes import compute_influence
from workbench.workflow.adjudication.influence import JOB as INFLUENCE
from workbench.workflow.datasets import DatasetLoaded, load_dataset
from workbench.workflow.jobs import Doing, Work
from workbench.workflow.mail.queue import any_due
from workbench.workflow.mail.sending import send_waiting
from workbench.workflow.pools.drafts import open_while_others_write, rebuild
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.making import NewPool, make_while_others_write
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import make_release
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.searching.index import refresh_index, remove_old_indexes
from workbench.workflow.trust.jobs import TRUST, answer_question

COLLECTION, INDEX, LEARNING, MAIL, PACKING = ("collection", "index", "learning", "mail", "packing")
POOL, OPENING, REBUILDING, RELEASE = ("pool", "opening", "rebuilding", "release")
LONG = (COLLECTION, LEARNING)
"""Kinds that may take hours: they never take every place of a worker."""
LEARNING_LOOK_SECONDS = 0.3
"""So long a batch that was judged waits until it is learned from."""
LEARNING_IDLE_SECONDS = 300.0
"""Without work for so long learning ends, which takes the vectors of the texts from memory."""
_SHOWN = 5


def load_collection(doing: Doing) -> bytes:
    """Bring parts of a collection into the campaign; the result is what was loaded, in words."""
    asked = doing.job.arguments
    done = load_dataset(
        doing.database,
        doing.campaign_id,
        catalogue_entry(asked["dataset"]),
        [DatasetPart(part) for part in asked["parts"]],
        assessor=asked["assessor"],
        progress=lambda part, done, total: doing.tell(str(part).capitalize(), done, total),
    )
    return in_words(done).encode("utf-8", "replace")


def in_words(done: DatasetLoaded) -> str:
    """What was loaded, as a sentence for each part."""
    sentences: list[str] = []
    if done.topics:
        sentences.append(f"{counted(done.topics.read, 'topic')}, {done.topics.added:,} new.")
    if done.qrels:
        sentences.extend(
            f"{counted(one.judgments, 'judgment')} of {one.name}, {one.new:,} new."
            for one in done.qrels.assessors
        )
    if done.left_out:
        sentences.append(f"{counted(done.left_out, 'judgment')} with a negative grade left out.")
    if done.run:
        sentences.append(f"Run {done.run} added.")
    if done.documents:
        found = done.documents.lacking - len(done.documents.absent)
        sentences.append(
            f"{found:,} of {counted(done.documents.lacking, 'pooled document')} without text found."
        )
        if done.documents.absent:
            shown = ", ".join(done.documents.absent[:_SHOWN])
            more = ", …" if len(done.documents.absent) > _SHOWN else ""
            sentences.append(f"Not in the collection: {shown}{more}.")
    return " ".join(sentences)


def update_index(doing: Doing) -> None:
    """Update the search index, unless another process does or the campaign is gone."""
    cluster = doing.settings.cluster
    try:
        refresh_index(
            doing.database,
            doing.settings.instance,
            doing.campaign_id,
            lambda done: doing.tell("Documents indexed", done, doing.job.arguments["documents"]),
            cluster,
        )
        remove_old_indexes(doing.database, doing.settings.instance, cluster)
    except (Conflict, NotFound):
        return
    except UnwritableIndex as error:
        raise WorkbenchError(UNWRITABLE, remedy=str(error)) from error
    except EngineUnavailable as error:
        raise WorkbenchError(UNAVAILABLE, remedy=str(error)) from error


UNWRITABLE = "the index cannot be written"
UNAVAILABLE = "the search engine does not answer"


def learn(doing: Doing) -> None:
    """Train the learners of the campaign's pools as batches are judged, until nobody judges any more."""
    vectors = CollectionVectors()
    last = time.monotonic()
    while time.monotonic() - last < LEARNING_IDLE_SECONDS:
        if make_rounds(doing.database, doing.campaign_id, vectors):
            last = time.monotonic()
        elif not doing.settings.worker:
            # A request waits for it.
            return
        time.sleep(LEARNING_LOOK_SECONDS)


def send_mail(doing: Doing) -> None:
    """Send the messages that are due."""
    if doing.settings.mail is not None:
        send_waiting(doing.database, doing.settings.mail)


def pack_runs(doing: Doing) -> None:
    """Pack the runs of the campaign that are not packed yet."""
    pack_runs_one_by_one(doing.database, doing.campaign_id)


def weigh_disputes(doing: Doing) -> bytes:
    """What each disputed pair could change in the ranking of the runs."""
    with doing.database.reading() as db:
        return compute_influence(db, doing.campaign_id)


def make_pool(doing: Doing) -> bytes:
    """Make a pool; the result is its name."""
    asked = dict(doing.job.arguments)
    of_pool = {name: asked.pop(name) for name in ("name", "draft", "created_by")}
    recipe = PoolRecipe(**asked | {"ties": TieRule(asked["ties"])})
    new = NewPool(doing.campaign_id, recipe, **of_pool, asked_at=doing.job.asked_at)
    return make_while_others_write(doing.database, new).pool.name.encode()


def open_draft(doing: Doing) -> bytes:
    """Open a draft; the result is empty where it was open."""
    asked = doing.job.arguments
    opened = open_while_others_write(doing.database, doing.campaign_id, asked["name"], seen=asked["seen"])
    return b"opened" if opened else b""


def rebuild_draft(doing: Doing) -> bytes:
    """Rebuild a draft; the result is what entered, what left and what was kept."""
    done = rebuild(doing.database, doing.campaign_id, doing.job.arguments["name"])
    return json.dumps([done.entered, done.left, done.kept]).encode()


def freeze_release(doing: Doing) -> bytes:
    """Make a release; the result is its version and its counts."""
    asked = dict(doing.job.arguments)
    made_by = asked.pop("made_by")
    request = ReleaseRequest(
        **asked
        | {
            "choice": RuleChoice(**asked["choice"] | {"given": tuple(map(tuple, asked["choice"]["given"]))}),
            "included": frozenset(map(Included, asked["included"])),
            "authors": tuple(asked["authors"]),
        }
    )
    made = make_release(doing.database, doing.campaign_id, request, made_by=made_by)
    return json.dumps([made.release.version, asdict(made.counts)]).encode()


KINDS: Mapping[str, Work] = {
    COLLECTION: load_collection,
    INDEX: update_index,
    LEARNING: learn,
    MAIL: send_mail,
    PACKING: pack_runs,
    INFLUENCE: weigh_disputes,
    TRUST: answer_question,
    POOL: make_pool,
    OPENING: open_draft,
    REBUILDING: rebuild_draft,
    RELEASE: freeze_release,
}


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
