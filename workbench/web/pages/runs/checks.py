"""The organisers' dry run: files are checked and told, and become runs only when somebody keeps them."""

from __future__ import annotations

from flask import Blueprint

from workbench.storage import Session
from workbench.web.access import here, organiser
from workbench.web.context import reading
from workbench.web.pages.runs.metadata_form import sent_about
from workbench.web.pages.runs.uploads import Desk, serve_batches
from workbench.workflow.people.groups import group_names, require_group
from workbench.workflow.runs.run_checks import run_checker
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.uploads import batch_of

blueprint = Blueprint("run_checks", __name__, url_prefix="/c/<slug>/runs/checked")


def _said(db: Session) -> RunMetadata:
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
        expected=lambda db, batch: run_checker(db, here().id, batch=batch, opening=reading),
        sender=lambda _db: None,
        groups=lambda _db: None,
        seen=lambda db, batch: batch_of(db, here().id, batch),
        told=lambda report: report,
        said=_said,
        offered=lambda db: group_names(db, here().id),
    ),
)
