"""Jobs as pages use them: the last result, how old it is, and the job under way that brings a newer one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.errors import WorkbenchError
from workbench.web.access import here
from workbench.web.context import app_context, reading
from workbench.workflow import jobs
from workbench.workflow.job_kinds import LEARNING
from workbench.workflow.jobs import Job, JobState
from workbench.workflow.worker import do_waiting

LONGEST_SECONDS = 600.0
"""How long a file waits for the result that it holds."""
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
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
    """The last result of a job, which is begun anew where what it `depends_on` has changed."""
    with reading() as db:
        newest = jobs.latest(db, here().id, kind, arguments)
    if newest is None or not (newest.active or newest.depends_on == depends_on):
        newest = begin(kind, arguments, depends_on=depends_on)
    if newest.state is JobState.DONE:
        return ShownJob(newest.result, None if newest.depends_on == depends_on else newest.asked_at)
    if not newest.active:
        return ShownJob(refused=newest.error)
    with reading() as db:
        last = jobs.latest(db, here().id, kind, arguments, state=JobState.DONE)
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
