"""A campaign at its end: archived and restored, duplicated, deleted after its name was typed."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import NotAllowed
from workbench.web.access import here, in_archive, organiser, viewer
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text, sent_text
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
def index(findings: Findings = ()) -> str:
    """What can be done with the campaign as a whole, and what each of it means."""
    with reading() as db:
        return render_template(
            "settings/archive.html",
            contents=contents_of(db, here().id),
            copy_name=request.form.get("copy_name", f"Copy of {here().name}"),
            typed_name=form_text("name"),
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
def duplicate() -> Response:
    """Create a campaign with the scale, guidelines and rules of this one; for administrators."""
    if not viewer().administrator:
        raise NotAllowed("only administrators create campaigns", remedy="ask an administrator")
    with errors_on(index, "Name", of="copy_name"), writing() as db:
        made = duplicate_campaign(db, here().id, name=sent_text("copy_name"), organiser=viewer().id)
    return accepted(
        f"{made.name} has the scale, guidelines and rules of {here().name}.", "overview.index", slug=made.slug
    )


@blueprint.post("/delete")
@in_archive
@organiser
def delete() -> Response:
    """Delete the campaign with everything in it, if its name was typed."""
    name = here().name
    with errors_on(index, "Name", "name"):
        delete_campaign(app_context().database, here().id, typed_name=sent_text("name"))
    return accepted(f"Campaign {name} deleted.", "campaigns.index")
