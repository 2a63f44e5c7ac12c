"""What the pages on agreement share: the options of an address, the report, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import render_template, request

from workbench.agreement.selection import Machines, relevant_or_not
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.forms import findings_of, whole_number
from workbench.workflow.campaigns.campaigns import campaign_of

Report = TypeVar("Report")
Find = Callable[[Session, "Choice"], Report]
TABLE = "/table.<any(csv, tex, json):kind>"
"""The address of a report's files, below that of its page."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no report: `refused` where what was asked for cannot be, else it is not there yet."""

    findings: tuple[Finding, ...]
    refused: bool


@dataclass(frozen=True, slots=True)
class AskedReport(Generic[Report]):
    """What an address asks for, and the report, or None with the reason."""

    scale: Scale
    choice: Choice
    report: Report | None
    nothing: Nothing | None


def nothing_of(error: WorkbenchError) -> Nothing:
    """An error as the reason why a page on agreement has nothing to show."""
    return Nothing(findings_of(error, "Agreement"), isinstance(error, InvalidInput))


def report_asked(find: Find[Report]) -> AskedReport[Report]:
    """The report that this request asks for; an error is the reason why there is none."""
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        choice = read_choice(scale)
        try:
            return AskedReport(scale, choice, find(db, choice), None)
        except WorkbenchError as error:
            return AskedReport(scale, choice, None, nothing_of(error))


def report_for_file(find: Find[Report]) -> Report:
    """The same for a file, which cannot hold a reason: raises WorkbenchError where there is no report."""
    with reading() as db:
        return find(db, read_choice(campaign_of(db, here().id).scale))


def report_page(template: str, asked: AskedReport[Any], **more: Any) -> str:
    """The page of a report, with whatever else its template takes."""
    return render_template(
        template,
        scale=asked.scale,
        choice=asked.choice,
        report=asked.report,
        nothing=asked.nothing,
        **more,
    )


WHOSE = {
    Machines.APART: "people",
    Machines.AMONG: "people and machines",
    Machines.ONLY: "machines",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which grades are compared, from which one a document counts as relevant, and whose answers enter."""

    relevant_from: int
    graded: bool
    machines: Machines

    def arguments(self) -> dict[str, str | int]:
        """The same as it stands in an address."""
        chosen: dict[str, str | int] = {"from": self.relevant_from, "machines": str(self.machines)}
        return chosen | ({"graded": "yes"} if self.graded else {})

    @property
    def in_words(self) -> str:
        """Which grades are compared."""
        return grades_in_words(self.relevant_from, graded=self.graded)


def grades_in_words(relevant_from: int, *, graded: bool) -> str:
    """Which grades are compared, as a heading says it."""
    return "every grade" if graded else relevant_or_not(relevant_from)


def read_choice(scale: Scale) -> Choice:
    """The choice of this request; what it does not say is the campaign's own line, of people."""
    typed = whole_number(request.args.get("from", ""))
    return Choice(
        relevant_from=scale.relevant_from if typed is None else typed,
        graded=request.args.get("graded") == "yes",
        machines=next((one for one in Machines if one == request.args.get("machines")), Machines.APART),
    )
