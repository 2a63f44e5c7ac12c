"""Agreement: all assessors together, the matrix, every two, two with the working, by grade, who is strict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.coefficients.alpha import LEVELS
from workbench.agreement.coefficients.steps import workings
from workbench.agreement.export import matrix_export, report_export
from workbench.agreement.grades import WHY_NONE
from workbench.agreement.pair_report import PairReport, pair_export
from workbench.agreement.report import AgreementReport, Matrix, what_differs
from workbench.agreement.selection import Machines, Selection
from workbench.agreement.weights import WEIGHTS
from workbench.errors import WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.downloads import export_file
from workbench.web.pages.agreement.options import BASES, BOUNDS, FIGURES, MOST_ROUNDS, OVER, Choice, choice_of
from workbench.web.pages.agreement.page import WHOSE, Nothing, nothing_of
from workbench.web.readers import reader
from workbench.workflow.agreement.report import Asked, agreement, agreement_matrix, agreement_of_two, selected
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.people.assessors import assessors_of

blueprint = Blueprint("agreement", __name__, url_prefix="/c/<slug>/agreement")
Found = TypeVar("Found")
Find = Callable[[Session, Choice], Found]
MOST_DISAGREED = 200


@dataclass(frozen=True, slots=True)
class Page(Generic[Found]):
    """What was asked for and what came of it, or why nothing did; `machines` says whether there are any."""

    scale: Scale
    choice: Choice
    machines: bool
    found: Found | None
    nothing: Nothing | None


@blueprint.get("")
@reader
def index() -> str:
    """All together: every coefficient with its interval, and what it means."""
    page = _page(_report)
    sentence = what_differs(page.found) if page.found else ""
    return _rendered("index", page, sentence=sentence)


@blueprint.get("/matrix")
@reader
def matrix() -> str:
    """Every assessor with every other, as a heat map that is a table."""
    return _rendered("matrix", _page(_matrix))


@blueprint.get("/pairs")
@reader
def pairs() -> str:
    """Every two assessors, machines apart."""
    return _rendered("pairs", _page(_among))


@blueprint.get("/grades")
@reader
def grades() -> str:
    """Agreement grade by grade, and at every line of relevance."""
    return _rendered("grades", _page(_report))


@blueprint.get("/assessors")
@reader
def assessors() -> str:
    """Who is strict and who is lenient, on the pairs that they share with others."""
    return _rendered("assessors", _page(_report))


@blueprint.get("/pair")
@reader
def pair() -> str:
    """Two assessors: their tables, the whole working, and where they differ; `?first=` and `?second=`."""
    first, second = request.args.get("first", ""), request.args.get("second", "")

    page = _page(_two)
    found = page.found
    labels = _labels(page)
    steps = workings(found.two, found.selection.ratings, page.choice.options, labels) if found else ()
    named = [voice for voice in found.selection.assessors if voice.name in (first, second)] if found else []
    return _rendered(
        "pair",
        page,
        first=first,
        second=second,
        labels=labels,
        workings=steps,
        machine_names=[voice.name for voice in named if voice.machine],
        most=MOST_DISAGREED,
        why_none=WHY_NONE,
    )


@blueprint.get("/report.<any(csv, tex, json):kind>")
@reader
def report_file(kind: str) -> Response:
    """The whole report as CSV (one row a coefficient, with all digits), as LaTeX or as JSON."""
    _, report = _for_file(_report)
    return export_file(report_export(report), kind, f"{here().slug}.agreement")


@blueprint.get("/matrix.<any(csv, tex, json):kind>")
@reader
def matrix_file(kind: str) -> Response:
    """The matrix of the chosen coefficient as CSV, as LaTeX, or with all figures as JSON."""
    choice, (found, selection) = _for_file(_matrix)
    taken = matrix_export(found, selection, choice.options, choice.by)
    return export_file(taken, kind, f"{here().slug}.agreement.{choice.by}")


@blueprint.get("/pair.<any(csv, tex, json):kind>")
@reader
def pair_file(kind: str) -> Response:
    """Two assessors closely as CSV, as LaTeX or as JSON; `?first=` and `?second=` name them."""
    choice, found = _for_file(_two)
    return export_file(pair_export(found, choice.options), kind, f"{here().slug}.agreement.pair")


def _report(db: Session, choice: Choice) -> AgreementReport:
    return agreement(db, here().id, choice.asked, choice.options)


def _among(db: Session, choice: Choice) -> AgreementReport:
    return agreement(db, here().id, _with_machines(choice.asked), choice.options)


def _two(db: Session, choice: Choice) -> PairReport:
    first, second = request.args.get("first", ""), request.args.get("second", "")
    asked = _with_machines(choice.asked)
    return agreement_of_two(db, here().id, asked, choice.options, first=first, second=second)


def _matrix(db: Session, choice: Choice) -> tuple[Matrix, Selection]:
    asked = _with_machines(choice.asked)
    found = agreement_matrix(db, here().id, asked, choice.options, by=choice.by)
    return found, selected(db, here().id, asked)


def _with_machines(asked: Asked) -> Asked:
    """The same with machines among the people: where every two stand alone, nothing is mixed."""
    return replace(asked, machines=Machines.AMONG)


def _page(find: Find[Found]) -> Page[Found]:
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        machines = any(one.machine for one in assessors_of(db, here().id))
        choice = choice_of(request.args, scale)
        try:
            found = _found(find, db, choice)
        except WorkbenchError as error:
            return Page(scale, choice, machines, None, nothing_of(error))
    return Page(scale, choice, machines, found, None)


def _for_file(find: Find[Found]) -> tuple[Choice, Found]:
    """What an address asks for and what came of it; a file cannot hold a reason, so errors are raised."""
    with reading() as db:
        choice = choice_of(request.args, campaign_of(db, here().id).scale)
        return choice, _found(find, db, choice)


def _found(find: Find[Found], db: Session, choice: Choice) -> Found:
    if choice.error is not None:
        raise choice.error
    return find(db, choice)


def _rendered(name: str, page: Page[Any], **more: Any) -> str:
    return render_template(
        f"agreement/{name}.html",
        page=page,
        found=page.found,
        choice=page.choice,
        bases=BASES,
        whose=WHOSE,
        over=OVER,
        bounds=BOUNDS,
        estimates=FIGURES,
        levels=LEVELS,
        weights=WEIGHTS,
        most_rounds=MOST_ROUNDS,
        **more,
    )


def _labels(page: Page[Any]) -> tuple[str, ...]:
    """What the rows and columns of a table are called, highest first."""
    if not page.choice.asked.graded:
        return ("Relevant", "Not relevant")
    return tuple(f"{grade.value} {grade.label}" for grade in reversed(page.scale.grades))
