"""Discussions: an assessor's own pairs that were sent back, what the others say of each, a new answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import (
    DiscussionJson,
    DiscussionLineJson,
    OpinionJson,
    PageJson,
    StatementJson,
    filled,
)
from workbench.records import Answer
from workbench.web.access import here, member, viewer
from workbench.web.api.cursors import FORBID, ClientId, GradeValue, PageQuery, Whole, page_of
from workbench.web.api.judging import task_document
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.adjudication.discussions import (
    Discussion,
    DiscussionLine,
    discuss,
    discussion,
    discussions,
    mark_read,
)
from workbench.workflow.adjudication.opinions import Opinion, Statement
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("discussions", __name__, url_prefix="/campaigns/<slug>/discussions")
assessor = member(Role.ASSESSOR)
EventNumber = Annotated[Whole, Field(ge=0, lt=2**63)]


@dataclass(frozen=True, slots=True)
class DiscussedPair:
    """A pair that was sent back."""

    __pydantic_config__ = FORBID
    topic: str
    docno: str


@dataclass(frozen=True, slots=True)
class SentStatement:
    """Your answer about a pair now, kept or changed; `grade` goes with the answer of that name.

    With the same client id it is recorded once. `latest` is the latest answer that you were shown.
    """

    __pydantic_config__ = FORBID
    client_id: ClientId
    topic: str
    docno: str
    answer: Answer
    grade: GradeValue | None = None
    reason: str = ""
    comment: str = ""
    shown_sha256: str | None = None
    latest: EventNumber = 0


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """A pair, and the latest answer of the others that was read."""

    __pydantic_config__ = FORBID
    topic: str
    docno: str
    latest: EventNumber


@blueprint.get("")
@assessor
@operation(PageJson[DiscussionLineJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[DiscussionLineJson]:
    """List the pairs that were sent back to you, by topic and docno."""
    with reading() as db:
        found = sorted(discussions(db, here().id, viewer().id), key=_place)
    return page_of(found, query, key=_place, form=lambda one: filled(DiscussionLineJson, one))


@blueprint.get("/pair")
@assessor
@operation(DiscussionJson, query=DiscussedPair)
def show(query: DiscussedPair) -> DiscussionJson:
    """Show a pair that was sent back to you, with what each of its assessors says."""
    with reading() as db:
        return _discussion(discussion(db, here().id, viewer().id, (query.topic, query.docno)))


@blueprint.post("/answers")
@assessor
@operation(DiscussionJson, scope=Scope.JUDGE, body=SentStatement)
def say(body: SentStatement) -> DiscussionJson:
    """Keep or change your answer about a pair that was sent back to you."""
    pair = (body.topic, body.docno)
    submission = Submission(
        body.docno,
        body.client_id,
        answer=body.answer,
        grade=body.grade,
        reason=body.reason,
        comment=body.comment,
        shown_sha256=body.shown_sha256,
    )
    with writing() as db:
        discuss(db, here().id, viewer().id, body.topic, submission)
        mark_read(db, here().id, viewer().id, pair, latest=body.latest)
        return _discussion(discussion(db, here().id, viewer().id, pair))


@blueprint.post("/read")
@assessor
@operation(None, scope=Scope.JUDGE, body=ReadUpTo)
def read(body: ReadUpTo) -> None:
    """Note that the others' new answers about a pair were read."""
    with writing() as db:
        mark_read(db, here().id, viewer().id, (body.topic, body.docno), latest=body.latest)


def _place(line: DiscussionLine) -> tuple[str, str]:
    return line.topic, line.docno


def _discussion(found: Discussion) -> DiscussionJson:
    return filled(
        DiscussionJson,
        found,
        topic=found.topic.id,
        document=task_document(found.document, found.document.docno),
        opinions=[_opinion(one) for one in found.opinions],
        mine=_statement(found.mine),
    )


def _opinion(one: Opinion) -> OpinionJson:
    before = None if one.before is None else _statement(one.before)
    return filled(OpinionJson, one, now=_statement(one.now), before=before)


def _statement(one: Statement) -> StatementJson:
    return filled(StatementJson, one)
