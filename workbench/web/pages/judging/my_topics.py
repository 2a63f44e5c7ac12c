"""Judging: one's topics, and the desk on which one document after the other is judged.

The forms work by themselves; with scripts the desk works ahead through `desk_api`.
"""

from __future__ import annotations

from flask import Blueprint, g, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.web import notices
from workbench.web.access import here, member, signed_in, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import form_text, query_text
from workbench.web.pages.judging.desk_api import asked_json, near_json, result_words, work_json
from workbench.web.pages.judging.reading import prepare_desk, reading_of, writing_of
from workbench.web.requests import Values, go_to, read_id, see_other, write_id
from workbench.workflow.adjudication.discussions import discussions
from workbench.workflow.campaigns.campaigns import campaign_by_slug, campaign_of
from workbench.workflow.judging import desk_view, worklists
from workbench.workflow.judging.assigned_work import own_share
from workbench.workflow.judging.desk_rules import allows_search_of
from workbench.workflow.judging.desk_settings import COMMANDS, is_introduced, keys_of, save_introduced
from workbench.workflow.judging.desk_view import work_of
from workbench.workflow.judging.near_duplicates import near_duplicates_of
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.record import undo_last
from workbench.workflow.judging.submission import SubmissionKind, read_form
from workbench.workflow.judging.sync import Outcome, receive_form
from workbench.workflow.people.membership import Role, require_assignment

blueprint = Blueprint("judging", __name__, url_prefix="/c/<slug>/judge")


@frozen_dataclass
class Reason:
    """A usual reason for which a document cannot be judged, with its key."""

    key: str
    value: str
    label: str


REASONS = (
    Reason("1", "broken", "Broken or garbled"),
    Reason("2", "wrong language", "In a language I do not read"),
    Reason("3", "empty", "Empty or missing"),
)


@blueprint.get("")
@member(Role.ASSESSOR)
def index() -> str:
    """The topics that this assessor has to judge; the first time also what judging is."""
    with reading() as db:
        lines = worklists.own_topics(db, here().id, viewer().id)
        share = own_share(db, here().id, viewer().id)
        comparisons = left_to_compare(db, here().id, viewer().id)
        waiting = sum(not one.answered for one in discussions(db, here().id, viewer().id))
        seconds = desk_view.own_seconds(db, here().id, viewer().id)
        made = campaign_of(db, here().id)
        keys = keys_of(db, viewer().id, made.scale)
        is_new = bool(lines) and not any(line.answered for line in lines)
        is_new = is_new and not is_introduced(db, viewer().id, here().id)
    return render_template(
        "judging/index.html",
        lines=lines,
        comparisons=comparisons,
        waiting=waiting,
        left=share.now,
        held=share.may_come - share.free,
        seconds=seconds,
        time_left=time_words(share.now * seconds) if seconds is not None else "",
        made=made,
        keys=keys,
        introduces=is_new,
    )


@blueprint.post("/begin")
@member(Role.ASSESSOR)
def begin() -> Response:
    """Go to the first topic with work; what judging is was read and is not shown again."""
    with writing() as db:
        save_introduced(db, viewer().id, here().id)
    with reading() as db:
        lines = worklists.worklist(db, here().id, viewer().id)
    first = next((line for line in lines if not line.done and not line.closed), None)
    return see_other(_address(first.assignment_id, None) if first else url_for("judging.index"))


def time_words(seconds: float) -> str:
    """A time that work takes, as people plan it: `under a minute`, `25 min`, `3 h 10 min`, `21 h`."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "under a minute"
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(round(minutes / 10) * 10, 60)
    return f"{hours:,} h {rest} min" if rest and hours < 10 else f"{round(minutes / 60):,} h"


@blueprint.get("/<int:assignment_id>")
@member(Role.ASSESSOR)
def desk(assignment_id: int) -> str:
    """The desk with the document named in the address, or the next one without an answer."""
    named = request.args.get("docno")
    docno = read_id(named) if named is not None else None
    if docno is None:
        prepare_desk(assignment_id)
    with reading_of(assignment_id) as db:
        task = desk_task(db, assignment_id, viewer().id)
        shown = desk_view.desk(db, assignment_id, viewer().id, docno=docno, task=task)
        work = work_of(db, assignment_id, viewer().id, task=task)
        keys, news = keys_of(db, viewer().id, shown.scale), desk_view.news_of(db, task)
        may_search = allows_search_of(db, here().id)
        key = shown.document.key if shown.document else None
        near = near_duplicates_of(db, assignment_id, viewer().id, key) if key is not None else ()
    return render_template(
        "judging/desk.html",
        desk=shown,
        news=news,
        work=work_json(work),
        one_by_one=work.one_by_one,
        searchable=may_search and not work.one_by_one and not work.in_batches,
        keys=keys,
        result=result_words(shown.feedback.round if shown.feedback else None),
        commands=COMMANDS,
        reasons=REASONS,
        facts=_facts(assignment_id, shown) | {"near": near_json(near)},
    )


@blueprint.post("/<int:assignment_id>/answer")
@signed_in
def answer(assignment_id: int) -> Response:
    """Record an answer, or that it is put off, and go on to the next document.

    Open to whoever was an assessor when the page was loaded: what is said too late is stored.
    """
    return _received(assignment_id, SubmissionKind.ANSWER)


@blueprint.post("/<int:assignment_id>/comment")
@signed_in
def comment(assignment_id: int) -> Response:
    """Keep a comment on a document that has an answer, and stay there; stored if it comes too late."""
    return _received(assignment_id, SubmissionKind.COMMENT)


@blueprint.post("/<int:assignment_id>/undo")
@member(Role.ASSESSOR)
def undo(assignment_id: int) -> Response:
    """Withdraw the latest answer and go back to its document."""
    with writing_of(assignment_id) as db:
        docno = undo_last(db, assignment_id, viewer().id, client_id=form_text("client_id"))
    return see_other(_address(assignment_id, docno))


@blueprint.get("/<int:assignment_id>/answers")
@member(Role.ASSESSOR)
def answers(assignment_id: int) -> str:
    """What this assessor said so far; `?only=` leaves one kind, `?search=` some docnos and titles."""
    only, search = query_text("only"), query_text("search")
    with reading_of(assignment_id) as db:
        shown = desk_view.desk(db, assignment_id, viewer().id)
        lines = worklists.answers(db, assignment_id, viewer().id)
    kept = [
        line
        for line in lines
        if (not only or line.answer == only) and search.casefold() in f"{line.docno} {line.title}".casefold()
    ]
    return render_template(
        "judging/answers.html", desk=shown, lines=kept, only=only, search=search, kinds=tuple(Answer)
    )


def _received(assignment_id: int, kind: SubmissionKind) -> Response:
    docno = read_id(form_text("docno"))
    with writing() as db:
        # The viewer may have lost the role, so that the guard did not enter the campaign.
        require_assignment(db, campaign_by_slug(db, g.slug, even_archived=True).id, assignment_id)
        submission = read_form(request.form, request.form.getlist("subtopic"), docno=docno, kind=kind)
        receipt = receive_form(db, viewer().id, assignment_id, submission)
    if receipt.outcome is Outcome.UNRECORDED:
        notices.add(
            f"Your answer came too late and was not recorded: {receipt.why}. It is stored for the organiser, "
            "who decides whether it counts.",
            "poor",
        )
        return go_to("campaigns.index")
    # After an answer in training one stays: the known one is told.
    stays = kind is SubmissionKind.COMMENT or receipt.feedback
    return see_other(_address(assignment_id, docno if stays else None))


def _facts(assignment_id: int, shown: desk_view.Desk) -> Values:
    """What the desk's script must know of the page."""

    def of_assignment(endpoint: str) -> str:
        return url_for(endpoint, assignment_id=assignment_id)

    return {
        "assignment": assignment_id,
        "docno": write_id(shown.document.key) if shown.document else None,
        "sha256": shown.document.sha256 if shown.document else None,
        "asked": asked_json(shown.asked),
        "grades": [[grade.value, grade.label, grade.weight] for grade in shown.scale.grades],
        "instructions": shown.instructions,
        "addresses": {
            "events": url_for("desk.events"),
            "desk": of_assignment("judging.desk"),
            "work": of_assignment("desk.work"),
            "documents": of_assignment("desk.documents"),
            "compare": of_assignment("reading.compare_two"),
            "titles": of_assignment("desk.titles"),
            "next": of_assignment("desk.following"),
            "topics": url_for("judging.index"),
            "sign_in": url_for("entrance.sign_in", next=url_for("judging.index")),
        },
    }


def _address(assignment_id: int, docno: str | None) -> str:
    named = write_id(docno) if docno is not None else None
    return url_for("judging.desk", assignment_id=assignment_id, docno=named)
