"""Documents that an assessor brings to a topic of her own."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from workbench.errors import NotFound, WorkbenchError
from workbench.web.access import here, member, viewer
from workbench.web.forms import Findings, findings_of, status_of
from workbench.web.pages.judging.reading import reading_of, writing_of
from workbench.web.pages.pools.additions import announce_added, read_additions
from workbench.web.requests import Reply, go_to
from workbench.workflow.judging.worklists import add_to_own, own_additions, worklist
from workbench.workflow.people.membership import Role

blueprint = Blueprint("own_additions", __name__, url_prefix="/c/<slug>/judge/<int:assignment_id>/added")


@blueprint.get("")
@member(Role.ASSESSOR)
def index(assignment_id: int, findings: Findings = ()) -> str:
    """What this assessor added to the topic, and the form for more."""
    with reading_of(assignment_id) as db:
        added = own_additions(db, assignment_id, viewer().id)
        lines = worklist(db, here().id, viewer().id)
    return render_template(
        "judging/own_additions.html",
        line=next(line for line in lines if line.assignment_id == assignment_id),
        added=added,
        typed=request.form,
        findings=findings,
    )


@blueprint.post("")
@member(Role.ASSESSOR)
def add(assignment_id: int) -> Reply:
    """Add documents to the topic; all of them, or none."""
    try:
        additions = read_additions()
        with writing_of(assignment_id) as db:
            added = add_to_own(db, assignment_id, viewer().id, additions)
    except NotFound:
        raise
    except WorkbenchError as error:
        return index(assignment_id, findings_of(error, "Docnos", "docnos")), status_of(error)
    announce_added(added, pools=False)
    return go_to("own_additions.index", assignment_id=assignment_id)
