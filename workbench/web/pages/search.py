"""Searching for any topic, adding what is found, and what the pool misses."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, rejected
from workbench.figures import counted
from workbench.records import Document
from workbench.searching.engine import DocnoFilter, EngineUnavailable, RefusedQuery
from workbench.storage import Session
from workbench.web.access import here, organiser, viewer
from workbench.web.context import read_here, reading, reading_here, write_here, writing
from workbench.web.downloads import MadeResult, part_asked, result
from workbench.web.forms import (
    Findings,
    NotNow,
    accepted,
    errors_on,
    form_number,
    form_text,
    named,
    sent_id,
    sent_text,
    whole_number,
)
from workbench.web.jobs import (
    IndexProblem,
    IndexProgress,
    index_now,
    note_unavailable,
)
from workbench.web.pages.pools.additions import announce_added
from workbench.web.pages.pools.pools import pool_line
from workbench.web.requests import Reply, Values, go_to, pushed, read_id, see_other, wants_fragment, write_id
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.campaigns.collection import topic_titles, topics_of
from workbench.workflow.judging.desk_rules import allows_search_of
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.pools.pool_rows import PoolState
from workbench.workflow.searching.found import ShownSearch, add_found, known_to_organiser, shown_search
from workbench.workflow.searching.missed import SampleDraw, keep_draw, missed_export, missed_report, plan_draw
from workbench.workflow.searching.report import PARTS, found_by_search, searching_export
from workbench.workflow.searching.searches import (
    LONGEST_TYPED,
    Among,
    AnsweredSearch,
    NewSearch,
    Searcher,
    answer_search,
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

FROM = "from"
"""The document at which an assessor left the desk, to go back to."""


OF_ASSESSORS = (
    (Among.ALL, "All documents"),
    (Among.NEW, "Not judged by me"),
    (Among.MINE, "Judged by me"),
    (Among.POOLED, "In my documents"),
)
OF_ORGANISERS = (
    (Among.ALL, "All documents"),
    (Among.NEW, "Not judged"),
    (Among.MINE, "Judged"),
    (Among.POOLED, "In a pool of the topic"),
)


def read_search() -> NewSearch:
    """What the form asks; raises InvalidInput where nothing was typed, or too much."""
    among = named(Among, form_text("among")) or Among.ALL
    return checked_search(sent_text("query"), read_id(form_text("like")) or None, among)


def checked_search(words: str, like: str | None, among: Among) -> NewSearch:
    """A search for words or for what is like a document; raises as `read_search`."""
    typed = " ".join(words.split())
    if like is None and not typed:
        raise rejected("Search", None, "query", "the query is empty", "type one or more words")
    if len(typed) > LONGEST_TYPED:
        raise rejected(
            "Search", None, "query", f"the query has {len(typed):,} characters", f"at most {LONGEST_TYPED:,}"
        )
    return NewSearch(typed, like, among)


def ask_index(
    asked: NewSearch, among: DocnoFilter, like: Document | None, ready: IndexProgress
) -> AnsweredSearch:
    """What the index of the campaign of this page answers, while no transaction is open.

    Raises InvalidInput for a query that a cluster refuses, NotNow where it does not answer.
    """
    try:
        if ready.problem is not IndexProblem.UNAVAILABLE:
            return answer_search(ready.index, asked, among, like)
    except RefusedQuery as error:
        message = "the search engine cannot answer this query"
        raise rejected("Search", None, "query", message, error.remedy) from error
    except EngineUnavailable as error:
        note_unavailable(ready.index, error)
    message, remedy = "the search engine does not answer", "try again in half a minute"
    raise NotNow([Finding("Search", None, "unavailable", message, remedy)])


def left_at() -> str | None:
    """The document at which the desk was left, as the address or the form names it."""
    return request.values.get(FROM) or None


blueprint = Blueprint("search", __name__, url_prefix="/c/<slug>/search")


@blueprint.get("")
@organiser
def index() -> Reply:
    """The form for the topic of `?topic=`, what was searched for it, and what searching found by topic."""
    return _page(sent_id("topic"))


@blueprint.post("")
@organiser
def search() -> Reply:
    """Search the documents for a topic, and show what was found."""
    topic = sent_id("topic")
    with errors_on(partial(_page, topic)):
        asked = read_search()
        searcher = _searcher(topic)
        with reading() as db:
            _require(db, topic)
            known = known_to_organiser(db, searcher)
            like = like_document(db, here().id, asked)
        ready = index_now()
        answer = ask_index(asked, known.filter(asked.among), like, ready)
        with writing() as db:
            _require(db, topic)
            row = record_search(db, searcher, answer)
    address = url_for("search.show", search_id=row.id)
    if not wants_fragment():
        return see_other(address)
    with reading() as db:
        shown = shown_search(db, row, known, rank=first_shown(row))
        page = render_template(
            "search/_searching.html", shown=shown, opened=None, ready=ready, **_form(db, topic)
        )
    return pushed(page, address)


@blueprint.get("/found.<any(csv, json):kind>")
@organiser
@result
def found_file() -> MadeResult:
    """What searching found: the table that `?part=` names as CSV, as JSON all of them."""
    part = part_asked(PARTS)
    found = read_here(found_by_search)
    return MadeResult("found-by-searching", searching_export(found, part))


@blueprint.get("/<int:search_id>")
@organiser
def show(search_id: int) -> Reply:
    """What a search found, with the document of `?docno=` open beside it."""
    return _page("", search_id)


@blueprint.post("/<int:search_id>/more")
@organiser
def more(search_id: int) -> Reply:
    """Show the next hits of a search."""
    with writing() as db:
        require_search(db, here().id)
        row = own_search(db, _searcher(""), search_id)
        before, rank = shown_rank(db, row.id), show_more(db, row)
    if not wants_fragment():
        return see_other(url_for("search.show", search_id=search_id) + f"#hit-{rank}")
    with reading() as db:
        row = own_search(db, _searcher(""), search_id)
        shown = shown_search(db, row, known_to_organiser(db, _searcher(row.topic)), after=before)
        pools = _pools(db)
    return render_template("search/_more.html", shown=shown, pools=pools)


@blueprint.post("/<int:search_id>/open")
@organiser
def open_document(search_id: int) -> Response:
    """Open a document that a search has shown."""
    docno = read_id(form_text("docno"))
    with writing() as db:
        require_search(db, here().id)
        row = own_search(db, _searcher(""), search_id)
        record_opened(db, row, docno)
        topic, rank = row.topic, rank_of(db, row, docno)
    address = url_for("search.show", search_id=search_id, docno=write_id(docno))
    if not wants_fragment():
        return see_other(address)
    opened = read_here(shown_document, docno)
    return pushed(render_template("search/_opened.html", opened=opened, rank=rank, topic_id=topic), address)


@blueprint.post("/<int:search_id>/add")
@organiser
def add(search_id: int) -> Response:
    """Add the selected documents to a pool; all of them, or none."""
    docnos = [read_id(text) for text in request.form.getlist("selected")]
    with errors_on(partial(_page, "", search_id)), writing() as db:
        name = pool_line(db, form_number("pool")).name
        added = add_found(db, _searcher(""), search_id, name, docnos)
    announce_added(added)
    return go_to("search.show", search_id=search_id)


def _searcher(topic: str) -> Searcher:
    return Searcher(here().id, topic, viewer().id)


def _require(db: Session, topic: str) -> None:
    require_search(db, here().id)
    if topic not in topic_titles(db, here().id):
        raise rejected(
            "Search", None, "topic", "no topic is selected", "select the topic that you search for"
        )


def _pools(db: Session) -> list[PoolLine]:
    return [one for one in pools_of(db, here().id) if not one.closed and not one.adaptive]


def _form(db: Session, topic: str, findings: Findings = ()) -> Values:
    topics = topics_of(db, here().id)
    return {
        "topics": topics,
        "topic": next((one for one in topics if one.id == topic), topics[0] if topics else None),
        "pools": _pools(db),
        "earlier": (),
        "found": None,
        "choices": OF_ORGANISERS,
        "typed": request.form,
        "findings": findings,
    }


def _page(topic: str, search_id: int | None = None, findings: Findings = ()) -> str:
    named = request.args.get("docno")
    allowed = read_here(allows_search_of)
    ready = index_now() if allowed else None
    with reading_here() as (db, campaign_id):
        shown: ShownSearch | None = None
        opened = None
        if search_id is not None and ready is not None:
            row = own_search(db, _searcher(""), search_id)
            topic = row.topic
            shown = shown_search(db, row, known_to_organiser(db, _searcher(topic)))
            docno = read_id(named) if named is not None else None
            if docno in {hit.docno for hit in shown.hits}:
                opened = shown_document(db, campaign_id, docno or "")
        page = _form(db, topic, findings)
        if shown is None:
            page["earlier"] = earlier_searches(db, _searcher(topic)) if topic else ()
            page["found"] = found_by_search(db, campaign_id)
    return render_template(
        "search/_searching.html" if wants_fragment() else "search/index.html",
        shown=shown,
        opened=opened,
        ready=ready,
        **page,
    )


missed = Blueprint("missed", __name__, url_prefix="/c/<slug>/missed")


@missed.get("", endpoint="index")
@organiser
def missed_page(findings: Findings = ()) -> str:
    """What the samples say, by topic and together, and the form to draw some."""
    with reading_here() as (db, campaign_id):
        return render_template(
            "search/missed.html",
            findings=findings,
            typed=request.form,
            report=missed_report(db, campaign_id),
            topics=topics_of(db, campaign_id),
            pools=[
                one for one in pools_of(db, campaign_id) if one.state is PoolState.OPEN and not one.adaptive
            ],
        )


@missed.post("", endpoint="draw")
@organiser
def draw_missed() -> Response:
    """Draw a sample of one topic or of all and add it to a pool."""
    with errors_on(missed_page, "Sample", "sample"):
        asked = _asked()
        planned = read_here(plan_draw, asked)
        write_here(keep_draw, planned)
    new = sum(len(one.new) for one in planned.topics)
    return accepted(
        f"{counted(new, 'document')} of {counted(len(planned.topics), 'topic')} added to pool {asked.pool}",
        "missed.index",
    )


@missed.get("/table.<any(csv, json):kind>")
@organiser
@result
def table_file() -> MadeResult:
    """The topics as CSV; as JSON all together too."""
    return MadeResult("missed", missed_export(read_here(missed_report)))


def _asked() -> SampleDraw:
    size, seed = form_number("size"), form_text("seed").strip()
    if size is None:
        raise rejected("Sample", None, "size", "the number of documents is missing", "give one")
    if seed and whole_number(seed) is None:
        raise rejected("Sample", None, "seed", "the seed is not a whole number", "correct it")
    topic = sent_id("topic")
    with reading() as db:
        pool = pool_line(db, form_number("pool")).name
    return SampleDraw(pool, size, (topic,) if topic else (), whole_number(seed), viewer().id)


BLUEPRINTS = (
    blueprint,
    missed,
)
