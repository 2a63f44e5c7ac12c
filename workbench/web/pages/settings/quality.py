"""Repeats, planted pairs and training: what the organiser asks of assessors for the sake of quality."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.two_series import repeats_needed
from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.figures import counted, percent
from workbench.formats.graded_pairs import read_known_grades
from workbench.storage.events import PLANTED, TRAINING
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading_here, write_here, writing, writing_here
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_number,
    form_text,
    marks,
    merged,
    sent_files,
    whole_number,
)
from workbench.web.requests import Values
from workbench.workflow.agreement.probe_answers import known_answer_lines
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.quality_checks import CheckRules, check_rules_of
from workbench.workflow.judging.quality_settings import (
    KINDS,
    change_known_answer,
    known_pairs,
    load_known_answers,
    remove_known_answer,
    remove_known_answers,
    save_check_rules,
)
from workbench.workflow.judging.trainees import trainees
from workbench.workflow.judging.training import ASKED, RIGHT, chances_to_pass, waive_training

blueprint = Blueprint("probes", __name__, url_prefix="/c/<slug>/settings/probes")
SETTINGS = ("one_in", "distance", "least")
MOST_SHOWN = 200


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """The rate of repeats, the pairs with a known answer, and whether one trains."""
    with reading_here() as (db, campaign_id):
        rules, known = check_rules_of(db, campaign_id), known_pairs(db, campaign_id)
        scale, lines = campaign_of(db, campaign_id).scale, known_answer_lines(db, campaign_id)
        waiting = trainees(db, campaign_id)
    sent = SETTINGS[0] in request.form
    kept = {"one_in": rules.one_in or "", "distance": rules.distance, "least": rules.least or ""}
    return render_template(
        "settings/quality.html",
        rules=rules,
        was=marks(_values(rules)),
        training="training" in request.form if sent else rules.training,
        known=known,
        typed=_typed() if sent else kept,
        findings=findings,
        settings=SETTINGS,
        scale=scale,
        lines={kind: [one for one in lines if one.purpose == kind] for kind in KINDS},
        most_shown=MOST_SHOWN,
        waiting=waiting[:MOST_SHOWN],
        waiting_total=len(waiting),
        repeats_needed=repeats_needed(),
        passing=[(asked, chances_to_pass(asked, rules.least)) for asked in ASKED] if rules.least else [],
        passing_headings=(
            ("Pairs asked", "num"),
            *((f"Right in {percent(right, 0)} of all", "num") for right in RIGHT),
        ),
    )


@blueprint.post("")
@organiser
def change() -> Response:
    """Save the rate, the distance, and whether topics begin with training."""
    with errors_on(index):
        rules = _rules(_typed())
        with writing_here() as (db, campaign_id):
            found = merged(_values(rules), _values(check_rules_of(db, campaign_id)))
            save_check_rules(db, campaign_id, CheckRules(**found))
    return accepted("Settings saved. They apply to what is judged from now on.", "probes.index")


@blueprint.post("/known")
@organiser
def load() -> Response:
    """Load files of pairs with a known answer; all of them, or none."""
    purpose = _purpose()
    with errors_on(index, "Known answers", "files"):
        sent = [(name, read_known_grades(stream, source=name)) for name, stream in sent_files()]
        with writing() as db:
            done = [
                load_known_answers(db, here().id, answers, purpose=purpose, source=name, added_by=viewer().id)
                for name, answers in sent
            ]
    added, changed = sum(one.added for one in done), sum(one.changed for one in done)
    return accepted(f"{counted(added, 'pair')} added, {changed} changed.", "probes.index")


@blueprint.post("/known/remove")
@organiser
def remove() -> Response:
    """Remove the pairs of a kind; their answers stay."""
    purpose = _purpose()
    removed = write_here(remove_known_answers, purpose=purpose)
    return accepted(f"{counted(removed, 'pair')} removed.", "probes.index")


@blueprint.post("/known/change")
@organiser
def change_one() -> Response:
    """Correct the known grade of one pair, or remove the pair."""
    purpose, pair = _purpose(), (form_text("topic"), form_text("docno"))
    grade = form_number("grade")
    with errors_on(index, "Known answers", "files"), writing_here() as (db, campaign_id):
        if "remove" in request.form:
            remove_known_answer(db, campaign_id, purpose=purpose, pair=pair)
        elif grade is None:
            raise WorkbenchError("no grade was chosen", remedy="choose one of the scale")
        else:
            change_known_answer(db, campaign_id, purpose=purpose, pair=pair, grade=grade)
    return accepted(
        "Pair removed; its answers stay." if "remove" in request.form else "Known grade saved.",
        "probes.index",
        _anchor=purpose,
    )


@blueprint.post("/let-through")
@organiser
def open_work() -> Response:
    """Waive the training of one assignment."""
    assignment_id = form_number("assignment")
    if assignment_id is None:
        raise NotFound("this assignment does not exist", remedy="use the page's buttons")
    write_here(waive_training, assignment_id, by=viewer().id)
    return accepted(
        "Training waived. An open desk continues with the work at the end of its round.",
        "probes.index",
        _anchor="waiting",
    )


def _purpose() -> str:
    return TRAINING if form_text("purpose") == TRAINING else PLANTED


def _typed() -> dict[str, str]:
    return {name: form_text(name).strip() for name in SETTINGS}


def _rules(typed: dict[str, str]) -> CheckRules:
    numbers = {name: whole_number(text) for name, text in typed.items()}
    findings = [
        Finding("Quality checks", None, name, f"{text!r} is not a number", "enter a whole number")
        for name, text in typed.items()
        if text and numbers[name] is None
    ]
    if findings:
        raise InvalidInput(findings)
    rules = CheckRules(one_in=numbers["one_in"], training="training" in request.form, least=numbers["least"])
    distance = numbers["distance"]
    return rules if distance is None else replace(rules, distance=distance)


def _values(rules: CheckRules) -> Values:
    """The fields of the form."""
    return {name: getattr(rules, name) for name in (*SETTINGS, "training")}
