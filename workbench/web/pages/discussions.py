"""Discussions: the pairs that were sent back to an assessor, and what the others said of each."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.consensus.votes import Pair
from workbench.errors import rejected
from workbench.records import Answer
from workbench.web import notices
from workbench.web.access import here, member, viewer
from workbench.web.context import read_here, reading_here, write_here, writing_here
from workbench.web.forms import Findings, errors_on, form_number, form_text, sent_id
from workbench.web.pages.judging.my_topics import REASONS
from workbench.web.rendering import plain_words
from workbench.web.requests import Values, go_to, see_other, wants_fragment, write_id
from workbench.workflow.adjudication.discussions import (
    DiscussionLine,
    discuss,
    discussion,
    discussions,
    mark_read,
)
from workbench.workflow.adjudication.rules import adjudication_rules
from workbench.workflow.judging.desk_settings import keys_of
from workbench.workflow.judging.submission import Submission
from workbench.workflow.judging.unrecorded import DISCUSSION_FIELD
from workbench.workflow.people.membership import Role

blueprint = Blueprint("discussions", __name__, url_prefix="/c/<slug>/discussions")
assessor = member(Role.ASSESSOR)


@blueprint.get("")
@assessor
def index() -> str:
    """The pairs sent back to this assessor."""
    with reading_here() as (db, campaign_id):
        return render_template(
            "discussions/index.html",
            lines=discussions(db, campaign_id, viewer().id),
            blind=adjudication_rules(db, campaign_id).blind_discussion,
        )


@blueprint.get("/pair")
@assessor
def pair(findings: Findings = ()) -> str:
    """One pair: document, what each of its assessors says, and the form; `?topic=` and `?docno=` name it."""
    named = _pair()
    with reading_here() as (db, campaign_id):
        shown = discussion(db, campaign_id, viewer().id, named)
        lines = discussions(db, campaign_id, viewer().id)
        keys = keys_of(db, viewer().id, shown.scale)
    at = next((number for number, line in enumerate(lines) if (line.topic, line.docno) == named), 0)
    return render_template(
        "discussions/pair.html",
        shown=shown,
        replied=bool(lines) and lines[at].replied,
        previous=_address(lines[at - 1]) if at else None,
        following=_address(lines[at + 1]) if at + 1 < len(lines) else None,
        keys=keys,
        reasons=REASONS,
        left=sum(not line.answered for line in lines),
        total=len(lines),
        typed=request.form,
        facts=_facts([line for line in lines if not line.answered and (line.topic, line.docno) != named]),
        findings=findings,
    )


@blueprint.post("/pair")
@assessor
def say() -> Response:
    """Keep or change the grade, with a comment, and go on; the page's script sends it as an event instead."""
    named = _pair()
    with errors_on(pair):
        submission = _submission(named[1])
        with writing_here() as (db, campaign_id):
            discuss(db, campaign_id, viewer().id, named[0], submission)
            mark_read(db, campaign_id, viewer().id, named, latest=_latest())
    left = [line for line in read_here(discussions, viewer().id) if not line.answered]
    notices.add(f"Your answer about {plain_words(named[1])} is recorded.")
    return see_other(_address(left[0]) if left else url_for("discussions.index"))


@blueprint.post("/read")
@assessor
def read() -> Response:
    """Note that the others' new answers on a pair were read."""
    named = _pair()
    write_here(mark_read, viewer().id, named, latest=_latest())
    return Response(status=204) if wants_fragment() else go_to("discussions.index")


def _latest() -> int:
    return form_number("latest") or 0


def _address(line: DiscussionLine) -> str:
    return url_for("discussions.pair", topic=write_id(line.topic), docno=write_id(line.docno))


def _pair() -> Pair:
    return sent_id("topic"), sent_id("docno")


def _facts(others: Sequence[DiscussionLine]) -> Values:
    """What the page's script works with; `others` are the other pairs that wait for an answer."""
    listed = url_for("discussions.index")
    return {
        DISCUSSION_FIELD: here().slug,
        "account": viewer().key,
        "addresses": {
            "events": url_for("desk.events"),
            "sign_in": url_for("entrance.sign_in", next=listed),
            "then": _address(others[0]) if others else listed,
        },
    }


def _submission(docno: str) -> Submission:
    answer = form_text("answer")
    graded = answer.isascii() and answer.isdigit() and len(answer) < 6
    if not graded and answer not in {Answer.UNSURE, Answer.CANNOT_JUDGE}:
        raise rejected("Answer", None, "answer", "choose what you say now", "keep it or change it")
    return Submission(
        docno,
        form_text("client_id"),
        answer=Answer.GRADE if graded else Answer(answer),
        grade=int(answer) if graded else None,
        reason=form_text("reason") if answer == Answer.CANNOT_JUDGE else "",
        comment=form_text("comment"),
        shown_sha256=form_text("shown_sha256") or None,
    )
