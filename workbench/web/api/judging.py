"""Judging: assignments of topics, what an assessor judges, and the judgments that there are.

Whatever an assessor is told here is the assessor's own, and blind as the judging page is: it comes from the
same functions.
"""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Annotated, BinaryIO

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, rejected
from workbench.formats.judgments import read_judgments
from workbench.frozen import filled
from workbench.records import Answer
from workbench.storage import Session
from workbench.web.access import here, member, organiser, takes_uploads, viewer
from workbench.web.api.fields import (
    ClientId,
    FileName,
    Flag,
    GradeValue,
    ManyNames,
    Names,
    Number,
    PageJson,
    PageQuery,
    Seed,
    Whole,
    after_ids,
    buffered,
    page_of,
    sent,
    sorted_page,
)
from workbench.web.api.operations import Text, operation
from workbench.web.context import app_context, read_here, reading, write_here, writing
from workbench.web.pages.judging.reading import prepare_desk, reading_of, writing_of
from workbench.web.pages.judgments import export
from workbench.web.requests import Values
from workbench.workflow.judging.assignments import (
    Distribution,
    assignments_of,
    distribute,
    in_turn,
    revoke,
)
from workbench.workflow.judging.current_judgments import annotated_judgments, judgment_json
from workbench.workflow.judging.desk_view import ShownDocument, documents_of, work_of
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.importing import GivenJudgments, ImportedJson, import_files, imported_json
from workbench.workflow.judging.submission import SubmissionKind
from workbench.workflow.judging.sync import MOST_EVENTS, receive
from workbench.workflow.judging.worklists import add_to_own, own_additions, worklist
from workbench.workflow.people.membership import Role, assessors_of, require_assignment
from workbench.workflow.people.sessions import Scope
from workbench.workflow.pools.additions import Additions
from workbench.workflow.pools.listing import pool_summary

judging = Blueprint("judging", __name__, url_prefix="/campaigns/<slug>/judging")
assessor = member(Role.ASSESSOR)
MOST_DOCUMENTS = 50


class AssignmentJson(TypedDict):
    """A topic of a pool that an assessor is to judge, and how much is answered."""

    assignment: int
    pool: str
    topic: str
    title: str
    assessor: str
    order: str
    seed: int
    pairs: int
    answered: int


class OwnAssignmentJson(TypedDict):
    """An own assignment; `total` counts what is still to be handed out too."""

    assignment: int
    pool: str
    topic: str
    title: str
    judged: int
    unsure: int
    cannot_judge: int
    total: int
    done: bool
    closed: bool


class OwnAnswer(TypedDict):
    """An own answer about a document; `event` names it."""

    docno: str
    answer: str
    grade: int | None
    reason: str
    comment: str
    event: str


class WorkJson(TypedDict):
    """What an own assignment is: documents in the order of judging, of which `left` have no answer."""

    assignment: int
    order: list[str]
    left: list[str]
    answers: list[OwnAnswer]
    total: int
    closed: bool


class TaskDocument(TypedDict):
    """A document to judge as the judging page shows it; `sha256` is of what is shown.

    `file` is the SHA-256 of its PDF or image, `images` those of the images in its text, by their address.
    """

    docno: str
    title: str
    text: str
    sha256: str | None
    missing: bool
    file: str | None
    images: dict[str, str]


class ReceiptJson(TypedDict):
    """What became of an event: recorded, repeated, kept_aside (stored for the organiser) or refused.

    `ends`: nothing more of its assignment will be recorded. `outdated`: guidelines or scale have changed
    since the version `instructions` that came with it.
    """

    client_id: str
    outcome: str
    why: str
    ends: bool
    outdated: bool


class Receipts(TypedDict):
    """What became of events, in their order."""

    receipts: list[ReceiptJson]


class OwnAdditionJson(TypedDict):
    """A document that you added to an own assignment."""

    docno: str
    reason: str


class OwnAdditionsJson(TypedDict):
    """What you added to an own assignment, the oldest first."""

    additions: list[OwnAdditionJson]


class OwnAddedJson(TypedDict):
    """Documents that you added; `passed` were pooled already, `without_text` counts those without text."""

    added: list[str]
    passed: list[str]
    without_text: int


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


@judging.get("", endpoint="index")
@assessor
@operation(PageJson[OwnAssignmentJson], query=PageQuery)
def own_assignments(query: PageQuery) -> PageJson[OwnAssignmentJson]:
    """List your own assignments."""
    found = read_here(worklist, viewer().id)
    return sorted_page(
        found,
        query,
        key=lambda one: one.assignment_id,
        form=lambda line: filled(OwnAssignmentJson, line, assignment=line.assignment_id),
    )


@judging.get("/<int:assignment_id>")
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


@judging.get("/<int:assignment_id>/documents")
@assessor
@operation(list[TaskDocument], query=TaskDocuments)
def documents(assignment_id: int, query: TaskDocuments) -> list[TaskDocument]:
    """Show documents of an own assignment."""
    with reading_of(assignment_id) as db:
        found = documents_of(db, assignment_id, viewer().id, query.docno)
    return [_task_document(one.document) for one in found]


@judging.post("/judgments")
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


@judging.get("/<int:assignment_id>/additions")
@assessor
@operation(OwnAdditionsJson)
def additions(assignment_id: int) -> OwnAdditionsJson:
    """List the documents that you added to an own assignment."""
    with reading_of(assignment_id) as db:
        found = own_additions(db, assignment_id, viewer().id)
    return {"additions": [filled(OwnAdditionJson, one) for one in found]}


@judging.post("/<int:assignment_id>/additions", endpoint="add")
@assessor
@operation(OwnAddedJson, scope=Scope.JUDGE, body=SentAdditions)
def add_own(assignment_id: int, body: SentAdditions) -> OwnAddedJson:
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


assignments = Blueprint("assignments", __name__, url_prefix="/campaigns/<slug>/assignments")


class AddedAssignments(TypedDict):
    """How many assignments are new."""

    added: int


@sent
class SentAssignments:
    """Topics of a pool for assessors, by name; all with an account if None.

    With `topics` each goes to every assessor named, else all are distributed, each to `per_topic` of them.
    """

    pool: str
    assessors: Names | None = None
    topics: Names | None = None
    per_topic: Annotated[Whole, Field(ge=1, le=1000)] = 1
    order: OrderRule = OrderRule.SHUFFLED
    seed: Seed | None = None


@assignments.get("", endpoint="index")
@organiser
@operation(PageJson[AssignmentJson], query=PageQuery)
def assignment_list(query: PageQuery) -> PageJson[AssignmentJson]:
    """List the assignments, and how much of each is answered."""
    found = read_here(assignments_of)
    return sorted_page(
        found,
        query,
        key=lambda one: one.id,
        form=lambda line: filled(
            AssignmentJson, line, assignment=line.id, title=line.topic_title, order=line.order_rule
        ),
    )


@assignments.post("", endpoint="add")
@organiser
@operation(AddedAssignments, scope=Scope.MANAGE, body=SentAssignments, status=201)
def add_assignments(body: SentAssignments) -> AddedAssignments:
    """Assign topics of a pool to assessors; what they have already stays."""
    with writing() as db:
        pool = pool_summary(db, here().id, body.pool)
        assessors = assessor_numbers(db, body.assessors)
        if body.topics is None:
            given = in_turn(db, pool.id, assessors, body.per_topic)
        else:
            given = [(topic, assessor_id) for topic in body.topics for assessor_id in assessors]
        added = distribute(db, Distribution(pool.id, given, body.order, body.seed))
    return {"added": added}


@assignments.delete("/<int:assignment_id>", endpoint="remove")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove_assignment(assignment_id: int) -> None:
    """Remove an assignment; its judgments stay."""
    write_here(revoke, assignment_id)


def assessor_numbers(db: Session, names: list[str] | None) -> list[int]:
    """The numbers of assessors by their names, for None of all who can judge now; raises InvalidInput."""
    found = {one.name: one for one in assessors_of(db, here().id) if one.assignable}
    unknown = [
        Finding(
            "assessors", None, "assessor", f"{name[:80]!r} is not an assessor who can judge", "see people"
        )
        for name in names or ()
        if name not in found
    ]
    if unknown:
        raise InvalidInput(unknown)
    if names is None:
        return [one.id for one in found.values() if one.able]
    return [found[name].id for name in names]


judgments = Blueprint("judgments", __name__, url_prefix="/campaigns/<slug>/judgments")
TABLE = "text/tab-separated-values; charset=utf-8"


@sent
class JudgmentsFile:
    """A table of judgments, with the header `topic doc assessor grade`; `machine` names its machines.

    `discussed` answers were given after a discussion: earlier ones stay beside them.
    """

    name: FileName = "judgments.tsv"
    machine: list[str] = field(default_factory=list)
    discussed: Flag = False


@judgments.post("", endpoint="load")
@takes_uploads
@organiser
@operation(list[ImportedJson], scope=Scope.MANAGE, query=JudgmentsFile, takes_file=True)
def load_judgments(query: JudgmentsFile, file: BinaryIO) -> list[ImportedJson]:
    """Import judgments made elsewhere; all of them, or none. Importing a file twice adds nothing."""
    # Read before the database is locked: who saves meanwhile must not wait for a long file.
    found = read_judgments(buffered(file), source=query.name)
    unknown = sorted(set(query.machine) - {one.assessor for one in found})
    if unknown:
        raise rejected(
            "machine",
            None,
            "machine",
            f"{unknown[0][:80]!r} is not an assessor in this file",
            "name assessors of the file",
        )
    given = GivenJudgments(found, query.name, set(query.machine), query.discussed)
    database = app_context().database
    return imported_json(import_files(database, here().id, [given], writing=writing))


@judgments.get("", endpoint="index")
@organiser
@operation(PageJson[Values], query=PageQuery)
def judgment_list(query: PageQuery) -> PageJson[Values]:
    """List the current judgments with everything recorded beside them, by topic, docno and assessor."""
    begin = after_ids(query, 3)
    with reading() as db:
        found = annotated_judgments(db, here().id, since=begin[0] if begin else None)
        return page_of(found, query, key=lambda one: (one.topic, one.docno, one.assessor), form=judgment_json)


@judgments.get("/all.tsv")
@organiser
@operation(Text(TABLE, "Topic, doc, assessor and grade of each judgment, as the import reads them."))
def table() -> Response:
    """Download every current judgment."""
    return export()
