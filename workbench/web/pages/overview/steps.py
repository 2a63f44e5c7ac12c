"""The steps of setting up a campaign in words, each with the page where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import url_for

from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import here
from workbench.web.context import reading
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.overview.readiness import SetupStep, readiness
from workbench.workflow.people.roles import Role


@dataclass(frozen=True, slots=True)
class StepWords:
    """A step as a link: what to do, and the endpoint of its page."""

    action: str
    endpoint: str


STEPS: Mapping[SetupStep, StepWords] = {
    SetupStep.TOPICS: StepWords("Load topics", "setup.index"),
    SetupStep.RUNS: StepWords("Add runs", "setup.index"),
    SetupStep.ACCEPT: StepWords("Review runs", "runs.index"),
    SetupStep.POOL: StepWords("Make a pool", "pools.index"),
    SetupStep.OPEN: StepWords("Open the pool", "pool_states.confirm_opening"),
    SetupStep.DOCUMENTS: StepWords("Load documents", "documents.index"),
    SetupStep.ASSESSORS: StepWords("Invite assessors", "people.index"),
    SetupStep.ASSIGN: StepWords("Assign topics", "assignments.index"),
    SetupStep.GUIDELINES: StepWords("Write guidelines", "settings.index"),
    SetupStep.JUDGE: StepWords("Overview", "overview.index"),
}


def step_address(step: SetupStep, draft: int | None = None, slug: str | None = None) -> str:
    """The address of the page of a step; `draft` is the pool to open, `slug` that of another campaign."""
    values: dict[str, Any] = {"pool_id": draft} if step is SetupStep.OPEN else {}
    if slug is not None:
        values["slug"] = slug
    return url_for(STEPS[step].endpoint, **values)


def next_way() -> tuple[str, str]:
    """What comes next in this campaign, as a link: its label and its address."""
    with reading() as db:
        state = readiness(db, here().id)
    return STEPS[state.next].action, step_address(state.next, state.draft)


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
