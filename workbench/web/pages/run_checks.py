"""The organisers' dry run: files are checked and told, and become runs only when somebody keeps them."""

from __future__ import annotations

from flask import Blueprint

from workbench.storage import Session
from workbench.web.about_form import sent_about
from workbench.web.access import here
from workbench.web.checked_batches import Desk, serve_batches
from workbench.web.door import reading
from workbench.web.readers import organiser
from workbench.workflow.runs.about_runs import AboutRun
from workbench.workflow.runs.batches import batch_of
from workbench.workflow.runs.groups import group_names, require_group
from workbench.workflow.runs.run_checks import expected_of

blueprint = Blueprint("run_checks", __name__, url_prefix="/c/<slug>/runs/checked")


def _said(db: Session) -> AboutRun:
    about = sent_about()
    if about.group_id is not None:
        require_group(db, here().id, about.group_id)
    return about


serve_batches(
    blueprint,
    Desk(
        guard=organiser,
        home="runs.index",
        sending=False,
        expected=lambda db, batch: expected_of(db, here().id, batch=batch, opening=reading),
        sender=lambda _db: None,
        groups=lambda _db: None,
        seen=lambda db, batch: batch_of(db, here().id, batch),
        told=lambda report: report,
        said=_said,
        offered=lambda db: group_names(db, here().id),
    ),
)
