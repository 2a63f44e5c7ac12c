"""A group's dry run: its files are checked and told, and are sent as runs only when somebody sends them."""

from __future__ import annotations

from flask import Blueprint

from workbench.storage import Session
from workbench.web.access import here, participant, viewer
from workbench.web.context import reading
from workbench.web.pages.runs.metadata_form import sent_about, sent_group
from workbench.web.pages.runs.uploads import Desk, serve_batches
from workbench.workflow.people.groups import own_groups
from workbench.workflow.runs.own_runs import own_batch, own_checker, require_own_group, shown_report

blueprint = Blueprint("own_checks", __name__, url_prefix="/c/<slug>/own-runs/checked")


def _groups(db: Session) -> list[int]:
    return list(own_groups(db, here().id, viewer().id))


serve_batches(
    blueprint,
    Desk(
        guard=participant,
        home="own_runs.index",
        sending=True,
        expected=lambda db, batch: own_checker(db, here().id, batch=batch, opening=reading),
        sender=lambda db: require_own_group(db, here().id, viewer().id, sent_group()),
        groups=_groups,
        seen=lambda db, batch: own_batch(db, here().id, viewer().id, batch),
        told=shown_report,
        said=lambda _db: sent_about(),
        offered=lambda _db: {},
    ),
)
