"""A pool from state to state: a draft is renamed, rebuilt, deleted or opened; an open pool is closed."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.pooling.strategies import LEARNER
from workbench.web import notices
from workbench.web.access import here, organiser
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, accepted, findings_of, form_text, status_of
from workbench.web.jobs import begin_learning
from workbench.web.long_work import open_pool_soon, rebuild_pool_soon
from workbench.web.pages.overview.steps import announce_step
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.requests import Reply, go_to
from workbench.workflow.pools import drafts

blueprint = Blueprint("pool_states", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>")


@blueprint.get("/open")
@organiser
def confirm_opening(pool_id: int) -> str | Response:
    """Ask for confirmation, with the consequences; of a pool that is already open, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.draft:
            return _to_the_pool(pool_id)
        found = drafts.before_opening(db, here().id, line.name)
    return render_template("pools/open.html", found=found, pool=found.pool)


@blueprint.post("/open")
@organiser
def open_(pool_id: int) -> Response:
    """Open a draft for judging, if it is still as it was shown."""
    with reading() as db:
        line = pool_line(db, pool_id)
    opened = open_pool_soon(line.name, seen=request.form.get("sha256"))
    if opened:
        if line.strategy == LEARNER.name:
            begin_learning(here().id)
        announce_step(f"Pool “{line.name}” is open for judging.")
    else:
        notices.add(f"Pool “{line.name}” was already open.", "fair")
    return _to_the_pool(pool_id)


@blueprint.get("/close")
@organiser
def confirm_closing(pool_id: int) -> str | Response:
    """Ask for confirmation, with the consequences; of a pool that cannot be closed, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.open:
            return _to_the_pool(pool_id)
        found = drafts.before_closing(db, here().id, line.name)
    return render_template("pools/close.html", found=found, pool=found.pool)


@blueprint.post("/close")
@organiser
def close(pool_id: int) -> Response:
    """Close a pool permanently."""
    with writing() as db:
        line = pool_line(db, pool_id)
        closed = drafts.close_pool(db, here().id, line.name)
    if closed:
        notices.add(f"Pool “{line.name}” is closed.")
    else:
        notices.add(f"Pool “{line.name}” was already closed.", "fair")
    return _to_the_pool(pool_id)


@blueprint.get("/draft")
@organiser
def draft(pool_id: int, findings: Findings = ()) -> str | Response:
    """Rename, rebuild or delete a draft; of a pool that is no longer a draft, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.draft:
            return _to_the_pool(pool_id)
        found = drafts.before_opening(db, here().id, line.name)
    return render_template(
        "pools/draft.html",
        pool=line,
        found=found,
        name=request.form.get("name", line.name),
        findings=findings,
    )


@blueprint.post("/rename")
@organiser
def rename(pool_id: int) -> Reply:
    """Rename a draft."""
    try:
        with writing() as db:
            line = pool_line(db, pool_id)
            drafts.rename_draft(db, here().id, line.name, form_text("name"))
            renamed = pool_line(db, pool_id).name
    except WorkbenchError as error:
        page = draft(pool_id, findings_of(error, "Name", "name"))
        if isinstance(page, Response):
            raise
        return page, status_of(error)
    notices.add(f"The draft was renamed to “{renamed}”.")
    return _to_the_pool(pool_id)


@blueprint.post("/rebuild")
@organiser
def rebuild(pool_id: int) -> Response:
    """Rebuild a draft by its recipe; what was added by hand is kept."""
    with reading() as db:
        line = pool_line(db, pool_id)
    done = rebuild_pool_soon(line.name)
    changes = f"{counted(done.entered, 'pair')} added, {done.left:,} removed"
    kept = f", {done.kept:,} added by hand kept" if done.kept else ""
    notices.add(f"“{line.name}” was rebuilt: {changes}{kept}.")
    return _to_the_pool(done.pool.pool.id)


@blueprint.post("/delete")
@organiser
def delete(pool_id: int) -> Response:
    """Delete a draft."""
    with writing() as db:
        line = pool_line(db, pool_id)
        drafts.delete_draft(db, here().id, line.name)
    return accepted(f"The draft “{line.name}” was deleted.", "pools.index")


def _to_the_pool(pool_id: int) -> Response:
    return go_to("pools.pool", pool_id=pool_id)
