"""The runs of a campaign: the list that organisers see, which of them in what order, and several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.figures import counted
from workbench.records import Verdict, id_bytes
from workbench.storage import Session
from workbench.tables import csv_bytes
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import accepted, query_text, sent_ids, whole_number
from workbench.web.paging import page_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.people.groups import group_names
from workbench.workflow.people.roles import Role
from workbench.workflow.runs.run_records import (
    HEADER,
    CampaignRun,
    give_verdict,
    metadata_rows,
    runs_of,
    without_drafts,
)
from workbench.workflow.runs.uploads import waiting_batches

blueprint = Blueprint("runs", __name__, url_prefix="/c/<slug>/runs")

NO_GROUP = "none"
SORTS: Mapping[str, str] = {
    "tag": "by tag",
    "group": "by group, then priority",
    "added": "newest first",
    "warnings": "most warnings first",
}
_LAST = 10**9


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Which runs a list shows, and in what order; an empty text chooses everything."""

    group: str
    verdict: str
    sort: str

    def arguments(self) -> dict[str, str]:
        """The same for an address."""
        chosen = {"group": self.group, "verdict": self.verdict, "sort": self.sort}
        return {name: value for name, value in chosen.items() if value and (name, value) != ("sort", "tag")}

    def of(self, runs: Iterable[CampaignRun]) -> tuple[CampaignRun, ...]:
        """The chosen runs in the chosen order."""
        group = whole_number(self.group)
        kept = (
            run
            for run in runs
            if (not self.verdict or run.verdict == self.verdict)
            and (not self.group or run.metadata.group_id == (None if self.group == NO_GROUP else group))
        )
        return tuple(sorted(kept, key=_KEYS[self.sort]))


@blueprint.get("")
@reader
def index() -> str:
    """The list of runs, with warnings, and the form for more."""
    choice = run_choice()
    with reading() as db:
        runs = _shown(db)
        topics = len(topics_of(db, here().id))
        groups = group_names(db, here().id)
        batches = waiting_batches(db, here().id)
    chosen = choice.of(runs)
    return render_template(
        "runs/index.html",
        runs=chosen,
        page=page_of(chosen),
        count=len(runs),
        topics=topics,
        groups=groups,
        choice=choice,
        sorts=SORTS,
        verdicts=tuple(Verdict),
        waiting=[run.tag for run in chosen if run.verdict is Verdict.RECEIVED],
        batches=batches,
        own=False,
    )


@blueprint.post("/accept")
@organiser
def accept() -> Response:
    """Accept several runs at once."""
    with writing() as db:
        changed = give_verdict(db, here().id, sent_ids("run"), Verdict.ACCEPTED, by=viewer().id)
    return accepted(f"{counted(changed, 'run')} accepted.", "runs.index")


@blueprint.get("/records.csv")
@reader
def as_csv() -> Response:
    """The metadata of the runs that the address chooses, as CSV."""
    with reading() as db:
        rows = metadata_rows(run_choice().of(_shown(db)))
    return attachment(csv_bytes(HEADER, rows, read_back=True), f"{here().slug}.runs.csv", kind="text/csv")


def run_choice() -> RunChoice:
    """The choice of this request's address; what it cannot mean chooses everything."""
    group, verdict = query_text("group"), query_text("verdict")
    sort = query_text("sort")
    return RunChoice(
        group=group if group == NO_GROUP or whole_number(group) is not None else "",
        verdict=verdict if verdict in set(Verdict) else "",
        sort=sort if sort in SORTS else "tag",
    )


def _shown(db: Session) -> tuple[CampaignRun, ...]:
    """The runs as this viewer may see them: only organisers know of drafts of pools."""
    runs = runs_of(db, here().id)
    return runs if Role.ORGANISER in here().roles else tuple(map(without_drafts, runs))


# Runs without a group or a priority come last.
_KEYS: Mapping[str, Callable[[CampaignRun], Any]] = {
    "tag": lambda run: id_bytes(run.tag),
    "group": lambda run: (
        run.group == "", run.group.casefold(), run.metadata.priority or _LAST, id_bytes(run.tag)
    ),
    "added": lambda run: (-run.added_at.timestamp(), -run.id),
    "warnings": lambda run: (-len(run.warnings), id_bytes(run.tag)),
}  # fmt: skip
