"""Developing a topic: its statement beside the search, and judging the first documents.

Blind as the desk is: nothing here tells of runs, pools or colleagues.
"""

from __future__ import annotations

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.storage import Session
from workbench.storage.tables import SearchRow
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_text, status_of, whole_number
from workbench.web.ids import read_id, write_id
from workbench.web.index_builds import IndexProgress, index_to_have
from workbench.web.pages.search.forms import (
    AmongChoice,
    ask_index,
    index_now,
    read_search,
    refused_with,
)
from workbench.web.pages.topics.draft_rights import (
    draft_searcher,
    is_organiser,
    require_developer,
    seen_draft,
)
from workbench.web.requests import from_script, pushed, see_other, wants_fragment
from workbench.web.trail import record_once_an_hour
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.desk_rules import allows_search_of
from workbench.workflow.judging.desk_settings import keys_of
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.pools.pool_rows import PoolState
from workbench.workflow.searching.draft_judgments import DraftAnswer, judge_for_draft, known_of_draft
from workbench.workflow.searching.found import ShownSearch, next_without_answer, shown_hit, shown_search
from workbench.workflow.searching.searches import (
    Among,
    Searcher,
    earlier_searches,
    first_shown,
    like_document,
    own_search,
    rank_of,
    record_opened,
    record_search,
    show_more,
    shown_rank,
)
from workbench.workflow.searching.topic_drafts import (
    TopicStatement,
    change_statement,
    development_rules,
    draft_grades,
    draft_row,
    next_topic_id,
)

blueprint = Blueprint("draft_desk", __name__, url_prefix="/c/<slug>/topics/drafts/<int:number>")
Answer = str | Response | tuple[str, int]
developer = member(Role.ORGANISER, Role.ASSESSOR)
CHOICES = (
    AmongChoice(Among.ALL, "All documents"),
    AmongChoice(Among.NEW, "Not judged yet"),
    AmongChoice(Among.MINE, "Judged"),
)


@blueprint.get("")
@developer
def index(number: int) -> Answer:
    """The statement, the search, and how far the draft is."""
    return draft_page(number)


@blueprint.post("")
@developer
def change(number: int) -> Answer:
    """Write what the draft says; a script gets its revision."""
    revision = whole_number(request.form.get("revision", "")) or 0
    statement = TopicStatement(sent_text("title"), sent_text("description"), sent_text("narrative"), revision)
    try:
        with writing() as db:
            require_developer(db)
            row = draft_row(db, here().id, number)
            before = row.revision
            revision = change_statement(db, here().id, number, viewer().id, statement)
            if from_script():
                record_once_an_hour(db, row.decided_at or row.begun_at, changes=revision != before)
    except WorkbenchError as error:
        if isinstance(error, NotFound):
            raise
        if from_script():
            return str(error), status_of(error)
        return draft_page(number, findings=findings_of(error, "Topic", "statement")), status_of(error)
    if from_script():
        return jsonify({"revision": revision})
    return see_other(url_for("draft_desk.index", number=number))


@blueprint.post("/search")
@developer
def search(number: int) -> Answer:
    """Search the documents for the draft, and show what was found."""
    try:
        asked = read_search()
        with reading() as db:
            searcher = draft_searcher(db, number, writing=False)
            known = known_of_draft(db, searcher.draft_id or 0)
            like = like_document(db, here().id, asked)
            to_have = index_to_have(db, here().id)
        ready = index_now(to_have)
        answer = ask_index(asked, known.filter(asked.among), like, ready)
        with writing() as db:
            row = record_search(db, draft_searcher(db, number), answer)
    except InvalidInput as error:
        return draft_page(number, findings=error.findings), refused_with(error)
    address = url_for("draft_desk.show", number=number, search_id=row.id)
    return pushed(_searching(number, row, ready), address) if wants_fragment() else see_other(address)


@blueprint.get("/search/<int:search_id>")
@developer
def show(number: int, search_id: int) -> Answer:
    """What a search found, with the document of `?docno=` open beside it."""
    return draft_page(number, search_id)


@blueprint.post("/search/<int:search_id>/more")
@developer
def more(number: int, search_id: int) -> Answer:
    """Show the next hits of a search."""
    with writing() as db:
        searcher = draft_searcher(db, number)
        row = own_search(db, searcher, search_id)
        before, rank = shown_rank(db, row.id), show_more(db, row)
    if not wants_fragment():
        return see_other(url_for("draft_desk.show", number=number, search_id=search_id) + f"#hit-{rank}")
    with reading() as db:
        known = known_of_draft(db, searcher.draft_id or 0)
        shown = shown_search(db, own_search(db, searcher, search_id), known, after=before)
        scale = campaign_of(db, here().id).scale
    return render_template("topics/_more.html", number=number, shown=shown, scale=scale)


@blueprint.post("/search/<int:search_id>/open")
@developer
def open_document(number: int, search_id: int) -> Answer:
    """Open a document that a search has shown."""
    docno = read_id(request.form.get("docno", ""))
    with writing() as db:
        record_opened(db, own_search(db, draft_searcher(db, number), search_id), docno)
    return _go_to(number, search_id, docno)


@blueprint.post("/search/<int:search_id>/judge")
@developer
def judge(number: int, search_id: int) -> Answer:
    """Record a grade of a document that a search has shown, and open the next one without."""
    docno = read_id(request.form.get("docno", ""))
    grade = whole_number(request.form.get("answer", ""))
    if grade is None:
        missing = Finding("Answer", None, "answer", "the form has no answer", "use its buttons")
        if wants_fragment():
            return _opened(number, search_id, docno, findings=(missing,)), 422
        return draft_page(number, search_id, findings=(missing,)), 422
    given = DraftAnswer(
        docno, grade, request.form.get("client_id", ""), request.form.get("shown_sha256") or None
    )
    with writing() as db:
        searcher = draft_searcher(db, number)
        judge_for_draft(db, searcher, number, search_id, given)
        search = own_search(db, searcher, search_id)
        following = next_without_answer(db, search, known_of_draft(db, searcher.draft_id or 0), docno)
        if following is not None:
            record_opened(db, search, following)
    return _go_to(number, search_id, following, judged=docno)


def _go_to(number: int, search_id: int, docno: str | None, judged: str | None = None) -> Answer:
    address = _address(number, search_id, docno)
    if not wants_fragment():
        return see_other(address)
    return pushed(_opened(number, search_id, docno, judged), address)


def _searching(number: int, search: SearchRow, ready: IndexProgress) -> str:
    """What changes when an author searches: the form, and what was found."""
    with reading() as db:
        draft = seen_draft(db, number)
        return render_template(
            "topics/_searching.html",
            draft=draft,
            mine=True,
            rules=development_rules(db, here().id),
            scale=campaign_of(db, here().id).scale,
            shown=shown_search(db, search, known_of_draft(db, draft.id), rank=first_shown(search)),
            document=None,
            grades=(),
            earlier=(),
            ready=ready,
            choices=CHOICES,
            typed=request.form,
            findings=(),
            oob=True,
        )


def _opened(
    number: int,
    search_id: int,
    docno: str | None,
    judged: str | None = None,
    findings: tuple[Finding, ...] = (),
) -> str:
    """The document that is open, and the hit that was judged before it with how far the draft is."""
    with reading() as db:
        draft = seen_draft(db, number)
        searcher = Searcher(here().id, "", viewer().id, draft_id=draft.id)
        row = own_search(db, searcher, search_id)
        known = known_of_draft(db, draft.id)
        scale = campaign_of(db, here().id).scale
        return render_template(
            "topics/_search_pieces.html",
            draft=draft,
            rules=development_rules(db, here().id),
            scale=scale,
            keys=keys_of(db, viewer().id, scale),
            document=shown_document(db, here().id, docno) if docno is not None else None,
            search_id=search_id,
            rank=rank_of(db, row, docno) if docno is not None else None,
            answer=known.answers.get(docno or ""),
            judged=shown_hit(db, row, known, judged) if judged is not None else None,
            writes=True,
            findings=findings,
        )


def draft_page(number: int, search_id: int | None = None, findings: tuple[Finding, ...] = ()) -> str:
    """The page of a draft: for its author with the search, for organisers with what becomes of it."""
    # Of the address, or of the form of that document, which had no answer.
    named = request.values.get("docno")
    docno = read_id(named) if named is not None else None
    with reading() as db:
        mine = seen_draft(db, number).author_id == viewer().id
        searchable = allows_search_of(db, here().id)
    ready = index_now() if mine and searchable else None
    with reading() as db:
        draft = seen_draft(db, number)
        searcher = Searcher(here().id, "", viewer().id, draft_id=draft.id)
        shown: ShownSearch | None = None
        if search_id is not None:
            shown = shown_search(db, own_search(db, searcher, search_id), known_of_draft(db, draft.id))
        is_hit = shown is not None and docno in {hit.docno for hit in shown.hits}
        scale = campaign_of(db, here().id).scale
        return render_template(
            "topics/_searching.html" if wants_fragment() else "topics/draft.html",
            draft=draft,
            mine=mine,
            rules=development_rules(db, here().id),
            scale=scale,
            keys=keys_of(db, viewer().id, scale),
            grades=draft_grades(db, draft.id),
            shown=shown,
            document=shown_document(db, here().id, docno or "") if is_hit else None,
            earlier=earlier_searches(db, searcher) if mine else (),
            ready=ready,
            choices=CHOICES,
            suggested=_suggested(db),
            pools=_pools(db) if is_organiser() and draft.topic is not None else (),
            typed=request.form,
            findings=findings,
            oob=wants_fragment(),
        )


def _suggested(db: Session) -> str:
    return next_topic_id([one.id for one in topics_of(db, here().id)])


def _pools(db: Session) -> list[PoolLine]:
    return [one for one in pools_of(db, here().id) if one.state is PoolState.OPEN and not one.adaptive]


def _address(number: int, search_id: int, docno: str | None) -> str:
    named = write_id(docno) if docno is not None else None
    return url_for("draft_desk.show", number=number, search_id=search_id, docno=named)
