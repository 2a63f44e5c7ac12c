"""Work side by side: tasks for organisers, own comparisons for assessors, and what came of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, cast

from flask import Blueprint
from pydantic import Field
from werkzeug.wrappers import Response

from workbench.json_forms import (
    ComparisonTask,
    Counted,
    OwnComparison,
    PageJson,
    PreferenceJson,
    PreferenceResultsJson,
    SideDocumentJson,
    WithdrawnChoice,
    filled,
)
from workbench.web.access import here, member, organiser, reader, viewer
from workbench.web.api.assignments import assessor_numbers
from workbench.web.api.cursors import FORBID, ClientId, Number, PageQuery, Seed, Whole, page_of
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading, writing
from workbench.web.downloads import streamed
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.preference_desk import SideBySide, choose, side_by_side, undo_choice
from workbench.workflow.judging.preference_results import (
    answers_export,
    preference_agreement_export,
    preference_answers,
    preference_lines,
    preference_results,
    rankings_export,
    runs_export,
)
from workbench.workflow.judging.preference_tasks import PreferenceTask, require_task, tasks_of
from workbench.workflow.judging.preferences import SideAnswer
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("side_by_side", __name__, url_prefix="/campaigns/<slug>/side-by-side")
assessor = member(Role.ASSESSOR)
PLAIN = "text/plain; charset=utf-8"
Names = Annotated[list[str], Field(min_length=1)]


class Side(StrEnum):
    """Which side is better."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    BOTH_BAD = "both_bad"


@dataclass(frozen=True, slots=True)
class PairToCompare:
    """Two documents of a topic."""

    __pydantic_config__ = FORBID
    topic: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class SentComparisons:
    """Pairs of documents for each of some assessors (all with an account if None).

    Without `pairs` every two of the `best` documents of each topic, by that assessor's own grades, of all
    topics unless some are named.
    """

    __pydantic_config__ = FORBID
    assessors: Names | None = None
    pairs: Annotated[list[PairToCompare], Field(min_length=1, max_length=10_000)] | None = None
    best: Annotated[Whole, Field(ge=1, le=1000)] = 5
    topics: Names | None = None
    seed: Seed | None = None


@dataclass(frozen=True, slots=True)
class SentRunComparison:
    """Two runs by tag, whose answers to topics assessors compare; all topics, all with an account if None."""

    __pydantic_config__ = FORBID
    first: str
    second: str
    topics: Names | None = None
    assessors: Names | None = None
    seed: Seed | None = None


@dataclass(frozen=True, slots=True)
class PairNumber:
    """The number of a pair, from 1; the first one without an answer if None."""

    __pydantic_config__ = FORBID
    pair: Number | None = None


@dataclass(frozen=True, slots=True)
class SentChoice:
    """Which side of a pair is better, and why; with the same client id it is recorded once."""

    __pydantic_config__ = FORBID
    client_id: ClientId
    pair: Number
    choice: Side
    reason: str = ""
    active_ms: Annotated[Whole, Field(ge=0, lt=2**31)] | None = None


@dataclass(frozen=True, slots=True)
class SentUndo:
    """The client id of a withdrawal: with the same one no second answer is withdrawn."""

    __pydantic_config__ = FORBID
    client_id: ClientId


@blueprint.get("/tasks")
@reader
@operation(PageJson[ComparisonTask], query=PageQuery)
def tasks(query: PageQuery) -> PageJson[ComparisonTask]:
    """List the tasks in force and how far each is."""
    with reading() as db:
        found = sorted(tasks_of(db, here().id), key=lambda one: one.id)
    return page_of(found, query, key=lambda one: one.id, form=_task)


@blueprint.post("/tasks/documents")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentComparisons, status=201)
def documents(body: SentComparisons) -> Counted:
    """Give assessors pairs of documents to compare; counts the new tasks."""
    with writing() as db:
        chosen = assessor_numbers(db, body.assessors)
        if body.pairs is None:
            topics = body.topics or [one.id for one in topics_of(db, here().id)]
            added = preference_tasks.compare_best(
                db, here().id, topics, count=body.best, assessor_ids=chosen, seed=body.seed
            )
        else:
            pairs: dict[str, list[tuple[str, str]]] = {}
            for one in body.pairs:
                pairs.setdefault(one.topic, []).append((one.first, one.second))
            added = preference_tasks.compare_documents(
                db, here().id, pairs, assessor_ids=chosen, seed=body.seed
            )
    return {"count": added}


@blueprint.post("/tasks/runs")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentRunComparison, status=201)
def runs(body: SentRunComparison) -> Counted:
    """Give assessors the answers of two runs to compare; counts the new tasks."""
    with writing() as db:
        added = preference_tasks.compare_runs(
            db,
            here().id,
            body.first,
            body.second,
            topics=body.topics or [one.id for one in topics_of(db, here().id)],
            assessor_ids=assessor_numbers(db, body.assessors),
            seed=body.seed,
        )
    return {"count": added}


@blueprint.delete("/tasks/<int:task_id>")
@organiser
@operation(None, scope=Scope.MANAGE)
def revoke(task_id: int) -> None:
    """Remove a task; its answers stay."""
    with writing() as db:
        preference_tasks.revoke_task(db, here().id, task_id)


@blueprint.get("/answers")
@reader
@operation(list[PreferenceJson])
def answers() -> list[PreferenceJson]:
    """List every current answer, documents before runs."""
    with reading() as db:
        return cast(list[PreferenceJson], answers_export(preference_answers(db, here().id)).data())


@blueprint.get("/results")
@reader
@operation(PreferenceResultsJson)
def results() -> PreferenceResultsJson:
    """Show the documents ranked by topic, the runs compared, and how far assessors agree."""
    with reading() as db:
        found = preference_results(preference_answers(db, here().id))
    whole = {
        "documents": rankings_export(found).data(),
        "runs": runs_export(found).data(),
        "agreement": preference_agreement_export(found).data(),
    }
    return cast(PreferenceResultsJson, whole)


@blueprint.get("/prefs.txt")
@reader
@operation(Text(PLAIN, "Preferences between documents, as trec_eval reads them."))
def as_prefs() -> Response:
    """Download the preferences between documents."""
    with reading() as db:
        lines = list(preference_lines(db, here().id))
    return streamed(iter(lines), f"{here().slug}.prefs", kind=PLAIN)


@blueprint.get("/own")
@assessor
@operation(list[ComparisonTask])
def own() -> list[ComparisonTask]:
    """List your own tasks."""
    with reading() as db:
        return [_task(one) for one in tasks_of(db, here().id, account_id=viewer().id)]


@blueprint.get("/own/<int:task_id>")
@assessor
@operation(OwnComparison, query=PairNumber)
def show(task_id: int, query: PairNumber) -> OwnComparison:
    """Show a pair of an own task."""
    with reading() as db:
        require_task(db, here().id, task_id)
        return _shown(side_by_side(db, task_id, viewer().id, number=query.pair))


@blueprint.post("/own/<int:task_id>/answers")
@assessor
@operation(OwnComparison, scope=Scope.JUDGE, body=SentChoice)
def answer(task_id: int, body: SentChoice) -> OwnComparison:
    """Say which side of a pair is better; the answer is the next pair."""
    given = SideAnswer(body.pair, body.choice, body.client_id, body.reason, body.active_ms)
    with writing() as db:
        require_task(db, here().id, task_id)
        choose(db, task_id, viewer().id, given)
        return _shown(side_by_side(db, task_id, viewer().id))


@blueprint.post("/own/<int:task_id>/withdrawals")
@assessor
@operation(WithdrawnChoice, scope=Scope.JUDGE, body=SentUndo)
def undo(task_id: int, body: SentUndo) -> WithdrawnChoice:
    """Withdraw the latest answer of an own task."""
    with writing() as db:
        require_task(db, here().id, task_id)
        return {"pair": undo_choice(db, task_id, viewer().id, client_id=body.client_id)}


def _task(one: PreferenceTask) -> ComparisonTask:
    return filled(ComparisonTask, one, task=one.id)


def _shown(found: SideBySide) -> OwnComparison:
    return filled(
        OwnComparison,
        found,
        task=found.task_id,
        topic=found.topic.id,
        left=[filled(SideDocumentJson, one) for one in found.left],
        right=[filled(SideDocumentJson, one) for one in found.right],
        answered=[number for number, _ in found.answered],
    )
