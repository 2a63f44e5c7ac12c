"""Work side by side, for the organiser: tasks are given, their progress and what came of them is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, rejected
from workbench.figures import counted
from workbench.storage import Session
from workbench.tables import Export
from workbench.web import notices
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_text,
    sent_id,
    sent_ids,
    sent_text,
    whole_number,
)
from workbench.web.pages.overview.steps import announce_step
from workbench.web.requests import Reply, go_to
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topic_titles, topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.preferences import (
    PreferenceResults,
    answers_export,
    preference_agreement_export,
    preference_answers,
    preference_lines,
    preference_results,
    rankings_export,
    runs_export,
)
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("preferences", __name__, url_prefix="/c/<slug>/preferences")
USUAL_BEST = 5
EXPORTS: dict[str, Callable[[PreferenceResults], Export]] = {
    "documents": rankings_export,
    "runs": runs_export,
    "agreement": preference_agreement_export,
}


@blueprint.get("")
@reader
def index(findings: Findings = ()) -> str:
    """The tasks, how far they are, and what came of them."""
    with reading() as db:
        answers = preference_answers(db, here().id)
        tags = [run.tag for run in runs_of(db, here().id)]
        return render_template(
            "assignments/side_by_side.html",
            tasks=preference_tasks.tasks_of(db, here().id),
            answers=len(answers),
            results=preference_results(answers),
            assessors=[one for one in assessors_of(db, here().id) if one.assignable],
            topics=topics_of(db, here().id),
            runs=tags,
            # What was typed stays in the form that was refused.
            sent=str(request.endpoint).rpartition(".")[2],
            chosen_runs=_chosen_runs(tags),
            chosen_topics=set(sent_ids("topic")),
            chosen_assessors=set(request.form.getlist("assessor")),
            usual_best=USUAL_BEST,
            best=request.form.get("best", str(USUAL_BEST)),
            which=request.form.get("which", "best"),
            pairs=form_text("pairs"),
            findings=findings,
        )


@blueprint.post("/documents")
@organiser
def documents() -> Reply:
    """Give pairs of documents: those listed, or every two of the best of each topic."""
    return _given(_documents)


@blueprint.post("/runs")
@organiser
def runs() -> Reply:
    """Give two runs' answers to the chosen topics."""
    return _given(_runs)


@blueprint.post("/<int:task_id>/revoke")
@organiser
def revoke(task_id: int) -> Response:
    """Take a task back."""
    with writing() as db:
        preference_tasks.revoke_task(db, here().id, task_id)
    return accepted("Task removed. Its answers stay.", "preferences.index")


@blueprint.get("/prefs.txt")
@reader
def as_prefs() -> Response:
    """Preferences between documents as trec_eval reads them."""
    with reading() as db:
        return attachment(preference_lines(db, here().id), f"{here().slug}.prefs")


@blueprint.get("/<any(preferences, documents, runs, agreement):what>.<any(csv, json):kind>")
@reader
@result
def export(what: str) -> MadeResult:
    """Every answer with its reason, side and time, or one of the results."""
    with reading() as db:
        answers = preference_answers(db, here().id)
    if what == "preferences":
        return MadeResult("preferences", answers_export(answers))
    return MadeResult(f"preferences.{what}", EXPORTS[what](preference_results(answers)))


def _given(give: Callable[[Session], int]) -> Response:
    with errors_on(index, "Tasks"), writing() as db:
        added = give(db)
    if added:
        announce_step(f"{counted(added, 'task')} assigned.")
    else:
        notices.add(
            "Nothing new: already assigned, or nobody selected graded two documents of a topic as relevant.",
            "fair",
        )
    return go_to("preferences.index")


def _documents(db: Session) -> int:
    if form_text("which") == "best":
        count = whole_number(form_text("best").strip() or str(USUAL_BEST))
        if count is None:
            raise rejected("Best", None, "best", "not a number", "enter a whole number")
        return preference_tasks.compare_best(
            db, here().id, _topics(db), count=count, assessor_ids=_assessors()
        )
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
                Finding("Pairs", number, "pairs", f"{len(fields)} words", "write a topic and two docnos")
            )
    if not pairs and not findings:
        findings.append(
            Finding("Pairs", None, "pairs", "no pair is given", "write a topic and two docnos per line")
        )
    if findings:
        raise InvalidInput(findings)
    return pairs


def _assessors() -> list[int]:
    chosen = [whole_number(text) for text in request.form.getlist("assessor")]
    if not chosen or None in chosen:
        raise rejected("Assessors", None, "assessor", "nobody is selected", "select one or more")
    return [number for number in chosen if number is not None]


def _chosen_runs(tags: Sequence[str]) -> dict[str, str]:
    usual = dict(zip(("first", "second"), tags, strict=False))
    return {name: sent_id(name) or tag for name, tag in usual.items()}


def _topics(db: Session) -> list[str]:
    chosen = sent_ids("topic")
    return chosen or list(topic_titles(db, here().id))
