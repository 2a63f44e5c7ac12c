"""Pools and releases, made here where that is quick, and else by a job, for which the request waits."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from workbench.releases.datasheet import ReleaseCounts
from workbench.web.access import here
from workbench.web.context import app_context, reading
from workbench.web.jobs import begin, done
from workbench.workflow.job_kinds import OPENING, PACKING, POOL, REBUILDING, RELEASE
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


def make_pool_soon(new: NewPool) -> PoolReport:
    """Make a pool of this campaign, and raise as `make_while_others_write` does."""
    with reading() as db:
        quick = reads_few_lines(db, here().id)
    if quick:
        return make_while_others_write(app_context().database, new)
    recipe = asdict(replace(new.recipe, tags=None if new.recipe.tags is None else sorted(new.recipe.tags)))
    of_pool = {"name": new.name, "draft": new.draft, "created_by": new.created_by}
    job = done(POOL, {**recipe, **of_pool, "parameters": new.recipe.texts()})
    with reading() as db:
        return pool_report(db, here().id, job.text)


def open_pool_soon(name: str, *, seen: str | None = None) -> bool:
    """Open a draft, and raise as `open_while_others_write` does; False where it was open."""
    with reading() as db:
        is_short = not asks_for_the_rest(pool_row(db, here().id, name))
        quick = is_short or reads_few_lines(db, here().id)
    if quick:
        return open_while_others_write(app_context().database, here().id, name, seen=seen)
    return bool(done(OPENING, {"name": name, "seen": seen}).text)


def rebuild_pool_soon(name: str) -> Rebuilt:
    """Rebuild a draft, and raise as `rebuild` does."""
    with reading() as db:
        quick = reads_few_lines(db, here().id)
    if quick:
        return rebuild(app_context().database, here().id, name)
    entered, left, kept = json.loads(done(REBUILDING, {"name": name}).text)
    with reading() as db:
        return Rebuilt(pool_report(db, here().id, name), entered, left, kept)


def pack_runs_soon() -> None:
    """Have the runs of this campaign packed that are not; nobody waits for that."""
    begin(PACKING)


def make_release_soon(request: ReleaseRequest, *, made_by: int) -> MadeRelease:
    """Make a release of this campaign, and raise as `make_release` does."""
    with reading() as db:
        quick = releases_few_answers(db, here().id)
    if quick:
        return make_release(app_context().database, here().id, request, made_by=made_by)
    asked = asdict(request) | {"included": sorted(request.included), "made_by": made_by}
    version, counts = json.loads(done(RELEASE, asked).text)
    with reading() as db:
        return MadeRelease(release_by_version(db, here().id, version), ReleaseCounts(**counts))
