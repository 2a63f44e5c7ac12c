"""Judgments: import, export, and answers that could not be recorded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import BinaryIO

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.records import Judgment
from workbench.web.access import here, organiser, viewer
from workbench.web.context import app_context, read_here, reading, reading_here, writing
from workbench.web.downloads import MadeResult, TextFile, attachment, result
from workbench.web.forms import (
    Files,
    Findings,
    accepted,
    announce,
    announce_notes,
    errors_on,
    form_text,
    named,
    query_text,
    sent_files,
    sent_id,
    sent_numbers,
    whole_number,
    with_each,
)
from workbench.web.paging import ListPage, start_asked
from workbench.web.requests import go_to
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.current_judgments import (
    SoughtAnswers,
    TickedBy,
    annotated_lines,
    answer_count,
    found_answers,
    judgment_table,
    subtopic_lines,
)
from workbench.workflow.judging.importing import GivenJudgments, Imported, import_files, judgments_from_qrels
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_count, unrecorded_lines
from workbench.workflow.overview.progress import overview

ANSWERS_SHOWN = 20
blueprint = Blueprint("judgments", __name__, url_prefix="/c/<slug>/judgments")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """Who judged how much, and single answers; the address says of whom, on what, and what they say."""
    sought = SoughtAnswers(
        query_text("assessor"),
        sent_id("topic"),
        query_text("answer"),
        query_text("docno"),
        "commented" in request.args,
    )
    start = start_asked() // ANSWERS_SHOWN * ANSWERS_SHOWN
    with reading_here() as (db, campaign_id):
        found, answers = found_answers(db, campaign_id, sought, start=start, size=ANSWERS_SHOWN)
        topics = topics_of(db, campaign_id)
        total = answer_count(db, campaign_id)
        return render_template(
            "judgments/index.html",
            view=overview(db, campaign_id),
            unrecorded=unrecorded_count(db, campaign_id),
            subtopics=any(topic.subtopics for topic in topics),
            topics=topics,
            sought=sought,
            page=ListPage(answers, start, found, total, ANSWERS_SHOWN, ""),
            scale=campaign_of(db, campaign_id).scale,
            total=total,
            typed=request.form,
            findings=findings,
        )


@blueprint.post("")
@organiser
def import_() -> Response:
    """Import the judgments of files; all of them, or none."""
    with errors_on(index, "Judgments"):
        files, codes, notes = sent_files(), _codes(), list[str]()
        name = _one_name(files)
        read = with_each(files, lambda source, stream: _read(stream, source, name, codes, notes))
        given = [_given(source, judgments) for source, judgments in read]
        done = import_files(app_context().database, here().id, given, writing=writing)
    announce_notes(notes)
    announce([(one.source, _in_words(one)) for one in done], ("Agreement", url_for("agreement.index")))
    return go_to("judgments.index")


@blueprint.get("/all.tsv")
@organiser
def export() -> Response:
    """Every current judgment, as the table that the import reads."""
    name, kind = f"{here().slug}.judgments.tsv", "text/tab-separated-values"
    with reading() as db:
        return attachment(judgment_table(db, here().id), name, kind=kind)


@blueprint.get("/all.jsonl")
@organiser
def whole() -> Response:
    """Every current answer and what was recorded beside it: comment, passages, further answers, subtopics."""
    name = f"{here().slug}.judgments.jsonl"
    with reading() as db:
        return attachment(annotated_lines(db, here().id), name, kind="application/jsonl")


@blueprint.get("/subtopics.qrels")
@organiser
@result
def subtopics() -> MadeResult:
    """The subtopics that were ticked as `topic subtopic docno judgment`; `?ticked_by=` any, majority, all."""
    ticked_by = named(TickedBy, request.args.get("ticked_by", TickedBy.MAJORITY))
    if ticked_by is None:
        raise rejected("Subtopics", None, "ticked_by", "unknown value")
    return MadeResult("subtopics", text=TextFile("qrels", "text/plain", _subtopic_lines(ticked_by)))


def _subtopic_lines(ticked_by: TickedBy) -> Iterator[bytes]:
    with reading() as db:
        yield from subtopic_lines(db, here().id, ticked_by=ticked_by)


def _codes() -> tuple[int, ...]:
    """The grades that mean "cannot judge"."""
    words = re.split(r"[\s,;]+", form_text("cannot_judge").strip())
    numbers = [whole_number(word) for word in words if word]
    if None in numbers:
        raise rejected(
            "Cannot judge",
            None,
            "cannot_judge",
            "not a grade",
            "enter whole numbers such as -2, or leave it empty",
        )
    return tuple(number for number in numbers if number is not None)


def _one_name(files: Files) -> str | None:
    """The assessor's name that was typed, for qrels; None takes it from the name of each file."""
    name = form_text("assessor").strip()
    if form_text("kind") != "qrels" or not name:
        return None
    if len(files) > 1:
        raise rejected(
            "Name",
            None,
            "assessor",
            f"{len(files)} files cannot all be the qrels of {name}",
            "leave the name empty: each is taken from its file's name",
        )
    return name


def _read(
    stream: BinaryIO, source: str, name: str | None, codes: Collection[int], notes: list[str]
) -> tuple[Judgment, ...]:
    if form_text("kind") != "qrels":
        return read_judgments(stream, source=source, cannot_judge=codes, notes=notes)
    assessor = name or _stem(source)
    qrels = read_qrels(stream, source=source)
    return judgments_from_qrels(qrels, assessor=assessor, cannot_judge=codes)


def _stem(source: str) -> str:
    for suffix in (".gz", ".txt", ".qrels"):
        source = source.removesuffix(suffix)
    return source.removeprefix("qrels.")


def _given(source: str, judgments: tuple[Judgment, ...]) -> GivenJudgments:
    machines = {one.assessor.strip() for one in judgments} if "machine" in request.form else set()
    return GivenJudgments(judgments, source, machines)


def _in_words(imported: Imported) -> str:
    total = sum(one.judgments for one in imported.assessors)
    new = sum(one.new for one in imported.assessors)
    people = counted(len(imported.assessors), "assessor")
    message = f"{counted(total, 'judgment')} of {people}, {new:,} new."
    if imported.repeated:
        pairs = counted(imported.repeated, "pair")
        message += f" {pairs} repeated by the same assessor, {imported.contradicted:,} with another answer;"
        message += " the last counts."
    return message


unrecorded = Blueprint("kept_aside", __name__, url_prefix="/c/<slug>/judgments/kept-aside")
DONE = {Settlement.RECORDED: "recorded", Settlement.DISMISSED: "dismissed"}


@unrecorded.get("", endpoint="index")
@organiser
def unrecorded_page(findings: Findings = ()) -> str:
    """The unrecorded answers: who said what, why it was not recorded, when."""
    with reading_here() as (db, campaign_id):
        lines = unrecorded_lines(db, campaign_id)
        scale = campaign_of(db, campaign_id).scale
    return render_template(
        "judgments/unrecorded.html",
        waiting=[line for line in lines if line.settlement is None],
        settled=[line for line in reversed(lines) if line.settlement is not None],
        scale=scale,
        findings=findings,
    )


@unrecorded.post("")
@organiser
def act() -> Response:
    """Record or dismiss the selected ones and all of the selected assessors, as they arrived."""
    settlement = Settlement.RECORDED if form_text("act") == "record" else Settlement.DISMISSED
    numbers = set(sent_numbers("kept"))
    people = set(request.form.getlist("person"))
    if people:
        lines = read_here(unrecorded_lines)
        numbers |= {one.id for one in lines if one.settlement is None and one.person in people}
    with errors_on(unrecorded_page, "Answers", "kept"):
        if not numbers:
            raise rejected("Answers", None, "kept", "nothing is selected", "select one or more")
        with writing() as db:
            for number in sorted(numbers):
                settle(db, here().id, number, viewer().id, settlement=settlement)
    return accepted(f"{counted(len(numbers), 'answer')} {DONE[settlement]}.", "kept_aside.index")


BLUEPRINTS = (
    blueprint,
    unrecorded,
)
