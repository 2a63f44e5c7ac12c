"""The search index of a campaign on this host, brought up to date by a job unless that is quick."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.errors import Conflict
from workbench.searching.engine import EngineUnavailable, UnwritableIndex
from workbench.storage.tables import CampaignRow
from workbench.web.access import here
from workbench.web.context import app_context, reading
from workbench.web.jobs import begin
from workbench.workflow.job_kinds import INDEX, UNAVAILABLE, UNWRITABLE
from workbench.workflow.jobs import Job, JobState, latest
from workbench.workflow.searching.index import CampaignIndex, campaign_index, refresh_index
from workbench.workflow.worker import THIS_HOST

SMALL = 300
"""Documents that are indexed at once, which takes a tenth of a second."""
RETRY_SECONDS = 30.0
_AWAY: dict[Path, float] = {}
LOG = logging.getLogger(__name__)


class IndexProblem(StrEnum):
    """Why an index stays behind."""

    UNWRITABLE = "unwritable"
    ENDED = "ended"
    UNAVAILABLE = "unavailable"


_PROBLEMS = {UNWRITABLE: IndexProblem.UNWRITABLE, UNAVAILABLE: IndexProblem.UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The index of a campaign: whether it misses changes, how far it is updated, and what prevents that."""

    index: CampaignIndex
    behind: bool
    done: int
    total: int
    problem: IndexProblem | None = None


def index_now() -> IndexProgress:
    """The index of this campaign as far as it is; where it is behind, it is updated, or a job begun for that.

    Not while a transaction is open. A cluster that did not answer a moment ago is not asked: nobody waits for
    it page by page.
    """
    settings = app_context().settings
    with reading() as db:
        index = campaign_index(db, settings.instance, here().id, settings.cluster)
        campaign = db.get_one(CampaignRow, here().id)
        changes, total = campaign.document_changes, campaign.documents
    if time.monotonic() - _AWAY.get(index.folder, -RETRY_SECONDS) < RETRY_SECONDS:
        return IndexProgress(index, True, 0, total, IndexProblem.UNAVAILABLE)
    try:
        if _has_seen(index, changes):
            return IndexProgress(index, False, total, total)
        job, problem = None, None
        if total > SMALL or settings.cluster is not None:
            job = _job(index, total)
            problem = _problem_of(job)
        else:
            problem = _updated_here()
        if _has_seen(index, changes):
            return IndexProgress(index, False, total, total)
    except EngineUnavailable as error:
        note_unavailable(index, error)
        return IndexProgress(index, True, 0, total, IndexProblem.UNAVAILABLE)
    return IndexProgress(index, True, job.done if job else 0, total, problem)


def note_unavailable(index: CampaignIndex, error: EngineUnavailable) -> None:
    """Log why an engine did not answer, and leave it alone for a while."""
    LOG.error("%s", error)
    _AWAY[index.folder] = time.monotonic()


def _job(index: CampaignIndex, documents: int) -> Job:
    """The job that updates the index on this host; one that failed a moment ago is not begun again."""
    arguments = {"documents": documents, "index": str(index.folder)}
    with reading() as db:
        last = latest(db, here().id, INDEX, arguments)
    failed_at = last.ended_at if last is not None and last.state is not JobState.DONE else None
    if last is not None and failed_at is not None and time.time() - failed_at.timestamp() < RETRY_SECONDS:
        return last
    return begin(INDEX, arguments, host=THIS_HOST)


def _problem_of(job: Job) -> IndexProblem | None:
    if job.active or job.state is JobState.DONE:
        return None
    return _PROBLEMS.get(job.message, IndexProblem.ENDED)


def _updated_here() -> IndexProblem | None:
    context = app_context()
    try:
        refresh_index(context.database, context.settings.instance, here().id)
    except UnwritableIndex as error:
        LOG.error("%s", error)
        return IndexProblem.UNWRITABLE
    except Conflict:
        # Another process is at it.
        pass
    return None


def _has_seen(index: CampaignIndex, changes: int) -> bool:
    state = index.state()
    return state is not None and state.changes == changes
