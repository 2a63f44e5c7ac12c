"""Searching the documents for an assessor's own topic, and judging what was found.

Blind as the desk is: nothing here tells of runs, of colleagues, or of what they judged.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.frozen import frozen_dataclass
from workbench.records import Scale, Topic
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, errors_on, form_text
from workbench.web.jobs import index_now
from workbench.web.pages.search import (
    FROM,
    OF_ASSESSORS,
    ask_index,
    left_at,
    read_search,
)
from workbench.web.requests import (
    Reply,
    Values,
    loaded_anew,
    pushed,
    read_id,
    see_other,
    wants_fragment,
    write_id,
)
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_of
from workbench.workflow.judging.desk_rules import DeskQuestions, desk_questions
from workbench.workflow.judging.desk_settings import DeskKeys, keys_of
from workbench.workflow.judging.desk_view import ShownDocument
from workbench.workflow.judging.submission import read_form
from workbench.workflow.judging.sync import Outcome
from workbench.workflow.judging.task import Task
from workbench.workflow.people.membership import Role
from workbench.workflow.searching.found import (
    HitAnswer,
    SearchHit,
    ShownSearch,
    judge_found,
    known_of_task,
    next_without_answer,
    searching_task,
    shown_hit,
    shown_search,
)
from workbench.workflow.searching.searches import (
    Searcher,
    earlier_searches,
    first_shown,
    like_document,
    own_search,
    rank_of,
    record_opened,
    record_search,
    require_search,
    show_more,
    shown_rank,
)

blueprint = Blueprint("topic_search", __name__, url_prefix="/c/<slug>/judge/<int:assignment_id>/search")


@frozen_dataclass
class FoundDesk:
    """The desk beside the hits: what the campaign asks of the document that is open, as `desk_view.Desk`.

    Without a document nothing is judged, and there are no keys for it.
    """

    assignment_id: int
    topic: Topic
    scale: Scale
    keys: DeskKeys | None
    asked: DeskQuestions
    document: ShownDocument | None
    closed: bool = False
    current: None = None


@blueprint.get("")
@member(Role.ASSESSOR)
def index(assignment_id: int) -> Reply:
    """The form, and what this assessor searched for the topic before."""
    return _page(assignment_id)


@blueprint.post("")
@member(Role.ASSESSOR)
def search(assignment_id: int) -> Reply:
    """Search the documents, and show what was found."""
    with errors_on(partial(_page, assignment_id)):
        asked = read_search()
        with reading() as db:
            task = _task(db, assignment_id)
            like = like_document(db, here().id, asked)
            desk = _desk(db, task)
        known = known_of_task(task)
        ready = index_now()
        answer = ask_index(asked, known.filter(asked.among), like, ready)
        with writing() as db:
            require_search(db, here().id)
            row = record_search(db, _searcher(task), answer)
    address = _address(assignment_id, row.id)
    if not wants_fragment():
        return see_other(address)
    with reading() as db:
        shown = shown_search(db, row, known, rank=first_shown(row))
    return pushed(
        render_template(
            "judging/_searching.html",
            desk=desk,
            shown=shown,
            earlier=(),
            ready=ready,
            mine=None,
            **_of_form(()),
        ),
        address,
    )


@blueprint.get("/<int:search_id>")
@member(Role.ASSESSOR)
def show(assignment_id: int, search_id: int) -> Reply:
    """What a search found, with the document of `?docno=` open beside it."""
    return _page(assignment_id, search_id)


@blueprint.post("/<int:search_id>/more")
@member(Role.ASSESSOR)
def more(assignment_id: int, search_id: int) -> Reply:
    """Show the next hits of a search."""
    with writing() as db:
        task = _task(db, assignment_id)
        row = own_search(db, _searcher(task), search_id)
        before, rank = shown_rank(db, row.id), show_more(db, row)
    if not wants_fragment():
        return see_other(_address(assignment_id, search_id) + f"#hit-{rank}")
    with reading() as db:
        row = own_search(db, _searcher(task), search_id)
        shown = shown_search(db, row, known_of_task(task), after=before)
        desk = _desk(db, task)
    return render_template("judging/_more.html", desk=desk, shown=shown, left_at=left_at())


@blueprint.post("/<int:search_id>/open")
@member(Role.ASSESSOR)
def open_document(assignment_id: int, search_id: int) -> Response:
    """Open a document that a search has shown."""
    docno = read_id(form_text("docno"))
    with writing() as db:
        task = _task(db, assignment_id)
        record_opened(db, own_search(db, _searcher(task), search_id), docno)
    address = _address(assignment_id, search_id, docno)
    if not wants_fragment():
        return see_other(address)
    return pushed(_opened(task, search_id, docno), address)


@blueprint.post("/<int:search_id>/judge")
@member(Role.ASSESSOR)
def judge(assignment_id: int, search_id: int) -> Reply:
    """Record a judgment of a document that a search has shown, and open the next one without an answer."""
    docno = read_id(form_text("docno"))
    with errors_on(partial(_refused, assignment_id, search_id, docno)):
        submission = read_form(request.form, request.form.getlist("subtopic"), docno=docno)
        with writing() as db:
            task = _task(db, assignment_id)
            searcher, known = _searcher(task), known_of_task(task)
            receipt = judge_found(db, searcher, task, search_id, submission)
            row = own_search(db, searcher, search_id)
            following = next_without_answer(db, row, known, docno)
            if following is not None:
                record_opened(db, row, following)
    if receipt.outcome is Outcome.UNRECORDED:
        notices.add(f"Your answer was not recorded: {receipt.why}. It is stored for the organiser.", "poor")
    address = _address(assignment_id, search_id, following)
    if not wants_fragment():
        return see_other(address)
    if receipt.outcome is not Outcome.RECORDED or submission.answer is None:
        return loaded_anew(address)
    judged = replace(known, answers={docno: HitAnswer(submission.answer, submission.grade)})
    with reading() as db:
        hit = shown_hit(db, own_search(db, searcher, search_id), judged, docno)
    return pushed(_opened(task, search_id, following, hit), address)


def _task(db: Session, assignment_id: int, *, closed_too: bool = False) -> Task:
    searcher = Searcher(here().id, "", viewer().id, assignment_id)
    return searching_task(db, searcher, closed_too=closed_too)


def _searcher(task: Task) -> Searcher:
    return Searcher(task.campaign.id, task.assignment.topic, viewer().id, task.assignment.id)


def _desk(db: Session, task: Task, docno: str | None = None) -> FoundDesk:
    scale = scale_from_json(task.campaign.scale)
    return FoundDesk(
        task.assignment.id,
        topic_of(db, here().id, task.assignment.topic),
        scale,
        keys_of(db, viewer().id, scale) if docno is not None else None,
        desk_questions(task.campaign.desk_rules),
        shown_document(db, here().id, docno) if docno is not None else None,
        closed=task.closed,
    )


def _of_form(findings: Findings) -> Values:
    return {"choices": OF_ASSESSORS, "left_at": left_at(), "typed": request.form, "findings": findings}


def _opened(
    task: Task,
    search_id: int,
    docno: str | None,
    judged: SearchHit | None = None,
    findings: Findings = (),
) -> str:
    """The document that is open, and the hit that was judged before it; of the form only what was refused."""
    with reading() as db:
        desk = _desk(db, task, docno)
        search = own_search(db, _searcher(task), search_id)
        rank = rank_of(db, search, docno) if docno is not None else None
    return render_template(
        "judging/_search_pieces.html",
        desk=desk,
        search_id=search_id,
        rank=rank,
        mine=known_of_task(task).answers.get(docno or ""),
        judged=judged,
        left_at=left_at(),
        typed=request.form if findings else {},
        findings=findings,
    )


def _refused(assignment_id: int, search_id: int, docno: str, findings: Findings) -> str:
    if not wants_fragment():
        return _page(assignment_id, search_id, docno, findings)
    with reading() as db:
        task = _task(db, assignment_id)
    return _opened(task, search_id, docno, findings=findings)


def _page(
    assignment_id: int,
    search_id: int | None = None,
    docno: str | None = None,
    findings: Findings = (),
) -> str:
    named = request.args.get("docno")
    docno = docno if docno is not None or named is None else read_id(named)
    with reading() as db:
        # So that no index is made where nobody may search.
        require_search(db, here().id)
    ready = index_now()
    with reading() as db:
        task = _task(db, assignment_id, closed_too=True)
        searcher, known = _searcher(task), known_of_task(task)
        shown: ShownSearch | None = None
        if search_id is not None:
            shown = shown_search(db, own_search(db, searcher, search_id), known)
        is_hit = shown is not None and docno in {hit.docno for hit in shown.hits}
        desk = _desk(db, task, docno if is_hit else None)
        earlier = earlier_searches(db, searcher) if shown is None else ()
    return render_template(
        "judging/_searching.html" if wants_fragment() else "judging/search.html",
        desk=desk,
        shown=shown,
        mine=known.answers.get(docno or ""),
        earlier=earlier,
        ready=ready,
        **_of_form(findings),
    )


def _address(assignment_id: int, search_id: int, docno: str | None = None) -> str:
    parts: Values = {"docno": write_id(docno) if docno is not None else None, FROM: left_at()}
    return url_for("topic_search.show", assignment_id=assignment_id, search_id=search_id, **parts)
