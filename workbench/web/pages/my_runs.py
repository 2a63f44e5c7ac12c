"""My runs: the runs that a participant's groups have sent; the pages are those of runs, with another face."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, render_template

from workbench.web.access import participant
from workbench.web.context import reading_here
from workbench.web.pages.run_records import ParticipantFace, serve_records
from workbench.web.pages.run_uploads import serve_uploads
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.runs.own_runs import own_runs
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.uploads import waiting_batches

_FACE = ParticipantFace()
_runs = Blueprint("own_runs", __name__, url_prefix="/c/<slug>/own-runs")
_uploads = Blueprint("own_checks", __name__, url_prefix="/c/<slug>/own-runs/checked")
serve_uploads(_uploads, _FACE)
serve_records(_runs, _FACE, file="/run/file", removal="/run/withdraw")

BLUEPRINTS = (_uploads, _runs)


@_runs.get("")
@participant
def index() -> str:
    """The runs of the participant's groups, and the form for more."""
    with reading_here() as (db, campaign_id):
        sender = _FACE.sender(db)
        rules = rules_of(db, campaign_id)
        return render_template(
            "my_runs/index.html",
            runs=own_runs(db, campaign_id, sender),
            groups=sender.groups,
            batches=waiting_batches(db, campaign_id, sender),
            topics=len(topic_titles(db, campaign_id)),
            rules=rules,
            closed=rules.last_day is not None and rules.last_day < datetime.now(UTC).date(),
            own=True,
        )
