"""Agreement: all assessors together, the matrix, every two, two with the working, by grade, who is strict."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.report.as_json import report_data
from workbench.agreement.report.latex import report_latex
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together, what_differs
from workbench.agreement.report.rows import COLUMNS, matrix_rows, report_rows
from workbench.agreement.report.working import workings
from workbench.agreement.several.entering import Entering, Machines
from workbench.agreement.several.levels import LEVELS
from workbench.agreement.several.weights import WEIGHTS
from workbench.errors import Finding, WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.agreement_choice import BASES, FIGURES, MACHINES, MOST_ROUNDS, OVER, Choice, choice_of
from workbench.web.door import reading
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import findings_of
from workbench.web.readers import reader
from workbench.workflow.agreement.agreeing import (
    Asked,
    agreement,
    agreement_matrix,
    agreement_of_two,
    entered,
)
from workbench.workflow.campaigns.campaigning import campaign_of
from workbench.workflow.desk.assigning import assessors_of

blueprint = Blueprint("agreement", __name__, url_prefix="/c/<slug>/agreement")
Found = TypeVar("Found")
MOST_DISAGREED = 200


@dataclass(frozen=True, slots=True)
class Page(Generic[Found]):
    """What was asked for and what came of it, or why nothing did; `machines` says whether there are any."""

    scale: Scale
    choice: Choice
    machines: bool
    found: Found | None
    findings: tuple[Finding, ...]


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

    def of_two(db: Session, choice: Choice) -> Any:
        asked = _with_machines(choice.asked)
        return agreement_of_two(db, here().id, asked, choice.how, first=first, second=second)

    page = _page(of_two)
    found = page.found
    labels = _labels(page)
    steps = workings(found.two, found.entering.ratings, page.choice.how, labels) if found else ()
    named = [voice for voice in found.entering.assessors if voice.name in (first, second)] if found else []
    return _rendered(
        "pair",
        page,
        first=first,
        second=second,
        labels=labels,
        workings=steps,
        machine_names=[voice.name for voice in named if voice.machine],
        most=MOST_DISAGREED,
    )


@blueprint.get("/report.csv")
@reader
def report_csv() -> Response | str:
    """The whole report as CSV, one row a coefficient, with all digits."""
    return _download(lambda report, name: csv_file(COLUMNS, report_rows(report), f"{name}.csv"))


@blueprint.get("/report.tex")
@reader
def report_tex() -> Response | str:
    """The tables of the report as LaTeX."""
    return _download(
        lambda report, name: attachment(
            report_latex(report).encode("utf-8", "replace"), f"{name}.tex", kind="application/x-tex"
        )
    )


@blueprint.get("/report.json")
@reader
def report_json() -> Response | str:
    """The whole report as JSON."""
    return _download(
        lambda report, name: attachment(
            json.dumps(report_data(report), allow_nan=False).encode(), f"{name}.json", kind="application/json"
        )
    )


@blueprint.get("/matrix.csv")
@reader
def matrix_csv() -> Response | str:
    """The matrix of the chosen coefficient as CSV."""
    page = _page(_matrix)
    if page.found is None:
        return _rendered("matrix", page)
    found, entering = page.found
    header, *rows = matrix_rows(found, entering, page.choice.by)
    name = f"{here().slug}.agreement.{page.choice.by}.csv"
    return csv_file([str(cell) for cell in header], rows, name)


def _report(db: Session, choice: Choice) -> Together:
    return agreement(db, here().id, choice.asked, choice.how)


def _among(db: Session, choice: Choice) -> Together:
    return agreement(db, here().id, _with_machines(choice.asked), choice.how)


def _matrix(db: Session, choice: Choice) -> tuple[Matrix, Entering]:
    asked = _with_machines(choice.asked)
    found = agreement_matrix(db, here().id, asked, choice.how, by=choice.by)
    return found, entered(db, here().id, asked)


def _with_machines(asked: Asked) -> Asked:
    """The same with machines among the people: where every two stand alone, nothing is mixed."""
    return Asked(asked.relevant_from, asked.graded, asked.basis, Machines.AMONG)


def _page(find: Callable[[Session, Choice], Found]) -> Page[Found]:
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        machines = any(one.machine for one in assessors_of(db, here().id))
        choice = choice_of(request.args, scale)
        try:
            if choice.error is not None:
                raise choice.error
            found = find(db, choice)
        except WorkbenchError as error:
            return Page(scale, choice, machines, None, findings_of(error, "Agreement"))
    return Page(scale, choice, machines, found, ())


def _download(make: Callable[[Together, str], Response]) -> Response | str:
    page = _page(_report)
    if page.found is None:
        return _rendered("index", page, sentence="")
    return make(page.found, f"{here().slug}.agreement")


def _rendered(name: str, page: Page[Any], **more: Any) -> str:
    return render_template(
        f"agreement/{name}.html",
        page=page,
        found=page.found,
        choice=page.choice,
        bases=BASES,
        whose=MACHINES,
        over=OVER,
        figures=FIGURES,
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
