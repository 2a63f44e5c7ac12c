"""Jobs as pages use them: the last result, how old it is, and the job under way that brings a newer one.

Pools and releases are made here where that is quick, and else by a job, for which the request waits. The
search index of a campaign on this host is brought up to date in the same way, and nobody waits for that.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.releases.datasheet import ReleaseCounts
from workbench.searching.engine import EngineUnavailable, UnwritableIndex
from workbench.storage.tables import CampaignRow
from workbench.web.access import here
from workbench.web.context import app_context, read_here, reading, reading_here
from workbench.workflow import jobs
from workbench.workflow.jobs import Job, JobState, latest
from workbench.workflow.pools.drafts import Rebuilt, open_while_others_write, rebuild
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.making import (
    NewPool,
    asks_for_the_rest,
    make_while_others_write,
    reads_few_lines,
)
from workbench.workflow.pools.pool_rows import pool_row
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import MadeRelease, make_release, releases_few_answers
from workbench.workflow.releases.releases import release_by_version
from workbench.workflow.searching.index import CampaignIndex, campaign_index, refresh_index
from workbench.workflow.worker import (
    INDEX,
    LEARNING,
    OPENING,
    PACKING,
    POOL,
    REBUILDING,
    RELEASE,
    THIS_HOST,
    UNAVAILABLE,
    UNWRITABLE,
    do_waiting,
)

LONGEST_SECONDS = 600.0
"""How long a file waits for the result that it holds."""
LOOK_SECONDS = 0.2


@frozen_dataclass
class ShownJob:
    """What a page shows of a job.

    `at` is set where the result is of an earlier state, `under_way` where a newer one is computed; `refused`
    says why there is none.
    """

    result: bytes | None = None
    at: datetime | None = None
    under_way: Job | None = None
    refused: WorkbenchError | None = None


def begin(
    kind: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    depends_on: str = "",
    host: str = "",
    campaign_id: int | None = None,
) -> Job:
    """Ask for a job of this campaign, or another; where no worker runs, this request does it."""
    context, campaign_id = app_context(), campaign_id or here().id
    with context.database.writing() as db:
        job = jobs.ask(db, campaign_id, kind, arguments, depends_on=depends_on, host=host)
    if context.settings.worker or not job.active:
        return job
    do_waiting(context.settings, context.database)
    with reading() as db:
        return jobs.job_of(db, job.id) or job


def begin_learning(campaign_id: int) -> None:
    """Have the learners of a campaign trained while it is judged."""
    begin(LEARNING, campaign_id=campaign_id)


def done(kind: str, arguments: Mapping[str, Any]) -> Job:
    """A job once it is done, for which the request waits; raises what its work raised."""
    job, end = begin(kind, arguments), time.monotonic() + LONGEST_SECONDS
    while job.active and time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
        with reading() as db:
            job = jobs.job_of(db, job.id) or job
    if job.active:
        raise WorkbenchError("this takes longer than ten minutes", remedy="check later whether it is done")
    if job.state is not JobState.DONE:
        raise job.error
    return job


def job_now(kind: str, arguments: Mapping[str, Any], *, depends_on: str) -> ShownJob:
    """The last result of a job, which is begun anew where what it `depends_on` has changed.

    What is there has a `result`, an older one with its time `at`; what is being made has a job `under_way`,
    and what could not be made is `refused`.
    """
    newest = read_here(jobs.latest, kind, arguments)
    if newest is None or not (newest.active or newest.depends_on == depends_on):
        newest = begin(kind, arguments, depends_on=depends_on)
    if newest.state is JobState.DONE:
        return ShownJob(newest.result, None if newest.depends_on == depends_on else newest.asked_at)
    if not newest.active:
        return ShownJob(refused=newest.error)
    last = read_here(jobs.latest, kind, arguments, state=JobState.DONE)
    if last is None:
        return ShownJob(under_way=newest)
    return ShownJob(last.result, last.asked_at, newest)


def job_result(kind: str, arguments: Mapping[str, Any], *, depends_on: str) -> bytes:
    """The result as things are now, once it is there; raises WorkbenchError where there is none."""
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        shown = job_now(kind, arguments, depends_on=depends_on)
        if shown.refused is not None:
            raise shown.refused
        if shown.under_way is None and shown.at is None and shown.result is not None:
            return shown.result
        time.sleep(LOOK_SECONDS)
    raise WorkbenchError("this takes longer than ten minutes", remedy="ask for it again later")


def make_pool_soon(new: NewPool) -> PoolReport:
    """Make a pool of this campaign, and raise as `make_while_others_write` does."""
    quick = read_here(reads_few_lines)
    if quick:
        return make_while_others_write(app_context().database, new)
    recipe = asdict(replace(new.recipe, tags=None if new.recipe.tags is None else sorted(new.recipe.tags)))
    of_pool = {"name": new.name, "draft": new.draft, "created_by": new.created_by}
    job = done(POOL, {**recipe, **of_pool, "parameters": new.recipe.texts()})
    return read_here(pool_report, job.text)


def open_pool_soon(name: str, *, seen: str | None = None) -> bool:
    """Open a draft, and raise as `open_while_others_write` does; False where it was open."""
    with reading_here() as (db, campaign_id):
        is_short = not asks_for_the_rest(pool_row(db, campaign_id, name))
        quick = is_short or reads_few_lines(db, campaign_id)
    if quick:
        return open_while_others_write(app_context().database, here().id, name, seen=seen)
    return bool(done(OPENING, {"name": name, "seen": seen}).text)


def rebuild_pool_soon(name: str) -> Rebuilt:
    """Rebuild a draft, and raise as `rebuild` does."""
    quick = read_here(reads_few_lines)
    if quick:
        return rebuild(app_context().database, here().id, name)
    entered, left, kept = json.loads(done(REBUILDING, {"name": name}).text)
    return Rebuilt(read_here(pool_report, name), entered, left, kept)


def pack_runs_soon() -> None:
    """Have the runs of this campaign packed that are not; nobody waits for that."""
    begin(PACKING)


def make_release_soon(request: ReleaseRequest, *, made_by: int) -> MadeRelease:
    """Make a release of this campaign, and raise as `make_release` does."""
    quick = read_here(releases_few_answers)
    if quick:
        return make_release(app_context().database, here().id, request, made_by=made_by)
    asked = asdict(request) | {"included": sorted(request.included), "made_by": made_by}
    version, counts = json.loads(done(RELEASE, asked).text)
    return MadeRelease(read_here(release_by_version, version), ReleaseCounts(**counts))


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


@frozen_dataclass
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
    with reading_here() as (db, campaign_id):
        index = campaign_index(db, settings.instance, campaign_id, settings.cluster)
        campaign = db.get_one(CampaignRow, campaign_id)
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
    last = read_here(latest, INDEX, arguments)
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
