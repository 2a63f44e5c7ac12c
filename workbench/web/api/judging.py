"""Judging: an assessor's own assignments, their documents, and the judgments that come back.

Everything here is the assessor's own, and blind as the judging page is: it comes from the same functions.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms.collecting import PageJson
from workbench.json_forms.filling import filled
from workbench.json_forms.judging import (
    OwnAddedJson,
    OwnAdditionJson,
    OwnAdditionsJson,
    OwnAnswer,
    OwnAssignmentJson,
    ReceiptJson,
    Receipts,
    TaskDocument,
    WorkJson,
)
from workbench.records import Answer
from workbench.web.access import here, member, viewer
from workbench.web.api.cursors import (
    ClientId,
    GradeValue,
    ManyNames,
    Number,
    PageQuery,
    Whole,
    sent,
    sorted_page,
)
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.web.pages.judging.preparing import prepare_desk, reading_of, writing_of
from workbench.web.requests import Values
from workbench.workflow.judging.desk_view import ShownDocument, documents_of, work_of
from workbench.workflow.judging.submission import SubmissionKind
from workbench.workflow.judging.sync import MOST_EVENTS, receive
from workbench.workflow.judging.worklists import add_to_own, own_additions, worklist
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.membership import require_assignment
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.additions import Additions

blueprint = Blueprint("judging", __name__, url_prefix="/campaigns/<slug>/judging")
assessor = member(Role.ASSESSOR)
MOST_DOCUMENTS = 50


@sent
class TaskDocuments:
    """Which documents of the assignment, by the names that it gives them."""

    docno: Annotated[list[str], Field(min_length=1, max_length=MOST_DOCUMENTS)]


@sent
class JudgmentEvent:
    """An answer about a document, as the judging page sends it; with the same client id it is recorded once.

    `before` is the `event` of the own answer that was current when this one was given, `instructions` the
    version of guidelines and scale that was shown.
    """

    client_id: ClientId
    assignment: Number
    docno: str
    kind: SubmissionKind = SubmissionKind.ANSWER
    answer: Answer | None = None
    grade: GradeValue | None = None
    reason: str = ""
    comment: str = ""
    active_ms: Annotated[Whole, Field(ge=0, lt=2**31)] | None = None
    shown_sha256: str | None = None
    said_at: str = ""
    before: str = ""
    instructions: Annotated[Whole, Field(ge=1, lt=2**31)] | None = None


@sent
class SentJudgments:
    """Answers in the order in which they were given."""

    events: Annotated[list[JudgmentEvent], Field(min_length=1, max_length=MOST_EVENTS)]


@sent
class SentAdditions:
    """Documents for the topic of the assignment, and why."""

    docnos: ManyNames
    reason: str


@blueprint.get("")
@assessor
@operation(PageJson[OwnAssignmentJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[OwnAssignmentJson]:
    """List your own assignments."""
    with reading() as db:
        found = worklist(db, here().id, viewer().id)
    return sorted_page(
        found,
        query,
        key=lambda one: one.assignment_id,
        form=lambda line: filled(OwnAssignmentJson, line, assignment=line.assignment_id),
    )


@blueprint.get("/<int:assignment_id>")
@assessor
@operation(WorkJson)
def show(assignment_id: int) -> WorkJson:
    """Show an own assignment: its documents in the order of judging, and your answers.

    Of a pool whose documents are chosen while people judge, the next document is handed out.
    """
    prepare_desk(assignment_id)
    with reading() as db:
        work = work_of(db, assignment_id, viewer().id)
    answered = {one.docno for one in work.answers}
    return filled(
        WorkJson,
        work,
        assignment=assignment_id,
        left=[docno for docno in work.order if docno not in answered],
        answers=[
            filled(OwnAnswer, one.event, docno=one.docno, event=one.event.client_id) for one in work.answers
        ],
    )


@blueprint.get("/<int:assignment_id>/documents")
@assessor
@operation(list[TaskDocument], query=TaskDocuments)
def documents(assignment_id: int, query: TaskDocuments) -> list[TaskDocument]:
    """Show documents of an own assignment."""
    with reading_of(assignment_id) as db:
        found = documents_of(db, assignment_id, viewer().id, query.docno)
    return [_task_document(one.document) for one in found]


@blueprint.post("/judgments")
@assessor
@operation(Receipts, scope=Scope.JUDGE, body=SentJudgments)
def record(body: SentJudgments) -> Receipts:
    """Record judgments for your own assignments; the answer says what became of each."""
    with reading() as db:
        for number in sorted({event.assignment for event in body.events}):
            require_assignment(db, here().id, number)
    with writing() as db:
        receipts = receive(db, viewer().id, [_event(one) for one in body.events])
    return {"receipts": [filled(ReceiptJson, one) for one in receipts]}


@blueprint.get("/<int:assignment_id>/additions")
@assessor
@operation(OwnAdditionsJson)
def additions(assignment_id: int) -> OwnAdditionsJson:
    """List the documents that you added to an own assignment."""
    with reading_of(assignment_id) as db:
        found = own_additions(db, assignment_id, viewer().id)
    return {"additions": [filled(OwnAdditionJson, one) for one in found]}


@blueprint.post("/<int:assignment_id>/additions")
@assessor
@operation(OwnAddedJson, scope=Scope.JUDGE, body=SentAdditions)
def add(assignment_id: int, body: SentAdditions) -> OwnAddedJson:
    """Add documents to an own assignment, which you then judge; all of them, or none."""
    docnos = {docno: number for number, docno in enumerate(body.docnos, start=1)}
    with writing_of(assignment_id) as db:
        done = add_to_own(db, assignment_id, viewer().id, Additions(docnos, body.reason))
    return filled(
        OwnAddedJson, done, passed=[one.docno for one in done.passed], without_text=len(done.without_text)
    )


def _event(sent: JudgmentEvent) -> Values:
    return {name: value for name, value in asdict(sent).items() if value is not None}


def _task_document(document: ShownDocument) -> TaskDocument:
    """A document as the judging page shows it, by the name that it has there."""
    file, images = document.form.file, document.form.images
    return filled(
        TaskDocument,
        document,
        docno=document.key,
        file=file.sha256 if file is not None and file.kept else None,
        images={address: one.sha256 for address, one in images.items()},
    )
