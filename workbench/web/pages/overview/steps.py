"""The steps of setting up a campaign in words, each with the page where it is done."""

from __future__ import annotations

from collections.abc import Mapping

from flask import url_for

from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.requests import Values
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.overview.readiness import SetupStep, readiness
from workbench.workflow.people.roles import Role

STEPS: Mapping[SetupStep, tuple[str, str]] = {
    SetupStep.TOPICS: ("Load topics", "setup.index"),
    SetupStep.RUNS: ("Add runs", "setup.index"),
    SetupStep.ACCEPT: ("Review runs", "runs.index"),
    SetupStep.POOL: ("Make a pool", "pools.index"),
    SetupStep.OPEN: ("Open the pool", "pool_states.confirm_opening"),
    SetupStep.DOCUMENTS: ("Load documents", "documents.index"),
    SetupStep.ASSESSORS: ("Invite assessors", "people.index"),
    SetupStep.ASSIGN: ("Assign topics", "assignments.index"),
    SetupStep.GUIDELINES: ("Write guidelines", "settings.index"),
    SetupStep.JUDGE: ("Overview", "overview.index"),
}
"""What to do in each step, and the endpoint of its page."""


def step_way(step: SetupStep, draft: int | None = None, slug: str | None = None) -> tuple[str, str]:
    """A step as a link, its label and its address; `draft` is the pool to open, `slug` another campaign's."""
    label, endpoint = STEPS[step]
    values: Values = {"pool_id": draft} if step is SetupStep.OPEN else {}
    if slug is not None:
        values["slug"] = slug
    return label, url_for(endpoint, **values)


def next_way() -> tuple[str, str]:
    """What comes next in this campaign, as a link."""
    with reading() as db:
        state = readiness(db, here().id)
    return step_way(state.next, state.draft)


def disputes_way() -> tuple[str, str] | None:
    """The disputed pairs that wait for whoever may decide them, as a link; None where none do."""
    if here().archived_at is not None or here().roles.isdisjoint({Role.ORGANISER, Role.ADJUDICATOR}):
        return None
    with reading() as db:
        undecided = dispute_counts(db, here().id).get(State.OPEN, 0)
    if not undecided:
        return None
    return f"Decide {counted(undecided, 'disputed pair')}", url_for("adjudicating.desk")


def announce_step(text: str) -> None:
    """Tell on the next page that something is done, with what comes next in this campaign."""
    notices.add(text, then=next_way())
