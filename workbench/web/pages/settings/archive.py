"""A campaign at its end: archived and restored, duplicated, deleted after its name was typed."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.errors import Finding, NotAllowed, WorkbenchError
from workbench.web.access import here, in_archive, organiser, viewer
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import Findings, accepted, findings_of, sent_text, status_of
from workbench.web.requests import Reply
from workbench.workflow.campaigns.archive import (
    archive_campaign,
    contents_of,
    duplicate_campaign,
    restore_campaign,
)
from workbench.workflow.campaigns.deletion import delete_campaign

blueprint = Blueprint("archive", __name__, url_prefix="/c/<slug>/settings/archive")


@blueprint.get("")
@organiser
def index(*, copy_name: str | None = None, typed_name: str = "", findings: Findings = ()) -> str:
    """What can be done with the campaign as a whole, and what each of it means."""
    with reading() as db:
        contents = contents_of(db, here().id)
    return render_template(
        "settings/archive.html",
        contents=contents,
        copy_name=f"Copy of {here().name}" if copy_name is None else copy_name,
        typed_name=typed_name,
        findings=findings,
    )


@blueprint.post("")
@organiser
def archive() -> Response:
    """Archive the campaign."""
    with writing() as db:
        archive_campaign(db, here().id)
    return accepted("Campaign archived. It is read only until it is restored.", "archive.index")


@blueprint.post("/restore")
@in_archive
@organiser
def restore() -> Response:
    """Restore the archived campaign."""
    with writing() as db:
        restore_campaign(db, here().id)
    return accepted("Campaign restored. Judging can go on.", "overview.index")


@blueprint.post("/duplicate")
@in_archive
@organiser
def duplicate() -> Reply:
    """Create a campaign with the scale, guidelines and rules of this one; for administrators."""
    if not viewer().administrator:
        raise NotAllowed("only administrators create campaigns", remedy="ask an administrator")
    name = sent_text("copy_name")
    try:
        with writing() as db:
            made = duplicate_campaign(db, here().id, name=name, organiser=viewer().id)
    except WorkbenchError as error:
        found = tuple(
            Finding(one.source, None, "copy_name", one.message, one.remedy)
            for one in findings_of(error, "Name")
        )
        return index(copy_name=name, findings=found), status_of(error)
    return accepted(
        f"{made.name} has the scale, guidelines and rules of {here().name}.", "overview.index", slug=made.slug
    )


@blueprint.post("/delete")
@in_archive
@organiser
def delete() -> Reply:
    """Delete the campaign with everything in it, if its name was typed."""
    name = here().name
    try:
        delete_campaign(app_context().database, here().id, typed_name=sent_text("name"))
    except WorkbenchError as error:
        found = findings_of(error, "Name", "name")
        return index(typed_name=sent_text("name"), findings=found), status_of(error)
    return accepted(f"Campaign {name} deleted.", "campaigns.index")
