"""Work side by side, for the organiser: tasks are given, their progress and what came of them is seen."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import counted, findings_of, sent_id, sent_ids, sent_text, status_of, whole_number
from workbench.web.requests import see_other
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.preferences import (
    PreferenceKind,
    compared_json,
    preference_lines,
    preferences_of,
    runs_compared,
)
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("preferences", __name__, url_prefix="/c/<slug>/preferences")
USUAL_BEST = 5


@blueprint.get("")
@reader
def index() -> str:
    """The tasks, how far they are, and what came of them."""
    return _page()


@blueprint.post("/documents")
@organiser
def documents() -> Response | tuple[str, int]:
    """Give pairs of documents: those listed, or every two of the best of each topic."""
    return _given(_documents)


@blueprint.post("/runs")
@organiser
def runs() -> Response | tuple[str, int]:
    """Give two runs' answers to the chosen topics."""
    return _given(_runs)


@blueprint.post("/<int:task_id>/revoke")
@organiser
def revoke(task_id: int) -> Response:
    """Take a task back."""
    with writing() as db:
        preference_tasks.revoke_task(db, here().id, task_id)
    notices.add("Task removed. Its answers stay.")
    return see_other(url_for("preferences.index"))


@blueprint.get("/prefs.txt")
@reader
def as_prefs() -> Response:
    """Preferences between documents as trec_eval reads them."""
    with reading() as db:
        return attachment(preference_lines(db, here().id), f"{here().slug}.prefs")


@blueprint.get("/preferences.csv")
@reader
def as_csv() -> Response:
    """Every preference, between documents and between runs."""
    with reading() as db:
        rows = [
            (str(kind), one.topic, one.assessor, one.first, one.second, one.choice)
            for kind in PreferenceKind
            for one in preferences_of(db, here().id, kind)
        ]
    header = ("kind", "topic", "assessor", "first", "second", "choice")
    return csv_file(header, rows, f"{here().slug}.preferences.csv")


@blueprint.get("/runs.json")
@reader
def runs_as_json() -> Response:
    """What came of the runs that were compared."""
    with reading() as db:
        compared = runs_compared(db, here().id)
    return jsonify([compared_json(one) for one in compared])


def _given(give: Callable[[Session], int]) -> Response | tuple[str, int]:
    try:
        with writing() as db:
            added = give(db)
    except WorkbenchError as error:
        return _page(findings_of(error, "Tasks")), status_of(error)
    if added:
        notices.add(f"{counted(added, 'task')} assigned.")
    else:
        notices.add("Nothing new: already assigned, or no topic has two graded documents.", "fair")
    return see_other(url_for("preferences.index"))


def _documents(db: Session) -> int:
    if request.form.get("which") == "best":
        count = whole_number(request.form.get("best", ""))
        if count is None:
            raise InvalidInput([Finding("Best", None, "best", "not a number", "enter a whole number")])
        pairs = preference_tasks.best_judged(db, here().id, _topics(db), count)
    else:
        pairs = read_pairs(sent_text("pairs"))
    return preference_tasks.compare_documents(db, here().id, pairs, assessor_ids=_assessors())


def _runs(db: Session) -> int:
    return preference_tasks.compare_runs(
        db,
        here().id,
        sent_id("first"),
        sent_id("second"),
        topics=_topics(db),
        assessor_ids=_assessors(),
    )


def read_pairs(text: str) -> dict[str, list[tuple[str, str]]]:
    """Pairs from lines of a topic and two docnos; raises InvalidInput with every line that is none."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if len(fields) == 3:
            pairs.setdefault(fields[0], []).append((fields[1], fields[2]))
        elif fields:
            findings.append(
                Finding("Pairs", number, "pairs", f"{len(fields)} words", "a topic and two docnos")
            )
    if not pairs and not findings:
        findings.append(Finding("Pairs", None, "pairs", "no pair is given", "a topic and two docnos a line"))
    if findings:
        raise InvalidInput(findings)
    return pairs


def _assessors() -> list[int]:
    chosen = [whole_number(text) for text in request.form.getlist("assessor")]
    if not chosen or None in chosen:
        raise InvalidInput(
            [Finding("Assessors", None, "assessor", "nobody is selected", "select one or more")]
        )
    return [number for number in chosen if number is not None]


def _topics(db: Session) -> list[str]:
    chosen = sent_ids("topic")
    return chosen or [topic.id for topic in topics_of(db, here().id)]


def _page(findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        return render_template(
            "assignments/side_by_side.html",
            tasks=preference_tasks.tasks_of(db, here().id),
            compared=runs_compared(db, here().id),
            assessors=[one for one in assessors_of(db, here().id) if one.has_account],
            topics=topics_of(db, here().id),
            runs=[run.tag for run in runs_of(db, here().id)],
            best=request.form.get("best", str(USUAL_BEST)),
            which=request.form.get("which", "best"),
            pairs=request.form.get("pairs", ""),
            findings=findings,
        )
